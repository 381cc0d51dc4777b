import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.order_transfer.breakdown import Cell, breakdown, by_direction, by_distance
from udify_allennlp.order_transfer.word_order import (
    ABSENT,
    TABLE_6,
    ArcType,
    Correlation,
    Directions,
    bucket,
    correlations,
    dependency_distances,
    directions,
    distance,
    distances,
    frequent_types,
    order_vector,
)
from udify_allennlp.text.sentence import Sentence

OBJ = ArcType("NOUN", "VERB", "obj")
CASE = ArcType("ADP", "NOUN", "case")
ROOT = ArcType("VERB", "ROOT", "root")


def made(upos, heads, deprels):
    sentence = Sentence.from_words(["a"] * len(upos))
    return sentence.replace(upos=upos, heads=[str(head) for head in heads], deprels=deprels)


# "reads books in bed": head first; "bed in books reads": modifier first, with a postposition.
ENGLISH = made(["VERB", "NOUN", "ADP", "NOUN"], [0, 1, 4, 1], ["root", "obj", "case", "obl:x"])
OTHER = made(["NOUN", "ADP", "NOUN", "VERB"], [4, 1, 4, 0], ["obl", "case", "obj", "root"])


def test_directions_by_hand():
    counts = directions([ENGLISH, ENGLISH, OTHER])
    assert counts[OBJ] == Directions(before=1, total=3)
    assert counts[CASE] == (2, 3) and counts[ROOT] == (0, 3)
    assert counts[ArcType("NOUN", "VERB", "obl")] == (1, 3)  # without its subtype
    types = [CASE, OBJ, ROOT, ArcType("X", "X", "x")]
    assert order_vector(counts, types).tolist() == [2 / 3, 1 / 3, 0, ABSENT]
    assert order_vector(counts, types, at_least=4).tolist() == [ABSENT] * 4


def test_there_are_52_types_and_root_is_left_of_everything():
    assert len(set(TABLE_6)) == 52 and sorted(TABLE_6) == TABLE_6
    assert {kind.deprel for kind in TABLE_6 if kind.head == "ROOT"} == {"root"}
    vector = dict(zip(TABLE_6, order_vector(directions([ENGLISH]))))
    assert vector[ROOT] == 0 and vector[CASE] == 1 and vector[OBJ] == 0
    assert sum(value == ABSENT for value in vector.values()) == 48


def test_distance_of_two_orders_is_the_mean_over_types():
    types = [CASE, OBJ, ROOT, ArcType("X", "X", "x")]
    first, second = (order_vector(directions([s]), types) for s in (ENGLISH, OTHER))
    assert distance(first, second) == 2 / 4
    assert distances([first, second]).tolist() == [[0, 0.5], [0.5, 0]]


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=3, max_size=3))
def test_it_is_a_distance_between_0_and_1(rows):
    a, b, c = map(numpy.array, rows)
    assert distance(a, a) == 0 and distance(a, b) == distance(b, a) and 0 <= distance(a, b) <= 1
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


def test_types_are_chosen_by_share_and_by_languages():
    one, two = directions([ENGLISH]), directions([OTHER, OTHER])
    assert frequent_types([one, two], share=0.2, in_languages=2) == sorted(
        [CASE, OBJ, ROOT, ArcType("NOUN", "VERB", "obl")]
    )
    assert frequent_types([one, two], share=0.25, in_languages=2) == []
    assert frequent_types([one, two], share=0.2, in_languages=2, at_least=2) == []
    assert len(frequent_types([one, two], share=0.2, in_languages=1, at_least=2)) == 4


def test_dependency_distances_by_hand():
    # ENGLISH: books +1, in -1, bed +3; OTHER: bed -3, in +1, books -1.
    assert [bucket(*pair) for pair in ((1, 4), (2, 4), (3, 4), (5, 4), (6, 4), (9, 4))] == [
        "<-2", "-2", "-1", "1", "2", ">2"
    ]  # fmt: skip
    found = dependency_distances([ENGLISH, OTHER])
    assert found == pytest.approx(
        {"<-2": 100 / 6, "-2": 0, "-1": 100 / 3, "1": 100 / 3, "2": 0, ">2": 100 / 6}
    )
    assert sum(dependency_distances([]).values()) == 0


def test_correlations_by_hand():
    x = [0.06, 0.07, 0.09, 0.14, 0.26, 0.40]
    found = correlations(x, [2 * value for value in x])
    for value in found.values():
        assert value.value == pytest.approx(1) and value.low > 0.99
    crooked = correlations(x, [1, 2, 3, 4, 5, 600])
    assert crooked["spearman"].value == 1 > crooked["pearson"].value
    low = correlations([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])["pearson"]
    z, reach = numpy.arctanh(low.value), 1.96 / 2**0.5
    assert low == pytest.approx(Correlation(0.8, numpy.tanh(z - reach), numpy.tanh(z + reach)))
    for points in (([1, 2], [1, 2]), ([1] * 6, x)):
        assert set(correlations(*points).values()) == {Correlation(None, None, None)}


def test_a_breakdown_by_direction_adds_up_to_all():
    wrong = ENGLISH.replace(heads=["0", "1", "2", "1"], deprels=["root", "iobj", "case", "obl"])
    pairs = [(ENGLISH, wrong), (OTHER, OTHER)]
    cells = breakdown(pairs, by_direction(OBJ))
    assert cells == {"head-first": Cell(1, 1, 0), "mod-first": Cell(1, 1, 1)}
    assert cells["head-first"].uas == 100 and cells["head-first"].las == 0
    of_type = breakdown(pairs, lambda gold: ["obj" if d == "obj" else None for d in gold.deprels])
    whole = of_type["obj"]
    assert whole.las == sum(cell.arcs * cell.las for cell in cells.values()) / whole.arcs
    by = breakdown(pairs, by_distance)
    assert by["-1"] == Cell(2, 1, 1) and by["1"] == Cell(2, 2, 1) and by[">2"] == Cell(1, 1, 1)
    assert None not in by and sum(cell.arcs for cell in by.values()) == 6
