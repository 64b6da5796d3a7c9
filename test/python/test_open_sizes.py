# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on open sizes: arrays that do not fit together raise, and touch no foreign memory."""

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime

ONES = np.ones


def unary(name, attributes, source, result, constant=None):
    """A function of one operator, with the constant sizes `constant`."""
    lines, operands, types = "", "%x", f"tensor<{source}xf32>"
    if constant is not None:
        kind = f"tensor<{len(constant)}xi64>"
        lines = f'%c = "onnx.Constant"() {{value = dense<{constant}> : {kind}}} : () -> {kind}'
        operands, types = "%x, %c", f"{types}, {kind}"
    return f"""
      func.func @f(%x: tensor<{source}xf32>) -> tensor<{result}xf32> {{
        {lines}
        %r = "onnx.{name}"({operands}) {{{attributes}}} : ({types}) -> tensor<{result}xf32>
        return %r : tensor<{result}xf32>
      }}"""


def binary(name, lhs, rhs, result, attributes=""):
    return f"""
      func.func @f(%a: tensor<{lhs}xf32>, %b: tensor<{rhs}xf32>) -> tensor<{result}xf32> {{
        %r = "onnx.{name}"(%a, %b) {{{attributes}}}
            : (tensor<{lhs}xf32>, tensor<{rhs}xf32>) -> tensor<{result}xf32>
        return %r : tensor<{result}xf32>
      }}"""


SPLIT = """
  func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %s = "onnx.Constant"() {value = dense<[5, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a, %b = "onnx.Split"(%x, %s) {axis = 0 : si64}
        : (tensor<?xf32>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
    return %a, %b : tensor<?xf32>, tensor<?xf32>
  }"""
#: Text, arrays that fit, and arrays that do not.
CASES = {
    "squeeze": (unary("Squeeze", "axes = [0]", "?x4", "4"), [(1, 4)], [[(3, 4)], [(0, 4)]]),
    "reshape": (unary("Reshape", "", "?", "3x4", [3, 4]), [(12,)], [[(2,)], [(13,)], [(0,)]]),
    "split": (SPLIT, [(8,)], [[(7,)], [(100,)], [(0,)]]),
    "matmul": (binary("MatMul", "2x?", "?x3", "2x3"), [(2, 4), (4, 3)], [[(2, 64), (2, 3)]]),
    "add": (binary("Add", "?", "?", "?"), [(4,), (1,)], [[(4,), (3,)], [(2,), (0,)]]),
    "concat": (
        binary("Concat", "2x?", "2x?", "4x?", "axis = 0 : si64"),
        [(2, 3), (2, 3)],
        [[(2, 3), (2, 5)], [(2, 5), (2, 3)]],
    ),
}


#: A scale of 0.5 and a zero point of 1.
PARAMETERS = """
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<1> : tensor<ui8>} : () -> tensor<ui8>"""
F, I8, I32, U8 = "f32", "i8", "i32", "ui8"


def node(name, result, operands, order=None, attributes="", lines=""):
    """A function of one operator on `operands`: types such as `?x3xui8`, as %0, %1, ...

    order: what the operator reads, if that is more than these: names with their types.
    """
    given = [(f"%{index}", f"tensor<{kind}>") for index, kind in enumerate(operands)]
    values = {"s": "tensor<f32>", "z": "tensor<ui8>", "n": "none"}
    read = given
    if order is not None:
        read = [given[int(w)] if w.isdigit() else (f"%{w}", values[w]) for w in order.split()]
    domain, _, function = name.rpartition(":")
    if domain:
        name = "Custom"
        attributes = f'domain_name = "{domain}", function_name = "{function}", {attributes}'
    types = ", ".join(kind for _, kind in read)
    return f"""
      func.func @f({", ".join(f"{value}: {kind}" for value, kind in given)}) -> tensor<{result}> {{
        {PARAMETERS}
        %n = "onnx.NoValue"() {{value}} : () -> none
        {lines}
        %r = "onnx.{name}"({", ".join(value for value, _ in read)}) {{{attributes.rstrip(", ")}}}
            : ({types}) -> tensor<{result}>
        return %r : tensor<{result}>
      }}"""


MICROSOFT = "com.microsoft"
#: The same of codes: types of elements last.
CODES = {
    "matmul-integer": (
        node("MatMulInteger", "?x?xi32", ["?x?xui8", "?x?xui8"]),
        [(2, 64), (64, 3)],
        [[(2, 64), (3, 3)], [(2, 3), (64, 3)], [(2, 0), (64, 3)]],
        [U8, U8],
    ),
    "matmul-integer-batches": (
        node("MatMulInteger", "?x?x?xi32", ["?x?x?xui8", "?x?x?xui8"]),
        [(4, 2, 8), (1, 8, 3)],
        [[(4, 2, 8), (3, 8, 3)], [(2, 2, 8), (300, 8, 3)]],
        [U8, U8],
    ),
    "matmul-integer-zero-points": (
        node("MatMulInteger", "?x?xi32", ["?x?xui8", "?x?xui8", "?xui8"], "0 1 n 2"),
        [(2, 8), (8, 300), (300,)],
        [[(2, 8), (8, 300), (3,)], [(2, 8), (8, 3), (300,)]],
        [U8, U8, U8],
    ),
    "matmul-integer-to-float": (
        node(
            f"{MICROSOFT}:MatMulIntegerToFloat",
            "?x?xf32",
            ["?x?xui8", "?x?xui8", "?xf32"],
            "0 1 s s z z 2",
        ),
        [(2, 64), (64, 300), (300,)],
        [[(2, 6400), (64, 300), (300,)], [(2, 64), (64, 300), (30,)]],
        [U8, U8, F],
    ),
    "qlinear-matmul": (
        node("QLinearMatMul", "?x?xui8", ["?x?xui8", "?x?xui8"], "0 s z 1 s z s z"),
        [(2, 64), (64, 3)],
        [[(2, 4096), (3, 3)], [(2, 3), (4096, 3)]],
        [U8, U8],
    ),
    "conv-integer": (
        node("ConvInteger", "1x?x?x?xi32", ["1x?x?x?xui8", "?x?x3x3xui8"]),
        [(1, 4, 5, 5), (2, 4, 3, 3)],
        [[(1, 4, 5, 5), (2, 3, 3, 3)], [(1, 4, 5, 5), (2, 300, 3, 3)]],
        [U8, U8],
    ),
    "conv-integer-window": (
        node("ConvInteger", "1x2x?x?xi32", ["1x4x?x?xui8", "2x4x3x3xui8"]),
        [(1, 4, 5, 5), (2, 4, 3, 3)],
        [[(1, 4, 2, 5), (2, 4, 3, 3)], [(1, 4, 5, 0), (2, 4, 3, 3)]],
        [U8, U8],
    ),
    "qlinear-average-pool": (
        node(
            f"{MICROSOFT}:QLinearAveragePool",
            "1x4x?x?xui8",
            ["1x4x?x?xui8"],
            "0 s z s z",
            "kernel_shape = [3, 3]",
        ),
        [(1, 4, 5, 5)],
        [[(1, 4, 2, 5)]],
        [U8],
    ),
    "qlinear-conv": (
        node(
            "QLinearConv",
            "1x?x?x?xui8",
            ["1x4x?x?xui8", "?x4x3x3xui8", "?xf32", "?xi32"],
            "0 s z 1 2 z s z 3",
        ),
        [(1, 4, 5, 5), (500, 4, 3, 3), (500,), (500,)],
        [
            [(1, 4, 2, 5), (500, 4, 3, 3), (500,), (500,)],
            [(1, 4, 5, 5), (500, 4, 3, 3), (2,), (500,)],
            [(1, 4, 5, 5), (500, 4, 3, 3), (500,), (2,)],
        ],
        [U8, U8, F, I32],
    ),
    "quantize-axis": (
        node(
            "QuantizeLinear",
            "?x?xi8",
            ["?x?xf32", "?xf32"],
            "0 1 n",
            "axis = 1 : si64, output_dtype = 3 : si64",
        ),
        [(2, 400), (400,)],
        [[(2, 400), (4,)], [(2, 4), (400,)]],
        [F, F],
    ),
    "dequantize-blocks": (
        node(
            "DequantizeLinear",
            "?x?xf32",
            ["?x?xi8", "?x?xf32", "?x?xi8"],
            attributes="axis = 1 : si64, block_size = 4 : si64",
        ),
        [(2, 400), (2, 100), (2, 100)],
        [
            [(2, 400), (2, 4), (2, 100)],
            [(2, 400), (2, 100), (2, 4)],
            [(2, 403), (2, 100), (2, 100)],
        ],
        [I8, F, I8],
    ),
    "qlinear-add": (
        node(f"{MICROSOFT}:QLinearAdd", "?x?xui8", ["?x?xui8", "?x?xui8"], "0 s z 1 s z s z"),
        [(2, 4000), (1, 4000)],
        [[(2, 4000), (2, 3)], [(2, 3), (2, 4000)]],
        [U8, U8],
    ),
    "qlinear-concat": (
        node(
            f"{MICROSOFT}:QLinearConcat",
            "?x?xui8",
            ["?x?xui8", "?x?xui8"],
            "s z 0 s z 1 s z",
            "axis = 0 : si64",
        ),
        [(2, 40), (3, 40)],
        [[(2, 40), (3, 4000)], [(2, 4000), (2, 3)]],
        [U8, U8],
    ),
    "matmul-nbits": (
        node(
            f"{MICROSOFT}:MatMulNBits",
            "?x16xf32",
            ["?x?xf32", "16x?x16xui8", "?xf32"],
            attributes="K = 64 : si64, N = 16 : si64, bits = 4 : si64, block_size = 32 : si64",
        ),
        [(2, 64), (16, 2, 16), (32,)],
        [
            [(2, 6), (16, 2, 16), (32,)],
            [(2, 64), (16, 1, 16), (32,)],
            [(2, 64), (16, 2, 16), (3,)],
        ],
        [F, U8, F],
    ),
    "gemm": (
        node("Gemm", "?x?xf32", ["?x?xf32", "?x?xf32", "?xf32"]),
        [(2, 64), (64, 30), (30,)],
        [[(2, 64), (3, 30), (30,)], [(2, 64), (64, 30), (3,)]],
        [F, F, F],
    ),
    "conv": (
        node("Conv", "1x?x?x?xf32", ["1x?x?x?xf32", "?x?x3x3xf32", "?xf32"]),
        [(1, 4, 5, 5), (20, 4, 3, 3), (20,)],
        [
            [(1, 4, 5, 5), (20, 300, 3, 3), (20,)],
            [(1, 4, 5, 5), (20, 4, 3, 3), (2,)],
            [(1, 4, 2, 5), (20, 4, 3, 3), (20,)],
        ],
        [F, F, F],
    ),
    "max-pool": (
        node("MaxPool", "1x4x?x?xf32", ["1x4x?x?xf32"], attributes="kernel_shape = [3, 3]"),
        [(1, 4, 5, 5)],
        [[(1, 4, 2, 5)]],
        [F],
    ),
    "where": (
        node("Where", "?xf32", ["?xi1", "?xf32", "?xf32"]),
        [(40,), (40,), (1,)],
        [[(40,), (3,), (1,)], [(3,), (40,), (40,)], [(40,), (40,), (3,)]],
        ["bool", F, F],
    ),
}


def tfl(name, result, operands, attributes=""):
    """A function of one TFLite operator, where `q` and `w` stand for types of codes."""
    kinds = [f"tensor<{kind}>" for kind in (result, *operands)]
    kinds = [kind.replace("q", "!quant.uniform<i8:f32, 5.0e-1:1>") for kind in kinds]
    kinds = [kind.replace("w", "!quant.uniform<i8:f32, 5.0e-1>") for kind in kinds]
    names = [f"%{index}" for index in range(len(operands))]
    return f"""
      func.func @f({", ".join(map(": ".join, zip(names, kinds[1:])))}) -> {kinds[0]} {{
        %r = "tfl.{name}"({", ".join(names)}) {{{attributes}}}
            : ({", ".join(kinds[1:])}) -> {kinds[0]}
        return %r : {kinds[0]}
      }}"""


NONE = 'fused_activation_function = "NONE"'
WINDOW = f'{NONE}, padding = "VALID", stride_h = 1 : i32, stride_w = 2 : i32'
TFL = {
    "tfl-add": (
        tfl("add", "?xf32", ["?xf32", "?xf32"], NONE),
        [(4,), (1,)],
        [[(4000,), (3,)], [(3,), (4000,)]],
        [F, F],
    ),
    "tfl-add-codes": (
        tfl("add", "?xq", ["?xq", "?xq"], NONE),
        [(4,), (4,)],
        [[(4000,), (3,)], [(3,), (4000,)]],
        [I8, I8],
    ),
    "tfl-batch-matmul": (
        tfl("batch_matmul", "?x?xf32", ["?x?xf32", "?x?xf32"]),
        [(2, 64), (64, 3)],
        [[(2, 64), (3, 3)], [(2, 3), (64, 3)]],
        [F, F],
    ),
    "tfl-batch-matmul-codes": (
        tfl("batch_matmul", "?x?xq", ["?x?xq", "?x?xq"]),
        [(2, 64), (64, 3)],
        [[(2, 64), (3, 3)], [(2, 3), (64, 3)]],
        [I8, I8],
    ),
    "tfl-conv-2d-codes": (
        tfl(
            "conv_2d",
            "1x?x?x4xq",
            ["1x?x?x2xq", "4x3x3x2xw"],
            f"{WINDOW}, dilation_h_factor = 1 : i32, dilation_w_factor = 1 : i32",
        ),
        [(1, 3, 6, 2), (4, 3, 3, 2)],
        [[(1, 2, 6, 2), (4, 3, 3, 2)], [(1, 4, 1, 2), (4, 3, 3, 2)]],
        [I8, I8],
    ),
    "tfl-max-pool-2d-codes": (
        tfl(
            "max_pool_2d",
            "1x?x?x4xq",
            ["1x?x?x4xq"],
            f"{WINDOW}, filter_height = 3 : i32, filter_width = 4 : i32",
        ),
        [(1, 3, 4, 4)],
        [[(1, 2, 4, 4)], [(1, 3, 3, 4)], [(1, 3, 0, 4)]],
        [I8],
    ),
    "tfl-concatenation-codes": (
        tfl("concatenation", "?x?xq", ["?x?xq", "?x?xq"], f"axis = 0 : i32, {NONE}"),
        [(2, 3), (2, 3)],
        [[(2, 3), (2, 500)], [(2, 500), (2, 3)]],
        [I8, I8],
    ),
}
TYPES = {I8: np.int8, I32: np.int32, U8: np.uint8, F: np.float32, "bool": np.bool_}
ROWS = CODES | TFL | {name: (*row, [F] * len(row[1])) for name, row in CASES.items()}


@pytest.mark.parametrize("name", ROWS)
def test_sizes(name):
    text, fitting, others, types = ROWS[name]
    f = runtime.compile(text).f
    f(*[ONES(shape, TYPES[kind]) for shape, kind in zip(fitting, types)])
    for shapes in others:
        with pytest.raises(ValueError):
            f(*[ONES(shape, TYPES[kind]) for shape, kind in zip(shapes, types)])


def test_sizes_of_linalg():
    text = """
      func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
        %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                           outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
        return %r : tensor<?x?xf32>
      }"""
    f = runtime.compile(text).f
    ones = np.ones((64, 64), np.float32)
    np.testing.assert_array_equal(f(ones[:2], ones[:, :3], ones[:2, :3]), np.full((2, 3), 65))
    message = "dimension 0 of argument 1 is not dimension 1 of argument 0"
    with pytest.raises(ValueError, match=message):
        f(ones[:2], ones[:3, :3], ones[:2, :3])


@pytest.mark.parametrize("storage, dtype", [("i2", "int2"), ("f6E2M3FN", "float6_e2m3fn")])
def test_sizes_that_a_scale_tells(storage, dtype):
    """Only the scale says that there are no elements."""
    text = f"""
      func.func @f(%x: tensor<?x?xf32>, %s: tensor<0xf32>) -> tensor<?x?x{storage}> {{
        %q = qdq.quantize %x scale %s axis 0
          : (tensor<?x?xf32>, tensor<0xf32>) -> tensor<?x?x{storage}>
        return %q : tensor<?x?x{storage}>
      }}"""
    f, scale = runtime.compile(text).f, np.empty(0, np.float32)
    q = np.asarray(f(np.empty((0, 5), np.float32), scale))
    assert q.shape == (0, 5) and q.dtype == np.dtype(getattr(ml_dtypes, dtype))
    with pytest.raises(ValueError):
        f(np.empty((3, 5), np.float32), scale)


def test_reshapes_without_elements():
    """Results that have no element to write, of reshapes beside an open size."""
    text = """
      func.func @expand(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?x?xf32> {
        %zero = arith.constant 0 : index
        %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [%m, %zero, %n]
          : tensor<?x?xf32> into tensor<?x?x?xf32>
        return %y : tensor<?x?x?xf32>
      }
      func.func @collapse(%x: tensor<3x0xf32>) -> tensor<0xf32> {
        %c = tensor.collapse_shape %x [[0, 1]] : tensor<3x0xf32> into tensor<0xf32>
        return %c : tensor<0xf32>
      }"""
    compiled = runtime.compile(text)
    assert compiled.expand(np.empty((0, 4), np.float32), 5, 4).shape == (5, 0, 4)
    assert compiled.collapse(np.empty((3, 0), np.float32)).shape == (0,)
