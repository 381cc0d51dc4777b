"""Balanced sampling, characters, XPOS by treebank and SIGMORPHON's data, as a user meets them."""

import json
import shutil

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor
from allennlp.training.callbacks import TrainerCallback

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN
from tests.helpers.processes import allennlp, predict
from udify_allennlp.scoring.sigmorphon import METRICS, count, total
from udify_allennlp.text.conllu import read_sentences

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")
SIGMORPHON = FIXTURES / "sigmorphon"

ALL = """
local sampling = {{ sampling: 'temperature', temperature: 5, epoch_size: 60 }};
(import '{configs}/tiny.jsonnet')
+ (import '{configs}/parts/characters.libsonnet')(dim=8, filters=8)
+ (import '{configs}/parts/treebank_xpos.libsonnet')()
+ {{ data_loader+: sampling, trainer+: {{ num_epochs: 2 }} }}
"""


class Interrupted(Exception):
    """Stands for the power cut."""


@TrainerCallback.register("test_interrupt_once")
class InterruptOnce(TrainerCallback):
    done = False

    def on_batch(self, trainer, *args, is_training=True, **kwargs):
        if is_training and trainer._total_batches_completed == 12 and not self.done:
            InterruptOnce.done = True
            raise Interrupted


def train(config, run, train_path, dev_path, recover=False, **settings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TRAIN", str(train_path))
        patch.setenv("UD_DEV", str(dev_path))
        overrides = {f"trainer.{key}": value for key, value in settings.items()}
        train_model_from_file(str(config), str(run), overrides=overrides, recover=recover)
    return json.loads((run / "metrics.json").read_text())


def config_of_all(folder):
    config = folder / "all.jsonnet"
    config.write_text(ALL.format(configs=CONFIGS))
    return config


def parse(archive, path):
    predictor = Predictor.from_path(str(archive), "udify")
    return list(predictor.parse(predictor.reader.sentences(str(path))))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("all")
    metrics = train(config_of_all(folder), folder / "out", f"{TRAIN},{GERMAN}", DEV)
    assert {"best_validation_XPOS", "best_validation_Lemmas"} <= set(metrics)
    return folder / "out" / "model.tar.gz"


def xpos(sentences):
    return {tag for sentence in sentences for tag in sentence.xpos}


def test_the_name_of_a_file_or_an_option_says_which_xpos(archive, tmp_path):
    assert xpos(parse(archive, DEV)) <= xpos(read_sentences(TRAIN))
    # The same sentences under another name, or as the option says.
    named = parse(archive, shutil.copy(DEV, tmp_path / "de_gsd-ud-test.conllu"))
    assert xpos(named) <= xpos(read_sentences(GERMAN))
    option = '{"model.decoders.xpos.treebank": "de_gsd"}'
    predict(archive, DEV, tmp_path / "out.conllu", "--overrides", option)
    given = list(read_sentences(tmp_path / "out.conllu"))
    assert [sentence.text for sentence in given] == [sentence.text for sentence in named]


def test_words_are_parsed_without_a_file(archive):
    result = Predictor.from_path(str(archive), "udify").predict("Hello there")
    assert len(result["xpos"]) == len(result["lemmas"]) == 2


def test_a_recovered_run_draws_the_same_sentences_characters_and_treebanks(archive, tmp_path):
    """An epoch has eight batches or so, and the first run ends in the middle of the second one."""
    data = f"{TRAIN},{GERMAN}", DEV
    settings = {
        "checkpointer.save_every_num_batches": 5,
        "callbacks": ["udify_unfreeze", "test_interrupt_once"],
    }
    config, run = config_of_all(tmp_path), tmp_path / "out"
    with pytest.raises(Interrupted):
        train(config, run, *data, **settings)
    train(config, run, *data, recover=True, **settings)
    whole, recovered = (load_archive(path).model for path in (archive, run / "model.tar.gz"))
    for name, value in whole.state_dict().items():
        assert torch.equal(value, recovered.state_dict()[name]), name


def test_sigmorphon(tmp_path):
    """Train on data without trees, predict a covered file, evaluate as the shared task does."""
    gold, other = (SIGMORPHON / f"en_hand-um-{split}.conllu" for split in ("dev", "train"))
    config = CONFIGS / "udify_sigmorphon.jsonnet"
    metrics = train(config, tmp_path / "run", other, gold, num_epochs=2)
    assert {f"best_validation_{name}" for name in METRICS} <= set(metrics)
    archive = tmp_path / "run" / "model.tar.gz"

    blank = [s.replace(lemmas=["_"] * len(s), feats=["_"] * len(s)) for s in read_sentences(gold)]
    covered = tmp_path / "en_hand-um-covered-test.conllu"
    covered.write_text("".join(sentence.text for sentence in blank), encoding="utf-8")
    pairs = zip(read_sentences(gold), parse(archive, covered), strict=True)
    expected = total(count(g.lemmas, g.feats, p.lemmas, p.feats) for g, p in pairs).scores()

    result = allennlp("evaluate", archive, f"{gold},{other}")
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["macro", "micro"]
    row = [f"{expected[name]:.2f}" for name in METRICS]
    assert next(line for line in lines if line.startswith("en_hand")).split()[1:] == row
