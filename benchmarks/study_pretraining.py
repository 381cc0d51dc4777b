"""
The commands of the study `pretraining` (Sun et al. 2021, Tables 3, 4 and 7), and of its rehearsal.
`studies.py` lists the studies.
"""

import json
from typing import Any, NamedTuple

from study_systems import systems, variants

_FOLDER = "training_config/pretraining"
_NO_TREES = {"model.use_usl_loss": False}
_NO_INTEGRATION = {"model.use_integration": False}
UNTOUCHED = "untouched"
PRETRAINED: dict[str, dict[str, Any]] = {
    "masked": {**_NO_TREES, **_NO_INTEGRATION},
    "full": {},
    "without integration": _NO_INTEGRATION,
    "structure only": _NO_TREES,
}
"""
Models trained from the encoder, each for the same number of updates on the same texts: a masked
language model alone, the whole system, and the two of Table 7.
"""
WITH_LAYER = ("full", "structure only")
"""Names of models with a layer above the encoder's."""
SEEN = (
    "UD_English-EWT UD_Turkish-IMST UD_Greek-GDT UD_Afrikaans-AfriBooms UD_French-Sequoia "
    "UD_Italian-ParTUT UD_Finnish-TDT UD_Hebrew-HTB UD_German-GSD UD_Russian-GSD UD_Chinese-GSD "
    "UD_Hungarian-Szeged"
)
"""Treebanks of the pretraining."""
UNSEEN = (
    "UD_Basque-BDT UD_Vietnamese-VTB UD_Telugu-MTG UD_Indonesian-GSD UD_Korean-GSD "
    "UD_Persian-Seraji UD_Hindi-PUD UD_Arabic-PUD"
)
"""Treebanks of languages that pretraining does not include."""
FOLDERS = {
    "pretraining": SEEN,
    "pretraining_dev": "UD_Greek-GDT UD_Afrikaans-AfriBooms",
    "across": f"{SEEN} {UNSEEN}",
    "frozen": "UD_English-EWT UD_Turkish-IMST UD_Greek-GDT UD_French-Sequoia UD_Finnish-TDT "
    "UD_Basque-BDT UD_Vietnamese-VTB UD_Telugu-MTG",
    "fine_tuned": "UD_Marathi-UFAL UD_Tamil-TTB UD_Lithuanian-HSE",
    "rehearsal": "UD_Lithuanian-HSE",
    "rehearsal_across": "UD_Lithuanian-HSE UD_Marathi-UFAL",
}


class Size(NamedTuple):
    """The amounts of training."""

    name: str
    updates: int
    """Number of updates in each of the two phases."""
    epoch: int
    """Number of updates per epoch of pretraining."""
    epochs: int
    """Number of epochs of each parser."""
    lstm: int
    """Number of examples in each direction."""
    seeds: str
    source: str
    frozen: str
    across: str
    fine_tuned: str
    sentences: int
    """Number of sentences per file of other languages."""
    probe: str
    """The treebank of the structural probe."""
    probe_epochs: int


FULL = Size(
    *("pretraining", 5_000, 500, 10, 200, "1,2,3"),
    *("en_ewt", "{frozen}", "{across}", "{fine_tuned}", 400, "UD_English-EWT/en_ewt", 10),
)
REHEARSAL = Size(
    *("pretraining_rehearsal", 2, 2, 1, 20, "1"),
    *("lt_hse", "{rehearsal}", "{rehearsal_across}", "{rehearsal}", 5),
    *("UD_Lithuanian-HSE/lt_hse", 1),
)


def commands(size: Size) -> str:
    """Returns the commands, one per line; `{ud}` is the folder of the treebanks."""
    out = f"{{out}}/{size.name}"
    lines = []
    for name, settings in PRETRAINED.items():
        rate = 0 if settings.get("model.use_usl_loss") is False else 1
        phases = [
            {"updates": size.updates, "rates": {"treebanks": rate}},
            {"rates": {"treebanks": 0.8 * rate}},
        ]
        changes = {
            **settings,
            "trainer.phases": phases,
            "trainer.num_epochs": 2 * size.updates // size.epoch,
            "data_loader.texts.batches_per_epoch": size.epoch,
            # The same for all; the best by trees would differ in the amount of training.
            "trainer.validation_metric": "-masked_loss",
        }
        lines.append(
            f"allennlp train {_FOLDER}/small_cpu.jsonnet -s '{out}/runs/{name}' "
            f"-o '{json.dumps(changes)}'"
        )
        lines.append(f"allennlp ud-export '{out}/runs/{name}' --out '{out}/encoders/{name}'")
    encoders = {name: f"{out}/encoders/{name}" for name in PRETRAINED}

    def each(key: str, config: str = "") -> dict[str, str]:
        """Returns the changes that each encoder makes in a config, by its name."""
        changed = {
            name: json.dumps({f"model.embedder.{key}": path, "dataset_reader.model_name": path})
            for name, path in encoders.items()
        }
        return {
            name: f"{config} {changes}".strip()
            for name, changes in {UNTOUCHED: "" if config else "{}", **changed}.items()
        }

    shared = f"--seeds {size.seeds} --discard-models"
    smaller = {
        "trainer.num_epochs": size.epochs,
        "model.embedder.layers.hidden_dim": size.lstm,
        "model.embedder.layers.num_layers": 1,
    }
    lines.append(
        f"allennlp ud-experiment ablation {_FOLDER}/frozen_monolingual.jsonnet {size.frozen} "
        f"--out {out}/frozen {shared} -o '{json.dumps(smaller)}' "
        + variants(each("below.model_name"))
    )
    lines.append(
        f"allennlp ud-experiment transfer {size.across} --source {size.source} "
        f"--out {out}/across {shared} --sentences {size.sentences} -o '{json.dumps(smaller)}' "
        + systems(each("below.model_name", f"{_FOLDER}/frozen_cross_lingual.jsonnet"))
    )
    files = " ".join(
        f"--{split} {{ud}}/{size.probe}-ud-{split}.conllu" for split in ("train", "dev", "test")
    )
    for layer, names in ((12, list(PRETRAINED)), (13, WITH_LAYER)):
        paths = " ".join(f"'{encoders[name]}'" for name in names)
        base = "{encoder} " if layer == 12 else ""
        lines.append(
            f"allennlp ud-probe {base}{paths} --layers {layer} {files} "
            f"--epochs {size.probe_epochs} --out {out}/probe_{layer}"
        )
    lines.append(
        f"allennlp ud-experiment ablation udify_small_cpu {size.fine_tuned} "
        f"--out {out}/fine_tuned {shared} "
        + (
            """-o '{"trainer.num_epochs": 1, "trainer.least_steps": 0}' """
            if size.epochs == 1
            else ""
        )
        + variants(each("model_name"))
    )
    return "\n".join(lines)
