# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of floats beside quantized ones: compiled, beside ONNX Runtime or ONNX's evaluator, by operator and opset."""

import re
from dataclasses import dataclass

import numpy as np
import onnx
import onnx_models
import onnxruntime
import pytest
from build_tree import SOURCE
from mlir_qdq.backend import UnsupportedModelError, prepare
from onnx import TensorProto, numpy_helper
from onnx_graph import Graph

RANDOM = np.random.default_rng(0)
#: Of f32 against ONNX Runtime: its functions are approximations, and its sums have another order.
CLOSE = {"rtol": 4e-6, "atol": 2e-6}


def floats(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return np.abs(floats(*shape)) + np.float32(0.1)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def bools(*shape: int) -> np.ndarray:
    return RANDOM.integers(0, 2, shape).astype(bool)


def codes(*shape: int, dtype=np.uint8) -> np.ndarray:
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max + 1, shape).astype(dtype)


@dataclass
class Row:
    operator: str
    opset: int
    operands: list
    attributes: dict
    #: Operands that are constants, by position.
    constant: tuple = ()
    is_exact: bool = False
    #: The sizes of operand 0 are open.
    is_open: bool = False
    #: "evaluator" where ONNX Runtime has no kernel.
    oracle: str = "runtime"

    def __str__(self) -> str:
        shape = "x".join(map(str, np.shape(self.operands[0])))
        words = [self.operator, str(self.opset), shape, *map(str, self.attributes.values())]
        return "-".join([*words, *(["open"] if self.is_open else [])])


def row(operator, opset, *operands, constant=(), exact=False, open=False, oracle="runtime", **attributes):  # fmt: skip
    return Row(operator, opset, list(operands), attributes, constant, exact, open, oracle)


X = floats(2, 3, 4)
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 6.0, 7.0, -20.0, 20.0, 88.0, np.inf, -np.inf], np.float32)  # fmt: skip
IMAGE, LINE, CUBE = floats(2, 4, 9, 8), floats(2, 4, 9), floats(1, 4, 5, 6, 5)
SHAPES = [((2, 3, 4), (4,)), ((3, 1), (2, 1, 4)), ((), (3,)), ((0, 3), (3,)), ((2, 3), ())]

ELEMENTWISE = [
    *(row(name, opset, X) for name, opset in [
        ("Sigmoid", 13), ("Tanh", 13), ("Erf", 13), ("Exp", 13), ("Sin", 7), ("Cos", 7),
        ("Elu", 6), ("Selu", 6), ("Softplus", 1), ("Softsign", 1), ("Gelu", 20), ("HardSwish", 14),
        ("HardSigmoid", 6), ("Mish", 18), ("ThresholdedRelu", 10), ("Sigmoid", 7), ("Tanh", 7), ("Erf", 9),
    ]),
    row("Swish", 24, X, oracle="evaluator"),
    row("Gelu", 20, X, approximate="tanh"),
    row("Elu", 13, X, alpha=0.5),
    row("HardSigmoid", 13, X, alpha=0.3, beta=0.4),
    row("Log", 13, positive(3, 4)),
    *(row(name, opset, EDGES, exact=True) for name, opset in [
        ("Relu", 7), ("Relu", 13), ("Relu", 14), ("Neg", 13), ("Abs", 13), ("Floor", 13),
        ("Ceil", 13), ("Round", 11), ("Reciprocal", 13), ("Sign", 13), ("IsNaN", 13),
    ]),
    row("Sqrt", 13, positive(3, 4), exact=True),
    row("LeakyRelu", 6, EDGES, exact=True),
    row("LeakyRelu", 16, EDGES, exact=True, alpha=0.25),
    row("PRelu", 9, X, floats(3, 1), exact=True),
    row("Relu", 14, codes(7, dtype=np.int8), exact=True),
    row("Abs", 13, codes(7, dtype=np.int32), exact=True),
    row("Sign", 13, ints(-(2**63), -5, 0, 7), exact=True),
    row("Sign", 13, codes(5), exact=True),
    row("IsNaN", 9, np.float32([np.nan, np.inf, -0.0]), exact=True),
    row("IsNaN", 13, np.float16([np.nan, -np.nan, 1]), exact=True),
    *(row(name, opset, x, open=True, oracle=oracle) for name, opset in [
        ("Tan", 7), ("Asin", 7), ("Acos", 7), ("Atan", 7), ("Sinh", 9), ("Cosh", 9), ("Asinh", 9), ("Acosh", 9), ("Atanh", 9),
      ] for x, oracle in [(np.float32([*EDGES, np.nan, 0.999, -0.999, 1e-20, 2.5]), "runtime"), (floats(200).astype(np.float64), "evaluator")]),
    *(row("IsInf", 10, np.append(EDGES, np.float32(np.nan)), exact=True, detect_positive=positive, detect_negative=negative)
      for positive in [0, 1] for negative in [0, 1]),
    row("IsInf", 20, EDGES.astype(np.float16), exact=True, oracle="evaluator"),
    *(row(name, 18, codes(2, 3, dtype=dtype), codes(3, dtype=dtype), exact=True, open=True)
      for name in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"] for dtype in [np.int8, np.uint32]),
    row("BitwiseNot", 18, codes(5, dtype=np.int16), exact=True),
    row("BitwiseNot", 18, codes(5), exact=True),
    *(row("BitShift", 11, np.array([255, 255, 3, 1], dtype), np.array([3, 8, 200, 64], dtype), exact=True, oracle="evaluator", direction=direction)
      for direction in ["LEFT", "RIGHT"] for dtype in [np.uint8, np.uint16, np.uint32]),
    *(row("BitShift", 28, np.int8([-4, 4, -128, 127, -4]), np.int8([0, 1, 7, 8, 100]), exact=True, oracle="evaluator", direction=direction)
      for direction in ["LEFT", "RIGHT"]),
    row("BitShift", 11, np.uint64([2**64 - 1, 7, 3]), np.uint64([0, 1, 63]), exact=True, direction="LEFT"),
    row("Not", 1, bools(5), exact=True),
    *(row(name, opset, RANDOM.normal(0, 1, a).astype(np.float32), positive(*b), exact=True)
      for a, b in SHAPES for name, opset in [("Add", 14), ("Div", 7)]),
    *(row(name, 13, X, floats(3, 4), exact=True, open=True) for name in ["Sub", "Mul", "Max", "Min"]),
    *(row(name, 13, ints(7, -7, 5), ints(2, 2, -3), exact=True) for name in ["Add", "Sub", "Mul", "Div"]),
    row("Mod", 13, ints(7, -7, 5, -6, -(2**63)), ints(2, 3, -3, -3, -1), exact=True),
    row("Mod", 10, ints(7, -7, 5, -6), ints(2, 2, -3, -3), exact=True, fmod=1),
    row("Mod", 13, EDGES[:14], EDGES[13:8:-1][:1], exact=True, fmod=1),
    row("Mod", 13, codes(20), codes(20) | 1, exact=True),
    row("Mod", 28, np.tile(EDGES[1:8], 2), np.repeat(EDGES[6:8] * np.float32([1, -0.4]), 7), exact=True, oracle="evaluator"),
    *(row(name, opset, floats(4), EDGES[:4], exact=True) for name, opset in [
        ("Equal", 11), ("Greater", 9), ("Less", 13), ("GreaterOrEqual", 16), ("LessOrEqual", 12)]),
    row("Less", 13, ints(1, 2, 3), ints(2, 2, 2), exact=True),
    *(row(name, 7, bools(2, 3), bools(3), exact=True) for name in ["And", "Or", "Xor"]),
    row("Where", 9, bools(2, 1), floats(3), floats(1, 3), exact=True),
    row("Where", 16, bools(2, 3), floats(2, 3), floats(), exact=True, open=True),
    *(row(name, 13, X, floats(3, 4), floats(4), exact=True) for name in ["Max", "Min"]),
    *(row(name, 13, X, floats(3, 4), floats(4)) for name in ["Sum", "Mean"]),
    row("Max", 8, X, exact=True),
    row("Pow", 13, positive(5), np.float32(0.7)),
    row("Pow", 15, X, np.float32(2), constant=(1,), exact=True),
    row("Pow", 7, X, np.float32(3), constant=(1,)),
    row("Pow", 13, X, ints(2)),
    row("Clip", 6, EDGES, exact=True, min=0.0, max=6.0),
    row("Clip", 11, EDGES, np.float32(-1), np.float32(6), constant=(1, 2), exact=True),
    row("Clip", 13, EDGES[:14], None, np.float32(6), exact=True),
    row("Clip", 12, codes(9, dtype=np.int8), np.int8(-3), np.int8(4), exact=True),
    *(row("Cast", 13, EDGES[:14], exact=True, to=to)
      for to in [TensorProto.INT64, TensorProto.INT32, TensorProto.FLOAT16, TensorProto.BOOL, TensorProto.DOUBLE]),
    row("Cast", 13, codes(5), exact=True, to=TensorProto.FLOAT),
    row("Cast", 13, codes(5, dtype=np.int8), exact=True, to=TensorProto.INT64),
    row("Cast", 9, ints(300, -1), exact=True, to=TensorProto.UINT8),
    row("CastLike", 15, EDGES[:14], ints(1), exact=True),
    *(row(name, 13, X.astype(np.float16), floats(4).astype(np.float16), exact=True) for name in ["Add", "Mul"]),
]  # fmt: skip

PRODUCTS = [
    *(row("MatMul", 13, floats(*a), floats(*b), open=is_open) for a, b in [
        ((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)), ((0, 4), (4, 5))] for is_open in [False, True]),
    row("MatMul", 9, floats(2, 3, 4), floats(2, 4, 5)),
    row("Gemm", 7, floats(3, 4), floats(4, 5), floats(5)),
    row("Gemm", 9, floats(4, 3), floats(5, 4), floats(3, 1), transA=1, transB=1, alpha=0.5, beta=2.0),
    row("Gemm", 11, floats(3, 4), floats(5, 4), transB=1, open=True),
    row("Gemm", 13, floats(3, 4), floats(4, 5), floats(), beta=0.5),
    *(row("Einsum", 12, *(floats(*shape) for shape in shapes), open=is_open, equation=equation)
      for is_open in [False, True] for equation, *shapes in [
        ("i j -> j i", (2, 3)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("iji->j", (3, 2, 3)), ("ij->", (2, 3)), ("Ab,bA", (2, 3), (3, 2)),
        (",->", (), ()), ("i,->i", (3,), ()), ("ij,jk", (2, 0), (0, 3)), ("ij,j->i", (1, 1), (1,)), ("ij,ij->i", (3, 4), (3, 1)),
        ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("i,i,i->", (3,), (3,), (3,)), ("i,j,k->kji", (2,), (3,), (4,)), ("ij,kj,kl->il", (1, 4), (3, 4), (3, 1)),
        ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)), ("bhij,bhjd->bihd", (2, 3, 4, 6), (2, 3, 6, 5)),
        ("i...j", (2, 3, 4)), ("...ii->...i", (2, 3, 3)), ("i...j,j...->...i", (2, 3, 4), (4, 3)), ("...i,...i->...", (2, 3), (1, 3))]),
    *(row("Einsum", 12, *(floats(*shape) for shape in shapes), open=is_open, equation=equation, oracle="evaluator")
      for is_open in [False, True] for equation, *shapes in [
        ("b...,b...->b...", (2, 3, 4), (2, 4)), ("...ij,...jk->...ik", (5, 1, 2, 3), (4, 3, 2)), ("...,...,...", (2, 1, 3), (1, 3), (4, 1))]),
    *(row("Einsum", 12, codes(2, 3, dtype=dtype), codes(3, 4, dtype=dtype), exact=True, equation="ij,jk->ik", oracle="evaluator")
      for dtype in [np.int8, np.uint8, np.int32, np.int64]),
    row("Einsum", 12, floats(2, 3).astype(np.float64), floats(3, 4).astype(np.float64), equation="ij,jk->ik"),
    row("Einsum", 12, np.float16([[1, 2], [3, 4]]), np.float16([[0.5, 8], [1, -2]]), exact=True, equation="ij,jk->ik"),
    row("Einsum", 12, np.float32([[-0.0, np.nan], [np.inf, 1]]), exact=True, equation="ij->ji"),
    row("Conv", 11, IMAGE, floats(6, 4, 3, 3), floats(6), pads=[1, 1, 1, 1]),
    row("Conv", 1, IMAGE, floats(6, 4, 3, 2), strides=[2, 1], pads=[0, 1, 2, 0]),
    row("Conv", 11, IMAGE, floats(4, 1, 3, 3), floats(4), group=4, dilations=[2, 1]),
    row("Conv", 11, IMAGE, floats(6, 2, 3, 3), floats(6), group=2, strides=[2, 2]),
    row("Conv", 11, IMAGE, floats(8, 1, 3, 3), group=4),
    row("Conv", 22, IMAGE, floats(6, 4, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2]),
    row("Conv", 11, IMAGE, floats(6, 4, 2, 2), auto_pad="SAME_LOWER"),
    row("Conv", 11, IMAGE, floats(6, 4, 3, 3), auto_pad="VALID", open=True),
    row("Conv", 11, LINE, floats(6, 4, 3), floats(6), pads=[1, 0]),
    row("Conv", 11, LINE, floats(4, 2, 3), group=2),
    *(row("Conv", 11, floats(2, 4, 3, 3), floats(32, 4 // group, 3, 3), floats(32), constant=(1, 2), open=is_open, pads=[1, 1, 1, 1], group=group)
      for group in [1, 2] for is_open in [False, True]),
    row("Conv", 11, floats(2, 3, 8, 24), floats(32, 3, 4, 4), constant=(1,), strides=[4, 4]),
    row("Conv", 11, floats(1, 32, 2, 2), floats(32, 1, 5, 5), floats(32), constant=(1, 2), pads=[2, 2, 2, 2], group=32),
    row("Conv", 11, floats(2, 4, 9, 1), floats(6, 4, 3, 1), floats(6), pads=[2, 0, 1, 0], strides=[2, 1], dilations=[2, 1]),
    row("Conv", 11, floats(2, 4, 1, 9), floats(4, 2, 1, 3), group=2, open=True),
    row("Conv", 11, floats(2, 4, 9, 1), floats(4, 1, 3, 1), group=4),
    row("Conv", 11, floats(2, 4, 1, 1), floats(6, 4, 1, 1)),
    row("Conv", 11, floats(1, 2, 1, 5, 1), floats(3, 2, 1, 2, 1)),
    row("Conv", 11, CUBE, floats(3, 4, 2, 2, 2)),
    row("Conv", 11, CUBE, floats(4, 1, 2, 2, 2), group=4),
    row("ConvTranspose", 11, IMAGE, floats(4, 3, 3, 3), floats(3)),
    row("ConvTranspose", 1, IMAGE, floats(4, 3, 2, 2), strides=[2, 2]),
    row("ConvTranspose", 11, IMAGE, floats(4, 3, 3, 3), strides=[2, 3], pads=[1, 0, 1, 2], output_padding=[1, 1]),
    row("ConvTranspose", 11, IMAGE, floats(4, 2, 3, 3), group=2, dilations=[2, 2]),
    row("ConvTranspose", 11, IMAGE, floats(4, 3, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER"),
    row("ConvTranspose", 11, IMAGE, floats(4, 3, 3, 3), strides=[2, 2], output_shape=[18, 17]),
    row("ConvTranspose", 11, LINE, floats(4, 3, 3), strides=[2], pads=[3, 2], open=True),
    row("ConvTranspose", 11, IMAGE, floats(4, 3, 3, 3), strides=[2, 2], auto_pad="SAME_LOWER", open=True),
    row("ConvTranspose", 11, LINE, floats(4, 3, 16), floats(3), strides=[8], pads=[4, 4], constant=(1,)),
    row("ConvTranspose", 11, LINE, floats(4, 3, 2), floats(3), strides=[5], output_padding=[4]),
    row("ConvTranspose", 11, floats(1, 4, 1, 3), floats(4, 3, 2, 3), strides=[1000000, 2], pads=[0, 1, 1, 0]),
    row("ConvTranspose", 11, IMAGE, floats(4, 3, 4, 3), strides=[4, 3], dilations=[2, 6], constant=(1,), open=True),
    row("ConvTranspose", 11, IMAGE, floats(4, 2, 5, 5), group=2, strides=[3, 2], dilations=[2, 1], pads=[1, 2, 0, 3]),
    row("ConvTranspose", 11, IMAGE, floats(4, 1, 4, 4), group=4, strides=[2, 2], pads=[1, 1, 1, 1], open=True),
    row("ConvTranspose", 11, CUBE, floats(4, 1, 2, 3, 2), group=4, strides=[2, 2, 3]),
    row("ConvTranspose", 11, floats(1, 1, 3, 3), np.float32([np.inf, 1, -1, np.nan]).reshape(1, 1, 2, 2), strides=[2, 2]),
]  # fmt: skip

POOLS = [
    row("MaxPool", 12, IMAGE, exact=True, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    row("MaxPool", 8, IMAGE, exact=True, kernel_shape=[2, 2], open=True),
    row("MaxPool", 10, IMAGE, exact=True, kernel_shape=[2, 2], strides=[2, 3], ceil_mode=1, dilations=[2, 1]),
    row("MaxPool", 12, codes(1, 2, 5, 5), exact=True, kernel_shape=[2, 2], pads=[1, 1, 0, 0]),
    row("MaxPool", 12, codes(1, 2, 5, 5, dtype=np.int8), exact=True, kernel_shape=[2, 2], pads=[1, 1, 0, 0]),
    row("MaxPool", 11, LINE, exact=True, kernel_shape=[3], auto_pad="SAME_UPPER", strides=[2]),
    row("MaxPool", 11, CUBE, exact=True, kernel_shape=[2, 2, 2]),
    row("AveragePool", 7, IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    row("AveragePool", 11, IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1, open=True),
    row("AveragePool", 11, IMAGE, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1),
    row("AveragePool", 19, IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], dilations=[2, 2]),
    row("AveragePool", 11, LINE, kernel_shape=[4], auto_pad="SAME_LOWER"),
    row("GlobalAveragePool", 1, IMAGE, open=True),
    row("GlobalMaxPool", 1, CUBE, exact=True),
    *(row(name, opset, IMAGE, p=p, open=is_open, **how) for p, is_open in [(1, False), (2, True), (3, False)] for name, opset, how in [
        ("LpPool", 18, {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}), ("GlobalLpPool", 2, {})]),
    row("LpPool", 22, IMAGE, kernel_shape=[2, 2], strides=[2, 3], ceil_mode=1, dilations=[2, 1]),
    # The last windows begin behind the input, and do not count.
    *(row("MaxPool", 12, x, exact=True, kernel_shape=[1], strides=[2], ceil_mode=1) for x in [LINE[:, :, 1:], LINE]),
    *(row(name, opset, IMAGE, exact=name == "MaxPool", kernel_shape=[3, 2], strides=[3, 2], pads=[1, 0, 1, 1], ceil_mode=1)
      for name, opset in [("MaxPool", 11), ("AveragePool", 12), ("AveragePool", 19)]),
    row("MaxPool", 12, IMAGE, exact=True, kernel_shape=[2, 2], strides=[5, 2], pads=[1, 0, 1, 1], dilations=[3, 1], ceil_mode=1),
    row("LpPool", 11, LINE, kernel_shape=[4], auto_pad="SAME_LOWER"),
]  # fmt: skip

#: Of infinities, a NaN, and powers beyond f32.
SUMS = np.float32(
    [[1, 2, 3], [-np.inf] * 3, [np.inf, 1, -np.inf], [np.nan, 1, 2], [1e3, 1e3, 1], [-1e3] * 3]
)
REDUCTIONS = [
    *(row(name, 13, X, axes=[1]) for name in ["ReduceL1", "ReduceL2", "ReduceMean", "ReduceProd", "ReduceSumSquare"]),
    *(row(name, 18, X, ints(-1, 0), constant=(1,), keepdims=0)
      for name in ["ReduceMean", "ReduceSum", "ReduceL2", "ReduceProd"]),
    *(row(name, 13, X, exact=True, axes=[-2], keepdims=0) for name in ["ReduceMax", "ReduceMin"]),
    *(row(name, 18, codes(3, 4, dtype=dtype), exact=True)
      for dtype in [np.int8, np.uint8] for name in ["ReduceMax", "ReduceMin"]),
    *(row(name, 13, SUMS, axes=[1], open=is_open) for name in ["ReduceLogSum", "ReduceLogSumExp"] for is_open in [False, True]),
    *(row(name, opset, np.abs(X), *axes, constant=(1,), **how) for name in ["ReduceLogSum", "ReduceLogSumExp"] for opset, axes, how in [
        (11, [], {"axes": [-2, 0], "keepdims": 0}), (13, [], {}), (18, [ints(1)], {}), (18, [ints()], {"noop_with_empty_axes": 1})]),
    *(row(name, 18, floats(0, 2), ints(0), constant=(1,), open=True) for name in ["ReduceLogSum", "ReduceLogSumExp"]),
    row("ReduceLogSumExp", 18, np.float32(3)),
    row("ReduceL2", 18, -X, ints(), constant=(1,), noop_with_empty_axes=1),
    row("ReduceMean", 11, X),
    row("ReduceMean", 18, X, ints(2), constant=(1,), open=True),
    row("ReduceSum", 13, X, ints(1), constant=(1,)),
    row("ReduceSum", 13, ints(1, 2, 3), exact=True, keepdims=0),
    row("ReduceSum", 13, X, ints(), constant=(1,), noop_with_empty_axes=1),
    row("ReduceSum", 11, X, axes=[0, 2]),
]  # fmt: skip

#: Rows whose norm is 0, infinite or NaN.
ZEROS = np.float32([[0, 0], [3, 4], [-0.0, 0], [np.inf, 1], [np.nan, 0]])
#: NaN first, in the middle and last; equal elements.
TIES = np.float32([
    [np.nan, 1, 3], [1, np.nan, 3], [3, np.nan, 1], [1, 3, np.nan], [np.nan] * 3, [0, -0.0, 0], [-0.0, 0, -0.0], [-np.inf] * 3,
])  # fmt: skip
NORMALIZATIONS = [
    row("Softmax", 13, X),
    row("Softmax", 13, X, axis=1, open=True),
    row("Softmax", 11, X, axis=1),
    row("Softmax", 11, X, axis=1, open=True),
    row("Softmax", 7, X, axis=2),
    row("LogSoftmax", 13, X, axis=0),
    row("LogSoftmax", 11, X),
    row("LayerNormalization", 17, X, floats(4), floats(4)),
    row("LayerNormalization", 17, X, floats(3, 4), axis=1, epsilon=0.01, open=True),
    *(row("Hardmax", opset, TIES, exact=True, axis=axis, open=is_open)
      for opset, axis in [(13, 1), (11, 1), (11, 0)] for is_open in [False, True]),
    row("Hardmax", 13, X, exact=True, axis=1),
    row("Hardmax", 11, X, exact=True, axis=1),
    row("Hardmax", 1, floats(2, 0, 3).astype(np.float32), exact=True),
    *(row("LpNormalization", 1, ZEROS, p=p, axis=axis, open=is_open)
      for p in [1, 2] for axis in [0, -1] for is_open in [False, True]),
    row("LRN", 13, IMAGE, size=3, alpha=0.5, beta=0.7, bias=2.0, open=True),
    row("LRN", 1, IMAGE, size=5),
    row("RMSNormalization", 23, X, floats(4), oracle="evaluator"),
    row("BatchNormalization", 9, IMAGE, floats(4), floats(4), floats(4), positive(4), epsilon=0.001),
    row("BatchNormalization", 15, floats(3, 4), floats(4), floats(4), floats(4), positive(4)),
    row("InstanceNormalization", 6, IMAGE, floats(4), floats(4)),
]  # fmt: skip

SHAPED = [
    row("Reshape", 5, X, ints(4, -1), constant=(1,)),
    row("Reshape", 14, X, ints(0, 2, 6), constant=(1,), open=True),
    row("Reshape", 13, X, ints(-1), constant=(1,), open=True),
    row("Reshape", 14, X, ints(0, -1), constant=(1,), open=True),
    row("Reshape", 14, X, ints(3, 8), constant=(1,)),
    row("Reshape", 14, floats(0, 3), ints(3, 0), constant=(1,), allowzero=1),
    row("Reshape", 14, floats(1, 1), ints(), constant=(1,)),
    row("Reshape", 14, floats(), ints(1, 1), constant=(1,)),
    row("Reshape", 13, codes(2, 6), ints(3, 4), constant=(1,)),
    *(row("Reshape", 14, X, ints(*sizes), open=is_open) for is_open in [False, True]
      for sizes in [(4, 6), (4, -1), (0, 0, 2, -1), (-1,), (0, -1), (24, 1)]),
    row("Reshape", 14, floats(0, 3), ints(0, 7, 0), open=True, allowzero=1),
    row("Reshape", 14, floats(0, 3), ints(-1, 3), open=True),
    row("Range", 11, np.int64(2), np.int64(11), np.int64(3)),
    row("Range", 11, np.int32(5), np.int32(-4), np.int32(-1)),
    row("Range", 11, np.int64(5), np.int64(2), np.int64(1)),
    row("Range", 11, np.int64(7), np.int64(-9), np.int64(-5)),
    row("Range", 11, np.int16(-32768), np.int16(32767), np.int16(21845)),
    row("Range", 11, np.float32(1), np.float32(2), np.float32(0.25)),
    row("Range", 11, np.float64(0), np.float64(-1), np.float64(-0.3)),
    row("Range", 11, np.int64(0), np.int64(4), np.int64(1), constant=(0, 2)),
    *(row("Flatten", 9, X, axis=axis, open=is_open) for axis in [0, 1, 2, 3] for is_open in [False, True]),
    row("Flatten", 13, X, axis=-1),
    row("Squeeze", 11, floats(1, 3, 1), axes=[0]),
    row("Squeeze", 13, floats(1, 3, 1), ints(-1), constant=(1,), open=True),
    row("Squeeze", 13, floats(1, 3, 1)),
    row("Unsqueeze", 11, X, axes=[0, 4]),
    row("Unsqueeze", 13, X, ints(-1, 1), constant=(1,), open=True),
    row("Unsqueeze", 13, floats(), ints(0), constant=(1,)),
    row("Transpose", 1, X),
    row("Transpose", 13, X, perm=[1, 2, 0], open=True),
    row("Transpose", 13, codes(2, 3), perm=[1, 0]),
    row("Transpose", 13, floats()),
    row("DepthToSpace", 11, floats(2, 8, 2, 3), blocksize=2),
    row("DepthToSpace", 13, floats(2, 8, 2, 3), blocksize=2, mode="CRD"),
    row("SpaceToDepth", 13, floats(2, 3, 4, 6), blocksize=2),
    row("SpaceToDepth", 28, floats(2, 3, 4, 6), blocksize=2, mode="CRD", oracle="evaluator"),
    row("Expand", 8, floats(3, 1), ints(2, 1, 4), constant=(1,)),
    row("Expand", 13, floats(3, 1), ints(2, 1, 4)),
    *(row("Expand", 13, floats(*own), ints(*sizes), constant=constant, open=True)
      for constant in [(), (1,)]
      for own, sizes in [((3, 1), (3, 4)), ((1, 1), (3, 4)), ((3, 4), (1, 1)), ((0, 1), (1, 4)), ((1, 3), (0, 1))]),
    row("Tile", 6, floats(2, 3), ints(2, 3), constant=(1,), open=True),
    row("Tile", 13, floats(2, 3), ints(0, 3), open=True),
    row("Shape", 13, X, open=True),
    row("Shape", 15, X, start=1),
    *(row("Size", 13, floats(*shape), open=True) for shape in [(2, 3, 4), (), (0, 3)]),
    row("Size", 1, codes(2, 3)),
    *(row("EyeLike", 9, floats(3, 4), k=k, open=is_open) for k in [-1, 0, 1, 10, -(2**62)] for is_open in [False, True]),
    row("EyeLike", 9, codes(4, 3, dtype=np.int32), dtype=TensorProto.FLOAT),
    row("EyeLike", 22, floats(4, 3), dtype=TensorProto.UINT8, oracle="evaluator"),
    row("EyeLike", 9, floats(0, 3), open=True),
    *(row("OneHot", 11, ints([0, -1, 3], [-3, -4, 2]), np.array(3), np.float32([5, 7]), constant=constant, open=is_open, axis=axis)
      for axis in [0, 1, -1, -3] for is_open, constant in [(False, (1, 2)), (True, ())]),
    row("OneHot", 9, ints(0, 1), ints(4), ints(1, 3)),
    row("OneHot", 11, np.float32([1, -1, 2.5, 9]), np.float32(3), np.float32([0, 1]), open=True),
    row("OneHot", 11, ints(1, 0), np.float32(3), np.int32([0, 1]), constant=(1,), oracle="evaluator"),
    row("OneHot", 11, np.int32([1, 0]), np.int32(3), np.float32([0, 1])),
    row("OneHot", 11, np.uint8([0, 200]), np.array(201), np.uint8([1, 3]), oracle="evaluator"),
    row("OneHot", 11, np.array(2), np.array(3), np.float32([0, 1]), oracle="evaluator"),
    row("ConstantOfShape", 9, ints(2, 3), constant=(0,), value=numpy_helper.from_array(np.array([7], np.int64))),
    row("ConstantOfShape", 9, ints(2, 3)),
    row("Identity", 13, X),
    row("Dropout", 7, X),
    row("Dropout", 13, X, np.float32(0.5)),
]  # fmt: skip

SLICES = [
    row("Slice", 1, X, starts=[0, 1], ends=[2, 100], axes=[1, 2]),
    row("Slice", 10, X, ints(-3), ints(-1), ints(2), constant=(1, 2, 3)),
    row("Slice", 13, X, ints(0, 3), ints(3, -100), ints(1, 2), ints(2, -2), constant=(1, 2, 3, 4)),
    row("Slice", 13, X, ints(1, -9), ints(2**63 - 1, -1), ints(0, 2), constant=(1, 2, 3), open=True),
    row("Slice", 13, X, ints(-1), ints(-(2**63)), ints(2), ints(-1), constant=(1, 2, 3, 4), open=True),
    row("Slice", 13, X, ints(2), ints(1), ints(2), constant=(1, 2, 3), open=True),
    row("Slice", 13, codes(4, 4), ints(1), ints(4), ints(-1), ints(2), constant=(1, 2, 3, 4)),
    row("Slice", 13, X, ints(3), ints(9), ints(1), constant=(1, 2, 3)),
    *(row("Slice", 13, X, ints(start), ints(end), ints(2), ints(step), constant=(3, 4), open=is_open)
      for is_open in [False, True]
      for start, end, step in [(1, 3, 1), (-3, -1, 1), (-9, 2**63 - 1, 1), (3, 1, 1), (-1, -(2**63), -2), (9, -9, -1), (4, 9, 1)]),
    row("Concat", 4, X, floats(2, 1, 4), floats(2, 0, 4), axis=1),
    row("Concat", 13, X, floats(5, 3, 4), axis=-3, open=True),
    row("Concat", 13, codes(2, 3), codes(2, 1), axis=1),
    *(row("Pad", 18, X, ints(*pads), None, ints(0, -1), constant=(3,), open=is_open)
      for is_open in [False, True] for pads in [(1, 2, 0, 3), (-1, 2, 1, -1), (0, -2, 0, -2), (0, 0, -2, 1)]),
    row("Pad", 2, X, pads=[0, 1, 0, 2, 0, 1], value=1.5),
    row("Pad", 11, X, ints(0, 1, 0, 2, 0, 1), np.float32(2), constant=(1,)),
    row("Pad", 13, X, ints(0, -1, 1, 0, 0, -2), constant=(1,)),
    row("Pad", 18, X, ints(1, 2), None, ints(-1), constant=(1, 3), open=True),
    row("Pad", 13, codes(2, 3), ints(1, 0, 0, 1), np.uint8(9), constant=(1, 2)),
    row("Pad", 13, X, ints(0, 2, 3, 1, 0, 0), constant=(1,), mode="reflect"),
    row("Pad", 13, X, ints(0, 5, 3, 1, 0, 0), constant=(1,), mode="edge"),
    row("Pad", 19, X, ints(0, 2, 3, 1, 0, 0), constant=(1,), mode="wrap"),
    row("Gather", 1, X, ints(2, 0), axis=1),
    row("Gather", 13, X, ints(-1), axis=-1, constant=(1,)),
    row("Gather", 13, X, np.array(-2), axis=1, constant=(1,)),
    *(row("Gather", 13, X, indices, axis=axis, open=True)
      for axis in [0, 1, -1] for indices in [ints(1, -1), np.array(0), np.int32([[0, 1], [-2, -1]])]),
    row("GatherElements", 11, X, RANDOM.integers(-3, 3, (2, 2, 4)), axis=1),
    row("GatherElements", 13, X, RANDOM.integers(-4, 4, (2, 3, 7)).astype(np.int32), axis=-1, open=True),
    row("GatherElements", 13, codes(5), ints(4, -5, 0), open=True),
    row("GatherND", 11, X, ints([0, 1], [-1, 2])),
    row("GatherND", 12, X, ints([[0], [2]], [[1], [-3]]), batch_dims=1, open=True),
    row("GatherND", 13, X, ints([1, 2, 3]), open=True),
    row("GatherND", 13, codes(4, 2), ints([[3]], [[0]]), constant=(1,)),
    *(row("CumSum", 14, ints([1, 2, 3], [4, 5, 6]), np.array(axis), constant=(1,), open=is_open, **how)
      for axis in [0, -1] for is_open in [False, True]
      for how in [{}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}]),
    row("CumSum", 11, floats(3, 0, 2), np.array(1), constant=(1,)),
    row("CumSum", 11, floats(7, 5), ints(0), constant=(1,)),
    row("Gather", 13, floats(5, 3), np.int32([[0, 4], [-5, 1]])),
    row("Gather", 11, ints(5, 6, 7), np.array(1), constant=(1,)),
]  # fmt: skip

SELECTIONS = [
    *(
        row(name, 13, TIES, axis=axis, keepdims=axis, select_last_index=last, open=is_open)
        for name in ["ArgMax", "ArgMin"]
        for axis in [0, 1]
        for last in [0, 1]
        for is_open in [False, True]
    ),
    *(
        row(name, 13, codes(3, 5, 2, dtype=dtype) & 3, axis=-2)
        for name in ["ArgMax", "ArgMin"]
        for dtype in [np.int8, np.uint8, np.int32, np.int64]
    ),
    row("ArgMax", 13, codes(3, 5, dtype=np.uint32), axis=1, oracle="evaluator"),
    row("ArgMax", 11, X.astype(np.float16)),
    row("ArgMax", 13, floats(0, 2), axis=1, keepdims=0, open=True),
    row("ArgMin", 13, X.astype(np.float64), axis=2),
]

#: Places that are written twice, but without a reduction.
SCATTERS = [
    row("Scatter", 9, X, ints([[2, 0, 1, -1]]), floats(1, 1, 4), axis=1),
    *(row("ScatterElements", 11, X, np.int32([[[0, -1], [2, 3]]]), floats(1, 2, 2), axis=-1, open=is_open)
      for is_open in [False, True]),
    row("ScatterElements", 13, codes(5), ints(4, -5, 0), codes(3), constant=(1,)),
    row("ScatterElements", 16, floats(0, 3), np.zeros((0, 3), np.int64), floats(0, 3), open=True),
    *(row("ScatterElements", 18, codes(3, 4, dtype=dtype), RANDOM.integers(-3, 3, (9, 3)), codes(9, 3, dtype=dtype), reduction=how)
      for dtype in [np.int8, np.uint8, np.int64] for how in ["add", "mul", "max", "min"]),
    *(row(name, 18, floats(7), RANDOM.integers(-7, 7, shape), floats(30), reduction=how, open=is_open)
      for name, shape in [("ScatterElements", 30), ("ScatterND", (30, 1))]
      for how in ["add", "mul", "max", "min"] for is_open in [False, True]),
    row("ScatterElements", 18, floats(4).astype(np.float16), ints(0, 0, 0, 1), floats(4).astype(np.float16), reduction="add", oracle="evaluator"),
    row("ScatterElements", 18, EDGES[:4], ints(0, 1, 2, 3), np.float32([np.nan, 1, np.nan, -np.inf]), reduction="max"),
    row("ScatterND", 11, X, ints([0, 1], [-1, 2]), floats(2, 4)),
    row("ScatterND", 13, X, ints([[1], [-2]]), floats(1, 2, 3, 4), open=True),
    row("ScatterND", 13, X, ints(1, -1, 0), floats(), open=True),
    row("ScatterND", 16, X, ints(-1), floats(3, 4), constant=(1,)),
    row("ScatterND", 16, codes(4, 2), np.zeros((0, 1), np.int64), codes(0, 2)),
    *(row("ScatterND", 18, np.bool_([1, 0, 1, 0]), ints([0], [1], [2], [3]), np.bool_([1, 1, 0, 0]), reduction=how)
      for how in ["add", "mul"]),
]  # fmt: skip

SCALES = np.array([1, 1, 2, 1.5], np.float32)
MODES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
RESIZES = [
    *(row("Resize", 11, IMAGE, floats(0), SCALES, constant=(1, 2), mode=mode, coordinate_transformation_mode=how)
      for how in MODES for mode in ["nearest", "linear"]),
    *(row("Resize", 13, IMAGE, None, np.array([1, 1, 0.6, 2.3], np.float32), constant=(2,), nearest_mode=how)
      for how in ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]),
    *(row("Resize", 13, codes(2, 3, 5, 4, dtype=dtype), None, None, ints(2, 3, *size), constant=(3,), mode="linear")
      for dtype in (np.uint8, np.int8) for size in [(10, 8), (3, 7)]),
    *(row("Trilu", 14, floats(2, 4, 5), *k, constant=(1,), exact=True, open=is_open, upper=upper)
      for k, is_open in [((), True), ((np.int64(-2),), False), ((np.int64(9),), False)] for upper in (0, 1)),
    row("Trilu", 14, ints(*range(12)).reshape(3, 4), np.int64(1), constant=(1,), exact=True),
    row("Resize", 13, IMAGE, None, None, ints(2, 4, 5, 16), constant=(3,), mode="linear"),
    row("Resize", 18, IMAGE, None, np.array([2, 2], np.float32), constant=(2,), axes=[2, 3]),
    row("Resize", 10, IMAGE, SCALES, constant=(1,)),
    row("Resize", 10, IMAGE, SCALES, constant=(1,), mode="linear"),
    row("Upsample", 7, IMAGE, scales=[1.0, 1.0, 2.0, 2.0]),
    row("Upsample", 9, IMAGE, SCALES, constant=(1,), mode="linear"),
    row("Resize", 13, codes(1, 1, 3, 3), None, SCALES, constant=(2,), coordinate_transformation_mode="asymmetric"),
]  # fmt: skip

#: Sizes or scales that are arguments, and open sizes of X.
OPEN_RESIZES = [
    *(row("Resize", 13, IMAGE, None, SCALES * np.float32(size), open=size[2] < 1, mode=mode, coordinate_transformation_mode=how)
      for mode, how in [("nearest", "asymmetric"), ("nearest", "align_corners"), ("cubic", "half_pixel")]
      for size in [[1, 1, 1, 1], [1, 1, 0.3, 0.9]]),
    *(row("Resize", 19, IMAGE, None, None, ints(2, 4, *size), open=size[0] > 9, mode=mode, coordinate_transformation_mode=how)
      for mode, hows in [("nearest", MODES), ("linear", ["half_pixel"]), ("cubic", ["align_corners", "half_pixel_symmetric", "tf_half_pixel_for_nn"])]
      for how, size in zip(hows, [(17, 13), (4, 5), (1, 9), (17, 5)])),
    *(row("Resize", 13, IMAGE, None, np.float32([1, 1, 0.6, 2.3]), constant=(2,), open=True, nearest_mode=how)
      for how in ["floor", "ceil", "round_prefer_ceil"]),
    row("Resize", 13, codes(2, 3, 5, 4), None, None, ints(2, 3, 10, 8), open=True, mode="linear"),
    row("Resize", 19, IMAGE, None, None, ints(2, 4, 12, 5), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5, open=True),
    row("Resize", 18, IMAGE, None, None, ints(5, 16), open=True, mode="linear", axes=[2, 3]),
    row("Resize", 13, floats(1, 3, 1, 1), None, None, ints(1, 3, 2, 5), open=True, mode="cubic"),
    row("Resize", 10, IMAGE, SCALES, constant=(1,), open=True, mode="linear"),
    row("Resize", 10, IMAGE, np.float32([1, 1, 0.6, 2]), open=True),
    row("Upsample", 9, IMAGE, SCALES, constant=(1,), open=True),
]  # fmt: skip

CUBIC = [
    *(row("Resize", 11, IMAGE, floats(0), scales, constant=(1, 2), exact=True, mode="cubic", coordinate_transformation_mode=how)
      for how in MODES for scales in [SCALES, np.float32([1, 1, 0.6, 2.3])]),
    *(row("Resize", 19, IMAGE, None, SCALES, constant=(2,), mode="cubic", coordinate_transformation_mode=how, exclude_outside=outside)
      for how in [*MODES, "half_pixel_symmetric", "tf_half_pixel_for_nn"] for outside in [0, 1]),
    row("Resize", 13, IMAGE, None, np.float32([1, 1, 0.3, 0.25]), constant=(2,), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5),
    row("Resize", 13, floats(1, 3, 1, 1), None, None, ints(1, 3, 2, 5), constant=(3,), mode="cubic"),
    row("Resize", 18, X, None, np.float32([1.7]), constant=(2,), mode="cubic", axes=[1], oracle="evaluator"),
]  # fmt: skip

#: Places in each direction, at the borders and far beyond them.
GRID = np.concatenate([
    RANDOM.uniform(-1.7, 1.7, (2, 3, 8, 2)),
    [[[[-1, -1], [1, 1], [-1, 1], [0, 0], [1, -1], [0.5, -0.5], [-3, 9], [100, -77]]]] * 2,
], axis=1).astype(np.float32)  # fmt: skip
GRIDS = [
    *(row("GridSample", 16, floats(2, 3, 5, 4), GRID, mode=mode, padding_mode=padding, align_corners=aligns, open=mode == "nearest")
      for mode in ["bilinear", "nearest"] for padding in ["zeros", "border", "reflection"] for aligns in [0, 1]),
    *(row("GridSample", 20, floats(1, 2, 3, 4, 5), RANDOM.uniform(-1.7, 1.7, (1, 2, 3, 4, 3)).astype(np.float32), padding_mode=padding)
      for padding in ["zeros", "border", "reflection"]),
    row("GridSample", 16, floats(2, 3, 5, 4), GRID, open=True),
    row("GridSample", 20, floats(1, 2, 3), floats(1, 5, 1), oracle="evaluator"),
    row("GridSample", 16, floats(1, 2, 1, 1), GRID[:1], padding_mode="reflection"),
]  # fmt: skip

SPARSE = floats(3, 4, 5) * bools(3, 4, 5)
PLACES = [
    row("NonZero", 13, SPARSE, exact=True),
    row("NonZero", 13, SPARSE, exact=True, open=True),
    row("NonZero", 9, np.array([0.0, -0.0, np.nan, 1e-45, -np.inf], np.float32), exact=True),
    row("NonZero", 13, bools(7, 3), exact=True),
    row("NonZero", 13, codes(3, 1), exact=True),
    row("NonZero", 13, np.zeros((2, 3), np.int64), exact=True),
    row("NonZero", 13, floats(0, 3), exact=True, open=True),
]

#: Of a length, real or complex, along an axis. ONNX Runtime is off by up to 2e-3 in f32.
FOURIER = [
    *(row("DFT", 20, floats(2, n, parts).astype(dtype), inverse=inverse, oracle="evaluator")
      for dtype, lengths in [(np.float32, [1, 5, 12]), (np.float64, [67, 96, 201])]
      for n in lengths for parts in (1, 2) for inverse in (0, 1)),
    row("DFT", 20, floats(2, 6, 3, 2), None, np.int64(1), constant=(2,), oracle="evaluator"),
    row("DFT", 20, floats(2, 6, 3, 1), None, np.int64(-4), constant=(2,), onesided=1, oracle="evaluator"),
    row("DFT", 20, floats(2, 6, 1), np.int64(9), constant=(1,), oracle="evaluator"),
    row("DFT", 20, floats(2, 6, 1), np.int64(5), constant=(1,), onesided=1, oracle="evaluator"),
    row("DFT", 17, floats(2, 6, 3, 1), oracle="evaluator"),
    row("DFT", 17, floats(2, 6, 8, 2), axis=2, inverse=1),
    row("DFT", 17, floats(2, 128, 1).astype(np.float64), np.int64(160), constant=(1,), onesided=1, oracle="evaluator"),
]  # fmt: skip

BLOCKS = [
    row("Col2Im", 18, floats(2, 12, 12), ints(6, 7), ints(2, 2), constant=(1, 2), pads=[0, 0, 0, 0], strides=[1, 2], dilations=[2, 1]),
    row("Col2Im", 18, floats(1, 18, 16), ints(8, 8), ints(3, 3), constant=(1, 2), pads=[1, 1, 1, 1], strides=[2, 2]),
    row("Col2Im", 18, floats(1, 5, 5), ints(5, 5), ints(1, 5), constant=(1, 2)),
    row("Col2Im", 18, floats(1, 10, 12), ints(3, 4, 5), ints(1, 1, 5), constant=(1, 2)),
    row("Col2Im", 18, floats(1, 4, 4), ints(4, 4), ints(2, 2), constant=(1, 2), strides=[2, 2]),
]  # fmt: skip


def recurrent(
    operator, opset, gates, *, directions=1, bias=True, states=0, open=False, **attributes
):
    """Sequences of 5 steps, 2 in a batch, 3 inputs, 4 hidden units."""
    operands = [floats(5, 2, 3), floats(directions, gates * 4, 3), floats(directions, gates * 4, 4)]
    operands += [floats(directions, 8 * gates) if bias else None, None]
    operands += [floats(directions, 2, 4) for _ in range(states)]
    return row(operator, opset, *operands, constant=(1, 2), open=open, hidden_size=4, **attributes)


RECURRENT = [
    *(recurrent(name, opset, gates, states=states, directions=1 + (how == "bidirectional"), direction=how)
      for name, gates, states in [("LSTM", 4, 2), ("GRU", 3, 1)] for opset in (7, 14)
      for how in ["forward", "reverse", "bidirectional"]),
    recurrent("LSTM", 22, 4, bias=False, open=True),
    recurrent("LSTM", 14, 4, activations=["Sigmoid", "Tanh", "Tanh"]),
    recurrent("GRU", 22, 3, bias=False, open=True),
    recurrent("GRU", 14, 3, linear_before_reset=1),
    recurrent("GRU", 14, 3, linear_before_reset=1, directions=2, direction="bidirectional", states=1),
    recurrent("RNN", 14, 1),
]  # fmt: skip
for moved in (*SHAPED, *SLICES, *SELECTIONS, *SCATTERS, *RESIZES):
    moved.is_exact = True
ROWS = [
    *ELEMENTWISE,
    *PRODUCTS,
    *POOLS,
    *REDUCTIONS,
    *NORMALIZATIONS,
    *SHAPED,
    *SLICES,
    *SELECTIONS,
    *SCATTERS,
    *RESIZES,
    *OPEN_RESIZES,
    *CUBIC,
    *GRIDS,
    *RECURRENT,
    *PLACES,
    *FOURIER,
    *BLOCKS,
]


@pytest.mark.parametrize("row", ROWS, ids=map(str, ROWS))
def test_operator(row):
    graph = Graph(opset=row.opset)
    graph.add(
        row.operator,
        *(None if x is None else np.asarray(x) for x in row.operands),
        constant=row.constant,
        dynamic=(0,) if row.is_open else False,
        **row.attributes,
    )
    expected = graph.evaluated() if row.oracle == "evaluator" else graph.run_by_onnxruntime()
    (got,), theirs = graph.compiled(), np.asarray(expected[0])
    assert (got.dtype, got.shape) == (theirs.dtype, theirs.shape)
    if row.is_exact:
        np.testing.assert_array_equal(got, theirs)
    else:
        np.testing.assert_allclose(got, theirs, **CLOSE)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(
    "opset, node",
    [
        (11, "Split <axis = 1, split = [1, 2, 2]> (x)"),
        (13, "Split <axis = -1> (x, parts)"),
        (13, "Split <axis = 1> (x, parts)"),
        (18, "Split <axis = 1, num_outputs = 3> (x)"),
    ],
)
def test_split(opset, node, is_open):
    batch = "N" if is_open else 2
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": {opset}]>
        m (float[{batch}, 5] x) => (float[K, A] a, float[K, B] b, float[K, C] c)
        <int64[3] parts = {{1, 4, 0}}> {{ a, b, c = {node} }}"""
    )
    x = floats(2, 5)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for ours, theirs in zip(prepare(model).run([x]), session.run(None, {"x": x}), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("first, second", [((1, 3), (4, 3)), ((4, 3), (1, 3)), ((1, 3), (1, 3))])
@pytest.mark.parametrize("is_known", [False, True])
def test_einsum_of_open_ellipses(first, second, is_known):
    """Which dimension is repeated, only the sizes of a call tell."""
    rows = second[0] if is_known else "N"
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 12]>
        m (float[M, K] x, float[{rows}, K] y) => (float[A] z)
        {{ z = Einsum <equation = "...i,...i->..."> (x, y) }}"""
    )
    x, y = floats(*first), floats(*second)
    np.testing.assert_allclose(prepare(model).run([x, y])[0], (x * y).sum(axis=1), **CLOSE)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize_to_any_size(mode):
    """Sizes below 0 are 0, as nothing else can be, and what is made of nothing is 0."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 13]>
        m (float[H, W] x, int64[2] s) => (float[A, B] y) {{ y = Resize <mode = "{mode}"> (x, , , s) }}"""
    )
    compiled = prepare(model)
    for sizes, new in [((0, 3), (2, 2)), ((3, 3), (0, 2)), ((3, 3), (-5, 2)), ((3, 2), (3, 2))]:
        x = floats(*sizes)
        (got,) = compiled.run([x, ints(*new)])
        expected = x if sizes == new else np.zeros([max(0, size) for size in new], np.float32)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_grid_without_places(mode, padding):
    """What ONNX leaves open is some element, 0 or NaN: NaN, infinities, images without elements and of one."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 16]>
        m (float[1, 1, H, W] x, float[1, 1, P, 2] g) => (float[1, 1, A, B] y)
        {{ y = GridSample <mode = "{mode}", padding_mode = "{padding}", align_corners = 1> (x, g) }}"""
    )
    compiled = prepare(model)
    grid = np.float32([[[[np.nan, 0], [np.inf, 0], [-np.inf, np.nan], [1e30, -1e30]]]])
    for rows in (0, 1, 3):
        got = compiled.run([np.ones((1, 1, rows, 2), np.float32), grid])[0]
        assert (
            got.shape == (1, 1, 1, 4) and np.isin(np.nan_to_num(got), [0, 1] if rows else 0).all()
        )


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize(
    "x, axis",
    [(TIES, 1), (TIES, 0), (floats(2, 40).astype(np.float16), -1), (floats(3, 9, 2).astype(np.float64), 1)]
    + [(codes(3, 9, 2, dtype=dtype), -2) for dtype in [np.int8, np.uint8, np.int16, np.int64]],
)  # fmt: skip
def test_top_k(x, axis, largest, is_open):
    """Sorted, in the order of ONNX Runtime: NaN is the greatest, and of equal elements the first one comes first."""
    node = onnx.helper.make_node("TopK", ["x", "k"], ["y", "i"], axis=axis, largest=largest)
    shape = [f"d{dim}" for dim in range(x.ndim)] if is_open else x.shape
    code = onnx.helper.np_dtype_to_tensor_dtype(x.dtype)
    inputs = [
        onnx.helper.make_tensor_value_info("x", code, shape),
        onnx.helper.make_tensor_value_info("k", TensorProto.INT64, [1]),
    ]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in "yi"]
    graph = onnx.helper.make_graph([node], "g", inputs, outputs)
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 11)], ir_version=8
    )
    session, ours = onnxruntime.InferenceSession(model.SerializeToString()), prepare(model)
    for count in range(x.shape[axis] + 1):
        arrays = [x, ints(count)]
        expected = session.run(None, dict(zip("xk", arrays)))
        for one, other in zip(ours.run(arrays), expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    for count in (-1, x.shape[axis] + 1):
        with pytest.raises(ValueError, match="^onnx.TopK: K is not from 0 to the size of X$"):
            ours.run([x, ints(count)])


@pytest.mark.parametrize(
    "opset, node",
    [(1, "TopK <k = 2, axis = 0> (x)"), (10, "TopK (x, k)"), (11, "TopK <axis = 0, largest = 0> (x, k)")],
)  # fmt: skip
@pytest.mark.parametrize("rows", [0, 5])
def test_top_k_of_a_known_number(opset, node, rows):
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": {opset}]>
        m (float[{rows}, 3] x) => (float[A, B] y, int64[A, B] i)
        <int64[1] k = {{2}}> {{ y, i = {node} }}"""
    )
    if not rows and "axis" in node:
        with pytest.raises(UnsupportedModelError, match="K is 2: expected 0 to the size of X"):
            prepare(model)
        return
    x = floats(rows, 3)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for ours, theirs in zip(prepare(model).run([x]), session.run(None, {"x": x}), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("inner", ["", "b"])
@pytest.mark.parametrize("outputs", ["", ", h", ", , c"])
def test_lstm_results(outputs, inner):
    """The last states of both directions, with the results that nobody wants left out."""
    names = {"h": "float[2, 2, 4] h", "c": "float[2, 2, 4] c"}
    declared = ["float[T, 2, 2, 4] y", *(text for name, text in names.items() if name in outputs)]
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 17]>
        m (float[T, 2, 3] x, float[2, 16, 3] w, float[2, 16, 4] r, float[2, 32] b) => ({", ".join(declared)})
        {{ y{outputs} = LSTM <hidden_size = 4, direction = "bidirectional"> (x, w, r, {inner}) }}"""
    )
    arrays = [floats(5, 2, 3), floats(2, 16, 3), floats(2, 16, 4), floats(2, 32)]
    session = onnxruntime.InferenceSession(model.SerializeToString())
    expected = session.run(None, dict(zip("xwrb", arrays)))
    for ours, theirs in zip(prepare(model).run(arrays), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, **CLOSE)


def names_in_source() -> set[str]:
    """The tables of C++."""
    files = (SOURCE / "lib" / "Conversion" / "ONNXToLinalg").glob("*.cpp")
    return set(re.findall(r'\{"onnx\.(\w+)"', "".join(path.read_text() for path in files)))


def test_every_operator_has_a_row():
    assert {row.operator for row in ROWS} | {"Split", "TopK"} == names_in_source()


def test_the_documented_table():
    text = (SOURCE / "docs" / "Sources.md").read_text()
    table = text.split("<!-- operators: begin -->")[1].split("<!-- operators: end -->")[0]
    cells = [line.split("|")[2] for line in table.strip().splitlines()[2:]]
    names = [name.strip() for cell in cells for name in cell.split(",")]
    assert len(names) == len(set(names)) and set(names) == names_in_source()


@pytest.mark.parametrize(
    "node, words",
    [
        (
            "Reshape (x, n)",
            "'onnx.Reshape' op shape has type 'tensor<[?]xi64>': expected a static number of integers",
        ),
        ("Softmax <axis = 2> (x)", "'onnx.Softmax' op axis is 2: expected -2 to 1"),
        (
            "GRU <hidden_size = 4> (s, w, r)",
            "'onnx.GRU' op W has type 'tensor<1x16x3xf32>': expected 'tensor<1x12x3xf32>'",
        ),
        ("TopK (x, n)", "'onnx.TopK' op K has type 'tensor<[?]xi64>': expected one element of i64"),
        ("Unique (x)", "^not lowered: 1 onnx.Unique$"),
    ],
)
def test_refused(node, words):
    """Operators of the table with a reason and a place, all others with their numbers."""
    first = "y, i" if "TopK" in node else "y"
    text = f"""<ir_version: 8, opset_import: ["": 17]>
        m (float[A, B] x, int64[R] n, float[T, 2, 3] s)
        => ({"float[T, 1, 2, 4]" if "(s" in node else "float[C, D]"} y)
        <float[1, 16, 3] w = {{{", ".join(["0.1"] * 48)}}}, float[1, 16, 4] r = {{{", ".join(["0.1"] * 64)}}}> {{ [here] {first} = {node} }}"""
    with pytest.raises(UnsupportedModelError, match=words) as error:
        prepare(onnx.parser.parse_model(text))
    if "not lowered" not in words:
        assert "'here'" in str(error.value)


#: Of ONNX's own tests of these operators, by what they ask for.
REFUSED = (
    "result 1 is used|FLOAT8|float8|[UI]NT[24]|FLOAT4|f4E2M1FN|f8E|casts '|training_mode|!onnx|is not constant"
    "|X has element type 'i|expected linear or nearest|expected nearest, linear or cubic|coordinate_transformation_mode|antialias|policy"
)


@pytest.mark.exhaustive
def test_onnx_node_tests():
    """ONNX's own, with shapes and the like as constants."""
    known, passed = names_in_source(), 0
    for case in onnx_models.node_tests():
        (first, *others) = case.model.graph.node
        # ONNX Runtime rounds the new size before it divides by it, and so do we.
        if re.fullmatch("test_resize_downsample_scales_(linear|cubic)_align_corners", case.name):
            continue
        if others or first.op_type not in known or first.domain not in ("", "ai.onnx"):
            continue
        for inputs, outputs in case.data_sets:
            model, arrays = onnx.ModelProto(), []
            model.CopyFrom(case.model)
            del model.graph.input[:]
            for position, (info, array) in enumerate(zip(case.model.graph.input, inputs)):
                value = numpy_helper.to_array(array) if isinstance(array, TensorProto) else array
                value = np.asarray(value) if not isinstance(value, list) else value
                is_list = position and first.op_type in WITH_LISTS or "Reduce" in first.op_type
                if is_list and position:
                    model.graph.initializer.append(numpy_helper.from_array(value, info.name))
                else:
                    model.graph.input.append(info)
                    arrays.append(value)
            try:
                got = prepare(model).run(arrays)
            except UnsupportedModelError as error:
                assert re.search(REFUSED, str(error)), case.name
                continue
            for ours, theirs in zip(got, outputs, strict=True):
                theirs = (
                    numpy_helper.to_array(theirs) if isinstance(theirs, TensorProto) else theirs
                )
                assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, case.name
                close = {"rtol": max(case.rtol, 1e-3), "atol": case.atol}
                np.testing.assert_allclose(
                    ours.astype(np.float64), theirs.astype(np.float64), **close, err_msg=case.name
                )
            passed += 1
    assert passed > 500


WITH_LISTS = {
    "Dropout", "Expand", "Pad", "Reshape", "Resize", "Slice", "Split", "Squeeze", "Tile", "Unsqueeze", "Upsample",
}  # fmt: skip
