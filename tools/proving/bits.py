# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bit vectors, simplified as they are built.

Masks and shifts by constants become `concat` and `extract`: two ways to move the same bits are
then the same term, and need no solver.
"""

from __future__ import annotations

from .terms import FALSE, TRUE, Term, constant, make, remembered, signed

#: Masks of more runs of ones than this stay masks.
_MOST_RUNS = 16


def true() -> Term:
    return TRUE


def false() -> Term:
    return FALSE


def _ordered(a: Term, b: Term) -> tuple[Term, Term]:
    """Constants first, then in the order of making: of ops that do not mind."""
    if (a.value is None) != (b.value is None):
        return (b, a) if a.value is None else (a, b)
    return (a, b) if a.number <= b.number else (b, a)


def _ones(width: int) -> int:
    return (1 << width) - 1


# --- moving bits -------------------------------------------------------------------------


@remembered
def concat(*parts: Term) -> Term:
    """The first part is the highest."""
    flat: list[Term] = []
    for part in parts:
        for piece in part.args if part.op == "concat" else (part,):
            joined = _join(flat[-1], piece) if flat else None
            if joined is None:
                flat.append(piece)
            else:
                flat[-1] = joined
    if len(flat) == 1:
        return flat[0]
    return make("concat", tuple(flat), (), sum(p.sort for p in flat))


def _join(high: Term, low: Term) -> Term | None:
    """Two neighbours as one piece."""
    if high.value is not None and low.value is not None:
        return constant(high.value << low.sort | low.value, high.sort + low.sort)
    if high.op == low.op == "extract" and high.args == low.args:
        if high.data[0] == low.data[0] + low.sort:
            return extract(high.args[0], low.data[0], high.sort + low.sort)
    return None


@remembered
def extract(a: Term, low: int, width: int) -> Term:
    """`width` bits from bit `low` on."""
    if low == 0 and width == a.sort:
        return a
    match a.op:
        case "extract":
            return extract(a.args[0], a.data[0] + low, width)
        case "concat":
            return _extract_parts(a, low, width)
        case "sext":
            inner = a.args[0]
            if low + width <= inner.sort:
                return extract(inner, low, width)
            if low < inner.sort:
                return sext(extract(inner, low, inner.sort - low), width)
            return sext(extract(inner, inner.sort - 1, 1), width)
        case "not":
            return not_(extract(a.args[0], low, width))
        case "and" | "or" | "xor":
            return _BITWISE[a.op](*(extract(arg, low, width) for arg in a.args))
        case "ite":
            c, x, y = a.args
            if x.value is not None or y.value is not None or x.op == "concat" or y.op == "concat":
                return ite(c, extract(x, low, width), extract(y, low, width))
        case "add" | "sub" | "mul" if low == 0:
            return _ARITHMETIC[a.op](*(extract(arg, 0, width) for arg in a.args))
        case "table":
            entries = tuple(entry >> low & _ones(width) for entry in a.data)
            return table(a.args[0], entries, width)
    return make("extract", (a,), (low,), width)


def _extract_parts(a: Term, low: int, width: int) -> Term:
    parts, end = [], a.sort
    for part in a.args:
        start = end - part.sort
        first, last = max(low, start), min(low + width, end)
        if first < last:
            parts.append(extract(part, first - start, last - first))
        end = start
    return concat(*parts)


def zext(a: Term, width: int) -> Term:
    return a if width == a.sort else concat(constant(0, width - a.sort), a)


@remembered
def sext(a: Term, width: int) -> Term:
    if width == a.sort:
        return a
    if a.op == "sext":
        return sext(a.args[0], width)
    if a.op == "concat" and a.args[0].value is not None and not sign(a).value:
        return zext(a, width)
    return make("sext", (a,), (), width)


@remembered
def resize(a: Term, width: int, is_signed: bool) -> Term:
    if width <= a.sort:
        return extract(a, 0, width)
    return sext(a, width) if is_signed else zext(a, width)


def sign(a: Term) -> Term:
    return extract(a, a.sort - 1, 1)


def table(index: Term, entries: tuple[int, ...], width: int) -> Term:
    """The entry number `index`, of as many as the index has values."""
    assert len(entries) == 1 << index.sort
    if len(set(entries)) == 1:
        return constant(entries[0], width)
    return make("table", (index,), entries, width)


# --- bitwise -----------------------------------------------------------------------------


@remembered
def not_(a: Term) -> Term:
    match a.op:
        case "not":
            return a.args[0]
        case "concat":
            return concat(*map(not_, a.args))
        case "ite":
            c, x, y = a.args
            if x.value is not None or y.value is not None:
                return ite(c, not_(x), not_(y))
    return make("not", (a,), (), a.sort)


def _by_parts(operation, a: Term, b: Term) -> Term | None:
    """The operation on each of the parts in which one of them is a constant or not alike."""
    if "concat" not in (a.op, b.op):
        return None
    cuts = {0}
    for x in (a, b):
        end = 0
        for part in reversed(x.args if x.op == "concat" else (x,)):
            end += part.sort
            cuts.add(end)
    order = sorted(cuts)
    pieces = [
        (extract(a, low, high - low), extract(b, low, high - low))
        for low, high in zip(order, order[1:])
    ]
    if not any(x.value is not None or y.value is not None or x is y for x, y in pieces):
        return None
    return concat(*(operation(x, y) for x, y in reversed(pieces)))


def _mask_parts(mask: int, width: int) -> list[tuple[int, int, int]]:
    """Runs of equal bits, lowest first: (bit, low, length)."""
    runs, low = [], 0
    while low < width:
        bit = mask >> low & 1
        end = low
        while end < width and mask >> end & 1 == bit:
            end += 1
        runs.append((bit, low, end - low))
        low = end
    return runs


def _split_at(mask: Term, a: Term, operation) -> Term | None:
    """The operation with a constant, run by run of its bits."""
    runs = _mask_parts(mask.value, a.sort)
    if len(runs) == 1 or len(runs) > _MOST_RUNS:
        return None
    parts = [
        operation(constant(-bit, length), extract(a, low, length)) for bit, low, length in runs
    ]
    return concat(*reversed(parts))


def and_(*operands: Term) -> Term:
    return _fold(_and, operands)


def or_(*operands: Term) -> Term:
    return _fold(_or, operands)


def _fold(operation, operands) -> Term:
    result = operands[0]
    for operand in operands[1:]:
        result = operation(result, operand)
    return result


@remembered
def _and(a: Term, b: Term) -> Term:
    a, b = _ordered(a, b)
    if a is b or a.value == _ones(a.sort):
        return b
    if a.value == 0:
        return a
    if _opposite(a, b):
        return constant(0, a.sort)
    if a.value is not None and (found := _split_at(a, b, _and)) is not None:
        return found
    if (found := _by_parts(_and, a, b)) is not None:
        return found
    return make("and", (a, b), (), a.sort)


@remembered
def _or(a: Term, b: Term) -> Term:
    a, b = _ordered(a, b)
    if a is b or a.value == 0:
        return b
    if a.value == _ones(a.sort):
        return a
    if _opposite(a, b):
        return constant(-1, a.sort)
    if a.value is not None and (found := _split_at(a, b, _or)) is not None:
        return found
    if (found := _by_parts(_or, a, b)) is not None:
        return found
    return make("or", (a, b), (), a.sort)


@remembered
def xor(a: Term, b: Term) -> Term:
    a, b = _ordered(a, b)
    if a is b:
        return constant(0, a.sort)
    if a.value == 0:
        return b
    if a.value == _ones(a.sort):
        return not_(b)
    if a.value is not None and (found := _split_at(a, b, xor)) is not None:
        return found
    if (found := _by_parts(xor, a, b)) is not None:
        return found
    return make("xor", (a, b), (), a.sort)


def _opposite(a: Term, b: Term) -> bool:
    return a.op == "not" and a.args[0] is b or b.op == "not" and b.args[0] is a


# --- choice and comparison ---------------------------------------------------------------


@remembered
def ite(c: Term, a: Term, b: Term) -> Term:
    if c.value is not None:
        return a if c.value else b
    if a is b:
        return a
    if c.op == "not":
        return ite(c.args[0], b, a)
    if a.op == "ite" and a.args[0] is c:
        return ite(c, a.args[1], b)
    if b.op == "ite" and b.args[0] is c:
        return ite(c, a, b.args[2])
    if a.sort == 1:
        if a.value is not None:
            return or_(c, b) if a.value else and_(not_(c), b)
        if b.value is not None:
            return or_(not_(c), a) if b.value else and_(c, a)
    return make("ite", (c, a, b), (), a.sort)


@remembered
def eq(a: Term, b: Term) -> Term:
    assert a.sort == b.sort, (a, b)
    a, b = _ordered(a, b)
    if a is b:
        return true()
    if a.sort == 1:
        return not_(xor(a, b))
    if a.value is not None:
        if b.op == "concat":
            low, equal = b.sort, []
            for part in b.args:
                low -= part.sort
                equal.append(eq(extract(a, low, part.sort), part))
            return and_(*equal)
        if b.op == "ite" and (b.args[1].value is not None or b.args[2].value is not None):
            return ite(b.args[0], eq(a, b.args[1]), eq(a, b.args[2]))
        if b.op == "not":
            return eq(not_(a), b.args[0])
    narrow = _narrowed(a, b)
    return make("eq", (a, b), (), 1) if narrow is None else eq(*narrow)


def _narrowed(a: Term, b: Term) -> tuple[Term, Term] | None:
    """The same two numbers, signed, in the fewest bits that hold both."""
    x, y = _source(a), _source(b)
    if x is None or y is None:
        return None
    width = max(t.sort + (not own) for t, own in (x, y))
    if width >= a.sort:
        return None
    return resize(x[0], width, x[1]), resize(y[0], width, y[1])


def ne(a: Term, b: Term) -> Term:
    return not_(eq(a, b))


@remembered
def ult(a: Term, b: Term) -> Term:
    if a is b or b.value == 0 or a.value == _ones(a.sort):
        return false()
    if b.value == 1:
        return eq(a, constant(0, a.sort))
    # Leading zeros on both sides say nothing.
    zeros = min(_leading_zeros(a), _leading_zeros(b))
    if zeros and zeros < a.sort:
        width = a.sort - zeros
        return ult(extract(a, 0, width), extract(b, 0, width))
    if a.value is not None and b.value is None and _leading_zeros(b):
        if a.value >= _ones(b.sort - _leading_zeros(b)):
            return false()
    if b.value is not None and a.value is None and _leading_zeros(a):
        if b.value > _ones(a.sort - _leading_zeros(a)):
            return true()
    return make("ult", (a, b), (), 1)


def ule(a: Term, b: Term) -> Term:
    return not_(ult(b, a))


def _leading_zeros(a: Term) -> int:
    if a.value is not None:
        return a.sort - a.value.bit_length()
    if a.op == "concat" and a.args[0].value == 0:
        return a.args[0].sort
    return 0


@remembered
def slt(a: Term, b: Term) -> Term:
    if a is b:
        return false()
    if b.value == 0:
        return sign(a)
    if sign(a).value == 0 and sign(b).value == 0:
        return ult(a, b)
    narrow = _narrowed(a, b)
    return make("slt", (a, b), (), 1) if narrow is None else slt(*narrow)


def sle(a: Term, b: Term) -> Term:
    return not_(slt(b, a))


def less(a: Term, b: Term, is_signed: bool) -> Term:
    return slt(a, b) if is_signed else ult(a, b)


def min_(a: Term, b: Term, is_signed: bool) -> Term:
    return ite(less(a, b, is_signed), a, b)


def max_(a: Term, b: Term, is_signed: bool) -> Term:
    return ite(less(a, b, is_signed), b, a)


# --- arithmetic --------------------------------------------------------------------------


@remembered
def add(a: Term, b: Term) -> Term:
    a, b = _ordered(a, b)
    if a.value == 0:
        return b
    if a.value is not None and b.op == "add" and b.args[0].value is not None:
        return add(add(a, b.args[0]), b.args[1])
    exact = _exact_sum("add", a, b)
    return make("add", (a, b), (), a.sort) if exact is None else exact


@remembered
def sub(a: Term, b: Term) -> Term:
    if a is b:
        return constant(0, a.sort)
    if b.value is not None:
        return add(a, constant(-b.value, a.sort))
    exact = _exact_sum("sub", a, b)
    return make("sub", (a, b), (), a.sort) if exact is None else exact


def neg(a: Term) -> Term:
    return sub(constant(0, a.sort), a)


@remembered
def mul(a: Term, b: Term) -> Term:
    a, b = _ordered(a, b)
    if a.value is not None:
        if a.value == 0:
            return a
        if a.value & (a.value - 1) == 0:
            return shl(b, constant(a.value.bit_length() - 1, a.sort))
    exact = _exact_product(a, b)
    return make("mul", (a, b), (), a.sort) if exact is None else exact


def _source(a: Term) -> tuple[Term, bool] | None:
    """The extended term, and whether by its sign."""
    if a.value is not None:
        width = max(signed(a.value, a.sort).bit_length() + 1, 1)
        return (extract(a, 0, width), True) if width < a.sort else None
    if a.op == "sext":
        return a.args[0], True
    if zeros := _leading_zeros(a):
        return (extract(a, 0, a.sort - zeros), False) if zeros < a.sort else None
    return None


def _exact_sum(op: str, a: Term, b: Term) -> Term | None:
    """A sum or difference that fits, in the fewest bits that hold it, extended: one term for all widths."""
    x, y = _source(a), _source(b)
    if x is None or y is None:
        return None
    (p, p_signed), (q, q_signed) = x, y
    is_signed = op == "sub" or p_signed or q_signed
    width = 1 + max(t.sort + (is_signed and not own) for t, own in (x, y))
    if width >= a.sort:
        return None
    operands = resize(p, width, p_signed), resize(q, width, q_signed)
    if op == "add":
        operands = _ordered(*operands)
    return resize(make(op, operands, (), width), a.sort, is_signed)


def _exact_product(a: Term, b: Term) -> Term | None:
    """A product that fits, in the fewest bits that hold it, extended: one term for all widths."""
    x, y = _source(a), _source(b)
    if x is None or y is None or a.value is not None or b.value is not None:
        return None
    (p, p_signed), (q, q_signed) = x, y
    width, is_signed = p.sort + q.sort, p_signed or q_signed
    if width >= a.sort:
        return None
    factors = _ordered(resize(p, width, p_signed), resize(q, width, q_signed))
    return resize(make("mul", factors, (), width), a.sort, is_signed)


def shl(a: Term, n: Term) -> Term:
    if n.value is not None:
        kept = a.sort - n.value
        if kept <= 0:
            return constant(0, a.sort)
        return a if n.value == 0 else concat(extract(a, 0, kept), constant(0, n.value))
    return make("shl", (a, n), (), a.sort)


def lshr(a: Term, n: Term) -> Term:
    if n.value is not None:
        kept = a.sort - n.value
        return constant(0, a.sort) if kept <= 0 else zext(extract(a, n.value, kept), a.sort)
    return make("lshr", (a, n), (), a.sort)


def ashr(a: Term, n: Term) -> Term:
    if n.value is not None:
        low = min(n.value, a.sort - 1)
        return sext(extract(a, low, a.sort - low), a.sort)
    return make("ashr", (a, n), (), a.sort)


def udiv(a: Term, b: Term) -> Term:
    if b.value and b.value & (b.value - 1) == 0:
        return lshr(a, constant(b.value.bit_length() - 1, a.sort))
    return make("udiv", (a, b), (), a.sort)


def urem(a: Term, b: Term) -> Term:
    if b.value and b.value & (b.value - 1) == 0:
        return _and(constant(b.value - 1, a.sort), a)
    return make("urem", (a, b), (), a.sort)


def sdiv(a: Term, b: Term) -> Term:
    return a if b.value == 1 else make("sdiv", (a, b), (), a.sort)


def srem(a: Term, b: Term) -> Term:
    return make("srem", (a, b), (), a.sort)


_BITWISE = {"and": _and, "or": _or, "xor": xor}
_ARITHMETIC = {"add": add, "sub": sub, "mul": mul}
