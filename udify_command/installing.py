"""
AllenNLP without its requirements, installed by the first start or by `udify setup`.

AllenNLP 2.10.1, its last release, requires a PyTorch that today's Python cannot install, so it
cannot be among our requirements: pip would apply its own. Here, pip installs it in the usual place
without its requirements, and `corrections.py` adapts it to current releases. cached-path is
installed in the same way: it requires the clients of two cloud storage services, 66 MB, which are
imported only when a file in one of them is requested (`compat/storage.py`).

pip overwrites our script `allennlp` with AllenNLP's, which lacks our fixes. `udify`, which no other
package has, is the same script, so copying it repairs the installation.
"""

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Optional

from packaging.specifiers import SpecifierSet

from udify_command.build import build_version
from udify_command.corrections import correct

NEEDED = {"allennlp": "==2.10.1", "fairscale": "==0.4.6", "cached-path": ">=1.6,<2"}
OURS, THEIRS = b"udify_command", b"allennlp.__main__"
"""Text that only our script contains, and text that only AllenNLP's does."""
_TRY = "import allennlp.commands"
NEVER = "UDIFY_NO_SETUP"
"""An environment variable: if it is set, only `udify setup` installs anything."""
_OFFLINE = (
    "AllenNLP could not be installed. If a package index can be reached, run: udify setup. To "
    "install from a folder of wheels: udify setup --no-index --find-links FOLDER"
)


def missing() -> Optional[str]:
    """Returns the message for a user without AllenNLP, or with the wrong version of it."""
    for name, wanted in NEEDED.items():
        installed = _version(name)
        has = "is not installed"
        if importlib.util.find_spec(name.replace("-", "_")) is not None:
            if installed is None or SpecifierSet(wanted).contains(installed, prereleases=True):
                continue
            has = f"is needed, but {installed} is installed"
        release = wanted.removeprefix("==")
        return f"{name} {release} {has}. Install it with this command: udify setup"
    return None


def setup(options: Sequence[str] = ()) -> int:
    """
    Installs missing packages, corrects them, restores our script and tests both. Returns the exit
    code.

    # Parameters

    options : `Sequence[str]`
        Options for pip, such as `--index-url`.
    """
    if set(options) & {"-h", "--help"}:
        sys.stdout.write(
            "usage: udify setup [OPTION OF PIP ...]\n\nInstalls "
            + ", ".join(_requirements())
            + " without their requirements,\ncorrects their metadata, replaces AllenNLP's script "
            "`allennlp` with ours, and tests both.\nThe first command or import does the "
            f"same by itself, unless {NEVER} is set.\n"
        )
        return 0
    if missing():
        command = _installer()
        if command is None:
            return _fail("pip is missing. Install it with: python -m ensurepip")
        if _install(command, options).returncode:
            return _fail(
                f"pip could not install {', '.join(_requirements())}; see its messages above"
            )
    _repair()
    tried = subprocess.run([sys.executable, "-c", _TRY], capture_output=True, text=True)
    if tried.returncode:
        return _fail(tried.stderr.strip().splitlines()[-1])
    sys.stdout.write(f"Ready: {versions()}\n")
    return 0


def first_start() -> Optional[str]:
    """
    Installs AllenNLP if it is missing, after printing one line. Returns the message for the user if
    it is still missing.
    """
    fault = missing()
    if fault is None or os.environ.get(NEVER) or _version("allennlp") is not None:
        return fault
    command = _installer()
    if command is None:
        return fault
    from filelock import FileLock  # a dependency, which no faster answer needs

    folder = sysconfig.get_path("purelib")
    with FileLock(Path(tempfile.gettempdir(), f"udify-{zlib.crc32(folder.encode())}.lock")):
        if missing():
            sys.stderr.write(f"udify: first start: installing {', '.join(_requirements())}\n")
            # uv knows no `--retries`.
            quick = ["--quiet", "--retries", "1"] if command[0] == sys.executable else ["--quiet"]
            if _install(command, quick, capture_output=True).returncode:
                return _OFFLINE
            _repair()
    importlib.invalidate_caches()
    return missing()


def _install(
    command: list[str], options: Sequence[str], **settings: Any
) -> "subprocess.CompletedProcess[Any]":
    return subprocess.run([*command, "--no-deps", *options, *_requirements()], **settings)


def _repair() -> None:
    """Corrects the installed packages, and restores our script."""
    correct()
    mend_script(Path(sysconfig.get_path("scripts")) / ("udify" + _ending()))


def mend_script(udify: Path) -> bool:
    """
    Replaces AllenNLP's script `allennlp` with a copy of our script `udify` in the same folder, or
    creates it. Returns whether this was needed.
    """
    allennlp = udify.with_name("allennlp" + udify.suffix)
    try:
        if OURS not in udify.read_bytes():
            return False
        if allennlp.exists() and THEIRS not in allennlp.read_bytes():
            return False
        # Not written into: a second process may be starting it.
        scratch = allennlp.with_name(f".allennlp.{os.getpid()}")
        shutil.copy2(udify, scratch)
        scratch.replace(allennlp)
    except OSError:  # a folder that is not ours to write
        return False
    return True


def versions() -> str:
    """Returns the versions of this package and of everything that affects how it runs."""
    names = ("allennlp", "torch", "transformers", "huggingface_hub")
    packages = [f"{name} {_version(name) or 'missing'}" for name in names]
    ours, python = f"udify_allennlp {build_version()}", f"Python {sys.version.split()[0]}"
    return ", ".join([ours, *packages, python])


def _requirements() -> list[str]:
    return [name + wanted for name, wanted in NEEDED.items()]


def _version(name: str) -> Optional[str]:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _installer() -> Optional[list[str]]:
    """Returns the installer for this environment; one made by uv has no pip."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "--python", sys.executable] if uv else None


def _ending() -> str:
    return ".exe" if os.name == "nt" else ""


def _fail(message: str) -> int:
    sys.stderr.write(f"udify: error: setup: {message}\n")
    return 1
