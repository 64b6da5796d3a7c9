# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: their MLIR spelling, their NumPy dtype and what they can hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class IntegerType:
    """Two's complement storage of 1 to 32 bits; `i8` and `si8` are both signed."""

    bits: int
    signed: bool

    @property
    def lowest(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def highest(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    @property
    def dtype(self) -> np.dtype:
        """`int4`, `uint2`, ... where there is one, else the next native NumPy integer."""
        name = "int" if self.signed else "uint"
        if self.bits in (2, 4):
            return np.dtype(getattr(ml_dtypes, f"{name}{self.bits}"))
        width = next(w for w in (8, 16, 32) if self.bits <= w)
        return np.dtype(f"{name}{width}")

    def __str__(self) -> str:
        return f"{'si' if self.signed else 'ui'}{self.bits}"


@dataclass(frozen=True)
class FloatType:
    """A binary float format: `precision` counts the implicit bit, and the smallest
    positive value is 2^(min_exponent - precision + 1)."""

    name: str
    dtype: np.dtype
    precision: int
    min_exponent: int
    max_finite: float
    has_infinity: bool = True
    has_nan: bool = True
    has_negative_zero: bool = True

    def __str__(self) -> str:
        return self.name


def _float(name, dtype, precision, min_exponent, max_finite, **traits) -> FloatType:
    return FloatType(name, np.dtype(dtype), precision, min_exponent, max_finite, **traits)


F16 = _float("f16", np.float16, 11, -14, 65504.0)
BF16 = _float("bf16", ml_dtypes.bfloat16, 8, -126, (2 - 2.0**-7) * 2.0**127)
F32 = _float("f32", np.float32, 24, -126, (2 - 2.0**-23) * 2.0**127)
F64 = _float("f64", np.float64, 53, -1022, float(np.finfo(np.float64).max))

_FN = {"has_infinity": False}
_FNUZ = {"has_infinity": False, "has_negative_zero": False}
_FINITE = {"has_infinity": False, "has_nan": False}

EXPRESSED = {t.name: t for t in (F16, BF16, F32, F64)}
FLOAT_STORAGE = {
    t.name: t
    for t in (
        F16,
        BF16,
        _float("f8E4M3FN", ml_dtypes.float8_e4m3fn, 4, -6, 448.0, **_FN),
        _float("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 4, -7, 240.0, **_FNUZ),
        _float("f8E4M3", ml_dtypes.float8_e4m3, 4, -6, 240.0),
        _float("f8E5M2", ml_dtypes.float8_e5m2, 3, -14, 57344.0),
        _float("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 3, -15, 57344.0, **_FNUZ),
        _float("f8E3M4", ml_dtypes.float8_e3m4, 5, -2, 15.5),
        _float("f6E2M3FN", ml_dtypes.float6_e2m3fn, 4, 0, 7.5, **_FINITE),
        _float("f6E3M2FN", ml_dtypes.float6_e3m2fn, 3, -2, 28.0, **_FINITE),
        _float("f4E2M1FN", ml_dtypes.float4_e2m1fn, 2, 0, 6.0, **_FINITE),
    )
}

# A scale is any expressed type or float of 8 bits; f8E8M0FNU is nothing but a scale.
SCALES = {
    **EXPRESSED,
    **{name: t for name, t in FLOAT_STORAGE.items() if name.startswith("f8")},
    "f8E8M0FNU": _float("f8E8M0FNU", ml_dtypes.float8_e8m0fnu, 1, -127, 2.0**127, **_FNUZ),
}

_EXPRESSED_BY_DTYPE = {t.dtype: t for t in EXPRESSED.values()}
_STORAGE_BY_DTYPE: dict[np.dtype, IntegerType | FloatType] = {
    **{t.dtype: t for t in FLOAT_STORAGE.values()},
    **{
        IntegerType(bits, signed).dtype: IntegerType(bits, signed)
        for bits in (2, 4, 8, 16, 32)
        for signed in (True, False)
    },
}


def storage_type(storage) -> IntegerType | FloatType:
    """The storage that an MLIR spelling (`"i8"`, `"ui4"`, `"f8E4M3FN"`) or a dtype names."""
    if isinstance(storage, (IntegerType, FloatType)):
        return storage
    if isinstance(storage, str):
        if storage in FLOAT_STORAGE:
            return FLOAT_STORAGE[storage]
        spelling = re.fullmatch(r"(i|si|ui)([1-9][0-9]*)", storage)
        if spelling and int(spelling[2]) <= 32:
            return IntegerType(int(spelling[2]), signed=spelling[1] != "ui")
        raise ValueError(
            f"unknown storage '{storage}': expected an integer of 1 to 32 bits (i8, si8, ui8, ...) "
            f"or one of {', '.join(FLOAT_STORAGE)}"
        )
    dtype = np.dtype(storage)
    if dtype not in _STORAGE_BY_DTYPE:
        raise ValueError(f"dtype {dtype} is not a storage type")
    return _STORAGE_BY_DTYPE[dtype]


def expressed_type(expressed) -> FloatType:
    """One of f16, bf16, f32, f64, from its MLIR spelling or a dtype."""
    if isinstance(expressed, FloatType):
        expressed = expressed.name
    if isinstance(expressed, str) and expressed in EXPRESSED:
        return EXPRESSED[expressed]
    # `np.dtype("f16")` would be a 16-byte float: strings stop here.
    dtype = None if isinstance(expressed, str) else np.dtype(expressed)
    if dtype not in _EXPRESSED_BY_DTYPE:
        raise ValueError(f"{expressed} is not an expressed type: expected f16, bf16, f32 or f64")
    return _EXPRESSED_BY_DTYPE[dtype]


def scale_type(scale) -> FloatType:
    """One of `SCALES`, from its MLIR spelling or a dtype."""
    if isinstance(scale, FloatType):
        scale = scale.name
    if isinstance(scale, str):
        found = SCALES.get(scale)
    else:
        found = {t.dtype: t for t in SCALES.values()}.get(np.dtype(scale))
    if found is None:
        raise ValueError(f"{scale} is not a scale type: expected one of {', '.join(SCALES)}")
    return found


def expressed_or_none(dtype: np.dtype) -> FloatType | None:
    return _EXPRESSED_BY_DTYPE.get(dtype)


def is_integer(dtype: np.dtype) -> bool:
    """True for NumPy's integers and the sub-byte ones of `ml_dtypes`, not for bool."""
    if dtype.kind in "iu":
        return True
    return isinstance(_STORAGE_BY_DTYPE.get(dtype), IntegerType)


def is_float(dtype: np.dtype) -> bool:
    """True for every float of NumPy up to 64 bits and of `ml_dtypes`, scale-only ones included."""
    if dtype.kind == "f":
        return dtype.itemsize <= 8
    if dtype.kind in "biucSUOmMT" or is_integer(dtype):
        return False
    try:
        ml_dtypes.finfo(dtype)
    except ValueError:
        return False
    return True
