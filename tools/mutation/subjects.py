# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that mutants are tried on: functions of qdq or ONNX ops, with inputs and expected outputs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
import onnx.backend.test.case.node
from mlir.ir import Context, Module
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq import reference, runtime
from mlir_qdq.conformance import load
from mlir_qdq.importers.onnx import import_model

from .rescalings import rational, recorded


@dataclass(frozen=True)
class Subject:
    """A function, as text that names it `@f`, and what it must return."""

    suite: str
    name: str
    text: str
    arguments: tuple[np.ndarray, ...]
    expected: tuple[np.ndarray, ...]


#: The order in which topics are tried: a mutant is credited to the first that kills it.
TOPICS = (
    "roundings", "divisions", "special-values", "saturation", "dequantize", "granularity", "integers-and-biases",
    "compute-types", "scales-of-powers", "float-storage",
)  # fmt: skip


def corpus() -> list[Subject]:
    subjects = []
    for topic in TOPICS:
        for case in load(f"corpus/{topic}.json"):
            arguments = tuple(signless(operand.array, operand.type) for operand in case.operands)
            expected = (signless(case.result.array, case.result.type),)
            subjects.append(
                Subject("corpus", f"{topic}/{case.name}", case.text("f"), arguments, expected)
            )
    return subjects + rescalings()


def rescalings() -> list[Subject]:
    """Of requantize: recorded codes, and codes of rational numbers."""
    return [
        Subject("corpus", f"requantize/{name}", text, tuple(arguments), (expected,))
        for name, text, arguments, expected in (*recorded(), *rational())
    ]


def onnx_node_tests() -> list[Subject]:
    """ONNX's node tests with "quantize" in the name, but for function bodies, which have no such op."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cases compute with infinities
        cases = onnx.backend.test.case.node.collect_testcases(None)
    subjects = []
    for case in cases:
        if "quantize" not in case.name or case.name.endswith("_expanded"):
            continue
        module = import_model(case.model)
        (function,) = module.body.operations
        text = (
            str(module)
            .replace(f"@{function.name.value}(", "@f(")
            .replace(f'@"{function.name.value}"(', "@f(")
        )
        for inputs, outputs in case.data_sets:
            subjects.append(
                Subject(
                    "onnx",
                    case.name,
                    text,
                    tuple(map(signless, _arrays(inputs))),
                    tuple(map(signless, _arrays(outputs))),
                )
            )
    return subjects


def _arrays(tensors) -> list[np.ndarray]:
    return [
        onnx.numpy_helper.to_array(t) if isinstance(t, onnx.TensorProto) else np.asarray(t)
        for t in tensors
    ]


def signless(array: np.ndarray, element: str | None = None) -> np.ndarray:
    """Unsigned values as the signed ones with the same bits: lowered functions know no sign."""
    name = element or array.dtype.name.replace("uint", "ui").replace("int", "i")
    if not name.startswith("ui"):
        return array
    signed, half = reference.storage_type(name[1:]), 1 << (int(name[2:]) - 1)
    return ((array.astype(np.int64) + half) % (2 * half) - half).astype(signed.dtype)


def lower(text: str, options: dict | None = None) -> str:
    """The function after lower-quant, with its attributes and maps in place."""
    words = " ".join(f"{name.replace('_', '-')}={value}" for name, value in (options or {}).items())
    if words:
        words += " override-semantics=true"
    with Context() as context:
        mlir_qdq.register(context)
        context.allow_unregistered_dialects = True
        module = Module.parse(text)
        PassManager.parse(f"builtin.module(lower-quant{{{words}}})").run(module.operation)
        return module.operation.get_asm(use_local_scope=True)


def compile_all(texts: list[str]) -> list[Callable]:
    """Each module's function @f, compiled as one module."""
    functions = []
    for index, text in enumerate(texts):
        body = text[text.index("func.func") : text.rindex("}")]
        functions.append(body.replace("@f(", f"@f{index}("))
    compiled = runtime.compile("".join(functions), runtime_checks=False)
    return [compiled[f"f{index}"] for index in range(len(texts))]


def is_killed(subject: Subject, function: Callable, boundary: Callable | None = None) -> bool:
    """Whether the function returns other bits than it must. Any NaN is a NaN."""
    boundary = boundary or (lambda array: array)
    results = function(*map(boundary, subject.arguments))
    results = results if isinstance(results, tuple) else (results,)
    return any(
        not _same(boundary(actual), expected)
        for actual, expected in zip(results, subject.expected, strict=True)
    )


def _same(actual: np.ndarray, expected: np.ndarray) -> bool:
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        return False
    bits = f"u{expected.dtype.itemsize}"
    agree = np.ascontiguousarray(actual).view(bits) == np.ascontiguousarray(expected).view(bits)
    if not expected.dtype.name.startswith("int"):
        with np.errstate(all="ignore"):
            agree |= np.isnan(actual.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    return bool(agree.all())
