"""UDify+Lang: from the encoder alone; or from all weights, to which new labels are added."""

import itertools
import json
import sys
from copy import deepcopy
from pathlib import Path

import pytest
import torch
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.models.archival import archive_model, load_archive
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import DECODERS, ENCODER, TRAIN, read, stirred, tensors
from tests.saved_model import keep_encoder
from udify_allennlp import cli
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.models.from_archive import ExtendedVocabulary, take_weights
from udify_allennlp.models.label_weights import keep_clusters
from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.tokenizers import make_tokenizer

TASKS = ["upos", "feats", "lemma", "deps"]
GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")


def settings(**model):
    return {
        "dataset_reader": {"type": "udify_universal_dependencies", "model_name": ENCODER},
        "model": {
            "type": "udify_multitask",
            "embedder": {"type": "udify_encoder", "model_name": ENCODER},
            "decoders": {task: dict(DECODERS[task]) for task in TASKS},
            **model,
        },
    }


def save(model, folder, config):
    folder.mkdir(exist_ok=True)
    model.vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "best.th")
    (folder / "config.json").write_text(json.dumps(config))
    keep_encoder(folder)
    archive_model(str(folder), weights="best.th", include_in_archive=["encoder"])
    return str(folder)


@pytest.fixture(scope="module")
def german():
    return read(GERMAN, 30, TASKS)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, german):
    """The folder of a model of English, its softmaxes with clusters."""
    config = settings()
    for task in {"feats", "lemma"} & {*TASKS}:
        config["model"]["decoders"][task]["min_labels"] = 20
    vocab = Vocabulary.from_instances(read(count=60, tasks=TASKS))
    torch.manual_seed(7)
    model = stirred(Model.from_params(Params(deepcopy(config["model"])), vocab=vocab))
    assert len(model.decoders["lemma"].output.clusters) == 2
    return save(model, tmp_path_factory.mktemp("english") / "run", config), model


def extended(trained, german, **changes):
    folder = trained[0]
    vocab = ExtendedVocabulary.extended(german, folder)
    config = settings(type="udify_from_archive", archive=folder, **changes)
    return Model.from_params(Params(deepcopy(config["model"])), vocab=vocab), config


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_known_labels_keep_their_numbers_and_new_ones_follow(trained, german, packed):
    source = f"{trained[0]}/model.tar.gz" if packed else trained[0]
    vocab = ExtendedVocabulary.extended(german, source)
    for namespace in trained[1].vocab.get_namespaces():
        old = trained[1].vocab.get_index_to_token_vocabulary(namespace)
        new = vocab.get_index_to_token_vocabulary(namespace)
        assert {index: new[index] for index in old} == old
    assert vocab.get_vocab_size("lemma_labels") > trained[1].vocab.get_vocab_size("lemma_labels")


def test_scores_of_known_labels_are_those_of_the_archive(trained, german):
    model, _ = extended(trained, german)
    torch.manual_seed(0)
    for task in ("upos", "feats", "lemma"):
        old, new = (m.decoders[task].output.eval() for m in (trained[1], model))
        x = torch.randn(9, model.embedder.get_output_dim())
        before, after = old.log_prob(x), new.log_prob(x)[:, : old.num_labels]
        assert new.num_labels >= old.num_labels
        if hasattr(new, "bounds"):
            assert new.bounds[:-1] == old.bounds[:-1]
        # New labels take some of the mass of all that they stand beside, never change the order.
        shared = (
            slice(0, old.bounds[0] if new.clusters else None) if task != "upos" else slice(None)
        )
        difference = (before - after)[:, shared]
        assert (difference - difference[:, :1]).abs().max() < 1e-5
    old, new = (m.decoders["deps"].deprels.bilinear for m in (trained[1], model))
    x, y = torch.randn(5, 8), torch.randn(5, 8)
    torch.testing.assert_close(new(x, y)[:, : old.bias.numel()], old(x, y))


def test_only_the_chosen_namespaces_are_extended(trained, german):
    chosen = ["upos_labels", "lemma_labels"]
    vocab = ExtendedVocabulary.extended(german, trained[0], extended=chosen)
    whole = ExtendedVocabulary.extended(german, trained[0])
    old = trained[1].vocab
    for namespace in whole.get_namespaces():
        expected = whole if namespace in chosen else old
        labels = vocab.get_token_to_index_vocabulary(namespace)
        assert {*labels} == {*expected.get_token_to_index_vocabulary(namespace)}
        first = old.get_token_to_index_vocabulary(namespace)
        assert {label: labels[label] for label in first} == first


OWN = ["feats", "lemma"]


def with_own(trained, german, own=OWN, **changes):
    vocab = ExtendedVocabulary.extended(german, trained[0], own_labels=own)
    config = settings(type="udify_from_archive", archive=trained[0], own_labels=own, **changes)
    return Model.from_params(Params(deepcopy(config["model"])), vocab=vocab), config


def test_own_labels_are_those_of_the_new_data_alone(trained, german):
    vocab = ExtendedVocabulary.extended(german, trained[0], own_labels=["feats"])
    alone = Vocabulary.from_instances(german)
    extended = ExtendedVocabulary.extended(german, trained[0])
    for namespace in extended.get_namespaces():
        expected = alone if namespace == "feats_labels" else extended
        assert vocab.get_index_to_token_vocabulary(
            namespace
        ) == expected.get_index_to_token_vocabulary(namespace)


def test_own_labels_are_also_those_that_the_archive_has_for_the_language(tmp_path):
    reader = UniversalDependenciesReader(
        ENCODER, tasks=TASKS, langs=True, own_labels=True, lexicon=["lemma"]
    )
    english, german = (list(reader.read(path)) for path in (TRAIN, GERMAN))
    old = Vocabulary.from_instances([*english, *german])
    old.save_to_files(str(tmp_path / "vocabulary"))
    (tmp_path / "config.json").write_text(json.dumps(settings()))
    few, labels = english[:3], ("feats_labels", "lemma_labels")
    vocab = ExtendedVocabulary.extended(few, str(tmp_path), own_labels=OWN)
    alone, own = Vocabulary.from_instances(few), Vocabulary.from_instances(english)
    for namespace in labels:
        found, first, all_english = (
            list(each.get_token_to_index_vocabulary(namespace)) for each in (vocab, alone, own)
        )
        assert found[: len(first)] == first
        assert {*found} == {*all_english} < {*old.get_token_to_index_vocabulary(namespace)}
    for namespace in ("lang_feats_labels", "lang_lemma_labels", "lang_lemma_lexicon_labels"):
        entries = vocab.get_token_to_index_vocabulary(namespace)
        assert {*entries} == {*own.get_token_to_index_vocabulary(namespace)}


@pytest.mark.parametrize("min_labels", [20, 1000])
def test_own_labels_that_the_archive_has_start_from_its_weights(trained, german, min_labels):
    decoders = {task: dict(DECODERS[task]) for task in TASKS}
    for task in OWN:
        decoders[task]["min_labels"] = min_labels
    model, _ = with_own(trained, german, decoders=decoders)
    torch.manual_seed(0)
    x = torch.randn(9, model.embedder.get_output_dim())
    for task in OWN:
        old, new = (m.decoders[task].output.eval() for m in (trained[1], model))
        names = [
            m.vocab.get_token_to_index_vocabulary(f"{task}_labels") for m in (trained[1], model)
        ]
        bounds = [0, *old.bounds]
        compared = 0
        # Within a cluster, as within the shortlist, labels differ as much as they did.
        for start, end in itertools.pairwise(bounds):
            both = [
                (number, names[1][label])
                for label, number in names[0].items()
                if start <= number < end and names[1].get(label, 10**6) < new.shortlist_size
            ]
            compared += len(both) > 1
            if both:
                before = old.log_prob(x)[:, [number for number, _ in both]]
                after = new.log_prob(x)[:, [number for _, number in both]]
                torch.testing.assert_close(before - before[:, :1], after - after[:, :1])
        assert compared >= (2 if min_labels == 1000 else 1)
    for name in ("decoders.upos.output.linear.weight", "decoders.deps.arcs.head.weight"):
        assert torch.equal(model.state_dict()[name], trained[1].state_dict()[name])


def test_a_model_with_own_labels_is_saved_whole(trained, german, tmp_path):
    model, config = with_own(trained, german)
    model.train()(**tensors(german[:4], model.vocab))["loss"].backward()
    config["model"]["archive"] = str(tmp_path / "gone")
    folder = save(stirred(model), tmp_path / "run", config)
    loaded = load_archive(f"{folder}/model.tar.gz").model.eval()
    batch = tensors(german[:4], model.vocab)
    assert loaded(**batch)["columns"] == model.eval()(**batch)["columns"]


def test_own_labels_of_other_tasks_are_refused(trained, german):
    with pytest.raises(ConfigurationError, match="own_labels has 'deps', which has not one label"):
        with_own(trained, german, ["deps"])
    with pytest.raises(ConfigurationError, match="own_labels has 'xpos', which has no decoder"):
        with_own(trained, german, ["xpos"])


def test_it_trains_and_its_own_archive_needs_the_other_no_more(trained, german, tmp_path):
    model, config = extended(trained, german)
    model.train()(**tensors(german[:4], model.vocab))["loss"].backward()
    assert all(p.grad is not None for p in model.decoders["lemma"].parameters())
    config["model"]["archive"] = str(tmp_path / "gone")
    folder = save(stirred(model), tmp_path / "run", config)
    loaded = load_archive(f"{folder}/model.tar.gz").model.eval()
    assert set(loaded.state_dict()) == set(model.state_dict())
    for name, value in model.state_dict().items():
        assert torch.equal(value, loaded.state_dict()[name]), name
    batch = tensors(german[:4], model.vocab)
    assert loaded(**batch)["columns"] == model.eval()(**batch)["columns"]


@given(st.integers(10, 400), st.integers(0, 400), st.booleans())
def test_any_softmax_grows(known, more, clusters):
    torch.manual_seed(0)
    smallest = 1 if clusters else 10**6
    old = AdaptiveSoftmax(8, known, min_labels=smallest)
    new = torch.nn.ModuleDict({"output": AdaptiveSoftmax(8, known + more)})
    state = {f"output.{name}": value for name, value in old.state_dict().items()}
    take_weights(new, state, "x")
    assert new["output"].bounds[:-1] == old.bounds[:-1]
    x = torch.randn(3, 8)
    shortlist = old.bounds[0]
    logits = [softmax.head(x)[:, :shortlist] for softmax in (old, new["output"])]
    torch.testing.assert_close(*logits)  # products of other shapes may round differently
    for ours, theirs in zip(old.clusters, new["output"].clusters):
        size = len(ours[1].weight)
        assert torch.equal(ours[1].weight, theirs[1].weight[:size])


def test_clusters_are_left_alone_where_they_fit():
    model = torch.nn.ModuleDict({"output": AdaptiveSoftmax(8, 3000)})
    before = model["output"]
    keep_clusters(model, model.state_dict())
    assert model["output"] is before


def test_the_encoder_alone_is_taken_with_labels_of_the_new_data(trained, german, tmp_path):
    vocab = Vocabulary.from_instances(german)
    assert vocab.get_vocab_size("deprel_labels") < trained[1].vocab.get_vocab_size("deprel_labels")
    torch.manual_seed(3)
    new = Model.from_params(Params(settings()["model"]), vocab=vocab)
    config = settings(type="udify_from_archive", archive=trained[0], weights="encoder")
    torch.manual_seed(3)
    model = Model.from_params(Params(deepcopy(config["model"])), vocab=vocab)
    source = trained[1].state_dict()
    taken = 0
    for name, value in model.state_dict().items():
        encoder = name.startswith("embedder.")
        assert torch.equal(value, (source if encoder else new.state_dict())[name]), name
        taken += encoder and not torch.equal(value, new.state_dict()[name])
    assert taken > 10
    config["model"]["archive"] = str(tmp_path / "gone")
    folder = save(stirred(model), tmp_path / "run", config)
    loaded = load_archive(f"{folder}/model.tar.gz").model
    for name, value in model.state_dict().items():
        assert torch.equal(value, loaded.state_dict()[name]), name


def test_a_config_that_does_not_say_takes_all(trained, german):
    """As it was before there was a choice."""
    vocab = ExtendedVocabulary.extended(german, trained[0])
    silent, says_all = (
        Model.from_params(
            Params(settings(type="udify_from_archive", archive=trained[0], **key)["model"]),
            vocab=vocab,
        ).state_dict()
        for key in ({}, {"weights": "all"})
    )
    mixes = [name for name in silent if name.startswith("mixes.") or "layer" in name]
    assert mixes
    for name in (*mixes, "decoders.deps.root", "decoders.deps.arcs.head.weight"):
        assert torch.equal(silent[name], trained[1].state_dict()[name]), name
        assert torch.equal(silent[name], says_all[name]), name


def test_other_words_for_weights_are_refused(trained, german):
    with pytest.raises(ConfigurationError, match="model.weights is 'bert'. Use one of encoder"):
        extended(trained, german, weights="bert")


@pytest.mark.parametrize("part", ["", "embedder."])
def test_an_encoder_with_more_wordpieces_is_another_one(trained, part):
    state = dict(trained[1].state_dict())
    table = "embedder.transformer.embeddings.word_embeddings.weight"
    state[table] = state[table][:-1]
    with pytest.raises(ConfigurationError, match="word_embeddings.weight has shape"):
        take_weights(deepcopy(trained[1]), state, "x", part)


def test_a_vocabulary_that_was_not_extended_is_refused(trained, german):
    config = settings(type="udify_from_archive", archive=trained[0])
    with pytest.raises(ConfigurationError, match='Add to the config "vocabulary"'):
        Model.from_params(Params(config["model"]), vocab=Vocabulary.from_instances(german))


def test_other_widths_and_tasks_are_refused(trained, german):
    decoders = {task: dict(DECODERS[task]) for task in TASKS}
    decoders["deps"]["arc_dim"] = 20
    with pytest.raises(ConfigurationError, match="Use the encoder and the widths that"):
        extended(trained, german, decoders=decoders)
    del decoders["feats"]
    with pytest.raises(ConfigurationError, match="only one of them has it"):
        extended(trained, german, decoders=decoders)


def test_a_folder_without_a_model_is_refused(tmp_path, german):
    with pytest.raises(ArchiveError, match="no such file, so this is not an AllenNLP model"):
        ExtendedVocabulary.extended(german, str(tmp_path))


@pytest.mark.parametrize("weights", ["encoder", "all"])
def test_the_shipped_configs_start_from_what_the_shipped_one_of_all_leaves(
    tmp_path, monkeypatch, small_data, weights
):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_MODEL", str(tmp_path / "all"))
    then = f"udify_then_single_treebank{'_all_weights' if weights == 'all' else ''}"
    models = []
    for name, train in [("udify", small_data[0]), (then, GERMAN)]:
        monkeypatch.setenv("UD_TRAIN", train)
        monkeypatch.setenv("UD_DEV", small_data[1])
        params = Params.from_file(str(CONFIGS / f"{name}.jsonnet"))
        for key in ("evaluation", "include_in_archive"):
            params.pop(key)
        folder = tmp_path / ("then" if models else "all")
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        run = TrainModel.from_params(params, serialization_dir=str(folder), local_rank=0)
        if not models:
            stirred(run.model)
        models.append(run.model)
        torch.save(run.model.state_dict(), folder / "best.th")
    states = [model.state_dict() for model in models]
    for name, weight in states[0].items():
        if name.startswith("embedder."):
            assert torch.equal(weight, states[1][name]), name
    arcs = "decoders.deps.arcs.head.weight"
    assert torch.equal(states[0][arcs], states[1][arcs]) == (weights == "all")
    first, second = (model.vocab.get_vocab_size("feats_labels") for model in models)
    lines = Path(GERMAN).read_text(encoding="utf-8").splitlines()
    labels = {line.split("\t")[5] for line in lines if line[:1].isdigit()}
    assert second > first if weights == "all" else second <= len(labels)


@pytest.mark.slow
def test_the_command_line(tmp_path, monkeypatch, small_data, segmenter):
    """All treebanks, then one: the shipped part added to tiny.jsonnet. A segmenter is kept."""
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])
    monkeypatch.setenv("UD_MODEL", str(tmp_path / "all.tar.gz"))
    (tmp_path / "then.jsonnet").write_text(
        f"(import '{CONFIGS}/tiny.jsonnet')"
        f" + (import '{CONFIGS}/parts/from_archive.libsonnet')(std.extVar('UD_MODEL'))"
    )

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        assert cli.run() == 0

    def train(config, folder):
        run("train", config, "-s", folder, "-o", '{"trainer.num_epochs": 1}')

    train(CONFIGS / "tiny.jsonnet", tmp_path / "all")
    run("ud-bundle", tmp_path / "all", segmenter, "--out", tmp_path / "all.tar.gz")
    monkeypatch.setenv("UD_TRAIN", GERMAN)
    train(tmp_path / "then.jsonnet", tmp_path / "then")
    (tmp_path / "all.tar.gz").unlink()
    then = str(tmp_path / "then" / "model.tar.gz")
    assert load_archive(then).model
    for model in (then, str(tmp_path / "then")):
        assert own_tokenizer(model) == then
        cut = make_tokenizer(model, "fr")("Il va du lit.")
        assert list(cut) == list(make_tokenizer(segmenter, "fr")("Il va du lit."))
