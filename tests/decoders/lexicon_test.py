from collections import defaultdict

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN
from tests.helpers.tags import decode
from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.data.columns import LANG, TREEBANK
from udify_allennlp.data.lexicon import (
    BY_TREEBANK,
    Lexicon,
    check_entry,
    entries_by_treebank,
    namespace_by_treebank,
)
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.tag import TagDecoder, TagScores
from udify_allennlp.models.from_archive import ExtendedVocabulary
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.sentence import Sentence

SENTENCES = list(read_sentences(DEV))[:4]
WORDS = sum(map(len, SENTENCES))


@pytest.fixture(scope="module")
def instances():
    reader = UniversalDependenciesReader(ENCODER, lexicon=["lemma", "upos"])
    return list(reader.read(TRAIN))


def make(vocab, task, **settings):
    torch.manual_seed(0)
    return TagDecoder(vocab, task, input_dim=4, **settings).eval()


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("task, column", [("upos", "upos"), ("lemma", "lemmas")])
def test_known_words_get_the_best_of_their_own_labels_and_others_the_best_of_all(
    instances, task, column, adaptive
):
    vocab = Vocabulary.from_instances(instances)
    decoder = make(vocab, task, adaptive=adaptive, min_labels=20)
    words = torch.randn(WORDS, 4)
    log_prob = decoder.output.log_prob(words)
    known = defaultdict(set)
    for sentence in read_sentences(TRAIN):
        for form, label in zip(sentence.forms, decoder.task.labels(sentence)):
            known[form].add(decoder._labels.index(label))
    forms = [form for sentence in SENTENCES for form in sentence.forms]
    labels = [
        max(known.get(form, range(len(decoder._labels))), key=log_prob[place].__getitem__)
        for place, form in enumerate(forms)
    ]
    of_all = log_prob.argmax(-1).tolist()
    kept = [form in known for form in forms]
    assert any(kept) and not all(kept) and labels != of_all
    columns = decode(decoder, words, SENTENCES)
    names = iter([decoder._labels[label] for label in labels])
    for sentence, own in zip(SENTENCES, columns):
        assert own[column] == decoder.task.cells(sentence, [next(names) for _ in sentence.forms])
    for temperature in (1.0, 2.0):
        entry = f"{task.capitalize()}Prob"
        found = decoder.probabilities(TagScores(words), SENTENCES, columns, {entry: temperature})[
            entry
        ]
        expected = (log_prob / temperature).softmax(-1)[torch.arange(WORDS), labels]
        torch.testing.assert_close(found, expected)


CHARACTERS = st.characters(codec="utf-8", exclude_characters="\t\n\r")


@given(forms=st.lists(st.text(CHARACTERS, min_size=1), min_size=1, max_size=5))
def test_any_form_comes_back_from_the_vocabulary_of_an_archive(forms, tmp_path_factory):
    reader = UniversalDependenciesReader(ENCODER, tasks=["upos"], lexicon=["upos"])
    sentence = Sentence.from_words(forms).replace(upos=["NOUN"] * len(forms))
    vocab = Vocabulary.from_instances([reader.text_to_instance(sentence)])
    folder = str(tmp_path_factory.mktemp("vocabulary"))
    vocab.save_to_files(folder)
    assert set(make(Vocabulary.from_files(folder), "upos")._limits.lexicon._labels_of) == {
        (form,) for form in forms
    }


def test_it_travels_with_an_archive(tmp_path, instances):
    vocab = Vocabulary.from_instances(instances)
    vocab.save_to_files(str(tmp_path))
    kept = [
        make(found, "lemma")._limits.lexicon
        for found in (vocab, Vocabulary.from_files(str(tmp_path)))
    ]
    assert kept[0]._labels_of == kept[1]._labels_of and len(kept[0]) > 100
    assert not len(make(vocab, "feats")._limits.lexicon)


def test_only_what_is_learned_and_has_one_label_a_word_can_be_in_it():
    for name in ("xpos", "deps"):
        with pytest.raises(ConfigurationError, match=f"dataset_reader.lexicon has '{name}'"):
            UniversalDependenciesReader(ENCODER, lexicon=[name])


def by_treebank(vocab, task, labels_of):
    for entry in entries_by_treebank(labels_of):
        vocab.add_token_to_namespace(entry, namespace_by_treebank(task))
    return vocab


@pytest.mark.parametrize("task", ["upos", "feats"])
@pytest.mark.parametrize(
    "treebank, own_key", [("en_ewt", "en_ewt"), ("en_other", "en"), ("", "en"), ("de_gsd", "de")]
)
def test_a_treebank_has_labels_of_its_own_or_those_of_its_language(task, treebank, own_key):
    """German, whose only treebank has no entries, and English, one of whose treebanks has."""
    reader = UniversalDependenciesReader(
        ENCODER, tasks=[task], langs=True, treebanks=True, own_labels=True
    )
    paths = {"en_ewt": TRAIN, "de_gsd": str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")}
    instances = [one for path in paths.values() for one in reader.read(path)]
    vocab = Vocabulary.from_instances(instances)
    plain = make(vocab, task)
    rank = {label: place for place, label in enumerate(plain._labels)}
    known = {}
    for name, path in (("en_ewt", TRAIN), ("de", paths["de_gsd"])):
        for sentence in list(read_sentences(path))[:90:2]:
            for form, label in zip(sentence.forms, plain.task.labels(sentence)):
                if label != plain.task.missing:
                    known.setdefault((name, form), set()).add(label)
    # More labels in the language than in the treebank.
    known |= {("en", form): {*own, plain._labels[1]} for (name, form), own in [*known.items()]
              if name == "en_ewt"}  # fmt: skip
    decoder = make(by_treebank(vocab, task, known), task)
    assert {*decoder.inputs} == {LANG, TREEBANK}
    sentences = list(read_sentences(TRAIN))[:4]
    count = sum(map(len, sentences))
    words = torch.randn(count, 4)
    # A treebank or a language that training has not seen is unknown to a batch.
    lang = decoder.own.numbers.get(treebank[:2] or "en", 0)
    number = decoder._treebanks.index(treebank) if treebank in paths else 0
    scores = TagScores(words, torch.full((count,), lang), torch.full((count,), number))
    log_prob = decoder.log_prob(scores, slice(None))
    labels = []
    for row, form in zip(log_prob, [form for s in sentences for form in s.forms]):
        allowed = [rank[label] for label in known.get((own_key, form), rank)]
        labels.append(max(allowed, key=row.__getitem__))
    assert labels != log_prob.argmax(-1).tolist()
    columns = decoder.decode(scores, sentences)
    names = iter([decoder._labels[label] for label in labels])
    (column,) = decoder.task.columns
    for sentence, own in zip(sentences, columns):
        assert own[column] == decoder.task.cells(sentence, [next(names) for _ in sentence.forms])
    found = decoder.probabilities(scores, sentences, columns, {})[f"{task.capitalize()}Prob"]
    torch.testing.assert_close(found, log_prob.softmax(-1)[torch.arange(count), labels])


KEYS = st.tuples(st.sampled_from(["en", "en_ewt"]), st.text(CHARACTERS, min_size=1))
LABELS = st.sets(st.text(CHARACTERS, min_size=1), min_size=1, max_size=3)


@given(labels_of=st.dictionaries(KEYS, LABELS, max_size=9))
def test_any_forms_and_labels_come_back_from_the_lexicon_by_treebank(labels_of, tmp_path_factory):
    vocab = by_treebank(Vocabulary(), "feats", labels_of)
    vocab.add_token_to_namespace("other", "feats_labels")
    folder = str(tmp_path_factory.mktemp("vocabulary"))
    vocab.save_to_files(folder)
    labels = sorted({label for own in labels_of.values() for label in own})
    lexicon = Lexicon(Vocabulary.from_files(folder), "feats", labels)
    assert bool(lexicon) == bool(labels_of)
    for (origin, form), own in labels_of.items():
        assert {labels[number] for number in lexicon._of(origin)[form]} == own
    for entry in entries_by_treebank(labels_of):
        check_entry(entry)


@pytest.mark.parametrize("entry", ["en_ewt\tNOUN", "en_ewt\tNOUN\tdog\tcat", "en\tX\t\\ffffff;"])
def test_what_is_no_entry_by_treebank_is_refused(tmp_path, entry):
    run = save_run(tmp_path)
    (run / "vocabulary" / "treebank_upos_lexicon_labels.txt").write_text(f"{entry}\n")
    with pytest.raises(ConfigurationError, match="treebank_upos_lexicon_labels.txt has .* not a l"):
        Parser.load(str(run))


def test_a_model_that_goes_on_with_other_data_does_not_keep_the_lexicon_by_treebank(tmp_path):
    run = save_run(tmp_path)
    for namespace in BY_TREEBANK:
        (run / "vocabulary" / f"{namespace}.txt").write_text("en_ewt\tNOUN\tdog\n")
    known = Vocabulary.from_files(str(run / "vocabulary")).get_namespaces()
    extended = ExtendedVocabulary.extended([], str(run)).get_namespaces()
    assert extended == known - {*BY_TREEBANK} and {*BY_TREEBANK} <= known
