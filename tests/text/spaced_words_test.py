"""Persian words whose parts are written with spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp import Parser
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.spaced_words import SpacedWords, part

KNOWN = {
    "می\u200cخواهند": {"VERB"},
    "نمی\u200cروم": {"VERB"},
    "بزرگ": {"ADJ"},
    "چشم": {"NOUN"},
}
WORDS = SpacedWords(KNOWN, lambda form: "ADJ" in KNOWN.get(form, ()))


@pytest.mark.parametrize(
    "words, seen",
    [
        ("من می خواهم", "من می~خواهم"),
        ("نمی خواهید می روند", "نمی~خواهید می~روند"),
        ("کتاب های بزرگ ترین شهر ها", "کتاب~های بزرگ~ترین شهر~ها"),
        ("بزرگ تر چشم تر", "بزرگ~تر چشم تر"),
        ("می خوشگوار می , ها .", "می خوشگوار می , ها ."),
        ("ها", "ها"),
        ("خانه~ی ها ها", "خانه~ی~ها~ها"),
        ("ها " * 8, "ها~ها~ها " * 2 + "ها~ها"),
    ],
)
def test_parts_are_joined(words, seen):
    words, seen = (text.replace("~", "\u200c").split() for text in (words, seen))
    sentence = Sentence.from_words(words)
    joined = WORDS.joined(sentence)
    assert joined.forms == seen
    assert (joined is sentence) == (words == seen)


TEXT = """\
# text = a\tb 1-2
1\tمی\tx\tVERB\t_\t_\t3\tx\t_\tA=1
2\tخواهم\t_\t_\t_\t_\t1\tx\t_\tB=2
3-4\tشهرها\t_\t_\t_\t_\t_\t_\t_\t_
3\tشهر\t_\t_\t_\t_\t0\tx\t_\t_
4\tها\t_\t_\t_\t_\t_\tx\t_\t_

"""


def test_rows_are_numbered_anew_and_parts_of_multiword_tokens_stay():
    joined = WORDS.joined(Sentence(TEXT, "file", 5))
    assert joined.text.split("\n") == [
        "# text = a\tb 1-2",
        "1\tمی\u200cخواهم\tx\tVERB\t_\t_\t2\tx\t_\tA=1",
        "2-3\tشهرها\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\tشهر\t_\t_\t_\t_\t0\tx\t_\t_",
        "3\tها\t_\t_\t_\t_\t_\tx\t_\t_",
        "",
        "",
    ]
    assert (joined.path, joined.line) == ("file", 5)
    empty = TEXT.replace("\n3-4", "\n2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n3-4")
    sentence = Sentence(empty)
    assert WORDS.joined(sentence) is sentence


def test_columns_are_those_of_the_written_words():
    sentence = Sentence(TEXT)
    columns = {
        "upos": ["VERB", "NOUN", "X"],
        "lemmas": ["خواست", "شهر", "ها"],
        "heads": ["2", "0", "1"],
        "deprels": ["nsubj", "root", "dep"],
        "misc": ["A=1|P=0.9", "P=1", "_"],
    }
    part(columns, sentence, WORDS.joined(sentence))
    assert columns == {
        "upos": ["VERB", "X", "NOUN", "X"],
        "lemmas": ["خواست", "_", "شهر", "ها"],
        "heads": ["3", "1", "0", "1"],
        "deprels": ["nsubj", "goeswith", "root", "dep"],
        "misc": ["A=1|P=0.9", "B=2", "P=1", "_"],
    }


@given(words=st.lists(st.sampled_from(["می", "روم", "شهر", "ها", "ترین", ".", "a"]), min_size=1))
def test_trees_of_joined_words_are_trees_of_the_written_ones(words):
    sentence = Sentence.from_words(words)
    joined = WORDS.joined(sentence)
    columns = {"heads": [*map(str, range(len(joined)))]}
    part(columns, sentence, joined)
    assert len(columns["heads"]) == len(words)
    # A chain: each head is before its dependent.
    assert all(int(head) < word for word, head in enumerate(columns["heads"], 1))
    assert columns["heads"].count("0") == 1


def test_time_is_linear_in_the_number_of_words():
    sentence = Sentence.from_words(["ها"] * 30_000)
    columns = {"upos": ["NOUN"] * 10_000}
    part(columns, sentence, WORDS.joined(sentence))
    assert columns["upos"] == ["NOUN", "X", "X"] * 10_000


def test_they_are_parsed_as_words_without_spaces():
    parser = Parser.load(lang="fa")
    [spaced] = parser("دختر ها به ایران نمی روند.")
    [plain] = parser("دختر\u200cها به ایران نمی\u200cروند.")
    assert [word.text for word in spaced] == ["دختر", "ها", "به", "ایران", "نمی", "روند", "."]
    assert [n for n, word in enumerate(spaced) if word.deprel == "goeswith"] == [1, 5]
    own = [word for word in spaced if word.deprel != "goeswith"]
    for name in ("upos", "feats", "lemma", "deprel"):
        assert [getattr(word, name) for word in own] == [getattr(word, name) for word in plain]
    assert not any(word.feats for word in spaced if word.deprel == "goeswith")
    [without] = Parser.load(lang="ur")("دختر ها")
    assert "goeswith" not in [word.deprel for word in without]
