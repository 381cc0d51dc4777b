"""The raw text of treebanks."""

import pytest

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.gold_text import paragraphs
from udify_allennlp.text.raw_text import Token
from udify_allennlp.text.surfaces import surfaces


def sentence(*rows, comments=()):
    """Of pairs of form and MISC; a form of several words is a multiword token: `du=de le`."""
    lines = [*comments]
    number = 0
    for form, misc in rows:
        form, _, words = form.partition("=")
        parts = words.split()
        blanks = "\t_" * 7
        if parts:
            lines.append(f"{number + 1}-{number + len(parts)}\t{form}{blanks}\t{misc}")
        for part in parts or [form]:
            number += 1
            lines.append(f"{number}\t{part}{blanks}\t{'_' if parts else misc}")
    return Sentence("\n".join(lines) + "\n\n")


def texts(*sentences):
    return [paragraph.text for paragraph in paragraphs(sentences)]


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("ud/*.conllu")), ids=lambda path: path.name)
def test_every_token_stands_in_the_text(path):
    sentences = list(read_sentences(path))
    found = list(paragraphs(sentences))
    tokens = [
        [(paragraph.text[token.start : token.end], token.words) for token in tokens]
        for paragraph in found
        for tokens in paragraph.sentences
    ]
    assert tokens == [[(s.text, s.words) for s in surfaces(sent)] for sent in sentences]
    for text, its in found:
        assert text == text.strip() and "\n\n" not in text
        ends = [0, *(token.end for tokens in its for token in tokens)]
        starts = [*(token.start for tokens in its for token in tokens), len(text)]
        assert all(not text[end:start].strip() for end, start in zip(ends, starts))


def test_by_hand():
    one = sentence(("Il", "_"), ("va", "SpacesAfter=\\n"), ("au=à le", "_"), (".", "_"))
    (paragraph,) = paragraphs([one, sentence(("Oui", "SpaceAfter=No"), (".", "_"))])
    assert paragraph.text == "Il va\nau . Oui."
    assert paragraph.sentences == [
        [Token(0, 2), Token(3, 5), Token(6, 8, ("à", "le")), Token(9, 10)],
        [Token(11, 14), Token(14, 15)],
    ]


def test_what_is_between_sentences():
    a, b = sentence(("A", "_")), sentence(("b", "_"))
    assert texts(a, b) == ["A b"]
    assert texts(sentence(("A", "SpaceAfter=No")), b) == ["Ab"]
    assert texts(sentence(("A", "SpacesAfter=\\s\\s")), b) == ["A  b"]
    assert texts(sentence(("A", "SpacesAfter=\\u00A0")), b) == ["A\u00a0b"]
    assert texts(sentence(("A", "SpacesAfter=odd")), b) == ["A b"]
    assert texts(sentence(("A", "SpacesAfter=\\n\\n")), b) == ["A", "b"]
    assert texts(a, sentence(("b", "_"), comments=["# newpar"])) == ["A", "b"]
    assert texts(a, sentence(("b", "_"), comments=["# newdoc id = x"])) == ["A", "b"]
    assert texts(a, sentence(("b", "_"), comments=["# newparty"])) == ["A b"]
    assert texts(a, sentence(("b", "SpacesBefore=\\s"))) == ["A  b"]


def test_no_space_behind_sentences_of_scripts_that_have_none():
    chinese = sentence(("我们", "SpaceAfter=No"), ("。", "_"))
    assert texts(chinese, chinese) == ["我们。我们。"]
    thai = sentence(("ไป", "_"))
    assert texts(thai, thai) == ["ไป ไป"]
    quoting = sentence(("我们", "_"), ("means", "_"), ("we", "_"))
    assert texts(quoting, quoting) == ["我们 means we 我们 means we"]
