"""All commands are written in one way and spell options alike; old names still work."""

import argparse
import sys
from pathlib import Path

import pytest
from allennlp import commands
from allennlp.commands import ArgumentParserWithDefaults, Subcommand

from docs.reference.commands import command_parsers
from tests.apps.analysis.helpers import run_command
from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER
from tests.helpers.treebanks import spoilt
from udify_allennlp.apps.commands.command import Action, AdaptedCommand, Command, CommandGroup
from udify_allennlp.apps.commands.configs import by_purpose
from udify_allennlp.config.named import CONFIGS
from udify_allennlp.text.languages import LANGUAGES
from udify_command.commands import ACTIONS, COMMANDS
from udify_command.old_spellings import IMPLIED, RENAMED, renewed

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
PARSERS = command_parsers()
OURS = [name for name in Subcommand.list_available() if name.startswith("ud-")]


@pytest.fixture
def allennlp(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda *words: run_command(monkeypatch, capsys, *words)


def parsed(words):
    """The parsed options of a command line, which is not run."""
    parser = ArgumentParserWithDefaults("allennlp")
    subparsers = parser.add_subparsers()
    Subcommand.by_name(words[0])().add_subparser(subparsers)
    return {name: it for name, it in vars(parser.parse_args(words)).items() if name != "func"}


@pytest.mark.parametrize("name", [*OURS, "train", "predict", "evaluate"])
def test_every_command_is_written_in_one_way(name):
    command = Subcommand.by_name(name)
    assert issubclass(command, Command) and "add_subparser" not in vars(command)
    assert issubclass(command, (AdaptedCommand, CommandGroup)) or command.run is not Action.run
    assert PARSERS[name].description and not PARSERS[name].description.startswith(" ")
    if issubclass(command, CommandGroup):
        assert list(command.actions) == list(ACTIONS[name])
        assert all(PARSERS[f"{name} {each}"].description for each in command.actions)


@pytest.mark.parametrize("name", PARSERS)
def test_arguments_that_commands_share_are_told_alike(name):
    shown = [each for each in PARSERS[name]._actions if each.help != argparse.SUPPRESS]
    for action in shown:
        if "--cuda-device" in action.option_strings:
            assert "-1 for the CPU" in action.help and "default = " in action.help
        if "--out" in action.option_strings:
            assert action.help.startswith(("the file to write", "the folder to write"))
    assert not {"--cuda-devices", "--tsv"} & {it for each in shown for it in each.option_strings}
    positional = [each.dest for each in shown if not each.option_strings]
    assert not {"out", "folder"} & {*positional}
    assert len(PARSERS[name].format_help().splitlines()) < 110  # no list of languages


@pytest.mark.parametrize("old", [*RENAMED, *IMPLIED])
def test_old_names_lead_to_commands_and_are_not_listed(old, capsys):
    name, *words = renewed([old, "x"])
    assert name in OURS and words[-1] == "x"
    assert name not in ACTIONS or words[0] in ACTIONS[name]
    assert f"`{old}` is now" in capsys.readouterr().err
    assert old in IMPLIED or old not in COMMANDS
    assert renewed([name, *words]) == [name, *words]
    assert renewed([old, "--help"])[-1:] == ["--help"]


@pytest.mark.parametrize(
    "old, new",
    [
        ("ud-layers a b --out o", "ud-inspect layers a b --out o"),
        ("ud-attention a f --out o", "ud-inspect attention a f --out o"),
        ("ud-graph-attention a f --out o", "ud-inspect graph a f --out o"),
        ("ud-errors g p q --samples 9", "ud-score --by arcs g p q --samples 9"),
        (
            "ud-breakdown g h --parsed A=a --parsed B=b --out o",
            "ud-score g h --by direction --parsed A=a B=b --out o",
        ),
        ("ud-score g p --tsv t", "ud-score g p --out t"),
        ("ud-role-score g p --tsv t", "ud-role-score g p --out t"),
        ("ud-vectors e f --out o", "ud-vectors make e f --out o"),
        ("ud-align v m --out o", "ud-vectors align v m --out o"),
        ("ud-experiment t --out o --udify c", "ud-experiment compare t --out o --udify c"),
        (
            "ud-ablation c t --out o --variant a={}",
            "ud-experiment ablation c t --out o --variant a={}",
        ),
        (
            "ud-transfer t --out o --source s --system a=b",
            "ud-experiment transfer t --out o --source s --system a=b",
        ),
        ("ud-export m o", "ud-export m --out o"),
        ("ud-bundle m s o", "ud-bundle m s --out o"),
        ("ud-parse m f --out o --cuda-devices 0,1", "ud-parse m f --out o --cuda-device 0,1"),
    ],
)
def test_old_command_lines_say_what_new_ones_say(old, new, capsys):
    assert parsed(renewed(old.split())) == parsed(renewed(new.split()))
    errors = capsys.readouterr().err
    assert errors.count("\n") == 1 and "The old spelling ends with the next release." in errors


def test_old_names_do_what_new_ones_do(allennlp, tmp_path):
    spoilt(DEV, 0.2, tmp_path / "a.conllu")
    for old, new in (
        (["ud-errors", DEV, "a.conllu"], ["ud-score", DEV, "a.conllu", "--by", "arcs"]),
        (["ud-score", DEV, "a.conllu", "--tsv", "t"], ["ud-score", DEV, "a.conllu", "--out", "u"]),
    ):
        before, now = allennlp(*old), allennlp(*new)
        assert before[:2] == now[:2] and now[0] == 0
        assert before[2].startswith("allennlp: note: ") and "note" not in now[2]
    assert (tmp_path / "t").read_bytes() == (tmp_path / "u").read_bytes()


def test_several_gold_files_and_named_parses(allennlp, tmp_path):
    for path in (DEV, GERMAN):
        (tmp_path / "out").mkdir(exist_ok=True)
        spoilt(path, 0.2, tmp_path / "out" / Path(path).name)
    code, output, _ = allennlp("ud-score", DEV, GERMAN, "--parsed", "A=out", "--metrics", "LAS")
    assert code == 0 and output.startswith("A\ntreebank ") and output.count("macro average") == 1
    assert output[2:] == allennlp("ud-score", f"{DEV},{GERMAN}", "out", "--metrics", "LAS")[1][4:]
    code, _, errors = allennlp("ud-score", DEV, "A=out", "A=out")
    assert code == 1 and "use a different name for each parse" in errors
    code, _, errors = allennlp("ud-score", DEV)
    assert code == 1 and "no parse of it is named" in errors


@pytest.mark.parametrize(
    "words, message",
    [
        (("--types", "ADJ>NOUN>amod"), "--types is for --by direction"),
        (("--by", "arcs", "--official"), "--official is for scores without --by"),
        (("--by", "arcs", "--metrics", "LAS"), "--metrics is for scores without --by"),
        (("--by", "direction", "--samples", "3", "--out", "o"), "--samples is for --by arcs"),
        (("--by", "direction"), "Name a folder for them with --out"),
    ],
)
def test_options_that_would_do_nothing_are_refused(allennlp, words, message):
    code, output, errors = allennlp("ud-score", DEV, DEV, *words)
    assert (code, output) == (1, "") and message in errors


def test_configs_are_listed_by_purpose_each_once(allennlp):
    groups = by_purpose()
    names = [name for group in groups.values() for name in group]
    shipped = {
        p.relative_to(CONFIGS).with_suffix("").as_posix() for p in CONFIGS.rglob("*.jsonnet")
    }
    assert len(names) == len(shipped) and {*names} == shipped
    assert "Others" not in groups, "Name them in PURPOSES of commands/configs.py."
    code, output, _ = allennlp("ud-configs")
    assert code == 0 and output.splitlines()[1] == "  udify_from_multilingual"
    assert max(map(len, output.splitlines())) <= 100


def test_languages_are_behind_one_command(allennlp):
    code, output, _ = allennlp("ud-card", "--languages")
    assert code == 0
    assert dict(line.split(maxsplit=1) for line in output.splitlines()) == LANGUAGES
    of_model = allennlp("ud-card", "multilingual", "--languages")[1].splitlines()
    assert 60 < len(of_model) < len(LANGUAGES) and "fr   French" in of_model
    code, _, errors = allennlp("ud-card", "--json")
    assert code == 1 and "Name one" in errors


def test_a_folder_in_use_tells_both_ways_on(allennlp, tmp_path, monkeypatch):
    for name in ("UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, DEV)
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "out.log").touch()
    code, _, errors = allennlp("train", CONFIGS / "tiny.jsonnet", "-s", "run")
    assert code == 1 and "run already exists" in errors
    assert "--recover" in errors and "--force" in errors
    assert [*Path("run").iterdir()] == [Path("run/out.log")]


@pytest.mark.parametrize(
    "words", ["{0} layers m --out o", "layers m --out o {0}", "layers {0} m --out o"]
)
def test_an_action_takes_packages_as_its_command_does(monkeypatch, words):
    given = words.format("--include-package json").split()
    monkeypatch.setattr(sys, "argv", ["allennlp", "ud-inspect", *given])
    assert commands.parse_args("allennlp")[1].include_package == ["json"]


def test_an_action_names_the_nearest_option(allennlp):
    words = ("ud-inspect", "layers", "m", "--out", "o", "--outt", "x")
    code, _, errors = allennlp(*words)
    assert code == 2 and errors.endswith(
        "unrecognized arguments: --outt x. Did you mean --out? See: allennlp ud-inspect layers "
        "--help\n"
    )
