"""A parser that `ud-export --onnx` can save, with all that it can save."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deprel_odds
import known_trees
import pytest

from tests.saved_kinds import DEPS, KINDS, PLAIN, READER, TAG, TREES, save_kind
from udify_allennlp.data.deprel_odds import DEPREL_WORDS
from udify_allennlp.data.known_words import KNOWN, Analysis, Treebank, Word, known_words_entry
from udify_allennlp.text.conllu import expand_paths, read_sentences, treebank_name

TASKS = ["deps", "feats", "lemma", "upos"]
SEARCH = {"best_tree": "arcs+labels", "label_margin": 2.0}
CONFIG = {
    "dataset_reader": {
        **READER,
        "tasks": TASKS,
        "characters": True,
        "langs": True,
        "treebanks": True,
        "own_labels": True,
        "lexicon": ["upos"],
    },
    "model": {
        "type": "udify_multitask",
        "embedder": PLAIN,
        "characters": {"tasks": ["lemma"], "dim": 4, "filters": 4},
        "origins": {"enter": "words"},
        "decoders": {
            "deps": {**DEPS, **SEARCH},
            "feats": {**TAG, "task": "feats"},
            "lemma": {"type": "udify_lemma_decoder", "min_labels": 10},
            "upos": {**TAG, "task": "upos"},
        },
    },
}


def save_exportable(folder: Path) -> Path:
    """Writes its run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, "whole", lambda _: CONFIG)
        run = save_kind("whole", folder)
    entries = []
    for path in expand_paths(TREES):
        treebank = treebank_name(path)
        sentences = list(read_sentences(path))
        forms = {form for s in sentences[::2] for form in s.forms}
        # Rules that the decoder would not choose, so that their lemmas show.
        word = Word(tuple(Analysis(upos, "_", "k+x|") for upos in ("NOUN", "PUNCT")), False)
        # Words that end like others, which are unknown, with a rule that exists.
        alike = {f"q{form}" for s in sentences[1::2] for form in s.forms}
        ending = Word((Analysis("NOUN", "_", "l|-"),), False)
        known = dict.fromkeys(alike, ending) | dict.fromkeys(forms, word)
        own = [Treebank(treebank, frozenset(), known)]
        entries.append(known_words_entry(treebank[:2], own))
    (run / "vocabulary" / f"{KNOWN}.txt").write_text("".join(f"{each}\n" for each in entries))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_trees, "FEWEST_AGREEING", 2)
        known_trees.write(expand_paths(TREES), run / "vocabulary")
        patch.setattr(deprel_odds, "FEWEST_OF_WORDS", 2)
        counts = deprel_odds.counts_of(expand_paths(TREES))
        deprel_odds.write_words(counts, run / "vocabulary" / f"{DEPREL_WORDS}.txt")
    return run


Damage = Callable[[Path], Any]
"""A function that changes an exported folder."""


def settings(**changes: Any) -> Damage:
    def change(folder: Path) -> None:
        path = folder / "settings.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


def labels(name: str, text: str) -> Damage:
    return lambda folder: (folder / "vocabulary" / name).write_text(text)


def without(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()
