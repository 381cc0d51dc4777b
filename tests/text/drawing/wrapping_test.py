"""Drawn trees that wrap: all of the drawing is there, in pieces that a telephone has room for."""

import re
import xml.etree.ElementTree as xml

import pytest

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.drawing.svg import tree_svg
from udify_allennlp.text.drawing.wrapping import wrapped
from udify_allennlp.text.sentence import Sentence

FILES = ("en_ewt-ud-train", "de_gsd-ud-dev", "fr_gsd-ud-dev", "fi_tdt-ud-dev")
HEBREW = ["הילדה", "קוראת", "ספר", "בגן", "ליד", "הבית"]


def pieces(svg):
    """The numbers of `viewBox`, and what is drawn, of each."""
    return [
        (tuple(map(int, piece.get("viewBox").split())), list(piece))
        for piece in xml.fromstring(wrapped(svg).replace("&nbsp;", " "))
    ]


@pytest.mark.parametrize("name", FILES)
def test_pieces_together_are_the_drawing(name):
    for sentence in list(read_sentences(FIXTURES / "ud" / f"{name}.conllu"))[:40]:
        drawing = xml.fromstring(tree_svg(sentence))
        found = pieces(xml.tostring(drawing, encoding="unicode").replace("ns0:", ""))
        (edge, *_), *_ = found[0]
        for (left, top, width, height), _ in found:
            assert left == edge and top + height == int(drawing.get("height"))
            edge += width
        assert edge == int(drawing.get("width"))


def test_each_word_and_each_label_is_whole_in_one_piece():
    for sentence in list(read_sentences(FIXTURES / "ud" / "en_ewt-ud-train.conllu"))[:40]:
        found = pieces(tree_svg(sentence))
        for kind, wanted in (("form", sentence.forms), ("deprel", sentence.deprels)):
            shown = []
            for (left, _, width, _), elements in found:
                texts = [each for each in elements if each.get("class") == kind]
                inside = [each for each in texts if left <= int(each.get("x")) < left + width]
                shown += ["".join(each.itertext()) for each in inside]
                assert kind == "form" or len(inside) == len(texts)
            assert sorted(shown) == sorted(wanted)


def test_pieces_are_narrow_and_no_higher_than_their_arcs():
    n = 60
    chain = Sentence.from_words(["word"] * n).replace(
        heads=[str(word - 1) for word in range(1, n + 1)], deprels=["acl:relcl"] * n
    )
    found = pieces(tree_svg(chain))
    assert max(width for (_, _, width, _), _ in found) < 250 and len(found) > n / 3
    assert len({height for (*_, height), _ in found}) > 1


def test_pieces_stand_in_the_order_of_the_text():
    heads = ["2", "0", "2", "2", "6", "2"]
    hebrew = Sentence.from_words(HEBREW).replace(heads=heads, deprels=["dep"] * 6)
    places = [left for (left, *_), _ in pieces(tree_svg(hebrew))]
    assert len(places) > 1 and places == sorted(places, reverse=True)


def test_it_is_described_and_escaped():
    evil = Sentence.from_words(['<b>"&', "x"]).replace(heads=["0", "1"], deprels=['d"<', "dep"])
    html = wrapped(tree_svg(evil))
    label = xml.fromstring(html).get("aria-label")
    assert label.startswith('Dependency tree: <b>"& x') and "dep of <b>" in label
    assert "<b>" not in html and re.findall("<svg", html)
