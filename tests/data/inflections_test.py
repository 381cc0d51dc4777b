"""Features, lemmas and parts of speech by the endings of languages with little training."""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data import inflections
from udify_allennlp.data.inflections import (
    Inflections,
    Reading,
    possible_upos,
    readings,
    upos_by_endings,
)
from udify_allennlp.data.known_words import Analysis, KnownWords, Treebank, Word
from udify_allennlp.data.language_sections import text_by_language
from udify_allennlp.data.own_labels import further_origins
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.text.sentence import Sentence

UPOS = {"ADJ", "ADP", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"}
SECTION = """[xx]
NOUN Case=Nom: -/-
!NOUN Case=Ine: ssa/- lassa/la
NOUN Case=Gen: n/-
!NOUN Case=Abe: tta
!VERB Mood=Ind: di-e/in
VERB Mood=Imp: e/in
VERB Tense=Past: n/a
PROPN Case=Gen: n/-
"""
KNOWN = {"talossa": Word((Analysis("NOUN", "Case=Ess", "l|"),), False)}
VOCAB = vocabulary(Vocabulary(), Treebank("xx_one", frozenset(), KNOWN))


@pytest.fixture(autouse=True)
def section(tmp_path, monkeypatch):
    """A language of which the endings are known."""
    file = tmp_path / "inflections.txt"
    file.write_text(SECTION, encoding="utf-8")
    inflections._inflections.cache_clear()
    monkeypatch.setattr(inflections, "FILE", file)
    yield
    inflections._inflections.cache_clear()


def test_each_line_of_the_file_is_an_inflection(monkeypatch):
    monkeypatch.undo()
    assert text_by_language(inflections.FILE)
    for lang in text_by_language(inflections.FILE):
        assert lang in LANGUAGES
        for by_affixes in inflections._inflections(lang).values():
            for affixes, found in by_affixes.items():
                assert len({*found}) == len(found), affixes
                for each in found:
                    entries = each.feats.split("|")
                    assert entries == sorted(entries, key=str.lower) and each.upos in UPOS
                    cells = (*affixes, each.lemma_ending or "")
                    assert all(cell == cell.lower() and "/" not in cell for cell in cells)


@pytest.mark.parametrize(
    "upos, form, expected",
    [
        ("NOUN", "Talossa", ("Case=Ine", "talo")),
        ("NOUN", "kalassa", ("Case=Ine", "kala")),  # by the longest ending
        ("NOUN", "issa", ("Case=Nom", "issa")),  # nothing would be left of the word
        ("NOUN", "kala", ("Case=Nom", "kala")),
        ("NOUN", "kalatta", ("Case=Abe", None)),
        ("VERB", "dikale", ("Mood=Ind", "kalin")),  # before and behind the stem
        ("VERB", "kale", ("Mood=Imp", "kalin")),
        ("VERB", "kala", None),
        ("PROPN", "Lissan", ("Case=Gen", "Lissa")),
        ("ADJ", "talossa", None),
    ],
)
def test_the_longest_ending_is_read(upos, form, expected):
    assert readings("xx", upos, form) == ([] if expected is None else [Reading(*expected)])
    assert readings("xy", upos, form) == []


@pytest.mark.parametrize(
    "form, expected",
    [
        ("talossa", ("NOUN",)),
        ("Talossa", ("NOUN", "PROPN")),
        ("dikale", ("VERB",)),
        ("kalen", ()),  # two parts of speech have it
        ("kale", ()),  # the line does not say so
    ],
)
def test_an_ending_tells_the_part_of_speech(form, expected):
    assert possible_upos("xx", form) == expected


def test_parts_of_speech_are_those_of_unknown_words():
    sentence = Sentence.from_words(["Talossa", "kalassa", "dikale", "kalen", "3tta", "tta3"])
    known = KnownWords(VOCAB)
    found = {1: ("NOUN",), 2: ("VERB",)}
    assert dict(upos_by_endings(known, sentence, "xx")) == found
    assert not dict(upos_by_endings(known, sentence, "xy"))


def test_features_and_lemmas_are_those_of_the_ending():
    forms = ["talossa", "Kalassa", "kalatta", "dikale", "diessa3", "kalassa"]
    upos = ["NOUN", "NOUN", "NOUN", "VERB", "NOUN", "ADJ"]
    columns = {"upos": upos, "feats": ["_"] * 6, "lemmas": ["?"] * 6}
    Inflections(VOCAB).apply([columns], [Sentence.from_words(forms)], ["xx"])
    # What training has, what has no letter at its end, and what has no such ending stays.
    assert columns["feats"] == ["_", "Case=Ine", "Case=Abe", "Mood=Ind", "_", "_"]
    assert columns["lemmas"] == ["?", "kala", "?", "kalin", "?", "?"]
    for lang, vocab in (("xy", VOCAB), ("xx", Vocabulary())):
        columns = {"upos": ["NOUN"], "feats": ["_"], "lemmas": ["?"]}
        Inflections(vocab).apply([columns], [Sentence.from_words(["kalassa"])], [lang])
        assert columns == {"upos": ["NOUN"], "feats": ["_"], "lemmas": ["?"]}


@pytest.mark.parametrize(
    "predicted, expected, lemma",
    [
        ("Case=Nom|Number=Plur", "Case=Nom|Number=Plur", "kala"),
        ("Case=Gen|Number=Plur", "Case=Gen|Number=Sing", "kalao"),  # the first of two that fit
        ("_", "Case=Gen|Number=Sing", "kalao"),
    ],
)
def test_of_several_readings_the_one_most_alike_is_taken(predicted, expected, lemma):
    lines = "[xx]\nNOUN Case=Gen|Number=Sing: t/o\nNOUN Case=Nom|Number=Plur: t/-\n"
    inflections.FILE.write_text(lines, encoding="utf-8")
    text_by_language.cache_clear()
    columns = {"upos": ["NOUN"], "feats": [predicted], "lemmas": ["?"]}
    Inflections(VOCAB).apply([columns], [Sentence.from_words(["kalat"])], ["xx"])
    assert columns["feats"] == [expected] and columns["lemmas"] == [lemma]


def test_such_a_language_may_have_labels_of_others(monkeypatch):
    monkeypatch.undo()
    vocab = vocabulary(Vocabulary(), Treebank("mdf_jr", frozenset(), KNOWN))
    vocab.add_tokens_to_namespace(["mdf", "fi", "myv"], "lang_labels")
    # Erzya is nearest to Moksha.
    assert further_origins(vocab, "lang_feats_labels", "mdf") == ["myv"]
    assert further_origins(vocab, "lang_upos_labels", "mdf") == ["fi", "myv"]
    assert further_origins(vocab, "lang_lemma_labels", "mdf") == []
    assert further_origins(vocab, "lang_feats_labels", "fi") == []
    assert further_origins(Vocabulary(), "lang_feats_labels", "mdf") == []
