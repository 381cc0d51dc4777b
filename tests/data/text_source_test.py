"""
Texts larger than memory: the sentences drawn, their frequencies, and restarts at any position.
"""

import gzip
import io
import lzma
from collections import Counter

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.data.text_source import Corpus, TextSource
from udify_allennlp.text.errors import ConlluError


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """13 lines in a file of each kind, with blank lines among them, and 5 in another corpus."""
    folder = tmp_path_factory.mktemp("texts")
    lines = [f"straße {number}" for number in range(13)]
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbf" + "\r\n \n".join(lines[:4]).encode())
    with gzip.open(folder / "b.txt.gz", "wt") as file:
        file.write("\n\n".join(lines[4:9]) + "\n")
    with lzma.open(folder / "c.txt.xz", "wt") as file:
        file.write("\n".join(lines[9:]))
    (folder / "other.txt").write_text("".join(f"other {number}\n" for number in range(5)))
    return {
        "de_web": Corpus([str(folder / "[abc].txt*")], weight=3.0, licence="CC0"),
        "en_web": Corpus(str(folder / "other.txt")),
    }


def drawn(source, count):
    return [source.draw() for _ in range(count)]


def saved(state):
    """The state after a round trip through a checkpoint."""
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@given(
    seed=st.integers(0, 2**62 - 1),
    buffer_size=st.sampled_from([1, 2, 7, 50]),
    before=st.integers(0, 60),
)
def test_a_restart_anywhere_changes_nothing(corpora, seed, buffer_size, before):
    source = TextSource(corpora, buffer_size, seed)
    drawn(source, before)
    state = saved(source.state())
    expected = drawn(source, 40)
    other = TextSource(corpora, buffer_size, seed=0)
    drawn(other, 11)
    other.restore(state)
    assert drawn(other, 40) == expected
    assert other.counts == source.counts


def test_every_line_comes_once_in_a_pass_and_no_two_passes_are_alike(corpora):
    source = TextSource({"de_web": corpora["de_web"]}, buffer_size=1, seed=3)
    passes = [[line for _, line in drawn(source, 13)] for _ in range(4)]
    for each in passes:
        assert sorted(each) == sorted(f"straße {number}" for number in range(13))
    assert len({tuple(each) for each in passes}) > 1  # files in another order


def test_corpora_are_mixed_by_weight_and_lines_by_the_buffer(corpora):
    source = TextSource(corpora, buffer_size=20, seed=1)
    found = drawn(source, 4000)
    counts = Counter(name for name, _ in found)
    assert counts == source.counts and abs(counts["de_web"] / 4000 - 0.75) < 0.03
    each = Counter(line for name, line in found if name == "de_web")
    assert len(each) == 13 and max(each.values()) - min(each.values()) < 20
    plain = TextSource({"en_web": corpora["en_web"]}, buffer_size=1, seed=1)
    assert [line for _, line in drawn(plain, 5)] == [f"other {number}" for number in range(5)]
    shuffled = TextSource({"en_web": corpora["en_web"]}, buffer_size=5, seed=1)
    assert [line for _, line in drawn(shuffled, 5)] != [f"other {number}" for number in range(5)]


def test_memory_is_that_of_the_buffer(tmp_path):
    """A file of 200 MB, mostly a hole: its first lines come at once."""
    path = tmp_path / "large.txt"
    path.write_bytes(b"first line\n" * 50)
    with open(path, "r+b") as file:
        file.truncate(200_000_000)
    source = TextSource({"x": Corpus(str(path))}, buffer_size=10, seed=0)
    assert drawn(source, 30) == [("x", "first line")] * 30
    assert len(source.state()["buffer"]) == 10


def test_what_is_wrong_is_said(corpora, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"good\nb\xe4d\n")
    with pytest.raises(ConlluError, match=r"bad.txt:2: byte 0xe4 is not UTF-8"):
        TextSource({"x": Corpus(str(tmp_path / "bad.txt"))}, 1, 0).draw()
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"a line\n" * 9)[:-9])
    with pytest.raises(ConlluError, match="the compressed file is damaged"):
        drawn(TextSource({"x": Corpus(str(tmp_path / "cut.txt.gz"))}, 1, 0), 20)
    (tmp_path / "blank.txt").write_text("\n \n")
    with pytest.raises(ConfigurationError, match="blank.txt: no line has words"):
        TextSource({"x": Corpus(str(tmp_path / "blank.txt"))}, 1, 0).draw()
    with pytest.raises(ConfigurationError, match="a.json is neither raw text nor a treebank"):
        (tmp_path / "a.json").write_text("")
        Corpus(str(tmp_path / "a.json"))
    with pytest.raises(ConfigurationError, match="the weight 0. It must be above 0"):
        Corpus(str(tmp_path / "bad.txt"), weight=0)
    with pytest.raises(ConfigurationError, match="0 corpora and buffer_size 5"):
        TextSource({}, 5, 0)
    state = TextSource(corpora, 5, 0).state()
    with pytest.raises(ConfigurationError, match="started with other corpora"):
        TextSource({"en_web": corpora["en_web"]}, 5, 0).restore(state)
