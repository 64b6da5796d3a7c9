# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of floats by constant i8 weights as ONNX Runtime's `quantize_dynamic` writes them (DynamicQuantizeLinear, MatMulInteger, Cast, Mul), beside ONNX Runtime, which fuses them: smallest µs of CPU time, one thread.

.venv/bin/python benchmarks/dynamic_products.py [rows ...]

Results are compared with NumPy's first: the codes of x by the formula of ONNX, and exact sums of products.
"""

import argparse
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from measure import compare_codes, sample, smallest
from peers import session_of
from record import record

SIZES = [(768, 768), (768, 3072), (4096, 4096)]
SCALE = np.float32(0.01)


def model(weight: np.ndarray, rows: int) -> onnx.ModelProto:
    depth, columns = weight.shape
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "sx", "zx"]),
        helper.make_node("MatMulInteger", ["q", "w", "zx", "zw"], ["sum"]),
        helper.make_node("Cast", ["sum"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["sx", "sw"], ["scale"]),
        helper.make_node("Mul", ["real", "scale"], ["y"]),
    ]
    constants = {"w": weight, "zw": np.int8(0), "sw": SCALE}
    graph = helper.make_graph(
        nodes, "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, depth])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, columns])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def exact(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """By NumPy. f64 holds all sums."""
    low, high = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = (high - low) / np.float32(255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    codes = np.clip(np.rint(x / scale) + zero, 0, 255)
    sums = (codes - zero).astype(np.float64) @ weight
    return sums.astype(np.float32) * (scale * SCALE)


def compare(rows: int, depth: int, columns: int) -> None:
    random = np.random.default_rng(0)
    # As a quantizer writes a weight whose largest number is 4.5 standard deviations.
    weight = np.clip(np.rint(random.normal(0, 28, (depth, columns))), -127, 127).astype(np.int8)
    x = random.standard_normal((rows, depth)).astype(np.float32)
    made = model(weight, rows)
    run = runtime.compile(import_model(made), profile="ort").main
    session = session_of(made)
    ours, theirs = np.asarray(run(x)), np.empty((rows, columns), np.float32)
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("y", "cpu", 0, np.float32, theirs.shape, theirs.ctypes.data)
    session.run_with_iobinding(binding)
    saturated = compare_codes(ours, theirs, exact(x, weight))
    ways = {"ours": lambda: run(x, out=ours), "theirs": lambda: session.run_with_iobinding(binding)}
    mine, its = (1e6 * seconds for seconds in smallest(sample(ways, time.process_time)).values())
    name = f"{rows} × {depth} × {columns}{saturated}"
    values = {"ours": mine, "ONNX Runtime": its, "ratio": its / mine}
    record("products of floats and codes, 1 thread", "µs", name, values)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=[1, 16, 128])
    for size in SIZES:
        for count in parser.parse_args().rows:
            compare(count, *size)
