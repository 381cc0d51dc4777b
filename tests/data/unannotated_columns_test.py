import logging
from pathlib import Path

import pytest
from allennlp.data import Vocabulary

from tests.helpers import DEV, ENCODER, TRAIN
from tests.helpers.loaders import make_loader
from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.data.ud_reader import UniversalDependenciesReader


@pytest.fixture
def bare(tmp_path):
    """The development file twice more, without features, as of two treebanks."""
    cells = [line.split("\t") for line in Path(DEV).read_text(encoding="utf-8").split("\n")]
    lines = ["\t".join([*c[:5], "_", *c[6:]]) if len(c) == 10 else c[0] for c in cells]
    paths = [tmp_path / name for name in ("en_spoken-ud-dev.conllu", "vi_vtb-ud-dev.conllu")]
    for path in paths:
        path.write_text("\n".join(lines), encoding="utf-8")
    return [str(path) for path in paths]


def feats(loader):
    """Of each treebank, the features of its words as a model learns them."""
    vocab = Vocabulary.from_instances(loader.iter_instances())
    names = {UNSEEN: None, **vocab.get_index_to_token_vocabulary("feats_labels")}
    assert "" not in names.values()
    found = {}
    for batch in loader:
        numbers = iter(batch["feats"].tolist())
        for sentence in batch["sentences"]:
            own = [names[next(numbers)] for _ in range(len(sentence))]
            found.setdefault(Path(sentence.path).name.split("-")[0], []).extend(own)
    return found


def test_left_out_features_are_not_learned_where_the_language_has_some(bare, caplog):
    with caplog.at_level(logging.INFO):
        found = feats(make_loader([DEV, *bare], shuffle=False))
    assert set(found["en_spoken"]) == {None}
    assert set(found["vi_vtb"]) == {"_"}
    assert "not learned from en_spoken, which" in caplog.text
    assert found["en_ewt"] == feats(make_loader(DEV, shuffle=False))["en_ewt"]


def test_alone_a_treebank_without_features_teaches_that_there_are_none(bare):
    assert set(feats(make_loader(bare))["en_spoken"]) == {"_"}


def test_features_that_a_model_is_given_stay_as_the_files_have_them(bare):
    reader = UniversalDependenciesReader(ENCODER, inputs=["feats"])
    assert set(feats(make_loader([DEV, *bare], reader))["en_spoken"]) == {"_"}


def test_poorly_annotated_parts_of_speech_are_learned_from_the_other_treebanks(tmp_path, caplog):
    """Nine nouns in ten of one treebank lose their features; other words keep theirs."""
    lines, nouns = [], 0
    for line in Path(TRAIN).read_text(encoding="utf-8").split("\n"):
        cells = line.split("\t")
        if len(cells) == 10 and cells[3] == "NOUN":
            nouns += 1
            cells[5] = cells[5] if nouns % 10 == 0 else "_"
        lines.append("\t".join(cells))
    path = tmp_path / "en_poor-ud-train.conllu"
    path.write_text("\n".join(lines), encoding="utf-8")
    with caplog.at_level(logging.INFO):
        loader = make_loader([TRAIN, str(path)], shuffle=False)
    assert "missing values are not learned from en_poor, which" in caplog.text
    vocab = Vocabulary.from_instances(loader.iter_instances())
    names = {UNSEEN: None, **vocab.get_index_to_token_vocabulary("feats_labels")}
    unlabelled = 0
    for batch in loader:
        numbers = iter(batch["feats"].tolist())
        for sentence in batch["sentences"]:
            for tag, cell in zip(sentence.upos, sentence.feats):
                label = names[next(numbers)]
                poor = sentence.path == str(path) and tag == "NOUN" and cell == "_"
                unlabelled += poor
                assert label == (None if poor else cell)
    assert unlabelled == nouns - nouns // 10 > 50
