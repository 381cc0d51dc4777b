"""`benchmarks/known_trees.py`: how words of treebanks attach and agree."""

import sys
from math import log

import known_trees
import pytest

from udify_allennlp.data.agreement_odds import AGREEMENT
from udify_allennlp.data.attachments import ATTACHMENTS, LEFT, OTHERS, ROOT_UPOS
from udify_allennlp.data.packed_entries import unpacked
from udify_allennlp.text.sentence import Sentence

SENTENCE = (["DET", "NOUN", "VERB"], ["2", "3", "0"], ["det", "nsubj:x", "root"])
FEATS = ["Case=Nom", "Case=Nom", "_"]


@pytest.fixture
def entries(tmp_path, monkeypatch):
    """Writes treebanks, and makes their vocabularies with the command."""

    def make(alone=(), **treebanks):
        files = []
        for name, sentences in treebanks.items():
            files.append(tmp_path / f"{name}-ud-train.conllu")
            files[-1].write_text("".join(sentences))
        given = [str(file) for file in files if file.name[:4] not in alone]
        given += ["--alone", *(str(file) for file in files if file.name[:4] in alone)]
        monkeypatch.setattr(sys, "argv", ["", *given, "--out", str(tmp_path)])
        assert known_trees.main() == 0
        texts = ((tmp_path / f"{name}.txt").read_text() for name in (ATTACHMENTS, AGREEMENT))
        cells = ([line.split("\t") for line in text.splitlines()] for text in texts)
        return [{lang: unpacked(entry).split("\n") for lang, entry in own} for own in cells]

    return make


def text(feats=FEATS):
    upos, heads, deprels = SENTENCE
    words = Sentence.from_words(["a", "b", "c"])
    return words.replace(upos=upos, heads=heads, deprels=deprels, feats=feats).text


def rounded(odds):
    return round(odds / 0.5)


def test_a_treebank_that_stands_alone_has_arcs_of_its_own(entries):
    arcs, _ = entries(en_a=[text()] * 40, en_b=[text()] * 10, alone=["en_b"])
    expected, _ = entries(en_a=[text()] * 40, de_a=[text()] * 10)
    assert arcs == {"en": expected["en"], "en_b": expected["de"]}
    _, features = entries(en_a=[text()] * 150, en_b=[text()] * 150, alone=["en_b"])
    assert features.keys() == {"en"}


def test_arcs_by_hand(entries):
    arcs, _ = entries(en_a=[text()] * 12, de_a=[text()] * 10)
    assert arcs.keys() == {"de", "en"}
    kinds = {line.split("\t")[0]: line.split("\t")[1:] for line in arcs["de"]}
    # Every word could have each of the two others or ROOT as its head.
    base = 30 / 90
    of_others = [str(rounded(log((3 * base) / 63 / base))), str(rounded(log(0.05 / 2)))]
    assert len(kinds) == 4 and kinds[" ".join(OTHERS)] == of_others
    odds, deprels = kinds[f"DET NOUN {LEFT}"]
    rate = (10 + 3 * base) / 13
    # At distance 1 and any other, the same number of steps.
    assert odds == str(rounded(log((10 + 5 * rate) / 15 / base))) == str(rounded(log(rate / base)))
    ranks = [str(rounded(log(0.05 / 12))), "det", str(rounded(log(10.05 / 12)))]
    assert deprels.split(" ") == ranks
    odds, deprels = kinds[f"VERB {ROOT_UPOS} {LEFT}"]
    assert " " not in odds and deprels.split(" ")[1] == "root"


def test_agreement_by_hand(entries):
    _, features = entries(en_a=[text()] * 60 + [text(["Case=Acc", "Case=Acc", "_"])] * 60)
    kinds = {line.split("\t")[0].rsplit(" ", 1)[0]: line for line in features["en"]}
    assert kinds.keys() == {"det DET NOUN", "nsubj NOUN VERB"}  # deprels without subtypes
    kind, values = kinds["det DET NOUN"].split("\t")
    assert kind.split(" ")[-1] == str(rounded(log(50 / 170)))
    chance = (60.1 / 121) ** 2
    rank = str(rounded(log((60 + 50 * chance) / 170 / chance)))
    assert values == f"Case Acc Acc {rank} Case Nom Nom {rank}"


def test_rare_kinds_are_left_out(entries):
    arcs, features = entries(en_a=[text()] * 2)
    assert [line.split("\t")[0] for line in arcs["en"]] == [" ".join(OTHERS)] and not features


def test_the_counts_of_large_languages_have_less_weight(entries, monkeypatch):
    heavy, _ = entries(en_a=[text()] * 16)
    monkeypatch.setattr(known_trees, "MANY", 4)
    light, _ = entries(en_a=[text()] * 16)
    odds = [
        [int(line.split("\t")[1].split(" ")[0]) for line in own["en"]] for own in (heavy, light)
    ]
    assert all(abs(two) <= abs(one) for one, two in zip(*odds)) and odds[0] != odds[1]


def test_older_files_of_a_treebank_count_for_trees_only(entries):
    arcs, features = entries(en_a_trees=[text()] * 120)
    assert arcs["en"] and not features
