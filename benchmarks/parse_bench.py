"""
How fast does a model parse a file, how much of that is the encoder alone, and where is the rest?

    python benchmarks/parse_bench.py MODEL FILE.conllu [--sentences N] [--repeats 3]

MODEL is an archive or a run folder. Parsing comprises the steps of `allennlp predict` after
loading: reading the file, splitting it into wordpieces, parsing, and writing CoNLL-U. The bare
encoder is its forward pass alone, without its hidden states, on prepared tensors of the same
batches, and its products are its linear layers alone, on inputs that in int8 are rounded already.
The three take turns, so that a slow moment of the machine affects all.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
from allennlp.common.util import lazy_groups_of
from allennlp.models import load_archive
from allennlp.nn.util import move_to_device
from allennlp.predictors import Predictor
from stopwatch import Part, Stopwatch

from udify_allennlp.data import tasks, ud_reader
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.decoders import dependency
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.encoders.bert import Bert
from udify_allennlp.kernels import precision as precisions
from udify_allennlp.kernels.precision import Int8Linear
from udify_allennlp.modules.bilinear import DeepBilinear
from udify_allennlp.modules.layer_mix import LayerMix
from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE
from udify_allennlp.text.conllu import (
    Sentence,
    read_sentences,
    treebank_name,
    write_sentences,
)
from udify_allennlp.text.lemma_rules import apply_rule

Tensors = dict[str, torch.Tensor]
Seconds = tuple[float, float]
HEADER = (
    ("", "parse", "encoder", "parse", "encoder", "by clock", "by CPU"),
    ("repeat", "s", "s", "words/s", "words/s", "ratio", "ratio"),
)
ENCODER, REST = "encoder", "everything else"


def parts(predictor: Any) -> list[Part]:
    """Returns the parts of parsing whose time is measured, in the order of the table."""
    encoder = predictor._model.embedder.transformer
    return [
        ("read", ud_reader, "read_sentences"),
        ("wordpieces", WordpieceTokenizer, "learn"),
        ("columns of a table", UniversalDependenciesReader, "table_of"),
        ("collate", Collator, "__call__"),
        (ENCODER, encoder, "layers" if isinstance(encoder, Bert) else "forward"),
        ("all layers at first pieces", predictor._model.embedder, "forward"),
        ("layer mixes", LayerMix, "forward"),
        ("tag decoders", TagDecoder, "decode"),
        ("arc scores", DependencyDecoder, "scores"),
        ("deprel scores", DeepBilinear, "at_heads"),
        ("tree search", dependency, "best_trees"),
        ("tree search with labels", dependency, "best_labelled_trees"),
        ("heads and deprels of words", DependencyDecoder, "decode"),
        ("lemma strings", tasks, "apply_rule"),
        ("new columns", Sentence, "replace"),
        ("write, and the caller of the rest", sys.modules[__name__], "write_sentences"),
    ]


def parse(predictor: Any, source: str, target: str, batch_size: int) -> None:
    """Parses one file into another, like the command."""
    # A new file has mostly new words; without this, only the first repeat would split them, and
    # look up their lemmas.
    predictor.reader.forget()
    predictor.model.lookup._lemma.cache_clear()
    apply_rule.cache_clear()
    write_sentences(predictor.parse(predictor.reader.sentences(source), batch_size), target)


def paths_in(folder: str, file: Path) -> tuple[str, str]:
    """
    Returns the paths of a copy of a treebank's file, whose name tells the language, and of its
    parse.
    """
    source = Path(folder, f"{treebank_name(str(file))}-ud-dev.conllu")
    return str(source), str(Path(folder, "out.conllu"))


def encode(predictor: Any, batches: list[Tensors]) -> None:
    """Runs the encoder's forward pass over all batches."""
    model = predictor._model
    device = next(model.parameters()).device
    with torch.no_grad(), precisions.encoder_context(model.precision, device):
        for batch in batches:
            model.embedder.transformer(
                input_ids=batch["ids"],
                attention_mask=batch["mask"].long(),
                output_hidden_states=False,
                return_dict=True,
            )


def bare_products(predictor: Any, batches: list[Tensors]) -> tuple[Callable[[], None], float]:
    """
    Returns a function that computes the products of the encoder's linear layers on inputs of the
    same sizes, and its floating point operations.
    """
    works: list[tuple[Callable, torch.Tensor]] = []
    sizes: list[int] = []

    def record(module: torch.nn.Module, given: tuple[torch.Tensor, ...], out: torch.Tensor) -> None:
        rows = given[0].flatten(0, -2)
        if isinstance(module, Int8Linear):
            works.append((module.product, torch.randint(1, 256, rows.shape, dtype=torch.uint8)))
        else:
            weight: Any = module.weight
            works.append((module.forward, torch.randn(rows.shape).to(weight)))
        sizes.append(2 * rows.numel() * out.shape[-1])

    layers = [
        module.register_forward_hook(record)
        for module in predictor._model.embedder.transformer.modules()
        if isinstance(module, (torch.nn.Linear, Int8Linear))
    ]
    encode(predictor, batches)
    for layer in layers:
        layer.remove()

    def run() -> None:
        with torch.no_grad():
            for product, rows in works:
                product(rows)

    return run, float(sum(sizes))


def encoder_batches(predictor: Any, source: str, batch_size: int) -> list[Tensors]:
    """
    Returns the tensors that the predictor passes to the encoder, in the batches of its sampler.
    """
    schema, batches = Schema(framing=predictor.reader.schema.framing), []
    for group in lazy_groups_of(predictor.reader.sentences(source), batch_size):
        collate = Collator(predictor.reader.table_of(group, schema), schema)
        for rows in predictor._sampler.batches(collate.sizes(), seed=0):
            device = predictor._model._get_prediction_device()
            batches.append(move_to_device(collate(rows)["wordpieces"], device))
    return batches


def seconds(work: Callable[[], None]) -> Seconds:
    """Returns wall-clock seconds and CPU seconds, over all threads."""
    start = time.perf_counter(), time.process_time()
    work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def describe(predictor: Any, batches: list[Tensors]) -> str:
    shapes = [tuple(batch["ids"].shape) for batch in batches]
    cells = sum(rows * width for rows, width in shapes)
    pieces = sum(int(batch["mask"].sum()) for batch in batches)
    device = predictor._model._get_prediction_device()
    first, last = ("x".join(map(str, shape)) for shape in (shapes[0], shapes[-1]))
    return "\n".join(
        [
            f"encoder    {predictor._model.precision} on {'the CPU' if device < 0 else device}",
            f"batches    {len(batches)}, from {first} to {last} (windows x wordpieces)",
            f"padding    {1 - pieces / cells:.1%} of {cells} wordpieces",
        ]
    )


def report(words: int, parsing: list[Seconds], encoding: list[Seconds]) -> str:
    """Returns one row per repeat, then the medians of the columns."""
    # Ratios are taken within a repeat, where both sides met the same machine.
    rows = [(p[0], e[0], p[0] / e[0], p[1] / e[1]) for p, e in zip(parsing, encoding, strict=True)]
    rows.append(tuple(statistics.median(column) for column in zip(*rows, strict=True)))
    names = [*(str(number) for number in range(1, len(rows))), "median"]
    lines = ["".join(f"{cell:>10}" for cell in row) for row in HEADER]
    for name, (parsed, encoded, clock, cpu) in zip(names, rows, strict=True):
        rates = f"{words / parsed:10.0f}{words / encoded:10.0f}"
        lines.append(f"{name:>10}{parsed:10.2f}{encoded:10.2f}{rates}{clock:10.3f}{cpu:10.3f}")
    return "\n".join(lines)


def rates(operations: float, encoding: list[Seconds], multiplying: list[Seconds]) -> str:
    """Returns the rate of products, and the encoder's as a share: lowest, median, highest."""
    each = [operations / cpu / 1e9 for _, cpu in multiplying]
    shares = sorted(p[1] / e[1] for p, e in zip(multiplying, encoding, strict=True))
    three = " / ".join(f"{x:.0%}" for x in (shares[0], statistics.median(shares), shares[-1]))
    return (
        f"products   {statistics.median(each):.0f} GFLOP/s alone; the encoder reaches {three} of it"
    )


def breakdown(watch: Stopwatch, names: list[str]) -> Iterator[str]:
    """Yields the seconds of each part, and their shares of the encoder's time and of the total."""
    whole, encoder = sum(watch.seconds.values()), watch.seconds[ENCODER]
    yield f"{'':<32}{'CPU s':>8}{'of encoder':>12}{'of all':>8}"
    for name in [*names, REST]:
        spent = watch.seconds[name]
        yield f"{name:<32}{spent:8.3f}{spent / encoder:12.2%}{spent / whole:8.2%}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive (model.tar.gz) or run folder")
    parser.add_argument("file", type=Path, help="a CoNLL-U file")
    parser.add_argument("--sentences", type=int, help="read only the first N sentences")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=BATCH_SIZE)
    parser.add_argument(
        "--cuda-device", type=int, default=-1, help="number of the GPU; -1 is the CPU"
    )
    parser.add_argument(
        "-o", "--overrides", default="", help="JSON settings, as for allennlp predict"
    )
    arguments = parser.parse_args()
    if min(arguments.repeats, arguments.batch_size) < 1:
        parser.error("--repeats and --batch-size must be at least 1")
    sentences = list(islice(read_sentences(arguments.file), arguments.sentences))
    if not sentences:
        parser.error(f"{arguments.file} and --sentences leave nothing to parse")

    archive = load_archive(arguments.model, arguments.cuda_device, arguments.overrides)
    predictor: Any = Predictor.from_archive(archive, "udify")
    predictor.at_once = 1  # as the bare encoder
    words = sum(len(sentence) for sentence in sentences)
    with tempfile.TemporaryDirectory() as folder:
        source, target = paths_in(folder, arguments.file)
        write_sentences(sentences, source)
        batches = encoder_batches(predictor, source, arguments.batch_size)
        lines = [machine.describe(), describe(predictor, batches)]
        lines.append(f"file       {arguments.file.name}, {len(sentences)} sentences, {words} words")
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()

        encode(predictor, batches[:2])  # warms up: the first batches also allocate
        run_products, operations = bare_products(predictor, batches)
        run_products()
        parsing, encoding, multiplying = [], [], []
        for _ in range(arguments.repeats):
            parsing.append(seconds(lambda: parse(predictor, source, target, arguments.batch_size)))
            encoding.append(seconds(lambda: encode(predictor, batches)))
            multiplying.append(seconds(run_products))
        sys.stdout.write(report(words, parsing, encoding) + "\n")
        sys.stdout.write(rates(operations, encoding, multiplying) + "\n\n")

        watch, watched = Stopwatch(), parts(predictor)
        with watch.on(watched, REST):
            parse(predictor, source, target, arguments.batch_size)
        sys.stdout.write("\n".join(breakdown(watch, [name for name, _, _ in watched])) + "\n")
        sys.stdout.write(f"peak memory {machine.peak_resident() / 1e9:.2f} GB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
