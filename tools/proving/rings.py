# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, products and extremes of integers in a normal form: neither their order nor their width matters.

A polynomial has terms as leaves, each for the signed number that it is. It is known modulo 2^width;
where its bounds fit into the width, it is the number itself, and may be extended.
"""

from __future__ import annotations

from . import bits as bv
from . import floats as fl
from .terms import Term, below, signed

#: Products of leaves, and how often each occurs.
Polynomial = dict[tuple[int, ...], int]

#: Products that a normal form may have.
_MOST = 4096
#: Parts of a set.
_MOST_JOINED = 512


class Ring:
    """One term for all that are equal as polynomials of other terms."""

    def __init__(self):
        self.found: dict[Term, Term] = {}
        self.polynomials: dict[Term, Polynomial] = {}
        self.first: dict[tuple, Term] = {}
        self.leaves: dict[int, Term] = {}
        #: Of terms that join a set of others: how, and which.
        self.sets: dict[Term, tuple[str, frozenset[Term]]] = {}

    def normalized(self, root: Term, again) -> Term:
        """The term of first ones; `again` makes a term of other arguments."""
        for term in below([root]):
            if term in self.found:
                continue
            new = again(term, tuple(self.found[arg] for arg in term.args))
            self.found[term] = self._compared(new) or self._first(_factored(new))
        return self.found[root]

    def _compared(self, term: Term) -> Term | None:
        """Of a comparison that the ranges of both sides decide."""
        if term.op != "slt":
            return None
        (low, high), (other_low, other_high) = map(self._range, term.args)
        return bv.true() if high < other_low else bv.false() if low >= other_high else None

    def _first(self, term: Term) -> Term:
        if (key := self._float_key(term) or self._set_key(term)) is not None:
            return self.first.setdefault(key, term)
        if not isinstance(term.sort, int):
            return term
        polynomial = self._of(term)
        return self.first.setdefault((term.sort, frozenset(polynomial.items())), term)

    def _float_key(self, term: Term) -> tuple | None:
        """Of the float of an integer: its number."""
        if term.op != "from_signed":
            return None
        self._of(term.args[0])
        return (term.op, term.sort, term.data, frozenset(self._number(term.args[0]).items()))

    def _set_key(self, term: Term) -> tuple | None:
        """Of the least or the greatest of integers, of `and` and `or`: the set that they join."""
        kind, parts = _joined_parts(term)
        if not kind:
            return None
        known = [self.sets.get(part, ("", frozenset())) for part in parts]
        sets = [s if of == kind else frozenset([part]) for part, (of, s) in zip(parts, known)]
        if sum(map(len, sets)) > _MOST_JOINED:
            return None
        joined = frozenset().union(*sets)
        self.sets[term] = (kind, joined)
        return (kind, term.sort, joined)

    def _of(self, root: Term) -> Polynomial:
        for term in below([root]):
            if term not in self.polynomials and isinstance(term.sort, int):
                self.polynomials[term] = _reduced(self._made(term), term.sort)
        return self.polynomials[root]

    def _made(self, term: Term) -> Polynomial:
        args = [self.polynomials.get(arg, {}) for arg in term.args]
        match term.op:
            case "constant":
                return {(): term.value}
            case "add" if sum(map(len, args)) <= _MOST:
                return _sum(args[0], args[1], 1)
            case "sub" if sum(map(len, args)) <= _MOST:
                return _sum(args[0], args[1], -1)
            case "mul" if len(args[0]) * len(args[1]) <= 64:
                return _product(*args)
            case "shl" if term.args[1].value is not None:
                return {k: v << term.args[1].value for k, v in args[0].items()}
            case "extract" if term.data[0] == 0:
                return args[0]
            case "sext":
                flipped = _with_sign_flipped(term.args[0])
                if flipped is not None:  # Less 2^(n-1), unsigned bits are signed ones.
                    bits = bv.zext(flipped, flipped.sort + 1)
                    return _sum(self._leaf(bits), {(): 1 << (flipped.sort - 1)}, -1)
                return self._number(term.args[0])
            case "concat":
                return self._joined(term)
        return self._leaf(term)

    def _joined(self, term: Term) -> Polynomial:
        *high, low = term.args
        if len(high) == 1 and low.value == 0:
            return {k: v << low.sort for k, v in self.polynomials[high[0]].items()}
        # The sign bit flipped, and zeros above: x + 2^(n-1).
        if high[0].value == 0:
            high = high[1:]
        if len(high) == 1 and (flipped := _with_sign_flipped(bv.concat(*high, low))) is not None:
            return _sum(self._number(flipped), {(): 1 << low.sort}, 1)
        return self._extended(term)

    def _extended(self, term: Term) -> Polynomial:
        """Bits between zeros: their number, whatever the width, times a power of two."""
        high, *inner = term.args
        if high.value != 0:
            return self._leaf(term)
        shift = inner[-1].sort if inner[-1].value == 0 else 0
        bits = bv.extract(term, shift, term.sort - high.sort - shift)
        polynomial = self._of(bits)
        low, most = self._ends(polynomial)
        if low < 0 or most >> bits.sort:
            polynomial = self._leaf(bv.zext(bits, bits.sort + 1))
        return {k: v << shift for k, v in polynomial.items()}

    def _number(self, term: Term) -> Polynomial:
        """The signed number that the term is, not only modulo 2^width."""
        polynomial = self.polynomials[term]
        low, high = self._ends(polynomial)
        if term.op == "mul" and len(polynomial) > 1:
            # The terms of a product of sums have wider bounds, each by itself.
            low, high = _ends_of_product(*(self._ends(self.polynomials[a]) for a in term.args))
        half = 1 << (term.sort - 1)
        return polynomial if -half <= low and high < half else self._leaf(term)

    def _range(self, term: Term) -> tuple[int, int]:
        """The least and the greatest signed number that the term may be."""
        self._of(term)
        return self._ends(self._number(term))

    def _ends(self, polynomial: Polynomial) -> tuple[int, int]:
        low = high = 0
        for leaves, count in polynomial.items():
            ends = count, count
            for leaf in leaves:
                ends = _ends_of_product(ends, _bounds(self.leaves[leaf]))
            low, high = low + ends[0], high + ends[1]
        return low, high

    def _leaf(self, term: Term) -> Polynomial:
        self.leaves[term.number] = term
        return {(term.number,): 1}


def _with_sign_flipped(term: Term) -> Term | None:
    """The bits of which the term has the first one inverted, and the others."""
    if term.op != "concat" or len(term.args) != 2:
        return None
    high, low = term.args
    if high.op != "not" or low.op != "extract":
        return None
    top, x = high.args[0], low.args[0]
    is_top = top.op == "extract" and top.args[0] is x and top.data[0] == x.sort - 1
    return x if is_top and low.data[0] == 0 and low.sort == x.sort - 1 else None


def _ends_of_product(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _factored(term: Term) -> Term:
    """A choice of two float products that share a factor as one product."""
    if term.op != "ite" or not term.args[1].op == term.args[2].op == "fmul":
        return term
    condition, a, b = term.args
    factor = next((arg for arg in a.args if arg in b.args), None)
    if factor is None or a.data != b.data:
        return term
    rests = (p.args[1] if p.args[0] is factor else p.args[0] for p in (a, b))
    return fl.mul(factor, bv.ite(condition, *rests), *a.data)


def _joined_parts(term: Term) -> tuple[str, tuple[Term, ...]]:
    """How the term joins parts, whose order and repetition do not matter; "" if it does not."""
    if term.op in ("and", "or"):
        return term.op, term.args
    if term.op == "ite" and term.args[0].op in ("ult", "slt"):
        order, *picked = term.args
        if set(picked) == set(order.args):
            return f"{order.op} {picked[0] is order.args[0]}", tuple(picked)
    return "", ()


def _bounds(leaf: Term) -> tuple[int, int]:
    if leaf.op == "concat" and leaf.args[0].value == 0:
        return 0, (1 << (leaf.sort - leaf.args[0].sort)) - 1
    return -(1 << (leaf.sort - 1)), (1 << (leaf.sort - 1)) - 1


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    result = dict(a)
    for leaves, count in b.items():
        result[leaves] = result.get(leaves, 0) + sign * count
    return result


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for left, count in a.items():
        for right, more in b.items():
            leaves = tuple(sorted(left + right))
            result[leaves] = result.get(leaves, 0) + count * more
    return result


def _reduced(polynomial: Polynomial, width: int) -> Polynomial:
    modulus = 1 << width
    reduced = {k: signed(v % modulus, width) for k, v in polynomial.items()}
    return {k: v for k, v in reduced.items() if v}
