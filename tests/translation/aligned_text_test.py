"""Files line by line, their directions, and the sampler of directions."""

import gzip
import lzma
import random

import pytest
from allennlp.common.checks import ConfigurationError

from tests.helpers.translation import subwords_of, table_of, write_numbers
from udify_allennlp.text.errors import InputError
from udify_allennlp.translation.aligned_text import (
    aligned_files,
    directions_of,
    language_of,
    read_aligned,
)
from udify_allennlp.translation.loader import TranslationLoader
from udify_allennlp.translation.reader import TranslationReader


def write(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text)
    return str(folder / "*")


def test_languages_of_names():
    names = ("train.deu.xz", "a/train.de", "dev.deu_Latn.gz", "x.2014-2018.eng-fin.fin", "t.ast")
    assert [language_of(name) for name in names] == ["de", "de", "de", "fi", "ast"]


def test_files_are_grouped_and_read_plain_gzipped_and_xzipped(tmp_path):
    (tmp_path / "a.en").write_text("one\u2028more\n\n three \n", encoding="utf-8")
    (tmp_path / "a.deu.xz").write_bytes(lzma.compress(b"eins\nzwei\ndrei"))
    (tmp_path / "a.fra.gz").write_bytes(gzip.compress("\ufeffun\r\n\r\ntrois\n".encode()))
    (files,) = aligned_files(str(tmp_path / "*"))
    assert files.name == f"{tmp_path.name}/a"
    texts = read_aligned(files)
    assert texts["en"] == ["one\u2028more", "", "three"]
    assert texts["de"] == ["eins", "zwei", "drei"] and texts["fr"] == ["un", "", "trois"]
    assert directions_of(files, ["*-en", "en-fr"]) == [("de", "en"), ("en", "fr"), ("fr", "en")]


def test_files_of_other_lengths_are_refused_with_both_names_and_counts(tmp_path):
    (files,) = aligned_files(write(tmp_path, a_en="1\n2\n", a_de="1\n2\n3\n"))
    with pytest.raises(InputError) as caught:
        read_aligned(files)
    for part in ("a.en", "a.de", " 2", " 3 lines"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_that_are_not_aligned(tmp_path):
    with pytest.raises(InputError, match="no other file is aligned"):
        aligned_files(write(tmp_path, a_en="1"))
    with pytest.raises(InputError, match="are both in en"):
        aligned_files(write(tmp_path, a_eng="1"))
    (tmp_path / "cut.en.xz").write_bytes(lzma.compress(b"a\n" * 999)[:-20])
    write(tmp_path, cut_de="a")
    with pytest.raises(InputError, match="cut.en.xz: the compressed file is damaged"):
        read_aligned(aligned_files(str(tmp_path / "cut*"))[0])
    (tmp_path / "bad.en").write_bytes(b"a\n\xff\n")
    write(tmp_path, bad_de="a\nb")
    with pytest.raises(InputError, match="bad.en:2: byte 0xff"):
        read_aligned(aligned_files(str(tmp_path / "bad*"))[0])


def test_pairs_are_those_of_the_lines_but_empty_and_long_ones(tmp_path):
    long = " ".join(["four"] * 9)
    paths = write(tmp_path, a_en=f"one\n\nthree\n{long}", a_de="eins\nzwei\ndrei\nvier\n")
    subwords = subwords_of(paths)
    table = table_of(paths, subwords)
    found = {(*pair.direction, pair.source_text, pair.target_text) for pair in table}
    assert ("de", "en", "drei", "three") in found and len(found) == len(table) == 6
    for pair in table:
        assert subwords.text(pair.source) == pair.source_text
        assert pair.target == subwords.numbers([pair.target_text])[0]
    longest = len(subwords.numbers([long])[0])
    short = table_of(paths, subwords, max_pieces=longest - 1)
    assert len(short) == 4 and short.left_out == 2
    assert table.sizes().widths.tolist() == [
        max(len(pair.source), len(pair.target)) + 2 for pair in table
    ]


def test_each_direction_has_exactly_so_many_pairs_in_an_epoch(tmp_path):
    """Directions of 5 and of 40 pairs: repetition where one is short, none where it is long."""
    write_numbers(tmp_path / "small", "train", 5, "en fr")
    write_numbers(tmp_path / "large", "train", 40, "en de")
    reader = TranslationReader(vocab_size=60)
    loader = TranslationLoader(reader, str(tmp_path / "*" / "*"), per_group=12, batch_size=7)
    epochs = []
    for seed in (1, 1, 2):
        random.seed(seed)
        batches = list(loader)
        assert all(loader.count(batch) <= 7 for batch in batches)
        epochs.append([pair for batch in batches for pair in batch["pairs"]])
    assert epochs[0] == epochs[1] != epochs[2]
    for pairs in epochs:
        assert len(pairs) == 4 * 12
        for direction in loader.table.directions:
            texts = [str(pair) for pair in pairs if pair.direction == direction]
            assert len(texts) == 12
            if "de" in direction:
                rows = [row for row in loader.table if row.direction == direction]
                assert len(rows) == 40 and set(texts) <= set(map(str, rows))
    assert loader.counts(0) == dict.fromkeys(("de-en", "en-de", "en-fr", "fr-en"), 12)
    assert loader.corpora() == dict.fromkeys(("small/train", "large/train"), "not known")


def test_mistakes_are_clear(tmp_path):
    paths = write_numbers(tmp_path, "train", 9)
    with pytest.raises(ConfigurationError, match="directions is .*xx-en.*has none"):
        TranslationReader(vocab_size=60, directions=["xx-en"]).table(paths)
    with pytest.raises(ConfigurationError, match="no subwords yet"):
        TranslationReader(vocab_size=60).table(paths, train=False)
    with pytest.raises(ConfigurationError, match="vocab_size 4"):
        TranslationReader(vocab_size=4)
