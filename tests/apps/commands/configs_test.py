"""Every shipped config builds, and the metric it watches exists."""

import inspect
import json

import pytest
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.data import DatasetReader

from tests.conftest import CONFIGS
from tests.helpers import tensors
from tests.helpers.configs import SHIPPED, dev_file
from udify_allennlp.srl.decoder import RoleDecoder


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(CONFIGS)))
def test_shipped_config_builds_and_watches_a_real_metric(path, tmp_path, shipped, small_data):
    params = shipped(path)
    watched = params["trainer"]["validation_metric"]
    read_with = params.get("validation_dataset_reader", params["dataset_reader"])
    reader = DatasetReader.from_params(read_with.duplicate())
    run = TrainModel.from_params(params, serialization_dir=str(tmp_path), local_rank=0)
    model = run.model.eval()
    model(**tensors(list(reader.read(dev_file(path, small_data))), model.vocab))
    metrics = model.get_metrics()
    for name in [watched] if isinstance(watched, str) else watched:
        assert name.lstrip("+-") in metrics


def test_the_thesis_config_has_the_values_of_table_3_3(monkeypatch):
    for name in ("UD_ENCODER", "UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    config = json.loads(json.dumps(Params.from_file(str(CONFIGS / "udify.jsonnet")).as_dict()))
    model, trainer = config["model"], config["trainer"]
    optimizer, schedule = trainer["optimizer"], trainer["learning_rate_scheduler"]
    assert model["decoders"]["deps"]["arc_dim"] == 768
    assert model["decoders"]["deps"]["deprel_dim"] == 256
    assert {d["label_smoothing"] for t, d in model["decoders"].items() if t != "deps"} == {0.03}
    assert (model["dropout"], model["layer_dropout"]) == (0.5, 0.1)
    assert (model["embedder"]["dropout"], model["embedder"]["mask_probability"]) == (0.2, 0.2)
    assert (optimizer["betas"], optimizer["weight_decay"]) == ([0.9, 0.99], 0.01)
    assert optimizer["lr"] == 1e-3
    assert optimizer["parameter_groups"] == [[["^embedder\\."], {"lr": 5e-5}]]
    assert (schedule["warmup_steps"], schedule["frozen_epochs"]) == (8000, 1)
    assert (trainer["num_epochs"], trainer["grad_norm"], trainer["use_amp"]) == (80, 5.0, True)
    assert config["data_loader"]["batch_size"] == 32
    assert config["data_loader"]["noise"] == 0.1


def test_the_refinement_config_has_the_values_of_table_3_7(shipped):
    config = shipped(CONFIGS / "graph2graph" / "rngtr_syntr.jsonnet").as_dict(quiet=True)
    model, trainer = config["model"], config["trainer"]
    optimizer, schedule = trainer["optimizer"], trainer["learning_rate_scheduler"]
    for parser in (model, model["initial"]["parser"]):
        deps = parser["decoders"]["deps"]
        assert (deps["arc_dim"], deps["deprel_dim"], deps["dropout"]) == (500, 100, 0.33)
        assert (deps["activation"], parser["layer_attention"]) == ("leaky_relu", "last")
        assert parser["embedder"]["upos"]
    assert (model["iterations"], trainer["type"]) == (3, "udify_refining")
    assert (optimizer["lr"], optimizer["betas"], optimizer["eps"]) == (2e-3, [0.9, 0.999], 1e-5)
    assert [rates for _, rates in optimizer["parameter_groups"]] == [{"lr": 1e-5}]
    assert (optimizer["weight_decay"], trainer["grad_norm"], schedule["cut_frac"]) == (
        0.01,
        1,
        0.01,
    )
    assert (trainer["num_epochs"], trainer["patience"]) == (200, 100)
    assert trainer["validation_metric"] == "+LAS"


def test_the_transition_config_has_the_values_of_table_2_10(monkeypatch):
    for name in ("UD_ENCODER", "UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    path = CONFIGS / "graph2graph" / "senttr_g2g.jsonnet"
    config = Params.from_file(str(path)).as_dict(quiet=True)
    embedder, trainer = config["model"]["embedder"], config["trainer"]
    assert embedder["layers"] == 6 and embedder["upos"] and not embedder["layer_norm"]
    assert config["model"]["decoders"]["deps"] == {"type": "udify_transition_decoder"}
    optimizer = trainer["optimizer"]
    assert (optimizer["lr"], optimizer["eps"], optimizer["weight_decay"]) == (1e-4, 1e-6, 0.01)
    assert [rates for _, rates in optimizer["parameter_groups"]] == [{"lr": 1e-5}]
    assert (trainer["num_epochs"], trainer["grad_norm"]) == (20, 1.0)
    assert trainer["learning_rate_scheduler"]["cut_frac"] == 0.01


def test_tables_of_relations_have_the_rate_of_the_decoders(tmp_path, shipped):
    params = shipped(CONFIGS / "graph2graph" / "rngtr_syntr.jsonnet")
    run = TrainModel.from_params(params, serialization_dir=str(tmp_path), local_rank=0)
    names = {id(p): name for name, p in run.model.named_parameters()}
    for group in run.trainer.optimizer.param_groups:
        for name in (names[id(p)] for p in group["params"]):
            slow = "embedder" in name and "embedder.graph" not in name
            assert group["initial_lr"] == (1e-5 if slow else 2e-3), name


ORDER_TRANSFER = sorted((CONFIGS / "order_transfer").glob("*.jsonnet"))
SMALL_CPU = [path for path in ORDER_TRANSFER if path.stem.endswith("small_cpu")]
OF_TABLE_7 = [path for path in ORDER_TRANSFER if path not in SMALL_CPU]


@pytest.mark.parametrize("path", OF_TABLE_7, ids=lambda path: path.stem)
def test_the_configs_of_order_transfer_have_the_values_of_table_7(path, monkeypatch):
    for name in ("UD_VECTORS", "UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    config = json.loads(json.dumps(Params.from_file(str(path)).as_dict(quiet=True)))
    embedder, deps = config["model"]["embedder"], config["model"]["decoders"]["deps"]
    layers, rnn = embedder["layers"], path.stem.startswith("rnn")
    dropout = 0.33 if rnn else 0.2
    assert embedder["upos_dim"] == 50
    assert (deps["arc_dim"], deps["deprel_dim"], deps["dropout"]) == (512, 128, dropout)
    assert embedder["word_dropout"] == embedder["output_dropout"] == layers["dropout"] == dropout
    assert config["data_loader"]["batch_size"] == (32 if rnn else 80)
    assert config["trainer"]["optimizer"]["lr"] == (1e-3 if rnn else 1e-4)
    assert config["dataset_reader"]["tasks"] == [{"type": "deps", "universal": True}]
    if rnn:
        assert (layers["num_layers"], layers["hidden_dim"]) == (3, 300)
    else:
        assert (layers["num_layers"], layers["hidden_dim"], layers["clip"]) == (6, 512, 10)
        named = {"directed", "absolute", "none"} & {layers["positions"]}
        assert named or layers["positions"] == "undirected"
    kind = "stack_pointer" if path.stem.endswith("stack") else "dependency"
    assert deps["type"] == f"udify_{kind}_decoder"
    assert (embedder["vectors"] is None) == path.stem.endswith("delexicalised")


def test_there_are_four_systems_three_encoders_and_one_without_words():
    assert len(OF_TABLE_7) == 8


def test_small_ones_are_alike_but_for_encoder_and_decoder(monkeypatch):
    for name in ("UD_VECTORS", "UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    configs = [Params.from_file(str(path)).as_dict(quiet=True) for path in SMALL_CPU]
    kinds = set()
    for config in configs:
        layers = config["model"]["embedder"].pop("layers")
        decoder = config["model"].pop("decoders")["deps"]["type"]
        kinds.add((layers["type"], layers.get("positions"), decoder))
    assert len(kinds) == len(configs) == 7
    assert all(config == configs[0] for config in configs)


TYPOLOGY = sorted((CONFIGS / "typology").glob("*_*.jsonnet"))


@pytest.mark.parametrize(
    "path", [p for p in TYPOLOGY if p.stem != "small_cpu"], ids=lambda path: path.stem
)
def test_the_configs_of_typology_have_the_values_of_table_5(path, monkeypatch):
    for name in ("UD_ENCODER", "UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    config = json.loads(json.dumps(Params.from_file(str(path)).as_dict(quiet=True)))
    embedder, deps = config["model"]["embedder"], config["model"]["decoders"]["deps"]
    layers, optimizer = embedder["layers"], config["trainer"]["optimizer"]
    positions, _, generator = path.stem.partition("_")
    assert (embedder["positions"], embedder["generator"]) == (positions, {"type": generator})
    assert (layers["num_layers"], layers["num_heads"] * layers["head_dim"]) == (4, 768)
    assert (layers["num_heads"], layers["clip"], layers["dropout"]) == (12, 4, 0.2)
    assert embedder["features"] == "uriel" and embedder["below"]["mask_probability"] == 0
    assert (deps["arc_dim"], deps["deprel_dim"], deps["label_smoothing"]) == (768, 256, 0.03)
    assert (optimizer["lr"], optimizer["betas"]) == (1e-3, [0.9, 0.98])
    assert (config["data_loader"]["batch_size"], config["trainer"]["num_epochs"]) == (80, 80)
    assert config["data_loader"]["one_language"] and config["data_loader"]["sampling"] == "uniform"
    assert "card.json" in config["include_in_archive"]


def test_there_are_six_generators_of_two_kinds_of_positions():
    assert len(TYPOLOGY) == 2 * 6 + 1


def test_the_released_schedule_is_the_only_difference_from_the_thesis_config(monkeypatch):
    for name in ("UD_ENCODER", "UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    thesis, released = (
        Params.from_file(str(CONFIGS / f"{name}.jsonnet")).as_dict(quiet=True)
        for name in ("udify", "udify_released_schedule")
    )
    schedule = released["trainer"].pop("learning_rate_scheduler")
    assert schedule.pop("peak") == pytest.approx(5 / 29695**0.5)
    assert schedule.pop("warmup_steps") == 29695
    rates = released["trainer"]["optimizer"].pop("parameter_groups")
    assert rates == [[["^embedder\\."], {"lr": 4e-5}]]
    del thesis["trainer"]["learning_rate_scheduler"]["warmup_steps"]
    assert thesis["trainer"].pop("learning_rate_scheduler") == schedule
    del thesis["trainer"]["optimizer"]["parameter_groups"]
    assert released == thesis


def test_the_label_decoders_of_the_small_config_have_a_rate_of_their_own(tmp_path, shipped):
    params = shipped(CONFIGS / "udify_small_cpu.jsonnet")
    run = TrainModel.from_params(params, serialization_dir=str(tmp_path), local_rank=0)
    names = {id(p): name for name, p in run.model.named_parameters()}
    rates = {
        names[id(p)]: group["initial_lr"]
        for group in run.trainer.optimizer.param_groups
        for p in group["params"]
    }
    assert rates.keys() == {n for n, p in run.model.named_parameters() if p.requires_grad}
    for name, rate in rates.items():
        part, task = name.split(".")[:2]
        labels = part == "characters" or part == "decoders" and task in ("feats", "lemma")
        assert rate == (5e-3 if labels else 2e-4 if part == "embedder" else 1e-3), name
    assert "characters" in {name.split(".")[0] for name in rates}


def test_the_roles_config_has_the_values_of_table_4_4(shipped):
    config = shipped(CONFIGS / "graph2graph" / "syng2g.jsonnet").as_dict(quiet=True)
    model, trainer = config["model"], config["trainer"]
    decoder = inspect.signature(RoleDecoder).parameters
    assert [decoder[name].default for name in ("span_dim", "label_dim")] == [512, 250]
    limits = ("predicate_share", "most_predicates", "span_share", "most_spans")
    assert [decoder[name].default for name in limits] == [0.6, 30, 0.6, 300]
    assert not {"span_dim", "label_dim", *limits} & set(model["decoders"]["roles"])
    assert (model["embedder"]["policy"], model["embedder"]["layer_norm"]) == ("all_pairs", False)
    optimizer, schedule = trainer["optimizer"], trainer["learning_rate_scheduler"]
    assert (optimizer["lr"], optimizer["parameter_groups"][0][1]["lr"]) == (1.5e-3, 1e-5)
    assert (optimizer["eps"], optimizer["weight_decay"]) == (1e-5, 0.01)
    assert (trainer["num_epochs"], trainer["grad_norm"]) == (100, 1.0)
    assert schedule["cut_frac"] == 0.001


@pytest.mark.parametrize(
    "terms, expected",
    [
        ("", (True, True, True, False)),
        ("key=false", (True, True, False, False)),
        ("key=false, query=false", (False, False, False, False)),
        ("value=true", (True, True, True, True)),
    ],
)
def test_the_rows_of_table_4_6_are_settings(terms, expected, tmp_path):
    path = tmp_path / "row.jsonnet"
    path.write_text(f"(import 'parts/roles.libsonnet')('x'{', ' + terms if terms else ''})")
    model = Params.from_file(str(path)).as_dict(quiet=True)["model"]
    names = ("relations", "use_query", "use_key", "use_value")
    assert tuple(model["embedder"][name] for name in names) == expected
    assert model["initial"]["type"] == ("file" if expected[0] else "empty")
    behind = f"syntax='x.tar.gz', folder='predicted'{', ' + terms if terms else ''}"
    path.write_text(f"(import 'parts/roles.libsonnet')('x', {behind})")
    config = Params.from_file(str(path)).as_dict(quiet=True)
    # The rows differ in what is looked at alone: UPOS and trees are the archive's in all of them.
    assert tuple(config["model"]["embedder"][name] for name in names) == expected
    assert config["model"]["initial"] == {"type": "archive", "archive": "x.tar.gz", "upos": True}
    assert config["dataset_reader"]["inputs"][0]["folder"] == "predicted"
    assert config["validation_dataset_reader"]["inputs"] == []


@pytest.mark.parametrize(
    "call, found",
    [
        ("roles.libsonnet')('x', bert=false)", {"model.embedder.random_layers": True}),
        (
            "roles.libsonnet')('x', upos=false, tagger=true)",
            {"model.decoders.upos.hidden_dim": 250, "dataset_reader.tasks": ["roles", "upos"]},
        ),
        (
            "graph2graph.libsonnet')('x').statetr(false, skip=false)",
            {"model.composition_skip": False},
        ),
        (
            "graph2graph.libsonnet')('x').statetr(false, separate_positions=true)",
            {"model.separate_positions": True},
        ),
        (
            "encoder.libsonnet')('x', pooling='mean') + { r: self.reader, e: self.embedder }",
            {"r.piece_nodes": True, "e.pooling": "mean"},
        ),
        (
            "decoders.libsonnet')(feats='both', best_tree='arcs')",
            {"feats.whole": True, "deps": {"type": "udify_dependency_decoder", "arc_dim": 768}},
        ),
    ],
)
def test_rows_of_other_tables_are_settings_of_parts(call, found, tmp_path):
    path = tmp_path / "row.jsonnet"
    path.write_text(f"(import 'parts/{call}")
    config = Params.from_file(str(path)).as_dict(quiet=True)
    for name, value in found.items():
        own = config
        for key in name.split("."):
            own = own[key]
        if isinstance(value, dict):
            assert own == {**value, "deprel_dim": 256}
        else:
            assert own == value


def test_a_tagger_does_not_learn_what_it_is_shown(tmp_path):
    path = tmp_path / "row.jsonnet"
    path.write_text("(import 'parts/roles.libsonnet')('x', tagger=true)")
    with pytest.raises(RuntimeError, match="with tagger, set upos=false"):
        Params.from_file(str(path))


def test_syntax_of_an_archive_needs_what_it_predicts(tmp_path):
    path = tmp_path / "row.jsonnet"
    path.write_text("(import 'parts/roles.libsonnet')('x', syntax='x.tar.gz')")
    with pytest.raises(RuntimeError, match="syntax is the archive x.tar.gz. Give folder"):
        Params.from_file(str(path))
