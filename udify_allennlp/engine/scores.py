"""The graphs of an exported model, run by onnxruntime."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

from udify_allennlp.engine.folder import damaged
from udify_allennlp.text.errors import InputError

_TYPES = {
    "tensor(int64)": numpy.dtype(numpy.int64),
    "tensor(bool)": numpy.dtype(bool),
    "tensor(float)": numpy.dtype(numpy.float32),
}


class Graph:
    """
    One graph, which maps named arrays to named arrays.

    # Parameters

    path : `Path`
        An `.onnx` file.
    outputs : `Sequence[str]`
        The names of the arrays that it must return.
    keeps_memory : `bool`
        Whether memory for its arrays is kept for the next call, which is faster for many arrays.

    # Raises

    `InputError` if it cannot be loaded, or returns other arrays.
    """

    def __init__(self, path: Path, outputs: Sequence[str], keeps_memory: bool = True) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise InputError(
                "onnxruntime is not installed. Install it: pip install onnxruntime."
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 0)
        # Threads that spin take the cores of other programs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        options.enable_cpu_mem_arena = keeps_memory
        if not path.is_file():
            raise InputError(f"{path}: no such file. Export the model again.")
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime has an exception for each of its states
            raise damaged(path, error) from error
        self._path = path
        self._outputs = list(outputs)
        self._inputs = {value.name: value.type for value in self._session.get_inputs()}
        given = {value.name for value in self._session.get_outputs()}
        if not given >= set(outputs) or not set(self._inputs.values()) <= set(_TYPES):
            raise damaged(path, ValueError(f"it returns {', '.join(sorted(given))}"))

    def reads(self, name: str) -> bool:
        """Returns whether it has an input of this name."""
        return name in self._inputs

    def __call__(self, **arrays: numpy.ndarray) -> dict[str, numpy.ndarray]:
        """
        Returns the `outputs` by name, given at least its inputs.

        # Raises

        `InputError` if it cannot be computed.
        """
        try:
            inputs = {name: self._fitted(arrays[name], kind) for name, kind in self._inputs.items()}
            found: Any = self._session.run(self._outputs, inputs)
        except Exception as error:
            raise damaged(self._path, error) from error
        return dict(zip(self._outputs, found))

    @staticmethod
    def _fitted(array: numpy.ndarray, kind: str) -> numpy.ndarray:
        return numpy.ascontiguousarray(array, dtype=_TYPES[kind])


def inputs_of(batch: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    """Returns the arrays of a batch of `ArrayCollator` by the names of the inputs of `SCORES`."""
    arrays = {**batch["layout"], **batch["wordpieces"]}
    if "characters" in batch:
        arrays["spellings"] = batch["characters"]["ids"]
        arrays["spelling_of"] = batch["characters"]["words"]
    return {**arrays, **batch.get("inputs", {})}
