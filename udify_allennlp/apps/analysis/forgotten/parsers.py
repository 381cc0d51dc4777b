"""The losses of a compressed parser, by class of treebank and of label."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.analysis.forgotten.tables import Row, Tables
from udify_allennlp.apps.analysis.output.parsed_paths import gold_sentences
from udify_allennlp.archives.card import Card, language_prefix
from udify_allennlp.compression.changes import Change, group_changes
from udify_allennlp.compression.label_recall import (
    RARE,
    SEEN,
    SIZE_CLASSES,
    UNSEEN,
    LabelCounts,
    size_class,
)
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.scoring.official import flat_tree, official_counts, scores_of
from udify_allennlp.scoring.undefined_scores import filled, honest

METRICS = ("LAS", "UFeats", "Lemmas", "UPOS")


class ParserScores(NamedTuple):
    """The scores of one model."""

    by_treebank: dict[str, dict[str, float]]
    """Metrics in percent, by treebank."""
    labels: LabelCounts


def parser_scores(
    predictor: ConlluPredictor, golds: dict[str, str], most: Optional[int]
) -> ParserScores:
    """
    Parses gold files, by the names of treebanks, or the first `most` sentences of each.

    # Raises

    `ConfigurationError` if the model predicts none of `METRICS`, or a file cannot be scored.
    """
    by_treebank: dict[str, dict[str, float]] = {}
    labels = LabelCounts()
    for name, path in Tqdm.tqdm(golds.items(), unit=" files"):
        gold = gold_sentences(path)[:most]
        new = list(predictor.parse(gold))
        columns = filled(gold) & predictor.predicted
        trees = [gold, new]
        if "heads" not in columns:
            trees = [list(map(flat_tree, sentences)) for sentences in trees]
        try:
            scores = honest(scores_of(official_counts(trees[0], trees[1], path)), columns)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        by_treebank[name] = {metric: scores[metric] for metric in METRICS if metric in scores}
        labels.add(zip(gold, new), columns)
    if not any(by_treebank.values()):
        raise ConfigurationError(
            f"None of {', '.join(METRICS)} is both predicted by the model and annotated in the "
            "files. Name a parser, and treebanks with these columns."
        )
    return ParserScores(by_treebank, labels)


def parser_tables(
    tables: Tables, card: Card, base: ParserScores, others: Mapping[str, ParserScores]
) -> None:
    """
    Writes the tables of parsers.

    # Parameters

    card : `Card`
        The card of the base, which lists its training data.
    others : `Mapping[str, ParserScores]`
        Scores of the compressed models, by name.
    """
    words = {name: card.treebanks.get(name, {}).get("words") for name in base.by_treebank}
    seen = {name: SEEN if _is_seen(card, name) else UNSEEN for name in base.by_treebank}
    sizes = {name: size_class(words[name]) for name in base.by_treebank}
    _write_treebanks(tables, words, seen, base, others)
    head = ["by", "class", "metric", "members", "base", *(f"{name} %" for name in others)]
    rows = [
        row
        for by, class_of, order in (
            ("all", dict.fromkeys(base.by_treebank, "all"), ("all",)),
            ("training words", sizes, SIZE_CLASSES),
            ("language", seen, (SEEN, UNSEEN)),
        )
        for row in _class_rows(by, class_of.get, order, base, others)
    ]
    title = "Relative change of the mean over treebanks, in percent"
    tables.write("classes", [head, *rows], title)
    title = "Relative change of the mean recall over labels, in percent, by share of words"
    tables.write("label_classes", [head, *_label_rows(base, others)], title)
    _write_labels(tables, base, others)


def _class_rows(
    by: str,
    class_of: Callable[[str], Optional[str]],
    order: Sequence[str],
    base: ParserScores,
    others: Mapping[str, ParserScores],
) -> Iterator[Row]:
    for name in order:
        for metric in METRICS:
            ours = _of_metric(base, metric)
            yield from _row(
                [by, name, metric],
                [
                    group_changes(ours, _of_metric(scores, metric), class_of).get(name)
                    for scores in others.values()
                ],
            )


def _label_rows(base: ParserScores, others: Mapping[str, ParserScores]) -> Iterator[Row]:
    for column, metric in (("deprel", "LAS"), ("upos", "UPOS")):
        rarity_of = partial(base.labels.rarity, column)
        groups = [
            group_changes(base.labels.recall(column), scores.labels.recall(column), rarity_of)
            for scores in others.values()
        ]
        for _, rarity in RARE:
            yield from _row([column, rarity, metric], [group.get(rarity) for group in groups])


def _row(start: Row, changes: Sequence[Optional[Change]]) -> Iterator[Row]:
    """Yields the row of a class, unless no model has it."""
    known = [change for change in changes if change is not None]
    if known:
        cells = [None if change is None else change.relative for change in changes]
        yield [*start, known[0].members, known[0].base, *cells]


def _of_metric(scores: ParserScores, metric: str) -> dict[str, float]:
    return {name: row[metric] for name, row in scores.by_treebank.items() if metric in row}


def _write_treebanks(
    tables: Tables,
    words: Mapping[str, Optional[int]],
    seen: Mapping[str, str],
    base: ParserScores,
    others: Mapping[str, ParserScores],
) -> None:
    head = ["treebank", "training_words", "language", "metric", "base", *others]
    rows: list[Row] = [head]
    for name, scores in base.by_treebank.items():
        for metric, value in scores.items():
            cells = [other.by_treebank[name].get(metric) for other in others.values()]
            rows.append([name, words[name], seen[name], metric, value, *cells])
    tables.write("treebanks", rows)


def _write_labels(tables: Tables, base: ParserScores, others: Mapping[str, ParserScores]) -> None:
    rows: list[Row] = [["column", "label", "words", "class", "base", *others]]
    for column, words in base.labels.words.items():
        recalls = [scores.labels.recall(column) for scores in others.values()]
        for label, value in base.labels.recall(column).items():
            rarity = base.labels.rarity(column, label)
            cells = [recall.get(label) for recall in recalls]
            rows.append([column, label, words[label], rarity, value, *cells])
    tables.write("labels", rows)


def _is_seen(card: Card, treebank: str) -> bool:
    lang = language_prefix(treebank)
    return lang is None or card.has_seen(lang)
