"""Features of the processor."""

import pytest

from udify_allennlp.kernels import precision

needs_int8 = pytest.mark.skipif(
    not precision.int8_is_exact(), reason="not here: the processor cannot multiply int8 exactly"
)
