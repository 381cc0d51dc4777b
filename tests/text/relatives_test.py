"""The nearest language, by descent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.languages import LANGUAGES, UD_CODES
from udify_allennlp.text.relatives import _GENERA, _PATHS, nearest

CODES = st.sampled_from(sorted({*LANGUAGES} - {*UD_CODES}))


def test_each_language_is_in_one_group():
    codes = [code for line in _GENERA.strip().splitlines() for code in line.split(":")[1].split()]
    assert len(codes) == len({*codes}) == len(_PATHS) and {*codes} <= {*LANGUAGES}


@pytest.mark.parametrize(
    "lang, known, expected",
    [
        ("da", "en de sv no", "no"),
        ("nb", "sv no", "no"),
        ("cs", "ru pl sk", "sk"),
        ("sr", "ru sl hr", "hr"),
        ("gl", "es fr pt", "pt"),
        ("az", "kk tr", "tr"),
        ("en", "de en", "en"),
        ("hu", "fi et de", None),
        ("pcm", "en", None),
        ("xx", "en", None),
        ("da", "", None),
    ],
)
def test_whose_group_is_the_narrowest(lang, known, expected):
    assert nearest(lang, known.split()) == expected


@given(lang=CODES, known=st.lists(CODES, unique=True, max_size=12))
def test_it_is_a_known_one_of_the_same_genus(lang, known):
    found = nearest(lang, known)
    if lang in known:
        assert found == lang
    elif found is None:
        assert not any(_related(lang, code) for code in known)
    else:
        assert found in known
        # Of several the first: that of which training has most.
        depth = _related(lang, found)
        assert depth and all(_related(lang, code) < depth for code in known[: known.index(found)])
        assert all(_related(lang, code) <= depth for code in known)


def _related(lang, code):
    """The number of groups that both are in."""
    own, other = _PATHS.get(lang, ()), _PATHS.get(code, ())
    return sum(own[: n + 1] == other[: n + 1] for n in range(min(len(own), len(other))))
