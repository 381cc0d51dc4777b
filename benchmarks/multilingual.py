"""
Makes the shipped model, `udify_allennlp/pretrained/multilingual.tar.gz`: the teacher (UDify on all
treebanks, with fewer wordpieces), a segmenter, raw text parsed by the teacher, a student with fewer
layers, calibrated probabilities, lemmas of exceptions, and one archive with 4-bit weights
(docs/multilingual.md).

    python benchmarks/multilingual.py                     # lists the steps only
    UD=ud UD_ENCODER=... python benchmarks/multilingual.py all       # runs all steps, or resumes
    UD=ud UD_ENCODER=... python benchmarks/multilingual.py teacher segmenter
    UD=ud UD_ENCODER=multilingual python benchmarks/multilingual.py all --further

With --further, UD_ENCODER is an older teacher or model of this kind: training continues from all
its weights and keeps its segmenter. UD_STUDENT is an optional older student to continue from.

UD is the folder with the treebank folders listed in `multilingual_treebanks.tsv`; files may be
compressed (`.xz`, `.gz`). RAW is a folder with texts, `.LANG.txt` (`.xz`, `.gz`): their wordpieces
are kept in addition to those of the treebanks, and the student also learns from their first lines
(`silver.py`). A step is skipped if its file exists, and interrupted training resumes.
"""

import argparse
import glob
import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import exceptions
import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import silver
from multilingual_steps import (
    LEAST,
    LEXICON,
    ROOT,
    STEPS,
    Step,
    call,
    go_through,
    names_of,
    raw_texts,
    steps,
)

from udify_allennlp.archives.card import FILE, read_card
from udify_allennlp.archives.checks import TOKENIZER
from udify_allennlp.archives.rewriting import State, forget_sources, rewritten, write_json
from udify_allennlp.data import own_labels
from udify_allennlp.kernels.packed_weights import packed
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.line_reader import read_rows
from udify_allennlp.text.tokenizers import DEFAULT

TREEBANKS = Path(__file__).with_name("multilingual_treebanks.tsv")
CONFIGS = ROOT / "training_config"
ENCODER = "intfloat/multilingual-e5-small"
"""Name of the encoder at its origin."""


def treebanks() -> list[dict[str, str]]:
    """Returns the rows of `multilingual_treebanks.tsv`."""
    return read_rows(TREEBANKS)


def files(ud: str, split: str) -> list[str]:
    """Returns the files of one split of the training treebanks."""
    found = []
    for row in treebanks():
        if row["trained"] == "yes":
            found += sorted(glob.glob(f"{glob.escape(ud)}/{row['folder']}/*-{split}.conllu*"))
    return found


def environment(ud: str) -> dict[str, str]:
    found = {f"UD_{split.upper()}": ",".join(files(ud, split)) for split in ("train", "dev")}
    for name in ("UD_ENCODER", "UD_STUDENT"):
        path = os.environ.get(name, "")
        # Commands run in another folder.
        found[name] = str(Path(path).resolve()) if path and Path(path).exists() else path
    return {**os.environ, **found}


def segmenter(out: Path) -> str:
    """Returns the segmenter of this run, or of the model that it started from."""
    for own in ("segmenter.int4.tar.gz", "segmenter"):
        if (out / own).exists():
            return str((out / own).resolve())
    given = [os.environ.get(name, "") for name in ("UD_STUDENT", "UD_ENCODER")]
    for model in (str(out / "teacher.small.tar.gz"), *filter(None, given)):
        if own_tokenizer(model) != DEFAULT:
            return own_tokenizer(model)
    raise SystemExit("No model contains a segmenter. Set UD_STUDENT to one that does.")


def words_of(step: Step, ud: str, out: Path) -> list[str]:
    """Returns the command of a step, with the paths of this machine."""
    texts = raw_texts()
    fills = {"configs": str(CONFIGS), "least": str(LEAST), "dev": ",".join(files(ud, "dev"))}
    fills["words"] = ",".join([*files(ud, "train"), *texts])
    if step.name == "bundle":
        fills["segmenter"] = segmenter(out)
    return [word.format(**fills) for word in shlex.split(step.command)]


def packed_for_others(
    run: Path,
    target: Path,
    lexicon: Sequence[Path] = (),
    credits: Sequence[Path] = (),
    treebanks: Mapping[str, dict[str, int]] = MappingProxyType({}),
) -> None:
    """
    Writes an archive of a run with 4-bit weights, whose config has no paths of this machine, with
    more files of its vocabulary, with files that name their sources, and with `treebanks` on its
    card, of earlier parts of its training.
    """

    def change(folder: Path, config: dict[str, Any], state: State) -> State:
        forget_sources(config)
        for part in (config["dataset_reader"], config["model"].get("embedder", {})):
            if "model_name" in part:
                part["model_name"] = ENCODER
        card = replace(read_card(folder), encoder=ENCODER)
        started_from = [name for name in card.started_from if name not in treebanks]
        both = {**treebanks, **card.treebanks}
        card = replace(card, treebanks=both, started_from=started_from)
        write_json(folder / FILE, card.to_dict())
        for path in (folder / "vocabulary").glob("*_lexicon_labels.txt"):
            path.unlink()  # of the model that training started from
        for file in lexicon:
            shutil.copy(file, folder / "vocabulary")
        for path in (folder / "vocabulary").glob(f"{own_labels.namespace('*_labels')}.txt"):
            # The order of the labels of languages means nothing; sorted they compress by a third.
            lines = sorted(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        _round_scores(folder / TOKENIZER)
        for file in credits:
            shutil.copy(file, folder)
        return packed(state, "int4")

    rewritten(str(run), target, change)


def _round_scores(tokenizer: Path) -> None:
    """
    Rounds the pieces' log-probabilities, which takes 0.7 MB off an archive: of 1.25 million words,
    those of texts in all languages among them, 119 have other pieces, all garbage such as `(SSS)`.
    """
    if not tokenizer.is_file():  # a segmenter
        return
    values = json.loads(tokenizer.read_text(encoding="utf-8"))
    if values["model"]["type"] != "Unigram":
        return
    pieces = values["model"]["vocab"]
    values["model"]["vocab"] = [[piece, round(score, 4)] for piece, score in pieces]
    tokenizer.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")


def run(step: Step, ud: str, out: Path, quick: bool = False) -> None:
    if step.name == "exceptions":
        limit = 16 if quick else None
        model = str(out / "calibrated.tar.gz")
        exceptions.write(model, files(ud, "train"), out / step.makes, limit)
        return
    if step.name == "silver":
        count = 4 if quick else silver.LINES
        model = str(out / "teacher.small.tar.gz")
        silver.write(model, raw_texts(), out / "silver", count, segmenter(out))
        return
    if step.name == "bundle":
        packed_for_others(
            out / "calibrated.tar.gz", out / "calibrated.int4.tar.gz", [out / LEXICON]
        )
        if (out / "segmenter").exists():
            packed_for_others(out / "segmenter", out / "segmenter.int4.tar.gz")
    words = words_of(step, ud, out)
    given = environment(ud)
    if step.name == "student":
        given["UD_TEACHER"] = given["UD_ENCODER"] = "teacher.small.tar.gz"
        own = sorted(str(path.resolve()) for path in out.glob("silver/*.conllu"))
        given["UD_TRAIN"] = ",".join([given["UD_TRAIN"], *own])
    call(step, words, out, given, quick)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    names = [step.name for step in STEPS]
    parser.add_argument("step", nargs="*", help=f"steps to run: {', '.join(names)}, or all")
    parser.add_argument(
        "--further", action="store_true", help="continue training the model UD_ENCODER"
    )
    parser.add_argument("--out", default="out/multilingual", help="folder for runs and archives")
    parser.add_argument(
        "--quick", action="store_true", help="rehearsal with 16 sentences and one epoch"
    )
    given = parser.parse_args()
    ud, out = str(Path(os.environ.get("UD", "ud")).resolve()), Path(given.out)
    chosen = steps(given.further)
    wanted = names_of(parser, given.step, chosen)
    if wanted:
        missing = [row["folder"] for row in treebanks() if not Path(ud, row["folder"]).is_dir()]
        if missing or "UD_ENCODER" not in os.environ:
            parser.error(f"Set UD: {ud} has no {missing[0]}." if missing else "Set UD_ENCODER.")
    go_through(chosen, wanted, out, lambda step: run(step, ud, out, given.quick))
    return 0


if __name__ == "__main__":
    sys.exit(main())
