# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms as those of Bitwuzla and of Z3, and the question whether a condition can hold."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .softfloat import Format
from .terms import Sort, Term, below

HOW_TO_INSTALL = (
    "tools/verify --prove needs solvers: pip install 'mlir-qdq[prove]' (bitwuzla, z3-solver)"
)


@dataclass
class Answer:
    """`holds`: True with values of the symbols, False if there are none, None if not decided."""

    holds: bool | None
    values: dict[Term, int] | None = None
    solver: str = ""
    reason: str = ""


class Backend(Protocol):
    """How a solver spells things."""

    def bits(self, value: int, width: int): ...
    def symbol(self, name: str, sort: Sort): ...
    def function(self, name: str, args: list, sorts: list[Sort], sort: Sort): ...
    def operation(self, term: Term, args: list): ...
    def same(self, a, b): ...


class Translation:
    """Terms in the language of one solver. A `bits` is a symbol of which the float is known."""

    def __init__(self, backend: Backend):
        self.backend = backend
        self.found: dict[Term, object] = {}
        self.facts: list = []

    def __call__(self, root: Term):
        for term in below([root]):
            if term not in self.found:
                self.found[term] = self._translate(term)
        return self.found[root]

    def _translate(self, term: Term):
        backend, args = self.backend, [self.found[arg] for arg in term.args]
        if term.op == "constant":
            if isinstance(term.sort, int):
                return backend.bits(term.value, term.sort)
            return backend.from_bits(backend.bits(term.value, term.sort.width), term.sort)
        if term.op == "symbol":
            return backend.symbol(term.data[0], term.sort)
        if term.op == "apply":
            sorts = [arg.sort for arg in term.args]
            return backend.function(term.data[0], args, sorts, term.sort)
        if term.op == "bits":
            name = backend.symbol(f"bits of {term.args[0].number}", term.sort)
            self.facts.append(backend.same(backend.from_bits(name, term.args[0].sort), args[0]))
            return name
        if term.op == "table":
            return self._table(args[0], term.width, 0, term.data, term.sort)
        return backend.operation(term, args)

    def _table(self, index, bit: int, first: int, entries: tuple[int, ...], width: int):
        """A choice by each bit of the index, the highest first."""
        if len(set(entries)) == 1:
            return self.backend.bits(entries[0], width)
        half = len(entries) // 2
        parts = (
            self._table(index, bit - 1, first, part, width)
            for part in (entries[half:], entries[:half])
        )
        return self.backend.choose(index, bit - 1, *parts)


# --- Bitwuzla ----------------------------------------------------------------------------


class _Bitwuzla:
    def __init__(self, manager):
        import bitwuzla

        self.tm, self.kind = manager, bitwuzla.Kind
        modes = bitwuzla.RoundingMode
        self.modes = {
            m: manager.mk_rm_value(getattr(modes, m)) for m in ("RNE", "RNA", "RTZ", "RTP", "RTN")
        }
        self.functions: dict[str, object] = {}
        self.one, self.zero = self.bits(1, 1), self.bits(0, 1)
        k = self.kind
        self.simple = {
            "not": k.BV_NOT, "and": k.BV_AND, "or": k.BV_OR, "xor": k.BV_XOR, "add": k.BV_ADD, "sub": k.BV_SUB,
            "mul": k.BV_MUL, "udiv": k.BV_UDIV, "urem": k.BV_UREM, "sdiv": k.BV_SDIV, "srem": k.BV_SREM,
            "shl": k.BV_SHL, "lshr": k.BV_SHR, "ashr": k.BV_ASHR, "concat": k.BV_CONCAT, "fabs": k.FP_ABS,
            "fneg": k.FP_NEG,
        }  # fmt: skip
        self.tests = {
            "eq": k.EQUAL, "fsame": k.EQUAL, "ult": k.BV_ULT, "slt": k.BV_SLT, "feq": k.FP_EQUAL, "flt": k.FP_LT,
            "fle": k.FP_LEQ, "isnan": k.FP_IS_NAN, "isinf": k.FP_IS_INF,
        }  # fmt: skip
        self.rounded = {
            "fadd": k.FP_ADD, "fsub": k.FP_SUB, "fmul": k.FP_MUL, "fdiv": k.FP_DIV, "fma": k.FP_FMA, "fsqrt": k.FP_SQRT,
            "fround": k.FP_RTI,
        }  # fmt: skip
        self.conversions = {
            "fconvert": k.FP_TO_FP_FROM_FP, "from_signed": k.FP_TO_FP_FROM_SBV, "from_unsigned": k.FP_TO_FP_FROM_UBV,
            "to_signed": k.FP_TO_SBV, "to_unsigned": k.FP_TO_UBV,
        }  # fmt: skip

    def sort(self, sort: Sort):
        if isinstance(sort, int):
            return self.tm.mk_bv_sort(sort)
        return self.tm.mk_fp_sort(sort.exponent, sort.significand)

    def bits(self, value: int, width: int):
        return self.tm.mk_bv_value(self.tm.mk_bv_sort(width), f"{value:x}", 16)

    def from_bits(self, a, f: Format):
        return self.tm.mk_term(self.kind.FP_TO_FP_FROM_BV, [a], [f.exponent, f.significand])

    def symbol(self, name: str, sort: Sort):
        return self.tm.mk_const(self.sort(sort), name)

    def function(self, name, args, sorts, sort):
        if name not in self.functions:
            kind = self.tm.mk_fun_sort([self.sort(s) for s in sorts], self.sort(sort))
            self.functions[name] = self.tm.mk_const(kind, name)
        return self.tm.mk_term(self.kind.APPLY, [self.functions[name], *args])

    def same(self, a, b):
        return self.tm.mk_term(self.kind.EQUAL, [a, b])

    def truth(self, a):
        return self.same(a, self.one)

    def choose(self, index, bit, then, otherwise):
        picked = self.tm.mk_term(self.kind.BV_EXTRACT, [index], [bit, bit])
        return self.tm.mk_term(self.kind.ITE, [self.truth(picked), then, otherwise])

    def operation(self, term: Term, args: list):
        op, mk = term.op, self.tm.mk_term
        if op in self.simple:
            return mk(self.simple[op], args)
        if op in self.tests:
            return mk(self.kind.ITE, [mk(self.tests[op], args), self.one, self.zero])
        if op in self.rounded:
            return mk(self.rounded[op], [self.modes[term.data[0]], *args])
        if op in self.conversions:
            sizes = (
                [term.sort]
                if isinstance(term.sort, int)
                else [term.sort.exponent, term.sort.significand]
            )
            return mk(self.conversions[op], [self.modes[term.data[0]], *args], sizes)
        if op == "ite":
            return mk(self.kind.ITE, [self.truth(args[0]), *args[1:]])
        if op == "extract":
            low = term.data[0]
            return mk(self.kind.BV_EXTRACT, args, [low + term.sort - 1, low])
        if op == "sext":
            return mk(self.kind.BV_SIGN_EXTEND, args, [term.sort - term.width])
        if op == "float":
            return self.from_bits(args[0], term.sort)
        raise NotImplementedError(op)


def ask_bitwuzla(condition: Term, symbols: list[Term], seconds: float) -> Answer:
    import bitwuzla

    manager = bitwuzla.TermManager()
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    solver = bitwuzla.Bitwuzla(manager, options)
    # Of this process, whatever else runs on the machine. The clock is a system call.
    end, calls = time.process_time() + seconds, itertools.count()
    solver.configure_terminator(lambda: next(calls) % 4096 == 0 and time.process_time() > end)
    backend = _Bitwuzla(manager)
    translation = Translation(backend)
    solver.assert_formula(backend.truth(translation(condition)))
    solver.assert_formula(*translation.facts)
    result = solver.check_sat()
    if result == bitwuzla.Result.UNSAT:
        return Answer(False, solver="bitwuzla")
    if result != bitwuzla.Result.SAT:
        return Answer(None, solver="bitwuzla", reason=f"{seconds:g} s")
    values = {}
    for term in symbols:
        if term in translation.found:
            values[term] = int(solver.get_value(translation.found[term]).value(2), 2)
    return Answer(True, values, "bitwuzla")


# --- Z3 ----------------------------------------------------------------------------------


@functools.cache
def _import_z3():
    """The package, on its own library: where a process shows the symbols of libLLVM to all, as some
    packages do, those of the Z3 that LLVM links would take the place of the newer ones.
    """
    spec = importlib.util.find_spec("z3")
    if spec is not None and hasattr(os, "RTLD_DEEPBIND"):
        for library in Path(spec.submodule_search_locations[0]).glob("lib/libz3.so*"):
            ctypes.CDLL(str(library), os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND)
    import z3

    return z3


class _Z3:
    """Terms in a context of their own: objects of earlier questions, which Python may free
    at any call, share no error code with these.
    """

    def __init__(self):
        z3 = _import_z3()
        self.z3, self.context = z3, z3.Context()
        make = self.make
        self.modes = {name: make(name)() for name in ("RNE", "RNA", "RTZ", "RTP", "RTN")}
        self.one, self.zero = self.bits(1, 1), self.bits(0, 1)
        self.simple = {
            "not": lambda a: ~a, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
            "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "udiv": z3.UDiv,
            "urem": z3.URem, "sdiv": lambda a, b: a / b, "srem": z3.SRem, "shl": lambda a, b: a << b, "lshr": z3.LShR,
            "ashr": lambda a, b: a >> b, "concat": z3.Concat, "fabs": make("fpAbs"), "fneg": make("fpNeg"),
        }  # fmt: skip
        self.tests = {
            "eq": lambda a, b: a == b, "fsame": lambda a, b: a == b, "ult": z3.ULT, "slt": lambda a, b: a < b,
            "feq": make("fpEQ"), "flt": make("fpLT"), "fle": make("fpLEQ"), "isnan": make("fpIsNaN"),
            "isinf": make("fpIsInf"),
        }  # fmt: skip
        self.rounded = {
            "fadd": make("fpAdd"), "fsub": make("fpSub"), "fmul": make("fpMul"), "fdiv": make("fpDiv"),
            "fma": make("fpFMA"), "fsqrt": make("fpSqrt"), "fround": make("fpRoundToIntegral"),
        }  # fmt: skip

    def make(self, name: str):
        return functools.partial(getattr(self.z3, name), ctx=self.context)

    def sort(self, sort: Sort):
        if isinstance(sort, int):
            return self.make("BitVecSort")(sort)
        return self.make("FPSort")(sort.exponent, sort.significand)

    def bits(self, value: int, width: int):
        return self.make("BitVecVal")(value, width)

    def from_bits(self, a, f: Format):
        return self.make("fpBVToFP")(a, self.sort(f))

    def symbol(self, name: str, sort: Sort):
        return self.z3.Const(name, self.sort(sort))

    def function(self, name, args, sorts, sort):
        return self.z3.Function(name, *map(self.sort, sorts), self.sort(sort))(*args)

    def same(self, a, b):
        return a == b

    def truth(self, a):
        return a == self.one

    def choose(self, index, bit, then, otherwise):
        return self.z3.If(self.truth(self.z3.Extract(bit, bit, index)), then, otherwise)

    def operation(self, term: Term, args: list):
        op, z3, make = term.op, self.z3, self.make
        mode = self.modes[term.data[0]] if term.data and term.data[0] in self.modes else None
        if op in self.simple:
            return self.simple[op](*args)
        if op in self.tests:
            return z3.If(self.tests[op](*args), self.one, self.zero)
        if op in self.rounded:
            return self.rounded[op](mode, *args)
        match op:
            case "ite":
                return z3.If(self.truth(args[0]), *args[1:])
            case "extract":
                low = term.data[0]
                return z3.Extract(low + term.sort - 1, low, args[0])
            case "sext":
                return z3.SignExt(term.sort - term.width, args[0])
            case "float":
                return self.from_bits(args[0], term.sort)
            case "fconvert":
                return make("fpFPToFP")(mode, args[0], self.sort(term.sort))
            case "from_signed":
                return make("fpSignedToFP")(mode, args[0], self.sort(term.sort))
            case "from_unsigned":
                return make("fpUnsignedToFP")(mode, args[0], self.sort(term.sort))
            case "to_signed":
                return make("fpToSBV")(mode, args[0], self.sort(term.sort))
            case "to_unsigned":
                return make("fpToUBV")(mode, args[0], self.sort(term.sort))
        raise NotImplementedError(op)


def ask_z3(condition: Term, symbols: list[Term], seconds: float) -> Answer:
    z3 = _import_z3()
    backend = _Z3()
    translation = Translation(backend)
    solver = z3.Solver(ctx=backend.context)
    solver.set("timeout", int(1000 * seconds))
    solver.add(backend.truth(translation(condition)), *translation.facts)
    result = solver.check()
    if result == z3.unsat:
        return Answer(False, solver="z3")
    if result != z3.sat:
        return Answer(None, solver="z3", reason=solver.reason_unknown())
    model = solver.model()
    values = {}
    for term in symbols:
        if term in translation.found:
            values[term] = model.eval(translation.found[term], model_completion=True).as_long()
    return Answer(True, values, "z3")


SOLVERS: dict[str, Callable[[Term, list[Term], float], Answer]] = {
    "bitwuzla": ask_bitwuzla,
    "z3": ask_z3,
}


def missing() -> str | None:
    """The one line that says how to install the solvers, if there is none."""
    try:
        import bitwuzla  # noqa: F401

        _import_z3()
    except ImportError:
        return HOW_TO_INSTALL
    return None
