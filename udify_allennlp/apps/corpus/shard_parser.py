"""The parser of a shard, independent of the process it runs in."""

from collections.abc import Sequence

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.corpus.shards import Shard, save
from udify_allennlp.archives.run_folder import model_fingerprint
from udify_allennlp.predictors.loading import load_predictor


class ShardParser:
    """
    A model that parses shards and saves them.

    # Parameters

    model : `str`
        An archive or a run folder.
    expected : `str`
        The model's fingerprint at the start of the run.
    device : `int`
        The GPU; -1 for the CPU.
    threads : `int`
        Number of threads of this process.
    packages : `Sequence[str]`
        Packages to import first, as with `--include-package`.

    # Raises

    `ConfigurationError` if the model is not ours, or has changed since the start of the run.
    """

    def __init__(
        self,
        model: str,
        expected: str,
        device: int = -1,
        threads: int = 1,
        packages: Sequence[str] = (),
    ) -> None:
        torch.set_num_threads(threads)
        predictor = load_predictor(model, device, packages=packages, packed=True)
        # After loading, which a training that still goes on may have overtaken.
        if model_fingerprint(model) != expected:
            raise ConfigurationError(
                f"{model} has changed since the start of this run. Restore it; finished work is "
                "kept."
            )
        self._predictor = predictor

    def __call__(self, shard: Shard) -> int:
        """Saves the parsed shard; returns its number of sentences."""
        save(list(self._predictor.parse(shard.sentences, len(shard.sentences))), shard.target)
        return len(shard.sentences)
