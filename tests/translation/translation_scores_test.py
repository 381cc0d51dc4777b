"""Scores against sacrebleu's own, means over classes of directions, and off-target translations."""

import random
from collections import Counter
from statistics import fmean

import pytest
import sacrebleu
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.translation import scores as scores_module
from udify_allennlp.translation.resources import (
    CLASSES,
    TABLE_6_2,
    class_of_size,
    direction_class,
    known_classes,
    pair_class,
)
from udify_allennlp.translation.scores import Scored, TranslationScores, off_target_share
from udify_allennlp.translation.sentence_scores import chrf3

WORDS = ["der", "Hund", "schläft", "im", "großen", "Haus", ",", "und", "die", "Katze", "auch", "."]


def some(seed, count=6):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(3, 9))) for _ in range(count)]


def test_scores_are_those_of_sacrebleu():
    references = some(0)
    translations = [" ".join(text.split()[:-1]) for text in references[:3]] + some(1, 3)
    scores = TranslationScores()
    scores.pieces = list  # characters
    for translation, reference in zip(translations, references):
        scores.add(("en", "de"), translation, reference)
    found = scores.metrics(by_direction=True)
    assert found["chrF/en-de"] == sacrebleu.corpus_chrf(translations, [references]).score
    spaced = [[" ".join(text) for text in texts] for texts in (translations, references)]
    expected = sacrebleu.corpus_bleu(spaced[0], [spaced[1]], tokenize="none").score
    assert found["ownBLEU/en-de"] == found["ownBLEU"] == expected
    assert 0 < expected < 100 and scores.metrics() == {}


def test_the_score_of_a_sentence_is_sacrebleus_chrf3():
    for translation, reference in zip(some(3), some(4)):
        expected = sacrebleu.CHRF(beta=3).sentence_score(translation, [reference]).score
        assert chrf3(translation, reference) == pytest.approx(expected / 100)
        assert chrf3(reference, reference) == 1


def test_pieces_of_the_papers_are_sacrebleus(monkeypatch):
    """They are fetched from the net, so a word tokenizer stands for them here."""
    called = []
    original = sacrebleu.corpus_bleu

    def corpus_bleu(*texts, tokenize, force):
        called.append(tokenize)
        return original(*texts, tokenize="13a", force=force)

    monkeypatch.setattr(sacrebleu, "corpus_bleu", corpus_bleu)
    scores = TranslationScores(pieces="flores101")
    for text in some(2):
        scores.add(("en", "de"), text, text)
    assert scores.metrics()["spBLEU"] == pytest.approx(100) and called == ["flores101"]


def test_means_are_over_directions_of_a_class_and_avg_over_classes(monkeypatch):
    classes = {"en": "H", "de": "H", "ig": "L", "wo": "VL"}
    figures = {
        ("en", "de"): 50.0,
        ("en", "ig"): 10.0,
        ("de", "ig"): 20.0,
        ("wo", "en"): 3.0,
        ("en", "xx"): 7.0,
    }
    scores = TranslationScores(classes=classes)
    monkeypatch.setattr(scores, "_figures", lambda direction, _: {"chrF": figures[direction]})
    for direction in figures:
        scores.add(direction, "", "")
    assert scores.metrics() == {
        "chrF": fmean(figures.values()),
        "chrF/H2H": 50.0,
        "chrF/H2L": 15.0,
        "chrF/VL2H": 3.0,
        "chrF/AVG": 9.0,  # H2H is not in Table 6.2
    }


def test_borders_of_classes():
    sizes = (0, 100_000, 100_001, 1_000_000, 1_000_001, 100_000_000, 100_000_001)
    found = [class_of_size(size) for size in sizes]
    assert found == ["VL", "VL", "L", "L", "M", "M", "H"]


@given(source=st.integers(0, 10**9), target=st.integers(0, 10**9))
def test_the_class_of_a_pair_is_that_of_the_smaller_language(source, target):
    classes = {"a": class_of_size(source), "b": class_of_size(target)}
    assert pair_class(("a", "b"), classes) == class_of_size(min(source, target))
    assert direction_class(("a", "b"), classes) == f"{classes['a']}2{classes['b']}"


def test_classes_of_the_thesis():
    known = known_classes()
    high = {lang for lang, name in known.items() if name == "H"}
    assert high == {"de", "en", "es", "fr", "it", "pt", "ru"}
    assert set(Counter(known.values())) == set(CLASSES)
    assert pair_class(("ceb", "en"), known) == "L" and pair_class(("ka", "ru"), known) == "M"
    assert direction_class(("en", "tlh"), known) is None
    # Tables 6.2 and 6.9 together.
    assert len(TABLE_6_2) == 12 and not {"M2M", "M2H", "H2M", "H2H"} & {*TABLE_6_2}


def test_off_target_sentences_are_counted_where_the_reference_is_recognised():
    langs = {"hund": "de", "dog": "en", "?": None, "bokmål": "no"}
    guess = lambda text, _: langs[text]  # noqa: E731
    scored = [Scored(*each) for each in (("hund", "hund"), ("dog", "hund"), ("dog", "?"))]
    assert off_target_share("de", scored, guess) == 50.0
    assert off_target_share("fr", scored, guess) is None
    assert off_target_share("nb", [Scored("bokmål", "bokmål")], guess) == 0.0


def test_the_off_target_share_is_a_metric(monkeypatch):
    monkeypatch.setattr(scores_module, "load_guesser", lambda: lambda text, _: text[:2])
    scores = TranslationScores(off_target=True)
    for text in ("de eins", "en one"):
        scores.add(("en", "de"), text, "de eins")
    assert scores.metrics()["off_target"] == 50.0


def test_mistakes_are_clear():
    with pytest.raises(ConfigurationError, match="pieces is 'words'. Use one of own, flores"):
        TranslationScores(pieces="words")
    with pytest.raises(ConfigurationError, match="classes.en is 'high'"):
        TranslationScores(classes={"en": "high"})
