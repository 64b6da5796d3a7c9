# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of arith and math on numbers: signless integers are int64, floats of their own dtype."""

from __future__ import annotations

import numpy as np

from mlir_qdq.reference.types import EXPRESSED

from ..values import dtype_of
from .arithmetic import _maximum as maximum
from .arithmetic import _minimum as minimum

INTEGERS = ("i8", "i8", "i32", "i32", "i16", "i4", "i64", "i1")
ELEMENTS = (*INTEGERS, *EXPRESSED, "f32", "f32")


def bits_of(element: str) -> int:
    return 64 if element == "index" else int(element[1:])


def wrap(array, element: str) -> np.ndarray:
    unused = 64 - bits_of(element)
    return (np.asarray(array, np.int64) << unused) >> unused


def unsigned(array, element: str) -> np.ndarray:
    mask = np.uint64((1 << bits_of(element)) - 1)
    return np.asarray(array, np.int64).view(np.uint64) & mask


def numbers(array: np.ndarray, element: str) -> np.ndarray:
    """Elements of a tensor, as ops take them."""
    return array if element in EXPRESSED else wrap(array.astype(np.int64), element)


def elements(array, element: str) -> np.ndarray:
    """The opposite."""
    if element in EXPRESSED:
        return np.asarray(array).astype(EXPRESSED[element].dtype)
    return (np.asarray(array) & 1 if element == "i1" else np.asarray(array)).astype(
        dtype_of(element)
    )


def _divide(x, y):
    return x // y + ((x % y != 0) & ((x < 0) != (y < 0)))


def _signed(function):
    return lambda x, y, e: wrap(function(x, y), e)


def _unsigned(function):
    return lambda x, y, e: wrap(function(unsigned(x, e), unsigned(y, e)).view(np.int64), e)


def _ceildivui(x, y):
    return np.where(x == 0, x, (x - np.uint64(1)) // y + np.uint64(1))


INTEGER_OPS = {
    "addi": _signed(np.add), "subi": _signed(np.subtract), "muli": _signed(np.multiply),
    "andi": _signed(np.bitwise_and), "ori": _signed(np.bitwise_or), "xori": _signed(np.bitwise_xor),
    "maxsi": _signed(np.maximum), "minsi": _signed(np.minimum),
    "maxui": _unsigned(np.maximum), "minui": _unsigned(np.minimum),
}  # fmt: skip
SIGNED_DIVISIONS = {
    "divsi": _signed(_divide), "floordivsi": _signed(np.floor_divide),
    "ceildivsi": _signed(lambda x, y: x // y + (x % y != 0)), "remsi": _signed(np.fmod),
}  # fmt: skip
UNSIGNED_DIVISIONS = {
    "divui": _unsigned(np.floor_divide), "remui": _unsigned(np.remainder),
    "ceildivui": _unsigned(_ceildivui),
}  # fmt: skip
DIVISIONS = {**SIGNED_DIVISIONS, **UNSIGNED_DIVISIONS}
SHIFTS = {
    "shli": _signed(np.left_shift), "shrsi": _signed(np.right_shift), "shrui": _unsigned(np.right_shift),
}  # fmt: skip


def divides(name: str, x, y, element: str) -> np.ndarray:
    """Where a division has a result."""
    if name in UNSIGNED_DIVISIONS:
        return y != 0
    return (y != 0) & ((x != -(1 << (bits_of(element) - 1))) | (y != -1))


COMPARISONS = {"eq": np.equal, "ne": np.not_equal}
ORDERS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def _truth(array) -> np.ndarray:
    return -np.asarray(array).astype(np.int64)


INTEGER_COMPARISONS = {
    name: lambda x, y, e, f=function: _truth(f(x, y)) for name, function in COMPARISONS.items()
}
for _name, _function in ORDERS.items():
    INTEGER_COMPARISONS[f"s{_name}"] = lambda x, y, e, f=_function: _truth(f(x, y))
    INTEGER_COMPARISONS[f"u{_name}"] = lambda x, y, e, f=_function: _truth(
        f(unsigned(x, e), unsigned(y, e))
    )


def _is_nan(x, y):
    return np.isnan(x) | np.isnan(y)


FLOAT_COMPARISONS = {
    "ord": lambda x, y: _truth(~_is_nan(x, y)), "uno": lambda x, y: _truth(_is_nan(x, y)),
}  # fmt: skip
for _name, _function in {**ORDERS, **COMPARISONS}.items():
    FLOAT_COMPARISONS[f"o{_name}"] = lambda x, y, f=_function: _truth(f(x, y) & ~_is_nan(x, y))
    FLOAT_COMPARISONS[f"u{_name}"] = lambda x, y, f=_function: _truth(f(x, y) | _is_nan(x, y))


def _number(function):
    """NaN loses."""
    return lambda x, y: np.where(np.isnan(x), y, np.where(np.isnan(y), x, function(x, y)))


FLOAT_OPS = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide,
    "maximumf": maximum, "minimumf": minimum, "maxnumf": _number(maximum), "minnumf": _number(minimum),
}  # fmt: skip


def has_float_result(name: str, x, y) -> bool:
    """False if two zeros, of which either may be the maximum, meet."""
    if name not in ("maxnumf", "minnumf"):
        return True
    return not np.any((x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y)))


def _round(function):
    """Keeps the sign of zeros."""
    return lambda x: np.copysign(function(x), x).astype(x.dtype)


FLOAT_FUNCTIONS = {
    "arith.negf": np.negative, "math.absf": abs, "math.floor": _round(np.floor), "math.ceil": _round(np.ceil),
    "math.roundeven": _round(np.rint), "math.trunc": _round(np.trunc),
}  # fmt: skip


def cast(x: np.ndarray, source: str, target: str, to_unsigned=False):
    """An op from one type to another, with its result; None if there is none whose result is one.

    NumPy rounds some casts twice: those are left out. `to_unsigned` widens codes without a sign.
    """
    if source == target:
        return None
    of_float, to_float = source in EXPRESSED, target in EXPRESSED
    if of_float and to_float:
        wide, narrow = (EXPRESSED[t].dtype.itemsize for t in (target, source))
        if wide == narrow or (source, target) == ("f64", "bf16"):
            return None
        return "arith.extf" if wide > narrow else "arith.truncf", elements(x, target)
    if of_float:
        limit = 2.0 ** (bits_of(target) - 1)
        whole = np.trunc(x.astype(np.float64))
        if target == "index" or not np.all((whole >= -limit) & (whole < limit)):
            return None
        return "arith.fptosi", whole.astype(np.int64)
    if to_float:
        exact = {"f16": 11, "bf16": 16, "f32": 32, "f64": 64}
        if source == "index" or bits_of(source) > exact[target]:
            return None
        if to_unsigned and bits_of(source) < 16:
            return "arith.uitofp", elements(unsigned(x, source), target)
        return "arith.sitofp", elements(x, target)
    if "index" in (source, target):
        return "arith.index_cast", wrap(x, target)
    if bits_of(source) > bits_of(target):
        return "arith.trunci", wrap(x, target)
    if to_unsigned:
        return "arith.extui", unsigned(x, source).view(np.int64)
    return "arith.extsi", x
