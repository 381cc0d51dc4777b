"""Deprels by the features and forms of words, in the file that ships and by hand."""

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
from udify_allennlp.data.deprel_odds import (
    DEPREL_WORDS,
    FILE,
    OF_WORDS,
    STEP,
    WEIGHT,
    DeprelOdds,
    arc_words,
    kinds,
    word_deprels_entry,
)
from udify_allennlp.data.language_sections import lines_of_language, text_by_language
from udify_allennlp.data.packed_entries import unpacked
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.errors import InputError
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
        ("Case=Acc|VerbForm=Part", "VerbForm=Fin|Voice=Act", "Acc Act"),
        ("PronType=Int|VerbForm=Part", "VerbForm=Fin", "Part Fin"),
        ("NumType=Card|PronType=Int", "Case=Nom", "Int -"),
        ("NumType=Card", "_", "Card -"),
        ("_", "_", "- -"),
    ],
)
def test_the_first_feature_counts(feats, of_head, expected):
    sentence = Sentence.from_words(["Hund", "bellt"])
    words = arc_words(sentence.replace(upos=["NOUN", "VERB"], feats=[feats, of_head]), "de")
    assert kinds(*words) == (f"NOUN VERB {expected}", "NOUN VERB hund *", "NOUN VERB * bellt")


def test_odds_by_hand(file):
    vocab = Vocabulary()
    odds = DeprelOdds(vocab, "de", LABELS)
    numpy.testing.assert_allclose(
        odds.of("NOUN VERB Acc Act"), numpy.array([-3, -3, 2]) * STEP * WEIGHT
    )
    assert odds.of("NOUN VERB Acc Pass") is None
    assert DeprelOdds(vocab, "en", LABELS).of("NOUN VERB Acc Act") is None


def of_words(*lines):
    """A vocabulary with what the forms of German say."""
    vocab = Vocabulary()
    vocab.add_token_to_namespace(word_deprels_entry("de", lines), DEPREL_WORDS)
    return vocab


def test_a_batch_adds_them_to_those_of_upos(file):
    vocab = of_words("NOUN VERB hund *\t-1 nsubj 4", "NOUN VERB * beißt\t0 obj 1")
    for lang in ("de", "en"):
        # Of nouns and verbs, nothing else is known.
        arcs = [ArcKind(*OTHERS, (0,), 0, {}), ArcKind("X", "X", LEFT, (0,), 0, {})]
        vocab.add_token_to_namespace(attachments_entry(lang, arcs), ATTACHMENTS)
    words = Sentence.from_words(["a", "b"]).replace(upos=["NOUN", "VERB"])
    sentences = [
        words.replace(feats=["Case=Acc", "Voice=Act"]),
        words,
        words.replace(feats=["Case=Acc", "Voice=Act"]),
        Sentence.from_words(["Hund", "beißt"]).replace(upos=["NOUN", "VERB"]),
    ]
    langs = ["de", "de", "en", "de"]
    langs = [lang for lang in langs for _ in "ab"]
    batch = KnownArcs(vocab, LABELS).of_batch(sentences, langs, [""] * len(langs))
    # Of the noun, of the verb, of ROOT, without features, in a language that has none, by forms.
    arcs = numpy.array([(0, 1), (1, 0), (0, -1), (2, 3), (4, 5), (6, 7)])
    expected = numpy.zeros((6, 3))
    expected[0] = numpy.array([-3, -3, 2]) * STEP * WEIGHT
    expected[5] = (numpy.array([-1, 4, -1]) + [0, 0, 1]) * STEP * OF_WORDS
    numpy.testing.assert_allclose(batch.deprels(*arcs.T), expected)


def test_damaged_entries_are_told_in_one_line(file):
    vocab = Vocabulary()
    vocab.add_token_to_namespace("de\tAAAA", DEPREL_WORDS)
    message = "^The model's deprels of de are damaged: its vocabulary deprel_words_labels has .*"
    with pytest.raises(InputError, match=message):
        DeprelOdds(vocab, "de", LABELS)
    with pytest.raises(InputError, match=message):
        DeprelOdds(of_words("no tab"), "de", LABELS)
    for rank in ("none", "9" * 400):
        odds = DeprelOdds(of_words(f"NOUN VERB hund *\t{rank} obj 1"), "de", LABELS)
        with pytest.raises(InputError, match=message):
            odds.of("NOUN VERB hund *")


def test_kinds_are_there_once():
    for lang in text_by_language(FILE):
        assert treebank_language(lang) in LANGUAGES
        lines = [line.split("\t") for line in lines_of_language(FILE, lang)]
        assert len({kind for kind, _ in lines}) == len(lines)
        for kind, ranks in lines:
            assert len(kind.split(" ")) == 4 and "*" not in kind
            other, *cells = ranks.split(" ")
            assert any(map(int, [other, *cells[1::2]]))
            assert all(map(str.islower, cells[::2]))


def test_the_file_by_hand(tmp_path, monkeypatch):
    def text(case, deprel, times):
        own = Sentence.from_words(["Der" if case == "Nom" else "den", "x"]).replace(
            upos=["NOUN", "VERB"],
            feats=[f"Case={case}", "Voice=Act"],
            heads=["2", "0"],
            deprels=[deprel, "root"],
        )
        return own.text * times

    train = tmp_path / "de_a-ud-train.conllu"
    out, words = tmp_path / "odds.txt", tmp_path / "words.txt"
    arcs = [("Nom", "nsubj", 40), ("Acc", "obj", 30), ("Acc", "nsubj", 10), ("Dat", "obl", 9)]
    train.write_text("".join(text(*arc) for arc in arcs))
    (alone := tmp_path / "de_own-ud-train.conllu").write_text(train.read_text())
    given = ["", str(train), "--alone", str(alone), "--out", str(out), "--words", str(words)]
    monkeypatch.setattr(sys, "argv", given)
    benchmark.main()
    # Of 89 arcs, and a tenth of 10 for others.
    chances = {"nsubj": 50.5 / 99, "obj": 30.5 / 99, "obl": 9.5 / 99}

    def rank(count, total, deprel):
        return round(log((count + 20 * chances[deprel]) / (total + 20) / chances[deprel]) / STEP)

    of_others = round(log(20 / (40 + 20)) / STEP)
    # Subjects are as frequent as objects, so the nominative says little; datives are few.
    ranks = f"obj {rank(30, 40, 'obj')} nsubj {rank(10, 40, 'nsubj')}"
    section = f"NOUN VERB Acc Act\t{of_others} {ranks}\n"
    assert out.read_text() == f"[de]\n{section}\n[de_own]\n{section}"
    first, second = words.read_text().splitlines()
    lang, entry = first.split("\t")
    assert second.split("\t") == ["de_own", entry]
    # So does "der"; "den" is of accusatives and datives, and "x" of all arcs.
    ranks = {deprel: rank(times, 49, deprel) for _, deprel, times in arcs[1:]}
    assert len({*ranks.values()}) == 2
    cells = " ".join(f"{deprel} {ranks[deprel]}" for deprel in ("obj", "obl", "nsubj"))
    other = round(log(20 / (49 + 20)) / STEP)
    assert (lang, unpacked(entry)) == ("de", f"NOUN VERB den *\t{other} {cells}")
