# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of the operations as checked arrays with a known element type."""

from __future__ import annotations

import numpy as np

from .granularity import Granularity
from .types import F32, FloatType, IntegerType, is_float, is_integer


def scale_operand(scale, weak: FloatType | None, granularity: Granularity) -> np.ndarray:
    """A float array. A plain Python number has no type: it takes `weak`, the expressed type."""
    if isinstance(scale, (int, float)) and not isinstance(scale, np.generic):
        scale = np.asarray(scale, (weak or F32).dtype)
    scale = np.asarray(scale)
    if not is_float(scale.dtype):
        raise ValueError(f"scale has dtype {scale.dtype}, expected a float")
    return granularity.spread(scale, "scale")


def zero_point_operand(
    zero_point, scale: np.ndarray, granularity: Granularity
) -> np.ndarray | None:
    """An int64 array for an integer zero point, a float array of its own type otherwise.

    Its shape is that of the scale, or rank 0: one for all.
    """
    if zero_point is None:
        return None
    if isinstance(zero_point, float) and not isinstance(zero_point, np.generic):
        zero_point = np.asarray(zero_point, scale.dtype)
    zero_point = np.asarray(zero_point)
    if zero_point.ndim:
        zero_point = granularity.spread(zero_point, "zero point")
    if is_float(zero_point.dtype):
        return zero_point
    if not is_integer(zero_point.dtype):
        raise ValueError(f"zero point has dtype {zero_point.dtype}, expected an integer or a float")
    integers = zero_point.astype(np.int64)
    if integers.size and not (-(2**31) <= integers.min() and integers.max() < 2**32):
        raise ValueError(f"zero point {integers.min()} to {integers.max()} does not fit 32 bits")
    return integers


def is_integer_zero_point(zero_point: np.ndarray | None) -> bool:
    return zero_point is not None and zero_point.dtype == np.int64


def bounds(storage: IntegerType | FloatType, clamp) -> tuple[int, int]:
    """Lowest and highest code of an integer storage, narrowed by `clamp`."""
    if clamp is None:
        return storage.lowest, storage.highest
    low, high = (int(bound) for bound in clamp)
    if not storage.lowest <= low <= high <= storage.highest:
        raise ValueError(
            f"clamp [{low}, {high}] is not a range within "
            f"[{storage.lowest}, {storage.highest}] of {storage}"
        )
    return low, high


def check_domain(zero_point_domain: str) -> None:
    if zero_point_domain not in ("stored", "expressed"):
        raise ValueError(f"zero_point_domain = {zero_point_domain}: expected stored or expressed")


def exact(value: np.ndarray) -> np.ndarray:
    """`value` as float64: exact for every float here and for integers below 2^53."""
    return value.astype(np.float64)
