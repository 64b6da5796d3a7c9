# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one code in a normal form: their values for all codes, whatever computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .rebuilding import substitute, substitute_all
from .terms import Term, below, constant, evaluate_rows, symbol

#: Bits of a code at most.
_WIDEST = 8
#: Comparisons of a code with numbers that make a look-up.
_FEWEST_COMPARISONS = 4
#: Of all cases together.
_MOST_TERMS = 200_000
#: What has no value of its own: the bits of a NaN, and a function of which nothing is known.
_UNKNOWN = {"bits", "apply"}


def tabulated(root: Term) -> Term:
    """The root with one term for all that are the same function of a code."""
    functions: dict[Term, list[Term]] = {}
    for term, code in _codes([root]).items():
        if code is not None and term is not code and term.args:
            functions.setdefault(code, []).append(term)
    known: dict[tuple, Term] = {}
    same: dict[Term, Term] = {}
    for code, terms in functions.items():
        index = symbol("a code", code.sort)
        rows = [{index: value} for value in range(1 << code.sort)]
        of_index = substitute_all(terms, {code: index})
        values = evaluate_rows(of_index, rows)
        for term, alike in zip(terms, of_index):
            first = known.setdefault((term.sort, code, *values[alike]), term)
            if isinstance(term.sort, int) and len(set(values[alike])) == 1:
                first = constant(values[alike][0], term.sort)
            if first is not term:
                same[term] = first
    return substitute(root, same) if same else root


def cases(root: Term) -> Iterator[Term]:
    """The root for each value of the code that it compares the most; none if it hardly compares one."""
    all_terms = list(below([root]))
    compared = Counter(
        term.args[1]
        for term in all_terms
        if term.op == "eq" and term.args[0].value is not None and term.width <= _WIDEST
    )
    code, count = next(iter(compared.most_common(1)), (None, 0))
    if count >= _FEWEST_COMPARISONS and len(all_terms) << code.sort <= _MOST_TERMS:
        for value in range(1 << code.sort):
            yield substitute(root, {code: constant(value, code.sort)})


def _codes(roots: list[Term]) -> dict[Term, Term | None]:
    """The only code that each term depends on; None for others. Constants are left out."""
    found: dict[Term, Term | None] = {}
    for term in below(roots):
        if term.op == "constant":
            continue
        is_narrow = isinstance(term.sort, int) and term.sort <= _WIDEST
        codes = {found[arg] for arg in term.args if arg in found}
        if term.op == "symbol" or term.op == "extract" and codes == {None}:
            found[term] = term if is_narrow else None
        elif len(codes) == 1 and term.op not in _UNKNOWN:
            found[term] = codes.pop()
        else:
            found[term] = None
    return found
