"""
Configs of ours beside UDPipe 1 with its defaults, trained on the same files: scores and CPU time.

    python benchmarks/udpipe_bench.py 'ud/UD_*' --config udify_small_cpu --out out/udpipe
        [--encoder ENCODER] [--name ours] [--overrides '{"trainer.num_epochs": 8}']

Each folder has the training, development and test file of a treebank (`.xz`, `.gz` too). UDPipe
learns to tag and to parse from the training file, with the development file held out; ours is
`allennlp train CONFIG`. Both parse the test file's words; scores are the CoNLL 2018 script's. What
is in `scores.tsv` of --out is not run again, so other configs, under another
--name, join it. Threads: one, unless OMP_NUM_THREADS says otherwise.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import machine  # noqa: E402  (before allennlp: it brings the mends that allennlp needs to import)
from ufal import udpipe  # noqa: E402

from udify_allennlp.apps.experiments.treebanks import Treebank, find_treebanks  # noqa: E402
from udify_allennlp.scoring.official import official_scores  # noqa: E402
from udify_allennlp.text.conllu import read_sentences  # noqa: E402

METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")
COLUMNS = ("treebank", "sentences", "system", "CPU seconds", *METRICS)
ROOT = Path(__file__).resolve().parent.parent


def theirs(treebank: Treebank, out: Path, _: argparse.Namespace) -> float:
    """Trains UDPipe and parses; CPU seconds of its training."""
    start = time.process_time()
    error = udpipe.ProcessingError()
    sets = _sentences(treebank.train), _sentences(treebank.dev)
    # Empty options are its defaults.
    data = udpipe.Trainer.train("morphodita_parsito", *sets, "none", "", "", error)
    if error.occurred():
        raise SystemExit(f"UDPipe on {treebank.train}: {error.message}")
    seconds = time.process_time() - start
    model_file = out / "model.udpipe"
    model_file.write_bytes(data)
    model = udpipe.Model.load(str(model_file))
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    with open(out / "parsed.conllu", "w", encoding="utf-8") as target:
        for sentence in _sentences(treebank.test):
            model.tag(sentence, model.DEFAULT, error)
            model.parse(sentence, model.DEFAULT, error)
            target.write(writer.writeSentence(sentence))
    return seconds


def ours(treebank: Treebank, out: Path, given: argparse.Namespace) -> float:
    """Trains a config and parses; CPU seconds of the command that trains."""
    environment = {
        **os.environ,
        "UD_TRAIN": treebank.train,
        "UD_DEV": treebank.dev,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    if given.encoder:
        environment["UD_ENCODER"] = given.encoder
    run = str(out / "run")
    more = ["-o", given.overrides] if given.overrides else []
    more += ["--recover"] if (out / "run" / "config.json").exists() else []
    before = _children()
    _allennlp(["train", given.config, "-s", run, *more], environment)
    seconds = _children() - before
    _allennlp(
        ["predict", run, treebank.test, "--output-file", str(out / "parsed.conllu")], environment
    )
    return seconds


def _allennlp(words: Sequence[str], environment: Dict[str, str]) -> None:
    command = [sys.executable, "-m", "udify_allennlp", *words]
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sentences(path: str) -> Any:
    found = udpipe.Sentences()
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText("".join(sentence.text for sentence in read_sentences(path)))
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    return found


def row(treebank: Treebank, name: str, given: argparse.Namespace) -> List[str]:
    out = Path(given.out, treebank.name, name)
    out.mkdir(parents=True, exist_ok=True)
    seconds = (theirs if name == "udpipe" else ours)(treebank, out, given)
    gold = list(read_sentences(treebank.test))
    scores = official_scores(gold, list(read_sentences(out / "parsed.conllu")), name)
    figures = [f"{scores[metric]:.2f}" for metric in METRICS]
    return [treebank.name, str(treebank.train_sentences), name, f"{seconds:.0f}", *figures]


def read_table(path: Path) -> List[List[str]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.split("\t") for line in lines[1:]]


def summary(rows: List[List[str]], name: str) -> str:
    """How ours differs from UDPipe on each treebank, and where it is not above."""
    by_key: Dict[Tuple[str, str], List[str]] = {(row[0], row[2]): row for row in rows}
    lines = []
    for treebank in dict.fromkeys(row[0] for row in rows):
        pair = [by_key.get((treebank, system)) for system in ("udpipe", name)]
        if None in pair:
            continue
        them, us = ([float(cell) for cell in row[3:]] for row in pair if row)
        cells = "".join(f"{b - a:>+9.2f}" for a, b in zip(them[1:], us[1:]))
        lines.append(f"{treebank:<20}{us[0] / them[0]:>8.2f}{cells}\n")
    head = "".join(f"{metric:>9}" for metric in METRICS)
    return f"{name + ' - udpipe':<20}{'time':>8}{head}\n{''.join(lines)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("folders", nargs="+", help="of treebanks, or globs")
    parser.add_argument("--config", default="udify_small_cpu", help="name or file")
    parser.add_argument("--name", help="of the config in the table; default: that of its file")
    parser.add_argument("--overrides", help="settings, as of allennlp train -o")
    parser.add_argument("--encoder", help="in the place of UD_ENCODER")
    parser.add_argument("--out", required=True, help="the folder of runs and scores.tsv")
    given = parser.parse_args()
    name = given.name or Path(given.config).stem
    table = Path(given.out, "scores.tsv")
    table.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(machine.describe() + "\n")
    for treebank in find_treebanks(given.folders):
        if not treebank.train or not treebank.dev:
            sys.stdout.write(f"{treebank.name} has no training or no development file: left out\n")
            continue
        for system in ("udpipe", name):
            rows = read_table(table)
            if any(cells[0] == treebank.name and cells[2] == system for cells in rows):
                continue
            rows.append(row(treebank, system, given))
            text = "".join("\t".join(cells) + "\n" for cells in (COLUMNS, *rows))
            table.write_text(text, encoding="utf-8")
            sys.stdout.write(" ".join(rows[-1]) + "\n")
            sys.stdout.flush()
    sys.stdout.write(summary(read_table(table), name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
