import json

import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.score_files import read_scores
from udify_allennlp.apps.studies.score_table import METRICS, Score, ScoreTable


def test_of_evaluate(tmp_path):
    path = tmp_path / "s.json"
    values = {"en_ewt_LAS": 1.5, "en_ewt_UAS": 2, "en_ewt_UPOS": 3, "en_ewt_CLAS": 0}
    path.write_text(json.dumps({**values, "br_keb_LAS": 4, "br_keb_UAS": 5, "br_keb_UPOS": 6}))
    assert read_scores(str(path)) == {
        "en_ewt": {"LAS": 1.5, "UAS": 2, "UPOS": 3},
        "br_keb": {"LAS": 4, "UAS": 5, "UPOS": 6},
    }


def test_of_an_experiment(tmp_path):
    scores = [
        Score(treebank, "low", model, dict.fromkeys(METRICS, value))
        for treebank, model, value in (("x_a", "UDify", 50.0), ("x_a", "Lang", 60.0))
    ]
    path = tmp_path / "scores.tsv"
    path.write_text(ScoreTable(scores, ["UDify", "Lang"]).tsv())
    assert read_scores(str(path))["x_a"] == {"LAS": 50, "UAS": 50, "UPOS": 50}


@pytest.mark.parametrize(
    "name, text",
    [
        ("s.json", '{"LAS": 80.0}'),  # one treebank, without its name
        ("s.json", '{"en_ewt_LAS": 80.0}'),
        ("s.json", "[]"),
        ("s.json", "no JSON"),
        ("s.tsv", "treebank\tLAS\nen_ewt\t80\n"),
        ("s.tsv", "treebank\tmodel\tLAS\tUAS\tUPOS\nen_ewt\tUDify\tx\t1\t1\n"),
        ("s.tsv", ""),
    ],
)
def test_what_holds_no_scores_of_treebanks(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=f"--scores .*{name}: has no LAS, UAS, UPOS"):
        read_scores(str(tmp_path / name))
