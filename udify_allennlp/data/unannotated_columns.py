"""
Columns that a treebank leaves out where others of its language have them: not learned from it.

UD's treebanks need no features: ESLSpok of English has none, EWT has. A model of both would learn
that English words often have none. The thesis and the released code learn it like any value.
Where no treebank of a language has features, as in Vietnamese, it is learned.
"""

import logging

import numpy

from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.tasks import UNLABELLED, LabelTask
from udify_allennlp.text.conllu import treebank_language

logger = logging.getLogger(__name__)

EMPTY = "_"


def without_left_out(table: TreebankTable, schema: Schema) -> TreebankTable:
    """
    The table with `UNLABELLED` in the columns that a treebank leaves out, of tasks that are
    `optional` and no input of the model. The languages of treebanks are those of their files'
    names, `en_eslspok-ud-train.conllu`.
    """
    inputs = {task.name for task in schema.inputs}
    for task in schema.targets:
        if isinstance(task, LabelTask) and task.optional and task.name not in inputs:
            table = _without(table, task.name)
    return table


def _without(table: TreebankTable, name: str) -> TreebankTable:
    column, (treebanks, of_sentence) = table.columns[name], table.treebanks
    values = column.names or []
    if EMPTY not in values:
        return table
    of_word = numpy.repeat(of_sentence, numpy.diff(table.word_offsets))
    filled = of_word[column.codes != values.index(EMPTY)]
    has_some = set(numpy.unique(filled).tolist())
    languages = {treebank_language(treebanks[each]) for each in has_some}
    left_out = [
        number not in has_some and treebank_language(treebank) in languages
        for number, treebank in enumerate(treebanks)
    ]
    if not any(left_out):
        return table
    logger.info(
        "%s: not learned from %s, which have none, while other treebanks of their languages do",
        name,
        ", ".join(treebank for treebank, none in zip(treebanks, left_out) if none),
    )
    codes = numpy.where(numpy.array(left_out)[of_word], len(values), column.codes)
    return table.with_column(name, codes.astype(numpy.int32), [*values, UNLABELLED])
