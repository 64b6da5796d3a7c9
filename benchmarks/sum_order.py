# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products under each `sum-order`, interleaved in one process: smallest CPU time in ms, one thread.

.venv/bin/python benchmarks/sum_order.py [nk | kn ...] [f32 | i8 | i4 ...]

Weights are [N, K] or [K, N]; codes have a scale for each result, i4 for blocks of 32. The bits of `lanes` are those of
`target=linalg` with the same order.
"""

import sys

import numpy as np

from mlir_qdq import runtime
from measure import sample, smallest
from record import record

ORDERS = ("sequential", "lanes", "any")


def program(m: int, n: int, k: int, layout: str, storage: str):
    """The text, and arguments at random."""
    random = np.random.default_rng(0)
    shape = (n, k) if layout == "nk" else (k, n)
    block = {"i8": k, "i4": 32}.get(storage, 1)
    blocks = (1, block) if layout == "nk" else (block, 1)
    scales = tuple(size // part for size, part in zip(shape, blocks))
    ws, ss, xs, ys = (f"tensor<{a}x{b}x" for a, b in (shape, scales, (m, k), (m, n)))
    x = random.standard_normal((m, k), np.float32)
    y = random.standard_normal((m, n), np.float32)
    if storage == "f32":
        given, arguments, dequantize, weight = (
            [random.standard_normal(shape, np.float32)],
            f"%w: {ws}f32>",
            "",
            "%w",
        )
    else:
        end = 1 << int(storage[1:]) - 1
        codes = random.integers(-end, end, shape, np.int8)
        if storage == "i4":
            nibbles = codes.view(np.uint8).reshape(-1, 2) & 15
            codes = nibbles[:, 0] | nibbles[:, 1] << 4
        given = [codes, random.uniform(0.01, 0.1, scales).astype(np.float32)]
        arguments, weight = f"%w: {ws}{storage}>, %s: {ss}f32>", "%d"
        dequantize = f"%d = qdq.dequantize %w scale %s block_shape {list(blocks)} : ({ws}{storage}>, {ss}f32>) -> {ws}f32>"
    maps = ", ".join(f"affine_map<(m, n, k) -> ({d[0]}, {d[1]})>" for d in ("mk", layout, "mn"))
    text = f"""
    func.func @main({arguments}, %x: {xs}f32>, %y: {ys}f32>) -> {ys}f32> {{
      {dequantize}
      %r = linalg.matmul indexing_maps = [{maps}] ins(%x, {weight} : {xs}f32>, {ws}f32>) outs(%y : {ys}f32>) -> {ys}f32>
      return %r : {ys}f32>
    }}"""
    return text, [*given, x, y]


def compare(m: int, layout: str, storage: str) -> None:
    n = k = 4096 if m <= 4 and storage != "f32" else 1024
    text, given = program(m, n, k, layout, storage)
    ways = {}
    for order in ORDERS:
        run = runtime.compile(text, sum_order=order).main
        y = np.asarray(run(*given))
        ways[order] = lambda f=run, y=y: f(*given, out=y)
        if order == "lanes":
            loops = np.asarray(runtime.compile(text, sum_order=order, target="linalg").main(*given))
            np.testing.assert_array_equal(y.view(np.uint32), loops.view(np.uint32))
    times = smallest(sample(ways))
    values = {way: 1e3 * seconds for way, seconds in times.items()}
    record(
        "products of f32 by order of sums", "ms", f"{m} x {k} times {layout} {n}, {storage}", values
    )


if __name__ == "__main__":
    layouts = [a for a in sys.argv[1:] if a in ("nk", "kn")] or ["nk", "kn"]
    storages = [a for a in sys.argv[1:] if a in ("f32", "i8", "i4")] or ["f32", "i8", "i4"]
    for layout in layouts:
        for storage in storages:
            for m in (1, 4, 16, 64):
                compare(m, layout, storage)
