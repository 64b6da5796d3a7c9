# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our three statements of docs/Semantics.md: the NumPy reference, the evaluator, and compiled code."""

from __future__ import annotations

from functools import cache

import numpy as np

from .. import reference
from .cases import Case


def by_reference(case: Case) -> np.ndarray:
    z = case.zero_point.array if case.zero_point else None
    common = dict(
        storage=case.storage, axis=case.axis, block_shape=case.block_shape, semantics=case.semantics,
        zero_point_domain=case.domain, profile=case.profile,
    )  # fmt: skip
    if case.operation == "dequantize":
        return reference.dequantize(
            case.x.array, case.scale.array, z, expressed=case.result.type, **common
        )
    return reference.quantize(case.x.array, case.scale.array, z, clamp=case.clamp, **common)


@cache
def _context():
    from mlir.ir import Context

    from .. import register

    context = Context()
    register(context)
    return context


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def by_evaluator(case: Case) -> np.ndarray:
    """One call for each parameter. The evaluator takes fields, not profiles: they come from the reference's table."""
    return case.by_groups(_evaluate)


def _evaluate(case: Case) -> np.ndarray:
    from mlir.ir import Attribute, Type

    from .._mlir_libs._qdq import evaluator

    with _context():
        fields = ", ".join(f"{name} = {value}" for name, value in case.fields.items())
        semantics = Attribute.parse(f"#qdq.semantics<{fields}>")
        types = [Type.parse(name) for name in (case.storage, case.real, case.scale.type)]
        types.append(Type.parse(case.zero_point.type) if case.zero_point else None)
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

    def __call__(self, case: Case) -> np.ndarray:
        if id(case) not in self.functions:
            self.prepare([case])
        return self.functions[id(case)][1](*case.arguments)
