# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our three statements of docs/Semantics.md: the NumPy reference, the evaluator, and compiled code."""

from __future__ import annotations

from functools import cache

import numpy as np

from .case import Case
from .conversions import Conversion
from .requantize import Requantize


def by_reference(case: Case):
    results = case.stated()
    return results if len(results) > 1 else results[0]


@cache
def _context():
    from mlir.ir import Context

    from .. import register

    context = Context()
    register(context)
    return context


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def by_evaluator(case: Conversion | Requantize) -> np.ndarray:
    """One call for each parameter. The evaluator takes fields, not profiles: they come from the reference's table."""
    return _requantize(case) if isinstance(case, Requantize) else case.by_groups(_evaluate)


def _semantics(fields: dict[str, str]):
    from mlir.ir import Attribute

    text = ", ".join(f"{name} = {value}" for name, value in fields.items())
    return Attribute.parse(f"#qdq.semantics<{text}>", _context())


def _type(name: str):
    from mlir.ir import Type

    return Type.parse(name, _context())


def _evaluate(case: Conversion) -> np.ndarray:
    from .._mlir_libs._qdq import evaluator

    semantics = _semantics(case.fields)
    types = [_type(name) for name in (case.storage, case.real, case.scale.type)]
    types.append(_type(case.zero_point.type) if case.zero_point else None)
    parameters = [_bytes(operand.array) for operand in case.operands[1:]]
    parameters += [np.empty(0, np.uint8)] * (2 - len(parameters))
    result = np.zeros(case.x.array.size, case.result.array.dtype)
    operands = [semantics, *types, _bytes(case.x.array), *parameters, _bytes(result)]
    is_expressed = case.domain == "expressed"
    if case.operation == "quantize":
        defined = np.zeros(result.size, np.uint8)
        evaluator.quantize(*operands, defined, clamp=case.clamp, is_expressed=is_expressed)
    else:
        evaluator.dequantize(*operands, is_expressed=is_expressed)
    return result


def _requantize(case: Requantize) -> np.ndarray:
    """One call for each row."""
    from .._mlir_libs._qdq import evaluator

    result = np.zeros(case.acc.array.shape, case.result.array.dtype)
    defined = np.zeros(case.acc.array.shape[1], np.uint8)
    for row, acc in enumerate(case.acc.array):
        values = {
            n: np.broadcast_to(o.array, len(result))[row]
            for n, o in case.op_operands.items()
            if n != "acc"
        }
        multipliers = [
            (_type(o.type), _bytes(values[n]))
            for n, o in case.op_operands.items()
            if n.startswith("m")
        ]
        integers = [None if n not in values else int(values[n]) for n in ("t", "g")]
        z = int(values["z"]) if "z" in values else None
        evaluator.requantize(
            case.rescale, _semantics(case.fields), _type(case.storage), _type(case.acc.type), multipliers,
            *integers, case.limit, z, _bytes(acc), _bytes(result[row]), defined,
        )  # fmt: skip
    return result


class Compiled:
    """`quant-to-llvm` and LLVM: one module of all cases that have one profile."""

    def __init__(self):
        #: By the identity of a case, which is held so that it stays one.
        self.functions: dict[int, tuple[Case, object]] = {}

    def prepare(self, cases: list[Case]) -> None:
        from .. import runtime

        for profile in {case.profile for case in cases}:
            chosen = [case for case in cases if case.profile == profile]
            text = "".join(case.text(f"f{index}") for index, case in enumerate(chosen))
            options = {"profile": profile} if profile else {}
            compiled = runtime.compile(text, **options)
            for index, case in enumerate(chosen):
                self.functions[id(case)] = case, compiled[f"f{index}"]

    def __call__(self, case: Case):
        if id(case) not in self.functions:
            self.prepare([case])
        arguments = [operand.array for operand in case.op_operands.values()]
        return self.functions[id(case)][1](*arguments)
