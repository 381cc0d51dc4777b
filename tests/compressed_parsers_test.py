"""The benchmark of compressed parsers: its rows of speed."""

from itertools import islice

from compressed_parsers import call, speeds

from tests.apps.analysis.helpers import save_run
from tests.helpers import DEV
from tests.helpers.processors import needs_int8
from udify_allennlp.text.conllu import read_sentences


@needs_int8
def test_speeds_are_beside_that_of_the_model_itself(tmp_path):
    parser, pruned = str(save_run(tmp_path / "parser")), tmp_path / "pruned30.tar.gz"
    call("ud-pack", parser, "--prune", 0.3, "--out", pruned)
    texts = [list(islice(read_sentences(DEV), 3))] * 2
    head, base, *others = speeds(parser, [pruned], texts, 1)
    assert head == ["model", "words/s", "times"]
    assert base[0] == "base" and base[2] == 1
    assert [row[0] for row in others] == ["int8, a scale for each row", "pruned30"]
    assert all(row[1] > 0 and row[2] > 0 for row in others)
