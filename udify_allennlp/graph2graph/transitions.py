"""
Arc-standard parsing with SWAP (Nivre 2009; Mohammadshahi 2023, chapter 2): with a stack and a
buffer, every dependency tree, projective or not, is built by `2 n + 2 s` steps, `s` of them SWAP.

- SHIFT: the front of the buffer moves onto the stack. Legal if the buffer has a word.
- SWAP: the second node of the stack moves back to the front of the buffer. Legal if it is a word,
  and before the top in the sentence.
- LEFT: the second gets the top as its head and is removed. Legal if it is a word.
- RIGHT: the top gets the second as its head and is removed. Legal if there is a second.

With `single_root`, as UD requires, RIGHT from ROOT is legal only at the very end.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy

SHIFT, SWAP, LEFT, RIGHT = range(4)
ACTIONS = ("SHIFT", "SWAP", "LEFT", "RIGHT")
NOBODY = -1
"""Placeholder for a missing node, head or label."""


class Steps(NamedTuple):
    """The steps that build a tree: the nodes that each step reads, and its action."""

    tops: list[tuple[int, int, int]]
    """The second and the top of the stack, and the front of the buffer."""
    actions: list[int]
    dependents: list[int]
    """The word that gets its head; `NOBODY` if the step makes no arc."""


class States:
    """
    Parsers of a batch of sentences, which step together. Nodes are ROOT, 0, and words 1..n.

    # Parameters

    lengths : `Sequence[int]`
        Number of words of each sentence.
    single_root : `bool`
        True if only one word may have ROOT as its head.
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
        """
        `(batch, 3)`: the second and the top of the stack, and the front of the buffer; `NOBODY` if
        missing.
        """

    @property
    def done(self) -> numpy.ndarray:
        """`(batch,)`: True where all words have their heads."""
        return (self._stack_top == 2) & (self._buffer_top == 1)

    @property
    def waiting(self) -> numpy.ndarray:
        """
        `(batch, longest + 1)`: True for nodes on the stack or in the buffer of unfinished
        sentences.
        """
        is_node = numpy.arange(self.heads.shape[1]) <= self.lengths[:, None]
        return is_node & (self.heads == NOBODY) & ~self.done[:, None]

    def legal(self) -> numpy.ndarray:
        """
        Returns the legal actions, `(batch, 4)`; a finished sentence has none, any other at least
        one.
        """
        second, top, front = self.tops.T
        left = second > 0
        right = second != NOBODY
        if self._single_root:
            right &= (second > 0) | (front == NOBODY)
        return numpy.stack([front != NOBODY, left & (second < top), left, right], 1)

    def apply(self, actions: numpy.ndarray, labels: numpy.ndarray) -> None:
        """
        Takes a step in each unfinished sentence. `actions` `(batch,)` must be legal, `labels`
        `(batch,)` are those of the arcs.
        """
        going = numpy.flatnonzero(~self.done)
        self.apply_to(going, actions[going], labels[going])

    def apply_to(
        self, sentences: numpy.ndarray, actions: numpy.ndarray, labels: numpy.ndarray
    ) -> None:
        """
        Takes a step in each of the `sentences` `(n,)`, given by their numbers; none of them is
        finished.
        """
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
        """
        Returns the stacks, `(n, longest + 1)`, from the bottom, which is ROOT, to the top; `NOBODY`
        above it.
        """
        return _up_to(self._stack[sentences], self._stack_top[sentences])

    def buffers(self, sentences: numpy.ndarray) -> numpy.ndarray:
        """
        Returns the buffers, `(n, longest)`, from the front to the back, with `NOBODY` before the
        front.
        """
        return _up_to(self._buffer[sentences], self._buffer_top[sentences])[:, ::-1]

    def deleted(self, sentences: numpy.ndarray) -> numpy.ndarray:
        """
        Returns the words that have a head, `(n, longest)`, in order, with `NOBODY` between them.
        """
        heads = self.heads[sentences, 1:]
        return numpy.where(heads == NOBODY, NOBODY, numpy.arange(1, heads.shape[1] + 1))


def _up_to(nodes: numpy.ndarray, top: numpy.ndarray) -> numpy.ndarray:
    """Returns the nodes up to the top, without the two placeholders at the bottom."""
    return numpy.where(numpy.arange(nodes.shape[1]) > top[:, None], NOBODY, nodes)[:, 2:]


@lru_cache(maxsize=2**16)  # every epoch asks for the same trees
def oracle(heads: tuple[int, ...]) -> Steps:
    """
    Returns the steps that build a tree (static and eager, as in the released code): an arc as soon
    as its dependent has all its dependents; else SWAP if the two are in the opposite order in the
    tree's projective order; else SHIFT.

    # Parameters

    heads : `Tuple[int, ...]`
        The heads of words 1..n, which must form a tree.
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
    """Returns the position of each node in the order in which every subtree is contiguous."""
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
