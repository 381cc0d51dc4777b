"""Is one model better than another beyond what another seed would change? Welch's t."""

from importlib.util import find_spec
from typing import Dict, Sequence

import numpy as np

from udify_allennlp.scoring.bootstrap import Difference


def can_compare() -> bool:
    """Whether scipy is there, which `welch` needs."""
    return find_spec("scipy") is not None


def welch(first: np.ndarray, second: np.ndarray, names: Sequence[str]) -> Dict[str, Difference]:
    """
    By how much the mean of the runs `second` is above that of `first`, with its 95% interval and
    `p`, by the metrics `names`: Welch's t (1947), which does not take both to vary alike, and does
    not pair their runs. Three runs say little of how seeds vary: the interval of three and three is
    wide. It is of other seeds, the paired bootstrap (`bootstrap.py`) of other sentences.

    # Parameters

    first, second : `np.ndarray`
        Scores, shape `(runs, metrics)`, of two runs at least; not necessarily as many.

    # Raises

    `ValueError` for fewer than two runs.
    """
    from scipy.stats import t

    if min(len(first), len(second)) < 2:
        raise ValueError("one run does not say how seeds vary. Compare two or more.")
    gain = second.mean(axis=0) - first.mean(axis=0)
    a, b = (runs.var(axis=0, ddof=1) / len(runs) for runs in (first, second))
    # Where all runs are alike the error is 0, whatever its freedom.
    squares = np.maximum(a**2 / (len(first) - 1) + b**2 / (len(second) - 1), 1e-30)
    freedom = np.maximum((a + b) ** 2 / squares, 1)
    error = np.maximum(np.sqrt(a + b), 1e-9)
    reach = t.ppf(0.975, freedom) * error
    p = 2 * t.sf(np.abs(gain) / error, freedom)
    columns = zip(*(values.tolist() for values in (gain, gain - reach, gain + reach, p)))
    return {name: Difference(*row) for name, row in zip(names, columns)}
