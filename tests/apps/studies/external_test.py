import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import ROOT
from udify_allennlp.apps.studies.external import external_scores
from udify_allennlp.apps.studies.treebanks import Treebank

EWT = Treebank("en_ewt", "train", "dev", "test", 12544)


def test_rows_of_the_treebanks_compared(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("# a comment\ntreebank\tmodel\tLAS\tUPOS\nen_ewt\tA\t80.5\t\nde_gsd\tA\t1\t2\n")
    assert external_scores(str(path), [EWT]) == [("en_ewt", "high", "A", {"LAS": 80.5}, None, None)]


def test_those_of_the_thesis_are_shipped():
    scores = external_scores(str(ROOT / "docs" / "results" / "thesis.tsv"), [EWT])
    found = {score.model: score.values["LAS"] for score in scores}
    assert found == {"UDPipe Future, UD 2.3": 86.97, "UDify, UD 2.3": 88.50}


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "treebank\tLAS\nen_ewt\t1\n",
            r"rows.tsv:1: the columns are treebank, LAS. Use treebank, m",
        ),
        ("treebank\tmodel\tELAS\n", r"rows.tsv:1: the columns are"),
        ("treebank\tmodel\tLAS\nen_ewt\tA\n", r"rows.tsv:2: 2 cells for 3 columns"),
        ("treebank\tmodel\tLAS\nen_ewt\tA\tgood\n", r"rows.tsv:2: LAS is 'good'. Write F1"),
        ("treebank\tmodel\tLAS\nen_ewt\tA\t101\n", r"rows.tsv:2: LAS is '101'"),
        ("treebank\tmodel\tLAS\nen_gum\tA\t1\n", r"has no row for these treebanks.*en_ewt"),
        ("", r"has no row for these treebanks"),
    ],
)
def test_mistakes_name_the_line(tmp_path, text, message):
    path = tmp_path / "rows.tsv"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        external_scores(str(path), [EWT])
