# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosa.apply_scale with DOUBLE_ROUND, as MLIR's own `tosa-to-arith` lowers it; the zero point and the bounds that
tosa.rescale adds stand beside it."""

from __future__ import annotations

import numpy as np

from ... import reference
from ..case import Unsupported, bounds_of
from ..requantize import Requantize
from .upstream import compile_loops

PROFILE = "tflite"
VERSION = "MLIR 22.1"
_PASS = "func.func(tosa-to-arith{include-apply-rescale=true})"


def _body(m: int, t: int, z: int, storage: str) -> str:
    low, high = bounds_of(storage)
    return f"""%m = arith.constant {m} : i32
    %t = arith.constant {t} : i8
    %z = arith.constant {z} : i32
    %low = arith.constant {low} : i32
    %high = arith.constant {high} : i32
    %v = tosa.apply_scale %a, %m, %t {{rounding_mode = DOUBLE_ROUND}} : (i32, i32, i8) -> i32
    %s = arith.addi %v, %z : i32
    %c = arith.maxsi %s, %low : i32
    %r = arith.minsi %c, %high : i32"""


def requantize(case: Requantize) -> np.ndarray:
    if case.acc.type != "i32":
        raise Unsupported("accumulators of 64 bits")
    z = int(case.zero_point.array) if case.zero_point else 0
    pairs = zip(*reference.fixed_multiplier("fixed31-double", *case.scales))
    bodies = [_body(int(m), int(t), z, case.storage) for m, t in pairs]
    functions = compile_loops(bodies, 32, "i32", _PASS)
    result = np.zeros(case.acc.array.shape, case.result.array.dtype)
    for row, (function, acc) in enumerate(zip(functions, case.acc.array)):
        result[row] = function(acc, np.int32)
    return result
