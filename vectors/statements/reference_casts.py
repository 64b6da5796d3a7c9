# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same casts by the NumPy reference of docs/Semantics.md, `mlir_qdq.reference`: a quantize by scale 1.

Formats that it does not list (f8E4M3B11FNUZ, f8E5M3FNU, f8E8M0FNU) are given to it by their precision and range.
"""

from __future__ import annotations

import numpy as np
from mlir_qdq import reference
from mlir_qdq.reference import philox, rounding, types
from mlir_qdq.reference._quantize import Conversion
from mlir_qdq.reference.semantics import resolve

from qdq_vectors.formats import STORAGE

_FNU = {"has_infinity": False, "has_negative_zero": False}
_MORE = {
    "f8E4M3B11FNUZ": types.FloatType("f8E4M3B11FNUZ", np.dtype("u1"), 4, -10, 30.0, **_FNU),
    "f8E5M3FNU": types.FloatType("f8E5M3FNU", np.dtype("u1"), 4, -14, 114688.0, **_FNU),
    "f8E8M0FNU": types.FloatType("f8E8M0FNU", np.dtype("u1"), 1, -127, 2.0**127, **_FNU),
}


def codes(values: np.ndarray, to: str, fields: dict[str, str]) -> np.ndarray:
    """The codes of `values`, a float64 array of values of the source."""
    with np.errstate(all="ignore"):
        if to in ("f8E8M0FNU", "f8E5M3FNU"):
            return _of_values(_unsigned(_quantized(values, to, fields), values, to, fields), to)
        if STORAGE[to].is_float:
            return _of_values(_quantized(values, to, fields), to)
        # float64 holds every source, and dividing it by 1 changes nothing.
        found = reference.quantize(values, np.float64(1), None, storage=to, semantics=fields)
        return found.astype(np.int64).astype(np.uint8) & np.uint8((1 << STORAGE[to].bits) - 1)


def stochastic(x: np.ndarray, to: str, positions: np.ndarray, seed: int) -> np.ndarray:
    """Q7.1 of values of f32, each at its position."""
    low = np.uint64(0xFFFFFFFF)
    zero = np.zeros_like(positions)
    counter = positions & low, positions >> np.uint64(32), zero, zero
    words = philox.philox4x32_10(counter, (seed & 0xFFFFFFFF, seed >> 32))
    uniform = (words[0] >> np.uint64(8)).astype(np.float64) * 2.0**-24
    values = x.astype(np.float64)
    if not STORAGE[to].is_float:
        found = rounding.round_stochastically(values, uniform, types.F32).astype(np.int64)
        return found.astype(np.uint8) & np.uint8((1 << STORAGE[to].bits) - 1)
    type = _MORE.get(to) or types.FLOAT_STORAGE[to]
    return _of_values(
        rounding.round_to_precision(values, type, "stochastic", uniform, types.F32), to
    )


def _quantized(values: np.ndarray, to: str, fields: dict[str, str]) -> np.ndarray:
    type = _MORE.get(to) or types.FLOAT_STORAGE[to]
    semantics = resolve(fields, None)[0]
    conversion = Conversion(values, np.float64(1), None, False, types.F64, semantics, 0)
    return conversion.floats(type)


def _unsigned(q: np.ndarray, values: np.ndarray, to: str, fields: dict[str, str]) -> np.ndarray:
    """V1 and V2 of README.md, and Q8.2."""
    below, least = (0.0, 0.0) if to == "f8E5M3FNU" else (2.0**-127, 2.0**-127)
    if fields["float_overflow"] == "ieee":
        below = np.nan
    is_negative = np.signbit(values) if least else q < 0
    # Of two NaN results one is that of a negative value; the others have no sign to look at.
    result = np.where(q == 0, least, q)
    return np.where(is_negative & ~np.isnan(values), below, result)


def _of_values(values: np.ndarray, to: str) -> np.ndarray:
    """From values to codes, by a table."""
    type = STORAGE[to]
    table = np.array([type.value(code) for code in range(1 << type.bits)])
    finite = np.flatnonzero(np.isfinite(table) & ~((table == 0) & np.signbit(table)))
    order = finite[np.argsort(table[finite])]
    at = np.searchsorted(table[order], np.where(np.isfinite(values), values, 0.0))
    codes = order[np.minimum(at, len(order) - 1)]
    assert (table[codes] == values)[np.isfinite(values)].all(), f"no code of {to}"
    negative_zero = (values == 0) & np.signbit(values) & (type.sign_bit != 0)
    if type.nan != "negative-zero":
        codes = np.where(negative_zero, type.sign_bit, codes)
    if type.has_infinity:
        codes = np.where(np.isposinf(values), type.infinity, codes)
        codes = np.where(np.isneginf(values), type.infinity | type.sign_bit, codes)
    if type.nan_code is not None:
        codes = np.where(np.isnan(values), type.nan_code, codes)
    return codes.astype(np.uint8)
