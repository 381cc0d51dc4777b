"""
Measures the accuracy and speed of a segmenter, compared with UDPipe 1 trained on the same files.
"""

import argparse
import gc
import io
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Optional

import machine
import torch
import udpipe_peer
from ufal import udpipe

from udify_allennlp.scoring.official import (
    SEGMENTATION,
    macro_average,
    scores_of,
    segmentation_counts,
)
from udify_allennlp.segmenter.reader import Document, SegmenterReader
from udify_allennlp.text.conllu import expand_paths, sentences_in
from udify_allennlp.text.raw_text import lines_of, read_text
from udify_allennlp.text.tokenizers import DEFAULT, make_tokenizer

Segment = Callable[[str], str]
"""A function from raw text to CoNLL-U."""
COLUMNS = (*SEGMENTATION, "chars/s")
TOLD: dict[str, Callable[[Document], Optional[str]]] = {
    "segmenter": lambda document: document.label,
    "language": lambda document: document.lang,
    "guessing": lambda document: None,
}
"""The language input of our segmenter for a document."""


def ours(name: str, lang: Optional[str]) -> Segment:
    """Returns a tokenizer of `allennlp predict`."""
    tokenizer = make_tokenizer(name, lang)
    return lambda text: "".join(s.text for s in read_text(lines_of(text), tokenizer))


def theirs(path: Path) -> Segment:
    """Returns UDPipe's own pipeline."""
    model = udpipe.Model.load(str(path))
    nothing = udpipe.Pipeline.NONE
    pipeline = udpipe.Pipeline(model, "tokenize", nothing, nothing, "conllu")

    def segment(text: str) -> str:
        assert model  # the pipeline does not keep it alive
        return str(pipeline.process(text))

    return segment


def train(document: Document, path: Path) -> None:
    """Trains a UDPipe 1 tokenizer with its defaults, stopping early by the development file."""
    files = [document.path.replace("-test.", f"-{split}.") for split in ("train", "dev")]
    start, cpu = time.monotonic(), time.process_time()
    parts = (udpipe_peer.DEFAULTS, udpipe_peer.NOTHING, udpipe_peer.NOTHING)
    udpipe_peer.train(files, path, *parts)
    seconds = time.process_time() - cpu, time.monotonic() - start
    print("{}: trained in {:.0f} s of CPU, {:.0f} s".format(path, *seconds), flush=True)


def measure(document: Document, segment: Segment, repeats: int) -> dict[str, float]:
    """Returns F1 in percent, and characters per second of CPU time in the fastest repeat."""
    text = document.text
    segment(text[:2000])  # initializes what the first call creates
    times: list[float] = []
    for _ in range(repeats):
        start = time.thread_time()
        result = segment(text)
        times.append(time.thread_time() - start)
    found = sentences_in(io.BytesIO(result.encode("utf-8")), document.path)
    counts = segmentation_counts(document.sentences, found, document.path)
    scores = scores_of(counts.sum(0, keepdims=True))
    return {**{name: scores[name] for name in SEGMENTATION}, "chars/s": len(text) / min(times)}


def systems(args: argparse.Namespace, document: Document) -> Iterator[str]:
    """Yields the names of the systems that can segment a document."""
    yield from TOLD
    if args.rules:
        yield DEFAULT
    if args.udpipe:
        path = Path(args.udpipe, f"{document.treebank}.udpipe")
        if args.train and not path.exists():
            train(document, path)
        if path.exists():
            yield "udpipe"


def system(args: argparse.Namespace, name: str, document: Document) -> Segment:
    if name == "udpipe":
        return theirs(Path(args.udpipe, f"{document.treebank}.udpipe"))
    if name == DEFAULT:
        return ours(DEFAULT, document.lang)
    return ours(args.segmenter, TOLD[name](document))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("segmenter", help="segmenter archive or run folder")
    parser.add_argument(
        "files", nargs="+", help="test files, NAME-ud-test.conllu, or globs of them"
    )
    parser.add_argument("--udpipe", help="folder of UDPipe 1 models, NAME.udpipe")
    parser.add_argument(
        "--train",
        action="store_true",
        help="train missing UDPipe models on the files beside the test file",
    )
    parser.add_argument("--rules", action="store_true", help="also measure the tokenizer 'rules'")
    parser.add_argument(
        "--repeats", type=int, default=3, help="number of timed repeats (default = 3)"
    )
    args = parser.parse_args()
    if args.train and not args.udpipe:
        parser.error("--train requires --udpipe")
    torch.set_num_threads(1)
    print(machine.describe())
    print(f"{'':<16}{'':<12}{''.join(f'{name:>11}' for name in COLUMNS)}")
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for document in SegmenterReader().documents(expand_paths(args.files)):
        gc.freeze()  # otherwise the collector would sometimes scan all imports
        for name in systems(args, document):
            row = measure(document, system(args, name, document), args.repeats)
            rows.setdefault(name, {})[document.treebank] = row
            print(_line(document.treebank, name, row), flush=True)
    common = set.intersection(*(set(found) for found in rows.values()))
    for name, found in rows.items():
        chosen = [(treebank, row) for treebank, row in found.items() if treebank in common]
        print(_line(f"mean of {len(chosen)}", name, macro_average(chosen, COLUMNS)))
    return 0


def _line(treebank: str, name: str, row: dict[str, float]) -> str:
    scores = "".join(f"{row[metric]:11.2f}" for metric in SEGMENTATION)
    return f"{treebank:<16}{name:<12}{scores}{row['chars/s']:11.0f}"


if __name__ == "__main__":
    sys.exit(main())
