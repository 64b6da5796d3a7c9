# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dequantize, step by step as docs/Semantics.md numbers it: Q3.1 to Q3.4."""

from __future__ import annotations

from collections.abc import Mapping

from .. import bits as bv
from .. import floats as fl
from ..softfloat import F32, F64, Format
from ..terms import Term
from ..types import IEEE
from .operands import Operand

#: Holds the difference of two integers of up to 32 bits.
_WIDE = 40


def compute_type(compute: str, s: Operand, expressed: str) -> Format:
    match compute:
        case "auto":
            return F64 if "f64" in (s.type, expressed) else F32
        case "expressed":
            return IEEE[expressed]
        case "wide-expressed":
            return F64 if expressed == "f64" else F32
        case "scale":
            return IEEE[s.type if s.type in IEEE else expressed]
    return IEEE[compute]


def dequantize(
    q: Operand,
    s: Operand,
    z: Operand | None,
    expressed: str,
    semantics: Mapping[str, str],
    domain: str = "stored",
) -> Term:
    """The float."""
    y = IEEE[expressed]
    c = compute_type(semantics["compute"], s, expressed)
    bias = z if domain == "expressed" else None
    d = fl.convert(_difference(q, None if bias else z, c, y, semantics["subtract"]), c)
    if bias is None:
        p = fl.mul(d, s.cast(c))
    elif semantics["fusion"] == "fma":
        p = fl.fma(d, s.cast(c), bias.cast(c))
    else:
        p = fl.add(fl.mul(d, s.cast(c)), bias.cast(c))
    return fl.convert(p, y)


def _difference(q: Operand, z: Operand | None, c: Format, y: Format, subtract: str) -> Term:
    """The code less its zero point; step 1."""
    t = y if subtract == "output" else c
    if z is None:
        return q.cast(t)
    if not (q.is_integer and z.is_integer) or subtract in ("float", "output"):
        return fl.sub(q.cast(t), z.cast(t))
    exact = bv.sub(q.exact(_WIDE), z.exact(_WIDE))
    if subtract == "wrap32":
        exact = bv.extract(exact, 0, 32)
    return fl.from_integer(exact, c, is_signed=True)
