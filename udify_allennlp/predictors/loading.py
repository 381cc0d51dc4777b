"""Loading of a predictor from a model on disk."""

import json
import os
import re
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.plugins import import_plugins
from allennlp.common.util import import_module_and_submodules
from allennlp.models import Model
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from udify_allennlp.archives.registered import registered_name
from udify_allennlp.kernels.packed_embedding import packed_embeddings
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor


def load_predictor(
    path: Union[str, "os.PathLike[str]"],
    cuda_device: int = -1,
    precision: Optional[str] = None,
    packages: Sequence[str] = (),
    probabilities: bool = False,
    iterations: Optional[int] = None,
    packed: bool = False,
) -> ConlluPredictor:
    """
    Loads a predictor from an archive (`model.tar.gz`) or from a run folder.

    # Parameters

    path : `Union[str, PathLike]`
    cuda_device : `int`
        The GPU's number; -1 for the CPU.
    precision : `Optional[str]`
        See `MultitaskModel`; by default as in the model's config.
    packages : `Sequence[str]`
        Packages to import first, as with `--include-package`, in a process without a command.
    probabilities : `bool`
        See `MultitaskModel`.
    iterations : `Optional[int]`
        Number of passes of a model that refines its trees; by default as in its config.
    packed : `bool`
        True if tables may stay packed in memory; the model can then not be trained.

    # Raises

    `ArchiveError` or `ConfigurationError` if the model cannot be loaded, or is not one of our
    parsers.
    """
    check_for_gpu(cuda_device)
    if packages:
        import_plugins()
        for package in packages:
            import_module_and_submodules(package)
    choices = {"model.precision": precision, "model.iterations": iterations}
    overrides: dict[str, Any] = {
        name: value for name, value in choices.items() if value is not None
    }
    if probabilities:
        overrides["model.probabilities"] = True
    changes = json.dumps(overrides) if overrides else ""
    with packed_embeddings() if packed else nullcontext():
        archive = load_archive(os.fspath(path), cuda_device=cuda_device, overrides=changes)
    predictor: Any = Predictor.from_archive(archive)
    if not isinstance(predictor, ConlluPredictor):
        raise no_parser(os.fspath(path), archive.model)
    settings = (cuda_device, precision, tuple(packages), probabilities, iterations, packed)
    place = os.path.abspath(path) if os.path.exists(path) else os.fspath(path)
    predictor.reload = load_predictor, (place, *settings)
    return predictor


def no_parser(path: str, model: Model) -> ConfigurationError:
    """Returns the error for a loaded model that is not a parser."""
    return ConfigurationError(
        f"{path}: is a model of type {registered_name(model)}, which does not parse. Name a parser."
    )


def gpu_number(device: Union[str, int, None]) -> int:
    """
    Returns the number of the GPU that `cpu`, `cuda`, `cuda:1` or a number names; -1 is the CPU.
    Raises `ConfigurationError` for any other name.
    """
    if device is None or isinstance(device, int):
        return -1 if device is None else device
    match = re.fullmatch(r"(cpu|cuda)(?::(\d+))?", device)
    if match is None or (match[1] == "cpu" and match[2]):
        raise ConfigurationError(
            f"device is {device!r}. Use 'cpu', 'cuda' or a number such as 'cuda:1'."
        )
    return -1 if match[1] == "cpu" else int(match[2] or 0)
