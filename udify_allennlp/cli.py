"""
The command line: AllenNLP's, started after the fixes of `compat/`. A user's error gives one line
instead of a stack trace; set ALLENNLP_DEBUG=1 to see the trace.

The fixes run when this module is imported (they are in the package's `__init__`). This matters for
processes started with `spawn`, for data or distributed training: they import the main module of
their parent, which is this one, before anything from AllenNLP.
"""

import gc
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Optional

from allennlp.commands import ArgumentParserWithDefaults, Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import SigTermReceived

from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.compat import console_log
from udify_allennlp.config import rooms
from udify_allennlp.text.errors import InputError, file_error
from udify_command.commands import COMMANDS, GONE
from udify_command.front import HELP, listing
from udify_command.installing import versions
from udify_command.nearest import did_you_mean
from udify_command.old_spellings import renewed

# `ud-parse` forks its workers from a process that has imported this module; each takes it for its
# main module and runs it again, which is meant.
warnings.filterwarnings("ignore", "'udify_allennlp.cli' found in sys.modules", RuntimeWarning)

PROGRAM = "allennlp"


def run() -> int:
    """
    Runs the AllenNLP command in `sys.argv`. Returns the exit code: 0, 1 after a user's error, 130
    when interrupted, 141 when the reader of our output is gone, 143 when terminated. For a wrong
    command line, argparse exits by itself, with 2.
    """
    # All that is imported stays to the end: the collector need not look at it again, nor at exit.
    gc.freeze()
    gc.enable()
    sys.argv[1:] = renewed(console_log.settle(sys.argv[1:]))
    path = list(sys.path)
    from allennlp.__main__ import run as run_allennlp  # also sets up logging

    # AllenNLP put site-packages before the standard library, where a stray module could shadow it.
    sys.path[:] = path
    if console_log.quiet():
        console_log.hush()
    try:
        if sys.argv[1:] in HELP:
            sys.stdout.write(listing(plugin_commands()))
            return 0
        fault = unknown_command(sys.argv[1:])
        if fault is not None:
            return _stop(f"error: {fault}", 2)
        with rooms.one_command(sys.argv[1]) if sys.argv[1] in COMMANDS else nullcontext():
            run_allennlp()
    except KeyboardInterrupt:
        return _stop("interrupted", 130)
    except SigTermReceived:
        return _stop("terminated", 143)
    except BrokenPipeError:
        # Such as `allennlp ... | head`: Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        message = describe(error)
        if message is None:
            sys.stderr.write(f"{PROGRAM}: this may be a bug, in {versions()}\n")
        if message is None or os.environ.get("ALLENNLP_DEBUG"):
            raise
        return _stop(f"error: {message}", 1)
    finally:
        console_log.forget()
    return 0


def plugin_commands() -> dict[str, str]:
    """The help lines of commands that neither this package nor AllenNLP has."""
    import_plugins()
    subparsers = ArgumentParserWithDefaults(PROGRAM).add_subparsers()
    for name in sorted({*Subcommand.list_available()} - COMMANDS.keys()):
        Subcommand.by_name(name)().add_subparser(subparsers)
    told = {action.dest: action.help or "" for action in subparsers._choices_actions}
    return {name: told.get(name, "") for name in subparsers.choices}


def unknown_command(words: Sequence[str]) -> Optional[str]:
    """Returns the message for an unknown command, or for an option where a command belongs."""
    if not words or words[0] in ("-h", "--help", "--version"):
        return None
    name = words[0]
    if name not in Subcommand.list_available():
        import_plugins()  # one may bring it
    names = Subcommand.list_available()
    if name in names or name in GONE:
        return GONE.get(name)
    what = "option" if name.startswith("-") else "command"
    nearest = did_you_mean(name, [*names, "setup"])  # which is done before AllenNLP is imported
    return f"unknown {what} {name!r}.{nearest} All commands: allennlp --help"


def describe(error: Exception) -> Optional[str]:
    """Returns the one-line message for a user's error; `None` for an error that may be a bug."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError):
        return file_error(error)
    if isinstance(error, (ConfigurationError, InputError, ArchiveError)):
        return text
    # Of a setting with a value of another type: in a config, or in that of a model.
    if isinstance(error, TypeError) and text.startswith("Expected ") and _is_of_a_config(error):
        return f"the config has a value of the wrong type. {text}"
    # `evaluate` asserts that there are as many output files as inputs.
    if isinstance(error, AssertionError) and "output_file` paths must be equal" in text:
        return (
            f"{text.strip()} Name as many outputs, separated by commas, or one for a quoted glob."
        )
    # The jsonnet library raises bare RuntimeErrors for mistakes in a config.
    if isinstance(error, RuntimeError) and text.startswith(("RUNTIME ERROR:", "STATIC ERROR:")):
        if "undefined external variable: " in text:
            name = text.split("undefined external variable: ")[1].split()[0]
            return f"the config needs the environment variable {name}. Set it: export {name}=..."
        return f"the config is not valid jsonnet: {text}"
    return None


def _is_of_a_config(error: Exception) -> bool:
    *_, last = traceback.extract_tb(error.__traceback__)
    return os.path.basename(last.filename) == "from_params.py"


def _stop(message: str, code: int) -> int:
    sys.stderr.write(f"{PROGRAM}: {message}\n")
    return code


def main() -> None:
    """Runs the command `allennlp` in a new process, which then exits."""
    if callable(signal.getsignal(signal.SIGINT)):  # not where it is ignored, in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run()
    if "ray" in sys.modules:
        # Seen with Ray 2.60: one of its threads never ends, and the process waits for it in the
        # destructors of C++. All is written and unlocked by now.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
