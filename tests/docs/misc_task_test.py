"""The plugin of docs/add_a_task.md, trained and used as the page says."""

import json

import pytest
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor
from hypothesis import given, settings
from hypothesis import strategies as st

from docs.examples.misc_task import MiscKey, value_of, with_value
from tests.apps.analysis.helpers import run_command
from tests.conftest import ROOT
from tests.helpers import DEV, ENCODER, vocabulary
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.text.conllu import read_sentences

CONFIG = ROOT / "docs" / "examples" / "misc_task.jsonnet"


@pytest.fixture(scope="module")
def archive(tmp_path_factory, small_data):
    run = tmp_path_factory.mktemp("misc") / "run"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(("UD_ENCODER", "UD_TRAIN", "UD_DEV"), (ENCODER, *small_data)):
            patch.setenv(name, value)
        train_model_from_file(str(CONFIG), str(run), overrides={"trainer.num_epochs": 2})
    metrics = json.loads((run / "metrics.json").read_text())
    assert metrics["best_validation_SpaceAfter"] > 50 and "best_validation_LAS" in metrics
    return run / "model.tar.gz"


NAMES = st.sampled_from(["SpaceAfter", "Space", "Gloss", "Typo"])
VALUES = st.text("abN=_", min_size=1).filter(lambda value: value != "_")
CELLS = st.dictionaries(NAMES, VALUES).map(
    lambda pairs: "|".join(f"{key}={value}" for key, value in pairs.items()) or "_"
)


@settings(max_examples=40)
@given(cell=CELLS, key=NAMES, value=VALUES | st.just("_"))
def test_a_value_that_is_written_is_read_and_other_keys_stay(cell, key, value):
    new = with_value(cell, key, value)
    assert value_of(new, key) == value
    for other in ("SpaceAfter", "Space", "Gloss", "Typo"):
        if other != key:
            assert value_of(new, other) == value_of(cell, other)
    back = with_value(new, key, value_of(cell, key))
    assert sorted(back.split("|")) == sorted(cell.split("|"))


def test_tables_and_instances_have_the_same_labels(tmp_path):
    task = MiscKey("SpaceAfter")
    reader = UniversalDependenciesReader(ENCODER, [task], cache_dir=str(tmp_path))
    table = reader.table(DEV)
    labels = [task.labels(sentence) for sentence in read_sentences(DEV)]
    assert {"_", "No"} == {label for sentence in labels for label in sentence}
    for kept in (table, reader.kept_table(DEV)):
        assert [kept.values(row, "misc") for row in range(len(kept))] == labels
    # Another key is another table.
    other = UniversalDependenciesReader(ENCODER, [MiscKey("Typo")], cache_dir=str(tmp_path))
    assert other.kept_table(DEV) is None


def test_only_the_key_changes_in_misc(archive):
    predictor = Predictor.from_path(str(archive), "udify")
    gold = list(read_sentences(DEV))
    parsed = list(predictor.parse(gold))
    for old, new in zip(gold, parsed, strict=True):
        expected = [
            with_value(cell, "SpaceAfter", value_of(guess, "SpaceAfter"))
            for cell, guess in zip(old.misc, new.misc)
        ]
        assert new.misc == expected
    model = load_archive(archive).model
    assert model.decoders["misc"]._labels == ["_", "No"]


def test_the_command_line_of_the_page(archive, tmp_path, monkeypatch, capsys):
    plugin = ["--include-package", "docs.examples.misc_task"]
    words = ["predict", archive, DEV, "--output-file", tmp_path / "out.conllu", *plugin]
    assert run_command(monkeypatch, capsys, *words)[0] == 0
    gold, parsed = (list(read_sentences(str(path))) for path in (DEV, tmp_path / "out.conllu"))
    assert [sentence.forms for sentence in parsed] == [sentence.forms for sentence in gold]
    code, output, _ = run_command(monkeypatch, capsys, "evaluate", archive, DEV, *plugin)
    assert code == 0 and "en_ewt" in output


def test_a_decoder_without_labels_says_what_to_do():
    with pytest.raises(ConfigurationError, match="Add 'misc' to dataset_reader.tasks"):
        TagDecoder(vocabulary(), MiscKey("SpaceAfter"), input_dim=8)
