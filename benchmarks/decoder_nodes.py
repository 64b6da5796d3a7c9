# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that take the time of decoders from onnxruntime-genai, each alone, beside ONNX Runtime: smallest µs of CPU time, one thread.

.venv/bin/python benchmarks/decoder_nodes.py

MatMulNBits with `accuracy_level = 4` and a constant weight of 4 or 8 bits, rows of an open number; GroupQueryAttention of one step with a cache that grows, 9 heads over 3 of 64 numbers: the size of its results is the value of an argument, so Python makes the call, which takes 80 µs of it; in a decoder the size is that of the mask. The error is the largest difference to ONNX Runtime, over the sum of absolute products or the largest result.
"""

import itertools
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from measure import sample, smallest
from peers import model, session_of, value
from record import record

#: Columns of x, and of the result.
SIZES = [(576, 1536), (1536, 576), (2048, 2048), (4096, 4096)]
#: Bits of the weight, and its blocks.
KINDS = [(4, 32), (8, 32), (8, 128)]
ROWS = (1, 2, 4, 16, 128)
HEADS, GROUPS, DEPTH = 9, 3, 64
PAST = (100, 1000, 3000)


def ways(made: onnx.ModelProto):
    """The function, and what ONNX Runtime makes of the model."""
    session = session_of(made)
    names = [value.name for value in session.get_inputs()]
    run = runtime.compile(import_model(made), profile="ort").main
    return run, lambda *arrays: session.run(None, dict(zip(names, arrays)))


def compare(title: str, name: str, run, other, arrays: tuple, size) -> None:
    ours, theirs = run(*arrays), other(*arrays)
    ours = ours if isinstance(ours, tuple) else (ours,)
    error = max(np.max(np.abs(a - b) / size) for a, b in zip(ours, theirs, strict=True))
    assert error < 1e-6, f"{name}: {error}"
    times = sample(
        {"ours": lambda: run(*arrays), "other": lambda: other(*arrays)}, time.process_time
    )
    mine, its = (1e6 * seconds for seconds in smallest(times).values())
    record(title, "µs", name, {"ours": mine, "ONNX Runtime": its, "ratio": its / mine, "error": error})  # fmt: skip


def pack(codes: np.ndarray, bits: int) -> np.ndarray:
    """Low bits first, rows of whole bytes."""
    each = np.pad(codes, ((0, 0), (0, -codes.shape[1] * bits % 8 // bits)))
    shifts = np.arange(0, 8, bits, np.uint8)
    return np.bitwise_or.reduce(each.reshape(len(each), -1, len(shifts)) << shifts, axis=2)


def product(bits: int, block: int, depth: int, columns: int, has_zeros: bool) -> None:
    random, blocks = np.random.default_rng(0), -(-depth // block)
    codes = random.integers(0, 1 << bits, (columns, blocks * block), np.uint8)
    constants = {
        "w": pack(codes, bits).reshape(columns, blocks, -1),
        "s": random.uniform(0.01, 0.1, (columns, blocks)).astype(np.float32),
    }
    zeros = np.full((columns, blocks), 1 << (bits - 1))
    if has_zeros:
        zeros = random.integers(0, 1 << bits, (columns, blocks), np.uint8)
        constants["z"] = pack(zeros, bits)
    node = helper.make_node(
        "MatMulNBits", ["x", *constants], ["y"], domain="com.microsoft",
        K=depth, N=columns, bits=bits, block_size=block, accuracy_level=4,
    )  # fmt: skip
    run, other = ways(
        model([node], [value("x", ["m", depth])], [value("y", ["m", columns])], constants)
    )
    weight = (codes - zeros.repeat(block, 1).astype(np.float32)) * constants["s"].repeat(block, 1)
    size = np.abs(weight[:, :depth].T)
    for rows in ROWS:
        x = random.standard_normal((rows, depth)).astype(np.float32)
        name = f"{bits} bits, {block}: {rows} × {depth} × {columns}{', zero points' if has_zeros else ''}"
        compare("MatMulNBits, accuracy 4, 1 thread", name, run, other, (x,), np.abs(x) @ size)  # fmt: skip


def attention() -> None:
    angles = np.arange(4096)[:, None] / 10000 ** (np.arange(0, DEPTH, 2) / DEPTH)
    constants = {
        "cos": np.cos(angles).astype(np.float32),
        "sin": np.sin(angles).astype(np.float32),
    }
    node = helper.make_node(
        "GroupQueryAttention", ["qkv", "", "", "k", "v", "last", "total", *constants], ["y", "nk", "nv"],
        domain="com.microsoft", num_heads=HEADS, kv_num_heads=GROUPS, do_rotary=1,
    )  # fmt: skip
    cache, larger = (["b", GROUPS, slots, DEPTH] for slots in ("p", "t"))
    inputs = [
        value("qkv", ["b", "s", (HEADS + 2 * GROUPS) * DEPTH]), value("k", cache), value("v", cache),
        value("last", ["b"], TensorProto.INT32), value("total", [], TensorProto.INT32),
    ]  # fmt: skip
    outputs = [value("y", ["b", "s", HEADS * DEPTH]), value("nk", larger), value("nv", larger)]
    run, other = ways(model([node], inputs, outputs, constants))
    random = np.random.default_rng(0)
    for past in PAST:
        shapes = [(1, 1, (HEADS + 2 * GROUPS) * DEPTH), *[(1, GROUPS, past, DEPTH)] * 2]
        floats = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
        arrays = (*floats, np.array([past], np.int32), np.array(past + 1, np.int32))
        compare("GroupQueryAttention, 1 thread", f"a step behind {past}", run, other, arrays, 1)


if __name__ == "__main__":
    for (bits, block), (depth, columns) in itertools.product(KINDS, SIZES):
        for has_zeros in (False, True):
            product(bits, block, depth, columns, has_zeros)
    attention()
