"""`benchmarks/known_words.py`: the words of treebanks, with all their annotations."""

import sys

import known_words
import pytest
from allennlp.data import Vocabulary

from udify_allennlp.data.known_words import KNOWN, NOT_ANNOTATED, Analysis, KnownWords
from udify_allennlp.text.sentence import Sentence

NOUN, VERB = ("duck", "duck", "NOUN", "Number=Sing"), ("duck", "duck", "VERB", "VerbForm=Inf")
BARE = ("duck", "_", "NOUN", "_")


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Writes treebanks, and makes their vocabulary with the command."""

    def make(treebanks, alone=()):
        files = []
        for name, sentences in treebanks.items():
            files.append(tmp_path / f"{name}-ud-train.conllu")
            texts = []
            for words in sentences:
                forms, lemmas, upos, feats = map(list, zip(*words))
                sentence = Sentence.from_words(forms)
                texts.append(sentence.replace(lemmas=lemmas, upos=upos, feats=feats).text)
            files[-1].write_text("".join(texts))
        target = tmp_path / f"{KNOWN}.txt"
        command = ["known_words.py", *(str(file) for file in files if file.name[:4] not in alone)]
        command += ["--alone", *(str(file) for file in files if file.name[:4] in alone)]
        command += ["--out", str(target)]
        monkeypatch.setattr(sys, "argv", command)
        assert known_words.main() == 0
        vocab = Vocabulary()
        for line in target.read_text().splitlines():
            vocab.add_token_to_namespace(line, KNOWN)
        return KnownWords(vocab)

    return make


def feats(word):
    return [analysis.feats for analysis in word.analyses]


def test_words_have_what_they_are_most_frequent_first(known):
    found = known({"en_a": [[NOUN, VERB, VERB]], "en_b": [[NOUN]], "de_a": [[NOUN] * 2]})
    word = found.of("en_a")["duck"]
    noun = Analysis("NOUN", "Number=Sing", "l|")
    assert word.analyses == (Analysis("VERB", "VerbForm=Inf", "l|"), noun) and not word.is_rare
    assert found.of("en_b")["duck"] == ((noun,), True) and found.of("de")["duck"] == (
        (noun,),
        False,
    )
    # Of a language, those of its largest treebank come first, and of two treebanks none is rare.
    assert found.of("en")["duck"] == word


def test_a_treebank_without_features_says_nothing_of_them(known):
    found = known({"en_a": [[NOUN]], "en_b": [[BARE]], "vi_a": [[BARE]]})
    assert feats(found.of("en_b")["duck"]) == [NOT_ANNOTATED]
    assert found.of("en_b")["duck"].analyses[0].rule == NOT_ANNOTATED
    assert sorted(feats(found.of("en")["duck"])) == [NOT_ANNOTATED, "Number=Sing"]
    # No treebank of Vietnamese has features.
    assert feats(found.of("vi_a")["duck"]) == ["_"]


def test_what_a_treebank_annotates_poorly_is_its_own_but_not_its_languages(known):
    poor = [[BARE, VERB]] * 60
    found = known({"en_a": [[NOUN]] * 60, "en_b": poor})
    assert sorted(feats(found.of("en_b")["duck"])) == ["VerbForm=Inf", "_"]
    assert {*feats(found.of("en")["duck"])} == {"Number=Sing", "VerbForm=Inf", NOT_ANNOTATED}


def test_words_of_a_treebank_that_stands_alone_are_not_its_languages(known):
    found = known({"en_a": [[NOUN]], "en_b": [[BARE, VERB]]}, alone=["en_b"])
    # The features that it lacks are its own, too: those of `en_a` are not compared with them.
    assert sorted(feats(found.of("en_b")["duck"])) == ["VerbForm=Inf", "_"]
    for origin in ("en", "en_a"):
        assert feats(found.of(origin)["duck"]) == ["Number=Sing"]


def test_older_files_of_a_treebank_belong_to_it_but_have_no_features(known):
    older = [[("drake", "drake", "NOUN", "_"), BARE]]
    found = known({"en_a": [[NOUN]], "en_a_trees": older})
    assert feats(found.of("en_a")["drake"]) == [NOT_ANNOTATED]
    assert {*feats(found.of("en_a")["duck"])} == {"Number=Sing", NOT_ANNOTATED}


def test_lemmas_with_less_than_a_tenth_of_the_occurrences_are_noise(known):
    wrong, adverb = ("duck", "dux", "NOUN", "Number=Sing"), ("duck", "ducky", "ADV", "_")
    found = known({"en_a": [[NOUN] * 19, [wrong] * 2, [adverb]], "en_b": [[NOUN] * 9, [wrong]]})
    rules = {
        name: [own.rule for own in found.of(name)["duck"].analyses] for name in ("en_a", "en_b")
    }
    assert rules == {"en_a": ["l|", NOT_ANNOTATED, "l|+y"], "en_b": ["l|", "l|--+x"]}
