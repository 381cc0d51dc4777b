"""
The choice of an epoch's examples: all of them once, small groups more often than large ones, or the
same number from each group. A group is a treebank, a language, or a direction of translation.
"""

from typing import Optional

import numpy
from allennlp.common.checks import ConfigurationError

SAMPLING = ("proportional", "temperature", "uniform")
# Beside the seed of an epoch: its sentences are drawn independently of its batches.
_STREAM = 1


class GroupSampling:
    """
    Balanced sampling of treebanks, which the thesis leaves to future work (conclusion). A treebank
    of `n` sentences has the share `n**(1/T)` of an epoch, divided by the sum over all treebanks,
    where `T` is the temperature (Arivazhagan et al. 2019, section 4.2, with `T` of 5; `1/T` is the
    `alpha` of Conneau and Lample 2019, Eq 1).

    An epoch has `epoch_size` sentences. Each treebank gets its share of them, rounded up or down at
    random so that the expected number is exact, and its sentences appear equally often: `k` or `k +
    1` times, where the extra ones are drawn without replacement. Copies of a sentence have the same
    length, so some share a batch.

    All of this depends only on the seed of the epoch. Our choice: a large treebank is drawn again
    in each epoch instead of continuing where the last one stopped, so that a recovered run, which
    skips finished epochs, gets the same sentences.

    # Parameters

    sampling : `str`
        `proportional`: `T` is 1; without an `epoch_size` each sentence appears once. `uniform`:
        treebanks have equal shares. `temperature`: `T` as specified.
    temperature : `Optional[float]`
        `T`, at least 1; for `temperature` only.
    epoch_size : `Optional[int]`
        Number of sentences per epoch, at least 1; by default all. With `one_language`, number of
        batches.
    per_group : `Optional[int]`
        Exact number of examples per group and epoch, for groups of any size: smaller groups repeat
        some, larger ones draw a sample (Mohammadshahi 2023, section 6.3: 100,000 pairs for each
        direction). It replaces the other settings.

    # Raises

    `ConfigurationError` if `sampling` is unknown, a number is too small, a temperature is missing
    or has no effect, or `per_group` is combined with another setting.
    """

    def __init__(
        self,
        sampling: str = "proportional",
        temperature: Optional[float] = None,
        epoch_size: Optional[int] = None,
        per_group: Optional[int] = None,
    ) -> None:
        if sampling not in SAMPLING:
            raise ConfigurationError(
                f"data_loader.sampling is {sampling!r}. Use one of {', '.join(SAMPLING)}."
            )
        if (sampling == "temperature") != (temperature is not None):
            raise ConfigurationError(
                f"data_loader.sampling is {sampling!r} and temperature is {temperature}. Set a "
                "temperature, such as 5, with sampling 'temperature' only."
            )
        if temperature is not None and temperature < 1:
            raise ConfigurationError(
                f"data_loader.temperature is {temperature}. It must be at least 1 (proportional "
                "sampling)."
            )
        if epoch_size is not None and epoch_size < 1:
            raise ConfigurationError(
                f"data_loader.epoch_size is {epoch_size}. It must be at least 1."
            )
        if per_group is not None and per_group < 1:
            raise ConfigurationError(
                f"data_loader.per_group is {per_group}. It must be at least 1."
            )
        is_default = sampling == "proportional" and epoch_size is None
        if per_group is not None and not is_default:
            raise ConfigurationError(
                "data_loader has per_group, which sets the number of examples of each group per "
                "epoch, together with sampling or epoch_size. Remove one of the two."
            )
        self.is_everything_once = is_default and per_group is None
        self._per_group = per_group
        self._exponent = {"proportional": 1.0, "uniform": 0.0}.get(sampling, 1 / (temperature or 1))
        self._epoch_size = epoch_size

    def shares(
        self, counts: numpy.ndarray, factors: Optional[numpy.ndarray] = None
    ) -> numpy.ndarray:
        """
        Returns the shares of an epoch for groups with `counts` examples each; 0 for an empty group.
        """
        weights = numpy.where(counts > 0, counts.astype(float) ** self._exponent, 0.0)
        if factors is not None:
            weights = weights * factors
        total = weights.sum()
        return weights / total if total else weights

    def rows(
        self, groups: numpy.ndarray, seed: int, factors: Optional[numpy.ndarray] = None
    ) -> numpy.ndarray:
        """
        Returns the examples of an epoch, in rising order, with repetitions.

        # Parameters

        groups : `numpy.ndarray`
            `(examples,)`: the group of each example, numbered from 0.
        seed : `int`
            At least 0.
        factors : `Optional[numpy.ndarray]`
            `(groups,)`: the factors, above 0, by which `n**(1/T)` of each group is multiplied;
            without them all are 1. They have no effect on `per_group`.
        """
        if self.is_everything_once or not len(groups):
            return numpy.arange(len(groups))
        generator = numpy.random.default_rng([seed, _STREAM])
        counts = numpy.bincount(groups)
        if self._per_group is None:
            shares = self.shares(counts, None if factors is None else factors[: len(counts)])
            quotas = self._quotas(counts, shares, self._epoch_size or len(groups), generator)
        else:
            quotas = numpy.where(counts > 0, self._per_group, 0)
        times = numpy.zeros(len(groups), dtype=numpy.int64)
        members = numpy.split(numpy.argsort(groups, kind="stable"), numpy.cumsum(counts)[:-1])
        for rows, quota in zip(members, quotas):
            if quota:
                passes, rest = divmod(quota, len(rows))
                times[rows] = passes
                times[generator.permutation(rows)[:rest]] += 1
        return numpy.repeat(numpy.arange(len(times)), times)

    @staticmethod
    def _quotas(
        counts: numpy.ndarray,
        shares: numpy.ndarray,
        total: int,
        generator: numpy.random.Generator,
    ) -> numpy.ndarray:
        # Systematic sampling: whole numbers that sum to `total`, each less than 1 from its share of
        # it, and equal to it on average.
        ends = numpy.cumsum(shares) * total + generator.uniform()
        marks = numpy.floor(ends).astype(numpy.int64).clip(max=total)
        # The sum of the shares may be a little off 1, and the last treebanks may be empty.
        marks[numpy.flatnonzero(counts)[-1] :] = total
        return numpy.diff(marks, prepend=0)


TreebankSampling = GroupSampling
"""The name of the class in release 0.1."""
