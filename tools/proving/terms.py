# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hash-consed terms over bit vectors and floats, and their value for given symbols.

A sort is the width of a bit vector, or a `Format`. A condition is a bit vector of width 1. Two
terms that are built alike are the same object, so equality is `is`.

`evaluate` is the meaning: `bits` and `floats` simplify, `solvers` translates, and the tests hold
both against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps

from . import softfloat
from .softfloat import Format

Sort = int | Format


class Term:
    __slots__ = ("op", "args", "data", "sort", "number", "value")

    def __init__(self, op: str, args: tuple[Term, ...], data: tuple, sort: Sort):
        self.op, self.args, self.data, self.sort = op, args, data, sort
        self.number = 0
        #: Of a constant; None for other terms.
        self.value: int | None = data[0] if op == "constant" else None

    def __repr__(self) -> str:
        return text(self, 4)

    @property
    def width(self) -> int:
        """Of the first argument, a bit vector."""
        return self.args[0].sort

    @property
    def format(self) -> Format:
        """Of the last argument, a float."""
        return self.args[-1].sort


_TABLE: dict[tuple, Term] = {}
#: A table for each function.
_REMEMBERED: list[dict[tuple, Term]] = []


def forget() -> None:
    """Frees all terms but TRUE and FALSE. None of the others may be used afterwards."""
    _TABLE.clear()
    for known in _REMEMBERED:
        known.clear()
    for term in (FALSE, TRUE):
        _TABLE[term.op, term.args, term.data, term.sort] = term


def remembered(function):
    """A function of terms that computes each result once."""
    known: dict[tuple, Term] = {}
    _REMEMBERED.append(known)

    @wraps(function)
    def looked_up(*args):
        found = known.get(args)
        if found is None:
            found = known[args] = function(*args)
        return found

    return looked_up


def raw(op: str, args: tuple[Term, ...], data: tuple, sort: Sort) -> Term:
    """The term as it is, not simplified."""
    key = (op, args, data, sort)
    found = _TABLE.get(key)
    if found is None:
        found = _TABLE[key] = Term(op, args, data, sort)
        found.number = len(_TABLE)
    return found


def make(op: str, args: tuple[Term, ...], data: tuple, sort: Sort) -> Term:
    """The term, or the constant that it is."""
    for arg in args:
        if arg.value is None:
            return raw(op, args, data, sort)
    if not args or op not in MEANING:
        return raw(op, args, data, sort)
    shape = Term(op, args, data, sort)
    return raw("constant", (), (MEANING[op](shape, *(a.value for a in args)),), sort)


def constant(value: int, sort: Sort) -> Term:
    width = sort if isinstance(sort, int) else sort.width
    return raw("constant", (), (value & (1 << width) - 1,), sort)


FALSE, TRUE = constant(0, 1), constant(1, 1)


def symbol(name: str, sort: Sort) -> Term:
    """An input: any value of the sort."""
    return raw("symbol", (), (name,), sort)


def apply(name: str, args: tuple[Term, ...], sort: Sort) -> Term:
    """A function of which nothing is known but that equal arguments give equal results."""
    return raw("apply", args, (name,), sort) if args else symbol(name, sort)


# --- meaning -----------------------------------------------------------------------------


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _concat(s: Term, *values: int) -> int:
    result = 0
    for arg, value in zip(s.args, values):
        result = result << arg.sort | value
    return result


def _divide(a: int, b: int) -> int:
    """Toward zero."""
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def _udiv(s: Term, a: int, b: int) -> int:
    return a // b if b else (1 << s.width) - 1


def _sdiv(s: Term, a: int, b: int) -> int:
    x, y = signed(a, s.width), signed(b, s.width)
    return _wrap(s, _divide(x, y) if y else 1 if x < 0 else -1)


def _srem(s: Term, a: int, b: int) -> int:
    x, y = signed(a, s.width), signed(b, s.width)
    return _wrap(s, x - y * _divide(x, y) if y else x)


def _wrap(s: Term, value: int) -> int:
    return value & (1 << s.sort) - 1


def _shl(s: Term, a: int, n: int) -> int:
    return _wrap(s, a << n) if n < s.width else 0


def _compared(holds: Callable[[int], bool]):
    def meaning(s: Term, a: int, b: int) -> int:
        order = softfloat.compare(s.format, a, b)
        return int(order is not None and holds(order))

    return meaning


def _to_integer(is_signed: bool):
    def meaning(s: Term, a: int) -> int:
        value = softfloat.to_integer(s.format, s.data[0], a)
        low = -(1 << (s.sort - 1)) if is_signed else 0
        fits = value is not None and low <= value < low + (1 << s.sort)
        return _wrap(s, value) if fits else 0  # a value that nobody may look at

    return meaning


def _rounded(function):
    """An operation of softfloat on floats of one format, `data` its rounding."""
    return lambda s, *values: function(s.format, s.data[0], *values)


def _canonical(f: Format, bits: int) -> int:
    return f.nan if softfloat.is_nan(f, bits) else bits


#: The value of each operation. Missing: symbol, constant, apply.
MEANING: dict[str, Callable[..., int]] = {
    "not": lambda s, a: _wrap(s, ~a),
    "and": lambda s, a, b: a & b,
    "or": lambda s, a, b: a | b,
    "xor": lambda s, a, b: a ^ b,
    "add": lambda s, a, b: _wrap(s, a + b),
    "sub": lambda s, a, b: _wrap(s, a - b),
    "mul": lambda s, a, b: _wrap(s, a * b),
    "udiv": _udiv,
    "urem": lambda s, a, b: a % b if b else a,
    "sdiv": _sdiv,
    "srem": _srem,
    "shl": _shl,
    "lshr": lambda s, a, n: a >> n,
    "ashr": lambda s, a, n: _wrap(s, signed(a, s.width) >> n),
    "concat": _concat,
    "extract": lambda s, a: _wrap(s, a >> s.data[0]),
    "sext": lambda s, a: _wrap(s, signed(a, s.width)),
    "eq": lambda s, a, b: int(a == b),
    "ult": lambda s, a, b: int(a < b),
    "slt": lambda s, a, b: int(signed(a, s.width) < signed(b, s.width)),
    "ite": lambda s, c, a, b: a if c else b,
    "table": lambda s, i: s.data[i],
    # Floats.
    "float": lambda s, a: _canonical(s.sort, a),
    "bits": lambda s, a: a,
    "fadd": _rounded(softfloat.add),
    "fsub": _rounded(softfloat.sub),
    "fmul": _rounded(softfloat.mul),
    "fdiv": _rounded(softfloat.div),
    "fma": _rounded(softfloat.fma),
    "fsqrt": _rounded(softfloat.sqrt),
    "fneg": lambda s, a: _canonical(s.sort, a ^ s.sort.sign_bit),
    "fabs": lambda s, a: a & (s.sort.sign_bit - 1),
    "fround": _rounded(softfloat.round_to_integral),
    "fconvert": lambda s, a: softfloat.convert(s.sort, s.format, s.data[0], a),
    "from_signed": lambda s, a: softfloat.from_integer(s.sort, s.data[0], signed(a, s.width)),
    "from_unsigned": lambda s, a: softfloat.from_integer(s.sort, s.data[0], a),
    "to_signed": _to_integer(True),
    "to_unsigned": _to_integer(False),
    "feq": _compared(lambda order: order == 0),
    "flt": _compared(lambda order: order < 0),
    "fle": _compared(lambda order: order <= 0),
    "fsame": lambda s, a, b: int(a == b),
    "isnan": lambda s, a: int(softfloat.is_nan(s.format, a)),
    "isinf": lambda s, a: int(softfloat.is_infinite(s.format, a)),
}


def below(roots: list[Term]) -> Iterator[Term]:
    """All terms that the roots consist of, each once, arguments first."""
    seen: set[Term] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            yield term
        elif term not in seen:
            seen.add(term)
            stack.append((term, True))
            stack.extend((arg, False) for arg in term.args)


def evaluate(roots: list[Term], values: Mapping[Term, int]) -> list[int]:
    """Values of the roots. `values` has the symbols, and may have any other term."""
    found = evaluate_rows(roots, [values])
    return [found[root][0] for root in roots]


def evaluate_rows(roots: list[Term], rows: Sequence[Mapping[Term, int]]) -> dict[Term, list[int]]:
    """Values of all terms that the roots consist of, one for each row of values of the symbols."""
    found: dict[Term, list[int]] = {}
    for term in below(roots):
        if term in rows[0]:
            found[term] = [row[term] for row in rows]
        elif term.op == "constant":
            found[term] = [term.data[0]] * len(rows)
        else:
            meaning = _some_function if term.op == "apply" else MEANING[term.op]
            columns = (found[arg] for arg in term.args)
            found[term] = [meaning(term, *arguments) for arguments in zip(*columns)]
    return found


def _some_function(s: Term, *arguments: int) -> int:
    return hash((s.data, *arguments)) & (1 << s.sort) - 1


def text(term: Term, depth: int) -> str:
    """For people; cut below `depth`."""
    if term.op == "constant":
        width = term.sort if isinstance(term.sort, int) else term.sort.width
        return f"{term.data[0]:#x}:{width}"
    if term.op == "symbol":
        return term.data[0]
    if depth == 0:
        return f"#{term.number}"
    parts = [str(d) for d in term.data[:4]] + [text(arg, depth - 1) for arg in term.args]
    return f"{term.op}({', '.join(parts)})"
