# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights as importers write them, beside ONNX Runtime's MatMulNBits, interleaved in one process: smallest CPU time in ms, one thread.

.venv/bin/python benchmarks/weight_files.py [rows of x ...] [kinds ...]

Kinds: `MatMulNBits`, with zero points, of which ONNX Runtime runs the same file, and GGUF's types, beside its symmetric codes in blocks of 32.
The error is the largest one against f64, over the largest absolute sum of products.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from mlir import ir
from onnx import TensorProto, helper, numpy_helper

from gemv import onnxruntime_way
from measure import sample, smallest
from mlir_qdq import importers, runtime
from record import record

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "python"))
from weight_products import dequantized, product, random_blocks, write  # noqa: E402

N = K = 4096
OURS = {
    "any order": dict(sum_order="any"),
    "block floating point": dict(block_floating_point=True),
    "x in Q8_0": dict(sum_order="any", activations="q8-0"),
}
#: GGUF's types that are timed.
KINDS = ("Q4_0", "Q4_1", "Q8_0", "Q2_K", "Q4_K", "Q6_K", "MXFP4", "NVFP4")


def gguf_weight(folder: Path, name: str, random) -> tuple[Path, np.ndarray]:
    raw = random_blocks(random, name, N, K, lambda shape: random.uniform(1e-3, 1e-2, shape))
    return write(folder / "w.gguf", name, raw), dequantized(name, raw)


def gguf_product(path: Path, m: int) -> ir.Module:
    return product(importers.gguf.import_file(path), m, N, K)


def nbits(path: Path, m: int, accuracy: int, codes, scale, zeros) -> None:
    packed = codes[:, ::2] | codes[:, 1::2] << 4
    constants = {
        "w": packed.reshape(N, K // 32, 16), "s": scale.ravel(),
        "z": (zeros[:, ::2] | zeros[:, 1::2] << 4).ravel(),
    }  # fmt: skip
    node = helper.make_node(
        "MatMulNBits", ["x", "w", "s", "z"], ["y"], domain="com.microsoft",
        K=K, N=N, bits=4, block_size=32, accuracy_level=accuracy,
    )  # fmt: skip
    graph = helper.make_graph(
        [node], "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (m, K))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (m, N))],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def run_file(path: Path, x):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    y, binding = np.empty((len(x), N), np.float32), session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    return lambda: session.run_with_iobinding(binding), y


def main(m: int, kind: str, folder: Path) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((m, K), np.float32)
    codes = random.integers(0, 16, (N, K), np.uint8)
    scale = random.uniform(0.01, 0.1, (N, K // 32)).astype(np.float32)
    theirs = {}
    if kind == "MatMulNBits":
        zeros = random.integers(0, 16, scale.shape, np.uint8)
        for accuracy in (4, 0):
            path = folder / f"{accuracy}.onnx"
            nbits(path, m, accuracy, codes, scale, zeros)
            theirs[f"MatMulNBits {accuracy}"] = run_file(path, x)
        module = importers.onnx.import_model(path)
        weight = (codes - np.repeat(zeros, 32, 1).astype(np.float64)) * np.repeat(scale, 32, 1)
    else:
        path, weight = gguf_weight(folder, kind, random)
        module = gguf_product(path, m)
        packed = codes[:, ::2] | codes[:, 1::2] << 4
        for accuracy in (0, 4):
            theirs[f"symmetric codes, MatMulNBits {accuracy}"] = onnxruntime_way(m, 32, accuracy, packed, scale, x)  # fmt: skip
    ways = {}
    for name, options in OURS.items():
        try:
            run = runtime.compile(module, **options).main
        except ir.MLIRError as error:  # the processor lacks instructions
            print(f"  {name}: {error}")
            continue
        y = np.asarray(run(x))
        ways[name] = (lambda run=run, y=y: run(x, out=y)), y
    exact, size = x.astype(np.float64) @ weight.astype(np.float64).T, np.abs(x) @ np.abs(weight).T
    times = smallest(sample({way: run for way, (run, _) in (ways | theirs).items()}))
    for way, seconds in times.items():
        note = way
        if not way.startswith("symmetric"):
            y = (ways | theirs)[way][1]
            note += f", error {np.max(np.abs(y - exact)) / np.max(size):.1e}"
        record(f"{m} x {K} times {N} x {K}, {kind}", "ms", note, {"time": seconds * 1e3})


if __name__ == "__main__":
    rows = [int(a) for a in sys.argv[1:] if a.isdigit()] or [1]
    kinds = [a for a in sys.argv[1:] if not a.isdigit()] or ["MatMulNBits", *KINDS]
    for m in rows:
        for kind in kinds:
            with tempfile.TemporaryDirectory() as name:
                main(m, kind, Path(name))
