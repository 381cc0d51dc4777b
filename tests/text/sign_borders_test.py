"""Ends of tokens beside punctuation."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import bars, in_parts
from udify_allennlp.text.sign_borders import sign_ends


def ends(text, lang):
    return sorted({*sign_ends(text, lang, 0, len(text))})


@pytest.mark.parametrize(
    "lang, marked",
    [
        ("de", "Er sagt: „|Ja|“|. »|Nein|«|, “|so|”"),
        ("en", '"|A|" (|"|b|"|) etc.|" 5|" ""|x|"" say "|\'|no|\'|"'),
        ("en", "'|I know|'|, don't the dogs' '90s 'n roll '|I don't|' ‘|a b|’ no.|’ said|!|’|."),
        ("it", "e 'l po' detto 'non'"),
        ("sv", "så ’|kallad|’ man"),
        ("fr", "l'|«|eau|» et ``|oui|''|. l'eau"),
        ("en", "so|, no|; why|? yes|! a,b http://a?b=c well|...|no x.... 1,5"),
        ("ur", "کھایا|۔ آج"),
        ("zh", "用|Python|和|NBA|比赛 A股|。哆啦A梦"),
        ("ja", "・|りんご ・|みかん ジョン・スミス"),
        ("fr", "5|% de $|5 et 5€"),
        ("es", "5% de $5"),
        ("sv", "5|% och 5|°|C °Ca 5°"),
        ("de", "Auf|-| und Abbau|, Vor|-| bzw. Nachname|, Rad|-| sowie Auf- Ab"),
        ("he", 'ד"ר'),
        ("xpg", 'a! "b"'),
    ],
)
def test_by_hand(lang, marked):
    text, places = bars(marked)
    assert ends(text, lang) == [place for place in places if place]


@given(
    text=st.text("ab1 .,!\"'«»‘’%$漢\0", max_size=30),
    cuts=st.lists(st.integers(1, 29)),
    lang=st.sampled_from(["en", "zh"]),
)
def test_parts_do_not_matter(text, cuts, lang):
    assert sorted({*in_parts(partial(sign_ends, text, lang), text, cuts)}) == ends(text, lang)
