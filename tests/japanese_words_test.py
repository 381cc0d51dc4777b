"""`benchmarks/japanese_words.py`: words that a dictionary finds in raw text and training lacks."""

import lzma
import sys
from types import SimpleNamespace

import pytest
from japanese_words import found_in, further_words, lines_of, main, new_words
from mecab_words import MecabWord, words_of_lines

from udify_allennlp.data.known_words import Analysis, Word
from udify_allennlp.text.lemma_rules import make_rule

VERB, NOUN, PARTICLE = ("動詞", "一般"), ("名詞", "普通名詞"), ("助詞", "格助詞")


def trained(form, *analyses):
    own = (Analysis(upos, "_", make_rule(form, lemma)) for upos, lemma in analyses)
    return {form: Word(tuple(own), is_rare=False)}


def words(count, form, kind, lemma):
    return [MecabWord(form, kind, lemma)] * count


def test_new_words_are_certain_and_not_in_training():
    found = found_in(
        [
            *words(3, "行け", ("動詞", "非自立可能"), "行く"),
            *words(2, "行こ", VERB, "行く"),  # rare
            *words(9, "寝", VERB, "寝る"),
            *words(5, "歩き", VERB, "歩く"),
            *words(1, "歩き", NOUN, "歩き"),  # so that neither is certain
            *words(5, "猫", NOUN, "猫"),  # the form itself
            *words(5, "おたく", NOUN, "御宅"),
            *words(5, "へ", PARTICLE, "へ"),
        ]
    )
    known = trained("寝", ("NOUN", "寝"))
    assert [*new_words(found, known, 3)] == [("VERB", "行く", "行け"), ("NOUN", "御宅", "おたく")]


def test_further_annotations_are_frequent_and_no_auxiliaries():
    found = found_in(
        [
            *words(20, "寝", VERB, "寝る"),
            *words(20, "し", VERB, "為る"),
            *words(9, "歩き", VERB, "歩く"),
            *words(20, "思い", VERB, "思う"),
        ]
    )
    known = {
        **trained("寝", ("NOUN", "寝")),
        **trained("し", ("AUX", "為る")),
        **trained("歩き", ("NOUN", "歩き")),
        **trained("思い", ("VERB", "思う"), ("NOUN", "思い")),
    }
    assert [*further_words(found, known)] == [("+VERB", "寝る", "寝")]


def test_lines():
    found = [("VERB", "行く", "行け"), ("+ADV", "余り", "あまり"), ("VERB", "行く", "行こ")]
    assert [*lines_of(found)] == ["+ADV _ 余り: あまり", "VERB _ 行く: 行け 行こ"]


@pytest.fixture
def mecab(monkeypatch):
    """A dictionary of four words."""
    entries = {
        "猫": ("名詞", "普通名詞", "猫"),
        "が": ("助詞", "格助詞", "が"),
        "ケーキ": ("名詞", "普通名詞", "ケーキ-cake"),
        "ねむっとる": ("動詞", "一般", "眠る"),
    }

    def tagger(line):
        for form in line.split(" "):
            feature = SimpleNamespace(**dict(zip(("pos1", "pos2", "lemma"), entries[form])))
            yield SimpleNamespace(surface=form, feature=feature)

    monkeypatch.setitem(sys.modules, "fugashi", SimpleNamespace(Tagger=lambda: tagger))


def test_from_a_text_to_a_section(mecab, tmp_path, monkeypatch, capsys):
    text = tmp_path / "a.xz"
    text.write_bytes(lzma.compress("猫 が ねむっとる\n\nケーキ\n猫 が ねむっとる\n".encode()))
    lines = [[word.lemma for word in found] for _, found in words_of_lines(str(text))]
    assert lines == [["猫", "が", "眠る"], ["ケーキ"], ["猫", "が", "眠る"]]
    for least, expected in ((1, "[ja_gsd]\nVERB _ 眠る: ねむっとる\n"), (2, "[ja_gsd]\n\n")):
        monkeypatch.setattr(sys, "argv", ["japanese_words.py", str(text), "--least", str(least)])
        main()
        assert capsys.readouterr().out == expected
