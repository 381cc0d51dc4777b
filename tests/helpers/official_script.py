"""The script of the CoNLL 2018 shared task (PyPI: udtools)."""

import io
import sys

from udtools.udeval import evaluate, load_conllu

from udify_allennlp.scoring.official import METRICS, SEGMENTATION


def script(gold, system):
    """The scores of the official script."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        files = (
            load_conllu(io.StringIO("".join(s.text for s in side)), "x", {})
            for side in (gold, system)
        )
        scores = evaluate(*files)
    finally:
        sys.setrecursionlimit(limit)
    return {metric: 100 * scores[metric].f1 for metric in SEGMENTATION + METRICS}
