from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.srl.senses import LemmaGuess

PAIRS = [
    *(("chased", "chase"), ("smiled", "smile"), ("walked", "walk"), ("talked", "talk")),
    *(("asked", "ask"), ("asking", "ask"), ("singing", "sing"), ("was", "be"), ("is", "be")),
]


def test_by_hand():
    guess = LemmaGuess(PAIRS)
    assert guess.known("smiling") is None  # -ing is cut off, and nothing was seen of `smil`
    assert guess.known("chasing") is None and guess.known("walking") == "walk"
    assert guess.best("googled") == "google"  # as -led
    assert guess.best("milked") == "milk"  # as -lked
    assert guess.best("xyz") == "xyz" and guess.best("") == ""
    assert LemmaGuess([]).best("was") == "was"


@given(st.lists(st.tuples(st.text("abeding", min_size=1), st.text("abeding", min_size=1))))
def test_a_lemma_is_never_empty_and_a_known_one_was_seen(pairs):
    guess = LemmaGuess(pairs)
    for word, _ in pairs:
        assert guess.best(word)
        assert guess.known(word) in {None, *(lemma for _, lemma in pairs)}
