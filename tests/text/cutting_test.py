"""Texts are cut without effect on the result, and libraries receive little text at a time."""

import itertools

import icu4py.breakers
import pytest
import sentencex
from hypothesis import given
from hypothesis import strategies as st
from tokenizer_bench import RUNS, exponent, make_run, seconds

from tests.conftest import FIXTURES
from tests.helpers.texts import LANGUAGES, ODD, check_rebuilt
from udify_allennlp.text import cutting, word_rules
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.cutting import MAX_PART, MAX_SENTENCE, bounded, cut, text_parts
from udify_allennlp.text.raw_text import Token, lines_of, read_text
from udify_allennlp.text.tokenizers import TOKENIZERS, make_tokenizer

EVERYDAY = [(lang, f"{text}\n" * 40) for lang, text in LANGUAGES.items()] + [
    (path.name[:2], "\n".join(c[9:] for c in itertools.chain(*comments) if c[:9] == "# text = "))
    for path in sorted(FIXTURES.glob("ud/*-dev.conllu"))
    for comments in [[sentence.comments for sentence in read_sentences(path)]]
]


@pytest.mark.parametrize("name", ["rules", "lines"])
@pytest.mark.parametrize("lang, text", EVERYDAY, ids=[lang for lang, _ in EVERYDAY])
def test_everyday_text_is_tokenized_as_if_nothing_were_cut(lang, text, name, monkeypatch):
    expected = list(make_tokenizer(name, lang)(text))
    monkeypatch.setattr(cutting, "MAX_PART", 40)  # then white space is needed far more often
    if lang not in ("ja", "th", "zh"):  # these have none
        assert list(bounded(TOKENIZERS[name](lang), 2000)(text)) == expected
    monkeypatch.setattr(word_rules, "text_parts", lambda whole: [(0, whole)])
    assert list(TOKENIZERS[name](lang)(text)) == expected


def test_cut_at_the_best_place():
    for text, start, size, parts in [
        ("one two", 0, 7, "one two|"),
        ("one two", 0, 6, "one |two"),
        ("one two", 4, 2, "one tw|o"),
        ("a((((b", 0, 4, "a|((((b"),
        ("((((((", 0, 4, "((((|(("),
        ("((e\u0301\u0302", 0, 4, "((|e\u0301\u0302"),
        ("((\u0301\u0302(", 0, 3, "(|(\u0301\u0302("),
        ("👍🏽👍🏽", 0, 3, "👍🏽|👍🏽"),
        ("👩\u200d👧👩", 0, 2, "👩\u200d|👧👩"),  # no better place
    ]:
        end = cut(text, start, size)
        assert text[:end] + "|" + text[end:] == parts


@given(text=st.text(ODD, max_size=1000))
def test_parts_are_the_text(text):
    found = list(text_parts(text))
    assert "".join(part for _, part in found) == text
    assert all(text[start:].startswith(part) and 0 < len(part) <= MAX_PART for start, part in found)


@given(text=st.text("ab .\n", max_size=60), data=st.data())
def test_no_text_is_lost_between_parts(text, data):
    def tokenizer(part):
        places = st.lists(st.integers(0, len(part)), max_size=6)
        cuts = sorted(data.draw(places))
        return [[Token(*pair)] for pair in zip(cuts[::2], cuts[1::2])]

    check_rebuilt(text, bounded(tokenizer, 8))


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_sentence_of_a_million_characters_is_cut(name):
    text = "ninechars " * 50_000 + "a" * 600_000
    longest = end = 0
    for sentence in make_tokenizer(name, "en")(text):
        longest = max(longest, sentence[-1].end - sentence[0].start)
        assert sentence[0].start - end in (0, 1)
        end = sentence[-1].end
    assert longest <= MAX_SENTENCE and end >= len(text) - 1


class Seen:
    """Lengths of what a function of a library is given."""

    def __init__(self, monkeypatch, owner, name, place):
        self.lengths = []
        original = getattr(owner, name)

        def watched(*args):
            self.lengths.append(len(args[place]))
            return original(*args)

        monkeypatch.setattr(owner, name, watched)


@pytest.mark.parametrize("name", RUNS)
def test_libraries_see_little_at_a_time_and_nothing_often(name, monkeypatch):
    """So the work is linear, whatever a library does with what it sees."""
    text = make_run(name, 25_000)
    sentences = Seen(monkeypatch, sentencex, "get_sentence_boundaries", 1)
    words = Seen(monkeypatch, icu4py.breakers, "WordBreaker", 0)
    list(read_text(lines_of(text), make_tokenizer("rules", "en")))
    for seen, most in ((sentences, MAX_SENTENCE), (words, MAX_PART)):
        assert max(seen.lengths, default=0) <= most
        assert sum(seen.lengths) <= 2 * len(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one bracket", "nested quotes"])
def test_time_grows_with_the_length(name):
    lengths = [20_000, 80_000]  # more than any library sees at a time
    times = [seconds(lambda: make_tokenizer("rules", "en"), make_run(name, n), 3) for n in lengths]
    assert times[1] < 3 * 3 * times[0], exponent(lengths, times)  # a square would be 16
