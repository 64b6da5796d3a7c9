# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transform script of examples/transform: its codes."""

from pathlib import Path

import mlir_qdq
import numpy as np
from ml_dtypes import int4
from mlir import ir
from mlir.passmanager import PassManager
from mlir_qdq import runtime

EXAMPLE = Path(__file__).parents[2] / "examples/transform/tile-and-fuse.mlir"
ROWS, TERMS, COLUMNS, BLOCK = 64, 512, 256, 32


def test_codes_of_tiles():
    with ir.Context() as context:
        mlir_qdq.register(context)
        module = ir.Module.parse(EXAMPLE.read_text())
        PassManager.parse("builtin.module(transform-interpreter)").run(module.operation)
        (script,) = (op for op in module.body if "sequence" in op.operation.name)
        script.operation.erase()
        layer = runtime.compile(module).layer

    random = np.random.default_rng(5)
    x = random.normal(size=(ROWS, TERMS)).astype(np.float32)
    codes = random.integers(-8, 8, (TERMS, COLUMNS)).astype(np.int8)
    scales = random.uniform(0.01, 0.1, (TERMS // BLOCK, COLUMNS)).astype(np.float32)
    sy, zy = np.float32(0.25), np.int8(3)

    weights = codes.astype(np.float32) * np.repeat(scales, BLOCK, axis=0)
    sums = np.zeros((ROWS, COLUMNS), np.float32)
    for term in range(TERMS):  # in the order of the loops, each rounded
        sums += x[:, term, None] * weights[term]
    expected = np.clip(np.rint(sums / sy) + zy, -128, 127).astype(np.int8)
    np.testing.assert_array_equal(layer(x, codes.astype(int4), scales, sy, zy), expected)
