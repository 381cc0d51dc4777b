"""
Do the steps of the oracle build every tree of a treebank, non-projective ones too?

    python benchmarks/oracle_replay.py 'ud/*/*.conllu*'

Replays the steps in batches, checks that each is legal, and prints the number of trees that differ;
the command fails unless it is 0. A tree of `n` words must take `2 n + 2 s` steps, `s` of them SWAP.
"""

import argparse
import sys
import time

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import numpy
from allennlp.common.util import lazy_groups_of

from udify_allennlp.graph2graph.transitions import SHIFT, SWAP, States, Steps, oracle
from udify_allennlp.text.conllu import expand_paths, read_sentences

TOGETHER = 256


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="CoNLL-U files, plain or compressed, or globs")
    given = parser.parse_args()
    start = time.perf_counter()
    trees = words = swaps = with_swaps = wrong = 0
    for path in (path for pattern in given.files for path in expand_paths(pattern)):
        for batch in lazy_groups_of(read_sentences(path), TOGETHER):
            many = [tuple(int(head) for head in sentence.heads) for sentence in batch]
            found = [oracle.__wrapped__(heads) for heads in many]  # kept, they would fill memory
            for sentence, is_built in zip(batch, replay(many, found)):
                if not is_built:
                    wrong += 1
                    sys.stderr.write(f"{path}:{sentence.line}: another tree\n")
            counts = [steps.actions.count(SWAP) for steps in found]
            trees += len(many)
            words += sum(map(len, many))
            swaps += sum(counts)
            with_swaps += sum(map(bool, counts))
    sys.stdout.write(machine.describe() + "\n")
    sys.stdout.write(f"{trees} trees, {words} words\n")
    sys.stdout.write(f"{with_swaps} with SWAP, {swaps} times\n")
    sys.stdout.write(f"{wrong} wrong, {time.perf_counter() - start:.0f} s\n")
    return 1 if wrong else 0


def replay(many: list[tuple[int, ...]], found: list[Steps]) -> list[bool]:
    """
    Returns for each tree whether its steps are all legal, build it, and have the expected number.
    """
    states = States([len(heads) for heads in many])
    longest = max(len(steps.actions) for steps in found)
    actions = numpy.full((longest, len(many)), SHIFT)
    for row, steps in enumerate(found):
        actions[: len(steps.actions), row] = steps.actions
    counts = numpy.array([len(steps.actions) for steps in found])
    right = counts == [2 * len(h) + 2 * s.actions.count(SWAP) for h, s in zip(many, found)]
    rows = numpy.arange(len(many))
    for step in range(longest):
        going = step < counts
        right &= (states.done != going) & (states.legal()[rows, actions[step]] | ~going)
        states.apply(actions[step], numpy.zeros(len(many), dtype=int))
    right &= states.done
    return [
        bool(fine) and tuple(built[1 : len(heads) + 1]) == heads
        for fine, built, heads in zip(right, states.heads.tolist(), many)
    ]


if __name__ == "__main__":
    sys.exit(main())
