"""The benchmark of rules for the best tree: its scores are the official ones, its rules differ."""

import sys

import labelled_trees_bench as bench
import pytest

from tests.conftest import FIXTURES
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.text.conllu import read_sentences

MODEL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
GOLD = FIXTURES / "ud" / "fr_gsd-ud-dev.conllu"


def test_each_rule_is_scored_as_if_it_were_the_models(capsys, monkeypatch, tmp_path):
    out = tmp_path / "table.tsv"
    monkeypatch.setattr(sys, "argv", ["bench", str(MODEL), str(GOLD), "--out", str(out)])
    assert bench.main() == 0
    shown = capsys.readouterr().out
    header, row = (line.split("\t") for line in out.read_text().splitlines())
    found = dict(zip(header, row))
    gold = list(read_sentences(GOLD))
    predictor = load_predictor(str(MODEL))
    for name in ("arcs", "arcs+labels"):  # others may have several roots: no official scores
        predictor.model.decoders["deps"].best_tree = name
        scores = official_scores(gold, list(predictor.parse(gold)), name)
        for metric in bench.METRICS:
            assert float(found[f"{name} {metric}"]) == pytest.approx(scores[metric], abs=0.001)
    assert "1 treebanks" in shown and shown.count("cost") == len(bench.RULES) - 1
    assert len({found[f"{name} LAS"] for name in bench.RULES}) > 1  # untrained: they differ
