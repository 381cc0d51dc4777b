import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from allennlp.commands import ArgumentParserWithDefaults, Subcommand

from tests.conftest import ROOT
from udify_command import front, installing
from udify_command.commands import COMMANDS, GONE

OURS = "#!/python\nfrom udify_command import main\n"
THEIRS = "#!/python\nfrom allennlp.__main__ import run\n"


@pytest.fixture
def no_plugins(monkeypatch, tmp_path):
    monkeypatch.setattr(front, "_PLUGIN_FILES", (tmp_path / ".allennlp_plugins",))
    return tmp_path


def test_the_listing_has_every_command_that_there_is():
    registered = set(Subcommand.list_available())
    assert {*COMMANDS} - {"setup"} == registered, "Mend udify_command/commands.py."
    assert not GONE.keys() & registered
    subparsers = ArgumentParserWithDefaults("allennlp").add_subparsers()
    for name in registered:
        if name.startswith("ud-"):
            Subcommand.by_name(name)().add_subparser(subparsers)
    said = {action.dest: action.help for action in subparsers._choices_actions}
    assert said == {name: text for name, text in COMMANDS.items() if name in said}


def test_help_versions_and_faults_of_the_installation_come_at_once(no_plugins, tmp_path):
    """Neither PyTorch nor AllenNLP is imported."""
    code = (
        "import sys; from udify_command import front; code = front.at_once(sys.argv[1:]);"
        "print(code, sorted({'torch', 'allennlp', 'transformers', 'numpy'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for word, said in (("--help", "ud-parse "), ("--version", "udify_allennlp 0.")):
        command = [sys.executable, "-c", code, word]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert said in done.stdout and done.stdout.endswith("0 []\n"), done


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",)])
def test_help(no_plugins, capsys, words):
    assert front.at_once(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("usage: allennlp COMMAND") and len(lines) > len(COMMANDS)
    assert max(map(len, lines)) <= 100
    assert front.at_once(["train", "--help"]) is None  # AllenNLP's parser knows that


def test_plugins_of_others_may_bring_commands(no_plugins):
    assert not front.has_plugins()
    (no_plugins / ".allennlp_plugins").write_text("udify_allennlp\n")
    assert not front.has_plugins()
    (no_plugins / ".allennlp_plugins").write_text("udify_allennlp\nof_others\n")
    assert front.has_plugins() and front.at_once(["--help"]) is None


def test_without_allennlp_every_command_names_the_one_to_type(no_plugins, monkeypatch, capsys):
    monkeypatch.setattr(installing.importlib.util, "find_spec", lambda name: None)
    assert front.at_once(["train", "x"]) == 1
    assert capsys.readouterr().err == (
        "allennlp: error: allennlp 2.10.1 is not installed. Install it with this command: "
        "udify setup\n"
    )
    assert front.at_once(["--help"]) == 0


def test_another_release_is_not_taken_for_the_one_that_is_needed(monkeypatch):
    assert installing.missing() is None
    monkeypatch.setattr(installing, "_version", lambda name: "2.9.3")
    assert installing.missing().startswith(
        "allennlp 2.10.1 is needed, but 2.9.3 is installed. Inst"
    )


@pytest.mark.parametrize("before", [THEIRS, None])
def test_udify_puts_our_script_back(tmp_path, before):
    (tmp_path / "udify").write_text(OURS)
    (tmp_path / "udify").chmod(0o755)
    if before:
        (tmp_path / "allennlp").write_text(before)
    assert installing.mend_script(tmp_path / "udify")
    assert (tmp_path / "allennlp").read_text() == OURS and os.access(tmp_path / "allennlp", os.X_OK)
    assert not installing.mend_script(tmp_path / "udify")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["allennlp", "udify"]


def test_only_scripts_that_are_known_are_replaced(tmp_path):
    assert not installing.mend_script(tmp_path / "udify")  # not installed as a script
    (tmp_path / "udify").write_text("a program of somebody else")
    (tmp_path / "allennlp").write_text(THEIRS)
    assert not installing.mend_script(tmp_path / "udify")
    (tmp_path / "udify").write_text(OURS)
    (tmp_path / "allennlp").write_text("written by the user")
    assert not installing.mend_script(tmp_path / "udify")
    assert (tmp_path / "allennlp").read_text() == "written by the user"


class TestSetup:
    @pytest.fixture
    def run(self, tmp_path, monkeypatch):
        """The commands that are run; `codes` are their exit codes."""
        self.commands, self.codes = [], []

        def fake(command, **kwargs):
            self.commands.append(command)
            code = self.codes.pop(0) if self.codes else 0
            return subprocess.CompletedProcess(command, code, "", "trace\nImportError: no torch\n")

        (tmp_path / "udify").write_text(OURS)
        (tmp_path / "allennlp").write_text(THEIRS)
        monkeypatch.setattr(installing.subprocess, "run", fake)
        monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
        monkeypatch.setattr(installing, "missing", lambda: "both")
        monkeypatch.setattr(installing, "correct", lambda: self.commands.append("correct"))
        monkeypatch.setattr(installing, "build_version", lambda: "0.2.0")  # asks git
        return tmp_path

    def test_installs_mends_and_tries(self, run, capsys):
        assert installing.setup(["--index-url", "http://here"]) == 0
        pip, corrected, tried = self.commands
        assert corrected == "correct"
        assert pip[1:3] == ["-m", "pip"] and pip[4:] == [
            *("install", "--no-deps", "--index-url", "http://here"),
            *("allennlp==2.10.1", "fairscale==0.4.6", "cached-path>=1.6,<2"),
        ]
        assert tried[1:] == ["-c", "import allennlp.commands"]
        assert (run / "allennlp").read_text() == OURS
        assert capsys.readouterr().out.startswith("Ready: udify_allennlp ")

    def test_does_not_install_what_is_there(self, run, monkeypatch):
        monkeypatch.setattr(installing, "missing", lambda: None)
        assert installing.setup() == 0 and self.commands[0] == "correct"
        assert (run / "allennlp").read_text() == OURS

    def test_says_in_one_line_what_failed(self, run, capsys, monkeypatch):
        self.codes = [1]
        assert installing.setup() == 1
        assert capsys.readouterr().err.startswith("udify: error: setup: pip could not install alle")
        self.codes = [0, 1]
        assert installing.setup() == 1
        assert capsys.readouterr().err == "udify: error: setup: ImportError: no torch\n"
        monkeypatch.setattr(installing.importlib.util, "find_spec", lambda name: None)
        monkeypatch.setattr(installing.shutil, "which", lambda name: None)
        assert installing.setup() == 1
        assert "pip is missing" in capsys.readouterr().err
        monkeypatch.setattr(installing.shutil, "which", lambda name: f"/bin/{name}")
        assert installing.setup() == 0 and self.commands[-3][0] == "/bin/uv"

    def test_help(self, run, capsys):
        assert installing.setup(["--help"]) == 0 and not self.commands
        assert capsys.readouterr().out.startswith("usage: udify setup")


def test_udify_and_allennlp_are_one_script_where_we_are_installed():
    scripts = Path(sysconfig.get_path("scripts"))
    if not (scripts / "udify").exists():
        pytest.skip("the package is not installed here")
    assert (scripts / "udify").read_bytes() == (scripts / "allennlp").read_bytes()


def test_help_texts_tell_each_default_once_and_nothing_of_argparse():
    subparsers = ArgumentParserWithDefaults("allennlp").add_subparsers()
    for name in Subcommand.list_available():
        text = " ".join(Subcommand.by_name(name)().add_subparser(subparsers).format_help().split())
        assert "==SUPPRESS==" not in text, name
        # Two of them in one sentence, with no option between.
        assert not re.search(r"\(default[^()]*\) \(default", text), name


class TestFirstStart:
    @pytest.fixture
    def new(self, monkeypatch):
        """An environment without AllenNLP; pip installs it, unless it ends with `self.code`."""
        self.commands, self.code = [], 0

        def pip(command, **kwargs):
            self.commands.append(command)
            return subprocess.CompletedProcess(command, self.code, "", "no network\n")

        def missing():
            there = any(command[-1].startswith("cached-path") for command in self.commands)
            return None if there and not self.code else "allennlp is missing"

        monkeypatch.setattr(installing.subprocess, "run", pip)
        monkeypatch.setattr(installing, "missing", missing)
        monkeypatch.setattr(installing, "_version", lambda name: None)
        monkeypatch.setattr(installing, "correct", lambda: self.commands.append("corrected"))
        monkeypatch.setattr(installing, "mend_script", lambda path: False)
        monkeypatch.delenv(installing.NEVER, raising=False)

    def test_installs_once_and_says_so_in_one_line(self, new, capsys):
        assert installing.first_start() is None
        pip, corrected = self.commands
        assert "--no-deps" in pip and "allennlp==2.10.1" in pip and corrected == "corrected"
        said = capsys.readouterr()
        assert said.err.count("\n") == 1 and "first start: installing allennlp" in said.err
        assert said.out == ""
        assert installing.first_start() is None and len(self.commands) == 2

    def test_without_a_network_it_says_what_to_do(self, new):
        self.code = 1
        assert "udify setup --no-index --find-links" in installing.first_start()
        assert "corrected" not in self.commands

    def test_it_can_be_forbidden(self, new, monkeypatch):
        monkeypatch.setenv(installing.NEVER, "1")
        assert installing.first_start() == "allennlp is missing" and not self.commands

    def test_another_release_is_left_to_its_owner(self, new, monkeypatch):
        monkeypatch.setattr(installing, "_version", lambda name: "2.9.3")
        assert installing.first_start() == "allennlp is missing" and not self.commands

    def test_uv_is_given_no_option_of_pip(self, new, monkeypatch):
        uv = ["/bin/uv", "pip", "install", "--python", sys.executable]
        monkeypatch.setattr(installing, "_installer", lambda: uv)
        assert installing.first_start() is None
        assert "--retries" not in self.commands[0] and self.commands[0][:5] == uv
