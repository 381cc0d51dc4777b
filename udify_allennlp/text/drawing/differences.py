"""Differences between two trees over the same words."""

from udify_allennlp.text.constituents.sentences import phrase_cells
from udify_allennlp.text.paired_files import check_same_words
from udify_allennlp.text.roles.predicates import predicates_of
from udify_allennlp.text.sentence import Sentence

COLUMNS = ("UPOS", "feats", "lemma", "head", "deprel", "roles", "phrases")
"""
The items that `differences` compares: for roles, predicates with all their arguments; for phrases,
those that begin or end with a word.
"""


def differences(gold: Sentence, predicted: Sentence) -> list[tuple[bool, ...]]:
    """
    Returns for each word whether the two differ in each of `COLUMNS`, compared as strings.

    # Raises

    `ConlluError` if the words of the two are not the same.
    """
    check_same_words(gold, predicted)
    rows = zip(_compared(gold), _compared(predicted))
    return [tuple(a != b for a, b in zip(left, right)) for left, right in rows]


def _compared(sentence: Sentence) -> list[tuple[object, ...]]:
    columns = (sentence.upos, sentence.feats, sentence.lemmas, sentence.heads, sentence.deprels)
    predicates = {predicate.word: predicate for predicate in predicates_of(sentence)}
    of_words = map(predicates.get, range(1, len(sentence) + 1))
    return list(zip(*columns, of_words, phrase_cells(sentence)))
