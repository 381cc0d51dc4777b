"""
The commands of the study `pretraining` (Sun et al. 2021, Tables 3 to 7), of a smaller form, and of
its rehearsal. `studies.py` lists the studies.
"""

import json
from typing import Any, NamedTuple

from study_systems import systems, variants

_FOLDER = "training_config/pretraining"
_NO_TREES = {"model.use_usl_loss": False}
_NO_INTEGRATION = {"model.use_integration": False}
UNTOUCHED, FULL_SYSTEM, NO_LAYER = "untouched", "full", "without integration"
PRETRAINED: dict[str, dict[str, Any]] = {
    "masked": {**_NO_TREES, **_NO_INTEGRATION},
    FULL_SYSTEM: {},
    NO_LAYER: _NO_INTEGRATION,
    "structure only": _NO_TREES,
}
"""
Models trained from the encoder, each for the same number of updates on the same texts: a masked
language model alone, the whole system, and the two of Table 7.
"""
WITH_LAYER = (FULL_SYSTEM, "structure only")
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
    "frozen_small": "UD_Greek-GDT UD_Afrikaans-AfriBooms UD_French-Sequoia UD_Italian-ParTUT "
    "UD_Marathi-UFAL UD_Tamil-TTB UD_Telugu-MTG UD_Vietnamese-VTB",
    "joint_small": "UD_Greek-GDT UD_Afrikaans-AfriBooms UD_French-Sequoia UD_Italian-ParTUT",
    "fine_tuned": "UD_Marathi-UFAL UD_Tamil-TTB UD_Lithuanian-HSE",
    "rehearsal": "UD_Lithuanian-HSE",
    "rehearsal_across": "UD_Lithuanian-HSE UD_Marathi-UFAL",
}


PHRASES = ("ewt", "is_icepahc")
"""Phrase structure (Tables 5 and 7): English, which pretraining includes, and Icelandic."""
PHRASES_ACROSS = ("is_icepahc", "es_cess", "nl_alpino", "pt_floresta", "zh_sinica")
"""Phrase structure parsed by the parser of the first (Table 6: unlabelled)."""
_GOLD_TAGS = {"evaluation.scorer": {"type": "constituents", "gold_tags": True}}
"""No corpus has the tags of another: as EVALB counts, nearly all sentences would be skipped."""
PLACES = {"{phrases}": "UD_PHRASES"}
"""The placeholder of the folder with bracketed files, and the variable that names it."""


EXPERIMENTS = ("across", "frozen", "phrases", "fine_tuned", "joint")
"""The experiments with each encoder, by the names of their folders."""


class Size(NamedTuple):
    """The amounts of training."""

    name: str
    updates: int
    """Number of updates in each of the two phases."""
    epoch: int
    """Number of updates per epoch of pretraining."""
    frozen: str
    """Treebanks of the parsers above frozen encoders, one each."""
    source: str
    """The treebank of the parsers across languages."""
    across: str
    fine_tuned: str
    """Treebanks of the fine-tuned parsers, one each."""
    joint: str
    """Treebanks of one fine-tuned parser."""
    seeds: dict[str, str]
    """Seeds of each of the `EXPERIMENTS`."""
    changes: dict[str, dict[str, Any]]
    """Changes to the configs of each."""
    sentences: int
    """Number of sentences per file of other languages."""
    longer: tuple[int, ...]
    """Epochs of longer trainings of `joint`, from the untouched encoder and those with trees."""
    probe: str
    """The treebank of the structural probe."""
    probe_options: str


_LSTM = {"model.embedder.layers.hidden_dim": 200, "model.embedder.layers.num_layers": 1}
FULL = Size(
    name="pretraining",
    updates=5_000,
    epoch=500,
    frozen="{frozen}",
    source="en_ewt",
    across="{across}",
    fine_tuned="{fine_tuned}",
    joint="{pretraining}",
    seeds=dict.fromkeys(EXPERIMENTS, "1,2,3"),
    changes={
        "frozen": {"trainer.num_epochs": 10, **_LSTM},
        "across": {"trainer.num_epochs": 10, **_LSTM},
        "fine_tuned": {},
        "joint": {},
        "phrases": {"trainer.num_epochs": 10, **_LSTM},
    },
    sentences=400,
    longer=(),
    probe="UD_English-EWT/en_ewt",
    probe_options="--epochs 10",
)
SMALL = FULL._replace(
    name="pretraining_small",
    updates=750,
    epoch=250,
    frozen="{frozen_small}",
    joint="{joint_small}",
    seeds={**dict.fromkeys(EXPERIMENTS, "1,2,3"), "joint": "1"},
    changes={
        "frozen": {"trainer.num_epochs": 4, "data_loader.epoch_size": 500, **_LSTM},
        "across": {"trainer.num_epochs": 2, "data_loader.epoch_size": 1500, **_LSTM},
        "fine_tuned": {"trainer.least_steps": 64},
        "joint": {
            "trainer.num_epochs": 2,
            "trainer.least_steps": 0,
            "data_loader.epoch_size": 1600,
        },
        "phrases": {"trainer.num_epochs": 3, "data_loader.epoch_size": 2000, **_LSTM},
    },
    sentences=100,
    longer=(16, 32),
    probe_options="--epochs 5 --sentences 1000",
)
REHEARSAL = FULL._replace(
    name="pretraining_rehearsal",
    updates=2,
    epoch=2,
    frozen="{rehearsal}",
    source="lt_hse",
    across="{rehearsal_across}",
    fine_tuned="{rehearsal}",
    joint="{rehearsal}",
    seeds=dict.fromkeys(EXPERIMENTS, "1"),
    changes={
        **dict.fromkeys(("frozen", "across"), {"trainer.num_epochs": 1}),
        **dict.fromkeys(
            ("fine_tuned", "joint"), {"trainer.num_epochs": 1, "trainer.least_steps": 0}
        ),
        "phrases": {"trainer.num_epochs": 1, "data_loader.epoch_size": 20},
    },
    sentences=5,
    longer=(2,),
    probe="UD_Lithuanian-HSE/lt_hse",
    probe_options="--epochs 1",
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

    def options(name: str, epochs: int = 0) -> str:
        changes = {**size.changes[name], **({"trainer.num_epochs": epochs} if epochs else {})}
        target = f"{name}_{epochs}" if epochs else name
        return (
            f"--out {out}/{target} --seeds {size.seeds[name]} --discard-models "
            f"-o '{json.dumps(changes)}'"
        )

    lines.append(
        f"allennlp ud-experiment transfer {size.across} --source {size.source} "
        f"{options('across')} --sentences {size.sentences} "
        + systems(each("below.model_name", f"{_FOLDER}/frozen_cross_lingual.jsonnet"))
    )
    lines.append(
        f"allennlp ud-experiment ablation {_FOLDER}/frozen_monolingual.jsonnet {size.frozen} "
        f"{options('frozen')} " + variants(each("below.model_name"))
    )
    for name, path in {UNTOUCHED: "{encoder}", **encoders}.items():
        lines += _of_phrases(size, name, path, f"{out}/phrases")
    files = " ".join(
        f"--{split} {{ud}}/{size.probe}-ud-{split}.conllu" for split in ("train", "dev", "test")
    )
    for layer, names in ((12, list(PRETRAINED)), (13, WITH_LAYER)):
        paths = " ".join(f"'{encoders[name]}'" for name in names)
        base = "{encoder} " if layer == 12 else ""
        lines.append(
            f"allennlp ud-probe {base}{paths} --layers {layer} {files} "
            f"{size.probe_options} --out {out}/probe_{layer}"
        )
    for name, folders in (("fine_tuned", size.fine_tuned), ("joint", f"{size.joint} --joint")):
        lines.append(
            f"allennlp ud-experiment ablation udify_small_cpu {folders} {options(name)} "
            + variants(each("model_name"))
        )
    with_trees = {
        name: change
        for name, change in each("model_name").items()
        if name in (UNTOUCHED, FULL_SYSTEM, NO_LAYER)
    }
    for epochs in size.longer:
        lines.append(
            f"allennlp ud-experiment ablation udify_small_cpu {size.joint} --joint "
            f"{options('joint', epochs)} " + variants(with_trees)
        )
    lines.append(f"python benchmarks/pretraining_table.py {out} --out {out}/{size.name}.tsv")
    return "\n".join(lines)


def _of_phrases(size: Size, name: str, encoder: str, out: str) -> list[str]:
    """Returns the commands of phrase structure above one frozen encoder."""
    lines = []
    for corpus in PHRASES:
        for seed in size.seeds["phrases"].split(","):
            run = f"{out}/{name} {corpus} {seed}"
            changes = {
                **size.changes["phrases"],
                **{key: int(seed) for key in ("random_seed", "numpy_seed", "pytorch_seed")},
            }
            # The last epoch is kept: to score one takes as long as to train it.
            lines.append(
                f"UD_ENCODER='{encoder}' UD_TRAIN={{phrases}}/{corpus}.train.mrg.xz UD_DEV= "
                f"allennlp train {_FOLDER}/frozen_constituency.jsonnet -s '{run}' "
                f"-o '{json.dumps(changes)}'"
            )
            lines.append(
                f"allennlp evaluate '{run}/model.tar.gz' {{phrases}}/{corpus}.test.mrg.xz "
                f"--output-file '{run}/scores.json'"
            )
            for other in PHRASES_ACROSS if corpus == PHRASES[0] else ():
                lines.append(
                    f"allennlp evaluate '{run}/model.tar.gz' {{phrases}}/{other}.test.mrg.xz "
                    f"--output-file '{run}/{other}.json' -o '{json.dumps(_GOLD_TAGS)}'"
                )
    return lines
