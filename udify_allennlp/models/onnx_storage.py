"""Graphs of ONNX on disk: folded, perhaps in 8 bits, and with weights that are mapped to memory."""

import tempfile
from pathlib import Path

_INT8 = "int8"
_BLOCK = 64
"""Number of weights that share a scale; activations are quantized in the same blocks."""
_MAPPED = 4096
"""Number of bytes from which on a tensor stands outside the graph, where it can be mapped."""
_INT8_PRODUCTS = 4
"""onnxruntime's level of accuracy for products of int8 by int8."""


def store(path: Path, precision: str) -> None:
    """
    Replaces an exported graph by the form in which it is run. Tensors are stored beside it, in
    `NAME.onnx.data`: onnxruntime maps that file, so that tables take memory only for the rows that
    are read.

    # Parameters

    path : `Path`
        An `.onnx` file.
    precision : `str`
        `float32`; or `int8`: products with weights are computed in 8 bits.
    """
    # Packages of the extra onnx.
    import onnx
    import onnxruntime
    from onnxruntime.quantization.matmul_nbits_quantizer import (
        DefaultWeightOnlyQuantConfig,
        MatMulNBitsQuantizer,
    )

    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        folded = Path(scratch) / path.name
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(folded)
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        graph = onnx.load(folded)
    if precision == _INT8:
        settings = DefaultWeightOnlyQuantConfig(
            block_size=_BLOCK, is_symmetric=True, accuracy_level=_INT8_PRODUCTS, bits=8
        )
        quantizer = MatMulNBitsQuantizer(graph, algo_config=settings)
        quantizer.process()
        graph = quantizer.model.model
    tensors = Path(f"{path}.data")
    tensors.unlink(missing_ok=True)
    onnx.save(
        graph,
        path,
        save_as_external_data=True,
        location=tensors.name,
        size_threshold=_MAPPED,
    )
    if tensors.exists():  # onnx makes it for its owner alone
        tensors.chmod(path.stat().st_mode)
