"""
Makes the second edition of the shipped model, and resumes after an interruption: the treebanks
(`edition_data.py`), a model with the language as input, calibrated probabilities, lemmas of
exceptions by language and UPOS and further lookup sources (`lookup.py`), and one archive of 4-bit
weights with a segmenter.

    UD=ud python benchmarks/edition.py                 # lists the steps only
    UD=ud python benchmarks/edition.py all             # runs all steps, or resumes
    UD=ud python benchmarks/edition.py data model
    UD=ud python benchmarks/edition.py all --non-commercial --out out/edition-nc

UD is the folder with the treebank folders listed in `edition_treebanks.tsv`. A GPU trains with
`edition_gpu.jsonnet`, a CPU with `edition.jsonnet`. Training continues from the weights of the
archive UD_START and keeps its segmenter; the default is `multilingual`. With UD_START= training
starts from the encoder UD_ENCODER, and SEGMENTER names the segmenter. WORDS is an optional folder
of word lists (`word_lists.py`); its LICENSES file is added to the archive. RAW is a folder of
texts, `.LANG.txt`, which determine the frequent words of the lists. The step `lookup` also uses
simplemma if it is installed.

--non-commercial makes `multilingual-nc`, whose data include the treebanks under licences that
forbid commercial use. These get a larger share of the training than others of their size.
"""

import argparse
import glob
import os
import shlex
import sys
from pathlib import Path

import edition_data
import exceptions
import lookup
import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import torch
from multilingual import CONFIGS, packed_for_others
from multilingual_steps import QUICK, Step, call, go_through, names_of, raw_texts

from udify_allennlp.data.lemma_lookup import NAMESPACES, TRUSTED
from udify_allennlp.data.lexicon import namespace_by_language

LEXICON = f"{namespace_by_language('lemma')}.txt"
"""Namespace of exceptions in the vocabulary."""
QUICK_WORDS = 4
"""Number of words from the lists of a language in a rehearsal."""
STEPS = (
    Step("data", "data/counts.tsv", "edition_data.py --out data"),
    Step(
        "model",
        "model/metrics.json",
        "train {configs}/multilingual/{config}.jsonnet -s model",
        QUICK,
    ),
    Step(
        "calibrated",
        "calibrated.tar.gz",
        "ud-calibrate model {dev} --out calibrated.tar.gz --report calibration",
    ),
    Step("exceptions", LEXICON, "exceptions.py calibrated.tar.gz {train} --by-language"),
    Step("lookup", f"{TRUSTED}.txt", "lookup.py calibrated.tar.gz {train} --out ."),
    Step(
        "bundle",
        "multilingual.tar.gz",
        "ud-bundle calibrated.int4.tar.gz {segmenter} --out multilingual.tar.gz",
    ),
)


def files(out: Path, split: str) -> list[str]:
    return sorted(glob.glob(f"{glob.escape(str(out.resolve()))}/data/{split}/*.conllu"))


def environment(out: Path) -> dict[str, str]:
    start = os.environ.get("UD_START", "multilingual")
    return {
        **os.environ,
        "UD_TRAIN": ",".join(files(out, "train")),
        "UD_DEV": ",".join(files(out, "dev")),
        "UD_FAVOURED": ",".join(edition_data.added(out / "data")),
        "UD_START": str(Path(start).resolve()) if start and Path(start).exists() else start,
    }


def run(step: Step, out: Path, quick: bool, non_commercial: bool = False) -> None:
    if step.name == "data":
        ud = Path(os.environ.get("UD", "ud"))
        edition_data.prepare(ud, out / "data", non_commercial=non_commercial)
        return
    if step.name == "exceptions":
        model = str(out / "calibrated.tar.gz")
        exceptions.write(model, files(out, "train"), out / LEXICON, 16 if quick else None, True)
        return
    lists = lookup.word_lists()
    if step.name == "lookup":
        model, train = str(out / "calibrated.tar.gz"), files(out, "train")
        limit = QUICK_WORDS if quick else lookup.MOST
        lookup.write(model, train, out, lists, raw_texts(), limit)
        return
    if step.name == "bundle":
        target = out / "calibrated.int4.tar.gz"
        vocabularies = [out / LEXICON, *(out / f"{name}.txt" for name in NAMESPACES)]
        credits = [lists / "LICENSES"] if lists is not None else []
        packed_for_others(out / "calibrated.tar.gz", target, vocabularies, credits)
    given = environment(out)
    segmenter = os.environ.get("SEGMENTER") or given["UD_START"]
    dev = ",".join(files(out, "dev"))
    config = "edition_gpu" if torch.cuda.is_available() else "edition"
    words = [
        word.format(configs=CONFIGS, config=config, dev=dev, segmenter=segmenter)
        for word in shlex.split(step.command)
    ]
    call(step, words, out, given, quick)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    names = [step.name for step in STEPS]
    parser.add_argument("step", nargs="*", help=f"steps to run: {', '.join(names)}, or all")
    parser.add_argument("--out", default="out/edition", help="folder for data, runs and archives")
    parser.add_argument(
        "--quick", action="store_true", help="rehearsal with 16 sentences and one epoch"
    )
    parser.add_argument(
        "--non-commercial",
        action="store_true",
        help="also take treebanks whose licence forbids commercial use (step data)",
    )
    given = parser.parse_args()
    wanted = names_of(parser, given.step, STEPS)
    out = Path(given.out)
    go_through(STEPS, wanted, out, lambda step: run(step, out, given.quick, given.non_commercial))
    return 0


if __name__ == "__main__":
    sys.exit(main())
