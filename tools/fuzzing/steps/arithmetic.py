# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops on reals and on codes."""

from __future__ import annotations

import numpy as np

from mlir_qdq.reference.types import EXPRESSED

from ..builder import Builder
from ..values import Value, is_signless, random_array


def _maximum(x, y):
    """-0 is below +0, and NaN wins."""
    larger = np.where((x > y) | ((x == y) & ~np.signbit(x)), x, y)
    return np.where(np.isnan(x) | np.isnan(y), np.asarray(np.nan).astype(x.dtype), larger)


def _minimum(x, y):
    return -_maximum(-x, -y)


REALS = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply,
    "arith.maximumf": _maximum, "arith.minimumf": _minimum,
}  # fmt: skip
CODES = {
    "arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply, "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor, "arith.maxsi": np.maximum, "arith.minsi": np.minimum,
}  # fmt: skip


def _second(b: Builder, x: Value) -> Value:
    """Of the same type: another value, itself, or an argument."""
    other = b.pick(lambda v: v.type == x.type and v.shape == x.shape)
    if other is not None and b.chance(0.6):
        return other
    return b.given(Value(x.element, random_array(b.rng, x.element, x.shape), x.dynamic))


def reals(b: Builder):
    x = b.pick(lambda v: v.element in EXPRESSED)
    if x is None:
        return None
    y, name = _second(b, x), b.rng.choice(list(REALS))
    with np.errstate(all="ignore"):
        array = np.asarray(REALS[name](x.array, y.array)).astype(x.array.dtype)
    return b.make(
        "elementwise", [x, y], x.element, array, x.dynamic,
        lambda r, o, t: f"{r} = {name} {o[0]}, {o[1]} : {t}",
    )  # fmt: skip


def codes(b: Builder):
    x = b.pick(lambda v: is_signless(v.element) and v.element[1:] in ("4", "8", "16", "32"))
    if x is None:
        return None
    y, name, bits = _second(b, x), b.rng.choice(list(CODES)), int(x.element[1:])
    # Equal operands, perhaps after a fold: docs/upstream/fold-of-open-tensors.
    if name == "arith.xori" and any(x.dynamic) and np.array_equal(x.array, y.array):
        return None
    wide = CODES[name](x.array.astype(np.int64), y.array.astype(np.int64))
    wrapped = (wide + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return b.make(
        "elementwise", [x, y], x.element, wrapped.astype(x.array.dtype), x.dynamic,
        lambda r, o, t: f"{r} = {name} {o[0]}, {o[1]} : {t}",
    )  # fmt: skip


STEPS = [(reals, 3), (codes, 2)]
