# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that are computed in the arrays of the caller, and that other ops use as well."""

import numpy as np
import pytest

from mlir_qdq import runtime

#: %a: x with a tail of ones, and y written at an index. Behind it: more results, and what they are.
USES = {
    "read": (
        """
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce ins(%a : tensor<3xNxf32>) outs(%zeros : tensor<3xf32>) dimensions = [1]
    (%p: f32, %q: f32) { %s = arith.addf %p, %q : f32  linalg.yield %s : f32 }""",
        "tensor<3xf32>",
        lambda a, y, whole: a.sum(1),
    ),
    "written": (
        "\n  %r = tensor.insert_slice %y into %a[0, 1] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<3xNxf32>",
        "tensor<3xNxf32>",
        lambda a, y, whole: np.concatenate([a[:, :1], y, a[:, 3:]], 1),
    ),
    "written through a cast": (
        """
  %c = tensor.cast %a : tensor<3xNxf32> to tensor<?x?xf32>
  %w = tensor.insert_slice %y into %c[0, 1] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<?x?xf32>
  %r = tensor.cast %w : tensor<?x?xf32> to tensor<3xNxf32>""",
        "tensor<3xNxf32>",
        lambda a, y, whole: np.concatenate([a[:, :1], y, a[:, 3:]], 1),
    ),
    "carried by a loop": (
        """
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %a) -> tensor<3xNxf32> {
    %u = tensor.insert %zero into %t[%i, %c1] : tensor<3xNxf32>
    scf.yield %u : tensor<3xNxf32>
  }""",
        "tensor<3xNxf32>",
        lambda a, y, whole: np.where(np.indices(a.shape)[1] == 1, [[0], [0], [1]] * a, a),
    ),
    "returned twice": ("", "tensor<3xNxf32>", lambda a, y, whole: a),
    "before the last write": (
        """
  %r = linalg.add ins(%whole, %whole : tensor<3xNxf32>, tensor<3xNxf32>)
    outs(%e : tensor<3xNxf32>) -> tensor<3xNxf32>""",
        "tensor<3xNxf32>",
        lambda a, y, whole: whole + whole,
    ),
}


def module(use: str, sizes: str) -> str:
    text, kind, _ = USES[use]
    is_open = sizes == "?"
    size, narrow = ("?", "?") if is_open else ("7", "5")
    result = "%a" if use == "returned twice" else "%r"
    text = f"""
func.func @main(%x: tensor<3xMxf32>, %y: tensor<3x2xf32>, %at: index) -> (tensor<3xNxf32>, {kind}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c1 : tensor<3xMxf32>
  %n = arith.addi %m, %c2 : index
  %es = tensor.empty() : tensor<3xf32>
  %ex = tensor.empty({"%m" if is_open else ""}) : tensor<3xMxf32>
  %e = tensor.empty({"%n" if is_open else ""}) : tensor<3xNxf32>
  %negated = linalg.negf ins(%x : tensor<3xMxf32>) outs(%ex : tensor<3xMxf32>) -> tensor<3xMxf32>
  %whole = tensor.pad %negated low[0, 0] high[0, 2] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  }} : tensor<3xMxf32> to tensor<3xNxf32>
  %a = tensor.insert_slice %y into %whole[0, %at] [3, 2] [1, 1]
    : tensor<3x2xf32> into tensor<3xNxf32>{text}
  return %a, {result} : tensor<3xNxf32>, {kind}
}}"""
    return text.replace("xNx", f"x{size}x").replace("xMx", f"x{narrow}x")


@pytest.mark.parametrize("sizes", ["static", "?"])
@pytest.mark.parametrize("use", USES)
def test_values(use, sizes):
    rng = np.random.default_rng(0)
    x, y = rng.integers(-9, 9, (3, 5)), rng.integers(-9, 9, (3, 2))
    x, y = x.astype(np.float32), y.astype(np.float32)
    whole = np.concatenate([-x, np.ones((3, 2), np.float32)], 1)
    a = whole.copy()
    a[:, 3:5] = y
    got, other = runtime.compile(module(use, sizes)).main(x, y, 3)
    np.testing.assert_array_equal(got, a)
    np.testing.assert_array_equal(other, USES[use][2](a, y, whole))
