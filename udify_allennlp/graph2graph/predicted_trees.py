"""Trees that a parser predicted for the sentences of a treebank, read from separate files."""

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.encoder_files import may_leave
from udify_allennlp.data.tasks import ColumnSpec, Counter, Deps, Task, Upos
from udify_allennlp.text.conllu import check_tree, read_sentences
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import compression
from udify_allennlp.text.sentence import Sentence

HEADS, DEPRELS, UPOS = "predicted_heads", "predicted_deprels", "predicted_upos"
"""Columns of the batch's `inputs`."""


class _Tree(NamedTuple):
    line: int
    heads: list[int]
    deprels: Sequence[str]
    upos: Sequence[str]


@Task.register("predicted_deps")
class PredictedTrees(Task):
    """
    An input: the tree and the UPOS of each sentence in the file of the same name in `folder`, which
    holds the output of `allennlp predict` for the treebank's file: among the trees of the same
    words, the one whose line is nearest. Deprels have the numbers of the gold ones in training;
    they add none, unless `deprels` is true.

    # Parameters

    folder : `Optional[str]`
        By default the trees are those of the file itself, for models that do not learn trees, such
        as role models.
    deprels : `Optional[bool]`
        True to number its deprels, too, which is needed if training learns no trees. By default
        true without a folder.

    # Raises

    `ConfigurationError` when a treebank without such a file is read; `ConlluError` for a sentence
    that it lacks, or that has no tree in it. An archive's folder is not read: see
    `encoder_files.only_copies`.
    """

    def __init__(self, folder: Optional[str] = None, deprels: Optional[bool] = None) -> None:
        self._upos = Upos().namespace
        specs = [ColumnSpec(HEADS), ColumnSpec(DEPRELS, Deps.NAMESPACE)]
        specs.append(ColumnSpec(UPOS, self._upos))
        super().__init__("predicted_deps", [], specs)
        self.folder = folder
        self.deprels = folder is None if deprels is None else deprels
        self._may_read = folder is None or may_leave(folder)

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        if self.folder is None:
            return list(_tree(sentence)[1:])
        if not self._may_read:
            raise ConfigurationError(
                f"predicted_deps: the model names the folder {self.folder!r:.80}, which is "
                "not allowed. Name your own with -o: "
                f'\'{{"dataset_reader.inputs": [{{"type": "predicted_deps", "folder": ...}}]}}\'.'
            )
        path = self.beside(sentence.path)
        if path is None:
            name = os.path.join(self.folder, os.path.basename(sentence.path))
            raise ConfigurationError(
                f"predicted_deps: {sentence.path} has no predicted trees, since {name} does not "
                f"exist. To make it: allennlp predict MODEL {sentence.path} --output-file {name}"
            )
        status = os.stat(path)  # it may be another file than before: a notebook predicts again
        stamp = status.st_size, status.st_mtime_ns
        trees = _trees(path, stamp).get(tuple(sentence.forms))
        if trees is None:
            raise ConlluError(
                f"{path}: no sentence has the words of {sentence.path}:{sentence.line}. Predict "
                "the trees of this file again."
            )
        # Blank lines and columns of a file need not be kept in what is predicted of it.
        tree = min(trees, key=lambda tree: abs(tree.line - sentence.line))
        return [tree.heads, tree.deprels, tree.upos]

    def count(self, counter: Counter, values: Mapping[str, Sequence[Any]]) -> None:
        """
        Counts UPOS, since no other task may do so. A deprel that only predictions have does not
        count if others are learned.
        """
        for tag in values[UPOS]:
            counter[self._upos][tag] += 1
        for deprel in values[DEPRELS] if self.deprels else ():
            counter[Deps.NAMESPACE][deprel] += 1

    def beside(self, path: str) -> Optional[str]:
        if self.folder is None or not self._may_read:
            return None
        name = os.path.basename(path)
        for file_name in (name, name.removesuffix(compression(path))):
            if os.path.isfile(os.path.join(self.folder, file_name)):
                return os.path.join(self.folder, file_name)
        return None


@lru_cache(maxsize=2)  # files are read one after the other
def _trees(path: str, stamp: tuple[int, int]) -> dict[tuple[str, ...], list[_Tree]]:
    """Returns the trees of a file by the words of their sentences."""
    trees: dict[tuple[str, ...], list[_Tree]] = {}
    for sentence in read_sentences(path):
        trees.setdefault(tuple(sentence.forms), []).append(_tree(sentence))
    return trees


def _tree(sentence: Sentence) -> _Tree:
    check_tree(sentence)
    heads = [int(head) for head in sentence.heads]
    return _Tree(sentence.line, heads, sentence.deprels, sentence.upos)
