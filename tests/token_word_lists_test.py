"""`benchmarks/token_words.py`: the words of tokens in raw text, as training splits others."""

import lzma
import random
import sys
from collections import Counter

import pytest
import token_words
from token_words import (
    Split,
    Splitter,
    main,
    most_frequent,
    new_tokens,
    section,
    tokens_of,
    words_of,
)

from udify_allennlp.text.conllu import write_sentences
from udify_allennlp.text.sentence import Sentence

PREFIXES, SUFFIX = ("ha", "be", "le"), "nu"
_draw = random.Random(0)
STEMS = ["".join(_draw.choice(c) for c in ("bdgkmprst", "aiou") * 2) + "k" for _ in range(80)]


def text_of(stems):
    """Tokens in which each stem occurs by itself and with all affixes, and other words do not."""
    return [prefix + stem for stem in stems for prefix in ("", *PREFIXES)] + [
        stem + SUFFIX for stem in stems
    ]


def trained_on(stems):
    splits = [(prefix, stem) for stem in stems for prefix in PREFIXES]
    return sorted({*splits, *((stem,) for stem in stems), *((stem, SUFFIX) for stem in stems)})


@pytest.fixture(scope="module")
def splitter():
    whole = ["harok", "bedun", "lesop", "sinu", "hamik", "betag", "tinu", "leruk"]
    trained = [*trained_on(STEMS[:40]), *((word,) for word in whole)]
    return Splitter(trained, Counter([*text_of(STEMS), *whole, "hadak"]), frozenset())


def test_a_stem_that_occurs_with_other_affixes_is_split_off(splitter):
    for stem in STEMS[50:60]:
        for words in ((PREFIXES[0], stem), (stem, SUFFIX)):
            split, chance = splitter.split("".join(words))
            assert split.words == words and chance > token_words.SURE


def test_a_token_whose_rest_occurs_nowhere_stays_whole(splitter):
    assert splitter.split("hadak")[0].words == ("hadak",)


def test_the_stem_is_the_longest_word():
    assert Split.of(("u", "be", "darim", "nu")) == Split(("u", "be"), "darim", ("nu",))
    assert Split.of(("ab", "cd")).stem == "ab"


def test_new_tokens_are_frequent_and_have_letters_of_split_ones():
    trained = [("ha", "bor"), ("ham",), ("xyz",)]
    counts = {"habor": 9, "harob": 2, "barob": 1, "ham": 2, "xhab": 2, "bo" * 8: 2}
    assert new_tokens(trained, counts, 2) == ["harob"]
    assert new_tokens(trained, counts, 1) == ["barob", "harob"]


def test_tokens_of_text(tmp_path):
    text = tmp_path / "wiki.he.txt.xz"
    text.write_bytes(lzma.compress(b"Habor ab\"c d'e x1 habor, o\n"))
    assert [*tokens_of(str(text), "he")] == ["habor", "habor"]


def test_words_of_treebanks_that_are_written_together(tmp_path):
    rows = ["1-2\tHabor", "1\tHa", "2\tbor", "3\t,", "4\tdel", "5-6\tdel", "5\tde", "6\tel"]
    rows += ["7\twa", "8\tbait", "9\thu", "10\t."]
    misc = {"7": "SpaceAfter=No", "8": "SpaceAfter=No", "9": "SpaceAfter=No"}
    cells = [row + "\t_" * 7 + "\t" + misc.get(row.split()[0], "_") for row in rows]
    path = tmp_path / "he_x-ud-train.conllu"
    write_sentences([Sentence("\n".join(cells) + "\n\n")], path)
    assert [*words_of(str(path), "he")] == [("ha", "bor"), ("del",), ("wa", "bait", "hu")]


def test_the_most_frequent_words_of_a_token():
    trained = Counter({("a", "bc"): 2, ("abc",): 1, ("ab",): 1, ("a", "b"): 1})
    assert most_frequent(trained) == [("a", "bc"), ("a", "b")]


def test_a_section_lists_the_tokens_of_a_stem():
    splits = [Split(("ha",), "bor", ()), Split((), "bor", ("nu",)), Split((), "ab", ())]
    assert section("he", splits) == "[he]\nab _\nbor _+nu ha+_\n"


def test_from_files_to_a_list(tmp_path, monkeypatch):
    (tmp_path / "languages.tsv").write_text("ud_code\ttables (first wins)\nhe\the\n")
    (tmp_path / "he.tsv.xz").write_bytes(lzma.compress(b"mok\tmok\tNOUN\t_\n"))
    text, train, out = (tmp_path / name for name in ("a.xz", "he_x-ud-train.conllu", "list.txt"))
    text.write_bytes(lzma.compress("\n".join(text_of(STEMS)).encode()))
    rows, number = [], 0
    for words in trained_on(STEMS[:40]):
        first, number = number + 1, number + len(words)
        if len(words) > 1:
            rows.append(f"{first}-{number}\t{''.join(words)}")
        rows += [f"{first + place}\t{word}" for place, word in enumerate(words)]
    write_sentences([Sentence("\n".join(row + "\t_" * 8 for row in rows) + "\n\n")], train)
    words = ["token_words.py", text, "--train", train, "--words", tmp_path, "--lang", "he"]
    monkeypatch.setattr(sys, "argv", [*map(str, words), "--out", str(out)])
    main()
    lines = out.read_text().splitlines()
    assert lines[0] == "[he]"
    patterns = "_ _+nu be+_ ha+_ le+_"
    right = {f"{stem} {patterns}" for stem in STEMS[40:]}
    assert len(right & {*lines}) > 0.8 * len(right)
