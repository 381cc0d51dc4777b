"""Measures the growth of a tokenizer's time with the length of a text, for various contents."""

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import machine
import numpy

from udify_allennlp.text.raw_text import Tokenizer, lines_of, read_text
from udify_allennlp.text.tokenizers import DEFAULT, make_tokenizer

RUNS: dict[str, str | list[str]] = {
    "one bracket": "(",
    "brackets": "()[]{}<>",
    "straight quotes": "\"'",
    "opening quotes": "“‘«„",
    "closing quotes": "”’»",
    "nested quotes": ["“a. ", "b.” ", "‘c. ", "d.’ "],
    "unclosed quotes": ["“A b. ", "'C d. ", '"E f. '],
    "dots": ".",
    "ellipses": "….",
    "marks of sentences": "!?",
    "emoji": "😀🎉🔥🙈",
    "joined emoji": ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽"],
    "emoticons": [":)", ";-)", ":'(", "xD"],
    "combining marks": "\u0301\u0308\u0327",
    "letters with marks": ["e\u0301", "o\u0308", "Z\u0323\u0301"],
    "digits": "0123456789",
    "numbers": ["1,000.", "3.14", "10%", "$5"],
    "percent and money": "%$€£°",
    "hyphens": "-–—",
    "hyphened words": ["well-", "known-", "a-"],
    "at signs": "@",
    "addresses": ["a.b@c.de,", "info@x.org;"],
    "hashes": "#",
    "slashes and stars": "/\\*_|~=",
    "URLs": ["http://a.b/", "www.x.org?q=1&", "https://"],
    "abbreviations": ["Mr. ", "e.g. ", "U.S. ", "Dr. "],
    "glued abbreviations": ["Mr.", "e.g.", "U.S.A."],
    "clitics": ["'s", "n't", "l'", "'ll"],
    "letters": "abcdefgh",
    "mixed scripts": "aяα中あกअעع",
    "Chinese": "我们爱北京天安门",
    "Chinese sentences": ["我们。", "你呢?", "「好。」"],
    "Japanese": "東京にあります",
    "Thai": ["ไป", "ไหน", "มา"],
    "right to left": "שלוםمرحبا\u200f\u202e",
    "zero width": "\u200b\u200d\u2060\ufeff",
    "no-break spaces": "\u00a0\u202f",
    "spaces": " ",
    "lines": ["a\n", "b\r\n"],
    "short words": ["a ", "I "],
}
"""The units of random texts, by name."""


def make_run(name: str, length: int) -> str:
    """Returns the same text each time; a longer text begins with the shorter one."""
    draw = random.Random(name)
    text = "".join(draw.choices(RUNS[name], k=length))  # each unit has one character or more
    return text[:length]


def seconds(make: Callable[[], Tokenizer], text: str, repeats: int) -> float:
    """
    Returns the shortest of some repeats, in CPU time of this thread, with a new tokenizer for each.
    """
    taken = []
    for _ in range(repeats):
        tokenizer = make()  # it may remember what it has split
        gc.freeze()  # otherwise the collector would sometimes scan all imports
        start = time.thread_time()
        for _ in read_text(lines_of(text), tokenizer):
            pass
        taken.append(time.thread_time() - start)
    return min(taken)


def exponent(lengths: Sequence[int], times: Sequence[float]) -> float:
    """Returns the exponent by least squares on the logarithms: 1 is linear, 2 quadratic."""
    return float(numpy.polyfit(numpy.log(lengths), numpy.log(times), 1)[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--tokenizer", default=DEFAULT, help="tokenizer, as for predict")
    parser.add_argument("--lang", help="language, as for allennlp predict")
    parser.add_argument("--lengths", type=int, nargs="+", default=[12_500, 25_000, 50_000])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    if len(arguments.lengths) < 2 or min(*arguments.lengths, arguments.repeats) < 1:
        parser.error("--lengths needs at least two values, and all values must be at least 1")
    print(machine.describe())
    print(f"tokenizer  {arguments.tokenizer}, language {arguments.lang}; CPU ms by characters")
    print(f"{'':<22}{''.join(f'{n:>9}' for n in arguments.lengths)}{'us/char':>9}{'exponent':>10}")
    make = partial(make_tokenizer, arguments.tokenizer, arguments.lang)
    worst = 0.0
    for name in RUNS:
        times = []
        for length in arguments.lengths:
            times.append(seconds(make, make_run(name, length), arguments.repeats))
        found = exponent(arguments.lengths, times)
        worst = max(worst, found)
        row = "".join(f"{1000 * taken:9.1f}" for taken in times)
        each = 1e6 * times[-1] / arguments.lengths[-1]
        print(f"{name:<22}{row}{each:9.2f}{found:10.2f}", flush=True)
    print(f"{len(RUNS)} kinds, largest exponent {worst:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
