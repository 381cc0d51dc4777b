"""The lines of text under the words of a drawn tree."""

from collections.abc import Sequence
from typing import Optional

from udify_allennlp.text.drawing.layout import MarkedText
from udify_allennlp.text.non_word_rows import EmptyNode
from udify_allennlp.text.sentence import Sentence


def cells_of(
    gold: Sentence, predicted: Optional[Sentence], nodes: Sequence[EmptyNode]
) -> list[list[tuple[str, MarkedText]]]:
    """
    Returns the lines of text under each word and empty node, as (kind, piece); UPOS and lemmas form
    rows. If no word has UPOS, as in bracketed files, XPOS replaces it; an empty row of lemmas is
    left out.
    """
    other = predicted or gold
    lemmas = [_versions(*pair) for pair in zip(gold.lemmas, other.lemmas)]
    has_lemmas = not _is_empty(gold.lemmas) or not _is_empty(other.lemmas)
    kinds = {
        "form": [[("", form)] for form in gold.forms],
        "upos": [_versions(*pair) for pair in zip(_tags(gold), _tags(other))],
        "lemma": lemmas if has_lemmas else [[] for _ in lemmas],
        "feats": [_features(*pair) for pair in zip(gold.feats, other.feats)],
    }
    for index, node in enumerate(nodes):
        node_cells = {"form": [node.form], "upos": [node.upos], "lemma": [node.lemma]}
        node_cells["feats"] = [] if node.feats == "_" else node.feats.split("|")
        for kind, pieces in kinds.items():
            pieces.insert(node.after + index, [("empty", text) for text in node_cells[kind]])
    cells: list[list[tuple[str, MarkedText]]] = [[] for _ in kinds["form"]]
    for kind, pieces in kinds.items():
        rows = max(map(len, pieces))
        for cell, texts in zip(cells, pieces):
            cell += [(kind, piece) for piece in texts + [("", "")] * (rows - len(texts))]
    return cells


def _tags(sentence: Sentence) -> list[str]:
    return sentence.xpos if _is_empty(sentence.upos) else sentence.upos


def _is_empty(column: Sequence[str]) -> bool:
    return set(column) == {"_"}


def _versions(gold: str, predicted: str) -> list[MarkedText]:
    if gold == predicted:
        return [("", gold)]
    return [("gold", f"✓ {gold}"), ("pred", f"✗ {predicted}")]


def _features(gold: str, predicted: str) -> list[MarkedText]:
    ours, theirs = ([] if feats == "_" else feats.split("|") for feats in (gold, predicted))
    pieces = [("", feat) if feat in theirs else ("gold", f"✓ {feat}") for feat in ours]
    return pieces + [("pred", f"✗ {feat}") for feat in theirs if feat not in ours]
