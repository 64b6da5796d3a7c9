# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of floats, as in docs/Semantics.md, Q12."""

import numpy as np

from .arithmetic import add, fused_multiply_add, multiply
from .types import EXPRESSED, FloatType

#: Partial sums under `lanes`.
PARTIAL_SUMS = 32


def add_products(init, a, b, order: str = "sequential") -> np.ndarray:
    """`init` plus the products of `a` and `b` along their last axis, in the type of `init`.

    Several reduced dimensions are flattened into that axis first, the innermost loop last.
    """
    a, b = (np.asarray(factor).astype(np.float64) for factor in (a, b))
    type = _get_type(init)
    is_fused = order == "lanes" and type.name in ("f32", "f64")

    def step(total, k: int):
        if is_fused:
            return fused_multiply_add(a[..., k], b[..., k], total, type)
        return add(total, multiply(a[..., k], b[..., k], type), type)

    return _add_up(init, step, a.shape[-1], order)


def add_terms(init, terms, order: str = "sequential") -> np.ndarray:
    """`init` plus `terms`, numbers of its type, along their last axis, as `add_products` adds."""
    terms = np.asarray(terms).astype(np.float64)
    type = _get_type(init)
    return _add_up(init, lambda total, k: add(total, terms[..., k], type), terms.shape[-1], order)


def _get_type(init) -> FloatType:
    (type,) = (t for t in EXPRESSED.values() if t.dtype == np.asarray(init).dtype)
    return type


def _add_up(init, step, count: int, order: str) -> np.ndarray:
    """`step(total, k)` adds term `k` of `count`."""
    if order not in ("sequential", "lanes"):
        raise ValueError(f"order is {order!r}: expected 'sequential' or 'lanes'")
    type, init = _get_type(init), np.asarray(init)
    start = init.astype(np.float64)

    def fold(total, first: int = 0, stride: int = 1):
        for k in range(first, count, stride):
            total = step(total, k)
        return total

    with np.errstate(all="ignore"):
        if order == "sequential":
            return fold(start).astype(init.dtype)
        zeros = np.full(start.shape, -0.0)
        lanes = [fold(zeros, lane, PARTIAL_SUMS) for lane in range(PARTIAL_SUMS)]
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = [add(low, high, type) for low, high in zip(lanes[:half], lanes[half:])]
        return add(start, lanes[0], type).astype(init.dtype)
