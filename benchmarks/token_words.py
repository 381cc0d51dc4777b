"""
Splits the tokens of raw text into words as the training files of a language do, for the list in
`udify_allennlp/data/token_words.txt`.

    python benchmarks/token_words.py TEXT.xz ... --train FILE.conllu ... --words lexicon \
        --lang he [--least 2] --out FILE

Small networks rank the splits of a token into a stem and affixes that training splits off. They
learn from the tokens of training, by the stem's frequency in the texts, alone and with other
affixes, and whether word lists have it. FILE gets the section of a language: the tokens of
training, as it splits them most often, and others of which the networks are sure, by stem.
"""

import argparse
import lzma
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import torch
from word_lists import rows_of

from udify_allennlp.data.language_sections import text_of_sections
from udify_allennlp.data.token_words import PART, PLACE
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.surfaces import surfaces

SURE = 0.6
"""Minimum probability of a split that is written."""
SHORTEST, LONGEST = 2, 14
"""Minimum number of letters of a stem, and maximum number of letters of a token."""
TWICE = 2
"""Minimum number of different tokens in training with some affixes."""
NETWORKS, HIDDEN, DROPOUT = 10, 48, 0.2
EPOCHS, BATCH, RATE, DECAY = 20, 64, 0.005, 0.02
_LETTERS = re.compile(r"[^\W\d_ـ]+")
_TOKEN = re.compile(rf"(?<![\w\"'״׳]){_LETTERS.pattern}(?![\w\"'״׳])")

Words = tuple[str, ...]


class Split(NamedTuple):
    """The words of a token: a stem and its affixes."""

    prefixes: Words
    stem: str
    suffixes: Words

    @classmethod
    def of(cls, words: Words) -> "Split":
        """The stem is the longest word, the first of several."""
        stem = max(range(len(words)), key=lambda place: len(words[place]))
        return cls(words[:stem], words[stem], words[stem + 1 :])

    @property
    def words(self) -> Words:
        return (*self.prefixes, self.stem, *self.suffixes)


class Splitter:
    """
    Ranks the splits of tokens.

    # Parameters

    trained : `Collection[Words]`
        The different tokens of training, as their words.
    counts : `Mapping[str, int]`
        How often each token occurs in raw text.
    listed : `Collection[str]`
        Forms in word lists.
    """

    def __init__(
        self, trained: Collection[Words], counts: Mapping[str, int], listed: Collection[str]
    ) -> None:
        splits = [Split.of(words) for words in trained]
        self._counts = counts
        self._listed = listed
        self._prefixes = _frequent(split.prefixes for split in splits)
        self._suffixes = _frequent(split.suffixes for split in splits)
        self._stems = Counter(split.stem for split in splits)
        self._before, self._after = self._neighbours()
        self._numbers: dict[str, int] = {}
        self._networks: list[torch.nn.Module] = []
        self._train(splits)

    def split(self, token: str) -> tuple[Split, float]:
        """Returns the most probable split of a token, and its probability."""
        splits = self._candidates(token)
        with torch.no_grad():
            rows = self._rows(token, splits)
            scores = torch.stack([network(rows).squeeze(-1) for network in self._networks])
            chances = scores.log_softmax(-1).mean(0).softmax(0)
        best = int(chances.argmax())
        return splits[best], float(chances[best])

    def _candidates(self, token: str) -> list[Split]:
        found = []
        for prefixes, suffixes in product(self._prefixes, self._suffixes):
            before, after = "".join(prefixes), "".join(suffixes)
            stem = token[len(before) : len(token) - len(after)]
            if before + stem + after == token and len(stem) >= SHORTEST:
                found.append(Split(prefixes, stem, suffixes))
        return found

    def _neighbours(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Returns what is written before and after each string in tokens of the texts."""
        before: defaultdict[str, set[str]] = defaultdict(set)
        after: defaultdict[str, set[str]] = defaultdict(set)
        starts = {"".join(prefixes) for prefixes in self._prefixes}
        ends = {"".join(suffixes) for suffixes in self._suffixes if suffixes}
        for token in self._counts:
            for start in filter(token.startswith, starts):
                before[token[len(start) :]].add(start)
            for end in filter(token.endswith, ends):
                after[token[: -len(end)]].add(end)
        return before, after

    def _values(self, token: str, split: Split, own: str) -> Iterator[tuple[str, float]]:
        """Yields features of a split, with their values; `own` does not count as a known stem."""
        prefixes, stem, suffixes = split
        rest = stem + "".join(suffixes)
        known = self._stems[stem] - (stem == own)
        shapes = ["", *(["before"] if prefixes else ()), *(["after"] if suffixes else ())]
        for shape in shapes:
            yield f"{shape} count", math.log1p(self._counts.get(stem, 0))
            yield f"{shape} occurs", float(stem in self._counts)
            yield f"{shape} listed", float(stem in self._listed)
            yield f"{shape} neighbours", math.log1p(len(self._before.get(stem, ())))
            yield f"{shape} suffixes", math.log1p(len(self._after.get(stem, ())))
            yield f"{shape} known", float(known > 0)
            yield f"{shape} known often", math.log1p(known)
            yield f"{shape} letters", len(stem) / LONGEST
            yield f"{shape} {min(len(stem), 5)} letters", 1.0
        yield f"prefixes {PART.join(prefixes)}", 1.0
        yield f"suffixes {PART.join(suffixes)}", 1.0
        if prefixes:
            yield f"neighbours behind {prefixes[0]}", math.log1p(len(self._before.get(stem, ())))
            yield f"starts {stem[0]}", 1.0
        if suffixes:
            yield f"ends {stem[-1]}", 1.0
            yield f"ends {token[-2:]}", 1.0
            yield "count with suffixes", math.log1p(self._counts.get(rest, 0))
            yield "listed with suffixes", float(rest in self._listed)
            yield "neighbours with suffixes", math.log1p(len(self._before.get(rest, ())))

    def _rows(self, token: str, splits: Sequence[Split], own: str = "") -> torch.Tensor:
        rows = torch.zeros(len(splits), len(self._numbers))
        for row, split in zip(rows, splits):
            for name, value in self._values(token, split, own):
                if name in self._numbers:
                    row[self._numbers[name]] = value
        return rows

    def _train(self, splits: Iterable[Split]) -> None:
        examples = []
        for split in splits:
            token = "".join(split.words)
            candidates = self._candidates(token)
            if split in candidates:
                examples.append((token, candidates, split))
                for name, _ in self._values(token, split, split.stem):
                    self._numbers.setdefault(name, len(self._numbers))
        rows = [self._rows(token, found, split.stem) for token, found, split in examples]
        right = torch.tensor([found.index(split) for _, found, split in examples])
        features = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        lengths = torch.tensor([len(found) for _, found, _ in examples])
        is_none = torch.arange(features.shape[1]) >= lengths[:, None]
        torch.manual_seed(0)
        for _ in range(NETWORKS):
            network = torch.nn.Sequential(
                torch.nn.Linear(len(self._numbers), HIDDEN),
                torch.nn.ReLU(),
                torch.nn.Dropout(DROPOUT),
                torch.nn.Linear(HIDDEN, 1),
            )
            optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
            for _ in range(EPOCHS):
                for batch in torch.randperm(len(examples)).split(BATCH):
                    scores = network(features[batch]).squeeze(-1)
                    scores = scores.masked_fill(is_none[batch], -math.inf)
                    loss = torch.nn.functional.cross_entropy(scores, right[batch])
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            self._networks.append(network.eval())


def words_of(path: str, lang: str) -> Iterator[Words]:
    """
    Yields the words of a treebank that are written together, of letters, and make up their tokens.
    """
    for sentence in read_sentences(path):
        written: list[str] = []
        for surface in surfaces(sentence):
            words = surface.words or (surface.text,)
            is_word = _LETTERS.fullmatch(surface.text) and surface.text == "".join(words)
            if is_word:
                written += (lower(word, lang) for word in words)
            if not is_word or surface.after != "":
                yield from _longer_than_one(written)
                written = []
        yield from _longer_than_one(written)


def _longer_than_one(words: Sequence[str]) -> Iterator[Words]:
    if len("".join(words)) > 1:
        yield tuple(words)


def tokens_of(path: str, lang: str) -> Iterator[str]:
    """Yields the tokens of letters in a text."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from (lower(token, lang) for token in _TOKEN.findall(line) if len(token) > 1)


def most_frequent(trained: Counter[Words]) -> list[Words]:
    """Returns the words that training most often makes of each token."""
    found: dict[str, Words] = {}
    for words, _ in sorted(trained.items(), key=lambda item: (-item[1], item[0])):
        found.setdefault("".join(words), words)
    return list(found.values())


def new_tokens(trained: Collection[Words], counts: Mapping[str, int], least: int) -> list[str]:
    """
    Returns the tokens that training lacks and that occur often enough, of letters that occur in
    those that it splits.
    """
    letters = {letter for words in trained if len(words) > 1 for letter in "".join(words)}
    new = counts.keys() - {"".join(words) for words in trained}
    common = (token for token in new if counts[token] >= least and len(token) <= LONGEST)
    return sorted(token for token in common if letters.issuperset(token))


def section(lang: str, splits: Iterable[Split]) -> str:
    """Returns the section of a language."""
    tokens: defaultdict[str, list[str]] = defaultdict(list)
    for split in sorted(splits):
        pattern = PART.join(split._replace(stem=PLACE).words)
        tokens[split.stem].append(pattern)
    lines = [" ".join([stem, *patterns]) for stem, patterns in sorted(tokens.items())]
    return text_of_sections({lang: lines})


def _frequent(affixes: Iterable[Words]) -> list[Words]:
    return [own for own, count in Counter(affixes).items() if count >= TWICE or not own]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("--least", type=int, default=1, help="occurrences of a token in the texts")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    trained = Counter(
        words for path in expand_paths(args.train) for words in words_of(path, args.lang)
    )
    counts = Counter(token for path in args.texts for token in tokens_of(path, args.lang))
    listed = {lower(form, args.lang) for form, *_ in rows_of(args.words, args.lang)}
    splitter = Splitter(sorted(trained), counts, listed)
    ranked = map(splitter.split, new_tokens(trained, counts, args.least))
    splits = [Split.of(words) for words in most_frequent(trained)]
    splits += [split for split, chance in ranked if chance >= SURE]
    text = section(args.lang, splits)
    write_whole(args.out, [text.encode()])


if __name__ == "__main__":
    main()
