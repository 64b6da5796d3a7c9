# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many elements a compiler changes that rounds products and sums once, and what keeping them costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .compilers import Tools

COUNT = 1 << 20
PROGRAMS = {
    "dequantize, then add": """func.func @f(%q: tensor<{n}xi8>, %b: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %s = arith.constant 0.1 : f32
  %x = qdq.dequantize %q scale %s : (tensor<{n}xi8>, f32) -> tensor<{n}xf32>
  %e = tensor.empty() : tensor<{n}xf32>
  %y = linalg.generic {{
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%x, %b : tensor<{n}xf32>, tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) {{
  ^bb0(%l: f32, %r: f32, %o: f32):
    %a = arith.addf %l, %r : f32
    linalg.yield %a : f32
  }} -> tensor<{n}xf32>
  return %y : tensor<{n}xf32>
}}""",
    "dequantize with a bias": """func.func @f(%q: tensor<{n}xi8>, %b: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %s = arith.constant dense<0.1> : tensor<{n}xf32>
  %x = qdq.dequantize %q scale %s zero_point %b in <expressed> axis 0 : (tensor<{n}xi8>, tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<{n}xf32>
  return %x : tensor<{n}xf32>
}}""",
}  # fmt: skip


def measure(tools: Tools, folder: Path) -> list[tuple[str, str, float, float]]:
    """(program, options, part of the elements that differ, ms) of each program without and with the option."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    q = rng.integers(-128, 128, COUNT).astype(np.int8)
    b = rng.uniform(-10, 10, COUNT).astype(np.float32)
    expected = q.astype(np.float32) * np.float32(0.1) + b
    inputs = [folder / "q.npy", folder / "b.npy"]
    np.save(inputs[0], q)
    np.save(inputs[1], b)
    rows = []
    for i, (name, text) in enumerate(PROGRAMS.items()):
        source = folder / f"{i}.mlir"
        source.write_text(text.format(n=COUNT))
        for options in ("", "contraction-proof"):
            lowered = folder / f"{i}{options}.lowered.mlir"
            binary = lowered.with_suffix(".vmfb")
            tools.lower(source, lowered, options)
            tools.compile_iree(lowered, binary, input_type="auto")
            (found,) = tools.run_iree(binary, "f", inputs, 1)
            different = float(np.mean(found != expected))
            rows.append((name, options or "–", different, tools.time_iree(binary, "f", inputs)))
    return rows
