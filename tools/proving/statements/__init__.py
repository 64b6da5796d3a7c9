# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Semantics.md as terms: the third statement beside the evaluator and the NumPy reference.

Rounding is said on the bits: the significand is an integer, shifted, and every mode is arithmetic on
the floor and the ceiling of twice the value. The emitter rounds with ops on floats.
"""

from .dequantize import dequantize
from .quantize import quantize
from .requantize import requantize

__all__ = ["dequantize", "quantize", "requantize"]
