# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels beside C by hand, ONNX Runtime and NumPy, interleaved in one process: GB/s by the smallest CPU time, bytes read and written.

.venv/bin/python benchmarks/kernels.py [rows columns]

"in caches" is the vector target without stores past the caches. The bits of all but NumPy are compared first. C is kernels.cpp, where the processor has AVX-512.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from mlir.ir import Context
from onnx import TensorProto, helper, numpy_helper

import mlir_qdq
from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from record import record

FLOAT8 = np.dtype(ml_dtypes.float8_e4m3fn)


def node_model(op: str, inputs: dict, output: int, **attributes) -> onnx.ModelProto:
    """One node; its first input is the graph's, the others are initializers."""
    name, value = next(iter(inputs.items()))
    kind = (
        TensorProto.INT4
        if value.dtype == ml_dtypes.int4
        else helper.np_dtype_to_tensor_dtype(value.dtype)
    )
    constants = [numpy_helper.from_array(v, n) for n, v in list(inputs.items())[1:]]
    graph = helper.make_graph(
        [helper.make_node(op, list(inputs), ["y"], **attributes)],
        "main",
        [helper.make_tensor_value_info(name, kind, value.shape)],
        [helper.make_tensor_value_info("y", output, value.shape)],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def pack(value: np.ndarray) -> np.ndarray:
    """Two nibbles a byte, the first one low."""
    nibbles = value.astype(np.int8).view(np.uint8).reshape(-1, 2) & 15
    return nibbles[:, 0] | nibbles[:, 1] << 4


def build_c():
    """kernels.cpp as a library, or nothing where it would not run."""
    cpu = Path("/proc/cpuinfo")
    if not cpu.exists() or "avx512bw" not in cpu.read_text():
        return None
    library = Path(tempfile.mkdtemp()) / "kernels.so"
    source = Path(__file__).with_suffix(".cpp")
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["c++", *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def call_c(library, name: str, arguments: list, out: np.ndarray):
    """A function without arguments that fills `out`. Arrays go by address, then come `out` and the sizes, which are ints."""
    kinds = {np.ndarray: lambda a: ctypes.c_void_p(a.ctypes.data), np.float32: ctypes.c_float}
    first = [a for a in arguments if not isinstance(a, int)]
    sizes = [ctypes.c_long(a) for a in arguments if isinstance(a, int)]
    given = [kinds.get(type(a), lambda z: ctypes.c_int(int(z)))(a) for a in (*first, out)] + sizes
    return lambda keep=(arguments, out): getattr(library, name)(*given)


def aligned_like(array: np.ndarray) -> np.ndarray:
    """An array of the same shape and type that begins with a cache line."""
    memory = np.empty(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)


def compare(name: str, results: dict[str, np.ndarray]) -> None:
    """All results have the bits of the first one."""
    (first, expected), *others = results.items()
    for way, result in others:
        if np.asarray(result).tobytes() != np.asarray(expected).tobytes():
            raise SystemExit(f"{name}: {way} and {first} differ")


def candidates(name: str, model, value: np.ndarray, numpy_way, library, c_call):
    """Name to a function without arguments."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    is_packed = value.dtype == ml_dtypes.int4
    argument = pack(value) if is_packed else np.ascontiguousarray(value)
    ways, results = {}, {}
    kinds = {"linalg": dict(target="linalg"), "vector": {}, "in caches": dict(stream_bytes=0)}
    for kind, options in kinds.items():
        with Context() as ctx:
            mlir_qdq.register(ctx)
            compiled = runtime.compile(import_model(model, ctx), profile="ort", **options)
        out = results[f"ours {kind}"] = np.asarray(compiled.main(argument))
        ways[f"ours {kind}"] = lambda f=compiled.main, a=argument, o=aligned_like(out): f(a, out=o)
    if library and c_call:
        function, arguments = c_call
        given = [argument if a is value else a for a in arguments]
        results["C"] = aligned_like(out)
        ways["C"] = call_c(library, function, given, results["C"])
        ways["C"]()
    # The Python interface of ONNX Runtime neither takes nor gives int4 arrays; 8-bit floats are bytes with a type beside them.
    result = model.graph.output[0].type.tensor_type.elem_type
    if TensorProto.FLOAT8E4M3FN in (result, model.graph.input[0].type.tensor_type.elem_type):
        kind = model.graph.input[0].type.tensor_type.elem_type
        data = argument.view(np.uint8) if value.dtype == FLOAT8 else argument
        given = {"x": onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(data, kind)}
        ways["onnxruntime"] = lambda: session.run_with_ort_values(None, given)
    elif not is_packed and result != TensorProto.INT4:
        ways["onnxruntime"] = lambda: session.run(None, {"x": argument})
        results["onnxruntime"] = session.run(None, {"x": argument})[0]
    ways["numpy"] = numpy_way
    compare(name, results)
    return ways


def cases(rows: int, columns: int):
    """Name, bytes of an element on both sides, model, input, NumPy's way, and the C function with its arguments, if there is one."""
    size = rows * columns
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, columns), np.float32)
    codes = random.integers(-128, 128, (rows, columns), np.int8)
    nibbles = random.integers(-8, 8, (rows, columns)).astype(ml_dtypes.int4)
    s, z = np.float32(0.02), np.int8(3)
    s1, z1 = random.uniform(0.01, 0.1, columns).astype(np.float32), np.zeros(columns, np.int8)
    sb = random.uniform(0.01, 0.1, (rows, columns // 32)).astype(np.float32)
    scalar = dict(s=np.asarray(s), z=np.asarray(z))

    def quantize(scale, zero):
        return np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int8)

    yield "quantize f32 i8 per tensor", 5, node_model("QuantizeLinear", dict(x=x, **scalar), TensorProto.INT8), x, \
        lambda: quantize(s, z), ("quantize", [x, s, z, size])  # fmt: skip
    yield "quantize f32 i8 axis 1", 5, node_model("QuantizeLinear", dict(x=x, s=s1, z=z1), TensorProto.INT8, axis=1), x, \
        lambda: quantize(s1, z1), None  # fmt: skip
    yield "dequantize i8 f32 per tensor", 5, node_model("DequantizeLinear", dict(x=codes, **scalar), TensorProto.FLOAT), \
        codes, lambda: (codes.astype(np.int32) - z) * s, ("dequantize", [codes, s, z, size])  # fmt: skip
    yield "dequantize i8 f32 axis 1", 5, node_model("DequantizeLinear", dict(x=codes, s=s1, z=z1), TensorProto.FLOAT, axis=1), \
        codes, lambda: codes.astype(np.float32) * s1, ("dequantize_axis_1", [codes, s1, rows, columns])  # fmt: skip
    for block in (32, 128):
        scales = random.uniform(0.01, 0.1, (rows, columns // block)).astype(np.float32)
        yield f"dequantize i4 f32 block {block}", 4.5, \
            node_model("DequantizeLinear", dict(x=nibbles, s=scales), TensorProto.FLOAT, axis=1, block_size=block), nibbles, \
            lambda s=scales, b=block: (nibbles.astype(np.float32).reshape(rows, -1, b) * s[..., None]).reshape(rows, columns), \
            ("dequantize_blocks", [nibbles, scales, size // block, block])  # fmt: skip
    yield "quantize f32 i4 block 32", 4.5, \
        node_model("QuantizeLinear", dict(x=x, s=sb, z=np.zeros(sb.shape, ml_dtypes.int4)), TensorProto.INT4, axis=1, block_size=32), x, \
        lambda: np.clip(np.rint(x.reshape(rows, -1, 32) / sb[..., None]), -8, 7).astype(np.int8), None  # fmt: skip
    small = (x * 8).astype(FLOAT8)
    yield "quantize f32 f8E4M3FN", 5, \
        node_model("QuantizeLinear", dict(x=x, s=np.asarray(s), z=np.zeros((), FLOAT8)), TensorProto.FLOAT8E4M3FN), x, \
        lambda: np.clip(x / s, -448, 448).astype(FLOAT8), None  # fmt: skip
    yield "dequantize f8E4M3FN f32", 5, node_model("DequantizeLinear", dict(x=small, s=np.asarray(s)), TensorProto.FLOAT), \
        small, lambda: small.astype(np.float32) * s, None  # fmt: skip


def main(rows: int, columns: int):
    library = build_c()
    repeats = min(max(2**26 // (rows * columns), 15), 300)
    for name, bytes_per_element, model, value, numpy_way, c_call in cases(rows, columns):
        ways = candidates(name, model, value, numpy_way, library, c_call)
        times = {way: [] for way in ways}
        for _ in range(repeats):
            for way, run in ways.items():
                start = time.thread_time()
                run()
                times[way].append(time.thread_time() - start)
        rates = {way: bytes_per_element * rows * columns / min(t) / 1e9 for way, t in times.items()}
        record(f"{rows} x {columns}, one thread", "GB/s", name, rates)


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:3] or (2048, 2048)))
