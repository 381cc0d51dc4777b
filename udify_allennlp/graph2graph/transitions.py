"""
Arc-standard parsing with SWAP (Nivre 2009; Mohammadshahi 2023, chapter 2): a stack and a buffer, on
which every dependency tree, projective or not, is built by `2 n + 2 s` steps, `s` of them SWAP.

- SHIFT: the front of the buffer goes onto the stack. Legal where the buffer has a word.
- SWAP: the second of the stack goes back to the front of the buffer. Legal where it is a word, and
  before the top in the sentence.
- LEFT: the second gets the top as its head and leaves. Legal where it is a word.
- RIGHT: the top gets the second as its head and leaves. Legal where there is a second.

Where UD wants one root, RIGHT from ROOT is legal at the very end only: `single_root`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy

SHIFT, SWAP, LEFT, RIGHT = range(4)
ACTIONS = ("SHIFT", "SWAP", "LEFT", "RIGHT")
NOBODY = -1
"""In the place of a node that is not there, of a head and of a label."""


class Steps(NamedTuple):
    """The steps that build a tree: the nodes that each step looks at and its action."""

    tops: list[tuple[int, int, int]]
    """Second and top of the stack, front of the buffer."""
    actions: list[int]
    dependents: list[int]
    """The word that gets its head, `NOBODY` where the step makes no arc."""


class States:
    """
    Parsers of a batch of sentences, which step together. Nodes are ROOT, 0, and words 1..n.

    # Parameters

    lengths : `Sequence[int]`
        How many words each sentence has.
    single_root : `bool`
        Whether one word only may hang from ROOT.
    """

    def __init__(self, lengths: Sequence[int], single_root: bool = True) -> None:
        self.lengths = numpy.asarray(lengths)
        batch, longest = len(self.lengths), int(self.lengths.max())
        self._single_root = single_root
        # Both with their open end last; below stand two for what is not there.
        self._stack = numpy.full((batch, longest + 3), NOBODY)
        self._stack[:, 2] = 0
        self._stack_top = numpy.full(batch, 2)
        self._buffer = numpy.full((batch, longest + 2), NOBODY)
        places = numpy.arange(1, longest + 1)
        words = self.lengths[:, None] + 1 - places
        self._buffer[:, 2:] = numpy.where(words > 0, words, NOBODY)
        self._buffer_top = self.lengths + 1
        self.heads = numpy.full((batch, longest + 1), NOBODY)
        self.labels = numpy.full((batch, longest + 1), NOBODY)
        self.tops = self._tops_of(numpy.arange(batch))
        """`(batch, 3)`: second and top of the stack, front of the buffer; `NOBODY` if not there."""

    @property
    def done(self) -> numpy.ndarray:
        """`(batch,)`: True where all words have their heads."""
        return (self._stack_top == 2) & (self._buffer_top == 1)

    def legal(self) -> numpy.ndarray:
        """`(batch, 4)`; nothing is where a sentence is done, and something everywhere else."""
        second, top, front = self.tops.T
        left = second > 0
        right = second != NOBODY
        if self._single_root:
            right &= (second > 0) | (front == NOBODY)
        return numpy.stack([front != NOBODY, left & (second < top), left, right], 1)

    def apply(self, actions: numpy.ndarray, labels: numpy.ndarray) -> None:
        """
        A step of each sentence that is not done. `actions` `(batch,)` are legal ones, `labels`
        `(batch,)` those of the arcs.
        """
        going = numpy.flatnonzero(~self.done)
        self.apply_to(going, actions[going], labels[going])

    def apply_to(
        self, sentences: numpy.ndarray, actions: numpy.ndarray, labels: numpy.ndarray
    ) -> None:
        """The same of `sentences` `(n,)`, given by their numbers; none of them is done."""
        second, top, front = self.tops[sentences].T
        for action, head, dependent in ((LEFT, top, second), (RIGHT, second, top)):
            chosen = actions == action
            self.heads[sentences[chosen], dependent[chosen]] = head[chosen]
            self.labels[sentences[chosen], dependent[chosen]] = labels[chosen]
        chosen = (actions == LEFT) | (actions == SWAP)
        rows = sentences[chosen]
        self._stack[rows, self._stack_top[rows] - 1] = top[chosen]
        self._stack_top[sentences[actions != SHIFT]] -= 1
        chosen = actions == SHIFT
        rows = sentences[chosen]
        self._stack_top[rows] += 1
        self._stack[rows, self._stack_top[rows]] = front[chosen]
        self._buffer_top[rows] -= 1
        chosen = actions == SWAP
        rows = sentences[chosen]
        self._buffer_top[rows] += 1
        self._buffer[rows, self._buffer_top[rows]] = second[chosen]
        self.tops[sentences] = self._tops_of(sentences)

    def _tops_of(self, sentences: numpy.ndarray) -> numpy.ndarray:
        top = self._stack_top[sentences]
        tops = numpy.empty((len(sentences), 3), dtype=self._stack.dtype)
        tops[:, 0] = self._stack[sentences, top - 1]
        tops[:, 1] = self._stack[sentences, top]
        tops[:, 2] = self._buffer[sentences, self._buffer_top[sentences]]
        return tops

    def stacks(self, sentences: numpy.ndarray) -> numpy.ndarray:
        """`(n, longest + 1)`: from the bottom, which is ROOT, to the top; `NOBODY` above it."""
        return _up_to(self._stack[sentences], self._stack_top[sentences])

    def buffers(self, sentences: numpy.ndarray) -> numpy.ndarray:
        """`(n, longest)`: from the front to the back, with `NOBODY` before the front."""
        return _up_to(self._buffer[sentences], self._buffer_top[sentences])[:, ::-1]

    def deleted(self, sentences: numpy.ndarray) -> numpy.ndarray:
        """`(n, longest)`: the words that have a head, in their order, `NOBODY` between them."""
        heads = self.heads[sentences, 1:]
        return numpy.where(heads == NOBODY, NOBODY, numpy.arange(1, heads.shape[1] + 1))


def _up_to(nodes: numpy.ndarray, top: numpy.ndarray) -> numpy.ndarray:
    """Returns the nodes up to the top, without the two placeholders at the bottom."""
    return numpy.where(numpy.arange(nodes.shape[1]) > top[:, None], NOBODY, nodes)[:, 2:]


@lru_cache(maxsize=2**16)  # every epoch asks for the same trees
def oracle(heads: tuple[int, ...]) -> Steps:
    """
    The steps that build a tree (static and eager, as in the released code): an arc as soon as its
    dependent has all of its own; else SWAP where the two are the other way round in the tree's
    projective order; else SHIFT.

    # Parameters

    heads : `Tuple[int, ...]`
        Of words 1..n: a tree.
    """
    head_of = (NOBODY, *heads)
    order = _projective_order(head_of)
    missing = [0] * len(head_of)  # dependents that have not got their head
    for head in heads:
        missing[head] += 1
    stack, buffer = [0], list(range(len(heads), 0, -1))
    steps = Steps([], [], [])
    while buffer or len(stack) > 1:
        second, top = (stack[-2] if len(stack) > 1 else NOBODY), stack[-1]
        steps.tops.append((second, top, buffer[-1] if buffer else NOBODY))
        dependent = NOBODY
        if second > 0 and head_of[second] == top and not missing[second]:
            action, dependent = LEFT, second
            del stack[-2]
        elif second != NOBODY and head_of[top] == second and not missing[top]:
            action, dependent = RIGHT, top
            del stack[-1]
        elif 0 < second < top and order[second] > order[top]:
            action = SWAP
            buffer.append(stack.pop(-2))
        else:
            action = SHIFT
            stack.append(buffer.pop())
        if dependent != NOBODY:
            missing[head_of[dependent]] -= 1
        steps.actions.append(action)
        steps.dependents.append(dependent)
    return steps


def _projective_order(head_of: Sequence[int]) -> list[int]:
    """Returns the place of each node when a tree is read with every subtree in one piece."""
    children: list[list[int]] = [[] for _ in head_of]
    for node, head in enumerate(head_of):
        if head != NOBODY:
            children[head].append(node)
    order = [0] * len(head_of)
    place = 0
    waiting = [(0, False)]
    while waiting:
        node, is_open = waiting.pop()
        if is_open:
            order[node] = place
            place += 1
            continue
        before = [child for child in children[node] if child < node]
        after = [child for child in children[node] if child > node]
        waiting += [(child, False) for child in reversed(after)]
        waiting.append((node, True))
        waiting += [(child, False) for child in reversed(before)]
    return order
