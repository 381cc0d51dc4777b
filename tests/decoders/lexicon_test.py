from collections import defaultdict

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import DEV, ENCODER, TRAIN
from tests.helpers.tags import decode
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.tag import TagDecoder, TagScores
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
