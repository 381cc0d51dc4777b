"""The data loader of treebanks."""

from typing import Any, Optional, Union

import torch
from allennlp.data import DataLoader, DatasetReader
from allennlp.data.data_loaders import MultiProcessDataLoader

from udify_allennlp.data.bucket_sampler import BucketSampler


@DataLoader.register("udify")
class TreebankLoader(MultiProcessDataLoader):
    """
    AllenNLP's loader with the batches of `BucketSampler`; `--batch-size` of `allennlp evaluate`
    reaches it.

    # Parameters

    reader : `DatasetReader`
    data_path : `Any`
        What the reader reads: a file, a glob, or a list of these.
    batch_size, max_wordpieces, noise, shuffle :
        See `BucketSampler`.
    num_workers : `int`
        Processes that read; 0 reads in this one.
    cuda_device : `Optional[Union[int, str, torch.device]]`
        Where batches go; the trainer and the evaluator set it.
    quiet : `bool`
        No progress bar.
    """

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        batch_size: int = 32,
        max_wordpieces: int = 3200,
        noise: float = 0.1,
        shuffle: bool = True,
        num_workers: int = 0,
        cuda_device: Optional[Union[int, str, torch.device]] = None,
        quiet: bool = False,
    ) -> None:
        super().__init__(
            reader,
            data_path,
            batch_sampler=BucketSampler(batch_size, max_wordpieces, noise, shuffle),
            num_workers=num_workers,
            cuda_device=cuda_device,
            quiet=quiet,
        )
