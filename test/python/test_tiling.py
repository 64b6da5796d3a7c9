# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that were tiled before they are lowered give the bytes of the whole op."""

import numpy as np
import pytest
from kernels import dtype_of
from mlir.dialects.transform import interpreter
from mlir.ir import Context, Module

import mlir_qdq
from mlir_qdq import runtime


def tile(module: Module, op: str, sizes: list[int], how: str) -> None:
    loops = sum(map(bool, sizes)) if how == "for" else 1
    script = Module.parse(f"""
      module attributes {{transform.with_named_sequence}} {{
        transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
          %ops = transform.structured.match ops{{["{op}"]}} in %root : (!transform.any_op) -> !transform.any_op
          %tiled, %loops:{loops} = transform.structured.tile_using_{how} %ops tile_sizes {sizes}
            : (!transform.any_op) -> ({", ".join(["!transform.any_op"] * (1 + loops))})
          transform.yield
        }}
      }}""")
    interpreter.apply_named_sequence(module, script.body.operations[0], script)
    assert "tensor.extract_slice" in str(module)


def function(op: str, arguments: str, results: str) -> str:
    return f"""
      func.func @f(%x: {arguments}) -> ({results}) {{
        {op} : ({arguments}) -> ({results})
        return {op.split("=")[0]} : {results}
      }}"""


CHOOSE = "%s, %z = qdq.choose_params %x"
UNPACK, PACK = "%y = qdq.unpack %x packing", "%y = qdq.pack %x packing"
CASES = {
    "blocks": (f"{CHOOSE} block_shape [1, 8]", "6x37xf32", "6x5xf32, 6x5xi8", [4, 16]),
    "blocks_dynamic": (f"{CHOOSE} block_shape [1, 8]", "?x?xf32", "?x?xf32, ?x?xi8", [4, 16]),
    "axis": (f"{CHOOSE} axis 1", "6x37xf32", "37xf32, 37xi8", [0, 5]),
    "unpack_3_bits": (f"{UNPACK} <bits = 3, axis = 1>", "6x4xi32", "6x37xui3", [4, 32]),
    "unpack_dynamic": (f"{UNPACK} <gptq-v2>", "?x37xi32", "?x37xui4", [8, 5]),
    "unpack_records": (f"{UNPACK} <ggml-q4_0>", "6x54xi8", "6x96xi4", [4, 32]),
    "unpack_flat": (f"{UNPACK} <onnx>", "19xi8", "37xi4", [8]),
    "pack_3_bits": (f"{PACK} <bits = 3, axis = 1>", "6x37xui3", "6x4xi32", [4, 3]),
    "pack_dynamic": (f"{PACK} <bits = 4, axis = 0>", "?x37xui4", "?x37xi32", [2, 5]),
    "pack_records": (f"{PACK} <ggml-q4_0>", "6x96xi4", "6x54xi8", [4, 36]),
    "pack_order": (f"{PACK} <awq-gemm>", "6x64xui4", "6x8xi32", [4, 3]),
    "pack_flat": (f"{PACK} <onnx>", "37xi4", "19xi8", [8]),
    "unpack_flat_rows": (f"{UNPACK} <onnx>", "91xi8", "14x13xi4", [4]),
    "unpack_flat_row": (f"{UNPACK} <onnx>", "56xi8", "2x4x14xui4", [1, 1, 4]),
    "unpack_flat_box": (f"{UNPACK} <onnx>", "120xi8", "3x5x16xi4", [2, 3, 4]),
    "unpack_flat_3_bits": (f"{UNPACK} <bits = 3>", "12xi32", "4x32xui3", [3, 32]),
    "pack_flat_rows": (f"{PACK} <onnx>", "5x37xi4", "93xi8", [8]),
    "pack_flat_3_bits": (f"{PACK} <bits = 3>", "3x5x9xui3", "13xi32", [3]),
}


def values(type: str) -> np.ndarray:
    *shape, element = type.split("x")
    shape = [
        int(size) if size != "?" else rows for size, rows in zip(shape, (23, 37, 0), strict=False)
    ]
    random = np.random.default_rng(7)
    if element == "f32":
        return random.standard_normal(shape).astype(np.float32)
    bits = int(element.lstrip("ui"))
    low, high = (0, 2**bits) if element.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return random.integers(low, high, shape).astype(dtype_of(element))


@pytest.mark.every_value
@pytest.mark.parametrize("how", ["for", "forall"])
@pytest.mark.parametrize("name", CASES)
def test_same_bytes(name, how):
    op, argument, results, sizes = CASES[name]
    tensors = ", ".join(f"tensor<{result}>" for result in results.split(", "))
    text = function(op, f"tensor<{argument}>", tensors)
    x = values(argument)
    expected = runtime.compile(text).f(x)
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        tile(module, op.split("= ")[1].split()[0], sizes, how)
        got = runtime.compile(module).f(x)
    pairs = zip(expected, got, strict=True) if isinstance(got, tuple) else [(expected, got)]
    for whole, tiled in pairs:
        assert whole.dtype == tiled.dtype and whole.tobytes() == tiled.tobytes()
