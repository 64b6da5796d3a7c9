# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks whose layers are calls of one function."""

import numpy as np
import pytest

from mlir import ir
from mlir_qdq import passes, register, runtime

LAYERS, WIDTH = 12, 24


def weights() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(-4, 5, (WIDTH, WIDTH)).astype(np.float32) for _ in range(LAYERS)]


def module(rows: str) -> str:
    """Layers x + (codes(x @ w) @ w, in i8), and the codes of each layer."""
    of_rows, shape = f"tensor<{rows}x{WIDTH}xf32>", f"{WIDTH}x{WIDTH}"
    codes = f"tensor<{rows}x{WIDTH}xi8>"
    lines, x = [], "%x"
    for k, w in enumerate(weights()):
        text = str(w.tolist())
        lines.append(f"""
      %w{k} = arith.constant dense<{text}> : tensor<{shape}xf32>
      %s{k} = arith.constant {2.0 ** (1 + k % 3)} : f32
      %a{k} = linalg.matmul ins({x}, %w{k} : {of_rows}, tensor<{shape}xf32>) outs(%f : {of_rows}) -> {of_rows}
      %q{k} = qdq.quantize %a{k} scale %s{k} zero_point %z : ({of_rows}, f32, i8) -> {codes}
      %d{k} = qdq.dequantize %q{k} scale %s{k} zero_point %z : ({codes}, f32, i8) -> {of_rows}
      %x{k} = linalg.add ins(%d{k}, %x : {of_rows}, {of_rows}) outs(%e : {of_rows}) -> {of_rows}""")
        x = f"%x{k}"
    empty = f"tensor.empty({'%n' if rows == '?' else ''}) : {of_rows}"
    results = [f"%q{k}" for k in range(LAYERS)]
    return f"""
    func.func @main(%x: {of_rows}, %z: i8) -> ({", ".join([codes] * LAYERS)}) {{
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : {of_rows}
      %e = {empty}
      %f = linalg.fill ins(%zero : f32) outs(%e : {of_rows}) -> {of_rows}{"".join(lines)}
      return {", ".join(results)} : {", ".join([codes] * LAYERS)}
    }}"""


@pytest.mark.parametrize("rows", ["5", "?"])
def test_one_function(rows):
    with ir.Context() as context:
        register(context)
        lowered = ir.Module.parse(module(rows))
        passes.QuantToLLVM(stop_after="vectors", caller_allocates=True).run(lowered)
    assert str(lowered).count("call @main.shared(") >= LAYERS - 2


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", ["5", "?"])
def test_codes(rows, threads):
    x = np.random.default_rng(1).integers(-9, 10, (5, WIDTH)).astype(np.float32)
    z = np.int8(-3)
    results = runtime.compile(module(rows), threads=threads).main(x, z)
    layer = x
    for k, (w, got) in enumerate(zip(weights(), results, strict=True)):
        scale = np.float32(2.0 ** (1 + k % 3))
        # Sums of integers below 2^24: exact in any order.
        codes = np.clip(np.rint(layer @ w / scale) + z, -128, 127)
        np.testing.assert_array_equal(got, codes.astype(np.int8))
        layer = (codes - z).astype(np.float32) * scale + x
