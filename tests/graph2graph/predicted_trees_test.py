import re
import shutil
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.helpers import ENCODER
from udify_allennlp.data.collate import UNSEEN, Collator
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.graph2graph.predicted_trees import PredictedTrees
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.errors import ConlluError


@pytest.fixture
def files(tmp_path, small_data):
    """A treebank, and a copy in which every word hangs from the one before it by a label nobody
    knows."""
    treebank = tmp_path / "x-ud-train.conllu"
    shutil.copy(small_data[1], treebank)
    folder = tmp_path / "predicted"
    folder.mkdir()
    sentences = (
        s.replace(
            heads=[str(word) for word in range(len(s))],
            deprels=["never"] * len(s),
            upos=["X"] * len(s),
        )
        for s in read_sentences(str(treebank))
    )
    write_sentences(sentences, str(folder / treebank.name))
    return treebank, folder


def reader_of(folder, **settings):
    return UniversalDependenciesReader(
        ENCODER, ["deps"], inputs=[PredictedTrees(str(folder))], **settings
    )


def test_they_are_inputs_beside_the_gold_trees(files):
    treebank, folder = files
    reader = reader_of(folder)
    vocab = Vocabulary.from_instances(reader.read(str(treebank)))
    assert "never" not in vocab.get_token_to_index_vocabulary("deprel_labels")
    collate = Collator(reader.table(str(treebank)), reader.schema)
    collate.index_with(vocab)
    batch = collate([0, 1])
    inputs = batch["inputs"]
    assert set(inputs) == {"predicted_heads", "predicted_deprels", "predicted_upos"}
    lengths = [len(sentence) for sentence in batch["sentences"]]
    assert inputs["predicted_heads"].tolist() == [x for n in lengths for x in range(n)]
    assert set(inputs["predicted_deprels"].tolist()) == {UNSEEN}
    assert batch["heads"].any() and (batch["deprels"] != UNSEEN).all()


def test_other_predictions_are_read_anew_from_a_cache(files, tmp_path):
    treebank, folder = files
    reader = reader_of(folder, cache_dir=str(tmp_path / "cache"))
    first = reader.table(str(treebank))
    assert first.values(0, "predicted_deprels")[0] == "never"
    shutil.copy(treebank, folder / treebank.name)
    assert reader.table(str(treebank)).values(0, "predicted_deprels")[0] != "never"


def test_blank_lines_do_not_matter_and_of_the_same_words_the_nearest_is_taken(files):
    treebank, folder = files
    rows = "1\tNo\t_\t_\t_\t_\t{}\t{}\t_\t_\n2\tway\t_\t_\t_\t_\t{}\t{}\t_\t_\n"
    ways = [rows.format(0, "root", 1, "a"), rows.format(2, "b", 0, "root")] * 2
    treebank.write_text("\n" + "\n".join(ways) + "\n\n")
    (folder / treebank.name).write_text("\n".join(ways) + "\n")
    table = reader_of(folder).table(str(treebank))
    found = [list(table.values(place, "predicted_deprels")) for place in range(4)]
    assert found == [["root", "a"], ["b", "root"], ["root", "a"], ["b", "root"]]


def test_a_file_that_is_missing_or_of_something_else(files):
    treebank, folder = files
    path: Path = folder / treebank.name
    text = path.read_text()
    first = next(iter(read_sentences(str(treebank)))).forms[0]
    path.write_text(re.sub(rf"\t{re.escape(first)}\t", "\tother\t", text, count=1))
    with pytest.raises(ConlluError, match=f"{path}: no sentence has the words of .*:1"):
        list(reader_of(folder).read(str(treebank)))
    path.write_text(text[: text.index("\n\n") + 2])
    with pytest.raises(ConlluError, match="Predict the trees of this file again"):
        list(reader_of(folder).read(str(treebank)))
    path.write_text(text.replace("\t0\tnever", "\t_\t_", 1))
    with pytest.raises(ConlluError, match=f"{path}:[0-9]+: "):
        list(reader_of(folder).read(str(treebank)))
    path.unlink()
    with pytest.raises(ConfigurationError, match="allennlp predict MODEL .* --output-file"):
        list(reader_of(folder).read(str(treebank)))
