"""
Alignment of the words of a parsed text with the gold words (CoNLL 2018 shared task, evaluation).
"""

from collections.abc import Sequence

from udify_allennlp.scoring.document import Document

UNALIGNED = -2
"""Placeholder for the number of a gold word."""


def align(gold: Document, system: Document) -> list[int]:
    """
    Returns for each word of `system` the word of `gold` that it is aligned with, or `UNALIGNED`.

    Both consist of the same characters. Words are aligned if their characters are the same; the
    words of multiword tokens, which have no separate characters, and all words that overlap them
    are aligned by the longest common subsequence of their lower-cased forms.
    """
    aligned = [UNALIGNED] * len(system.words)
    g = s = 0
    while g < len(gold.words) and s < len(system.words):
        if gold.in_multiword[g] or system.in_multiword[s]:
            g, s, g_end, s_end = _region(gold, system, g, s)
            gold_forms = [form.lower() for form in gold.columns["form"][g:g_end]]
            forms = [form.lower() for form in system.columns["form"][s:s_end]]
            for g_index, s_index in _common(gold_forms, forms):
                aligned[s + s_index] = g + g_index
            g, s = g_end, s_end
        elif gold.words[g] == system.words[s]:
            aligned[s] = g
            g += 1
            s += 1
        elif gold.words[g][0] <= system.words[s][0]:
            g += 1
        else:
            s += 1
    return aligned


def _region(gold: Document, system: Document, g: int, s: int) -> tuple[int, int, int, int]:
    """
    Returns, for words `g` and `s`, one of which is of a multiword token, the start and the end of
    both sides of the region to align by forms.
    """
    end = (gold.words[g] if gold.in_multiword[g] else system.words[s])[1]
    # One word that begins before the multiword token is no part of it. The shared task leaves out
    # no more than one, whatever the number.
    if gold.in_multiword[g]:
        s += not system.in_multiword[s] and system.words[s][0] < gold.words[g][0]
    else:
        g += gold.words[g][0] < system.words[s][0]
    g_end, s_end = g, s
    while True:
        ahead = [
            (document.words[at][0], side, document, at)
            for side, (document, at) in enumerate(((gold, g_end), (system, s_end)))
            if at < len(document.words)
        ]
        if not any(_within(document, at, end) for _, _, document, at in ahead):
            return g, s, g_end, s_end
        _, side, document, at = min(ahead)
        if document.in_multiword[at]:
            end = max(end, document.words[at][1])
        if side == 0:
            g_end += 1
        else:
            s_end += 1


def _within(document: Document, word: int, end: int) -> bool:
    """
    Returns whether a word belongs to a region: a multiword token if it overlaps it, any other word
    if it is covered.
    """
    start, stop = document.words[word]
    return start < end if document.in_multiword[word] else stop <= end


def _common(gold: Sequence[str], system: Sequence[str]) -> list[tuple[int, int]]:
    """
    Returns the places of a longest common subsequence; among several, the one that matches items as
    early as possible and skips gold words first.
    """
    pairs = []
    g = 0
    # Equal beginnings need no table: usually that is all there is.
    while g < min(len(gold), len(system)) and gold[g] == system[g]:
        pairs.append((g, g))
        g += 1
    s = g
    longest = _longest(gold[g:], system[s:])
    first = g
    while g < len(gold) and s < len(system):
        here = longest[g - first]
        if gold[g] == system[s]:
            pairs.append((g, s))
            g += 1
            s += 1
        elif here[s - first] == longest[g - first + 1][s - first]:
            g += 1
        else:
            s += 1
    return pairs


def _longest(gold: Sequence[str], system: Sequence[str]) -> list[list[int]]:
    """
    Returns for each `g` the length of the longest common subsequence of `gold[g:]` and
    `system[s:]`.
    """
    table = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g in reversed(range(len(gold))):
        for s in reversed(range(len(system))):
            table[g][s] = (
                table[g + 1][s + 1] + 1
                if gold[g] == system[s]
                else max(table[g + 1][s], table[g][s + 1])
            )
    return table
