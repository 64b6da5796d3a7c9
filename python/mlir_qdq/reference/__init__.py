# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy statement of docs/Semantics.md, independent of the C++ and of `mlir`.

`quantize`, `dequantize`, `requantize`, `choose_params`, `add_products` and `add_terms` take and return
arrays of NumPy and `ml_dtypes` types. They favour clarity over speed: every step of the page is one
line here, every operation is exact and then rounds once.

    >>> import numpy as np
    >>> from mlir_qdq import reference
    >>> x = np.array([-1.0, 0.25, 0.75, 300.0], np.float32)
    >>> reference.quantize(x, np.float32(0.5), np.int8(3), storage="i8")
    array([  1,   3,   5, 127], dtype=int8)

The modules, in the order of reading: `types` (names of element types),
`rounding`, `arithmetic` (one rounding per operation), `philox`, `semantics` (the
fields and the profiles), `granularity`, `operands`, then the five operations.
"""

from ._choose_params import choose_params
from ._dequantize import dequantize
from .philox import philox4x32_10
from ._multipliers import fixed_multiplier, float_multiplier
from ._quantize import quantize
from ._requantize import RESCALES, requantize
from ._requantize_blocks import requantize_blocks
from ._sums import PARTIAL_SUMS, add_products, add_terms
from .semantics import PROFILES, Profile, Semantics
from .types import FloatType, IntegerType, storage_type

__all__ = [
    "PARTIAL_SUMS",
    "PROFILES",
    "RESCALES",
    "FloatType",
    "IntegerType",
    "Profile",
    "Semantics",
    "add_products",
    "add_terms",
    "choose_params",
    "dequantize",
    "fixed_multiplier",
    "float_multiplier",
    "philox4x32_10",
    "quantize",
    "requantize",
    "requantize_blocks",
    "storage_type",
]
