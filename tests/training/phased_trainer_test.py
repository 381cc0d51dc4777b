"""A masked language model that learns from treebanks and texts in two phases, and is recovered."""

import json
import random
from itertools import islice
from types import SimpleNamespace

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.metric_tracker import MetricTracker

import tests.toy_pretraining  # noqa: F401  # registers it
from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, execute
from tests.helpers.power_cut import POWER_CUT, PowerCut
from udify_allennlp.archives.card import card_of
from udify_allennlp.data.text_loader import TextLoader
from udify_allennlp.data.text_source import Corpus
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.kernels import processes
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.training.phased_trainer import PhasedTrainer, _phases

EPOCHS, BATCHES = 3, 4


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for lang in ("en_ewt", "fr_gsd"):
        sentences = islice(read_sentences(str(FIXTURES / "ud" / f"{lang}-ud-dev.conllu")), 30)
        text = "".join(" ".join(sentence.forms) + "\n" for sentence in sentences)
        (folder / f"{lang}.txt").write_text(text)
    return folder


def config(texts, treebank, **trainer):
    loader = {"type": "udify", "batch_size": 16}
    corpora = {
        "en_web": {"paths": str(texts / "en*.txt"), "weight": 2.0, "licence": "CC BY-SA 4.0"},
        "fr_web": {"paths": [str(texts / "fr_gsd.txt")]},
    }
    streamed = {"batches_per_epoch": BATCHES, "batch_size": 4, "buffer_size": 9}
    encoder = {"model_name": ENCODER, "root": "special", "mask_probability": 0.0, "dropout": 0.1}
    return {
        "dataset_reader": {
            "type": "udify_universal_dependencies",
            "model_name": ENCODER,
            "tasks": ["upos"],
            "piece_nodes": True,
        },
        "train_data_path": treebank,
        "model": {
            "type": "toy_pretraining",
            "embedder": {"type": "udify_encoder", **encoder},
            "decoders": {"upos": "toy_piece_tagger"},
        },
        "data_loader": {
            "type": "udify_paired",
            "treebanks": loader,
            "texts": {"type": "udify_texts", "corpora": corpora, **streamed},
        },
        "trainer": {
            "type": "udify_phased",
            "phases": [{"updates": 5}, {"rates": {"treebanks": 0.6}}],
            "num_epochs": EPOCHS,
            "optimizer": {"type": "udify_adamw", "lr": 1e-3},
            "checkpointer": {"type": "udify", "save_every_num_batches": 2},
            "callbacks": ["test_power_cut"],
            "run_confidence_checks": False,
            **trainer,
        },
        "include_in_archive": ["encoder", "card.json"],
    }


def train(folder, settings, after=0, recover=False):
    POWER_CUT["after"] = after
    return train_model(Params(json.loads(json.dumps(settings))), str(folder), recover=recover)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, texts, small_data):
    folder = tmp_path_factory.mktemp("whole") / "run"
    return folder, train(folder, config(texts, small_data[0]))


def test_phases_end_at_their_update_and_parts_come_at_their_rate(whole):
    model = whole[1]
    assert model.phases == [1] * 5 + [2] * (EPOCHS * BATCHES - 5)
    both, texts_only = model.batches[:10], model.batches[10:]
    assert len(both) == 10  # five updates of two losses
    # In the second phase seven batches of texts, and some of treebanks.
    assert 7 < len(texts_only) < 14


@pytest.mark.parametrize("after", [3, 4, 7, 11], ids=lambda n: f"after_{n}_updates")
def test_a_recovered_run_is_the_same_to_the_bit_in_either_phase(
    whole, tmp_path, texts, small_data, after
):
    """Four updates an epoch, a checkpoint every two; the second phase begins after five."""
    settings = config(texts, small_data[0])
    with pytest.raises(PowerCut):
        train(tmp_path / "cut", settings, after)
    recovered = train(tmp_path / "cut", settings, recover=True)
    for name, value in whole[1].state_dict().items():
        assert torch.equal(value, recovered.state_dict()[name]), name
    count = len(recovered.batches)
    assert recovered.batches == whole[1].batches[-count:]
    metrics = [json.loads((f / "metrics.json").read_text()) for f in (whole[0], tmp_path / "cut")]
    assert metrics[0]["training_loss"] == pytest.approx(metrics[1]["training_loss"], rel=1e-6)


@pytest.mark.gpu
def test_on_a_gpu_too(tmp_path, texts, small_data, gpu):
    settings = config(texts, small_data[0], cuda_device=0)
    left_alone = train(tmp_path / "whole", settings)
    with pytest.raises(PowerCut):
        train(tmp_path / "cut", settings, 7)
    recovered = train(tmp_path / "cut", settings, recover=True)
    count = len(recovered.batches)
    assert recovered.batches == left_alone.batches[-count:]
    for name, value in left_alone.state_dict().items():
        torch.testing.assert_close(value, recovered.state_dict()[name], msg=name)


def test_the_card_names_treebanks_and_texts(whole):
    card = card_of(str(whole[0] / "model.tar.gz"))
    assert card.corpora == {"en_web": "CC BY-SA 4.0", "fr_web": ""}
    assert list(card.treebanks) == ["en_ewt"]


def test_it_tags_and_is_packed_but_keeps_its_pieces(whole, tmp_path, texts, capsys):
    archive, small = str(whole[0] / "model.tar.gz"), str(tmp_path / "small.tar.gz")
    pack = ("ud-pack", archive, "--precision", "float16", "--out", small)
    assert execute(*pack) == 0
    sentences = list(read_sentences(DEV))[:5]
    upos = [[s.upos for s in load_predictor(p).parse(sentences)] for p in (archive, small)]
    assert upos[0] == upos[1]
    capsys.readouterr()
    assert execute(*pack, "--words", texts / "en_ewt.txt") == 1
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "masked" in line]
    assert "the model predicts pieces, so none can be removed or added." in said


def test_in_the_first_phase_nothing_of_the_second_learns(texts, small_data, tmp_path):
    first = [{"updates": 99}, {}]
    model = train(tmp_path / "run", config(texts, small_data[0], phases=first, num_epochs=1))
    assert model.extra.weight.grad is None and model.masked.weight.grad.abs().sum() > 0


class Counting(PhasedTrainer):
    """What each update learns from, without learning."""

    def __init__(self, phases):
        self._parts = ("treebanks", "texts")
        self._phases = _phases(phases, self._parts)
        self._total_batches_completed = 0
        self._metric_tracker = MetricTracker("+LAS")
        self.seen, self.started = [], []
        self.cuda_device = torch.device("cpu")
        self.model = SimpleNamespace(start_phase=self.started.append)

    def accumulate(self, *batches, fresh=True):
        self.seen.append((self._total_batches_completed, batches[0]))
        return [{"loss": torch.zeros(())}]

    def update(self):
        return None

    def done(self):
        self._total_batches_completed += 1

    def _leave_interruption(self):
        pass


@pytest.mark.parametrize("rate", [0, 0.3, 0.8, 1])
def test_the_second_phase_begins_at_its_update_and_keeps_its_rate(rate):
    random.seed(3)
    trainer = Counting([{"updates": 7}, {"rates": {"treebanks": rate}}])
    for update in range(1007):
        if update == 7:  # the best of the first phase is not that of the second
            trainer._metric_tracker.add_metrics({"LAS": 0.9})
        trainer.train_step({"treebanks": "trees", "texts": "texts"})
        assert trainer.started[-1] == (1 if update < 7 else 2)
    assert [part for _, part in trainer.seen].count("texts") == 1007
    trees = [update for update, part in trainer.seen if part == "trees"]
    assert trees[:7] == [*range(7)]
    assert (len(trees) - 7) / 1000 == pytest.approx(rate, abs=0.04 if 0 < rate < 1 else 0)
    trainer._metric_tracker.add_metrics({"LAS": 0.1})
    assert trainer._metric_tracker.is_best_so_far()


def test_an_update_is_made_from_the_sum_of_the_losses(texts, small_data, tmp_path):
    """One update with plain gradient descent, by hand."""
    plain = {"optimizer": {"type": "sgd", "lr": 1.0}, "num_epochs": 1, "phases": [{}]}
    settings = config(texts, small_data[0], **plain)
    settings["model"]["embedder"]["dropout"] = settings["model"]["layer_dropout"] = 0.0
    settings["model"]["dropout"] = 0.0
    settings["data_loader"]["texts"]["batches_per_epoch"] = 1
    seen = []

    @TrainerCallback.register("test_spy", exist_ok=True)
    class Spy(TrainerCallback):
        def on_start(self, trainer, is_primary=True, **kwargs):
            self.before = {n: p.detach().clone() for n, p in trainer.model.named_parameters()}

        def on_batch(self, trainer, batch_inputs, batch_outputs, *args, **kwargs):
            (outputs,) = batch_outputs
            gradients = {n: p.grad for n, p in trainer.model.named_parameters()}
            seen.append((self.before, gradients, batch_inputs[0], float(outputs["loss"])))

    settings["trainer"]["callbacks"] = ["test_spy"]
    model = train(tmp_path / "run", settings)
    ((before, gradients, pair, loss),) = seen
    after = {n: p.detach().clone() for n, p in model.named_parameters()}
    for name, gradient in gradients.items():
        if gradient is not None:
            torch.testing.assert_close(after[name], before[name] - gradient)
    model.train().load_state_dict({**model.state_dict(), **before})
    model.zero_grad()
    treebanks = model(**pair["treebanks"])["loss"]
    treebanks.backward()
    tagger = model.decoders["upos"].output.weight.grad
    torch.testing.assert_close(gradients["decoders.upos.output.weight"], tagger)
    assert loss > float(treebanks.detach()) and gradients["masked.weight"].abs().sum() > 0


def test_the_loader_of_texts_goes_on_where_it_stopped(texts):
    reader = UniversalDependenciesReader(ENCODER, ["upos"], piece_nodes=True)
    corpora = {"en_web": Corpus(str(texts / "*.txt"))}

    def loader(seed, **settings):
        random.seed(seed)
        made = TextLoader(
            reader, None, corpora, 5, batch_size=3, buffer_size=7, max_wordpieces=90, **settings
        )
        made.index_with(Vocabulary())
        return made

    def forms(batches):
        return [[sentence.forms for sentence in batch["sentences"]] for batch in batches]

    first = loader(1)
    assert len(first) == 5
    epochs = []
    for _ in range(14):  # more than a pool
        state = first.state_dict()
        batches = list(first)
        assert len(batches) == 5 and len({str(each) for each in forms(batches)}) > 1
        for batch in batches:
            windows, width = batch["wordpieces"]["ids"].shape
            assert windows * width <= 90 or len(batch["sentences"]) == 1
            assert set(batch) == {"layout", "sentences", "wordpieces", "piece_nodes"}
        epochs.append((state, forms(batches)))
    for state, expected in epochs[::4]:
        other = loader(2)
        other.load_state_dict(state)
        assert forms(other) == expected
    assert forms(loader(1)) == epochs[0][1] != forms(loader(2))


def test_processes_share_the_batches_of_texts(texts, monkeypatch):
    reader = UniversalDependenciesReader(ENCODER, ["upos"], piece_nodes=True)

    def stream(rank=None):
        random.seed(1)
        monkeypatch.setattr(processes, "is_distributed", lambda: rank is not None)
        monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 3)
        monkeypatch.setattr(torch.distributed, "get_rank", lambda: rank)
        corpora = {"en_web": Corpus(str(texts / "*.txt"))}
        loader = TextLoader(reader, None, corpora, 1 if rank is None else 6, batch_size=3)
        loader.index_with(Vocabulary())
        while True:  # a pool, of 48 sentences
            forms = [str(sentence.forms) for batch in loader for sentence in batch["sentences"]]
            yield loader.state_dict(), forms

    alone, shares = stream(), [next(stream(rank)) for rank in range(3)]
    pool = [form for _, forms in (next(alone) for _ in range(16)) for form in forms]
    assert len(pool) == 48
    assert sorted(form for _, forms in shares for form in forms) == sorted(pool)
    # A recovered run reads the state of the first process in all of them.
    assert all(state == shares[0][0] for state, _ in shares)


def test_mistakes_are_clear(texts, small_data, tmp_path):
    parts = ("treebanks", "texts")
    for given, match in (
        ([], "phases is empty"),
        ([{"updates": 5}], "number 1, has updates 5"),
        ([{}, {}], "number 1, has updates None"),
        ([{"rates": {"text": 0.5}}], "Use probabilities of treebanks, texts"),
        ([{"rates": {"texts": 1.5}}], "Use probabilities of treebanks, texts"),
        ([{"rates": {"texts": 0.5, "treebanks": 0.5}}], "some updates would learn nothing"),
        ([{"rate": 1}], "has rate. Use updates and rates"),
    ):
        with pytest.raises(ConfigurationError, match=match):
            _phases(given, parts)
    with pytest.raises(ConfigurationError, match="'texts': 0.5}. Omit them"):
        _phases([{"rates": {"texts": 0.5}}], ())
    other = config(texts, small_data[0])
    other["model"]["type"] = "udify_multitask"
    with pytest.raises(ConfigurationError, match="a MultitaskModel has no start_phase"):
        train(tmp_path / "b", other)
    with pytest.raises(ConfigurationError, match="'udify_texts' needs a dataset_reader"):
        TextLoader(UniversalDependenciesReader(None, ["upos"]), None, {}, 5)
    with pytest.raises(ConfigurationError, match="batches_per_epoch is 0"):
        TextLoader(UniversalDependenciesReader(ENCODER, ["upos"]), None, {}, 0)
