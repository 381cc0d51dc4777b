"""Tables and figures of the positions of languages in a model."""

import csv
import os
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.languages.distances import cluster
from udify_allennlp.apps.analysis.languages.figures import (
    ClusterPanel,
    PointPanel,
    draw_clusters,
    draw_points,
    draw_shifts,
    draw_similarity_maps,
)
from udify_allennlp.apps.analysis.languages.sentence_vectors import sentence_vectors
from udify_allennlp.apps.analysis.output.files import write_table
from udify_allennlp.modules.position_generators import AttentionPositions
from udify_allennlp.order_transfer.word_order import correlations
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import attached
from udify_allennlp.typology import analysis
from udify_allennlp.typology import features as typology
from udify_allennlp.typology.encoder import ABSOLUTE, TypologyEncoder

_MAPS = 12  # languages in a figure


class Text(NamedTuple):
    """Sentences of one language."""

    lang: str
    sentences: list[Sentence]


class Distances:
    """
    Distances between languages; NaN if a distance is unknown.

    # Parameters

    name : `str`
        A feature set, whose share of differing features is the distance, or a `distances.tsv` of
        `ud-word-order`.

    # Raises

    `ConfigurationError` if it is neither.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: dict[str, dict[str, float]] = {}
        if name in typology.SETS and name not in typology.CONTROLS:
            return
        if not os.path.isfile(name):
            raise ConfigurationError(
                f"--distance is {name!r}. Use wals6, wals19, uriel, or a distances.tsv of "
                "ud-word-order."
            )
        self.name = "word order distance"
        with open(name, encoding="utf-8", newline="") as file:
            try:
                for row in csv.DictReader(file, delimiter="\t"):
                    row_lang = row.pop("")
                    self._rows[row_lang] = {lang: float(far) for lang, far in row.items()}
            except (KeyError, TypeError, ValueError):
                raise ConfigurationError(
                    f"{name} is not a distances.tsv of ud-word-order. Name one."
                ) from None

    def __call__(self, first: str, second: str) -> float:
        if self._rows:
            return self._rows.get(first, {}).get(second, numpy.nan)
        try:
            return typology.distance(first, second, self.name)
        except (ConfigurationError, InputError):  # WALS does not have one of them
            return numpy.nan


class PositionResults:
    """
    A writer of the results of a command into a folder; the tables are printed, too.

    # Parameters

    folder : `Path`
    predictor : `ConlluPredictor`
        The predictor of a model whose embedder is a `TypologyEncoder`.
    langs : `Sequence[str]`
    distances : `Distances`
    draw : `bool`
        True if figures are drawn.
    """

    def __init__(
        self,
        folder: Path,
        predictor: ConlluPredictor,
        langs: Sequence[str],
        distances: Distances,
        draw: bool,
    ) -> None:
        self._folder = folder
        self._predictor = predictor
        self._encoder = cast(TypologyEncoder, predictor.model.embedder)
        self._langs = list(langs)
        self._far = distances
        self._draw = draw
        absolute = self._encoder.positions == ABSOLUTE
        self._first = 0 if absolute else -self._encoder.layers.clip
        self._kinds = ["positions"] if absolute else ["keys", "values"]

    def similarity(self, names: Sequence[str], tables: Sequence[torch.Tensor]) -> None:
        """
        Writes `similarity.tsv`, `correlation.tsv`, `similarity.png`, `maps.png` (Figures 1a, 3, 6).
        """
        similarities = analysis.similarities(tables).cpu().double().numpy()
        pairs = list(combinations(range(len(names)), 2))
        far = {pair: self._far(names[pair[0]], names[pair[1]]) for pair in pairs}
        rows = [[names[a], names[b], similarities[a, b], far[a, b]] for a, b in pairs]
        write_table(
            self._folder / "similarity.tsv",
            [["language", "other", "similarity", self._far.name], *map(_blank, rows)],
        )
        with_distance = [pair for pair in pairs if not numpy.isnan(far[pair])]
        both = correlations(
            [far[pair] for pair in with_distance],
            [float(similarities[pair]) for pair in with_distance],
        )
        head = ["what", "points", "coefficient", "value", "low", "high"]
        what = f"similarity by {self._far.name}"
        self._show(
            "correlation.tsv", [head, *([what, len(with_distance), k, *v] for k, v in both.items())]
        )
        if not self._draw:
            return
        shown = numpy.clip(1 - similarities, 0, 2)
        numpy.fill_diagonal(shown, 0)
        shown = (shown + shown.T) / 2
        title = "1 - similarity of positions"
        panel = ClusterPanel(title, list(names), set(), shown, cluster(shown))
        draw_clusters(self._folder / "similarity.png", [panel])
        maps = {}
        for lang, *tables_of_lang in list(zip(names, *tables))[:_MAPS]:
            for kind, table in zip(self._kinds, tables_of_lang):
                name = lang if len(self._kinds) == 1 else f"{lang}, {kind}"
                maps[name] = analysis.similarity_map(table).cpu().numpy()
        draw_similarity_maps(self._folder / "maps.png", maps, self._first)

    def shifts(self, names: Sequence[str], values: torch.Tensor) -> None:
        """
        Writes `shift.tsv` and `shift.png` for languages with these values (Figure 4), if the model
        has ATTN.
        """
        rows: list[list[Any]] = [["language", "of", "left", "right", "mean shift"]]
        lines: dict[str, dict[str, Sequence[float]]] = {}
        for kind, generator in zip(self._kinds, self._encoder.generators):
            if not isinstance(generator, AttentionPositions):
                return
            alpha = generator.attention(self._encoder.language_vectors(values))
            shifts = analysis.shifts(alpha, generator.places, generator.prior_places)
            lines[kind] = {}
            for name, shift in zip(names, shifts.cpu()):
                rows.append([name, kind, *analysis.directions(shift).values(), float(shift.mean())])
                lines[kind][name] = shift.tolist()
        self._show("shift.tsv", rows)
        if self._draw:
            draw_shifts(self._folder / "shift.png", lines, self._first)

    def substitution(self, text: Text) -> None:
        """
        Writes `substitution.tsv` and `.png`: LAS on a text with the positions of other languages
        (Figure 1b).
        """
        rows: list[list[Any]] = []
        points: dict[str, Sequence[float]] = {}
        for lang in [text.lang, *(lang for lang in self._langs if lang != text.lang)]:
            parsed = self._predictor.parse(text.sentences, lang=lang)
            right = [attached(g, p.heads, p.deprels) for g, p in zip(text.sentences, parsed)]
            words = sum(map(len, text.sentences))
            uas = 100 * sum(sum(heads) for heads, _ in right) / words
            las = 100 * sum(sum(both) for _, both in right) / words
            far = 0.0 if lang == text.lang else self._far(text.lang, lang)
            rows.append([lang, uas, las, far])
            if not numpy.isnan(far):
                points[lang] = (far, las)
        head = [f"position language (text: {text.lang})", "UAS", "LAS", self._far.name]
        self._show("substitution.tsv", [head, *map(_blank, rows)])
        if self._draw and len(points) > 1:
            title = f"{text.lang} with the positions of others"
            panel = PointPanel(title, points, xlabel=self._far.name, ylabel="LAS")
            draw_points(self._folder / "substitution.png", [panel], side=5)

    def probe(self, first: Text, second: Text, seed: int) -> None:
        """
        Writes `probe.tsv`: the share of texts that a probe recognizes with the positions of others
        (Figure 2).
        """
        halves = [analysis.halves(len(text.sentences), seed) for text in (first, second)]
        ours, theirs = (
            sentence_vectors(self._predictor, [text.sentences[i] for i in half], text.lang)
            for text, (half, _) in zip((first, second), halves)
        )
        probe = analysis.train_probe(ours, theirs, seed=seed)
        held = [first.sentences[i] for i in halves[0][1]]
        rows: list[list[Any]] = []
        for lang in dict.fromkeys([first.lang, second.lang, *self._langs]):
            vectors = sentence_vectors(self._predictor, held, lang)
            rows.append(
                [lang, probe.share_of_first(vectors), _named(lang, "81A"), _named(lang, "87A")]
            )
        others = [second.sentences[i] for i in halves[1][1]]
        own_share = 100 - probe.share_of_first(
            sentence_vectors(self._predictor, others, second.lang)
        )
        rows.append([f"{second.lang} text and positions", own_share, None, None])
        head = [f"position language (text: {first.lang})", f"taken for {first.lang}", "81A", "87A"]
        self._show("probe.tsv", [head, *rows])

    def _show(self, name: str, rows: list[list[Any]]) -> None:
        sys.stdout.write(write_table(self._folder / name, rows) + "\n")


def _blank(row: list[Any]) -> list[Any]:
    return [None if isinstance(cell, float) and numpy.isnan(cell) else cell for cell in row]


def _named(lang: str, feature: str) -> Any:
    """Returns the name of a value of WALS-6; `None` if it is unknown."""
    features = typology.features_of("wals6")
    place = [spec.name for spec in features].index(feature)
    try:
        value = typology.values(lang, "wals6")[place]
    except (ConfigurationError, InputError):
        return None
    return features[place].values[value - 1] if value else None
