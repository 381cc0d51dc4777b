"""Training of structural probes, and their predictions."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional

import numpy
import torch

from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree
from udify_allennlp.apps.analysis.probing.probe import NO_GOLD, PROBES, Probe, probe_loss


class ProbeData:
    """
    Sentences with the vectors of one layer.

    # Parameters

    trees : `Sequence[GoldTree]`
    vectors : `numpy.ndarray`
        `(words, dim)`, the words of all sentences one after the other; float16 or float32, possibly
        mapped from a file: only batches are copied.
    device : `torch.device`
        The device for batches.
    """

    def __init__(
        self,
        trees: Sequence[GoldTree],
        vectors: numpy.ndarray,
        device: torch.device = torch.device("cpu"),
    ) -> None:
        self.trees = trees
        self.device = device
        self._vectors = vectors
        self._offsets = numpy.cumsum([0, *(len(tree) for tree in trees)])

    def words(self, rows: Sequence[int]) -> torch.Tensor:
        """Returns the vectors of the sentences `rows`, `(words, dim)` float32."""
        parts = [self._vectors[self._offsets[row] : self._offsets[row + 1]] for row in rows]
        return torch.from_numpy(numpy.concatenate(parts)).to(self.device).float()

    def gold(self, probe: Probe, rows: Sequence[int]) -> torch.Tensor:
        """
        Returns gold values padded with `NO_GOLD`, in the shape of the predictions of `probe` for
        the sentences `rows`.
        """
        arrays = [probe.gold(self.trees[row]) for row in rows]
        n = max(map(len, arrays))
        gold = numpy.full((len(arrays),) + (n,) * arrays[0].ndim, NO_GOLD, dtype=numpy.float32)
        for target, array in zip(gold, arrays):
            target[tuple(slice(size) for size in array.shape)] = array
        return torch.from_numpy(gold).to(self.device)


class Training(NamedTuple):
    """The training settings of a probe; the values are those of the paper and its code."""

    rank: Optional[int] = None
    """Maximum rank of the map; `None` is the width of the vectors."""
    epochs: int = 40
    """Maximum number of epochs; training stops after five epochs without improvement."""
    batch_size: int = 20
    """Number of sentences per batch."""
    learning_rate: float = 0.001
    """Learning rate of Adam, divided by ten after each epoch that does not improve on the best."""
    seed: int = 0


_PATIENCE = 5
_BETTER_BY = 1e-4


def train(
    kind: str,
    train_data: ProbeData,
    dev_data: ProbeData,
    settings: Training,
    watch: Callable[[dict[str, Any]], None] = lambda epoch: None,
) -> Probe:
    """
    Returns a probe of a `kind` of `PROBES`, in its state with the lowest loss on `dev_data`.
    `watch` is called after each epoch with its `epoch`, `train_loss` and `dev_loss`.
    """
    generator = torch.Generator().manual_seed(settings.seed)
    dim = train_data.words([0]).shape[1]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        probe: Probe = PROBES[kind](dim, settings.rank).to(train_data.device)
    optimizer = torch.optim.Adam(probe.parameters(), lr=settings.learning_rate)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=0)
    best, best_loss, best_epoch = copy.deepcopy(probe.state_dict()), float("inf"), 0
    for epoch in range(1, settings.epochs + 1):
        order = torch.randperm(len(train_data.trees), generator=generator).tolist()
        total = 0.0
        for rows in _batches(order, settings.batch_size):
            loss = _loss(probe, train_data, rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        dev_loss = mean_loss(probe, dev_data, settings.batch_size)
        scheduler.step(dev_loss)
        watch({"epoch": epoch, "train_loss": total / len(order), "dev_loss": dev_loss})
        if dev_loss < best_loss - _BETTER_BY:
            best, best_loss, best_epoch = copy.deepcopy(probe.state_dict()), dev_loss, epoch
        elif epoch - best_epoch >= _PATIENCE:
            break
    probe.load_state_dict(best)
    return probe


@torch.no_grad()
def mean_loss(probe: Probe, data: ProbeData, batch_size: int = 20) -> float:
    """Returns the mean loss per sentence, over all of `data`."""
    batches = _batches(range(len(data.trees)), batch_size)
    return sum(_loss(probe, data, rows).item() * len(rows) for rows in batches) / len(data.trees)


@torch.no_grad()
def predict(probe: Probe, data: ProbeData, batch_size: int = 20) -> list[numpy.ndarray]:
    """Returns the predictions of `probe` for each sentence, without padding."""
    predictions = []
    for rows in _batches(range(len(data.trees)), batch_size):
        lengths = [len(data.trees[row]) for row in rows]
        for n, values in zip(lengths, probe(data.words(rows), lengths).cpu().numpy()):
            predictions.append(values[(slice(n),) * values.ndim])
    return predictions


def _loss(probe: Probe, data: ProbeData, rows: Sequence[int]) -> torch.Tensor:
    lengths = [len(data.trees[row]) for row in rows]
    return probe_loss(probe(data.words(rows), lengths), data.gold(probe, rows), lengths)


def _batches(rows: Sequence[int], size: int) -> list[Sequence[int]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]
