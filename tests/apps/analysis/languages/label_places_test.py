from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.apps.analysis.languages.label_places import label_places

AREA = (0.0, 0.0, 1000.0, 1000.0)


def overlap(one, other):
    wide = min(one[2], other[2]) - max(one[0], other[0])
    return max(wide, 0) * max(min(one[3], other[3]) - max(one[1], other[1]), 0)


coordinates = st.floats(100, 900)


@given(
    st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=20),
    st.lists(st.integers(10, 80), min_size=20, max_size=20),
)
def test_no_label_lies_on_another_or_on_a_point(points, widths):
    sizes = [(width, 10) for width in widths[: len(points)]]
    found = label_places(points, sizes, AREA, gap=6)
    for index, (box, (width, height)) in enumerate(zip(found, sizes)):
        assert abs(box[2] - box[0] - width) < 1e-6 and abs(box[3] - box[1] - height) < 1e-6
        assert not any(overlap(box, other) > 1e-6 for other in found[:index])
        assert not any(overlap(box, (x - 3, y - 3, x + 3, y + 3)) > 1e-6 for x, y in points)
        assert AREA[0] <= box[0] and box[2] <= AREA[2] and AREA[1] <= box[1] and box[3] <= AREA[3]


def test_a_lonely_point_has_its_label_beside_it():
    ((left, bottom, right, top),) = label_places([(500, 500)], [(40, 10)], AREA, gap=6)
    assert 500 < left < 510 and (bottom, right, top) == (495, left + 40, 505)


def test_at_the_edge_it_stands_inside():
    ((_, _, right, top),) = label_places([(995, 995)], [(40, 10)], AREA, gap=6)
    assert right <= 1000 and top <= 1000


def test_where_there_is_no_room_all_labels_still_stand_somewhere():
    points = [(5.0, 5.0)] * 9
    assert len(label_places(points, [(50, 10)] * 9, (0.0, 0.0, 10.0, 10.0), gap=6)) == 9
    assert label_places([], [], AREA, gap=6) == []
