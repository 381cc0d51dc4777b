"""
Compares our configs with UDPipe 1 and spaCy, trained on the same files: scores and CPU time.

    python benchmarks/peers_bench.py 'ud/UD_*' --config udify_small_cpu --out out/peers
        [--encoder ENCODER] [--name ours] [--overrides '{"trainer.num_epochs": 8}'] [--spacy]

Each folder has the training, development and test file of a treebank (`.xz`, `.gz` too). UDPipe and
(with --spacy) spaCy's pipeline without a pretrained encoder are trained with their defaults to tag,
lemmatize and parse, on the training file and with the development file held out; ours is trained by
`allennlp train CONFIG`. All parse the words of the test file; scores are those of the CoNLL 2018
script. Systems already in `scores.tsv` of --out are not run again, so that other configs can be
added under another --name. One thread is used unless OMP_NUM_THREADS is set.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import machine  # noqa: E402  (before allennlp: it applies the fixes that importing allennlp needs)
import udpipe_peer  # noqa: E402
from treebank_scores import METRICS  # noqa: E402
from udpipe_peer import DEFAULTS, NOTHING  # noqa: E402

from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks  # noqa: E402
from udify_allennlp.scoring.official import official_scores  # noqa: E402
from udify_allennlp.text.conllu import read_sentences  # noqa: E402
from udify_allennlp.text.sentence import Sentence  # noqa: E402

COLUMNS = ("treebank", "sentences", "system", "CPU seconds", *METRICS)
ROOT = Path(__file__).resolve().parent.parent
Result = tuple[float, list[Sentence]]
"""CPU seconds of training, and the parsed test file."""


def with_udpipe(treebank: Treebank, out: Path, _: argparse.Namespace) -> Result:
    before = _cpu()
    files = [treebank.train, treebank.dev]
    udpipe_peer.train(files, out / "model.udpipe", NOTHING, DEFAULTS, DEFAULTS)
    seconds = _cpu() - before
    return seconds, udpipe_peer.parse(out / "model.udpipe", treebank.test, out / "parsed.conllu")


def with_spacy(treebank: Treebank, out: Path, _: argparse.Namespace) -> Result:
    import spacy_peer

    before = _cpu()
    spacy_peer.train([treebank.train, treebank.dev], out)
    return _cpu() - before, spacy_peer.parse(out, treebank.test)


def ours(treebank: Treebank, out: Path, given: argparse.Namespace) -> Result:
    """Trains a config and parses the test file by commands, as a user would."""
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
    before = _cpu()
    _allennlp(["train", given.config, "-s", run, *more], environment)
    seconds = _cpu() - before
    parsed = str(out / "parsed.conllu")
    _allennlp(["predict", run, treebank.test, "--output-file", parsed], environment)
    return seconds, list(read_sentences(parsed))


def _allennlp(words: Sequence[str], environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "udify_allennlp", *words]
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)


def _cpu() -> float:
    """Returns the CPU seconds of this process and of the commands that it has run."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(each.ru_utime + each.ru_stime for each in used)


PEERS = {"udpipe": with_udpipe, "spacy": with_spacy}


def row(treebank: Treebank, name: str, given: argparse.Namespace) -> list[str]:
    out = Path(given.out, treebank.name, name)
    out.mkdir(parents=True, exist_ok=True)
    seconds, parsed = PEERS.get(name, ours)(treebank, out, given)
    scores = official_scores(list(read_sentences(treebank.test)), parsed, name)
    figures = [f"{scores[metric]:.2f}" for metric in METRICS]
    return [treebank.name, str(treebank.train_sentences), name, f"{seconds:.0f}", *figures]


def read_table(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.split("\t") for line in lines[1:]]


def summary(rows: list[list[str]], name: str, peer: str) -> str:
    """Returns the differences of our system from a peer on each treebank."""
    by_key: dict[tuple[str, str], list[str]] = {(row[0], row[2]): row for row in rows}
    lines = []
    for treebank in dict.fromkeys(row[0] for row in rows):
        pair = [by_key.get((treebank, system)) for system in (peer, name)]
        if None in pair:
            continue
        them, us = ([float(cell) for cell in row[3:]] for row in pair if row)
        cells = "".join(f"{b - a:>+9.2f}" for a, b in zip(them[1:], us[1:]))
        lines.append(f"{treebank:<24}{us[0] / them[0]:>8.2f}{cells}\n")
    head = "".join(f"{metric:>9}" for metric in METRICS)
    return f"{f'{name} - {peer}':<24}{'time':>8}{head}\n{''.join(lines)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("folders", nargs="+", help="treebank folders or globs")
    parser.add_argument(
        "--config", default="udify_small_cpu", help="name of a shipped config, or a config file"
    )
    parser.add_argument("--name", help="name of the config in the table (default: its file name)")
    parser.add_argument("--overrides", help="JSON settings, as for allennlp train -o")
    parser.add_argument("--encoder", help="encoder to use instead of UD_ENCODER")
    parser.add_argument("--spacy", action="store_true", help="also train spaCy's pipeline")
    parser.add_argument("--out", required=True, help="folder for runs and scores.tsv")
    given = parser.parse_args()
    name = given.name or Path(given.config).stem
    systems = [*(peer for peer in PEERS if peer != "spacy" or given.spacy), name]
    table = Path(given.out, "scores.tsv")
    table.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(machine.describe() + "\n")
    for treebank in find_treebanks(given.folders):
        if not treebank.train or not treebank.dev:
            sys.stdout.write(f"{treebank.name} has no training or no development file: skipped\n")
            continue
        for system in systems:
            if any((cells[0], cells[2]) == (treebank.name, system) for cells in read_table(table)):
                continue
            new = row(treebank, system, given)
            rows = [*read_table(table), new]  # another run may have added rows
            text = "".join("\t".join(cells) + "\n" for cells in (COLUMNS, *rows))
            table.write_text(text, encoding="utf-8")
            sys.stdout.write(" ".join(new) + "\n")
            sys.stdout.flush()
    for peer in systems[:-1]:
        sys.stdout.write(summary(read_table(table), name, peer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
