from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.misc_column import entries, with_entries

CELLS = st.sampled_from(["_", "SpaceAfter=No", "Gloss=a=b|Typo", "HeadProb=0.5|X=1"])


@given(cell=CELLS, new=st.dictionaries(st.sampled_from(["HeadProb", "X", "Y"]), st.just("0.1")))
def test_new_entries_are_there_and_others_stay(cell, new):
    found = with_entries(cell, new)
    assert entries(found) == {**entries(cell), **new}
    assert with_entries(found, new) == found
    assert found


def test_by_hand():
    assert with_entries("_", {}) == "_"
    assert with_entries("A=1|B", {"A": "2"}) == "B|A=2"
    assert entries("Gloss=a=b|Typo") == {"Gloss": "a=b", "Typo": ""}
