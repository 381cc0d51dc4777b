"""The scores of a segmenter as graphs of ONNX, exported from its own modules, for `engine/`."""

from pathlib import Path
from typing import Any

import torch

from udify_allennlp.engine.folder import VOCABULARY
from udify_allennlp.engine.segmenter import FLAGS, GUESS, RULE_SCORES, write_settings
from udify_allennlp.models.onnx_graphs import quietly, write_graph
from udify_allennlp.segmentation.character_features import KINDS
from udify_allennlp.segmenter.model import Segmenter

_PRECISION = "float32"
"""Its graphs are small, so that fewer bits would gain nothing."""
_CHARACTERS = 5  # of the example
_TEXTS = 2


class _Method(torch.nn.Module):
    """A method of a segmenter as a module."""

    def __init__(self, segmenter: Segmenter, name: str) -> None:
        super().__init__()
        self.segmenter, self.name = segmenter, name

    def forward(self, *arrays: torch.Tensor) -> Any:
        return getattr(self.segmenter, self.name)(*arrays)


def export(segmenter: Segmenter, folder: Path) -> None:
    """
    Saves a segmenter for `OnnxSegmenter`.

    # Parameters

    segmenter : `Segmenter`
    folder : `Path`
        A folder that does not exist.
    """
    folder.mkdir()
    segmenter.eval()
    characters = {
        "hashes": torch.ones(_CHARACTERS, KINDS, dtype=torch.long),
        "classes": torch.zeros(_CHARACTERS, dtype=torch.long),
        "text_of": torch.arange(_CHARACTERS) % _TEXTS,
    }
    counts = {"counts": torch.bincount(characters["text_of"])}
    told = {
        "is_text": torch.ones(_CHARACTERS, dtype=torch.bool),
        "shares": torch.ones(_TEXTS, segmenter.langs.num_embeddings),
    }
    vectors = {"vectors": torch.zeros(_TEXTS, segmenter.rules.in_features)}
    segmenter.network.looks_at_length = False
    try:
        with torch.no_grad(), quietly():
            for name, module, inputs, outputs in (
                (GUESS, _Method(segmenter, "guesses"), {**characters, **counts}, ["logits"]),
                (
                    FLAGS,
                    _Method(segmenter, "flagged"),
                    {**characters, **told},
                    ["logits", "vectors"],
                ),
                (RULE_SCORES, segmenter.rules, vectors, ["scores"]),
            ):
                path = folder / f"{name}.onnx"
                write_graph(module, [*inputs.values()], [*inputs], outputs, path, _PRECISION)
    finally:
        segmenter.network.looks_at_length = True
    segmenter.vocab.save_to_files(str(folder / VOCABULARY))
    (folder / VOCABULARY / ".lock").unlink(missing_ok=True)
    write_settings(folder, segmenter.network.reach, segmenter.treebanks.standards)
