"""Words of tokens that are strings of words: against all ways to cut them, and by hand."""

import itertools
import math
import random

import pytest
from allennlp.data import Vocabulary

from udify_allennlp.data.known_words import Word
from udify_allennlp.segmentation import trained_splits
from udify_allennlp.segmentation.joined_words import LONGEST_TOKEN, JoinedWords, _Counts
from udify_allennlp.segmentation.multiword_rules import FORMS, RULES, MultiwordRules
from udify_allennlp.text.multiwords import make_split

PARTS, STEMS = ("a", "ba", "c"), ("kodo", "mitu", "pesi", "ruda", "tilo")


def joined(*more):
    """A model of tokens with one or two parts before a stem."""
    pairs = itertools.product(PARTS, PARTS, STEMS[:3])
    return JoinedWords([*pairs, *itertools.product(PARTS, STEMS[1:4]), *more])


def ways(form):
    """All ways to cut a form into two words or more."""
    for cuts in itertools.product((False, True), repeat=len(form) - 1):
        if any(cuts):
            places = [0, *(place for place, is_cut in enumerate(cuts, 1) if is_cut), len(form)]
            yield tuple(form[start:end] for start, end in itertools.pairwise(places))


def test_the_words_are_the_most_probable_of_all_ways():
    model, draw = joined(), random.Random(1)
    for _ in range(30):
        form = "".join(draw.choices("abckodmitupesr", k=draw.randint(2, 9)))
        best = max(ways(form), key=model.log_probability)
        found = model.split(form)
        assert model.log_probability(found.words) == pytest.approx(model.log_probability(best))
        odds = model.log_probability(best) - model.log_probability((form,))
        assert found.odds == pytest.approx(odds)


@pytest.mark.parametrize("words", [("c", "a", "ruda"), ("ba", "c", "a", "mitu"), ("a", "tilo")])
def test_known_words_in_a_new_order_and_unknown_stems(words):
    found = joined().split("".join(words))
    assert found.words == words and found.odds > 0


def test_with_affixes_one_word_is_none_of_them():
    tokens = [*itertools.product(PARTS, STEMS), *itertools.pairwise(STEMS)]
    free, bound = JoinedWords(tokens), JoinedWords(tokens, PARTS)
    assert free.split("akodomitu").words == ("a", "kodo", "mitu")
    assert bound.split("akodomitu").words == ("a", "kodomitu")
    draw = random.Random(2)
    for _ in range(30):
        form = "".join(draw.choices("abckodmitupesr", k=draw.randint(2, 9)))
        possible = [words for words in ways(form) if sum(word not in PARTS for word in words) < 2]
        best = max(map(bound.log_probability, possible), default=None)
        found = bound.split(form)
        assert (best is None) == (found is None)
        if found:
            assert bound.log_probability(found.words) == pytest.approx(best)


def test_a_form_that_occurs_alone_is_less_likely_to_be_split():
    before, after = (model.split("atilo").odds for model in (joined(), joined(["atilo"])))
    assert after < before


def test_words_have_the_letters_of_the_token():
    assert joined().split("BaKodo").words == ("Ba", "Kodo")


@pytest.mark.parametrize(
    "form", ["a", "a1", "ba-kodo", "a" * (LONGEST_TOKEN + 1), "İkodo"], ids=len
)
def test_what_is_no_string_of_words_has_none(form):
    assert joined().split(form) is None


def test_a_letter_keeps_its_marks():
    mark = "\u0304"
    model = JoinedWords([("a", mark + word) for word in STEMS])
    for form in ("a" + mark + "kodo", "a" + mark * 2 + "k", "ak" + mark):
        assert not any(word.startswith(mark) for word in model.split(form).words)
    for form in ("a" + mark, "a" + mark * 30):
        assert model.split(form) is None


def test_unknown_letters_are_possible():
    found = joined().split("".join(map(chr, range(0x4E00, 0x4E00 + LONGEST_TOKEN))))
    assert math.isfinite(found.odds)


def test_probabilities_sum_to_one():
    counts = _Counts([("x", "a")] * 3 + [("x", "b"), ("y", "a")])
    lower = {"a": 0.5, "b": 0.3, "c": 0.2}
    for context in "xyz":
        chances = [counts.probability(context, item, lower[item]) for item in lower]
        assert sum(chances) == pytest.approx(1)
    # (1 - 0.75 + 0.75 * 2 * 0.3) / 4
    assert counts.probability("x", "b", 0.3) == pytest.approx(0.175)


def rules(tokens, known_words=lambda lang: {}, lang="xx"):
    """Rules of a language in which these tokens were split."""
    vocab = Vocabulary(non_padded_namespaces=[RULES, FORMS])
    for words in tokens:
        rule = make_split("".join(words), words)
        vocab.add_token_to_namespace(rule, RULES)
        vocab.add_token_to_namespace(f"{lang} {''.join(words)} {rule}", FORMS)
    return MultiwordRules(vocab, known_words)


WORD = Word((), is_rare=True)
LETTERS = "bcdfgklmnprstvw"
MANY = [
    (first, second, f"o{a}{b}i")
    for first, second in itertools.product(("a", "e"), ("u", "y"))
    for a, b in itertools.product(LETTERS, repeat=2)
]


def test_few_tokens_or_tokens_of_two_words_are_not_strings_of_words():
    assert rules(MANY).are_joined("xx")
    assert not rules(MANY).are_joined("he")
    assert not rules(MANY[:400]).are_joined("xx")
    assert not rules([(first, second + rest) for first, second, rest in MANY]).are_joined("xx")


@pytest.fixture
def listed(monkeypatch):
    """A list of tokens for the language `he`."""
    tokens = [("ha", stem) for stem in STEMS] + [("hamalu",), ("tilo",), ("pesi", "ruda")]

    def token_words(lang):
        return iter(tokens if lang == "he" else ())

    monkeypatch.setattr(trained_splits, "token_words", token_words)


HEBREW = [("ha", f"o{a}{b}i") for a, b in itertools.product(LETTERS, repeat=2)]


def test_a_list_joins_the_tokens_of_training_if_these_are_split_alike(listed):
    assert rules(HEBREW, lang="he").are_joined("he")
    assert not rules(HEBREW, lang="xx").are_joined("xx")
    assert not rules(HEBREW[:99], lang="he").are_joined("he")
    vocab_of_others = rules(HEBREW, lang="he")
    vocab_of_others._entries["he"] += [(f"x{number}", "k|+y=") for number in range(99)]
    assert vocab_of_others.are_joined("he")  # unknown rules say nothing


def test_listed_words_are_split_or_not(listed):
    many = rules(HEBREW, lang="he")
    assert many.words("hapesi", "he", 0.0, [], []) == ("ha", "pesi")
    assert many.words("hamalu", "he", 0.0, [], []) == ()
    # No token has two stems, though one in the list has.
    assert many._of("he").affixes == {"ha"}
    assert many.words("hatiloruda", "he", 5.0, [], []) == ("ha", "tiloruda")


def test_the_network_may_outweigh_the_list(listed):
    many = rules(HEBREW, lang="he")
    odds = many._model("he").split("hapesi").odds
    assert many.words("hapesi", "he", -1.4 * odds, [], []) == ("ha", "pesi")
    assert many.words("hapesi", "he", -1.6 * odds, [], []) == ()


def test_words_that_only_look_like_tokens_stay_whole():
    assert rules([("ב", "נימין")], lang="he").words("בנימין", "he", 9.0, [0.0], [0]) == ()


def test_a_token_is_split_unless_the_network_or_a_known_form_says_otherwise():
    many = rules(MANY)
    new = "yobbi"
    assert many.words(new, "xx", 0.0, [], []) == ("y", "obbi")
    assert many.words(new, "xx", -50.0, [], []) == ()
    odds = many._model("xx").split(new).odds
    known = rules(MANY, known_words=lambda lang: {new: WORD} if lang == "xx" else {})
    assert known._model("xx").split(new).odds < odds - 1


def test_a_token_of_training_keeps_its_words():
    many, token = rules(MANY), MANY[7]
    scores = [0.0] * len(many._rules)
    assert many.words("".join(token), "xx", 1.0, scores, []) == token
    assert many.words("".join(token), "xx", -1.0, scores, []) == ()
