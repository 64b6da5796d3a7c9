# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms made anew of other arguments."""

from __future__ import annotations

from collections.abc import Mapping

from . import bits as bv
from . import floats as fl
from .terms import Term, below, make, raw, symbol


def substitute(root: Term, values: Mapping[Term, Term]) -> Term:
    """The root with these terms replaced."""
    return substitute_all([root], values)[0]


def substitute_all(roots: list[Term], values: Mapping[Term, Term]) -> list[Term]:
    found: dict[Term, Term] = {}
    for term in below(roots):
        found[term] = values.get(term) or again(term, tuple(found[arg] for arg in term.args))
    return [found[root] for root in roots]


def cut_out(root: Term, cut: set[Term]) -> Term:
    """The root with each of these terms a symbol of its own."""
    found: dict[Term, Term] = {}
    for term in below([root]):
        if term in cut:
            name = f"cut {term.number}"
            if isinstance(term.sort, int):
                found[term] = symbol(name, term.sort)
            else:
                found[term] = fl.to_float(symbol(name, term.sort.width), term.sort)
        elif term.op == "bits" and term.args[0] in cut:
            found[term] = symbol(f"cut {term.args[0].number}", term.sort)
        else:
            found[term] = again(term, tuple(found[arg] for arg in term.args))
    return found[root]


def again(term: Term, args: tuple[Term, ...]) -> Term:
    """The term of other arguments, simplified where that may matter."""
    if args == term.args:
        return term
    match term.op:
        case "float":
            return fl.to_float(args[0], term.sort)
        case "bits":
            return fl.to_bits(args[0])
        case "ite":
            return bv.ite(*args)
        case "fsame":
            return fl.same(*args)
        case "eq":
            return bv.eq(*args)
        case "not":
            return bv.not_(*args)
        case "and":
            return bv.and_(*args)
        case "or":
            return bv.or_(*args)
        case "fadd":
            return fl.add(*args, *term.data)
        case "fsub":
            return fl.sub(*args, *term.data)
        case "from_signed" | "from_unsigned":
            return fl.from_integer(args[0], term.sort, term.op == "from_signed", *term.data)
        case "fmul":
            return fl.mul(*args, *term.data)
        case "fma":
            return fl.fma(*args, *term.data)
        case "apply":
            return raw(term.op, args, term.data, term.sort)
    return make(term.op, args, term.data, term.sort)
