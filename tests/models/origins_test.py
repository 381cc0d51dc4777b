"""The language and the treebank as inputs of a model, and the labels of a language."""

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from tests.conftest import FIXTURES
from tests.helpers import DECODERS, DEV, ENCODER, stirred, tensors
from udify_allennlp import Parser
from udify_allennlp.archives.card import Card
from udify_allennlp.data.tasks import task_of
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.tag import TagDecoder, TagScores
from udify_allennlp.models.from_archive import take_weights
from udify_allennlp.modules.origin_vectors import OriginVectors
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text import language_guess
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")
TASKS = ["upos", "feats", "lemma", "deps"]
PLACES = ["words", "start"]


def reader(**settings):
    told = {"langs": True, "treebanks": True, "own_labels": True, "lexicon": ["lemma"], **settings}
    # Windows are short, so that sentences have several.
    return UniversalDependenciesReader(ENCODER, TASKS, max_pieces=16, **told)


@pytest.fixture(scope="module")
def instances():
    return [one for path in (DEV, GERMAN) for one in list(reader().read(path))[:25]]


@pytest.fixture(scope="module")
def vocab(instances):
    return Vocabulary.from_instances(instances)


def build(vocab, **settings):
    torch.manual_seed(5)
    params = {
        "type": "udify_multitask",
        "embedder": {"type": "udify_encoder", "model_name": ENCODER},
        "decoders": {task: dict(DECODERS[task]) for task in TASKS},
        **settings,
    }
    return stirred(Model.from_params(Params(params), vocab=vocab)).eval()


@pytest.mark.parametrize("enter", PLACES)
def test_a_model_starts_as_the_model_without_them(vocab, instances, enter):
    plain, told = build(vocab), build(vocab, origins={"enter": enter})
    take_weights(told, plain.state_dict(), "plain")
    batch = tensors(instances, vocab)
    for table in (told.origins.langs, told.origins.treebanks):
        torch.nn.init.zeros_(table.weight)
    assert told(**batch)["columns"] == plain(**batch)["columns"]
    torch.nn.init.normal_(told.origins.langs.weight)
    assert told(**batch)["columns"] != plain(**batch)["columns"]


@pytest.mark.parametrize("enter", PLACES)
def test_a_sentence_in_a_batch_gets_what_it_gets_alone(vocab, instances, enter):
    model = build(vocab, origins={"enter": enter})
    some = [*instances[:6], *instances[-6:]]
    assert max(len(one["sentences"].metadata) for one in some) > 16
    together = model(**tensors(some, vocab))["columns"]
    assert together == [model(**tensors([one], vocab))["columns"][0] for one in some]


def test_the_start_reaches_all_windows_of_its_own_sentence(vocab, instances):
    model = build(vocab, origins={"enter": "start"})
    some = [instances[0], instances[-1]]
    batch = tensors(some, vocab)
    part = model.part(**batch)
    before = model.encode(part.batch, part.layout)
    german = 1 + vocab.get_token_index("de", "lang_labels")
    with torch.no_grad():
        model.origins.langs.weight[german] += torch.linspace(0, 9, 32)
    after = model.encode(part.batch, part.layout)
    changed = ~torch.isclose(before, after).all(-1).all(0)
    words = len(some[0]["sentences"].metadata)
    assert changed.tolist() == [place >= words for place in range(len(changed))]


def columns_of(model, own, sentences, **origins):
    return ConlluPredictor(model, own).columns(sentences, **origins)


def test_a_known_language_gets_its_own_labels_and_lemmas(vocab, instances):
    model, own = build(vocab, origins={}), reader()
    sentences = [one["sentences"].metadata for one in instances]
    seen = {
        lang: {
            name: {label for s in sentences if s.path == path for label in getattr(s, name)}
            for name in ("upos", "feats", "deprels")
        }
        for lang, path in (("en", DEV), ("de", GERMAN))
    }
    for lang, labels in seen.items():
        for new in columns_of(model, own, sentences, lang=lang, treebank=""):
            assert all(set(new[name]) <= known for name, known in labels.items())
    lemmas = {(f, m) for s in sentences[:25] for f, m in zip(s.forms, s.lemmas)}
    for s, new in zip(sentences, columns_of(model, own, sentences, lang="en")):
        known = {form for form, _ in lemmas}
        assert all(p in lemmas for p in zip(s.forms, new["lemmas"]) if p[0] in known)
    # A random model predicts labels of both for a language that it does not know.
    unknown = columns_of(model, own, sentences, lang="ja", treebank="ja_gsd")
    found = {feats for new in unknown for feats in new["feats"]}
    assert found - seen["en"]["feats"] and found - seen["de"]["feats"]


@pytest.mark.parametrize("langs", [("en",), ("de",), ("en", "de"), ("ja", "en")])
def test_the_best_label_is_that_of_all_scores(vocab, langs):
    """In a batch of one language or of two, of which one may be unknown."""
    torch.manual_seed(3)
    decoder = stirred(TagDecoder(vocab, "feats", input_dim=6, adaptive=True, min_labels=1))
    numbers = [decoder.own.numbers.get(lang, 0) for lang in langs]
    origins = torch.tensor(numbers).repeat(200)
    scores = TagScores(2 * torch.randn(len(origins), 6), origins)
    assert len(decoder.output.clusters) == 2
    expected = decoder.log_prob(scores, slice(None)).argmax(-1)
    found = decoder.best(scores, decoder.label_scores(scores))
    assert found.tolist() == expected.tolist()
    assert decoder.own.has(origins, expected).all()


@pytest.mark.parametrize("best_tree", ["arcs", "arcs+labels"])
def test_only_deprels_of_the_languages_of_a_batch_are_scored(
    vocab, instances, best_tree, monkeypatch
):
    model = build(vocab, origins={})
    deps = model.decoders["deps"]
    deps.best_tree = best_tree
    numbers = []

    def scored(vectors, heads, labels):
        numbers.append(len(labels))
        return scores(vectors, heads, labels)

    scores = deps.deprels.at_heads
    monkeypatch.setattr(deps.deprels, "at_heads", scored)
    batches = [tensors(some, vocab) for some in (instances[:25], instances[25:], instances)]
    found = [model(**batch)["columns"] for batch in batches]
    assert numbers[0] < len(deps._labels) == max(numbers)
    every = torch.arange(len(deps._labels))
    monkeypatch.setattr(deps.own, "possible", lambda langs: every)
    assert found == [model(**batch)["columns"] for batch in batches]


def test_a_language_that_training_lacks_is_parsed_as_its_nearest(vocab, instances, caplog):
    # Vectors, labels and lexicon are those of German; no treebank is known of either.
    model, own = build(vocab, origins={}), reader()
    treebanks = {"en_ewt": {"words": 2}, "de_gsd": {"words": 1}}
    model.card = Card(languages=["de", "en"], treebanks=treebanks)
    predictor = ConlluPredictor(model, own)
    sentences = [one["sentences"].metadata for one in instances]
    german, english, near, far = (
        predictor.columns(sentences, lang=lang, treebank="") for lang in ("de", "en", "lb", "ja")
    )
    assert near == german != english and far not in (german, english)
    assert predictor.columns(sentences, lang=["de", "lb"] * 25, treebank="") == german
    # It has no group in common with one of them alone: the one with most words.
    assert predictor.columns(sentences, lang="fo", treebank="") in (german, english)
    for lang, said in (("lb", "It is parsed as German (de), the nearest"), ("ja", "")):
        caplog.clear()
        predictor.language(lang)
        (message,) = [record.getMessage() for record in caplog.records]
        assert "expect errors" in message and (
            said in message if said else "nearest" not in message
        )
    plain = ConlluPredictor(build(vocab), own)
    plain.model.card = model.card
    caplog.clear()
    plain.language("lb")
    assert "nearest" not in caplog.text


def test_lemmas_have_the_casing_of_the_language():
    task, sentence, rule = task_of("lemma"), Sentence.from_words(["ALTI"]), make_rule("A", "a")
    assert task.cells_in("tr", sentence, [rule]) == ["altı"]
    assert task.cells_in("en", sentence, [rule]) == task.cells(sentence, [rule]) == ["alti"]


def test_unknown_ones_are_learned_of_known_ones_in_training():
    torch.manual_seed(0)
    vectors = OriginVectors(2, 2, 4, unknown_lang=0.3, unknown_treebank=0.5).train()
    torch.nn.init.normal_(vectors.langs.weight)
    torch.nn.init.normal_(vectors.treebanks.weight)
    inputs = {"lang": torch.zeros(4000).long(), "treebank": torch.ones(4000).long()}
    found, counts = vectors(inputs), []
    for lang, treebank in ((0, 0), (1, 0), (1, 2), (0, 2)):
        expected = vectors.langs.weight[lang] + vectors.treebanks.weight[treebank]
        counts.append(int(torch.isclose(found, expected).all(1).sum()) / 4000)
    # Of an unknown language no treebank is known.
    assert counts == pytest.approx([0.3, 0.35, 0.35, 0.0], abs=0.03)
    both = vectors.eval()(inputs)
    expected = vectors.langs.weight[1] + vectors.treebanks.weight[2]
    assert torch.allclose(both, expected.expand(4000, 4))


def test_mistakes_are_clear(vocab):
    with pytest.raises(ConfigurationError, match="own_labels but no langs"):
        reader(langs=False)
    with pytest.raises(ConfigurationError, match="origins.enter is 'end'"):
        build(vocab, origins={"enter": "end"})
    with pytest.raises(ConfigurationError, match="unknown_lang is 1"):
        build(vocab, origins={"unknown_lang": 1.0})
    with pytest.raises(ConfigurationError, match="Set dataset_reader.langs and"):
        build(Vocabulary.from_instances(list(reader(treebanks=False).read(DEV))[:5]), origins={})


def test_raw_text_says_its_language_given_or_guessed(vocab):
    pytest.importorskip(language_guess.PACKAGE)
    model, english = build(vocab, origins={}), "The old dog that we found was sleeping outside."
    german = "Der alte Hund, den wir gefunden haben, schlief draußen."
    treebanks = {"en_ewt": {"words": 1}, "de_gsd": {"words": 1}}
    model.card = Card(languages=["de", "en"], treebanks=treebanks)
    parser = Parser(ConlluPredictor(model, reader()))
    both = parser([english, german])
    assert [sentence.lang for sentence in both] == ["en", "de"] and both.lang is None
    assert both[1].to_dict()["lang"] == "de" and "# lang = de\n1\tDer" in both.conllu
    told = parser(german, lang="en")
    assert told.lang == "en" and parser(german).lang == "de"
    assert [w.feats for w in told[0]] != [w.feats for w in parser(german)[0]]
    # What was written is read again.
    again = list(parser.parse([sentence.sentence for sentence in both]))
    assert [sentence.text for sentence in again] == [sentence.conllu for sentence in both]
    # Words are not guessed, and a model that does not read languages adds no comment.
    assert parser([german.split()]).lang is None
    assert "# lang" not in Parser(ConlluPredictor(build(vocab), reader()))(german).conllu
