# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float operators that quantized transformers and recurrent networks keep, each alone, by order of sums, beside ONNX Runtime: smallest µs of CPU time, one thread.

.venv/bin/python benchmarks/float_nodes.py [words of names ...]

Weights are constants. The error is the largest difference to ONNX Runtime, over its largest result.
"""

import sys
import time

import numpy as np
import onnx
from onnx import helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from measure import sample, smallest
from peers import model, session_of, value
from record import record

ORDERS = ("sequential", "lanes", "any")
RANDOM = np.random.default_rng(0)


def values(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def compare(name: str, nodes: list, arrays: dict, constants: dict) -> None:
    """The one result is "y"."""
    if not all(word in name for word in sys.argv[1:]):
        return
    inputs = [value(given, a.shape) for given, a in arrays.items()]
    made = onnx.shape_inference.infer_shapes(model(nodes, inputs, [value("y", None)], constants))
    session, given = session_of(made), list(arrays.values())
    theirs = session.run(None, arrays)[0]
    ways, error = {}, 0.0
    for order in ORDERS:
        run = runtime.compile(import_model(made), profile="ort", sum_order=order).main
        difference = np.abs(np.asarray(run(*given)) - theirs).max() / np.abs(theirs).max()
        error = max(error, float(difference))
        ways[order] = lambda run=run: run(*given)
    assert error < 1e-5, f"{name}: {error}"
    ways["ONNX Runtime"] = lambda: session.run(None, arrays)
    times = smallest(sample(ways, time.process_time))
    rows = {way: 1e6 * seconds for way, seconds in times.items()}
    rows["ratio of any"] = times["ONNX Runtime"] / times["any"]
    record("float operators, 1 thread", "µs", name, rows | {"error": error})


def node(operator: str, inputs: str, output: str, **attributes):
    return helper.make_node(operator, inputs.split(), [output], **attributes)


def attention(heads: int, length: int, depth: int) -> tuple[list, dict, dict]:
    """Rows of queries, keys and values by heads, as an encoder multiplies them."""
    nodes = [
        node("Transpose", "q", "qt", perm=[0, 2, 1, 3]),
        node("Transpose", "k", "kt", perm=[0, 2, 3, 1]),
        node("Transpose", "v", "vt", perm=[0, 2, 1, 3]),
        node("MatMul", "qt kt", "products"),
        node("Mul", "products root", "scores"),
        node("Softmax", "scores", "weights", axis=-1),
        node("MatMul", "weights vt", "mixed"),
        node("Transpose", "mixed", "y", perm=[0, 2, 1, 3]),
    ]
    arrays = {name: values(1, length, heads, depth) for name in "qkv"}
    return nodes, arrays, {"root": np.float32(depth**-0.5)}


def main() -> None:
    for rows in (1, 4, 20, 128):
        for form, is_transposed in (("[K, N]", 0), ("[N, K]", 1)):
            w = values(2048, 512) if is_transposed else values(512, 2048)
            nodes = [node("Gemm", "x w", "y", transB=is_transposed)]
            compare(f"Gemm {rows} x 512 x 2048 {form}", nodes, {"x": values(rows, 512)}, {"w": w})
    for batch, m, k, n in ((9, 128, 64, 128), (12, 512, 64, 512), (12, 512, 512, 64)):
        arrays = {"x": values(batch, m, k), "w": values(batch, k, n)}
        compare(f"MatMul {batch} x {m} x {k} x {n}", [node("MatMul", "x w", "y")], arrays, {})
    for shape in ((1152, 128), (6144, 512)):
        compare(f"Softmax {shape}", [node("Softmax", "x", "y", axis=-1)], {"x": values(*shape)}, {})
    for shape in ((128, 384), (512, 768)):
        scales = {"g": values(shape[1]), "b": values(shape[1])}
        nodes = [node("LayerNormalization", "x g b", "y", axis=-1)]
        compare(f"LayerNormalization {shape}", nodes, {"x": values(*shape)}, scales)
    for heads, length in ((9, 128), (12, 512)):
        compare(f"attention, {heads} heads of 64, {length} words", *attention(heads, length, 64))
    for batch, width in ((1, 512), (8, 256)):
        weights = {
            "w": values(2, 4 * width, width) / 20,
            "r": values(2, 4 * width, width) / 20,
            "b": values(2, 8 * width) / 20,
        }
        nodes = [node("LSTM", "x w r b", "y", direction="bidirectional", hidden_size=width)]
        name = f"LSTM, 20 steps, batch {batch}, width {width}"
        compare(name, nodes, {"x": values(20, batch, width)}, weights)


if __name__ == "__main__":
    main()
