# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and expected codes that separate quantizers.

>>> import qdq_vectors as vectors
>>> case = vectors.case("cast_f32_e4m3fn", rounding="nearest-even", float_overflow="saturate")
>>> case.x.dtype, case.expected.dtype
(dtype('float32'), dtype('uint8'))
>>> [hex(code) for code in case.of([0x3F800000, 0x7F800000])]
['0x38', '0x7e']
>>> len(list(vectors.cases("cast", source="f32", to="f8E4M3FN")))
18
"""

from .api import OPERATIONS, as_test, case, cases, frequency, identify
from .case import Case, Difference, Mismatch
from .casts import Cast
from .frequencies import Frequencies, Frequency
from .stochastic import Stochastic

__version__ = "0.1.0"
__all__ = [
    "OPERATIONS",
    "Case",
    "Cast",
    "Difference",
    "Frequencies",
    "Frequency",
    "Mismatch",
    "Stochastic",
    "as_test",
    "case",
    "cases",
    "frequency",
    "identify",
]
