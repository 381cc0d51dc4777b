"""A run of the shipped config: recovery in both phases, scores, precision, and its encoder."""

import json

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from transformers import AutoModel

from tests.conftest import CONFIGS
from tests.helpers import ENCODER, execute, tensors
from tests.helpers.power_cut import POWER_CUT, PowerCut
from udify_allennlp.apps.analysis.encoders import load_encoder
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.models.extract_encoder import load_parser
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import read_sentences

UPDATES = 4
"""Of an epoch and of the first phase; the second one has as many."""
FOLDER = CONFIGS / "pretraining"


@pytest.fixture(scope="module")
def paths(tmp_path_factory, small_data):
    folder = tmp_path_factory.mktemp("texts")
    forms = [" ".join(s.forms) for path in small_data for s in read_sentences(path)]
    (folder / "en.txt").write_text("\n".join(forms) + "\n")
    given = {"UD_TRAIN": small_data[0], "UD_DEV": small_data[1], "UD_HELD_OUT": small_data[1]}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**given, "UD_TEXTS": folder / "en.txt", "UD_ENCODER": ENCODER}.items():
            patch.setenv(name, str(value))
        yield folder


def train(folder, after=0, recover=False):
    settings = {
        "dataset_reader.max_pieces": 63,
        "model.masking.whole_words": True,
        "model.decoders.deps.head_dim": 8,
        "model.decoders.deps.dependent_dim": 4,
        "data_loader.texts.batches_per_epoch": UPDATES,
        "data_loader.texts.buffer_size": 9,
        "trainer.phases": [{"updates": UPDATES}, {"rates": {"treebanks": 0.8}}],
        "trainer.num_epochs": 2,
        "trainer.callbacks": ["test_power_cut"],
        "trainer.checkpointer.save_every_num_batches": 1,
    }
    params = Params.from_file(str(FOLDER / "small_cpu.jsonnet"), json.dumps(settings))
    POWER_CUT["after"] = after
    return train_model(params, str(folder), recover=recover)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, paths):
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        said = []
        patch.setattr("udify_allennlp.training.epoch_line._say", said.append)
        patch.setattr("udify_allennlp.training.trainer.quiet", lambda: True)
        model = train(folder)
    return folder, model, said


@pytest.mark.parametrize("after", [2, 6], ids=["first_phase", "second_phase"])
def test_a_recovered_run_is_the_same_to_the_bit(whole, tmp_path, paths, after):
    with pytest.raises(PowerCut):
        train(tmp_path / "run", after)
    recovered = train(tmp_path / "run", recover=True)
    assert recovered.phase == whole[1].phase == 2
    for name, value in whole[1].state_dict().items():
        assert value.equal(recovered.state_dict()[name]), name
    found = [json.loads((f / "metrics.json").read_text()) for f in (whole[0], tmp_path / "run")]
    for name in ("validation_LAS", "validation_masked_loss", "best_epoch"):
        assert found[0][name] == found[1][name]


def test_the_lines_of_the_run_tell_both_scores_and_what_is_held_out(whole, small_data):
    folder, _, said = whole
    held_out = sum(1 for _ in read_sentences(small_data[1]))
    assert f"without held-out sentences ({held_out} of texts)" in said[0]
    lines = [line for line in said if line.startswith("epoch ")]
    assert len(lines) == 2 and all("LAS" in x and "masked_loss" in x for x in lines)
    # The second phase counts anew.
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["best_epoch"] == 1


def test_its_archive_is_scored_as_the_run_was(whole, small_data, tmp_path, capsys):
    folder = whole[0]
    scores = tmp_path / "scores.json"
    archive = folder / "model.tar.gz"
    assert execute("evaluate", archive, small_data[1], "--output-file", scores) == 0
    metrics = json.loads((folder / "metrics.json").read_text())
    found = json.loads(scores.read_text())
    assert found["LAS"] == pytest.approx(metrics["best_validation_LAS"])


@torch.no_grad()
def test_the_exported_encoder_has_the_layer_above_and_can_be_without(whole, tmp_path, capsys):
    archive, folder = whole[0] / "model.tar.gz", tmp_path / "exported"
    assert execute("ud-export", archive, "--out", folder) == 0
    model = load_parser(str(archive)).model.eval()
    assert model.phase == 2
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True, piece_nodes=True)
    batch = tensors(
        list(reader.read(str(CONFIGS.parent / "fixtures/ud/en_ewt-ud-dev.conllu")))[:4], model.vocab
    )
    part = model.part(
        **{name: batch[name] for name in ("layout", "sentences", "wordpieces", "piece_nodes")}
    )
    first = batch["wordpieces"]["first"]
    expected = model.vectors(part, batch["wordpieces"]["ids"]).flatten(0, 1)[first]
    layout = Layout(**batch["layout"])
    # As the encoder of another model: a folder, the archive itself, and a folder without the layer.
    for name in (str(folder), str(archive)):
        encoder = HuggingFaceEncoder(name, dropout=0.0, mask_probability=0.0).eval()
        layers = encoder(batch, layout)
        assert len(layers) == encoder.num_layers == 4  # the fixtures' encoder has three
        torch.testing.assert_close(layers[-1], expected)
    # ud-probe reads it, too.
    for name in (str(folder), str(archive)):
        plain = load_encoder(name)
        assert plain.num_layers == 4
        forms = [sentence.forms for sentence in batch["sentences"]]
        rows = dict(plain.vectors(forms, [4]))
        found = torch.cat([rows[row][0] for row in range(len(forms))])
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    without = HuggingFaceEncoder(str(folder), 0.0, 0.0, integration=False).eval()(batch, layout)
    torch.testing.assert_close(without, layers[:3])
    plain = AutoModel.from_pretrained(folder).eval()
    pieces = batch["wordpieces"]
    states = plain(input_ids=pieces["ids"], attention_mask=pieces["mask"].long())[0]
    torch.testing.assert_close(states.flatten(0, 1)[first], layers[2])
    assert execute("ud-export", archive, "--out", tmp_path / "plain", "--without-integration") == 0
    assert HuggingFaceEncoder(str(tmp_path / "plain")).structure_layer is None


def test_bfloat16_trains_all_parts(whole, small_data):
    model = whole[1].train()
    model.start_phase(2)
    model.zero_grad()
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True, piece_nodes=True)
    batch = tensors(list(reader.read(small_data[0]))[:8], model.vocab)
    names = ("layout", "sentences", "wordpieces", "piece_nodes")
    with torch.autocast("cpu", torch.bfloat16):
        for given in (batch, {name: batch[name] for name in names}):
            loss = model(**given)["loss"]
            assert loss.dtype == torch.float32
            loss.backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert model.integration.weight.grad.any()


@pytest.mark.parametrize("name", ["frozen_monolingual", "frozen_cross_lingual"])
def test_parsers_of_frozen_vectors_leave_the_encoder_as_it_is(
    whole, small_data, tmp_path, monkeypatch, name
):
    monkeypatch.setenv("UD_ENCODER", str(whole[0] / "model.tar.gz"))
    small = {"type": "udify_lstm", "hidden_dim": 8, "num_layers": 1, "dropout": 0.1}
    settings = {"model.embedder.layers": small, "trainer.num_epochs": 1}
    params = Params.from_file(str(FOLDER / f"{name}.jsonnet"), json.dumps(settings))
    frozen = train_model(params, str(tmp_path / "run"))
    embedder = frozen.embedder
    assert embedder.below.num_layers == 4 and not embedder.below.training
    before = HuggingFaceEncoder(str(whole[0] / "model.tar.gz")).state_dict()
    for key, value in embedder.below.state_dict().items():
        assert value.equal(before[key]), key
    expected = 300 + (300 if name == "frozen_monolingual" else 100)
    assert embedder.root.shape == (expected,)
    changed = [p for p in embedder.parameters() if p.requires_grad]
    assert changed and all(p.grad is not None for p in changed)
    # Its archive needs the other one no more, and parses the same.
    again = load_parser(str(tmp_path / "run" / "model.tar.gz")).model.state_dict()
    for key, value in frozen.state_dict().items():
        assert value.equal(again[key]), key
