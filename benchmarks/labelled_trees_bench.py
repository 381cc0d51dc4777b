"""
Does it pay to search for trees by arcs and labels together, and with any number of roots?

    python benchmarks/labelled_trees_bench.py MODEL FILE.conllu ... [--sentences N] [--out FILE]

Each file is parsed once, with given words; every rule then decides from the same scores. UAS and
LAS are those of the CoNLL 2018 script (deprels without subtypes). Differences from the first rule,
trees of arcs alone, are means over treebanks, with the interval of the paired bootstrap over
sentences. CPU seconds are those of the decision alone; "cost" is the time of a rule beyond that of
the first, as a share of parsing with the first. --out has a row per treebank.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple, Optional
from unittest.mock import patch

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import numpy as np
import torch

from udify_allennlp.decoders.dependency import ARCS, LABELS, DependencyDecoder
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.scoring.bootstrap import Difference, difference, resample
from udify_allennlp.text.conllu import expand_paths, read_sentences, treebank_name
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.universal_labels import universal_deprel

RULES: dict[str, tuple[str, bool, Optional[float]]] = {
    "arcs": (ARCS, True, None),
    "arcs+labels": (LABELS, True, None),
    "arcs+labels, 2 nats": (LABELS, True, 2.0),
    "arcs, roots": (ARCS, False, None),
    "arcs+labels, roots": (LABELS, False, None),
}
"""
`best_tree`, `single_root` and `label_margin`; the others are compared with the first, and the third
with the second, too.
"""
ALL, NEAR = list(RULES)[1:3]
METRICS = ("UAS", "LAS")


class Parsed(NamedTuple):
    """A treebank by every rule."""

    counts: dict[str, np.ndarray]
    """`(sentences, metrics, 3)`: gold, predicted and correct counts."""
    seconds: dict[str, float]
    """CPU seconds of the decisions."""
    total: float
    """The CPU time of parsing by the first rule."""
    changed: dict[str, int]
    """Number of sentences whose trees differ from the first rule's."""
    missed: int
    """Number of sentences in which a margin changes the tree."""


def parse(predictor: ConlluPredictor, gold: Sequence[Sentence]) -> Parsed:
    columns: dict[str, list[Columns]] = {name: [{}] * len(gold) for name in RULES}
    seconds = dict.fromkeys(RULES, 0.0)
    original = DependencyDecoder.decode
    rows: Sequence[int] = ()

    def decode(decoder: Any, scores: Any, sentences: Sequence[Sentence]) -> list[Columns]:
        before = decoder.best_tree, decoder.single_root, decoder.label_margin
        found: dict[str, list[Columns]] = {}
        for name, rule in RULES.items():
            decoder.best_tree, decoder.single_root, decoder.label_margin = rule
            start = time.process_time()
            found[name] = original(decoder, scores, sentences)
            seconds[name] += time.process_time() - start
            for row, own in zip(rows, found[name]):
                columns[name][row] = own
        decoder.best_tree, decoder.single_root, decoder.label_margin = before
        return next(iter(found.values()))

    start = time.process_time()
    with patch.object(DependencyDecoder, "decode", decode), torch.no_grad():
        for rows, batch in predictor.batches(gold):  # noqa: B007 (`decode` reads the rows)
            predictor.model(**batch)
    total = time.process_time() - start
    first, *others = RULES
    changed = {
        name: sum(old != new for old, new in zip(columns[first], columns[name])) for name in others
    }
    missed = sum(one != other for one, other in zip(columns[ALL], columns[NEAR]))
    counts = {name: count(gold, columns[name]) for name in RULES}
    return Parsed(counts, seconds, total - sum(seconds[name] for name in others), changed, missed)


def count(gold: Sequence[Sentence], columns: Sequence[Columns]) -> np.ndarray:
    found = np.zeros((len(gold), len(METRICS), 3))
    for row, sentence, own in zip(found, gold, columns):
        heads = np.array(sentence.heads) == np.array(own["heads"])
        pairs = zip(sentence.deprels, own["deprels"], strict=True)
        same = [universal_deprel(a) == universal_deprel(b) for a, b in pairs]
        row[:, :2] = len(sentence)
        row[:, 2] = heads.sum(), (heads & np.array(same)).sum()
    return found


def points(counts: np.ndarray, metric: str) -> float:
    own = counts[:, METRICS.index(metric)].sum(0)
    return 100 * float(own[2] / own[0])


def compared(treebanks: Sequence[Parsed]) -> dict[str, dict[str, Difference]]:
    first, *others = (resample([each.counts[name] for each in treebanks]) for name in RULES)
    return {name: difference(first, other, METRICS) for name, other in zip(list(RULES)[1:], others)}


def report(treebanks: dict[str, Parsed]) -> str:
    first, *others = RULES
    parsed = list(treebanks.values())
    words = int(sum(each.counts[first][:, 0, 0].sum() for each in parsed))
    sentences = sum(len(each.counts[first]) for each in parsed)
    total = sum(each.total for each in parsed)
    lines = [f"{len(parsed)} treebanks, {sentences} sentences, {words} words, {total:.1f} s"]
    for name in RULES:
        own = sum(each.seconds[name] for each in parsed)
        scores = ", ".join(
            f"{metric} {statistics.mean(points(each.counts[name], metric) for each in parsed):.2f}"
            for metric in METRICS
        )
        lines.append(f"{name:>20}: {scores}; decision {own:.2f} s")
    differences = compared(parsed)
    for name in others:
        cost = sum(each.seconds[name] - each.seconds[first] for each in parsed) / total
        changed = sum(each.changed[name] for each in parsed) / sentences
        gains = [points(e.counts[name], "LAS") - points(e.counts[first], "LAS") for e in parsed]
        better, worse = (sum(sign * gain > 1e-9 for gain in gains) for sign in (1, -1))
        found = "; ".join(
            f"{metric} {each.points:+.3f} ({each.low:+.3f} to {each.high:+.3f})"
            for metric, each in differences[name].items()
        )
        lines.append(
            f"{name:>20}: {found}; {better} treebanks better, {worse} worse; "
            f"{changed:.1%} of sentences differ; cost {cost:+.1%}"
        )
    missed = sum(each.missed for each in parsed)
    lines.append(f"{NEAR} has different trees from {ALL} in {missed} of {sentences} sentences")
    return "\n".join(lines)


def row_of(name: str, parsed: Parsed) -> str:
    first = next(iter(RULES))
    cells = [name, str(len(parsed.counts[first])), str(int(parsed.counts[first][:, 0, 0].sum()))]
    for rule in RULES:
        cells += [f"{points(parsed.counts[rule], metric):.3f}" for metric in METRICS]
        cells.append(f"{parsed.seconds[rule]:.3f}")
    return "\t".join([*cells, f"{parsed.total:.3f}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive, run folder or shipped model")
    parser.add_argument("files", nargs="+", help="gold treebanks: files or globs")
    parser.add_argument(
        "--sentences", type=int, help="read only the first N sentences of each file"
    )
    parser.add_argument("--out", help="tab-separated table to write, one row per treebank")
    given = parser.parse_args()
    predictor = load_predictor(given.model)
    if not isinstance(predictor.model.decoders["deps"], DependencyDecoder):
        parser.error(f"{given.model} has no biaffine tree decoder. Choose a model that has one.")
    sys.stdout.write(machine.describe() + "\n")
    predictor.columns([Sentence.from_words(["a", "b"])] * 8)  # warms up
    header = [f"{rule} {what}" for rule in RULES for what in (*METRICS, "s")]
    lines = ["\t".join(["treebank", "sentences", "words", *header, "parsing s"])]
    treebanks: dict[str, Parsed] = {}
    for path in expand_paths(given.files):
        gold = list(islice(read_sentences(path), given.sentences))
        name = treebank_name(path)
        treebanks[name] = parse(predictor, gold)
        lines.append(row_of(name, treebanks[name]))
        sys.stderr.write(lines[-1] + "\n")
        if given.out:
            with open(given.out, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
    sys.stdout.write(report(treebanks) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
