"""
The commands of the study `translation` (Mohammadshahi 2023, chapters 5 and 6), of a larger form and
of its rehearsal. `studies.py` has the list.

A teacher is trained from random weights on Tatoeba, between English and other languages. Students
have its encoder and its first decoder layers: one learns from text alone, one from the teacher as
well, and one of these with as many pairs of a direction as there are instead of as many of each.
The teacher is then pruned and rounded.
"""

import json
from typing import Any, NamedTuple, Optional

from udify_allennlp.text.languages import SHORT_CODES

_FOLDER = "training_config/translation"
# A single glob, since `evaluate` scores files apart if commas separate them.
_TATOEBA = "{parallel}/tatoeba/eng-*/test.*"
_FLORES = "{parallel}/flores200/devtest.*"
PLACES = {"{parallel}": "UD_PARALLEL", "{winomt}": "UD_WINOMT"}
"""Placeholders of folders, and the environment variables that name them."""


class Size(NamedTuple):
    """The languages and the amount of training."""

    name: str
    langs: str
    """Languages besides English, by ISO 639-3 code; `*` is all that the data has."""
    classes: Optional[dict[str, str]]
    """Resource class of each language; `None`: those of Table 6.4."""
    vocab: int
    architecture: dict[str, int]
    decoder_layers: int
    """Decoder layers of the students."""
    per_direction: int
    """Pairs per direction and epoch."""
    directions: int
    epochs: tuple[int, int]
    """Epochs of the teacher and of each student."""
    batch: tuple[int, int]
    """Number of pairs and of pieces in a batch."""
    rate: float
    """Highest learning rate of the teacher."""
    alone: int
    """Updates of a student before the teacher is used."""
    dev: int
    """Development pairs per direction."""
    test: int
    """Test sentences per direction of Tatoeba, and per file of WinoMT."""
    flores: int
    """Test sentences per direction of FLORES."""
    gender: str
    """Languages into which WinoMT is translated."""
    pairs: tuple[str, ...]
    """Directions for which the taught student is fine-tuned."""
    speed: tuple[str, str]
    """Source and target of the measurement of speed, by ISO 639-3 code."""


def _square(dim: int, layers: int, heads: int, inner: int) -> dict[str, int]:
    return {
        "d_model": dim,
        **dict.fromkeys(("encoder_layers", "decoder_layers"), layers),
        **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), heads),
        **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), inner),
    }


_ROMANCE = {**dict.fromkeys(("en", "es", "it", "pt"), "H"), "ro": "M", "ca": "L", "gl": "VL"}
FULL = Size(
    name="translation",
    langs="spa ita por ron cat glg",
    classes=_ROMANCE,
    vocab=6000,
    architecture=_square(256, 3, 4, 768),
    decoder_layers=1,
    per_direction=2000,
    directions=12,
    epochs=(12, 3),
    batch=(128, 3000),
    rate=2e-3,
    alone=100,
    dev=20,
    test=100,
    flores=60,
    gender="es,it",
    pairs=("en-gl", "en-es"),
    speed=("eng", "spa"),
)
LARGE = FULL._replace(
    name="translation_large",
    langs="*",
    classes=None,
    vocab=32_000,
    architecture=_square(512, 6, 8, 2048),
    decoder_layers=2,
    directions=124,
    epochs=(40, 10),
    batch=(512, 16_000),
    rate=1e-3,
    alone=2000,
    flores=1012,
    gender="es,it,fr,de,ru,uk,he,ar",
)
REHEARSAL = FULL._replace(
    name="translation_rehearsal",
    vocab=300,
    architecture=_square(16, 2, 2, 32),
    per_direction=10,
    epochs=(1, 1),
    alone=1,
    dev=2,
    test=2,
    flores=2,
)


def commands(size: Size) -> str:
    """Returns the commands, one per line, with the environment that each needs before it."""
    out = f"{{out}}/{size.name}"
    models = f"{out}/runs"
    balanced: dict[str, Any] = {"data_loader.per_group": size.per_direction}
    drawn: dict[str, Any] = {
        "data_loader.per_group": None,
        "data_loader.epoch_size": size.per_direction * size.directions,
    }
    shared: dict[str, Any] = {
        "data_loader.batch_size": size.batch[0],
        "data_loader.max_wordpieces": size.batch[1],
        "validation_data_loader.per_group": size.dev,
        # An unfinished model does not end its sentences.
        "model.max_length": 100,
        **({"model.scores.classes": size.classes} if size.classes else {}),
    }
    teacher = {
        **shared,
        **drawn,
        # As M2M-100 was trained (Fan et al. 2020).
        "data_loader.sampling": "temperature",
        "data_loader.temperature": 5,
        "dataset_reader.vocab_size": size.vocab,
        "trainer.num_epochs": size.epochs[0],
        "trainer.optimizer.lr": size.rate,
        "trainer.learning_rate_scheduler.warmup_epochs": 2,
        **{f"model.architecture.{name}": value for name, value in size.architecture.items()},
    }
    student = {
        **shared,
        "model.decoder_layers": size.decoder_layers,
        "trainer.num_epochs": size.epochs[1],
        "trainer.phases": [{"updates": size.alone}, {}],
    }
    students = {
        "alone": {**student, **balanced, "model.alpha": 0},
        "taught": {**student, **balanced},
        "taught_proportional": {**student, **drawn},
    }
    data = f"UD_TRAIN='{_files(size, 'train')}' UD_DEV='{_files(size, 'dev')}'"
    lines = [_train(data, "small_cpu", f"{models}/teacher", teacher)]
    for name, changes in students.items():
        with_teacher = f"{data} UD_TEACHER={models}/teacher"
        lines.append(_train(with_teacher, "small_cpu_student", f"{models}/{name}", changes))
    packed = {
        "pruned30": "--prune 0.3",
        "pruned45": "--prune 0.45",
        "int8": f"--precision int8 --calibrate '{_files(size, 'dev')}'",
    }
    for name, options in packed.items():
        lines.append(
            f"allennlp ud-pack {models}/teacher {options} --out {out}/compressed/{name}.tar.gz"
        )

    def scored(model: str, test: str) -> str:
        files, limit = (_FLORES, size.flores) if test == "flores" else (_TATOEBA, size.test)
        changes = {
            "validation_data_loader.per_group": limit,
            "dataset_reader.directions": _directions(size),
            "model.scores.off_target": True,
        }
        return _evaluate(f"{models}/{model}", files, f"{out}/{test}/{model}", changes)

    lines += [scored(name, "tatoeba") for name in ("teacher", *students)]
    archives = ",".join(f"{out}/compressed/{name}.tar.gz" for name in packed)
    lines.append(
        f"allennlp ud-forgotten {models}/teacher {archives} '{_files(size, 'test')}' "
        f"--sentences {size.test} --gender {{winomt}} --gender-langs {size.gender} "
        f"--out {out}/forgotten"
    )
    lines += [scored(name, "flores") for name in ("teacher", *students)]
    for pair in size.pairs:
        changes = {
            "dataset_reader.directions": [pair],
            "data_loader.per_group": size.per_direction // 2,
            "data_loader.batch_size": size.batch[0],
            "validation_data_loader.per_group": size.dev,
            "trainer.cpu_bfloat16": True,
            **({"model.scores.classes": size.classes} if size.classes else {}),
        }
        folder = f"{models}/{pair}"
        lines.append(_train(f"{data} UD_ENCODER={models}/taught", "fine_tuned", folder, changes))
        test = {
            "validation_data_loader.per_group": size.test,
            "dataset_reader.directions": [pair],
            "model.scores.off_target": True,
        }
        lines.append(_evaluate(folder, _TATOEBA, f"{out}/tatoeba/{pair}", test))
    text = f"{{parallel}}/tatoeba/eng-{size.speed[1]}/test"
    lines.append(
        f"python benchmarks/translation_bench.py {models}/teacher {models}/taught "
        f"{out}/compressed/int8.tar.gz --text '{text}.{size.speed[0]}*' "
        f"--from {size.speed[0]} --to {size.speed[1]} --sentences {size.test} "
        f"--out {out}/speed.tsv"
    )
    lines.append(f"python benchmarks/translation_table.py {out} --out {out}/{size.name}.tsv")
    return "\n".join(lines)


def _train(environment: str, config: str, folder: str, changes: dict[str, Any]) -> str:
    return (
        f"{environment} allennlp train {_FOLDER}/{config}.jsonnet -s {folder} "
        f"-o '{json.dumps(changes)}'"
    )


def _evaluate(model: str, files: str, scores: str, changes: dict[str, Any]) -> str:
    return (
        f"allennlp evaluate {model} '{files}' --output-file {scores}.json "
        f"-o '{json.dumps(changes)}'"
    )


def _files(size: Size, part: str) -> str:
    return ",".join(f"{{parallel}}/tatoeba/eng-{lang}/{part}.*" for lang in size.langs.split())


def _directions(size: Size) -> list[str]:
    codes = [SHORT_CODES.get(lang, lang) for lang in size.langs.split()]
    return [direction for lang in codes for direction in (f"en-{lang}", f"{lang}-en")]
