"""The losses of a compressed translation model, by resource class and sentence by sentence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, Optional

from udify_allennlp.apps.analysis.forgotten.tables import Row, Tables
from udify_allennlp.compression.alignment_variance import alignment_variance, relative_alignment
from udify_allennlp.compression.changes import (
    LOSING,
    SAME,
    WINNING,
    group_changes,
    outcome,
)
from udify_allennlp.text.language_guess import Guess
from udify_allennlp.translation.aligned_text import Direction
from udify_allennlp.translation.cross_attention import cross_attention
from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.predictor import TranslationPredictor
from udify_allennlp.translation.resources import CLASSES, known_classes, pair_class
from udify_allennlp.translation.scores import Scored, TranslationScores, load_guesser, off_target
from udify_allennlp.translation.sentence_scores import chrf3

TWO_SCRIPTS = frozenset(["sr", "cy", "az", "uz", "ja", "bn", "lo", "zh"])
"""
Targets whose sentences are neither losing nor winning, since they are written in two scripts (Table
5.10, which lists 8 of the 16 that footnote 16 mentions).
"""
_BATCH = 16  # pairs whose attention is computed together
Texts = dict[Direction, list[str]]
Sources = dict[Direction, list[Pair]]


class Translated(NamedTuple):
    """The translations of a model and their scores."""

    texts: Texts
    metrics: dict[str, dict[Direction, float]]
    """Scores by metric; the first is that of the tables, spBLEU or its substitute."""


class Compared(NamedTuple):
    """A sentence that is losing or winning."""

    pair: Pair
    base: str
    compressed: str
    base_score: float
    """chrF3, from 0 to 1."""
    score: float
    outcome: str
    base_off_target: Optional[bool]
    """True if the translation is in another language; `None` if the reference is not recognized."""
    off_target: Optional[bool]


def pairs_by_direction(
    predictor: TranslationPredictor, files: Sequence[str], sentences: Optional[int]
) -> Sources:
    """
    The pairs of aligned files, or the first `sentences` of each direction. Raises the errors of
    `TranslationReader.table`.
    """
    table = predictor.reader.table(list(files), train=False)
    pairs: Sources = {direction: [] for direction in table.directions}
    for row in range(len(table)):
        pair = table[row]
        if sentences is None or len(pairs[pair.direction]) < sentences:
            pairs[pair.direction].append(pair)
    return {direction: some for direction, some in pairs.items() if some}


def translated(predictor: TranslationPredictor, sources: Sources, pieces: str) -> Translated:
    """
    The translations of a model.

    # Parameters

    pieces : `str`
        See `TranslationScores`.
    """
    scores = TranslationScores(pieces)
    scores.pieces = predictor.reader.subwords.pieces
    texts: Texts = {}
    for direction, pairs in sources.items():
        texts[direction] = list(
            predictor.translate((pair.source_text for pair in pairs), *direction)
        )
        for pair, text in zip(pairs, texts[direction]):
            scores.add(direction, text, pair.target_text)
    figures = scores.metrics(by_direction=True)
    names = [name for name in figures if "/" not in name]
    return Translated(
        texts,
        {name: {d: figures[f"{name}/{'-'.join(d)}"] for d in sources} for name in names},
    )


def changed_sentences(sources: Sources, base: Texts, compressed: Texts) -> Iterator[Compared]:
    """Yields the losing and winning sentences of all directions."""
    guess = load_guesser()
    for direction, pairs in sources.items():
        if direction[1] in TWO_SCRIPTS:
            continue
        for pair, old, new in zip(pairs, base[direction], compressed[direction]):
            scores = chrf3(old, pair.target_text), chrf3(new, pair.target_text)
            kind = outcome(*scores)
            if kind != SAME:
                wrong = (_off_target(pair, text, guess) for text in (old, new))
                yield Compared(pair, old, new, *scores, kind, *wrong)


def _off_target(pair: Pair, text: str, guess: Guess) -> Optional[bool]:
    return off_target(pair.direction[1], [Scored(text, pair.target_text)], guess)[0]


def variances(
    predictor: TranslationPredictor, translations: Sequence[tuple[Pair, str]]
) -> list[float]:
    """The `alignment_variance` of a model for pairs with its own translations of them."""
    model = predictor.model
    values: list[float] = []
    for start in range(0, len(translations), _BATCH):
        batch = translations[start : start + _BATCH]
        numbers = model.subwords.numbers([text for _, text in batch])
        pairs = [pair._replace(target=target) for (pair, _), target in zip(batch, numbers)]
        values += map(
            alignment_variance,
            cross_attention(model.network, pairs, model.subwords, model.placement),
        )
    return values


def scattered(
    base: TranslationPredictor, other: TranslationPredictor, sentences: Iterable[Compared]
) -> tuple[int, Optional[float]]:
    """The number of sentences that neither model leaves empty, and their lambda (Eq 5.1)."""
    both = [sentence for sentence in sentences if sentence.base and sentence.compressed]
    ours = variances(base, [(sentence.pair, sentence.base) for sentence in both])
    theirs = variances(other, [(sentence.pair, sentence.compressed) for sentence in both])
    return len(both), relative_alignment(ours, theirs)


def score_tables(tables: Tables, base: Translated, others: Mapping[str, Translated]) -> None:
    """Writes directions.tsv and classes.tsv (Table 5.2, Figures 5.3, 5.4 and 5.11)."""
    metric = next(iter(base.metrics))
    before, classes = base.metrics[metric], known_classes()
    rows: list[Row] = [["direction", "class", "metric", "base", *others]]
    for name, values in base.metrics.items():
        for direction, value in values.items():
            cells = [other.metrics[name][direction] for other in others.values()]
            kind = pair_class(direction, classes)
            rows.append(["-".join(direction), kind, name, value, *cells])
    tables.write("directions", rows)

    groups = {
        "all": lambda direction: "all",
        "pair": lambda direction: pair_class(direction, classes),
        "source": lambda direction: classes.get(direction[0]),
        "target": lambda direction: classes.get(direction[1]),
    }
    rows = [["by", "class", "directions", f"base {metric}", *(f"{name} %" for name in others)]]
    for by, group_of in groups.items():
        changes = [group_changes(before, o.metrics[metric], group_of) for o in others.values()]
        for name in ("all", *CLASSES):
            if name in changes[0]:
                first = changes[0][name]
                relative = [change[name].relative for change in changes]
                rows.append([by, name, first.members, first.base, *relative])
    tables.write("classes", rows, f"Relative change of mean {metric}, in percent")


def sentence_tables(
    tables: Tables,
    base: TranslationPredictor,
    others: Mapping[str, tuple[TranslationPredictor, Sequence[Compared]]],
) -> None:
    """Writes sentences.tsv (Tables 5.3 to 5.5, Figure 5.5) and texts.tsv."""
    classes = known_classes()
    head = ["model", "pairs", "losing", "off-target base %", "off-target %"]
    rows: list[Row] = [[*head, "on-target losing", "lambda", "winning", "lambda of winning"]]
    head = ["model", "direction", "outcome", "chrF3 base", "chrF3"]
    texts: list[Row] = [[*head, "source", "reference", "base", "compressed"]]
    for name, (predictor, sentences) in others.items():
        for kind in ("all", *CLASSES):
            some = [
                sentence
                for sentence in sentences
                if kind in ("all", pair_class(sentence.pair.direction, classes))
            ]
            if some or kind == "all":
                rows.append([name, kind, *_sentence_cells(base, predictor, some)])
        for sentence in sentences:
            pair = sentence.pair
            cells = [pair.source_text, pair.target_text, sentence.base, sentence.compressed]
            direction = "-".join(pair.direction)
            texts.append(
                [
                    name,
                    direction,
                    sentence.outcome,
                    sentence.base_score,
                    sentence.score,
                    *map(_cell, cells),
                ]
            )
    tables.write("sentences", rows, "Sentences whose chrF3 changes by more than 0.5")
    tables.write("texts", texts)


def _sentence_cells(
    base: TranslationPredictor, other: TranslationPredictor, sentences: Sequence[Compared]
) -> Row:
    losing = [sentence for sentence in sentences if sentence.outcome == LOSING]
    winning = [sentence for sentence in sentences if sentence.outcome == WINNING]
    shares = [
        _share([sentence.base_off_target for sentence in losing]),
        _share([sentence.off_target for sentence in losing]),
    ]
    on_target = [sentence for sentence in losing if sentence.off_target is False]
    return [
        *(len(losing), *shares, *scattered(base, other, on_target)),
        *scattered(base, other, winning),
    ]


def _share(values: Sequence[Optional[bool]]) -> Optional[float]:
    known = [float(value) for value in values if value is not None]
    return 100 * fmean(known) if known else None


def _cell(text: str) -> str:
    return " ".join(text.split())
