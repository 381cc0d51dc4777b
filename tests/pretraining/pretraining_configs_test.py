"""The shipped configs hold the values of the paper, and its two ablations."""

import json

from _jsonnet import evaluate_file, evaluate_snippet

from tests.conftest import CONFIGS

FOLDER = CONFIGS / "pretraining"
PATHS = {
    "UD_ENCODER": "here",
    "UD_TRAIN": "a.conllu,b.conllu",
    "UD_DEV": "",
    "UD_TEXTS": "a.txt",
    "UD_HELD_OUT": "c.conllu",
}


def test_values_of_section_4_1():
    config = json.loads(evaluate_file(str(FOLDER / "ud_bert.jsonnet"), ext_vars=PATHS))
    model, trainer, texts = config["model"], config["trainer"], config["data_loader"]["texts"]
    assert model["embedder"]["load_weights"] is False and "masked_head_from" not in model
    assert model["embedder"]["dropout"] == 0.1
    structure = model["decoders"]["deps"]
    assert (structure["head_dim"], structure["dependent_dim"]) == (128, 64)
    assert model["masking"]["rate"] == 0.15 and model["masking"]["masked"] == 0.8
    optimizer = trainer["optimizer"]
    assert (*optimizer["betas"], optimizer["eps"]) == (0.9, 0.98, 1e-6)
    assert optimizer["weight_decay"] == 0.01
    assert trainer["phases"] == [
        {"updates": 600_000, "rates": {"treebanks": 1}},
        {"rates": {"treebanks": 0.8}},
    ]
    assert trainer["num_epochs"] * texts["batches_per_epoch"] == 1_200_000
    assert texts["batch_size"] == config["data_loader"]["treebanks"]["batch_size"] == 6
    corpora = {name: corpus["paths"] for name, corpus in texts["corpora"].items()}
    assert corpora == {"UD_TEXTS": ["a.txt"], "UD_TRAIN": ["a.conllu", "b.conllu"]}
    assert config["data_loader"]["held_out"] == {"paths": ["c.conllu"]}
    assert config["dataset_reader"]["max_pieces"] == 384


def test_structure_only_never_takes_treebanks():
    part = f"(import '{CONFIGS}/parts/pretraining.libsonnet')"
    text = f"{part}('here', use_usl_loss=false, use_integration=true)"
    config = json.loads(evaluate_snippet("ablation", text, ext_vars=PATHS))
    assert config["model"]["use_usl_loss"] is False
    assert [phase["rates"] for phase in config["trainer"]["phases"]] == [{"treebanks": 0}] * 2
    assert config["trainer"]["validation_metric"] == "-masked_loss"


def test_the_small_config_goes_on_from_an_encoder():
    config = json.loads(evaluate_file(str(FOLDER / "small_cpu.jsonnet"), ext_vars=PATHS))
    model = config["model"]
    assert model["embedder"]["load_weights"] is True and model["masked_head_from"] == "here"
