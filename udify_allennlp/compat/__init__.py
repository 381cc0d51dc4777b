"""
Fixes of other people's packages, behind one door, `install()`; nothing else lives here, and nothing
else of ours changes other packages, except the loader of archives (`archives/loading.py`) and
configs by name (`config/named.py`), which replace functions of AllenNLP with their own.

- `importing.py`: what `import allennlp` needs beside current releases of its dependencies.
- `lazy_imports.py`: packages that `import allennlp` imports and parsing does not need.
- `storage.py`: the same for clients of cloud storage.
- `running.py`: what breaks in AllenNLP later, while it reads data, trains or loads.
- `devices.py`: whether a requested GPU is available.
- `forking.py`: what PyTorch needs in processes that are forked after it has been used.
- `ports.py`: where processes that train together find each other.
- `console_log.py`: what commands show.
- `command_line.py`: messages and imports of its command line.
- `writing.py`: files of a run are whole or absent, and the same for the same run.

Each fix does nothing where nothing is broken.
"""

from udify_allennlp.compat import importing
from udify_allennlp.compat.importing import collector_paused

__all__ = ["collector_paused", "install"]

_installed = False


def install() -> None:
    """
    Makes AllenNLP importable and working, once per process. Run it before AllenNLP is imported.

    # Raises

    `ImportError` if AllenNLP is not installed; the message says how to install it.
    """
    global _installed
    if _installed:
        return
    _installed = True
    try:
        importing.apply()
    except BaseException:
        _installed = False
        raise
    from udify_allennlp.compat import (
        command_line,
        console_log,
        devices,
        forking,
        ports,
        running,
        writing,
    )

    running.apply()
    devices.apply()
    forking.apply()
    ports.apply()
    console_log.apply()
    command_line.apply()
    writing.apply()
