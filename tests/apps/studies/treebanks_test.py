import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks

BLOCK = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def make(folder, **counts):
    """A folder `UD_X` with files of so many sentences by name, such as `xx_a_train=3`."""
    folder.mkdir(exist_ok=True)
    for key, count in counts.items():
        name, _, kind = key.rpartition("_")
        (folder / f"{name}-ud-{kind}.conllu").write_text(BLOCK * count)
    return str(folder)


def test_what_a_folder_holds(tmp_path):
    make(tmp_path / "UD_A", xx_a_train=3, xx_a_dev=2, xx_a_test=1)
    make(tmp_path / "UD_B", yy_b_train=3, yy_b_test=1)
    make(tmp_path / "UD_C", zz_c_test=1)
    make(tmp_path / "UD_D", zz_d_train=1)
    found = find_treebanks([str(tmp_path / "UD_*")])
    assert [treebank.name for treebank in found] == ["xx_a", "yy_b", "zz_c"]
    assert [treebank.train_sentences for treebank in found] == [3, 3, 0]
    assert found[0].validation == found[0].dev
    assert found[1].validation == found[1].train
    assert [treebank.resources for treebank in found] == ["low", "low", "zero-shot"]


@pytest.mark.parametrize(
    "sentences, name", [(999, "low"), (1000, "medium"), (9999, "medium"), (10_000, "high")]
)
def test_resource_classes(sentences, name):
    assert Treebank("x", "train", None, "test", sentences).resources == name


def test_mistakes(tmp_path):
    (tmp_path / "empty").mkdir()
    only_train = make(tmp_path / "UD_A", xx_a_train=1)
    for folder, message in [
        (str(tmp_path / "absent*"), "matches no folder"),
        (str(tmp_path / "empty"), "has no files such as"),
        (only_train, "None of the treebanks has a test file"),
    ]:
        with pytest.raises(ConfigurationError, match=message):
            find_treebanks([folder])
    twice = [make(tmp_path / name, xx_a_test=1) for name in ("UD_A", "UD_B")]
    with pytest.raises(ConfigurationError, match="xx_a is in .* and in another folder"):
        find_treebanks(twice)
