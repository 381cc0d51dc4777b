"""
All that changes other people's packages, behind one door, `install()`; nothing else of ours may.

- `importing.py`: what `import allennlp` needs beside current releases of its dependencies.
- `later.py`: what `import allennlp` imports and parsing does not need, not before it is used.
- `storage.py`: the same for clients of cloud storage.
- `running.py`: what breaks in AllenNLP later, while it reads data, trains or loads.
- `configs.py`: configs by name, and their parts from any folder.
- `devices.py`: whether there is the GPU that is asked for.
- `ports.py`: where processes that train together find each other.
- `screen.py`: what commands show.
- `settings.py`: settings of a config that no class has, or of another type.
- `command_line.py`: what its command line says, and what it imports for it.
- `writing.py`: files of a run are whole or not there, and the same for the same run.
- `archives.py`: of `allennlp.models.archival` it replaces `load_archive` and what that is made of,
  so that a model from somebody else runs no code and writes nowhere outside its folder. Names of
  classes are looked up by `registered.py`, files unpacked by `unpacking.py` and looked at by
  `archive_checks.py`.
- `old_names.py`: our own modules under the names that they had in release 0.1.0.

Each mend does nothing where nothing is broken.
"""

from udify_allennlp.compat import importing, old_names
from udify_allennlp.compat.importing import collector_paused

__all__ = ["collector_paused", "install"]

_installed = False


def install() -> None:
    """
    Makes AllenNLP importable, working and safe to load models with, once per process. Run it before
    AllenNLP is imported.

    # Raises

    `ImportError` if AllenNLP is not installed; the message says how to install it.
    """
    global _installed
    if _installed:
        return
    importing.apply()
    from udify_allennlp.compat import (
        archives,
        command_line,
        configs,
        devices,
        ports,
        running,
        screen,
        writing,
    )

    running.apply()
    configs.apply()
    devices.apply()
    ports.apply()
    screen.apply()
    command_line.apply()
    writing.apply()
    archives.install()
    old_names.install()
    _installed = True
