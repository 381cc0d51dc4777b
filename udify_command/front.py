"""The first steps of the scripts `udify` and `allennlp`."""

import gc
import importlib
import importlib.util
import os
import signal
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from udify_command.commands import GROUPS
from udify_command.installing import first_start, mend_script, setup, versions

# AllenNLP takes these for plugins wherever they are installed, and those that files name.
_DEFAULT_PLUGINS = ("allennlp_models", "allennlp_semparse", "allennlp_server")
HELP: Sequence[Sequence[str]] = ([], ["-h"], ["--help"])
"""Command lines that request the list of commands."""
_PLUGIN_FILES = (Path(".allennlp_plugins"), Path.home() / ".allennlp" / "plugins")


def main() -> None:
    """Runs the command in `sys.argv`; the process then exits."""
    script, words = Path(sys.argv[0]), sys.argv[1:]
    if script.stem == "udify" and mend_script(script):
        sys.stderr.write("udify: restored the `allennlp` command (it had been overwritten).\n")
    code = at_once(words)
    if code is not None:
        sys.exit(code)
    # Until `cli.main`, which has its own answer: Python's would be a trace of imports, or an abort
    # of compiled code that does not expect it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    # Until `cli.run`: the collector would look at all that imports make, again and again.
    gc.disable()
    cli = importlib.import_module("udify_allennlp.cli")
    # Processes started with `spawn` import the main module of their parent: let it be the one that
    # applies the fixes, not a script that has not reached them.
    sys.modules["__main__"] = cli
    cli.main()


def _interrupted(*_: object) -> None:
    sys.stderr.write("allennlp: interrupted\n")
    os._exit(130)


def at_once(words: Sequence[str]) -> Optional[int]:
    """
    Runs a command that works without AllenNLP and returns its exit code: the installation, versions
    and, unless a plugin may add more, the list of commands. Returns `None` for any other command.
    """
    if words[:1] == ["setup"]:
        return setup(words[1:])
    if list(words) == ["--version"]:
        sys.stdout.write(f"{versions()}\n")
        return 0
    if list(words) in HELP and not has_plugins():
        sys.stdout.write(listing())
        return 0
    fault = first_start()
    return None if fault is None else refuse(fault)


def listing(of_plugins: Optional[dict[str, str]] = None) -> str:
    """
    Returns the help of `udify` and `allennlp` themselves, with the help lines of other commands.
    """
    groups = {**GROUPS, **({"From plugins": of_plugins} if of_plugins else {})}
    width = max(len(name) for commands in groups.values() for name in commands) + 2
    lines = ["usage: allennlp COMMAND [--help] ...  (or udify COMMAND)"]
    for title, commands in groups.items():
        lines += ["", f"{title}:"]
        for name, text in commands.items():
            margin = " " * (width + 2)
            lines += textwrap.wrap(f"  {name:{width}}{text}", 100, subsequent_indent=margin)
    lines += ["", f"  {'--version':{width}}Show the installed versions."]
    lines += [f"  {'--verbose':{width}}With any command: print AllenNLP's log."]
    return "\n".join(lines) + "\n"


def has_plugins() -> bool:
    """Returns whether AllenNLP would import any plugin other than ours."""
    for path in _PLUGIN_FILES:
        if path.is_file():
            named = set(path.read_text(encoding="utf-8", errors="replace").split())
            if named - {"udify_allennlp"}:
                return True
    return any(importlib.util.find_spec(name) is not None for name in _DEFAULT_PLUGINS)


def refuse(message: str) -> int:
    """Writes `message` to standard error, in one line."""
    sys.stderr.write(f"allennlp: error: {message}\n")
    return 1
