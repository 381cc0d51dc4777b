"""Cases that adpositions govern, in the file that ships and by hand."""

import sys

import governed_cases as benchmark
import pytest

from udify_allennlp.data.governed_cases import FILE, governed, governed_cases
from udify_allennlp.data.language_sections import lines_of_language
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.text.sentence import Sentence


def sentence(forms, upos, heads, deprels, feats=None):
    words = Sentence.from_words(forms.split(" "))
    columns = {"feats": feats} if feats else {}
    return words.replace(
        upos=upos.split(" "),
        heads=heads.split(" "),
        deprels=deprels.split(" "),
        **columns,
    )


@pytest.mark.parametrize(
    "forms, upos, heads, deprels, expected",
    [
        ("bei uns", "ADP PRON", "2 0", "case root", [(0, 1)]),
        ("uns zufolge", "PRON ADP", "0 1", "root case", [(1, 0)]),
        ("wie uns", "SCONJ PRON", "2 0", "case root", []),
        ("bis zu uns", "ADP ADP PRON", "3 3 0", "case case root", []),
        ("auf Grund Regens", "ADP NOUN NOUN", "3 1 0", "case fixed root", []),
        ("через пять лет", "ADP NUM NOUN", "3 3 0", "case nummod:gov root", []),
        ("na wiele lat", "ADP DET NOUN", "3 3 0", "case det:numgov root", []),
        ("mit dem Hund", "ADP DET NOUN", "3 3 0", "case det root", [(0, 2)]),
    ],
)
def test_one_adposition_governs_one_word(forms, upos, heads, deprels, expected):
    assert list(governed(sentence(forms, upos, heads, deprels))) == expected


def test_the_cases_of_a_language():
    bei = sentence("Bei uns", "ADP PRON", "2 0", "case root")
    assert governed_cases("de").of(bei) == {1: {"Dat"}}
    assert governed_cases("en").of(bei) == {}
    assert governed_cases("").of(bei) == {}
    russian = sentence("о них", "ADP PRON", "2 0", "case root")
    assert governed_cases("ru").of(russian) == {1: {"Acc", "Loc"}}


def test_each_language_has_a_form_once():
    for lang in LANGUAGES:
        forms = []
        for line in lines_of_language(FILE, lang):
            cases, own = line.split(": ")
            assert cases.split(" ") == sorted({*cases.split(" ")})
            forms += own.split(" ")
        assert len({*forms}) == len(forms)


def test_the_file_by_hand(tmp_path, monkeypatch):
    def text(form, case, times):
        own = sentence(f"{form} x", "ADP NOUN", "2 0", "case root", ["_", f"Case={case}"])
        return own.text * times

    file, out = tmp_path / "de_a-ud-train.conllu", tmp_path / "cases.txt"
    words = [("In", "Dat", 90), ("in", "Acc", 8), ("in", "Gen", 1), ("zu", "Dat", 4)]
    words += [("mit", "Dat", 5), (":", "Dat", 9)]
    file.write_text("".join(text(*word) for word in words))
    monkeypatch.setattr(sys, "argv", ["", str(file), "--out", str(out)])
    benchmark.main()
    assert out.read_text() == "[de]\nAcc Dat: in\nDat: mit\n"
