"""Columns of tables for semantic roles."""

from collections.abc import Mapping, Sequence
from typing import Any

from udify_allennlp.data.columns import UNLABELLED, ColumnSpec
from udify_allennlp.data.tasks import Counter, Task
from udify_allennlp.text.roles.predicates import (
    VERB,
    Predicate,
    predicates_of,
    split_roleset,
)
from udify_allennlp.text.roles.styles import DEPENDENCIES, SPANS
from udify_allennlp.text.sentence import Columns, Sentence

LABELS, ROLESETS, KEYED = "role_labels", "roleset_labels", "keyed_roleset_labels"
"""Namespaces: roles, senses of predicates, and `key<tab>roleset`, the possible senses of a word."""
KEY_LABELS = "role_key_labels"
"""The namespace of these keys."""
STYLES = {"span": SPANS, "dependency": DEPENDENCIES}
"""Styles of arguments, with the formats of files that hold them."""
STYLES_SEEN = "role_style_labels"
"""The namespace of the styles that arguments have."""
PREDICATES, SENSES, KEYS = "role_predicates", "role_senses", "role_keys"
"""For each predicate: its word, its roleset, and the word form or lemma that has its senses."""
OWNERS, LEFTS, RIGHTS, ROLES = "role_owners", "role_lefts", "role_rights", "roles"
"""For each argument: the word of its predicate, its fences (see `Spans`), and its label."""
SENTENCE_STYLES = "role_styles"
"""For each sentence: the styles of its arguments."""
GIVEN = "predicates"
"""Name among the batch's `inputs`: the words of given predicates."""


def sense_keys(sentence: Sentence) -> list[str]:
    """
    Returns the key under which the senses of each word are looked up: its lemma or, without one,
    its form.
    """
    pairs = zip(sentence.forms, sentence.lemmas)
    return [(form if lemma == "_" else lemma).lower() for form, lemma in pairs]


@Task.register("roles")
class RolesTask(Task):
    """
    The predicates of a sentence and their arguments, as stored in MISC (`text/roles/`).
    Arguments are spans and, of dependency style, words; the predicate itself has the label V.
    """

    def __init__(self) -> None:
        rows = (
            *((PREDICATES, None), (SENSES, ROLESETS), (KEYS, KEY_LABELS)),
            *((OWNERS, None), (LEFTS, None), (RIGHTS, None), (ROLES, LABELS)),
            (SENTENCE_STYLES, STYLES_SEEN),
        )
        specs = [ColumnSpec(name, namespace, unit="row") for name, namespace in rows]
        super().__init__("roles", ["misc"], specs)

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        predicates = predicates_of(sentence)
        keys = sense_keys(sentence)
        words = [predicate.word for predicate in predicates]
        arguments = [
            (predicate.word, *argument)
            for predicate in predicates
            for argument in _arguments(predicate)
        ]
        owners, lefts, rights, labels = map(list, zip(*arguments)) if arguments else ([],) * 4
        return [
            words,
            [predicate.roleset if predicate.lemma else UNLABELLED for predicate in predicates],
            [keys[word - 1] for word in words],
            owners,
            lefts,
            rights,
            labels,
            [style for style, told in zip(STYLES, _has(predicates)) if told],
        ]

    def count(self, counter: Counter, values: Mapping[str, Sequence[Any]]) -> None:
        super().count(counter, values)
        labelled = [pair for pair in zip(values[KEYS], values[SENSES]) if pair[1] != UNLABELLED]
        for key, roleset in labelled:
            lemma = split_roleset(roleset)[0]
            # Of the lemma as well: other forms than those of training have its senses, too.
            for form in dict.fromkeys((key, lemma)):
                counter[KEYED][f"{form}\t{roleset}"] += 1
            counter[KEY_LABELS][lemma] += 1

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        """Returns nothing, since scores of roles are not by word: see the metric `udify_roles`."""
        return {}


def _arguments(predicate: Predicate) -> list[Any]:
    """Returns left fence, right fence and label; of two for a word or a span, the first."""
    spans = {(span.start - 1, span.end): span.label for span in reversed(predicate.spans)}
    words = {(word.start, word.start): word.label for word in reversed(predicate.heads)}
    words.setdefault((predicate.word, predicate.word), VERB)
    return [(*fences, label) for fences, label in {**spans, **words}.items()]


def _has(predicates: Sequence[Predicate]) -> tuple[bool, bool]:
    """Returns whether there are spans, and words of dependency style."""
    return any(predicate.spans for predicate in predicates), any(
        predicate.heads for predicate in predicates
    )


@Task.register("predicates")
class GivenPredicates(Task):
    """An input: the predicates in MISC."""

    def __init__(self) -> None:
        super().__init__("predicates", [], [ColumnSpec(GIVEN, unit="row")])

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        return [[predicate.word for predicate in predicates_of(sentence)]]
