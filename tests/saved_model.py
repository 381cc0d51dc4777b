"""A small model on disk, for tests of code that loads one."""

import json
import shutil
from pathlib import Path
from typing import Any, Optional

import torch
from allennlp.data import Vocabulary

from tests.helpers import DECODERS, ENCODER, make_model, stirred

TASKS = ["upos", "feats", "lemma", "deps"]


def save_run(
    folder: Path,
    vocab: Optional[Vocabulary] = None,
    reader: Optional[dict[str, Any]] = None,
    **settings: Any,
) -> Path:
    """Makes `folder` what training leaves, with weights that are not zero anywhere.

    `reader` has more settings of the reader, with which `vocab` was made, `settings` more of the
    model's. It has dropout, which no one who only predicts may see.
    """
    model = stirred(make_model(TASKS, vocab, **settings))
    model.vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "best.th")
    config = {
        "dataset_reader": {
            "type": "udify_universal_dependencies",
            "model_name": ENCODER,
            **(reader or {}),
        },
        "model": {
            "type": "udify_multitask",
            "embedder": {"type": "udify_encoder", "model_name": ENCODER, "dropout": 0.3},
            "decoders": {task: DECODERS[task] for task in TASKS},
            **settings,
        },
        "include_in_archive": ["encoder"],
    }
    (folder / "config.json").write_text(json.dumps(config))
    keep_encoder(folder)
    return folder


def keep_encoder(folder: Path) -> None:
    """The encoder's files in the folder of a run, as training keeps them."""
    shutil.copytree(
        ENCODER,
        folder / "encoder",
        ignore=shutil.ignore_patterns("*.safetensors"),
        dirs_exist_ok=True,
    )
