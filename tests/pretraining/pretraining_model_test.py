"""Parameters that each loss reaches, in both phases, and a run of the shipped config."""

import json
from itertools import islice

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model
from allennlp.training.callbacks import TrainerCallback

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, stirred, tensors, vocabulary
from udify_allennlp.data.tasks import Deps
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.pretraining.masking import Masking
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.training.optimizers import FusedAdamW, update_large_embeddings_lazily

RHO, GAMMA, OMEGA, PHI = "embedder.", "decoders.", "integration.", "masked_head."
TREEBANK = str(FIXTURES / "ud" / "en_ewt-ud-train.conllu")


def reader(**settings):
    given = {"max_pieces": 63, "word_of": True, "piece_nodes": True, **settings}
    return UniversalDependenciesReader(ENCODER, [Deps()], **given)


def make(embedder=None, deps=None, vocab=None, **settings):
    torch.manual_seed(7)
    encoder = {"type": "udify_encoder", "model_name": ENCODER, "root": "special", "dropout": 0.0}
    sizes = {"type": "udify_structure_decoder", "head_dim": 8, "dependent_dim": 4}
    params = {
        "type": "udify_pretraining",
        "embedder": {**encoder, "mask_probability": 0.0, **(embedder or {})},
        "decoders": {"deps": {**sizes, **(deps or {})}},
        **settings,
    }
    return Model.from_params(Params(params), vocab=vocab or vocabulary())


@pytest.fixture(scope="module")
def batches():
    """One of treebanks, and the same without its heads and labels."""
    sentences = list(islice(reader().read(TREEBANK), 6))
    batch = tensors(sentences, vocabulary())
    texts = {name: batch[name] for name in ("layout", "sentences", "wordpieces", "piece_nodes")}
    return {"treebanks": batch, "texts": texts}


def reached(model, batch, phase):
    """The groups of Algorithm 1 that a loss changes."""
    torch.manual_seed(3)
    model.train().start_phase(phase)
    model.zero_grad()
    model(**batch)["loss"].backward()
    found = set()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None and parameter.grad.any():
            found.add(next(group for group in (RHO, GAMMA, OMEGA, PHI) if name.startswith(group)))
    return found


def test_losses_reach_the_parameters_of_algorithm_1(batches):
    model = stirred(make(tied=False))
    for phase in (1, 2):
        assert reached(model, batches["treebanks"], phase) == {RHO, GAMMA}
    assert reached(model, batches["texts"], 1) == {RHO, PHI}
    assert reached(model, batches["texts"], 2) == {RHO, GAMMA, OMEGA, PHI}


def test_without_integration_masks_never_reach_structure(batches):
    model = stirred(make(tied=False, use_integration=False))
    assert model.integration is None
    for phase in (1, 2):
        assert reached(model, batches["texts"], phase) == {RHO, PHI}
        assert reached(model, batches["treebanks"], phase) == {RHO, GAMMA}


def test_structure_alone_learns_from_masks(batches):
    model = stirred(make(tied=False, use_usl_loss=False))
    assert reached(model, batches["texts"], 2) == {RHO, GAMMA, OMEGA, PHI}
    with pytest.raises(ConfigurationError, match="rates: { treebanks: 0 } in each"):
        model(**batches["treebanks"])
    model.eval()(**batches["treebanks"])  # it can be scored


def test_every_piece_of_the_structure_learns_after_an_update(batches):
    """The biaffine weights start at zero, so that the MLPs have gradients from the second on."""
    model = make(tied=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for batch in batches.values():
        reached(model, batch, 2)
        optimizer.step()
    reached(model, batches["texts"], 2)
    idle = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # Biases that a softmax over heads cancels.
    assert set(idle) <= {
        f"decoders.deps.structure.arcs.{n}" for n in ("dependent_bias", "constant")
    }


def test_the_masked_loss_by_hand(batches):
    model = make(masking={"rate": 0.5, "masked": 1.0, "replaced": 0.0}).train()
    torch.nn.init.normal_(model.masked_head.bias)
    torch.manual_seed(5)
    loss = model(**batches["texts"])["loss"]
    torch.manual_seed(5)
    pieces, word_of = batches["texts"]["wordpieces"], batches["texts"]["layout"]["word_of"]
    ids, mask = pieces["ids"], pieces["mask"]
    chosen = (torch.rand(ids.numel()).view_as(ids) < 0.5) & (word_of > 0)
    shown = ids.masked_fill(chosen, model.embedder._mask_id)
    transformer = model.embedder.transformer
    states = transformer(input_ids=shown, attention_mask=mask.long()).last_hidden_state
    head = model.masked_head
    hidden = head.norm(torch.nn.functional.gelu(head.dense(states[chosen])))
    scores = hidden @ transformer.get_input_embeddings().weight.T + head.bias
    expected = torch.nn.functional.cross_entropy(scores, ids[chosen])
    torch.testing.assert_close(loss, expected)
    assert int(chosen.sum()) > 20


def test_what_is_given_for_each_window_does_not_hang_on_others(batches):
    model = make().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    model.start_phase(2)
    found = {}
    sentences = list(islice(reader(max_pieces=20).read(TREEBANK), 4))
    for name, some in (("all", sentences), ("alone", sentences[:1])):
        batch = tensors(some, model.vocab)
        part = model.part(**{k: batch[k] for k in batches["texts"]})
        ids = part.batch["wordpieces"]["ids"]
        with torch.no_grad():
            found[name] = model.vectors(part, ids), part.batch["wordpieces"]["mask"]
    mask = found["alone"][1]
    assert len(found["all"][1]) > 4  # several windows
    together = found["all"][0][: len(mask), : mask.shape[1]]
    torch.testing.assert_close(together[mask], found["alone"][0][mask], atol=1e-5, rtol=1e-5)


def test_a_batch_without_masks_has_no_loss(batches):
    model = make().train()
    model.masking = Masking(rate=1e-9)
    loss = model(**batches["texts"])["loss"]
    loss.backward()
    assert float(loss.detach()) == 0


def test_the_table_that_outputs_read_is_not_updated_lazily(monkeypatch):
    monkeypatch.setattr("udify_allennlp.training.optimizers.LARGE_EMBEDDING", 1000)
    for tied in (True, False):
        model = make(tied=tied)
        optimizer = FusedAdamW(list(model.named_parameters()))
        assert bool(update_large_embeddings_lazily(model, optimizer)) is not tied


def test_mistakes_are_clear(batches):
    for settings, match in (
        ({"embedder": {"root": "learned"}}, "Set model.embedder.type to udify_encoder, root to sp"),
        ({"embedder": {"root": "piece"}}, "root to special"),
        ({"embedder": {"mask_probability": 0.1}}, "mask_probability to 0"),
        ({"layer_attention": "task"}, "has no layer_attention"),
        ({"deps": {"type": "udify_dependency_decoder"}}, "to udify_structure_decoder"),
        ({"reading": "printed"}, "reading is 'printed'"),
    ):
        if settings.get("deps"):
            settings["deps"].update(head_dim=None, dependent_dim=None)
            settings = {"decoders": {"deps": {"type": "udify_dependency_decoder"}}}
        with pytest.raises(ConfigurationError, match=match):
            make(**settings)
    plain = list(islice(reader(word_of=False).read(TREEBANK), 2))
    with pytest.raises(ConfigurationError, match="Set dataset_reader.word_of to true"):
        make()(**tensors(plain, vocabulary()))


SMALL = {
    "dataset_reader.max_pieces": 63,
    "model.decoders.deps.head_dim": 16,
    "model.decoders.deps.dependent_dim": 8,
    "data_loader.texts.batches_per_epoch": 40,
    "data_loader.texts.buffer_size": 20,
    "trainer.num_epochs": 5,
    "trainer.optimizer.lr": 3e-3,
    "trainer.phases": [{"updates": 100}, {"rates": {"treebanks": 0.8}}],
}


@TrainerCallback.register("test_pretraining_losses")
class Losses(TrainerCallback):
    """Losses of both parts, by phase."""

    seen = []

    def on_start(self, trainer, **kwargs):
        self.seen.clear()
        model, plain = trainer.model, trainer.model.forward

        def forward(layout, sentences, inputs=None, **fields):
            output = plain(layout, sentences, inputs, **fields)
            if model.training:
                part = "treebanks" if "heads" in fields else "texts"
                self.seen.append((model.phase, part, float(output["loss"].detach())))
            return output

        model.forward = forward


@pytest.fixture(scope="module")
def trained(tmp_path_factory, small_data):
    folder = tmp_path_factory.mktemp("pretraining")
    lines = [" ".join(sentence.forms) for sentence in read_sentences(small_data[0])]
    (folder / "texts.txt").write_text("\n".join(lines) + "\n")
    settings = {**SMALL, "trainer.callbacks": ["test_pretraining_losses"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TEXTS", str(folder / "texts.txt"))
        patch.setenv("UD_TRAIN", small_data[0])
        patch.setenv("UD_DEV", small_data[0])
        patch.setenv("UD_HELD_OUT", small_data[1])
        params = Params.from_file(
            str(CONFIGS / "pretraining" / "small_cpu.jsonnet"), json.dumps(settings)
        )
        model = train_model(params, str(folder / "run"))
    return folder, model, list(Losses.seen)


def mean(losses):
    return sum(losses) / len(losses)


def test_the_shipped_config_lowers_both_losses_in_both_phases(trained):
    _, model, seen = trained
    assert model.integration is not None
    phases = [[(part, loss) for phase, part, loss in seen if phase == number] for number in (1, 2)]
    assert [part for part, _ in phases[0]] == ["treebanks", "texts"] * 100
    second = [part for part, _ in phases[1]]
    assert second.count("texts") == 100 and 65 < second.count("treebanks") < 95
    for part in ("treebanks", "texts"):
        of_phases = [[loss for own, loss in phase if own == part] for phase in phases]
        start, end = mean(of_phases[0][:10]), mean(of_phases[1][-10:])
        assert end < 0.85 * start, (part, start, end)


def test_the_run_parses_and_its_archive_does_the_same(trained, small_data):
    folder, model, _ = trained
    archive = str(folder / "run" / "model.tar.gz")
    sentences = list(read_sentences(small_data[0]))[:8]
    predictor = load_predictor(archive)
    parsed = predictor.parse(sentences)
    right = [g == p for s, f in zip(sentences, parsed) for g, p in zip(s.heads, f.heads)]
    assert mean(right) > 0.5  # of sentences that it was trained on
    for name, value in model.state_dict().items():
        assert value.equal(predictor._model.state_dict()[name]), name
    metrics = json.loads((folder / "run" / "metrics.json").read_text())
    assert metrics["best_validation_LAS"] > 0.4


def test_its_encoder_is_where_another_model_starts(trained):
    folder, model, _ = trained
    encoder = HuggingFaceEncoder(str(folder / "run" / "model.tar.gz"))
    for name, value in encoder.transformer.state_dict().items():
        assert value.equal(model.embedder.transformer.state_dict()[name]), name
