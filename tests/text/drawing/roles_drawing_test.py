"""Roles under a tree: each argument once, and whose it is where two differ."""

from xml.etree import ElementTree

from udify_allennlp.text.drawing.differences import COLUMNS, differences
from udify_allennlp.text.drawing.roles import Bar, lines_of
from udify_allennlp.text.drawing.svg import tree_svg
from udify_allennlp.text.roles.predicates import Argument, Predicate, with_predicates
from udify_allennlp.text.sentence import Sentence

WORDS = Sentence.from_words(["Anna", "saw", "<b>", "&", "left"])


def with_roles(*predicates):
    return WORDS.replace(misc=with_predicates(WORDS.misc, predicates))


SEE = Predicate(2, "see", "01", (Argument("A0", 1, 1), Argument("V", 2, 2), Argument("A1", 3, 4)))
LEAVE = Predicate(5, "leave", "01", (), (Argument("A0<", 1, 1),))
GOLD = with_roles(SEE, LEAVE)
OTHER = with_roles(SEE._replace(sense="02", spans=(Argument("A1", 1, 1), *SEE.spans[1:])))


def test_lines_by_hand():
    see, leave = lines_of(GOLD, None)
    assert see == [
        Bar(1, 1, "A0", "role", ""),
        Bar(2, 2, "see.01", "sense", ""),
        Bar(3, 4, "A1", "role", ""),
    ]
    assert [bar.label for bar in leave] == ["A0<", "leave.01"]
    gold, predicted, only_gold = lines_of(GOLD, OTHER)
    assert [bar.mark for bar in gold] == ["gold", "gold", ""]
    assert [(bar.label, bar.mark) for bar in predicted] == [("A1", "pred"), ("see.02", "pred")]
    assert {bar.mark for bar in only_gold} == {"gold"}
    assert lines_of(WORDS, None) == []
    assert [row[COLUMNS.index("roles")] for row in differences(GOLD, OTHER)] == [
        False,
        True,
        False,
        False,
        True,
    ]


def test_the_drawing_is_whole_and_higher_by_a_line_each():
    plain, drawn, compared = tree_svg(WORDS), tree_svg(GOLD), tree_svg(GOLD, OTHER)
    heights = [int(ElementTree.fromstring(svg).get("height")) for svg in (plain, drawn, compared)]
    assert heights[1] - heights[0] == 60 and heights[2] - heights[0] == 90
    texts = ["".join(each.itertext()) for each in ElementTree.fromstring(drawn).iter() if each.text]
    assert {"A0", "A1", "A0<", "see.01", "leave.01"} <= set(texts)
    assert "role pred" in compared and "A1 ✗" in compared
