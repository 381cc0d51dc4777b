"""
Serbian in Cyrillic is seen in Latin letters by models that know only these, and gender-inclusive
forms as plain ones.
"""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data.known_words import Analysis, Treebank, Word
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.seen_forms import SeenForms, as_written
from udify_allennlp.data.sentence_source import Origin
from udify_allennlp.text.lang_comment import with_lang
from udify_allennlp.text.sentence import Sentence

WRITTEN = [Sentence.from_words(forms) for forms in (["Моји", "коњи"], ["My", "dogs\u200b"])]
SCHEMA = Schema(origins=(Origin("lang", "file"),))


def known(*forms):
    word = Word((Analysis("NOUN", "_", "l|-"),), False)
    return vocabulary(Vocabulary(), Treebank("sr_a", frozenset(), dict.fromkeys(forms, word)))


def forms(seen):
    return [sentence.forms for sentence in seen]


@pytest.mark.parametrize(
    "vocab, told, first",
    [
        (known("dom"), {"lang": "sr"}, ["Moji", "konji"]),
        (known("dom"), {"lang": ["bs", "en"]}, ["Moji", "konji"]),
        (known("dom"), {"lang": "mk"}, ["Моји", "коњи"]),
        (known("dom"), {}, ["Моји", "коњи"]),
        (known("dom", "дом"), {"lang": "sr"}, ["Моји", "коњи"]),
        (Vocabulary(), {"lang": "sr"}, ["Моји", "коњи"]),
    ],
)
def test_letters_are_those_of_known_words(vocab, told, first):
    seen = SeenForms(vocab, SCHEMA).sentences(WRITTEN, told)
    assert forms(seen) == [first, ["My", "dogs"]]


def test_the_comment_tells_the_language():
    written = [with_lang(WRITTEN[0], "sr")]
    assert forms(SeenForms(known("dom"), SCHEMA).sentences(written, {})) == [["Moji", "konji"]]
    assert forms(SeenForms(known("dom"), Schema()).sentences(written, {})) == [["Моји", "коњи"]]


def test_lemmas_are_in_the_letters_of_their_forms():
    seen = SeenForms(known("dom"), SCHEMA).sentences(WRITTEN, {"lang": "sr"})
    columns = [{"lemmas": ["moj", "konj"]}, {"lemmas": ["my", "dog"]}]
    as_written(columns, WRITTEN, seen)
    assert columns == [{"lemmas": ["мој", "коњ"]}, {"lemmas": ["my", "dog"]}]
    as_written([{"upos": ["X", "X"]}], WRITTEN, seen)


def test_gender_inclusive_forms_are_seen_as_plain_ones_of_the_language():
    written = [Sentence.from_words(["Die", "Lehrer:innen"])]
    german, english = (
        SeenForms(Vocabulary(), SCHEMA).sentences(written, {"lang": lang}) for lang in ("de", "en")
    )
    assert (forms(german), forms(english)) == ([["Die", "Lehrerinnen"]], [["Die", "Lehrer:innen"]])
    columns = [{"lemmas": ["der", "Lehrerin"]}]
    as_written(columns, written, german)
    assert columns == [{"lemmas": ["der", "Lehrer:in"]}]
