"""
Counts of correct items in a parsed text, sentence by sentence, for each measure of CoNLL 2018.
"""

from collections.abc import Sequence

import numpy as np

from udify_allennlp.scoring.alignment import UNALIGNED, align
from udify_allennlp.scoring.document import ROOT, Document, Span

SEGMENTATION = ("Tokens", "Sentences", "Words")
METRICS = (
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)
OF_CONTENT_WORDS = ("CLAS", "MLAS", "BLEX")
CONTENT = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    ]
)
"""The relations of content words, without subtypes."""
FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
"""The relations of function words: for MLAS, those of a content word must be correct as well."""


def count(gold: Document, system: Document) -> np.ndarray:
    """
    Returns for each sentence of `gold`, for `SEGMENTATION` and then `METRICS`: the number of items
    in gold, in `system`, and the correct ones; int64 `(sentences, metrics, 3)`. An item of `system`
    counts for the gold sentence in which it begins. Both consist of the same characters.
    """
    starts = [start for start, _ in gold.sentences]
    aligned = np.array(align(gold, system), dtype=int)
    s = np.flatnonzero(aligned != UNALIGNED)
    g = aligned[s]

    def same(column: str) -> np.ndarray:
        ours, theirs = gold.columns[column], system.columns[column]
        pairs = zip(g.tolist(), s.tolist())
        return np.array([ours[i] == theirs[j] for i, j in pairs], dtype=bool)

    upos, xpos, feats = same("upos"), same("xpos"), same("feats")
    no_lemma = np.array([lemma == "_" for lemma in gold.columns["lemma"]], dtype=bool)
    lemma = same("lemma") | no_lemma[g]  # where gold has none, nothing can be wrong
    # Heads as the gold words that they are aligned with; the place of ROOT, -1, is the last.
    heads = np.append(aligned, ROOT)[np.array(system.heads, dtype=int)]
    uas = heads[s] == np.array(gold.heads, dtype=int)[g]
    las = uas & same("deprel")
    gold_content, content = _have(gold, CONTENT), _have(system, CONTENT)
    clas = las & gold_content[g]
    tagged = las & upos & feats
    mlas = clas & tagged & _same_function_words(gold, system, g, s, tagged)
    right = (upos, xpos, feats, upos & xpos & feats, lemma, uas, las, clas, mlas, clas & lemma)

    gold_at = _sentences(starts, gold.words)
    at = _sentences(starts, system.words)
    columns = [
        _of_spans(starts, gold.tokens, system.tokens),
        _of_spans(starts, gold.sentences, system.sentences),
        _per_sentence(starts, gold_at, at, gold_at[g]),
    ]
    for metric, hit in zip(METRICS, right):
        if metric in OF_CONTENT_WORDS:
            hits = _per_sentence(starts, gold_at[gold_content], at[content], gold_at[g[hit]])
        else:
            hits = _per_sentence(starts, gold_at, at, gold_at[g[hit]])
        columns.append(hits)
    return np.stack(columns, axis=1)


def f1(counts: np.ndarray) -> np.ndarray:
    """Returns F1 in percent, `(...)`, from counts `(..., 3)`; 0 for counts of 0."""
    wanted, said, right = np.moveaxis(counts, -1, 0)
    scores: np.ndarray = 100 * (2 * right / np.maximum(wanted + said, 1))
    return scores


def _have(document: Document, relations: frozenset[str]) -> np.ndarray:
    """Returns which words have one of the relations."""
    return np.array([deprel in relations for deprel in document.columns["deprel"]], dtype=bool)


def _same_function_words(
    gold: Document, system: Document, g: np.ndarray, s: np.ndarray, tagged: np.ndarray
) -> np.ndarray:
    """
    Returns whether the aligned words `g` and `s` have the same function words, with the same tags.
    `tagged` marks the aligned words with correct head, relation and tags; two words have the same
    function words if as many of these are correct as either word has.
    """
    ours, theirs = _function_words(gold), _function_words(system)
    functional = _have(gold, FUNCTIONAL)
    heads = np.array(gold.heads, dtype=int)[g[tagged & functional[g]]]
    right = np.bincount(heads[heads != ROOT], minlength=len(gold.words))
    return (ours[g] == right[g]) & (ours[g] == theirs[s])


def _function_words(document: Document) -> np.ndarray:
    """Returns the number of function words that depend on each word."""
    heads = np.array(document.heads, dtype=int)[_have(document, FUNCTIONAL)]
    return np.bincount(heads[heads != ROOT], minlength=len(document.words))


def _of_spans(starts: list[int], gold: Sequence[Span], system: Sequence[Span]) -> np.ndarray:
    common = sorted(set(gold) & set(system))
    return _per_sentence(starts, *(_sentences(starts, spans) for spans in (gold, system, common)))


def _sentences(starts: list[int], spans: Sequence[Span]) -> np.ndarray:
    """The number of the gold sentence in which each span begins."""
    firsts = np.array([start for start, _ in spans], dtype=int)
    return np.searchsorted(np.array(starts, dtype=int), firsts, side="right") - 1


def _per_sentence(starts: list[int], *numbers: np.ndarray) -> np.ndarray:
    """
    Returns the number of times that each sentence is in each of the `numbers`:
    `(sentences, len(numbers))`.
    """
    counted = [np.bincount(number, minlength=len(starts)) for number in numbers]
    return np.stack(counted, axis=1)
