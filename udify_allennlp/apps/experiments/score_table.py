"""One table of scores: a row for each treebank and model, and the averages by resource class."""

from typing import Dict, List, NamedTuple, Sequence, Tuple

from udify_allennlp.apps.experiments.treebanks import CLASSES, ZERO_SHOT

ALL_TRAINED = "all but zero-shot"
METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")


class Score(NamedTuple):
    """F1 in per cent, by metric, of a model on the test file of a treebank of a resource class."""

    treebank: str
    resources: str
    model: str
    values: Dict[str, float]


Row = Tuple[str, List[float]]
"""A model and its values by `METRICS`."""


class Group(NamedTuple):
    """A treebank or an average, its class, its models; `comparable` if all are of the same data."""

    name: str
    resources: str
    rows: List[Row]
    comparable: bool = True


class ScoreTable:
    """
    The layout of the thesis's Tables 4.1 and 4.2: models of one treebank below each other. Where
    there are several, the best figures are bold.

    An average is the unweighted mean over the treebanks for which every model in it has a score,
    so that all are averaged over the same; their number stands beside it, and of how many they
    are. Zero-shot treebanks, which models of one treebank cannot parse, have an average of their
    own and are in no other. Where models have no treebank in common, each is averaged over its
    own, the numbers say so, and nothing is bold.

    # Parameters

    scores : `Sequence[Score]`
        In the order of the rows.
    models : `Sequence[str]`
        In the order in which they are compared.
    """

    def __init__(self, scores: Sequence[Score], models: Sequence[str]) -> None:
        self._models = models
        self.groups: List[Group] = []
        for treebank in dict.fromkeys(score.treebank for score in scores):
            own = [score for score in scores if score.treebank == treebank]
            self.groups.append(Group(treebank, own[0].resources, self._means(own)))
        trained = [score for score in scores if score.resources != ZERO_SHOT]
        for resources in CLASSES:
            self._add_average(resources, [s for s in scores if s.resources == resources])
        self._add_average(ALL_TRAINED, trained)

    def _add_average(self, resources: str, scores: List[Score]) -> None:
        scored = [{s.treebank for s in scores if s.model == model} for model in self._models]
        scored = [treebanks for treebanks in scored if treebanks]
        if not scored:
            return
        every, common = set.union(*scored), set.intersection(*scored)
        counts = [len(common)] if common else list(map(len, scored))
        number = "/".join(map(str, counts))
        if counts != [len(every)]:
            number += f" of {len(every)}"
        rows = self._means([s for s in scores if s.treebank in (common or every)])
        name = f"macro average ({number})"
        self.groups.append(Group(name, resources, rows, comparable=bool(common)))

    def _means(self, scores: List[Score]) -> List[Row]:
        rows = []
        for model in self._models:
            values = [score.values for score in scores if score.model == model]
            if values:
                rows.append((model, [sum(v[m] for v in values) / len(values) for m in METRICS]))
        return rows

    def tsv(self) -> str:
        """Every row in full, nothing bold."""
        lines = ["\t".join(("treebank", "resources", "model", *METRICS))]
        for name, resources, rows, _ in self.groups:
            for model, values in rows:
                figures = [f"{value:.2f}" for value in values]
                lines.append("\t".join((name, resources, model, *figures)))
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        lines = [f"| treebank | resources | model | {' | '.join(METRICS)} |"]
        lines.append("|" + "---|" * 3 + "---:|" * len(METRICS))
        for group in self.groups:
            for index, (model, figures) in enumerate(_with_best(group, "**{}**")):
                first = (group.name, group.resources) if index == 0 else ("", "")
                lines.append("| " + " | ".join((*first, model, *figures)) + " |")
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """A `tabular`; it wants the package booktabs."""
        lines = [r"\begin{tabular}{lll" + "r" * len(METRICS) + "}", r"\toprule"]
        lines.append(" & ".join(("Treebank", "Resources", "Model", *METRICS)) + r" \\")
        for group in self.groups:
            lines.append(r"\midrule")
            for index, (model, figures) in enumerate(_with_best(group, r"\textbf{{{}}}")):
                first = (
                    (group.name.replace("_", r"\_"), group.resources) if index == 0 else ("", "")
                )
                lines.append(" & ".join((*first, model, *figures)) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _with_best(group: Group, bold: str) -> List[Tuple[str, List[str]]]:
    """Values as text, the best of each column bold if there are several that can be compared."""
    shown = [(model, [f"{value:.2f}" for value in values]) for model, values in group.rows]
    if len(shown) > 1 and group.comparable:
        for column in range(len(METRICS)):
            best = max((figures[column] for _, figures in shown), key=float)
            for _, figures in shown:
                if figures[column] == best:
                    figures[column] = bold.format(best)
    return shown
