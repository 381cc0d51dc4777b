"""Word alignment: beside loops, and on sentences whose words are known."""

import math
import random
from collections import defaultdict

import torch

from tests.helpers.translation import NUMBERS
from udify_allennlp.compression.word_alignment import ITERATIONS, NULL, TENSION, align_words


def digamma(x):
    return float(torch.digamma(torch.tensor(x, dtype=torch.float64)))


def loop(pairs):
    """EM as the paper has it, word by word."""
    share = defaultdict(lambda: 1.0)
    for iteration in range(ITERATIONS + 1):
        counts, best = defaultdict(float), []
        for source, target in pairs:
            best.append([])
            for j, word in enumerate(target):
                place = [
                    math.exp(-TENSION * abs((i + 1) / len(source) - (j + 1) / len(target)))
                    for i in range(len(source))
                ]
                prior = [NULL, *((1 - NULL) * p / sum(place) for p in place)]
                scores = [p * share[s, word] for p, s in zip(prior, [None, *source])]
                best[-1].append(scores.index(max(scores)) - 1)
                for score, s in zip(scores, [None, *source]):
                    counts[s, word] += score / sum(scores)
        if iteration < ITERATIONS:
            sums = defaultdict(float)
            for (s, _), count in counts.items():
                sums[s] += count + 0.01
            share = {
                (s, word): math.exp(digamma(count + 0.01) - digamma(sums[s]))
                for (s, word), count in counts.items()
            }
    return best


def sentences(count, order):
    draw = random.Random(5)
    for _ in range(count):
        numbers = draw.sample(range(10), k=draw.randint(2, 5))
        yield [[NUMBERS[lang][n] for n in numbers] for lang in ("en", "de")], order(numbers)


def test_it_is_the_loop():
    pairs = [tuple(both) for both, _ in sentences(25, list)]
    assert align_words(pairs) == loop(pairs)


def test_words_that_always_go_together_are_aligned_whatever_their_order():
    pairs, expected = [], []
    for (english, german), numbers in sentences(200, list):
        places = sorted(range(len(numbers)), key=lambda p: numbers[p])
        pairs.append(([word.upper() for word in english], [german[p] for p in places]))
        expected.append(places)
    found = align_words(pairs)
    right = sum(a == b for ours, theirs in zip(found, expected) for a, b in zip(ours, theirs))
    assert right > 0.97 * sum(map(len, expected))


def test_empty_sentences_and_no_sentences():
    assert align_words([]) == []
    assert align_words([([], ["a"]), (["a"], []), (["a"], ["b"])]) == [[-1], [], [0]]
