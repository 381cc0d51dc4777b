"""Scores of treebanks, read from the files that other commands write."""

import csv
import json

from allennlp.common.checks import ConfigurationError

SCORES = ("LAS", "UAS", "UPOS")
_UDIFY = "UDify"  # what ud-experiment calls the model of all treebanks

Scores = dict[str, dict[str, float]]


def read_scores(path: str) -> Scores:
    """
    Reads the `SCORES` of treebanks, in percent, from the JSON of `allennlp evaluate --output-file`
    for several treebanks, or from the scores.tsv of `allennlp ud-experiment` (the rows of UDify).

    # Raises

    `ConfigurationError` if the file is neither.
    """
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    try:
        scores = _from_json(text) if path.endswith(".json") else _from_table(text)
    except (ValueError, TypeError, KeyError, AttributeError):
        scores = {}
    if not scores:
        raise ConfigurationError(
            f"--scores {path}: has no {', '.join(SCORES)} by treebank. Name the JSON file that "
            "`allennlp evaluate` wrote to --output-file for several treebanks, or the scores.tsv "
            "of `allennlp ud-experiment` with --udify."
        )
    return scores


def _from_json(text: str) -> Scores:
    values = json.loads(text)
    names = [key.removesuffix("_LAS") for key in values if key.endswith("_LAS")]
    return {name: {kind: float(values[f"{name}_{kind}"]) for kind in SCORES} for name in names}


def _from_table(text: str) -> Scores:
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return {
        row["treebank"]: {kind: float(row[kind]) for kind in SCORES}
        for row in rows
        if row["model"] == _UDIFY
    }
