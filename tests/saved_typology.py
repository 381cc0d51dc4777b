"""Small models of positions from typology, trained by the shipped config."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, run
from udify_allennlp.text.conllu import read_sentences, write_sentences

SMALL = {
    "model.embedder.layers.num_heads": 2,
    "model.embedder.layers.head_dim": 8,
    "model.embedder.layers.hidden_dim": 16,
    "model.embedder.generator.prior_dim": 8,
    "model.decoders.deps.arc_dim": 8,
    "model.decoders.deps.deprel_dim": 4,
    "trainer.num_epochs": 1,
}


BOTH = ("en_ewt", "de_gsd")


def train_small(
    kinds: Mapping[str, Mapping[str, Any]],
    folder: Path,
    sentences: int,
    train: Sequence[str] = BOTH,
) -> None:
    """
    Trains one of each of the settings, in `folder` under its name, on English and German;
    development data are of both.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        for split, treebanks in (("train", train), ("dev", BOTH)):
            names = [f"{name}-ud-{split}.conllu" for name in treebanks]
            for name in names:
                found = read_sentences(FIXTURES / "ud" / name)
                write_sentences(islice(found, sentences), folder / name)
            patch.setenv(f"UD_{split.upper()}", ",".join(str(folder / name) for name in names))
        config = CONFIGS / "typology" / "small_cpu.jsonnet"
        for kind, settings in kinds.items():
            run("train", config, "-s", folder / kind, "-o", json.dumps(settings))
