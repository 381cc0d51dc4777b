"""One table of scores: a row for each treebank and model, and the averages by resource class."""

from typing import Dict, List, NamedTuple, Sequence, Tuple

from udify_allennlp.apps.experiments.treebanks import CLASSES

METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")


class Score(NamedTuple):
    """F1 in per cent, by metric, of a model on the test file of a treebank of a resource class."""

    treebank: str
    resources: str
    model: str
    values: Dict[str, float]


Group = Tuple[str, str, List[Tuple[str, List[float]]]]
"""A treebank or an average, its class, and each model with its values by `METRICS`."""


class ScoreTable:
    """
    The layout of the thesis's Tables 4.1 and 4.2: models of one treebank below each other. Where
    there are several, the best figures are bold.

    An average is the unweighted mean over treebanks; the number of these stands beside it, as a
    model need not have a score for each: one of a single treebank cannot parse zero-shot ones.

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
            self.groups.append((treebank, own[0].resources, self._means(own)[0]))
        for resources in (*CLASSES, "all"):
            own = [score for score in scores if resources in (score.resources, "all")]
            if own:
                means, counts = self._means(own)
                number = "/".join(map(str, dict.fromkeys(counts)))
                self.groups.append((f"macro average ({number})", resources, means))

    def _means(self, scores: List[Score]) -> Tuple[List[Tuple[str, List[float]]], List[int]]:
        rows, counts = [], []
        for model in self._models:
            values = [score.values for score in scores if score.model == model]
            if values:
                means = [sum(value[m] for value in values) / len(values) for m in METRICS]
                rows.append((model, means))
                counts.append(len(values))
        return rows, counts

    def tsv(self) -> str:
        """Every row in full, nothing bold."""
        lines = ["\t".join(("treebank", "resources", "model", *METRICS))]
        for name, resources, rows in self.groups:
            for model, values in rows:
                figures = [f"{value:.2f}" for value in values]
                lines.append("\t".join((name, resources, model, *figures)))
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        lines = [f"| treebank | resources | model | {' | '.join(METRICS)} |"]
        lines.append("|" + "---|" * 3 + "---:|" * len(METRICS))
        for name, resources, rows in self.groups:
            for index, (model, figures) in enumerate(_with_best(rows, "**{}**")):
                first = (name, resources) if index == 0 else ("", "")
                lines.append("| " + " | ".join((*first, model, *figures)) + " |")
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """A `tabular`; it wants the package booktabs."""
        lines = [r"\begin{tabular}{lll" + "r" * len(METRICS) + "}", r"\toprule"]
        lines.append(" & ".join(("Treebank", "Resources", "Model", *METRICS)) + r" \\")
        for name, resources, rows in self.groups:
            lines.append(r"\midrule")
            for index, (model, figures) in enumerate(_with_best(rows, r"\textbf{{{}}}")):
                first = (name.replace("_", r"\_"), resources) if index == 0 else ("", "")
                lines.append(" & ".join((*first, model, *figures)) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _with_best(rows: List[Tuple[str, List[float]]], bold: str) -> List[Tuple[str, List[str]]]:
    """Values as text, the best of each column bold if there is more than one row."""
    shown = [(model, [f"{value:.2f}" for value in values]) for model, values in rows]
    if len(rows) > 1:
        for column in range(len(METRICS)):
            best = max((figures[column] for _, figures in shown), key=float)
            for _, figures in shown:
                if figures[column] == best:
                    figures[column] = bold.format(best)
    return shown
