# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of so many loops that they are compiled in parts."""

import numpy as np
import pytest

from mlir_qdq import reference, runtime

COUNT = 40


def module(kind: str, size: str) -> str:
    """40 ops of one tensor, or 40 on the result of the one before."""
    lines, x, results = [], "%x", []
    for k in range(COUNT):
        lines.append(f"""
      %s{k} = arith.constant {0.25 + 0.125 * k} : f32
      %q{k} = qdq.quantize {x} scale %s{k} zero_point %z : (tensor<{size}xf32>, f32, i8) -> tensor<{size}xi8>""")
        if kind == "chain":
            lines.append(f"""
      %x{k} = qdq.dequantize %q{k} scale %s{k} zero_point %z : (tensor<{size}xi8>, f32, i8) -> tensor<{size}xf32>""")
            x = f"%x{k}"
        results.append(f"%q{k}")
    types = ", ".join([f"tensor<{size}xi8>"] * COUNT)
    return f"""
    func.func @main(%x: tensor<{size}xf32>, %z: i8) -> ({types}) {{{"".join(lines)}
      return {", ".join(results)} : {types}
    }}"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", ["37", "?"])
@pytest.mark.parametrize("kind", ["independent", "chain"])
def test_codes(kind, size, threads):
    x = np.random.default_rng(0).normal(0, 40, 37).astype(np.float32)
    x[:4] = np.nan, -0.0, np.inf, 0.125
    z = np.int8(-3)
    results = runtime.compile(module(kind, size), threads=threads).main(x, z)
    for k, got in enumerate(results):
        scale = np.float32(0.25 + 0.125 * k)
        expected = reference.quantize(x, scale, z, storage="i8")
        np.testing.assert_array_equal(got, expected)
        if kind == "chain":
            x = reference.dequantize(expected, scale, z, storage="i8")
