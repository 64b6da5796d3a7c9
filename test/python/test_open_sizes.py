# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float operators of ONNX on open sizes: arrays that do not fit together raise, and touch no foreign memory."""

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


@pytest.mark.parametrize("name", CASES)
def test_sizes(name):
    text, fitting, others = CASES[name]
    f = runtime.compile(text).f
    f(*[ONES(shape, np.float32) for shape in fitting])
    for shapes in others:
        with pytest.raises((RuntimeError, ValueError)):
            f(*[ONES(shape, np.float32) for shape in shapes])
