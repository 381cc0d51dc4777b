"""A tiny model of each kind on disk, for the tests of code that takes models."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import torch
from _jsonnet import evaluate_snippet
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model, load_archive

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, stirred
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.text.conllu import expand_paths, read_sentences

UD = FIXTURES / "ud"
TREES = f"{UD}/*-ud-dev.conllu"
ROLES = str(FIXTURES / "roles" / "en_hand-train.conll09")
PHRASES = str(FIXTURES / "constituency" / "en_hand-train.mrg")
ARCHIVES = FIXTURES / "archives"
Settings = dict[str, Any]
PATHS = dict.fromkeys(("UD_TRAIN", "UD_DEV", "UD_TEXTS", "UD_HELD_OUT", "UD_ENCODER"), TREES)

READER = {"type": "udify_universal_dependencies", "model_name": ENCODER}
PLAIN = {"type": "udify_encoder", "model_name": ENCODER}
GRAPH = {"type": "udify_graph_encoder", "model_name": ENCODER, "upos": True}
PARTIAL = {"labelled": False, "label_embeddings": True, "policy": "one_label", "layer_norm": False}
DEPS = {"type": "udify_dependency_decoder", "arc_dim": 8, "deprel_dim": 4}
TAG = {"type": "udify_tag_decoder"}
STEPS = {"type": "udify_transition_decoder", "action_dim": 8, "label_dim": 4}
LSTM = {"type": "udify_lstm", "hidden_dim": 8, "num_layers": 1}
ALONE = {"layer_attention": "last", "dropout": 0.0}
GRAPH_READER = {**READER, "tasks": ["deps"], "inputs": ["upos"], "word_of": True}
GRAPH_READER["root_piece"] = True


def multitask(kind: str = "udify_multitask", **settings: Any) -> Settings:
    decoders = {"deps": DEPS, "upos": {**TAG, "task": "upos"}}
    model = {"type": kind, "embedder": PLAIN, "decoders": decoders, **settings}
    return {"dataset_reader": {**READER, "tasks": ["deps", "upos"]}, "model": model}


def graph(
    kind: str, decoder: Settings, relations: Any = (), reader: Any = (), **settings: Any
) -> Settings:
    embedder = {**GRAPH, **dict(relations)}
    model = {"type": kind, "embedder": embedder, "decoders": {"deps": decoder}, **ALONE}
    return {"dataset_reader": {**GRAPH_READER, **dict(reader)}, "model": {**model, **settings}}


def roles() -> Settings:
    reader = {**GRAPH_READER, "tasks": ["roles"], "inputs": [{"type": "predicted_deps"}]}
    small = {"span_dim": 8, "label_dim": 8, "style": "dependency"}
    config = graph("udify_with_graph", {}, initial={"type": "file", "upos": True})
    config["model"]["decoders"] = {"roles": {"type": "udify_role_decoder", **small}}
    config["model"]["scores"] = {"type": "udify_roles"}
    config["dataset_reader"] = {**reader, "check_trees": False}
    return {**config, "evaluation": {"type": "udify_roles"}, "train_data_path": ROLES}


def constituency() -> Settings:
    decoders = {"constituents": {"type": "udify_constituency_decoder", "hidden_dim": 8}}
    decoders["xpos"] = {**TAG, "task": "xpos"}
    config = multitask(decoders=decoders, scores={"type": "udify_constituents"})
    config["dataset_reader"] = {**READER, "tasks": [*decoders], "check_trees": False}
    return {**config, "evaluation": {"type": "udify_constituents"}, "train_data_path": PHRASES}


def above(embedder: Settings, reader: Settings, **settings: Any) -> Settings:
    """Trees from one layer."""
    model = {"type": "udify_multitask", "embedder": embedder, "decoders": {"deps": DEPS}}
    model.update(layer_attention="sum", layer_dropout=0.0, **settings)
    return {
        "dataset_reader": {"type": "udify_universal_dependencies", "tasks": ["deps"], **reader},
        "model": model,
    }


def static(vectors: str, **reader: Any) -> Settings:
    embedder = {"type": "udify_static_vectors", "vectors": vectors, "layers": LSTM, "upos_dim": 4}
    return above(embedder, {"forms": True, "inputs": ["upos"], **reader})


def typology() -> Settings:
    heads = {"num_heads": 2, "head_dim": 8, "hidden_dim": 16, "num_layers": 1, "clip": 4}
    layers = {"type": "udify_position_attention", "positions": "none", **heads}
    generator = {"type": "attn", "prior_dim": 8}
    embedder = {"below": PLAIN, "layers": layers, "generator": generator}
    embedder["type"] = "udify_typology_positions"
    return above(embedder, {"model_name": ENCODER, "langs": True})


def pretraining() -> Settings:
    part = f"(import '{CONFIGS}/parts/pretraining.libsonnet')"
    small = "texts={}, warm=true, max_pieces=64, head_dim=8, dependent_dim=4"
    config = json.loads(evaluate_snippet("small", f"{part}('{ENCODER}', {small})", ext_vars=PATHS))
    return {key: config[key] for key in ("dataset_reader", "model")}


def frozen() -> Settings:
    embedder = {"type": "udify_frozen_vectors", "below": PLAIN, "layers": LSTM, "upos_dim": 4}
    reader = {"model_name": ENCODER, "inputs": ["upos", "form"], "characters": True}
    return above({**embedder, "form_dim": 4, "character_dim": 4, "below_dim": 8}, reader)


SYNTR = {"relations": False}
BESIDE = {"type": "udify_multitask", "embedder": {**GRAPH, **SYNTR}, "decoders": {"deps": DEPS}}
OF_ARCHIVE = {"type": "archive", "archive": str(ARCHIVES / "all_decoders" / "model.tar.gz")}

KINDS: dict[str, Callable[[Path], Settings]] = {
    **{
        f"udify-{attention}": lambda _, attention=attention: multitask(layer_attention=attention)
        for attention in ("task", "global", "sum", "last")
    },
    "student": lambda _: multitask("udify_student"),
    "keeping": lambda _: multitask("udify_keeping"),
    "from_archive": lambda _: multitask("udify_from_archive"),
    "syntr": lambda _: graph("udify_multitask", DEPS, SYNTR),
    "rngtr": lambda _: graph("udify_refinement", DEPS, initial={"type": "empty"}, iterations=2),
    "rngtr-syntr": lambda _: graph(
        "udify_refinement", DEPS, initial={"type": "syntr", "parser": {**BESIDE, **ALONE}}
    ),
    "rngtr-archive": lambda _: graph(
        "udify_refinement", DEPS, initial={**OF_ARCHIVE, "upos": True}
    ),
    "senttr": lambda _: graph("udify_multitask", STEPS, SYNTR),
    "senttr-g2g": lambda _: graph("udify_graph_transitions", STEPS, PARTIAL),
    "statetr": lambda _: graph(
        "udify_state_transitions", {**STEPS, "history": True}, {"relations": False, "layers": 2}
    ),
    "statetr-g2g": lambda _: graph(
        "udify_state_transitions", STEPS, PARTIAL, deleted=True, composition=False
    ),
    "roles": lambda _: roles(),
    "constituency": lambda _: constituency(),
    "static": lambda folder: static(vectors(folder, ["en"])),
    "aligned": lambda folder: static(vectors(folder, ["en", "de", "fi", "fr"]), langs=True),
    "typology": lambda _: typology(),
    "frozen": lambda _: frozen(),
    "pretraining": lambda _: pretraining(),
}
"""Functions that give the config of a model, by name; their argument is a folder for its files."""
SHIPPED = {name: ARCHIVES / name / "model.tar.gz" for name in ("all_decoders", "sigmorphon")}
"""Models that earlier releases saved."""


def save_kind(name: str, folder: Path) -> Path:
    """Write a run's folder as training leaves it, with weights that are not zero anywhere."""
    config = KINDS[name](folder)
    config.setdefault("evaluation", {"type": "udify"})
    config.update(data_loader={"type": "udify", "batch_size": 8})
    config["include_in_archive"] = ["encoder", "initial"]
    paths = config.setdefault("train_data_path", sorted(expand_paths(TREES)))
    torch.manual_seed(7)
    vocab = _vocabulary(json.dumps(config["dataset_reader"]), json.dumps(paths))
    settings = Params(json.loads(json.dumps(config["model"])))
    model = stirred(Model.from_params(settings, vocab=vocab, serialization_dir=str(folder)))
    vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "best.th")
    (folder / "config.json").write_text(json.dumps(config))
    load_archive(str(folder))  # the reader copies its tokenizer, as in training
    return folder


@cache
def _vocabulary(reader: str, paths: str) -> Vocabulary:
    made: Any = DatasetReader.from_params(Params(json.loads(reader)))
    files: Any = json.loads(paths)
    given: list[str] = [files] if isinstance(files, str) else files
    return Vocabulary.from_instances(one for path in given for one in made.read(path))


def vectors(folder: Path, langs: list[str]) -> str:
    """A random vector for each word of the files, in a file for each language."""
    target = folder / "given"
    target.mkdir()
    forms = sorted({form.lower() for path in expand_paths(TREES) for form in _forms(path)})
    for seed, lang in enumerate(langs):
        rows = numpy.random.default_rng(seed).normal(size=(len(forms), 8))
        StaticVectors(forms, rows).save(target / f"{lang}.npz")
    return str(target if len(langs) > 1 else target / f"{langs[0]}.npz")


@cache
def _forms(path: str) -> tuple[str, ...]:
    return tuple(form for sentence in read_sentences(path) for form in sentence.forms)
