"""
Fixes of other packages, with one entry point, `install()`. Nothing else of ours changes other
packages, except the loader of archives (`archives/loading.py`) and configs by name
(`config/named.py`), which replace functions of AllenNLP.

- `importing.py`: fixes that `import allennlp` needs with current releases of its dependencies.
- `lazy_imports.py`: packages that `import allennlp` imports and parsing does not need.
- `storage.py`: the same for clients of cloud storage.
- `running.py`: fixes for later errors in AllenNLP, while it reads data, trains or loads.
- `devices.py`: whether a requested GPU is available.
- `forking.py`: a fix for PyTorch in processes that are forked after it has been used.
- `ports.py`: the port of distributed training.
- `console_log.py`: the console output of commands.
- `command_line.py`: messages of its command line.
- `package_imports.py`: imports of packages that plugins and `--include-package` name.
- `writing.py`: files of a run are complete or absent, and reproducible.

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

    `ImportError` if AllenNLP is not installed; the message contains the command to install it.
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
        package_imports,
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
    package_imports.apply()
    writing.apply()
