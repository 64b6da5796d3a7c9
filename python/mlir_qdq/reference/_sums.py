# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sum of products of a contraction of floats, as in docs/Semantics.md, Q12."""

import numpy as np

from .arithmetic import add, fused_multiply_add, multiply
from .types import EXPRESSED, FloatType

#: Partial sums under `lanes`.
PARTIAL_SUMS = 32


def add_products(init, a, b, order: str = "sequential") -> np.ndarray:
    """`init` plus the products of `a` and `b` along their last axis, in the type of `init`.

    Several reduced dimensions are flattened into that axis first, the innermost loop last.
    """
    init = np.asarray(init)
    (type,) = (t for t in EXPRESSED.values() if t.dtype == init.dtype)
    factors = [np.asarray(factor).astype(np.float64) for factor in (a, b)]
    start = init.astype(np.float64)
    if order not in ("sequential", "lanes"):
        raise ValueError(f"order is {order!r}: expected 'sequential' or 'lanes'")
    with np.errstate(all="ignore"):
        add_up = _add_in_order if order == "sequential" else _add_in_lanes
        return add_up(start, *factors, type).astype(init.dtype)


def _add_in_lanes(start, a, b, type: FloatType) -> np.ndarray:
    lanes = [
        _add_in_order(
            np.full(start.shape, -0.0),
            a[..., lane::PARTIAL_SUMS],
            b[..., lane::PARTIAL_SUMS],
            type,
            fused=type.name in ("f32", "f64"),
        )
        for lane in range(PARTIAL_SUMS)
    ]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [add(low, high, type) for low, high in zip(lanes[:half], lanes[half:])]
    return add(start, lanes[0], type)


def _add_in_order(total, a, b, type: FloatType, fused: bool = False) -> np.ndarray:
    for k in range(a.shape[-1]):
        if fused:
            total = fused_multiply_add(a[..., k], b[..., k], total, type)
        else:
            total = add(total, multiply(a[..., k], b[..., k], type), type)
    return total
