"""Are our CoNLL 2018 scores equal to the script's (PyPI: udtools), and how long does each take?"""

import argparse
import io
import random
import sys
import time
from collections.abc import Iterator, Sequence

import machine
from udtools.udeval import UDError, evaluate, load_conllu

from udify_allennlp.scoring.official import METRICS, SEGMENTATION, official_counts, scores_of
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.sentence import Sentence

COLUMNS = ("upos", "xpos", "feats", "lemmas", "deprels")
SHARE = 0.2
"""Share of the values, heads and cuts that are changed."""
Scores = dict[str, float]


def relabelled(sentence: Sentence, rng: random.Random) -> Sentence:
    """
    Returns a sentence in which some labels are those of other words, and some words depend on the
    root.
    """
    columns = {}
    for name in COLUMNS:
        values = getattr(sentence, name)
        columns[name] = [rng.choice(values) if rng.random() < SHARE else v for v in values]
    heads = sentence.heads
    root = heads.index("0")
    heads = [
        str(root + 1) if word != root and rng.random() < SHARE else head
        for word, head in enumerate(heads)
    ]
    return sentence.replace(heads=heads, **columns)


def resegmented(sentences: Sequence[Sentence], rng: random.Random) -> Iterator[Sentence]:
    """
    Yields sentences with joined and cut tokens, added and removed multiword tokens, joined and cut
    sentences, and chains.
    """
    tokens: list[list[str]] = []
    for sentence in sentences:
        for token in tokens_of(sentence):
            if rng.random() < SHARE and tokens:  # join
                before = tokens.pop()
                surface = before[0] + token[0]
                both = [*(before[1:] or before), *(token[1:] or token)]
                tokens.append([surface, *both] if rng.random() < 0.5 else [surface])
            elif rng.random() < SHARE and len(token[0]) > 1:  # cut
                at = rng.randrange(1, len(token[0]))
                pieces = [piece for piece in (token[0][:at], token[0][at:]) if piece.strip()]
                tokens += [[piece] for piece in pieces]
            else:
                tokens.append(token)
        if tokens and rng.random() > SHARE / 2:
            yield chain(tokens)
            tokens = []
    if tokens:
        yield chain(tokens)


def tokens_of(sentence: Sentence) -> Iterator[list[str]]:
    """Yields the surface form of each token, followed by its words if it is a multiword token."""
    inside = 0
    for row in sentence.text.split("\n"):
        cells = row.split("\t")
        if "-" in cells[0] and row[0] != "#":
            first, last = map(int, cells[0].split("-"))
            inside, token = last - first + 1, [cells[1]]
        elif cells[0].isdigit() and inside:
            token.append(cells[1])
            inside -= 1
            if not inside:
                yield token
        elif cells[0].isdigit():
            yield [cells[1]]


def chain(tokens: list[list[str]]) -> Sentence:
    rows, words = [], 0
    for surface, *inside in tokens:
        if inside:
            rows.append(f"{words + 1}-{words + len(inside)}\t{surface}" + "\t_" * 8)
        for word in inside or [surface]:
            deprel = ("nsubj", "case", "det", "punct")[words % 4] if words else "root"
            rows.append(f"{words + 1}\t{word}\t_\tNOUN\t_\t_\t{words}\t{deprel}\t_\t_")
            words += 1
    return Sentence("\n".join(rows) + "\n\n")


def script(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Scores:
    texts = ("".join(sentence.text for sentence in side) for side in (gold, system))
    scores = evaluate(*(load_conllu(io.StringIO(text), "file", {}) for text in texts))
    return {metric: 100 * scores[metric].f1 for metric in SEGMENTATION + METRICS}


def ours(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Scores:
    return scores_of(official_counts(gold, system, "file"))


def timed(score: object, *sides: Sequence[Sentence]) -> tuple[Scores, float]:
    start = time.process_time()
    return score(*sides), time.process_time() - start  # type: ignore[operator]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", help="annotated CoNLL-U files, or quoted globs")
    args = parser.parse_args()
    sys.stdout.write(machine.describe() + "\n")
    sys.setrecursionlimit(100_000)  # the script climbs trees by recursion
    different = refused = words = compared = 0
    seconds = [0.0, 0.0]
    paths = expand_paths(args.files)
    for path in paths:
        rng = random.Random(0)
        gold = list(read_sentences(path))
        words += sum(map(len, gold))
        try:
            load_conllu(io.StringIO("".join(sentence.text for sentence in gold)), path, {})
        except UDError as error:
            refused += 1
            sys.stdout.write(f"{path}: rejected by the script: {error}\n")
            continue
        new = [relabelled(sentence, rng) for sentence in gold]
        for system in (new, list(resegmented(gold, rng))):
            (theirs, slow), (own, fast) = timed(script, gold, system), timed(ours, gold, system)
            seconds = [seconds[0] + slow, seconds[1] + fast]
            compared += 1
            for metric in (metric for metric in theirs if theirs[metric] != own[metric]):
                different += 1
                sys.stdout.write(f"{path}: {metric} {theirs[metric]!r}, ours {own[metric]!r}\n")
    sys.stdout.write(
        f"{len(paths)} files, {words:,} words; {refused} rejected; {compared} comparisons of "
        f"{len(SEGMENTATION + METRICS)} figures, {different} figures differ\n"
        f"CPU seconds: script {seconds[0]:.1f}, ours {seconds[1]:.1f}, "
        f"ratio {seconds[0] / max(seconds[1], 1e-9):.1f}\n"
    )


if __name__ == "__main__":
    main()
