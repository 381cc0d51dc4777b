"""The CoNLL 2018 script's scores (PyPI: udtools), for files and for sentences in memory."""

import io
import sys
from typing import Dict, Iterable, List, Tuple

from udtools.udeval import UDError, evaluate, load_conllu

from udify_allennlp.text.conllu import Sentence

METRICS = (
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)


def official_scores(
    gold: Iterable[Sentence], predicted: Iterable[Sentence], name: str
) -> Dict[str, float]:
    """
    F1 in per cent, by metric, of the `predicted` sentences as they would be written.

    # Raises

    `ValueError`, with `name`, if the script refuses the files.
    """
    # The script walks from a word to ROOT by recursion, and a chain can be as long as a sentence.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 100_000))
    try:
        scores = evaluate(_load(gold, name), _load(predicted, name))
    except UDError as error:
        raise ValueError(f"{name}: the CoNLL 2018 script refuses it: {error}") from None
    finally:
        sys.setrecursionlimit(limit)
    return {metric: 100 * scores[metric].f1 for metric in METRICS}


def _load(sentences: Iterable[Sentence], name: str) -> object:
    text = "".join(sentence.text.removeprefix("\ufeff") for sentence in sentences)
    # A file may end without the blank line that the script wants.
    return load_conllu(io.StringIO(text.rstrip("\r\n") + "\n\n"), name, {})


def macro_average(rows: List[Tuple[str, Dict[str, float]]]) -> Dict[str, float]:
    """The unweighted mean over treebanks of each metric."""
    return {metric: sum(row[metric] for _, row in rows) / len(rows) for metric in METRICS}


def report(rows: List[Tuple[str, Dict[str, float]]]) -> str:
    """Rows of treebanks, columns of metrics with two decimals, and the macro average of several."""
    if len(rows) > 1:
        rows = [*rows, ("macro average", macro_average(rows))]
    width = max(len("treebank"), *(len(name) for name, _ in rows))
    lines = ["treebank".ljust(width) + "".join(f"{metric:>9}" for metric in METRICS)]
    for name, scores in rows:
        lines.append(name.ljust(width) + "".join(f"{scores[m]:9.2f}" for m in METRICS))
    return "\n".join(lines) + "\n"
