import os
import re
import subprocess
import sys
import zipfile

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS, ROOT
from udify_allennlp import cli
from udify_allennlp.config import named


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("UD_TRAIN", "UD_DEV", "UD_ENCODER", "UD_MODEL", "UD_TEACHER", "UD_START"):
        monkeypatch.setenv(name, name.lower())
    return tmp_path


def run(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["allennlp", *words])
    return cli.run(), *capsys.readouterr()


def test_a_config_is_found_by_its_name_from_any_folder(elsewhere):
    for path in CONFIGS.glob("udify*.jsonnet"):
        assert Params.from_file(path.stem).as_dict() == Params.from_file(str(path)).as_dict()
    (elsewhere / "udify").write_text("{ mine: true }")
    assert Params.from_file("udify").as_dict() == {"mine": True}  # a file comes first


def test_parts_are_found_from_any_folder(elsewhere):
    (elsewhere / "my.jsonnet").write_text(
        "(import 'udify.jsonnet') + (import 'parts/characters.libsonnet')()"
    )
    assert Params.from_file("my.jsonnet")["model"]["characters"]["dim"] == 64


def test_a_wrong_name_gets_the_nearest(elsewhere, monkeypatch, capsys):
    code, _, errors = run(monkeypatch, capsys, "train", "udify_smal_cpu", "-s", "run")
    assert code == 1 and errors.splitlines()[-1] == (
        "allennlp: error: udify_smal_cpu: no such file, and no shipped config. Did you mean "
        "udify_small_cpu? To list them: allennlp ud-configs"
    )
    with pytest.raises(ConfigurationError, match="no such file"):
        named.named("../setup.cfg")


def test_the_command_lists_shows_and_copies(elsewhere, monkeypatch, capsys):
    code, listed, _ = run(monkeypatch, capsys, "ud-configs")
    names = re.findall(r"^  (\S+)$", listed, re.MULTILINE)
    assert code == 0 and len(names) == len(list(CONFIGS.rglob("*.jsonnet")))
    assert "udify_small_cpu" in names and max(map(len, listed.splitlines())) <= 100
    text = (CONFIGS / "udify_small_cpu.jsonnet").read_text()
    assert run(monkeypatch, capsys, "ud-configs", "udify_small_cpu")[1] == text
    copy = ("ud-configs", "udify_small_cpu", "--copy")
    assert run(monkeypatch, capsys, *copy, "my.jsonnet")[1] == "my.jsonnet\n"
    assert (elsewhere / "my.jsonnet").read_text() == text
    code, _, errors = run(monkeypatch, capsys, *copy, "my.jsonnet")
    assert code == 1 and "my.jsonnet exists. Name another" in errors
    assert run(monkeypatch, capsys, *copy, ".")[1] == "udify_small_cpu.jsonnet\n"
    assert run(monkeypatch, capsys, "ud-configs", "--copy", "x")[0] == 1


@pytest.mark.parametrize("name", ["udify", "graph2graph/rngtr_small_cpu", "typology/relative_mlp"])
def test_a_copy_elsewhere_says_the_same(elsewhere, monkeypatch, name):
    for variable in ("UD_TRAIN", "UD_DEV", "UD_ENCODER", "UD_INITIAL", "UD_PREDICTED"):
        monkeypatch.setenv(variable, "absent")
    copy = elsewhere / "copy.jsonnet"
    copy.write_bytes((CONFIGS / f"{name}.jsonnet").read_bytes())
    assert Params.from_file(copy).as_dict(quiet=True) == Params.from_file(name).as_dict(quiet=True)


def test_the_wheel_holds_configs_and_both_packages(tmp_path):
    """Built from a copy: setuptools writes beside its sources."""
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        os.link(ROOT / name, tmp_path / name)
    for name in ("udify_allennlp", "udify_command", "training_config"):
        (tmp_path / name).symlink_to(ROOT / name)
    code = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wheel = tmp_path / done.stdout.split()[-1]
    assert wheel.stat().st_size < 48_000_000
    files = {each.filename: each.compress_size for each in zipfile.ZipFile(wheel).infolist()}
    assert files["udify_allennlp/pretrained/multilingual.tar.gz"] < 47_000_000
    shipped = {name for name in files if name.startswith("udify_allennlp/training_config/")}
    sources = {path.relative_to(CONFIGS).as_posix() for path in CONFIGS.rglob("*.*sonnet")}
    assert shipped == {f"udify_allennlp/training_config/{name}" for name in sources}
    assert {"udify_command/front.py", "udify_allennlp/py.typed"} <= set(files)


@pytest.mark.parametrize(
    "change, message",
    [
        ('{"trainr.num_epochs": 1}', "unknown setting trainr. Did you mean trainer?"),
        (
            '{"trainer.optimiser.lr": 1}',
            "unknown setting trainer.optimiser. Did you mean opt",
        ),
        ('{"trainer.num_epochs.two": 1}', "overrides for 'trainer.num_epochs.*' expected list or "),
    ],
)
def test_a_change_of_what_is_not_there(elsewhere, monkeypatch, capsys, change, message):
    words = ("train", "udify_small_cpu", "-s", "run", "--overrides", change)
    code, _, err = run(monkeypatch, capsys, *words)
    assert code == 1 and err.startswith(f"allennlp: error: --overrides: {message}")
    assert err.count("\n") == 1
