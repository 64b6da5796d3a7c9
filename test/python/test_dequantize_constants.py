# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-dequantize-constants: constants of many elements beside the NumPy reference, as `dense` and as resources."""

import re

import numpy as np
import pytest
from kernels import Kernel, same
from mlir import ir
from mlir_qdq import passes, runtime
import mlir_qdq

#: Storage, zero point, expressed type: few codes are computed once, many one by one.
TYPES = [
    ("i4", "i4", "f32"),
    ("ui8", "ui8", "f32"),
    ("i8", "f32", "f16"),
    ("ui16", "ui16", "f64"),
    ("i32", None, "bf16"),
    ("f8E4M3FN", None, "f32"),
    ("f4E2M1FN", None, "f32"),
]
GRANULARITIES = [
    {},
    {"axis": 1},
    {"block_shape": (1, 32, 1)},
    {"block_shape": (3, 7, 0)},  # short last blocks
]


#: Types of codes and zero points of quantize, and its semantics: codes that grow with the quotient, and others.
QUANTIZED = [
    ("i8", "i8", {}),
    ("ui8", "ui8", {"division": "reciprocal", "rounding": "to-odd"}),
    ("i4", None, {"order": "add-then-round", "rounding": "nearest-down"}),
    ("ui1", None, {}),
    ("i16", "f32", {"rounding": "floor"}),
    ("i8", "i8", {"overflow": "wrap"}),
    ("f8E4M3FN", None, {"float_overflow": "ieee"}),
    ("f8E5M2", None, {}),
]


def literal(array: np.ndarray, element: str, shape) -> str:
    """`dense` of the bytes."""
    sizes = "".join(f"{size}x" for size in shape)
    return f'dense<"0x{np.ascontiguousarray(array).tobytes().hex()}"> : tensor<{sizes}{element}>'


def function(kernel: Kernel, arrays) -> str:
    """The kernel's op on constants, in a function without arguments."""
    text = kernel.text("f")
    types = re.search(r"\(([^()]*)\) -> \S+ {", text)[1].split(", ")
    constants = []
    for argument, array in zip(types, arrays):
        name, type_ = argument.split(": ")
        element = type_.split("x")[-1].rstrip(">") if type_.startswith("tensor") else type_
        shape = array.shape if type_.startswith("tensor") else ()
        constants.append(f"  {name} = arith.constant {literal(array, element, shape)}\n")
    body = text.split("{\n", 1)[1]
    for argument in types:
        name, type_ = argument.split(": ")
        if not type_.startswith("tensor"):  # no constants without dimensions of such types
            body = body.replace(f", {type_}", f", tensor<{type_}>")
    result = re.search(r"-> (\S+) {", text)[1]
    return f"func.func @f() -> {result} {{\n{''.join(constants)}{body}"


def check(kernel: Kernel) -> None:
    """The pass leaves a constant with the values of the reference."""
    arguments = kernel.arguments(np.random.default_rng(0))
    text = function(kernel, [array for array in arguments if array is not None])
    with ir.Context() as context:
        mlir_qdq.register(context)
        module = ir.Module.parse(text)
        passes.DequantizeConstants().run(module)
        assert f"qdq.{kernel.operation}" not in str(module)
        found = runtime.compile(module)["f"]()
    expected, defined = kernel.expected(*arguments)
    assert (same(found, expected) | ~defined).all()


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=str)
@pytest.mark.parametrize("storage,zero_point,expressed", TYPES)
def test_values(storage, zero_point, expressed, granularity):
    check(
        Kernel(
            "dequantize", storage, expressed, "f32", (5, 64, 12),
            zero_point=zero_point, **granularity,
        )
    )  # fmt: skip


@pytest.mark.every_pair
@pytest.mark.parametrize("granularity", GRANULARITIES, ids=str)
@pytest.mark.parametrize("expressed", ["f32", "f16"])
@pytest.mark.parametrize("storage,zero_point,semantics", QUANTIZED, ids=str)
def test_codes(storage, zero_point, semantics, expressed, granularity):
    check(
        Kernel(
            "quantize", storage, expressed, "f32", (5, 64, 12),
            zero_point=zero_point, semantics=semantics, **granularity,
        )
    )  # fmt: skip
