"""Deprels by the features of words, in the file that ships and by hand."""

import sys
from math import log

import deprel_odds as benchmark
import numpy
import pytest
from allennlp.data import Vocabulary

from udify_allennlp.data import deprel_odds
from udify_allennlp.data.attachments import (
    ATTACHMENTS,
    LEFT,
    OTHERS,
    ArcKind,
    KnownArcs,
    attachments_entry,
)
from udify_allennlp.data.deprel_odds import FILE, STEP, WEIGHT, DeprelOdds, Kind
from udify_allennlp.data.language_sections import lines_by_language
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.text.sentence import Sentence

LABELS = ["det", "nsubj", "obj"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "odds.txt"
    path.write_text("[de]\nNOUN VERB Acc Act\t-3 obj 2 iobj 1\n")
    monkeypatch.setattr(deprel_odds, "FILE", path)
    return path


@pytest.mark.parametrize(
    "feats, of_head, expected",
    [
        ("Case=Acc|VerbForm=Part", "VerbForm=Fin|Voice=Act", ("Acc", "Act")),
        ("PronType=Int|VerbForm=Part", "VerbForm=Fin", ("Part", "Fin")),
        ("NumType=Card|PronType=Int", "Case=Nom", ("Int", "-")),
        ("NumType=Card", "_", ("Card", "-")),
        ("_", "_", ("-", "-")),
    ],
)
def test_the_first_feature_counts(feats, of_head, expected):
    assert Kind.of(("NOUN", "VERB"), (feats, of_head)) == ("NOUN", "VERB", *expected)


def test_odds_by_hand(file):
    odds = DeprelOdds("de", LABELS)
    found = odds.of(Kind("NOUN", "VERB", "Acc", "Act"))
    numpy.testing.assert_allclose(found, numpy.array([-3, -3, 2]) * STEP * WEIGHT)
    assert odds.of(Kind("NOUN", "VERB", "Acc", "Pass")) is None
    assert DeprelOdds("en", LABELS).of(Kind("NOUN", "VERB", "Acc", "Act")) is None


def test_a_batch_adds_them_to_those_of_upos(file):
    vocab = Vocabulary()
    for lang in ("de", "en"):
        # Of nouns and verbs, nothing else is known.
        kinds = [ArcKind(*OTHERS, (0,), 0, {}), ArcKind("X", "X", LEFT, (0,), 0, {})]
        entry = attachments_entry(lang, kinds)
        vocab.add_token_to_namespace(entry, ATTACHMENTS)
    words = Sentence.from_words(["a", "b"]).replace(upos=["NOUN", "VERB"])
    sentences = [words.replace(feats=["Case=Acc", "Voice=Act"]), words]
    batch = KnownArcs(vocab, LABELS).of_batch([*sentences, sentences[0]], ["de"] * 4 + ["en"] * 2)
    # Of the noun, of the verb, of ROOT, without features, in a language that is not in the file.
    arcs = numpy.array([(0, 1), (1, 0), (0, -1), (2, 3), (4, 5)])
    found = batch.deprels(*arcs.T)
    expected = numpy.zeros((5, 3))
    expected[0] = numpy.array([-3, -3, 2]) * STEP * WEIGHT
    numpy.testing.assert_allclose(found, expected)


def test_kinds_are_there_once():
    for lang in LANGUAGES:
        lines = [line.split("\t") for line in lines_by_language(FILE).get(lang, ())]
        assert len({kind for kind, _ in lines}) == len(lines)
        for kind, ranks in lines:
            assert len(kind.split(" ")) == len(Kind._fields)
            other, *cells = ranks.split(" ")
            assert any(map(int, [other, *cells[1::2]]))
            assert all(map(str.islower, cells[::2]))


def test_the_file_by_hand(tmp_path, monkeypatch):
    def text(case, deprel, times):
        own = Sentence.from_words(["a", "b"]).replace(
            upos=["NOUN", "VERB"],
            feats=[f"Case={case}", "Voice=Act"],
            heads=["2", "0"],
            deprels=[deprel, "root"],
        )
        return own.text * times

    train, out = tmp_path / "de_a-ud-train.conllu", tmp_path / "odds.txt"
    arcs = [("Nom", "nsubj", 40), ("Acc", "obj", 30), ("Acc", "nsubj", 10), ("Dat", "obl", 9)]
    train.write_text("".join(text(*arc) for arc in arcs))
    monkeypatch.setattr(sys, "argv", ["", str(train), "--out", str(out)])
    benchmark.main()
    chances = {"nsubj": 50.5 / 99, "obj": 30.5 / 99}  # of 89 arcs, and a tenth of 10 for others

    def rank(count, total, deprel):
        return round(log((count + 20 * chances[deprel]) / (total + 20) / chances[deprel]) / STEP)

    of_others = round(log(20 / (40 + 20)) / STEP)
    # Subjects are as frequent as objects, so the nominative says little; datives are few.
    assert out.read_text() == (
        "[de]\n"
        f"NOUN VERB Acc Act\t{of_others} obj {rank(30, 40, 'obj')} nsubj {rank(10, 40, 'nsubj')}\n"
    )
