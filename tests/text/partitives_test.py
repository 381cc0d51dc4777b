"""French `des` and `du` that are articles."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import bars, in_parts
from udify_allennlp.text.partitives import partitive_ends


@pytest.mark.parametrize(
    "marked",
    [
        "Il mange des| pommes avec des| amis. Des| gens, il y en a.",
        "Elle n'a pas du courage, elle a aussi du| pain, des| pommes et du| vin.",
        "Y a-t-il des| gens? Donne-moi du| pain. Nous avions des| amis.",
        "Il parle des enfants du voisin. Les avions des alliés, l'as du volant.",
        "La porte des toilettes, le fait des princes, du DES et du Des Moines",
        "On trouve des| clés, on trouve du temps.",
    ],
)
def test_by_hand(marked):
    text, places = bars(marked)
    assert sorted(partitive_ends(text, "fr", 0, len(text))) == places
    assert [*partitive_ends(text, "oc", 0, len(text))] == []


@given(
    parts=st.lists(
        st.sampled_from(["a ", "des ", "du ", "Des ", "pain ", "et ", "la "]), max_size=12
    ),
    cuts=st.lists(st.integers(0, 40), max_size=3),
)
def test_parts_of_a_text_make_no_difference(parts, cuts):
    text = "".join(parts)
    found = sorted(in_parts(partial(partitive_ends, text, "fr"), text, cuts))
    assert found == sorted(partitive_ends(text, "fr", 0, len(text)))
