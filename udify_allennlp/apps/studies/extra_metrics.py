"""Scores of parses in addition to those of CoNLL 2018, such as those of semantic roles."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from udify_allennlp.scoring import ignore_punct
from udify_allennlp.scoring.match_counts import Counts
from udify_allennlp.srl.counts import DependencyCounts
from udify_allennlp.srl.scores import RoleCounts, role_counts
from udify_allennlp.text.conllu import Sentence


class MoreFigures(NamedTuple):
    """Counts per sentence of further metrics, for significance tests."""

    names: tuple[str, ...]
    """The metrics that are F1 of counts, in the order of the counts."""
    of: Callable[[Sentence, Sentence], list[Counts]]
    """Returns the counts of a gold sentence and its parse, for each of `names`."""
    scores: Callable[[Sequence[Counts]], dict[str, float]]
    """Returns all scores, from sums of `of` over sentences."""

    def counts(self, golds: Iterable[Sentence], parsed: Iterable[Sentence]) -> np.ndarray:
        """Returns the counts, `(sentences, names, 3)`, as in `official_counts`."""
        return np.array([self.of(*pair) for pair in zip(golds, parsed)])

    def scores_of(self, counts: np.ndarray) -> dict[str, float]:
        """Returns the scores for `counts`."""
        return self.scores([Counts(*cells) for cells in counts.sum(axis=0).tolist()])


def _attachments(gold: Sentence, parsed: Sentence) -> list[Counts]:
    columns = {"heads": parsed.heads, "deprels": parsed.deprels}
    words, heads, both = ignore_punct.attachments(gold, columns)
    return [Counts(words, words, heads), Counts(words, words, both)]


def _attachment_scores(total: Sequence[Counts]) -> dict[str, float]:
    heads, both = total
    return ignore_punct.Attachments(heads.gold, heads.right, both.right).scores()


def _roles(gold: Sentence, parsed: Sentence) -> list[Counts]:
    spans, all_spans, of_heads, predicates, senses = role_counts(gold, parsed)
    return [spans, all_spans, of_heads.labelled, of_heads.arguments, predicates, senses]


def _role_scores(total: Sequence[Counts]) -> dict[str, float]:
    spans, all_spans, labelled, arguments, predicates, senses = total
    of_heads = Counts(*(a - b for a, b in zip(labelled, arguments)))
    of_words = DependencyCounts(senses=of_heads, arguments=arguments)
    return RoleCounts(spans, all_spans, of_words, predicates, senses).scores()


WITHOUT_PUNCT = MoreFigures(ignore_punct.METRICS, _attachments, _attachment_scores)
ROLES = MoreFigures(
    ("span_F1", "span_all_F1", "dep_F1", "dep_args_F1", "pred_F1", "sense_F1"),
    _roles,
    _role_scores,
)
