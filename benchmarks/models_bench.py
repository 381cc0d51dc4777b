"""
How do models compare in size, speed and accuracy, in each precision?

    python benchmarks/models_bench.py GOLD.conllu MODEL [MODEL ...] [--sentences 300]
        [--precisions float32,bfloat16,int8] [--tokenizer default | --words-only] [--repeats 3]
        [--out curve.tsv] [--figure curve.png]

MODEL is an archive, a run folder, the name of a shipped model, or the folder of a spaCy pipeline
that peers_bench.py trained; NAME=MODEL appears as NAME in the table. Each model parses the words of
GOLD, and its raw text from file to file as `allennlp predict` does after loading the model, with
its own segmenter or `--tokenizer`. The models take turns, so that a slow moment of the machine
affects all; "times" is the speed relative to the first model's in the first precision, the median
over the repeats. Scores are those of the CoNLL 2018 script, on gold words and (raw) on the raw
text. "peak GB" is the peak memory of a process that loads the model and parses the words, including
Python and its libraries.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs
from parse_bench import seconds
from treebank_scores import raw_text

from udify_allennlp import Parser
from udify_allennlp.archives.run_folder import weights_file
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.text.conllu import (
    read_sentences,
    treebank_language,
    treebank_name,
    write_sentences,
)

HEADER = ("model", "precision", "MB", "peak GB", "words/s", "times", "LAS")
RAW_HEADER = ("raw words/s", "raw times", "raw LAS")


class Entry(NamedTuple):
    """A model with its peak in bytes, and the seconds for words and raw text."""

    name: str
    precision: str
    megabytes: float
    peak: int
    parser: Any
    times: list[tuple[float, ...]]
    parsed: dict[str, Any]

    def parse(self, source: str, target: str) -> float:
        return seconds(lambda: self.parser.parse_file(source, target, silent=True))[0]


def load(model: str, precision: str, lang: str, tokenizer: Optional[str]) -> Any:
    if Path(model, "model-best").is_dir():
        import spacy_peer  # which needs spaCy

        return spacy_peer.Pipeline(Path(model))
    return Parser.load(
        model, precision, lang=lang, **({"tokenizer": tokenizer} if tokenizer else {})
    )


def peak(source: str, target: str, *loaded: Any) -> int:
    """Returns the peak memory of this process in bytes after loading a model and parsing."""
    load(*loaded).parse_file(source, target, silent=True)
    return machine.peak_resident()


def entries(given: argparse.Namespace, source: str, target: str) -> list[Entry]:
    """Returns the entries. Peaks are measured first, while this process holds nothing."""
    lang = treebank_language(treebank_name(str(given.file)))
    asked = []
    for named in given.model:
        name, _, model = named.rpartition("=")
        pipeline = Path(model, "model-best")
        if pipeline.is_dir():
            files = [file for file in pipeline.rglob("*") if file.is_file()]
            size, precisions = sum(file.stat().st_size for file in files), ["float32"]
        else:
            size, precisions = weights_file(model).stat().st_size, given.precisions.split(",")
        name = name or Path(model).name.removesuffix(".tar.gz")
        asked += [(name, size / 1e6, (model, each, lang, given.tokenizer)) for each in precisions]
    peaks = [machine.afresh(peak, source, target, *loaded) for _, _, loaded in asked]
    return [
        Entry(name, loaded[1], size, most, load(*loaded), [], {})
        for (name, size, loaded), most in zip(asked, peaks)
    ]


def rows(found: list[Entry], gold: list[Any], kinds: Sequence[str]) -> list[list[str]]:
    words, first = sum(map(len, gold)), found[0]
    lines = []
    for entry in found:
        cells = [entry.name, entry.precision, f"{entry.megabytes:.1f}", f"{entry.peak / 1e9:.2f}"]
        for part, kind in enumerate(kinds):
            own = [times[part] for times in entry.times]
            ratio = statistics.median(a[part] / b for a, b in zip(first.times, own))
            scores = official_scores(gold, entry.parsed[kind], entry.name)
            rate = words / statistics.median(own)
            cells += [f"{rate:.0f}", f"{ratio:.2f}", f"{scores['LAS']:.2f}"]
        lines.append(cells)
    return lines


def draw(path: str, lines: list[list[str]], words: int) -> None:
    """Draws speed across, LAS up, and the size of the archive as the area of the dot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for name in dict.fromkeys(line[0] for line in lines):
        own = [line for line in lines if line[0] == name]
        speed, las = ([float(line[place]) for line in own] for place in (4, 6))
        axes.plot(speed, las, alpha=0.4)
        axes.scatter(speed, las, s=[4 * float(line[2]) for line in own], alpha=0.6, label=name)
        for line, x, y in zip(own, speed, las):
            axes.annotate(line[1], (x, y), textcoords="offset points", xytext=(6, 4), fontsize=8)
    axes.set(xscale="log", xlabel=f"words per second on one core ({words} words)", ylabel="LAS")
    axes.grid(alpha=0.3)
    axes.legend(title="the area shows the archive size", fontsize=8, title_fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("file", type=Path, help="a CoNLL-U file with gold annotation")
    parser.add_argument(
        "model",
        nargs="+",
        help="model archives, run folders or shipped models; NAME=MODEL sets the name",
    )
    parser.add_argument("--sentences", type=int, help="read only the first N sentences")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--precisions", default="float32,bfloat16,int8")
    raw = parser.add_mutually_exclusive_group()
    raw.add_argument("--tokenizer", help="tokenizer for raw text (default: each model's own)")
    raw.add_argument("--words-only", action="store_true", help="do not parse raw text")
    parser.add_argument("--out", help="tab-separated table to write")
    parser.add_argument("--figure", help="figure of speed and LAS to write")
    given = parser.parse_args()
    gold = list(islice(read_sentences(given.file), given.sentences))
    if given.repeats < 1 or not gold:
        parser.error("--repeats and the number of sentences to parse must be at least 1")
    words = sum(map(len, gold))
    sys.stdout.write(f"{machine.describe()}\nfile       {given.file.name}, {words} words\n")
    sys.stdout.flush()
    kinds = ("words",) if given.words_only else ("words", "raw")
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder, "out"))
        sources = {
            "words": str(Path(folder, "in.conllu")),
            "raw": str(Path(folder, "in.txt")),
        }
        text = raw_text(gold)
        write_sentences(gold, sources["words"])
        found = entries(given, sources["words"], target)
        Path(sources["raw"]).write_text(text[:2000], encoding="utf-8")
        write_sentences(gold[:32], sources["words"])
        for entry in found:  # warms up: the first batches also allocate
            for kind in kinds:
                entry.parse(sources[kind], target)
        Path(sources["raw"]).write_text(text, encoding="utf-8")
        write_sentences(gold, sources["words"])
        for _ in range(given.repeats):
            for entry in found:
                taken = []
                for kind in kinds:
                    taken.append(entry.parse(sources[kind], target))
                    entry.parsed[kind] = list(read_sentences(target))
                entry.times.append(tuple(taken))
    header = HEADER if given.words_only else HEADER + RAW_HEADER
    lines = rows(found, gold, kinds)
    if given.out:
        table = "".join("\t".join(line) + "\n" for line in (header, *lines))
        Path(given.out).write_text(table, encoding="utf-8")
    if given.figure:
        draw(given.figure, lines, words)
    for line in (header, *lines):
        sys.stdout.write(f"{line[0]:<24}" + "".join(f"{cell:>13}" for cell in line[1:]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
