import json
import sys
from pathlib import Path

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER
from udify_allennlp import cli
from udify_allennlp.config import settings

MODEL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"


@pytest.fixture
def environment(monkeypatch):
    """Sets the environment variables that shipped configs read."""
    for name in (
        "UD_TRAIN",
        "UD_DEV",
        "UD_MODEL",
        "UD_TEACHER",
        "UD_VECTORS",
        "UD_INITIAL",
        "UD_TEXTS",
        "UD_HELD_OUT",
        "UD_STYLES",
    ):
        monkeypatch.setenv(name, "absent.conllu")
    monkeypatch.setenv("UD_PREDICTED", "absent")
    monkeypatch.setenv("UD_START", "")
    monkeypatch.setenv("UD_FAVOURED", "")
    for name in ("UD_ENCODER", "UD_STUDENT"):
        monkeypatch.setenv(name, ENCODER)


@pytest.fixture
def config(environment):
    return Params.from_file("udify_small_cpu").as_dict(quiet=True)


@pytest.mark.parametrize(
    "path", sorted(CONFIGS.rglob("*.jsonnet")), ids=lambda path: str(path.relative_to(CONFIGS))
)
def test_shipped_configs_pass(environment, path):
    shipped = Params.from_file(str(path)).as_dict(quiet=True)
    settings.check_training(shipped)
    shipped["trainer"]["num_epoch"] = 3
    with pytest.raises(ConfigurationError, match="Did you mean num_epochs?"):
        settings.check_training(shipped)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("trainr", {}, "trainr is not a setting of a config. Did you mean trainer?"),
        (
            "trainer.num_epoch",
            3,
            "trainer.num_epoch is not a setting of 'udify'. Did you mean num_ep",
        ),
        (
            "trainer.grad_normm",
            1.0,
            "trainer.grad_normm is not a setting of 'udify'. Did you mean gr",
        ),
        ("trainer.num_epochs", "two", "trainer.num_epochs is 'two'; it must be a whole number."),
        ("trainer.use_amp", "yes", "trainer.use_amp is 'yes'; it must be true or false."),
        ("trainer.optimizer.lr", "1e-3", "trainer.optimizer.lr is '1e-3'; it must be a number."),
        ("trainer.optimizer.type", "udify_adam", "trainer.optimizer.type is 'udify_adam', but no "),
        ("trainer.callbacks", {}, "trainer.callbacks is {}; it must be a list."),
        ("trainer.callbacks", [{"type": "udify_unfreeze", "epochs": 1}], "trainer.callbacks.0.epo"),
        ("trainer", [], "trainer is []; it must be an object."),
        (
            "model.droput",
            0.1,
            "model.droput is not a setting of 'udify_multitask'. Did you mean drop",
        ),
        ("model.embedder.mask", 0.1, "model.embedder.mask is not a setting of 'udify_encoder'. "),
        (
            "model.decoders.deps.arcdim",
            9,
            "model.decoders.deps.arcdim is not a setting of 'udify_dep",
        ),
        ("model.type", "udify_multitsk", "no Model has that name. Did you mean udify_multitask?"),
        ("model.dropout", "0.1", "model.dropout is '0.1'; it must be a number."),
        (
            "dataset_reader.max_peices",
            9,
            "dataset_reader.max_peices is not a setting of 'udify_uni",
        ),
        ("dataset_reader.skip_invalid", "no", "dataset_reader.skip_invalid is 'no'; it must be t"),
        (
            "data_loader.batchsize",
            2,
            "data_loader.batchsize is not a setting of 'udify'. Did you me",
        ),
        ("evaluation.kind", 2, "evaluation.kind is not a setting of 'udify'."),
        (
            "distributed",
            {"gpus": [0]},
            "distributed.gpus is not a setting of distributed. Its settings: cu",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(config, key, value, message):
    *path, last = key.split(".")
    section = config
    for name in path:
        section = section[name]
    section[last] = value
    with pytest.raises(ConfigurationError) as caught:
        settings.check_training(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)


GROUPS = "trainer.optimizer.parameter_groups"


@pytest.mark.parametrize(
    "groups, message",
    [
        (
            [[["^embedder"], {"weight_deca": 1}]],
            ".0.1.weight_deca is not a setting of 'udify_adamw'. Did you m",
        ),
        ([[["^embedder"], {"lr": "low"}]], ".0.1.lr is 'low'; it must be a number."),
        (
            [[["^embedder"], {"params": []}]],
            ".0.1.params is not a setting of 'udify_adamw'. Its settings: bet",
        ),
        (
            [[["a"], {"lr": 1}], [["^(deps"], {}]],
            ".1.0.0 is '^(deps'; it must be a regular expressio",
        ),
        ([[["^embedder"]]], ".0 is [['^embedder']]; it must be a list of two: "),
        ([["^embedder", {"lr": 1}]], ".0.0 is '^embedder'; it must be a list."),
    ],
)
def test_groups_of_parameters(config, groups, message):
    config["trainer"]["optimizer"]["parameter_groups"] = groups
    with pytest.raises(ConfigurationError) as caught:
        settings.check_training(config)
    assert str(caught.value).startswith(GROUPS + message)
    assert "\n" not in str(caught.value)


def test_groups_that_optimizers_take(config):
    options = [{"lr": 1, "betas": [0.9, 0.99]}, {"requires_grad": False}]
    groups = config["trainer"]["optimizer"]["parameter_groups"] = [
        [["a"], each] for each in options
    ]
    settings.check_training(config)
    groups[0][1]["optimizer_name"] = "other"
    several = {"default": {"type": "sgd", "lr": 1}, "other": "adam"}
    config["trainer"]["optimizer"] = {
        "type": "multi",
        "optimizers": several,
        "parameter_groups": groups,
    }
    settings.check_training(config)
    groups[0][1]["momentun"] = 0.9
    with pytest.raises(
        ConfigurationError, match="momentun is not a setting of 'multi'. Did you mean mo"
    ):
        settings.check_training(config)


def test_other_classes_of_allennlp_and_what_takes_anything(config):
    config["trainer"]["type"] = "gradient_descent"
    config["trainer"]["validation_metric"] = ["+LAS", "+UAS"]
    for name in ("cpu_bfloat16", "amp_dtype", "least_steps"):
        del config["trainer"][name]
    settings.check_training(config)
    config["trainer"]["amp_dtype"] = "float16"
    with pytest.raises(
        ConfigurationError, match="amp_dtype is not a setting of 'gradient_descent'"
    ):
        settings.check_training(config)

    class TakesAll:
        def __init__(self, first: int, **others):
            self.settings = others

    assert settings._parameters(TakesAll) == ({"first": int}, True)


def outcome(monkeypatch, capfd, *words):
    monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    return cli.run(), capfd.readouterr().err.splitlines()[-1]


def test_train_refuses_before_it_makes_a_folder(config, monkeypatch, capfd, tmp_path):
    run = tmp_path / "run"
    change = json.dumps({"trainer.num_epoch": 2})
    code, line = outcome(monkeypatch, capfd, "train", "udify_small_cpu", "-s", run, "-o", change)
    assert (code, line) == (
        1,
        "allennlp: error: trainer.num_epoch is not a setting of 'udify'. Did you mean num_epochs?",
    )
    assert not Path(run).exists()


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_changes_to_the_settings_of_a_model_are_looked_at(monkeypatch, capfd, command):
    words = (command, MODEL, "x.conllu", "-o", '{"model.precison": "int8"}')
    code, line = outcome(monkeypatch, capfd, *words)
    assert code == 1 and line.endswith(
        "model.precison is not a setting of 'udify_multitask'. Did you mean precision?"
    )
