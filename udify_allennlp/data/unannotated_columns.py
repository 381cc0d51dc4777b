"""
Columns that a treebank omits although others of its language have them; they are not learned from
it.

UD does not require features: English ESLSpok has none, EWT has them; Portuguese GSD has none on
nine of ten nouns, Porttinari has them. A model of both would learn that such words often have none.
The thesis and the released code learn missing features like any value. If no treebank of a language
has features, as in Vietnamese, they are learned as empty.
"""

import logging

import numpy

from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.tasks import UNLABELLED, LabelTask, Upos
from udify_allennlp.text.conllu import treebank_language

logger = logging.getLogger(__name__)

EMPTY = "_"
_LEAST = 50
"""
Minimum number of words of a part of speech from which a treebank's share of features is estimated.
"""
_MORE = 0.5
"""
A part of speech is poorly annotated if its share of words without features exceeds that in another
treebank of the language by more than this. In the training files of UD 2.17 these shares of nouns
differ by 0.2 at most among treebanks that annotate them, and by 0.5 and more from others.
"""


def without_left_out(table: TreebankTable, schema: Schema) -> TreebankTable:
    """
    Returns the table with `UNLABELLED` in the columns that a treebank omits, for tasks that are
    `optional` and not inputs of the model; if UPOS is learned, also in the empty cells of parts of
    speech that it annotates poorly. The languages of treebanks come from their files' names,
    `en_eslspok-ud-train.conllu`.
    """
    inputs = {task.name for task in schema.inputs}
    has_upos = any(isinstance(task, Upos) for task in schema.targets)
    for task in schema.targets:
        if isinstance(task, LabelTask) and task.optional and task.name not in inputs:
            table = _without(table, task.name, has_upos)
    return table


def _without(table: TreebankTable, name: str, has_upos: bool) -> TreebankTable:
    column, (treebanks, of_sentence) = table.columns[name], table.treebanks
    values = column.names or []
    if EMPTY not in values:
        return table
    of_word = numpy.repeat(of_sentence, numpy.diff(table.word_offsets))
    empty = column.codes == values.index(EMPTY)
    languages = [treebank_language(treebank) for treebank in treebanks]
    filled = numpy.bincount(of_word[~empty], minlength=len(treebanks)) > 0
    have_some = {lang for lang, has_some in zip(languages, filled) if has_some}
    none = numpy.array([not f and lang in have_some for lang, f in zip(languages, filled)])
    unlabelled = none[of_word]
    _tell(f"{name}: not learned from %s, which lack them", treebanks, none)
    if has_upos:
        upos = table.columns["upos"]
        poor = _poor(empty, of_word, upos.codes, len(upos.names or []), languages)
        unlabelled |= empty & poor[of_word, upos.codes]
        _tell(
            f"{name}: missing values are not learned from %s, which annotate some parts of speech "
            "poorly",
            treebanks,
            poor.any(1) & ~none,
        )
    if not unlabelled.any():
        return table
    codes = numpy.where(unlabelled, len(values), column.codes)
    return table.with_column(name, codes.astype(numpy.int32), [*values, UNLABELLED])


def _poor(
    empty: numpy.ndarray,
    of_word: numpy.ndarray,
    upos: numpy.ndarray,
    num_upos: int,
    languages: list[str],
) -> numpy.ndarray:
    """Returns whether a treebank annotates a part of speech poorly, `(treebanks, upos)`."""
    shape = (len(languages), num_upos)
    cells = of_word * num_upos + upos
    size = shape[0] * shape[1]
    words = numpy.bincount(cells, minlength=size).reshape(shape)
    share = numpy.bincount(cells[empty], minlength=size).reshape(shape) / numpy.maximum(words, 1)
    annotated_share = numpy.where(words >= _LEAST, share, numpy.inf)
    codes = numpy.unique(languages, return_inverse=True)[1]
    best = numpy.stack([annotated_share[codes == code].min(0) for code in codes])
    return share > best + _MORE


def _tell(message: str, treebanks: list[str], chosen: numpy.ndarray) -> None:
    names = [treebank for treebank, is_chosen in zip(treebanks, chosen) if is_chosen]
    if names:
        logger.info("%s, while other treebanks of their languages do", message % ", ".join(names))
