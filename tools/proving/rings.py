# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products of integers that wrap, in a normal form: the order of a sum does not matter."""

from __future__ import annotations

from . import bits as bv
from .terms import Term, below, signed

#: Products of leaves, and how often each occurs, modulo 2^width.
Polynomial = dict[tuple[int, ...], int]

#: Products that a normal form may have.
_MOST = 4096


class Ring:
    """One term for all that are equal as polynomials of other terms."""

    def __init__(self):
        self.found: dict[Term, Term] = {}
        self.polynomials: dict[Term, Polynomial] = {}
        self.first: dict[tuple, Term] = {}

    def normalized(self, root: Term, again) -> Term:
        """The term of first ones; `again` makes a term of other arguments."""
        for term in below([root]):
            if term in self.found:
                continue
            new = again(term, tuple(self.found[arg] for arg in term.args))
            self.found[term] = self._first(new) if isinstance(new.sort, int) else new
        return self.found[root]

    def _first(self, term: Term) -> Term:
        if term.op not in ("add", "sub", "mul", "concat", "shl"):
            return term
        polynomial = self._of(term)
        if len(polynomial) == 1 and 1 in polynomial.values():
            ((leaves, _),) = polynomial.items()
            if leaves == (term.number,):
                return term
        return self.first.setdefault((term.sort, frozenset(polynomial.items())), term)

    def _of(self, root: Term) -> Polynomial:
        for term in below([root]):
            if term not in self.polynomials and isinstance(term.sort, int):
                self.polynomials[term] = self._made(term)
        return self.polynomials[root]

    def _made(self, term: Term) -> Polynomial:
        modulus = 1 << term.sort
        args = [self.polynomials.get(arg, {}) for arg in term.args]
        if term.value is not None:
            return {(): term.value} if term.value else {}
        if term.op in ("add", "sub") and sum(map(len, args)) <= _MOST:
            sign = 1 if term.op == "add" else -1
            result = dict(args[0])
            for leaves, count in args[1].items():
                result[leaves] = result.get(leaves, 0) + sign * count
            return _reduced(result, modulus)
        if term.op == "mul" and len(args[0]) * len(args[1]) <= 64:
            result = {}
            for left, count in args[0].items():
                for right, more in args[1].items():
                    leaves = tuple(sorted(left + right))
                    result[leaves] = result.get(leaves, 0) + count * more
            return _reduced(result, modulus)
        if term.op == "shl" and term.args[1].value is not None:
            return _reduced({k: v << term.args[1].value for k, v in args[0].items()}, modulus)
        if biased := _biased(term):
            # x + 2^(n-1) as an unsigned number, of a signed one.
            return {(bv.sext(biased, term.sort).number,): 1, (): 1 << (biased.sort - 1)}
        return {(term.number,): 1}


def _reduced(polynomial: Polynomial, modulus: int) -> Polynomial:
    return {k: v % modulus for k, v in polynomial.items() if v % modulus}


def _biased(term: Term) -> Term | None:
    """x, where the term is x with its sign bit flipped, and zeros above."""
    if term.op != "concat" or len(term.args) != 2 or term.args[0].value != 0:
        return None
    low = term.args[1]
    if low.op != "xor":
        return None
    for x, mask in (low.args, low.args[::-1]):
        if mask.value is not None and signed(mask.value, low.sort) == -(1 << (low.sort - 1)):
            return x
    return None
