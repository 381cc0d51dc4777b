"""`allennlp ud-export` as a user types it."""

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from allennlp.models import load_archive
from allennlp.models.archival import archive_model
from transformers import AutoModel, AutoTokenizer

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import DEV, ENCODER, read, tensors
from tests.saved_kinds import save_kind
from udify_allennlp.modules.layout import Layout

TEXT = "The dog's [MASK] sleeps, doesn't it?"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("run"))


@pytest.fixture
def export(monkeypatch, capsys):
    return lambda *words: run_command(monkeypatch, capsys, "ud-export", *words)


@torch.no_grad()
def test_hidden_states_are_those_inside_the_model(run, export, tmp_path):
    assert export(run, "--out", tmp_path / "exported")[:2] == (0, "")
    names = {path.name for path in (tmp_path / "exported").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= names
    model = load_archive(str(run)).model.eval()
    batch = tensors(read(DEV, 5), model.vocab)
    pieces = batch["wordpieces"]
    inside = model.embedder(batch, Layout(**batch["layout"]))
    exported = AutoModel.from_pretrained(tmp_path / "exported").eval()
    states = exported(
        input_ids=pieces["ids"],
        attention_mask=pieces["mask"].long(),
        output_hidden_states=True,
    ).hidden_states
    outside = torch.stack([layer.flatten(0, 1)[pieces["first"]] for layer in states[1:]])
    torch.testing.assert_close(outside, inside)


def test_a_full_disk_is_one_line_and_leaves_nothing(run, export, tmp_path):
    """No file may have more bytes than the config: the system says so as it does of a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        code, _, said = export(run, "--out", tmp_path / "exported")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 1 and f"{tmp_path / 'exported'}: cannot be written" in said
    assert "Traceback" not in said and not any((tmp_path / "exported").iterdir())


def test_the_config_is_that_of_the_pretrained_encoder(run, export, tmp_path):
    export(run, "--out", tmp_path / "exported")
    text = (tmp_path / "exported" / "config.json").read_text()
    assert "udify" not in text
    config = json.loads(text)
    with Path(ENCODER, "config.json").open() as file:
        expected = json.load(file)
    differing = {name for name in config if config[name] != expected.get(name)}
    assert differing <= {"transformers_version"}  # not the dropout of fine-tuning


def test_the_tokenizer_is_that_of_the_pretrained_encoder(run, export, tmp_path):
    export(run, "--out", tmp_path / "exported")
    ours, theirs = (AutoTokenizer.from_pretrained(p) for p in (tmp_path / "exported", ENCODER))
    assert ours(TEXT)["input_ids"] == theirs(TEXT)["input_ids"]
    assert theirs.mask_token_id in ours(TEXT)["input_ids"]
    assert ours([TEXT, "No"], padding=True) == theirs([TEXT, "No"], padding=True)
    assert ours.model_max_length == theirs.model_max_length


def test_a_program_without_our_package_loads_it(run, export, tmp_path):
    path = archive_model(str(run), "best.th", str(tmp_path / "model.tar.gz"), ["encoder"])
    export(path, "--out", tmp_path / "exported")
    script = (
        "import sys\nfrom transformers import AutoModel, AutoTokenizer\n"
        "encoder = AutoModel.from_pretrained('exported')\n"
        "batch = AutoTokenizer.from_pretrained('exported')('A dog', return_tensors='pt')\n"
        "assert encoder(**batch).last_hidden_state.shape[-1] == 32\n"
        "assert not {'udify_allennlp', 'allennlp'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True)


def test_nothing_is_overwritten(run, export, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    code, _, errors = export(run, "--out", tmp_path)
    assert code == 1 and "exists and is not an empty folder" in errors.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("kind", ["rngtr", "statetr-g2g"])
def test_of_graph_to_graph_models_the_encoder_alone(kind, export, tmp_path, caplog):
    (tmp_path / kind).mkdir()
    run = save_kind(kind, tmp_path / kind)
    assert export(run, tmp_path / "exported")[0] == 0
    assert "trained in addition to its layers: the piece for ROOT, the relations" in caplog.text
    inside = load_archive(str(run)).model.embedder.transformer.state_dict()
    outside = AutoModel.from_pretrained(tmp_path / "exported").state_dict()
    for name, weight in inside.items():
        torch.testing.assert_close(outside[name], weight, rtol=0, atol=0)


def test_a_model_that_parses_in_fewer_bits_gives_all_of_them(run, export, tmp_path):
    rounded = shutil.copytree(run, tmp_path / "rounded")
    config = json.loads((rounded / "config.json").read_text())
    config["model"]["precision"] = "bfloat16"
    (rounded / "config.json").write_text(json.dumps(config))
    for name, model in (("a", run), ("b", rounded)):
        assert export(model, tmp_path / name)[0] == 0
    saved = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("a", "b")]
    assert saved[0] == saved[1]


@pytest.mark.parametrize("name", ["missing", ENCODER])
def test_what_is_no_model_of_ours(export, tmp_path, name):
    code, _, errors = export(name, "--out", tmp_path / "exported")
    assert code == 1 and errors.splitlines()[-1].startswith(f"allennlp: error: {name}: ")
    assert "Traceback" not in errors


def test_the_help_says_how_to_load_it(export):
    code, output, _ = export("--help")
    assert code == 0 and 'AutoModel.from_pretrained("FOLDER")' in output
