# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats: a value is its bits, and operations of the theory of floats stand between.

`to_float` and `to_bits` go from one to the other; the theory has one NaN, so the bits of a computed
NaN are those of some NaN. Only bf16 to f32 is a move of bits, of a NaN too: LLVM makes a shift of it
on every processor.
"""

from __future__ import annotations

import struct

from . import bits as bv
from . import softfloat
from .softfloat import BF16, F32, Format
from .terms import Term, constant, make, raw, remembered


@remembered
def to_float(a: Term, f: Format) -> Term:
    """The float with these bits."""
    match a.op:
        case "bits":
            return a.args[0]
        case "ite":
            c, x, y = a.args
            return bv.ite(c, to_float(x, f), to_float(y, f))
        case "concat" if f == F32 and bv.extract(a, 0, 16).value == 0:
            return convert(to_float(bv.extract(a, 16, 16), BF16), F32)
        case "concat":
            return _with_other_sign(a, f)
    return make("float", (a,), (), f)


def _with_other_sign(a: Term, f: Format) -> Term:
    """Magnitude and negation, where the bits say so."""
    high, low = a.args[0], bv.extract(a, 0, f.width - 1)
    if low.op == "extract" and low.data[0] == 0 and low.args[0].sort == f.width:
        whole = low.args[0]
        if high.sort == 1 and high.value == 0:
            return make("fabs", (to_float(whole, f),), (), f)
        if high.sort == 1 and high is bv.not_(bv.sign(whole)):
            return make("fneg", (to_float(whole, f),), (), f)
    return make("float", (a,), (), f)


@remembered
def to_bits(a: Term) -> Term:
    """The bits of a float; of a NaN, those of some NaN."""
    if a.op == "constant" and not softfloat.is_nan(a.sort, a.value):
        return constant(a.value, a.sort.width)
    if a.op == "ite":
        c, x, y = a.args
        return bv.ite(c, to_bits(x), to_bits(y))
    if a.op in ("fabs", "fneg"):
        inner = to_bits(a.args[0])
        sign = constant(0, 1) if a.op == "fabs" else bv.not_(bv.sign(inner))
        return bv.concat(sign, bv.extract(inner, 0, a.sort.width - 1))
    if a.op == "fconvert" and (a.args[0].sort, a.sort) == (BF16, F32):
        narrow = a.args[0]
        bits = narrow.args[0] if narrow.op == "float" else to_bits(narrow)
        return bv.concat(bits, constant(0, 16))
    # Not `make`: the bits of a constant NaN are not known either.
    return raw("bits", (a,), (), a.sort.width)


def number(value: float, f: Format) -> Term:
    """A constant, rounded to the format."""
    double = int.from_bytes(struct.pack(">d", value), "big")
    return constant(softfloat.convert(f, softfloat.F64, "RNE", double), f)


def _binary(op: str, a: Term, b: Term, mode: str, commutes: bool) -> Term:
    if commutes and a.number > b.number:
        a, b = b, a
    return make(op, (a, b), (mode,), a.sort)


def _integer(a: Term) -> Term | None:
    """The signed integer of which the float is made."""
    if a.op == "from_signed":
        return a.args[0]
    if a.op == "from_unsigned":
        return bv.zext(a.args[0], a.args[0].sort + 1)
    if a.op == "constant" and a.value != a.sort.sign_bit:
        whole = softfloat.to_integer(a.sort, "RTZ", a.value)
        if whole is not None and softfloat.from_integer(a.sort, "RNE", whole) == a.value:
            return constant(whole, whole.bit_length() + 1)
    return None


def _integer_sum(operation, a: Term, b: Term) -> Term | None:
    """A sum of integers that no rounding changes, or nothing. Equal ones differ by +0, as in integers."""
    if "constant" in (a.op, b.op) and not {"from_signed", "from_unsigned"} & {a.op, b.op}:
        return None
    x, y = _integer(a), _integer(b)
    if x is None or y is None:
        return None
    width = max(x.sort, y.sort) + 1
    if width - 1 > a.sort.significand:
        return None
    return from_integer(operation(bv.sext(x, width), bv.sext(y, width)), a.sort, True)


def add(a: Term, b: Term, mode: str = "RNE") -> Term:
    if mode == "RNE":
        for zero, other in ((a, b), (b, a)):
            if zero.value == zero.sort.sign_bit:
                return other  # -0 changes nothing, not even +0
        if (found := _integer_sum(bv.add, a, b)) is not None:
            return found
    return _binary("fadd", a, b, mode, True)


def sub(a: Term, b: Term, mode: str = "RNE") -> Term:
    if mode == "RNE" and (found := _integer_sum(bv.sub, a, b)) is not None:
        return found
    return _binary("fsub", a, b, mode, False)


def mul(a: Term, b: Term, mode: str = "RNE") -> Term:
    return _binary("fmul", a, b, mode, True)


def div(a: Term, b: Term, mode: str = "RNE") -> Term:
    return _binary("fdiv", a, b, mode, False)


def fma(a: Term, b: Term, c: Term, mode: str = "RNE") -> Term:
    if a.number > b.number:
        a, b = b, a
    return make("fma", (a, b, c), (mode,), a.sort)


def sqrt(a: Term) -> Term:
    return make("fsqrt", (a,), ("RNE",), a.sort)


def absolute(a: Term) -> Term:
    return a if a.op == "fabs" else make("fabs", (a,), (), a.sort)


def negate(a: Term) -> Term:
    return a.args[0] if a.op == "fneg" else make("fneg", (a,), (), a.sort)


def round_to_integral(a: Term, mode: str) -> Term:
    return make("fround", (a,), (mode,), a.sort)


def _holds(wide: Format, narrow: Format) -> bool:
    """Every value of the narrow format is one of the wide."""
    return wide.exponent >= narrow.exponent and wide.significand >= narrow.significand


@remembered
def convert(a: Term, f: Format, mode: str = "RNE") -> Term:
    if a.sort == f:
        return a
    if a.op == "fconvert" and _holds(a.sort, a.args[0].sort):
        return convert(a.args[0], f, mode)  # the first one was exact
    if a.op == "ite":
        c, x, y = a.args
        return bv.ite(c, convert(x, f, mode), convert(y, f, mode))
    if _holds(f, a.sort):
        mode = "RNE"
    return make("fconvert", (a,), (mode,), f)


def from_integer(a: Term, f: Format, is_signed: bool, mode: str = "RNE") -> Term:
    # As few bits as say the same, so that the width is no difference.
    if a.op == "sext" and is_signed:
        return from_integer(a.args[0], f, True, mode)
    zeros = a.args[0].sort if a.op == "concat" and a.args[0].value == 0 else 0
    if zeros > 0 and zeros < a.sort:
        return from_integer(bv.extract(a, 0, a.sort - zeros), f, False, mode)
    return make("from_signed" if is_signed else "from_unsigned", (a,), (mode,), f)


def to_integer(a: Term, width: int, is_signed: bool, mode: str) -> Term:
    """Of a value that does not fit, some integer."""
    return make("to_signed" if is_signed else "to_unsigned", (a,), (mode,), width)


def fits(a: Term, width: int, is_signed: bool) -> Term:
    """True if the value, cut to an integer, has `width` bits."""
    f = a.sort
    whole = round_to_integral(a, "RTZ")
    low = -(1 << (width - 1)) if is_signed else 0
    # The bounds are powers of two: a value of the format, or beyond all of them.
    least = constant(softfloat.from_integer(f, "RNE", low), f)
    end = constant(softfloat.from_integer(f, "RNE", low + (1 << width)), f)
    inside = bv.and_(less_equal(least, whole), less(whole, end))
    return bv.and_(inside, bv.not_(is_infinite(a)))


def equal(a: Term, b: Term) -> Term:
    if a is b:
        return bv.not_(is_nan(a))
    if a.number > b.number:
        a, b = b, a
    return make("feq", (a, b), (), 1)


def less(a: Term, b: Term) -> Term:
    return bv.false() if a is b else make("flt", (a, b), (), 1)


def less_equal(a: Term, b: Term) -> Term:
    return bv.not_(is_nan(a)) if a is b else make("fle", (a, b), (), 1)


def same(a: Term, b: Term) -> Term:
    """Equal in every bit, or both NaN."""
    if a is b:
        return bv.true()
    if a.number > b.number:
        a, b = b, a
    return make("fsame", (a, b), (), 1)


def is_nan(a: Term) -> Term:
    if a.op == "fconvert" or a.op in ("fabs", "fneg", "fround"):
        return is_nan(a.args[0])
    if a.op in ("from_signed", "from_unsigned"):
        return bv.false()
    return make("isnan", (a,), (), 1)


def is_infinite(a: Term) -> Term:
    if a.op in ("fabs", "fneg", "fround"):
        return is_infinite(a.args[0])
    if a.op == "fconvert" and _holds(a.sort, a.args[0].sort):
        return is_infinite(a.args[0])
    return make("isinf", (a,), (), 1)
