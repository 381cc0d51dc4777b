"""
How do the costs grow with sentences, sentence length, labels and treebanks?

    python benchmarks/scale_bench.py MODEL ENCODER FILE... [--plot FILE.png]

MODEL is an archive or a run folder, ENCODER a folder or a hub name, and FILEs are at least two
treebanks; it takes two to three minutes on one core. Each cost is measured at several sizes and
fitted as `seconds = c * size^exponent` (least squares of the logarithms): an exponent of 1 is
linear; a fixed cost lowers it. Seconds are CPU seconds, medians over --repeats.

sentences   reading the first FILE, up to 2048 sentences of it, and parsing them
length      parsing sentences of a given length, in batches of about the same number of wordpieces
labels      training on 32 sentences with a given number of labels in an adaptive softmax; labels
            are drawn with P(rank) proportional to 1 / rank
treebanks   reading a given number of FILEs, cut to 5000 words each, and making the vocabulary
"""

import argparse
import importlib.util
import logging
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import numpy
import torch
from allennlp.common import Params
from allennlp.data import DataLoader, Instance, Vocabulary
from allennlp.models import Model, load_archive
from allennlp.predictors import Predictor
from allennlp.training.optimizers import Optimizer

from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences

# Sentences read: five sizes, each twice the one before, the last at most MOST. Parsing omits the
# largest.
MOST, FEWEST = 2048, 64
LENGTHS = (8, 16, 32, 64, 128, 256)
LABELS = (1_000, 3_000, 10_000, 30_000, 110_000)
# Words parsed at each length, words kept of each treebank, sentences trained on.
WORDS, KEPT, TRAINED = 2048, 5000, 32
HEADER = ("cost", "of", "from", "to", "first s", "last s", "exponent")


class Curve(NamedTuple):
    cost: str
    size: str
    sizes: Sequence[int]
    seconds: Sequence[float]

    def fit(self) -> numpy.ndarray:
        """Returns the exponent and the natural logarithm of the factor."""
        return numpy.polyfit(numpy.log(self.sizes), numpy.log(self.seconds), 1)

    def row(self) -> str:
        ends = f"{self.sizes[0]:>10}{self.sizes[-1]:>10}"
        times = f"{self.seconds[0]:>10.4f}{self.seconds[-1]:>10.4f}"
        return f"{self.cost:>16}{self.size:>12}{ends}{times}{self.fit()[0]:>10.2f}"


def seconds(repeats: int, work: Callable[..., Any], *arguments: Any) -> float:
    """Returns the median CPU time of `work(*arguments)`."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work(*arguments)
        times.append(time.process_time() - start)
    return statistics.median(times)


def by_sentences(
    predictor: Predictor, encoder: str, pool: list[Sentence], folder: Path, repeats: int
) -> list[Curve]:
    def read(path: str) -> list[Instance]:
        # A reader remembers the words it has split: each repeat gets a new one.
        return list(UniversalDependenciesReader(encoder).read(path))

    largest = 2 ** (len(pool).bit_length() - 1)
    sizes = [largest >> halvings for halvings in (4, 3, 2, 1, 0)]
    reading, parsing = [], []
    for size in sizes:
        path = str(folder / f"{size}.conllu")
        write_sentences(pool[:size], path)
        reading.append(seconds(repeats, read, path))
    for size in sizes[:-1]:
        sentences = list(read_sentences(folder / f"{size}.conllu"))
        parsing.append(seconds(repeats, predictor.columns, sentences))
    return [
        Curve("reading", "sentences", sizes, reading),
        Curve("parsing", "sentences", sizes[:-1], parsing),
    ]


def by_length(predictor: Predictor, pool: list[Sentence], repeats: int) -> Curve:
    words = [form for sentence in pool for form in sentence.forms if " " not in form]
    per_sentence = []
    for length in LENGTHS:
        count = WORDS // length
        texts = [" ".join(random.choices(words, k=length)) for _ in range(count)]
        inputs = [{"sentence": text} for text in texts]
        per_sentence.append(seconds(repeats, predictor.predict_batch_json, inputs) / count)
    return Curve("a sentence", "words", LENGTHS, per_sentence)


def by_labels(encoder: str, pool: list[Sentence], folder: Path, repeats: int) -> Curve:
    reader = UniversalDependenciesReader(encoder, tasks=["feats"])
    times = []
    for size in LABELS:
        ranks = numpy.exp(numpy.random.uniform(0, numpy.log(size), sum(map(len, pool[:TRAINED]))))
        labels = iter(f"Label={int(rank)}" for rank in ranks)
        path = str(folder / "labels.conllu")
        relabelled = [s.replace(feats=[next(labels) for _ in s.forms]) for s in pool[:TRAINED]]
        write_sentences(relabelled, path)
        # Falling counts: the adaptive softmax wants labels numbered by frequency.
        counts = {f"Label={rank}": size - rank + 1 for rank in range(1, size + 1)}
        vocabulary = Vocabulary({"feats_labels": counts})
        settings = Params({"type": "udify", "shuffle": False})
        loader = DataLoader.from_params(settings, reader=reader, data_path=path)
        loader.index_with(vocabulary)
        train = training(encoder, vocabulary, list(loader))
        train()  # warms up: AdamW makes its state
        times.append(seconds(repeats, train))
    return Curve("training", "labels", LABELS, times)


def training(encoder: str, vocabulary: Vocabulary, batches: list[Any]) -> Callable[[], None]:
    """Returns a training step for each batch: forward, backward, clip, AdamW."""
    decoder = {"type": "udify_tag_decoder", "task": "feats", "adaptive": True}
    embedder = {"type": "udify_encoder", "model_name": encoder}
    config = {"type": "udify_multitask", "embedder": embedder, "decoders": {"feats": decoder}}
    model = Model.from_params(Params(config), vocab=vocabulary).train()
    parameters = [[name, parameter] for name, parameter in model.named_parameters()]
    settings = Params({"type": "udify_adamw", "lr": 1e-5})
    optimizer = Optimizer.from_params(settings, model_parameters=parameters)

    def train() -> None:
        for batch in batches:
            optimizer.zero_grad()
            model(**batch)["loss"].backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()

    return train


def beginning(file: str, words: int) -> Iterator[Sentence]:
    """Yields the first sentences of a file, until they have this many words."""
    for sentence in read_sentences(file):
        if words <= 0:
            return
        words -= len(sentence)
        yield sentence


def by_treebanks(encoder: str, files: list[str], folder: Path, repeats: int) -> Curve:
    paths = []
    for number, file in enumerate(files):
        paths.append(str(folder / f"treebank{number}.conllu"))
        write_sentences(beginning(file, KEPT), paths[-1])
    sizes = [2**power for power in range(len(paths).bit_length())]
    most = sizes[-1]

    def read(size: int) -> None:
        # Languages differ in cost, so all treebanks are read at each size, in groups of that size.
        for start in range(0, most, size):
            reader = UniversalDependenciesReader(encoder)
            Vocabulary.from_instances(reader.read(paths[start : start + size]))

    times = [seconds(repeats, read, size) * size / most for size in sizes]
    return Curve("reading, vocab", "treebanks", sizes, times)


def plot(curves: list[Curve], path: str) -> None:
    """Draws points and fitted lines, a panel for each kind of size."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    kinds = list(dict.fromkeys(curve.size for curve in curves))
    figure, panels = pyplot.subplots(2, 2, figsize=(10, 8), layout="constrained")
    for panel, kind in zip(panels.flat, kinds, strict=True):
        shown = [curve for curve in curves if curve.size == kind]
        for curve in shown:
            exponent, factor = curve.fit()
            fitted = numpy.exp(factor) * numpy.power(curve.sizes, exponent, dtype=float)
            label = f"{curve.cost}: exponent {exponent:.2f}"
            (line,) = panel.loglog(curve.sizes, fitted, label=label)
            panel.loglog(curve.sizes, curve.seconds, "o", color=line.get_color())
        # At least a factor of 20 from bottom to top, so that noise does not fill a flat panel.
        values = [value for curve in shown for value in curve.seconds]
        room = max(1.5, (20 * min(values) / max(values)) ** 0.5)
        panel.set_ylim(min(values) / room, max(values) * room)
        ticks = sorted({size for curve in shown for size in curve.sizes})
        panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        panel.minorticks_off()
        panel.set(xlabel=kind, ylabel="CPU seconds")
        panel.grid(alpha=0.3)
        panel.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="model archive (model.tar.gz) or run folder")
    parser.add_argument("encoder", help="encoder: folder or hub name")
    parser.add_argument("files", nargs="+", help="CoNLL-U files, at least two")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--plot", help="PNG file to draw the points and fitted lines into")
    given = parser.parse_args()
    if len(given.files) < 2 or given.repeats < 1:
        parser.error("Give at least two files, and --repeats of at least 1.")
    if given.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib: pip install 'udify_allennlp[viz]'")
    pool = list(islice(read_sentences(given.files[0]), MOST))
    if len(pool) < FEWEST:
        parser.error(
            f"{given.files[0]} has {len(pool)} sentences; the first FILE needs at least {FEWEST}"
        )
    # The start of a text may have longer sentences than its end; after shuffling, it has not.
    random.seed(1)
    random.shuffle(pool)
    numpy.random.seed(1)
    torch.manual_seed(1)

    logging.getLogger("allennlp").setLevel(logging.WARNING)
    predictor = Predictor.from_archive(load_archive(given.model), "udify")
    sys.stdout.write(machine.describe() + "\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        by_length(predictor, pool, 1)  # warms up
        by_treebanks(given.encoder, given.files[:1], folder, 1)
        curves = by_sentences(predictor, given.encoder, pool, folder, given.repeats)
        curves.append(by_length(predictor, pool, given.repeats))
        curves.append(by_labels(given.encoder, pool, folder, given.repeats))
        curves.append(by_treebanks(given.encoder, given.files, folder, given.repeats))
    widths = (16, 12, 10, 10, 10, 10, 10)
    lines = ["".join(f"{cell:>{width}}" for cell, width in zip(HEADER, widths, strict=True))]
    sys.stdout.write("\n".join([*lines, *(curve.row() for curve in curves)]) + "\n")
    if given.plot:
        plot(curves, given.plot)
        sys.stdout.write(f"plot       {given.plot}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
