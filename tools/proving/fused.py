# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lemma that no solver here decides: fma in f16 and bf16 is f64 arithmetic that rounds to odd.

The product is exact in f64, and so is the error of the sum, by Knuth's two-sum. A sum that is rounded to
odd with two spare bits rounds to the nearest narrow float as the exact one does (S. Boldo, G. Melquiond,
Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE Transactions
on Computers 57(4), 2008). test_prove_terms.py compares both sides with exact integers.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import bits as bv
from . import floats as fl
from .softfloat import BF16, F16, F32, F64, Format
from .terms import Term, below, constant


def by_odd_rounding(a: Term, b: Term, c: Term) -> Term:
    """fma(a, b, c), as the emitter spells it."""
    product = fl.mul(fl.convert(a, F64), fl.convert(b, F64))
    addend = fl.convert(c, F64)
    total = fl.add(product, addend)
    addend_part = fl.sub(total, product)
    product_part = fl.sub(total, addend_part)
    error = fl.add(fl.sub(product, product_part), fl.sub(addend, addend_part))
    zero = fl.number(0, F64)
    inexact = _differ(error, zero)
    away = bv.and_(inexact, bv.xor(fl.less(error, zero), fl.less(total, zero)))
    wide = _to_odd(total, inexact, away)
    nearest = fl.convert(wide, F32)
    back = fl.convert(nearest, F64)
    away = bv.ite(fl.less(wide, zero), fl.less(back, wide), fl.less(wide, back))
    return fl.convert(_to_odd(nearest, _differ(back, wide), away), a.sort)


def _differ(a: Term, b: Term) -> Term:
    """False for a NaN."""
    return bv.or_(fl.less(a, b), fl.less(b, a))


def _to_odd(nearest: Term, inexact: Term, away: Term) -> Term:
    """The value cut off, and odd where it is inexact, from that rounded to nearest."""
    f: Format = nearest.sort
    bits, one = fl.to_bits(nearest), constant(1, f.width)
    cut = bv.ite(away, bv.sub(bits, one), bits)
    return fl.to_float(bv.ite(inexact, bv.or_(cut, one), cut), f)


def narrow_fmas(roots: Iterable[Term]) -> dict[Term, Term]:
    """Each fma in f16 or bf16 below the roots, and what it equals."""
    return {
        term: by_odd_rounding(*term.args)
        for term in below(list(roots))
        if term.op == "fma" and term.sort in (F16, BF16)
    }
