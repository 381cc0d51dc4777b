"""`benchmarks/character_ngrams.py`: weights from words, alone and beside the shipped network."""

import lzma
import random
import re
import sys
from types import SimpleNamespace

import numpy
import pytest
from character_ngrams import ends_of, main, trained_examples, words_of

from tests.helpers.segmentation import cut
from udify_allennlp.segmentation import character_ngrams
from udify_allennlp.segmentation.character_ngrams import BITS
from udify_allennlp.text.conllu import write_sentences
from udify_allennlp.text.sentence import Sentence

NOUNS = ("東京", "京都", "猫", "電車", "学校", "友達", "カメラ", "時計")
PARTICLES = ("が", "を", "に", "には", "から")


def sentences(count):
    choose = random.Random(0)
    return [
        [choose.choice(each) for each in (NOUNS, PARTICLES) * choose.randint(1, 4)]
        for _ in range(count)
    ]


def in_conllu(words):
    rows = (
        f"{number}\t{word}\t_\tX" + "\t_" * 5 + "\tSpaceAfter=No\n"
        for number, word in enumerate(words, 1)
    )
    return Sentence("".join(rows) + "\n")


@pytest.fixture
def run(tmp_path, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["character_ngrams.py", *map(str, words)])
        main()

    return run


def agreement(weights, count, monkeypatch):
    """The share of sentences that weights alone cut right."""
    monkeypatch.setattr(character_ngrams, "_weights", lambda lang: weights)
    right = 0
    for words in sentences(count):
        text = "".join(words)
        labels = numpy.zeros(len(text), dtype=numpy.uint8)
        character_ngrams.end_unspaced(
            labels, numpy.zeros(len(text)), text, 0, "ja", lambda place: "ja"
        )
        labels[-1] = 1
        right += (labels == ends_of(text, words)).all()
    return right / count


def test_ends():
    assert ends_of("ab cab", ["ab", "c", "ab"]).tolist() == [False, True, False, True, False, True]


def test_words_of_a_treebank_as_examples(tmp_path):
    write_sentences([in_conllu(["東京", "に"])], tmp_path / "ja_x-ud-train.conllu")
    assert [*words_of(tmp_path / "ja_x-ud-train.conllu")] == [("東京に", ["東京", "に"])]
    examples = trained_examples([("東京に a", ["東京", "に", "a"])])
    assert examples.is_end.tolist() == [0, 1] and examples.logits is None


def test_words_of_training_sentences_are_learned(tmp_path, run, monkeypatch):
    train, out = tmp_path / "ja_x-ud-train.conllu", tmp_path / "weights.npz"
    numpy.savez_compressed(out, th=numpy.ones(3, dtype=numpy.int8))
    write_sentences(map(in_conllu, sentences(300)), train)
    run("ja", train, "--penalty", "1e-6", "--epochs", "6", "--out", out)
    with numpy.load(out) as languages:
        assert languages["th"].tolist() == [1, 1, 1]
        weights = languages["ja"]
    assert weights.dtype == numpy.int8 and 0 < numpy.count_nonzero(weights) < 2**BITS / 100
    assert agreement(weights, 50, monkeypatch) > 0.95


def test_words_of_a_dictionary_are_learned_beside_the_network(tmp_path, run, monkeypatch):
    text, out = tmp_path / "a.xz", tmp_path / "weights.npz"
    lines = ["猫が好きです。", "私は東京に行く。", "彼は学校で歌う。"]
    text.write_bytes(lzma.compress("\n".join([*lines * 2, ""]).encode()))
    # A dictionary that cuts inside of 東京 and 学校, unlike the network.
    words = re.compile("好き|です|行く|歌う|[^。]")

    def tagger(line):
        feature = SimpleNamespace(pos1="名詞", pos2="*", lemma=None)
        return [SimpleNamespace(surface=word, feature=feature) for word in words.findall(line)]

    monkeypatch.setitem(sys.modules, "fugashi", SimpleNamespace(Tagger=lambda: tagger))
    before = cut(lines[1], "ja")
    run("ja", text, "--penalty", "0", "--epochs", "20", "--out", out)
    with numpy.load(out) as languages:
        weights = languages["ja"]
    monkeypatch.setattr(character_ngrams, "_weights", lambda lang: weights)
    assert cut(lines[1], "ja") == ["私 は 東 京 に 行く 。"] != before
