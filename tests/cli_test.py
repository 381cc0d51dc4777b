import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Optional

import pytest
from allennlp.commands import Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived

from tests.conftest import ROOT
from udify_allennlp import cli
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.text.errors import ConlluError
from udify_command.commands import COMMANDS

SCRIPT = Path(sysconfig.get_path("scripts")) / "allennlp"
MODULE = [sys.executable, "-m", "udify_allennlp"]


def execute(
    command: list[str], cwd: Optional[Path] = None, **environment: str
) -> subprocess.CompletedProcess:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )


def test_our_script_won_over_that_of_allennlp():
    if not SCRIPT.exists():
        pytest.skip("the package is not installed here")
    assert "from udify_" in SCRIPT.read_text(), "Type: udify setup"


@pytest.fixture
def here(monkeypatch, capsys):
    """Runs a command line in this process: the exit code, standard output and errors."""

    def execute_here(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        try:
            code = cli.run()
        except SystemExit as stop:  # argparse
            code = stop.code
        return code, *capsys.readouterr()

    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    handler = signal.getsignal(signal.SIGTERM)
    yield execute_here
    signal.signal(signal.SIGTERM, handler)


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ("ud-serve", "x", "--cuda-devices", "0"),
            "unrecognized arguments: --cuda-devices 0. Did you mean --cuda-device? See",
        ),
        (("ud-view", "x", "y"), "unrecognized arguments: y. See"),
        (("train", "tiny"), "are required: -s/--serialization-dir. See"),
        (("predict",), "the following arguments are required: MODEL, FILE. See"),
        (("ud-pack", "x", "--precision", "int9"), "argument --precision: invalid choice: 'int9'"),
    ],
)
def test_options_that_are_not_there_or_missing(here, words, message):
    code, output, errors = here(*words)
    assert (code, output, errors.count("\n")) == (2, "", 1) and message in errors
    assert errors.endswith(f": allennlp {words[0]} --help\n")


def test_the_list_has_commands_of_plugins(here, monkeypatch):
    @Subcommand.register("of-a-plugin-with-a-long-name", exist_ok=True)
    class OfAPlugin(Subcommand):
        def add_subparser(self, parser):
            return parser.add_parser(self.name, help="Do what it does.")

    monkeypatch.setattr(cli, "import_plugins", lambda: None)
    try:
        code, output, _ = here("--help")
    finally:
        Subcommand._registry[Subcommand].pop("of-a-plugin-with-a-long-name")
    lines = output.splitlines()
    at = lines.index("From plugins:")
    assert code == 0 and lines[at + 1] == "  of-a-plugin-with-a-long-name  Do what it does."
    named = {line.split()[0]: line for line in lines if line.startswith("  ")}
    starts = {named[name].index(text[:9]) for name, text in COMMANDS.items()}
    assert len(starts) == 1  # one column, however long a name is


@pytest.mark.parametrize("command", ["train", "predict", "evaluate"])
def test_help_of_the_commands(here, command):
    code, output, _ = here(command, "--help")
    assert code == 0
    assert output.startswith(f"usage: allennlp {command}")


def test_imports_are_out_of_the_collectors_sight(here):
    here("--help")
    assert gc.get_freeze_count() > 100_000
    assert gc.isenabled()


def test_a_process_that_used_ray_does_not_wait_for_its_threads(monkeypatch):
    codes = []
    monkeypatch.setattr(cli, "run", lambda: 3)
    monkeypatch.setattr(cli.os, "_exit", codes.append)
    monkeypatch.setitem(sys.modules, "ray", cli)
    with pytest.raises(SystemExit):
        cli.main()
    assert codes == [3]


def test_a_wrong_command_line_exits_with_2(here):
    code, _, errors = here("train")
    assert code == 2
    assert "the following arguments are required" in errors


def test_the_plugin_file_is_shipped():
    assert (ROOT / ".allennlp_plugins").read_text() == "udify_allennlp\n"


@pytest.mark.parametrize("command", [MODULE, [SCRIPT]], ids=["module", "script"])
def test_a_mistake_ends_in_one_line(tmp_path, command):
    if command == [SCRIPT] and not SCRIPT.exists():
        pytest.skip("the package is not installed here")
    config = tmp_path / "config.jsonnet"
    reader = '{ dataset_reader: { type: "no_such_reader" }, train_data_path: "x", trainer: {} }'
    config.write_text(reader)
    done = execute([*command, "train", config, "-s", tmp_path / "out"], cwd=ROOT)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("allennlp: error: ") and "no_such_reader" in line


def test_debugging_shows_the_trace(here, tmp_path, monkeypatch):
    monkeypatch.setenv("ALLENNLP_DEBUG", "1")
    with pytest.raises(FileNotFoundError):
        here("train", tmp_path / "absent.jsonnet", "-s", tmp_path / "out")


def test_missing_files_and_variables_are_named(here, tmp_path, monkeypatch):
    monkeypatch.setenv("UDIFY_MODELS", str(tmp_path))
    code, _, errors = here("train", tmp_path / "absent.jsonnet", "-s", tmp_path / "out")
    assert code == 1 and "absent.jsonnet" in errors.splitlines()[-1]
    code, _, errors = here("predict", tmp_path / "absent.tar.gz", "input")
    expected = f"allennlp: error: {tmp_path}/absent.tar.gz: no such file or folder."
    expected += " Models by name: multilingual."
    assert (code, errors.splitlines()[-1]) == (1, expected)
    config = tmp_path / "config.jsonnet"
    config.write_text("{ train_data_path: std.extVar('UD_NO_SUCH') }")
    package = ["--include-package", "udify_allennlp"]
    code, _, errors = here("train", config, "-s", tmp_path / "out", *package)
    assert code == 1
    assert errors.splitlines()[-1].endswith("Set it: export UD_NO_SUCH=...")


@pytest.mark.parametrize(
    "error, message",
    [
        (ConfigurationError("bad\n  config"), "bad config"),
        (ConlluError("a.conllu:3: bad head"), "a.conllu:3: bad head"),
        (ArchiveError("m.tar.gz: damaged"), "m.tar.gz: damaged"),
        (FileNotFoundError(2, "No such file", "x.json"), "x.json: no such file or folder"),
        (FileNotFoundError("file y not found"), "file y not found"),
        (RuntimeError("STATIC ERROR: a.jsonnet:1:1: x"), "STATIC ERROR: a.jsonnet:1:1: x"),
        (
            AssertionError("The number of `metrics_output_file` paths must be equal to 2."),
            (
                "must be equal to 2. Name as many outputs, separated by commas, or one for a "
                "quoted glob."
            ),
        ),
        (AssertionError("a slip of ours"), None),
        (RuntimeError("shapes do not match"), None),
        (ValueError("a slip of ours"), None),
    ],
)
def test_description_of_errors(error, message):
    assert (cli.describe(error) or "").endswith(message or "")
    assert (cli.describe(error) is None) == (message is None)


@pytest.mark.parametrize(
    "error, code, line",
    [
        (KeyboardInterrupt(), 130, "allennlp: interrupted\n"),
        (SigTermReceived(), 143, "allennlp: terminated\n"),
        (ConfigurationError("x"), 1, "allennlp: error: x\n"),
    ],
)
def test_exit_codes(monkeypatch, capsys, error, code, line):
    import allennlp.__main__

    def fail() -> None:
        raise error

    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    monkeypatch.setattr(allennlp.__main__, "run", fail)
    monkeypatch.setattr(sys, "argv", ["allennlp", "train"])
    path = list(sys.path)
    assert cli.run() == code
    assert capsys.readouterr().err == line
    assert sys.path == path


# A plugin command that spawns a child, as distributed training does. What the child runs is
# unpickled by name from a module of AllenNLP: that import needs the mends.
SPAWNING = """
import json, sys, multiprocessing
from allennlp.commands import Subcommand
from allennlp.commands.train import _train_worker
def child(queue, function):
    queue.put([function.__module__, "udify_allennlp.compat" in sys.modules])
@Subcommand.register("spawn-child")
class SpawnChild(Subcommand):
    def add_subparser(self, parser):
        sub = parser.add_parser(self.name)
        sub.set_defaults(func=run)
        return sub
def run(args):
    assert "udify_allennlp" in sys.modules
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue, _train_worker))
    process.start()
    process.join(120)
    assert process.exitcode == 0
    print(json.dumps(queue.get(timeout=10)))
"""


@pytest.mark.parametrize("command", [MODULE, [SCRIPT]], ids=["module", "script"])
def test_spawned_children_get_the_mends(tmp_path, command):
    if command == [SCRIPT] and not SCRIPT.exists():
        pytest.skip("the package is not installed here")
    assert "spawn" in multiprocessing.get_all_start_methods()
    (tmp_path / ".allennlp_plugins").write_text("spawning\n")
    (tmp_path / "spawning.py").write_text(SPAWNING)
    done = execute([*command, "spawn-child"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["allennlp.commands.train", True]


WAITING = """
import time
from allennlp.commands import Subcommand
@Subcommand.register("wait")
class Wait(Subcommand):
    def add_subparser(self, parser):
        sub = parser.add_parser(self.name)
        sub.set_defaults(func=lambda args: (print("ready", flush=True), time.sleep(60)))
        return sub
"""


def test_interrupt_is_one_line(tmp_path):
    (tmp_path / ".allennlp_plugins").write_text("waiting\n")
    (tmp_path / "waiting.py").write_text(WAITING)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [*MODULE, "wait"],
        # A test run in the background of a script ignores SIGINT, and its children would too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors and errors.splitlines()[-1] == "allennlp: interrupted"


IMPORTING = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "udify_allennlp.cli":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
sys.argv = ["allennlp", "ud-card", "multilingual"]
from udify_command.front import main
main()
"""


def test_interrupt_in_imports_is_one_line(tmp_path):
    done = execute([sys.executable, "-c", IMPORTING], cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "allennlp: interrupted\n")


def test_a_setting_of_another_type_is_one_line(tmp_path, monkeypatch, capsys):
    config = {"dataset_reader": {"type": "udify_universal_dependencies", "max_pieces": "many"}}
    (tmp_path / "config.json").write_text(json.dumps({**config, "train_data_path": "x"}))
    words = ["allennlp", "train", str(tmp_path / "config.json"), "-s", str(tmp_path / "run")]
    monkeypatch.setattr(sys, "argv", words)
    assert cli.run() == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("allennlp: error: ") and "max_pieces" in last
    try:
        raise TypeError("Expected something of ours to be an int.")
    except TypeError as error:
        assert cli.describe(error) is None  # perhaps a fault of ours
