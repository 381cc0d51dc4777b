"""
The scores of a parser as graphs of ONNX, exported from its own modules; `engine/` runs them.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any, Optional

import torch

from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.decoders.tag import TagDecoder, TagScores
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.onnx_storage import store
from udify_allennlp.modules.layout import Layout

_LOUD = ("torch.onnx", "onnxscript", "onnx_ir", "onnxruntime")
AXES: dict[str, dict[int, str]] = {
    "ids": {0: "windows", 1: "width"},
    "mask": {0: "windows", 1: "width"},
    "first": {0: "words"},
    "nodes": {0: "batch", 1: "nodes"},
    "places": {0: "words"},
    "spellings": {0: "spellings", 1: "characters"},
    "spelling_of": {0: "words"},
    "treebank": {0: "batch"},
    "lang": {0: "batch"},
}
"""The inputs of `SCORES`, and those of their axes that have any length."""
WORDS = ("words", "origins")
"""The inputs of the graph of a tag task."""
ARCS = ("dependents", "heads", "of_root", "origins", "known")
"""The inputs of `DEPRELS`."""


class BatchScores(torch.nn.Module):
    """The outputs of `SCORES` from its inputs; see `Tags` and `TreeSearch`."""

    def __init__(self, model: MultitaskModel, inputs: Sequence[str]) -> None:
        super().__init__()
        self.model, self.inputs = model, inputs

    def forward(self, *arrays: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(self.named(*arrays).values())

    def named(self, *arrays: torch.Tensor) -> dict[str, torch.Tensor]:
        given = dict(zip(self.inputs, arrays))
        layout = Layout(given["nodes"], given["places"])
        batch: dict[str, Any] = {
            "wordpieces": {name: given[name] for name in ("ids", "mask", "first")},
            "inputs": {name: given[name] for name in ("treebank", "lang") if name in given},
        }
        if "spellings" in given:
            batch["characters"] = {"ids": given["spellings"], "words": given["spelling_of"]}
        named: dict[str, torch.Tensor] = {}
        for task, decoder, scores in self.model.scored(batch, layout):
            if isinstance(decoder, TagDecoder):
                label, is_best = decoder.likely(scores)
                named.update({task: scores.words, f"{task}_label": label})
                named[f"{task}_is_best"] = is_best
                origins = scores.origins
            else:
                dependents, heads = scores.vectors
                named.update(arcs=scores.arcs, dependents=dependents, heads=heads)
                origins = scores.langs
            if origins is not None:
                named["origins"] = origins
        return named


class AllLabels(torch.nn.Module):
    """The log-probabilities of all labels of a task."""

    def __init__(self, decoder: TagDecoder) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(self, words: torch.Tensor, origins: Optional[torch.Tensor] = None) -> torch.Tensor:
        return self.decoder.log_prob(TagScores(words, origins), slice(None))


class ArcLabels(torch.nn.Module):
    """The best deprels of arcs: their log-probabilities and numbers."""

    def __init__(self, decoder: DependencyDecoder) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(
        self,
        dependents: torch.Tensor,
        heads: torch.Tensor,
        of_root: torch.Tensor,
        origins: Optional[torch.Tensor] = None,
        known: Optional[torch.Tensor] = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self.decoder.deprels.bilinear(dependents, heads).float()
        return self.decoder.best_of_arcs(scores, of_root, origins, known)


@contextmanager
def quietly() -> Iterator[None]:
    """Exports with plain operations of PyTorch, and without its messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for package in _LOUD:
            logging.getLogger(package).setLevel(logging.ERROR)
        with torch.backends.mkldnn.flags(enabled=False):
            yield


@contextmanager
def exportable(model: MultitaskModel) -> Iterator[None]:
    """Makes the operations of a model independent of its input, and plain ones of PyTorch."""
    embedder: Any = model.embedder
    characters: Any = model.characters
    tables = [own for d in model.decoders.values() if (own := getattr(d, "own", None)) is not None]
    for own in tables:
        own.make_all()
    embedder.looks_for_padding = False
    if characters is not None:
        characters.skips_padding = False
    try:
        with quietly():
            yield
    finally:
        embedder.looks_for_padding = True
        if characters is not None:
            characters.skips_padding = True
        for own in tables:
            own.all_masks = None


def write_graph(
    module: torch.nn.Module,
    inputs: Sequence[torch.Tensor],
    input_names: Sequence[str],
    output_names: Sequence[str],
    path: Path,
    precision: str,
) -> None:
    """
    Writes the graph of a module.

    # Parameters

    module : `torch.nn.Module`
    inputs : `Sequence[torch.Tensor]`
        An example. Axes of `AXES` have any length, and so has the first one of other inputs.
    input_names, output_names : `Sequence[str]`
        The names of the arrays; of inputs there may be more than are given.
    path : `Path`
    precision : `str`
        See `store`.
    """
    names = list(input_names)[: len(inputs)]
    dynamic = torch.export.Dim.DYNAMIC
    axes = [AXES.get(name, {0: "n"}) for name in names]
    shapes: Any = tuple(dict.fromkeys(of_input, dynamic) for of_input in axes)
    parameters = signature(module.forward).parameters.values()
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        shapes = (shapes,)  # one parameter takes all
    torch.onnx.export(
        module.eval(),
        tuple(inputs),
        str(path),
        input_names=names,
        output_names=list(output_names),
        dynamic_shapes=shapes,
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    store(path, precision)
