"""French `des` and `du` that are articles."""

from functools import partial

import pytest

from tests.helpers.segmentation import bars, in_parts, texts_in_parts
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


@texts_in_parts(["a ", "des ", "du ", "Des ", "pain ", "et ", "la "], ["fr"])
def test_parts_of_a_text_make_no_difference(text, cuts, lang):
    found = sorted(in_parts(partial(partitive_ends, text, lang), text, cuts))
    assert found == sorted(partitive_ends(text, lang, 0, len(text)))
