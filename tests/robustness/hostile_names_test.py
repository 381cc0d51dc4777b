"""
No name in a model's config in the place of a class leads to an import. The places are found by
walking our constructors, so a new parameter is tried too.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, get_args, get_origin

import pytest
from allennlp.commands import evaluate
from allennlp.common import FromParams, Params, Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.common.from_params import infer_constructor_params
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from allennlp.evaluation import Evaluator
from allennlp.models import Model, archival
from allennlp.modules.token_embedders import TokenEmbedder
from allennlp.training import Trainer

from tests.helpers import DEV, ENCODER, vocabulary
from tests.saved_model import save_run
from udify_allennlp.archives import registered
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.config import rooms
from udify_allennlp.decoders.decoder import Decoder

PAYLOAD = "udify_payload"
Path_ = tuple[Any, ...]
# What AllenNLP makes of the config of a model that it loads, or evaluates.
ROOTS = {
    "dataset_reader": DatasetReader,
    "validation_dataset_reader": DatasetReader,
    "model": Model,
    "vocabulary": Vocabulary,
    "data_loader": DataLoader,
    "validation_data_loader": DataLoader,
    "evaluation": Evaluator,
}


@pytest.fixture(autouse=True)
def payload(tmp_path, monkeypatch):
    """A module that records whether it was imported; `Anything` in it takes anything."""
    (tmp_path / f"{PAYLOAD}.py").write_text("class Anything:\n    def __init__(self, **_): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, PAYLOAD, raising=False)


def ours(base: type) -> Iterator[tuple[str, type, Any]]:
    rooms.import_all()
    for name, (found, constructor) in Registrable._registry[base].items():
        if found.__module__.startswith("udify_allennlp"):
            yield name, found, getattr(found, constructor) if constructor else found.__init__


def bases(annotation: Any) -> Iterator[tuple[Path_, type]]:
    """Where, in a value for a parameter of this type, a class can be named, and of which base."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is None:
        if inspect.isclass(annotation) and issubclass(annotation, FromParams):
            yield (), annotation
    elif origin in (list, tuple, set):
        for index, argument in enumerate(arguments):
            for place, base in bases(argument):
                yield (index, *place), base
    elif origin is dict:
        for place, base in bases(arguments[1]):
            yield ("x", *place), base
    else:  # Optional, Union, Lazy
        for argument in arguments:
            yield from bases(argument)


def places(base: type, at: Path_, seen: set[type]) -> Iterator[tuple[Path_, dict[str, Any]]]:
    """Each place from `at` on where a class is named, with the names that lead there."""
    if issubclass(base, Registrable):
        yield at, {}
    kinds = list(ours(base)) if base in Registrable._registry else [("", base, base.__init__)]
    for name, found, constructor in kinds:
        if found in seen:
            continue
        for key, parameter in infer_constructor_params(found, constructor).items():
            if key in ("self", "vocab"):
                continue
            for place, inner in bases(parameter.annotation):
                below = places(inner, (*at, key, *place), seen | {found})
                for path, settings in below:
                    kind = {at: name} if name else {}
                    yield path, {**kind, **settings}


ALL: list[tuple[Path_, dict[Path_, str]]] = [
    place for key, base in ROOTS.items() for place in places(base, (key,), set())
]


def put(config: Any, path: Path_, value: Any) -> None:
    key, rest = path[0], path[1:]
    if isinstance(config, list):
        config.extend([".*"] * (key + 1 - len(config)))
    if not rest:
        config[key] = value
        return
    known = config.get(key) if isinstance(config, dict) else config[key]
    if not isinstance(known, (dict, list)):
        config[key] = {} if isinstance(rest[0], str) else []
    put(config[key], rest, value)


def test_the_walk_finds_what_a_model_is_made_of():
    found = {path for path, _ in ALL}
    assert {("model", "decoders", "x"), ("model", "scores"), ("model", "embedder")} <= found
    assert ("model", "regularizer", "regexes", 0, 1) in found
    assert len(found) > 10


UNTRAINED = {"type": "udify_encoder", "model_name": ENCODER, "load_weights": False}
NEEDED = {
    "udify_static_vectors": {"vectors": None, "upos_dim": 4},
    "udify_typology_positions": {
        "below": UNTRAINED,
        "layers": {"type": "udify_position_attention", "positions": "none"},
        "generator": "attn",
    },
    "udify_frozen_vectors": {
        "below": UNTRAINED,
        "layers": {"type": "udify_lstm", "hidden_dim": 8},
    },
    "udify_pretraining": {
        "embedder": {
            **UNTRAINED,
            "root": "special",
            "mask_probability": 0.0,
        },
        "decoders": {"deps": {"type": "udify_structure_decoder"}},
    },
}
"""What lets a class get as far as to the parts that it makes itself."""


@pytest.mark.parametrize("as_type", [False, True], ids=["bare", "type"])
def test_no_place_of_a_config_imports_a_module(tmp_path, as_type, monkeypatch):
    original = json.loads((save_run(tmp_path) / "config.json").read_text())
    original["model"]["embedder"]["load_weights"] = False  # as for an archive
    vocab = vocabulary()
    asked: list[str] = []
    check = registered._check
    monkeypatch.setattr(
        registered, "_check", lambda base, name: (asked.append(name), check(base, name))
    )
    for path, kinds in ALL:
        config = json.loads(json.dumps(original))
        for at, name in kinds.items():
            if name in NEEDED:
                put(config, at, deepcopy(NEEDED[name]))
            put(config, (*at, "type"), name)
            if name in ("udify_refinement", "udify_with_graph"):
                put(config, (*at, "initial"), "empty")
            if name == "syntr":
                put(config, (*at, "parser"), dict(original["model"]))
        dotted = f"{PAYLOAD}.Anything"
        put(config, path, {"type": dotted} if as_type else dotted)
        asked.clear()
        # Without the static look at `type`, which stops half of these before.
        with registered.only_ours(), pytest.raises((ConfigurationError, ValueError)):
            ROOTS[path[0]].from_params(
                Params(config).pop(path[0]),
                vocab=vocab,
                reader=None,
                data_path="",
                serialization_dir=str(tmp_path),
            )
        # A task named by a string is looked up among the tasks, and nowhere else.
        is_task = not as_type and bool({"tasks", "inputs", "task"} & set(path))
        # Its loaders are made one after the other, and the first one has no data here.
        is_behind = "udify_paired" in kinds.values()
        assert (dotted in asked or is_task or is_behind) and PAYLOAD not in sys.modules, path


CASES = {
    "a decoder": {"model.decoders.deps": f"{PAYLOAD}.Anything"},
    "a decoder's parts": {"model.decoders.deps": {"type": "udify_tag_decoder", "x": "a.b"}},
    "a reader": {"validation_dataset_reader": f"{PAYLOAD}.Anything"},
    "scores": {"model.scores": f"{PAYLOAD}.Anything"},
    "a vocabulary": {"vocabulary": {"type": f"{PAYLOAD}.Anything"}},
    "a vocabulary from the hub": {"vocabulary": {"type": "from_pretrained_transformer"}},
    "a reader of AllenNLP": {"validation_dataset_reader": {"type": "text_classification_json"}},
    "a model of AllenNLP": {"model": {"type": "from_archive", "archive_file": "http://x"}},
    "another archive": {"model.embedder": {"_pretrained": {"archive_file": "http://x"}}},
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_that_names_others_is_refused(tmp_path, case):
    save_run(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    for path, value in CASES[case].items():
        put(config, tuple(path.split(".")), value)
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ArchiveError) as caught:
        archival.load_archive(str(tmp_path))
    assert str(caught.value).startswith(str(tmp_path)) and PAYLOAD not in sys.modules


@pytest.mark.parametrize("key", ["evaluation", "validation_data_loader"])
def test_evaluation_makes_nothing_else_of_a_models_config(tmp_path, key):
    config = json.loads((save_run(tmp_path) / "config.json").read_text())
    config[key] = f"{PAYLOAD}.Anything" if key != "evaluation" else {"type": "x"}
    config.setdefault("evaluation", {"type": "udify"})
    (tmp_path / "config.json").write_text(json.dumps(config))
    changes = {"evaluation.type": f"{PAYLOAD}.Anything"} if key == "evaluation" else {}
    with pytest.raises(ConfigurationError, match="registered name"):
        evaluate.evaluate_from_archive(str(tmp_path), DEV, cmd_overrides=changes)
    assert PAYLOAD not in sys.modules


def test_registered_classes_of_other_packages_are_taken(monkeypatch):
    class Mine(Decoder):
        pass

    monkeypatch.setitem(Registrable._registry[Decoder], "mine", (Mine, None))
    with registered.only_ours():
        assert Decoder.by_name("mine") is Mine
        with pytest.raises(ConfigurationError, match="not the registered name"):
            Decoder.by_name(f"{PAYLOAD}.Anything")
        with pytest.raises(ConfigurationError, match=registered.TRUST):
            TokenEmbedder.by_name("pretrained_transformer")
        monkeypatch.setenv(registered.TRUST, "1")
        TokenEmbedder.by_name("pretrained_transformer")
        with pytest.raises(ConfigurationError, match="not the registered name"):
            Decoder.by_name(f"{PAYLOAD}.Anything")
    # Configs that somebody trains from are theirs.
    assert Trainer.by_name("gradient_descent")
    assert Decoder.by_name(f"{PAYLOAD}.Anything").__name__ == "Anything"
