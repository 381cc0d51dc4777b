"""
The tree of a sentence in MISC of CoNLL-U, in the form of the PARSE column of CoNLL 2005: each word
has the brackets around it, `Parse=(TOP(NP*` and `Parse=*))`. Words without brackets have no such
entry.
"""

import re
from collections.abc import Sequence
from urllib.parse import unquote

from udify_allennlp.text.constituents.tree import (
    Phrase,
    PhraseTree,
    affixes,
    escaped,
    word_of,
)
from udify_allennlp.text.misc_column import entries, with_entries
from udify_allennlp.text.roles.columns import PARSE
from udify_allennlp.text.roles.predicates import quoted
from udify_allennlp.text.sentence import Sentence, fault

_CELL = re.compile(r"((?:\([^()\s]*)*)\*(\)*)")


def has_tree(sentence: Sentence) -> bool:
    """Returns whether MISC holds a tree."""
    return f"{PARSE}=" in sentence.text and any(PARSE in entries(cell) for cell in sentence.misc)


def phrase_cells(sentence: Sentence) -> list[str]:
    """Returns each word's entry in MISC, unchecked: `*` if it has none."""
    return [unquote(entries(cell).get(PARSE, "*")) for cell in sentence.misc]


def tree_of(sentence: Sentence) -> PhraseTree:
    """
    Returns the tree in MISC, below one `TOP`. Tags are XPOS, or UPOS if that is empty.

    # Raises

    `ConlluError` with file and line for a sentence without a tree, and for brackets that do not
    match.
    """
    if not has_tree(sentence):
        what, remedy = (
            "the sentence has no phrase structure",
            "Read a bracketed file, such as .mrg.",
        )
        raise fault(sentence.path, sentence.line, what, remedy)
    phrases = _phrases(sentence)
    tags = [upos if xpos == "_" else xpos for upos, xpos in zip(sentence.upos, sentence.xpos)]
    words = map(escaped, sentence.forms)
    return PhraseTree(tuple(words), tuple(map(escaped, tags)), phrases).with_top()


def with_phrases(misc: Sequence[str], phrases: Sequence[Phrase]) -> list[str]:
    """
    Returns MISC of a sentence with these phrases, in the order of `PhraseTree`, instead of its own.
    """
    cells = []
    for cell, labels, closed in zip(misc, *affixes(phrases, len(misc))):
        brackets = "".join(f"({escaped(label)}" for label in labels) + "*" + ")" * closed
        kept = "|".join(x for x in cell.split("|") if x.partition("=")[0] != PARSE) or "_"
        cells.append(kept if brackets == "*" else with_entries(kept, {PARSE: quoted(brackets)}))
    return cells


def sentence_of(tree: PhraseTree, path: str = "<text>", line: int = 1) -> Sentence:
    """Returns a tree as a sentence of CoNLL-U with FORM, XPOS and MISC."""
    words = [word_of(word) for word in tree.words]
    misc = with_phrases(["_"] * len(words), tree.with_top().phrases)
    rows = zip(range(1, len(words) + 1), words, tree.tags, misc)
    text = "".join(f"{i}\t{word}\t_\t_\t{tag}\t_\t_\t_\t_\t{cell}\n" for i, word, tag, cell in rows)
    return Sentence(f"{text}\n", path, line)


def _phrases(sentence: Sentence) -> tuple[Phrase, ...]:
    phrases: list[Phrase] = []
    waiting: list[int] = []  # places of phrases that are not closed
    for word, cell in enumerate(phrase_cells(sentence), start=1):
        match = _CELL.fullmatch(cell)
        opened = match[1].split("(")[1:] if match else []
        closed = len(match[2]) if match else 0
        if match is None or closed > len(waiting) + len(opened):
            what = f"word {word} has MISC {PARSE}={cell[:40]}, which does not match"
            remedy = "Write (NP*, *) and the like, and close each phrase once."
            raise fault(sentence.path, sentence.line_of(word), what, remedy)
        waiting.extend(range(len(phrases), len(phrases) + len(opened)))
        phrases.extend(Phrase(label, word, len(sentence)) for label in opened)
        for _ in range(closed):
            place = waiting.pop()
            phrases[place] = phrases[place]._replace(end=word)
    if waiting:
        start, label = phrases[waiting[-1]].start, phrases[waiting[-1]].label
        what = f"word {start} opens the phrase {label[:40]!r}, which is never closed"
        raise fault(sentence.path, sentence.line_of(start), what, f"Close it in MISC {PARSE}.")
    return tuple(phrases)
