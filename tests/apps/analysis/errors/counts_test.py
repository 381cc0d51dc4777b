"""Errors are counted as the official figures count them, and add up."""

from collections import Counter

import pytest

from tests.helpers import DEV
from udify_allennlp.apps.analysis.errors.counts import Errors
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.scoring.undefined_scores import COLUMNS
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.sentence import Sentence

GOLD = list(read_sentences(DEV))


def spoilt(sentence, number):
    """With some columns of the sentence before it in the file, as far as they fit."""
    n = len(sentence)
    heads = [sentence.heads[-1], *sentence.heads[:-1]]
    right = all(head != str(word) for word, head in enumerate(heads, start=1))
    chain = [str(word) for word in range(n)]
    columns = {
        "upos": [sentence.upos[-1], *sentence.upos[:-1]],
        "feats": [sentence.feats[-1], *sentence.feats[:-1]],
        "lemmas": sentence.forms,
        "heads": chain if number % 2 or not right else sentence.heads,
        "deprels": [label.split(":")[0] if number % 3 else "dep" for label in sentence.deprels],
    }
    return sentence.replace(**columns)


PAIRS = [(gold, spoilt(gold, number)) for number, gold in enumerate(GOLD)]
ERRORS = Errors(PAIRS, COLUMNS)


def test_the_figures_are_the_official_ones():
    scores = official_scores(*zip(*PAIRS), "dev")
    assert ERRORS.measures == ["UPOS", "UFeats", "Lemmas", "UAS", "LAS"]
    for kinds in (ERRORS.by_length(), ERRORS.by_distance(), ERRORS.by_upos()):
        assert sum(kind.words for kind in kinds) == ERRORS.words
        for measure in ERRORS.measures:
            right = sum(kind.right[measure] for kind in kinds)
            assert 100 * right / ERRORS.words == pytest.approx(scores[measure])
            assert 0 < right < ERRORS.words


def test_confusions_and_labels_add_up():
    for confusion in ERRORS.confusions.values():
        assert sum(confusion.values()) == ERRORS.words
    upos = ERRORS.confusions["UPOS"]
    assert sum(n for (a, b), n in upos.items() if a == b) == sum(
        kind.right["UPOS"] for kind in ERRORS.by_upos()
    )
    labels = ERRORS.labels()
    assert sum(label.gold for label in labels) == sum(label.predicted for label in labels)
    las = sum(kind.right["LAS"] for kind in ERRORS.by_length())
    assert sum(label.right for label in labels) == las
    assert [label.gold for label in labels] == sorted((x.gold for x in labels), reverse=True)


def test_the_worst_sentences_come_first():
    def wrong(pair):
        gold, new = (
            [(h, d.split(":")[0]) for h, d in zip(each.heads, each.deprels)] for each in pair
        )
        return sum(a != b for a, b in zip(gold, new))

    found = list(map(wrong, ERRORS.worst(1000)))
    assert found == sorted(filter(None, map(wrong, PAIRS)), reverse=True)
    assert list(map(wrong, ERRORS.worst(3))) == found[:3]
    assert Errors([(gold, gold) for gold in GOLD], COLUMNS).worst(5) == []


def test_by_hand():
    gold = Sentence.from_words(["a", "b", "c"]).replace(
        upos=["X", "Y", "Y"], heads=["2", "0", "2"], deprels=["x:y", "root", "z"]
    )
    new = gold.replace(upos=["X", "X", "Y"], deprels=["x", "root", "x"])
    errors = Errors([(gold, new)], ["upos", "heads", "deprels"])
    assert errors.confusions["UPOS"] == Counter({("X", "X"): 1, ("Y", "X"): 1, ("Y", "Y"): 1})
    assert [tuple(label) for label in errors.labels()] == [
        ("root", 1, 1, 1),
        ("x", 1, 2, 1),
        ("z", 1, 0, 0),
    ]
    assert [(kind.name, kind.right["LAS"]) for kind in errors.by_distance()] == [
        ("root", 1),
        ("1", 1),
    ]
    assert [kind.name for kind in errors.by_length()] == ["1 to 5"]


def test_what_is_not_predicted_is_not_counted():
    sentence = Sentence.from_words(["a", "b"])
    errors = Errors([(sentence, sentence.replace(upos=["X", "_"]))], ["upos"])
    assert errors.measures == ["UPOS"] and not errors.has_trees
    assert list(errors.confusions) == ["UPOS"] and len(errors.worst(9)) == 1
    assert Errors([(sentence, sentence)], []).worst(9) == []
