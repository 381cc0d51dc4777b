"""
Learns the weights in `udify_allennlp/segmentation/character_ngrams.npz` for a language without
spaces between words, from the words of training sentences,

    python benchmarks/character_ngrams.py th FILE.conllu ... --penalty 2e-6 --out FILE.npz

or, in Japanese, from the words that a dictionary finds in raw text, with which UD's agree to 98%
(`pip install fugashi unidic-lite`: MeCab with UniDic),

    python benchmarks/character_ngrams.py ja TEXT.xz ... --penalty 2e-6 --out FILE.npz

by logistic regression, in minutes. On raw text, which the shipped segmenter has not been trained
on, weights are added to its logits, so that they become what it lacks; on training sentences, where
it is too sure, they stand alone. FILE keeps the weights of other languages.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import numpy
import torch
from mecab_words import words_of_lines

from udify_allennlp.archives import shipped
from udify_allennlp.segmentation.character_ngrams import BITS, UNIT, features_of, places_inside
from udify_allennlp.segmentation.row import Row
from udify_allennlp.segmentation.tokenizer import SegmenterTokenizer
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.surfaces import surfaces
from udify_allennlp.text.tokenizers import make_tokenizer

RATE, BATCH = 0.3, 8192
FIRST_SCALE = 0.35
"""The factor of the network's logits from which training starts."""
LIMIT = 127  # int8


class Examples(NamedTuple):
    """Places in texts where a word may end."""

    features: torch.Tensor
    """int64 `(n, features)`"""
    is_end: torch.Tensor
    """float32 `(n,)`"""
    logits: Optional[torch.Tensor]
    """float32 `(n,)`: those of the network, if it has not been trained on the texts."""


def words_of(path: str) -> Iterator[tuple[str, list[str]]]:
    """
    Yields the text of each sentence of a treebank, without white space, and its tokens. So what
    stands beside a space shows ends of words, too (0.3 more Words of Thai-TUD's development file).
    """
    for sentence in read_sentences(path):
        tokens = [token.text for token in surfaces(sentence)]
        yield "".join(tokens), tokens


def ends_of(text: str, words: Iterable[str]) -> numpy.ndarray:
    """Returns after which characters a word ends, bool `(len(text),)`."""
    is_end = numpy.zeros(len(text), dtype=bool)
    place = 0
    for word in words:
        place = text.index(word, place) + len(word)
        is_end[place - 1] = True
    return is_end


def trained_examples(texts: Iterable[tuple[str, Sequence[str]]]) -> Examples:
    """Returns the examples of training sentences."""
    features, is_end = [], []
    for text, words in texts:
        places = places_inside(text, 0, len(text))
        features.append(features_of(text, places))
        is_end.append(ends_of(text, words)[places])
    return _examples(features, is_end)


def raw_examples(texts: Iterable[tuple[str, Sequence[str]]], tokenizer: Any) -> Examples:
    """Returns the examples of raw texts, with the logits of a tokenizer."""
    words = dict(texts)
    heard = _Heard(tokenizer)
    for _, sentences in heard.together(words):
        for _ in sentences:
            pass
    features, is_end, logits = [], [], []
    for row, start, of_end in heard.blocks:
        places = places_inside(row.text, start, start + len(of_end))
        ends = numpy.zeros(len(row.text), dtype=bool)
        for number in numpy.unique(row.text_of(slice(start, start + len(of_end)))).tolist():
            text = row.paragraph(number)
            ends[row.starts[number] : row.ends[number]] = ends_of(text, words[text])
        features.append(features_of(row.text, places))
        is_end.append(ends[places])
        logits.append(of_end[places - start])
    return _examples(features, is_end, logits)


class _Heard(SegmenterTokenizer):
    """A tokenizer that keeps its network's logits of the ends of tokens."""

    def __init__(self, tokenizer: SegmenterTokenizer) -> None:
        self.__dict__.update(tokenizer.__dict__)
        self._unspaced = set()  # without the weights that are learned here
        self.blocks: list[tuple[Row, int, numpy.ndarray]] = []

    def _labels(self, row: Row, block: slice, *args: Any) -> Any:
        labels, of_end, of_last = super()._labels(row, block, *args)
        self.blocks.append((row, block.start, of_end.copy()))
        return labels, of_end, of_last


def _examples(
    features: Sequence[numpy.ndarray],
    is_end: Sequence[numpy.ndarray],
    logits: Sequence[numpy.ndarray] = (),
) -> Examples:
    return Examples(
        torch.from_numpy(numpy.concatenate(features)),
        torch.from_numpy(numpy.concatenate(is_end)).float(),
        torch.from_numpy(numpy.concatenate(logits)).float() if logits else None,
    )


def learn(examples: Examples, penalty: float, epochs: int) -> numpy.ndarray:
    """
    Returns the weights, int8 `(2**BITS,)` in units of `UNIT`, beside the network's logits as they
    are.

    # Parameters

    penalty : `float`
        What an update with an adaptive rate subtracts from the magnitude of each weight (Duchi et
        al. 2011), which leaves most weights 0.
    """
    torch.manual_seed(0)
    weights = torch.nn.EmbeddingBag(2**BITS, 1, mode="sum")
    torch.nn.init.zeros_(weights.weight)
    scale = torch.nn.Parameter(torch.tensor(FIRST_SCALE))
    optimizer = torch.optim.Adagrad([weights.weight, scale], RATE)
    for epoch in range(epochs):
        rate = optimizer.param_groups[0]["lr"] = RATE * (1 - epoch / epochs)
        for batch in torch.randperm(len(examples.is_end)).split(BATCH):
            scores = weights(examples.features[batch]).squeeze(-1)
            if examples.logits is not None:
                scores = scores + scale * examples.logits[batch]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                scores, examples.is_end[batch]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                steps = optimizer.state[weights.weight]["sum"].sqrt().clamp(min=1e-10)
                lower = weights.weight.abs() - penalty * rate / steps
                weights.weight.copy_(weights.weight.sign() * lower.clamp(min=0))
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}", flush=True)
    learned = weights.weight.detach().squeeze(-1)
    if examples.logits is not None:
        learned = learned / scale.detach()
    return (learned / UNIT).round().clamp(-LIMIT, LIMIT).numpy().astype(numpy.int8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lang")
    parser.add_argument("texts", nargs="+", help="CoNLL-U, or raw text, compressed by xz")
    parser.add_argument("--penalty", type=float, required=True)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if all(path.endswith(".conllu") for path in args.texts):
        examples = trained_examples(pair for path in args.texts for pair in words_of(path))
    else:
        tokenizer = make_tokenizer(str(shipped.archive_of("multilingual")), args.lang)
        lines = (pair for path in args.texts for pair in words_of_lines(path))
        texts = ((line, [word.form for word in words]) for line, words in lines)
        examples = raw_examples(texts, tokenizer)
    languages = dict(numpy.load(args.out)) if args.out.exists() else {}
    languages[args.lang] = learn(examples, args.penalty, args.epochs)
    numpy.savez_compressed(args.out, **dict(sorted(languages.items())))
    print(f"{args.out}: {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
