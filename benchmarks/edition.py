"""
Makes the second edition of the shipped model, and resumes after an interruption: the treebanks
(`edition_data.py`), letters that the model to start from lacks, a model with the language as input,
vectors of treebanks that are annotated unlike others of their languages, a segmenter, calibrated
probabilities, the words of the treebanks (`known_words.py`), their arcs (`known_trees.py`,
`deprel_odds.py`), lemmas of other words (`lookup.py`), and one archive of 4-bit weights.

    UD=ud python benchmarks/edition.py                 # lists the steps only
    UD=ud python benchmarks/edition.py all             # runs all steps, or resumes
    UD=ud python benchmarks/edition.py data model
    UD=ud python benchmarks/edition.py all --further   # an hour of training on a CPU
    UD=ud python benchmarks/edition.py all --non-commercial --out out/edition-nc

UD is the folder with the treebank folders listed in `edition_treebanks.tsv`. A GPU trains with
`edition_gpu.jsonnet`, a CPU with `edition.jsonnet` or, with --further, `edition_further.jsonnet`.
Training continues from the weights of the archive UD_START, by default `multilingual`. The
treebanks UD_FAVOURED, by default those that are new to it or full of letters that it lacks, get a
larger share of the training than others of their size. With UD_START= training starts from the
encoder UD_ENCODER. The segmenter continues that of `multilingual`. WORDS is an optional folder of
word lists (`word_lists.py`); its LICENSES file is added to the archive. RAW is a folder of texts,
`.LANG.txt`, which determine the frequent words of the lists. The step `lookup` also uses simplemma
if it is installed.

--non-commercial makes `multilingual-nc`, whose data include the treebanks under licences that
forbid commercial use.
"""

import argparse
import glob
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import deprel_odds
import edition_data
import known_trees
import known_words
import lookup
import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import torch
from edition_data import TREES
from multilingual import CONFIGS, packed_for_others
from multilingual_steps import QUICK, Step, call, go_through, names_of, raw_texts

from udify_allennlp import Parser
from udify_allennlp.archives.card import card_of
from udify_allennlp.data.agreement_odds import AGREEMENT
from udify_allennlp.data.attachments import ATTACHMENTS
from udify_allennlp.data.deprel_odds import DEPREL_WORDS
from udify_allennlp.data.known_words import KNOWN
from udify_allennlp.data.lemma_lookup import EXCEPTIONS, TRUSTED
from udify_allennlp.text.conllu import read_sentences, treebank_name
from udify_allennlp.text.line_reader import read_rows

NAMESPACES = (KNOWN, ATTACHMENTS, AGREEMENT, DEPREL_WORDS, EXCEPTIONS, TRUSTED)
"""Namespaces of the vocabulary with words and arcs of the training treebanks."""
LETTERS = "letters.tar.gz"
"""The model from which training continues, with the letters that it lacked."""
MODEL = "model/model.tar.gz"
"""The trained model, without the vectors of the step `styles`."""
NEW = 0.05
"""Share of a treebank's words with an unknown letter at which it counts as new."""
QUICK_WORDS = 4
"""Number of words from the lists of a language in a rehearsal."""
_FREE = re.compile(r"CC-?BY|CC0|public-domain")
"""Other licences, such as LGPL-LR, do not allow another licence for the words of a treebank."""
STEPS = (
    Step("data", "data/counts.tsv", "edition_data.py --out data"),
    Step(
        "letters",
        LETTERS,
        "ud-pack {start} --precision float32 --letters {train} --least 3 --out letters.tar.gz",
    ),
    Step(
        "model",
        "model/metrics.json",
        "train {configs}/multilingual/{config}.jsonnet -s model",
        QUICK,
    ),
    Step(
        "styles",
        "styles/metrics.json",
        "train {configs}/multilingual/edition_styles.jsonnet -s styles",
        QUICK,
    ),
    Step(
        "segmenter",
        "segmenter/metrics.json",
        "train {configs}/multilingual/edition_segmenter.jsonnet -s segmenter",
        QUICK,
    ),
    Step("packed", "segmenter.tar.gz", "ud-pack segmenter --precision int4 --out segmenter.tar.gz"),
    Step(
        "calibrated",
        "calibrated.tar.gz",
        "ud-calibrate styles {dev} --out calibrated.tar.gz --report calibration",
    ),
    Step("known", f"{KNOWN}.txt", f"known_words.py {{train}} --out {KNOWN}.txt"),
    Step("trees", f"{AGREEMENT}.txt", "known_trees.py {train} --out ."),
    Step("deprels", f"{DEPREL_WORDS}.txt", f"deprel_odds.py {{train}} --words {DEPREL_WORDS}.txt"),
    Step("lookup", f"{TRUSTED}.txt", "lookup.py calibrated.tar.gz {train} --out ."),
    Step(
        "bundle",
        "multilingual.tar.gz",
        "ud-bundle calibrated.int4.tar.gz segmenter.tar.gz --out multilingual.tar.gz",
    ),
)


def files(out: Path, split: str) -> list[str]:
    return sorted(glob.glob(f"{glob.escape(str(out.resolve()))}/data/{split}/*.conllu"))


def start() -> str:
    """Returns the model from which training continues; empty without one."""
    given = os.environ.get("UD_START", "multilingual")
    return str(Path(given).resolve()) if given and Path(given).exists() else given


def favoured(model: str, train: Sequence[str]) -> list[str]:
    """
    Returns the training treebanks that are new to a model: it was not trained on them or on their
    features, or lacks letters of a share `NEW` of their words.
    """
    parser = Parser.load(model)
    tokenizer = parser.predictor.model.embedder.tokenizer
    old = {*parser.card.treebanks, *parser.card.started_from}
    names = {treebank_name(path): path for path in train}
    found = []
    for name, path in names.items():
        if name.endswith(TREES):
            continue
        words = [form for sentence in read_sentences(path) for form in sentence.forms]
        unknown = sum(tokenizer.unknown_id in pieces for pieces in tokenizer(words))
        if unknown > NEW * len(words) or name not in old or name + TREES in names:
            found.append(name)
    return found


def may_be_shared(train: Sequence[str], out: Path) -> list[str]:
    """
    Returns the training files whose words an archive under a Creative Commons licence may contain.
    """
    licences = {row["folder"]: row["licence"] for row in read_rows(edition_data.TREEBANKS)}
    prepared = read_rows(out / "data" / "counts.tsv")
    free = {row["treebank"] for row in prepared if _FREE.match(licences[row["folder"]])}
    return [path for path in train if treebank_name(path).removesuffix(TREES) in free]


def environment(step: Step, out: Path) -> dict[str, str]:
    """Returns the variables that the configs of a step read."""
    train = files(out, "text" if step.name == "segmenter" else "train")
    given = {"UD_TRAIN": ",".join(train), "UD_DEV": ",".join(files(out, "dev"))}
    if step.name == "model":
        given["UD_START"] = str((out / LETTERS).resolve()) if start() else ""
        if "UD_FAVOURED" not in os.environ:
            given["UD_FAVOURED"] = ",".join(favoured(start(), train)) if start() else ""
    if step.name == "styles":
        given["UD_START"] = str((out / MODEL).resolve())
        given |= {"UD_STYLES": ",".join(files(out, "style")), "UD_FAVOURED": ""}
    return {**os.environ, **given}


def config(further: bool) -> str:
    """Returns the name of the config of the step `model`."""
    if further:
        return "edition_further"
    return "edition_gpu" if torch.cuda.is_available() else "edition"


def run(step: Step, out: Path, given: argparse.Namespace) -> None:
    train = files(out, "train")
    model = str(out / "calibrated.tar.gz")
    if step.name == "data":
        ud = Path(os.environ.get("UD", "ud"))
        edition_data.prepare(ud, out / "data", non_commercial=given.non_commercial)
        return
    if step.name == "known":
        alone = may_be_shared(files(out, "style"), out)
        known_words.write(may_be_shared(train, out), out / f"{KNOWN}.txt", alone)
        return
    if step.name == "trees":
        known_trees.write(train, out, files(out, "style"))
        return
    if step.name == "deprels":
        alone = may_be_shared(files(out, "style"), out)
        counts = deprel_odds.counts_of(may_be_shared(train, out), alone)
        deprel_odds.write_words(counts, out / f"{DEPREL_WORDS}.txt")
        return
    lists = lookup.word_lists()
    if step.name == "lookup":
        limit = QUICK_WORDS if given.quick else lookup.MOST
        lookup.write(model, train, out, lists, raw_texts(), limit)
        return
    if step.name == "bundle":
        target = out / "calibrated.int4.tar.gz"
        vocabularies = [out / f"{name}.txt" for name in NAMESPACES]
        credits = [lists / "LICENSES"] if lists is not None else []
        treebanks = card_of(str(out / MODEL)).treebanks
        packed_for_others(out / "calibrated.tar.gz", target, vocabularies, credits, treebanks)
    fills = {
        "configs": str(CONFIGS),
        "config": config(given.further),
        "start": start(),
        "train": ",".join(train),
        "dev": ",".join(files(out, "dev")),
    }
    words = [word.format(**fills) for word in shlex.split(step.command)]
    call(step, words, out, environment(step, out), given.quick)


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
    parser.add_argument(
        "--further", action="store_true", help="train for an hour on a CPU (step model)"
    )
    given = parser.parse_args()
    steps = [step for step in STEPS if step.name != "letters" or start()]
    wanted = names_of(parser, given.step, steps)
    out = Path(given.out)
    go_through(steps, wanted, out, lambda step: run(step, out, given))
    return 0


if __name__ == "__main__":
    sys.exit(main())
