# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels beside ONNX Runtime and NumPy, interleaved in one process: median GB/s, bytes read and written.

.venv/bin/python benchmarks/kernels.py [rows columns]
"""

import statistics
import sys
import time

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

REPEATS = 15
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


def candidates(model, value: np.ndarray, numpy_way):
    """Name to a function without arguments."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    is_packed = value.dtype == ml_dtypes.int4
    argument = pack(value) if is_packed else np.ascontiguousarray(value)
    ways = {}
    for target in ("linalg", "vector"):
        with Context() as ctx:
            mlir_qdq.register(ctx)
            compiled = runtime.compile(import_model(model, ctx), target=target, profile="ort")
        out = np.asarray(compiled.main(argument))
        ways[f"ours {target}"] = lambda f=compiled.main, a=argument, o=out: f(a, out=o)
    # The Python interface of ONNX Runtime neither takes nor gives int4 arrays; 8-bit floats are bytes with a type beside them.
    result = model.graph.output[0].type.tensor_type.elem_type
    if TensorProto.FLOAT8E4M3FN in (result, model.graph.input[0].type.tensor_type.elem_type):
        kind = model.graph.input[0].type.tensor_type.elem_type
        data = argument.view(np.uint8) if value.dtype == FLOAT8 else argument
        given = {"x": onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(data, kind)}
        ways["onnxruntime"] = lambda: session.run_with_ort_values(None, given)
    elif not is_packed and result != TensorProto.INT4:
        ways["onnxruntime"] = lambda: session.run(None, {"x": argument})
    ways["numpy"] = numpy_way
    return ways


def cases(rows: int, columns: int):
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
        lambda: quantize(s, z)  # fmt: skip
    yield "quantize f32 i8 axis 1", 5, node_model("QuantizeLinear", dict(x=x, s=s1, z=z1), TensorProto.INT8, axis=1), x, \
        lambda: quantize(s1, z1)  # fmt: skip
    yield "dequantize i8 f32 per tensor", 5, node_model("DequantizeLinear", dict(x=codes, **scalar), TensorProto.FLOAT), \
        codes, lambda: (codes.astype(np.int32) - z) * s  # fmt: skip
    yield "dequantize i8 f32 axis 1", 5, node_model("DequantizeLinear", dict(x=codes, s=s1, z=z1), TensorProto.FLOAT, axis=1), \
        codes, lambda: codes.astype(np.float32) * s1  # fmt: skip
    for block in (32, 128):
        scales = random.uniform(0.01, 0.1, (rows, columns // block)).astype(np.float32)
        yield f"dequantize i4 f32 block {block}", 4.5, \
            node_model("DequantizeLinear", dict(x=nibbles, s=scales), TensorProto.FLOAT, axis=1, block_size=block), nibbles, \
            lambda s=scales, b=block: (nibbles.astype(np.float32).reshape(rows, -1, b) * s[..., None]).reshape(rows, columns)  # fmt: skip
    yield "quantize f32 i4 block 32", 4.5, \
        node_model("QuantizeLinear", dict(x=x, s=sb, z=np.zeros(sb.shape, ml_dtypes.int4)), TensorProto.INT4, axis=1, block_size=32), x, \
        lambda: np.clip(np.rint(x.reshape(rows, -1, 32) / sb[..., None]), -8, 7).astype(np.int8)  # fmt: skip
    small = (x * 8).astype(FLOAT8)
    yield "quantize f32 f8E4M3FN", 5, \
        node_model("QuantizeLinear", dict(x=x, s=np.asarray(s), z=np.zeros((), FLOAT8)), TensorProto.FLOAT8E4M3FN), x, \
        lambda: np.clip(x / s, -448, 448).astype(FLOAT8)  # fmt: skip
    yield "dequantize f8E4M3FN f32", 5, node_model("DequantizeLinear", dict(x=small, s=np.asarray(s)), TensorProto.FLOAT), \
        small, lambda: small.astype(np.float32) * s  # fmt: skip


def main(rows: int, columns: int):
    for name, bytes_per_element, model, value, numpy_way in cases(rows, columns):
        ways = candidates(model, value, numpy_way)
        times = {way: [] for way in ways}
        for _ in range(REPEATS):
            for way, run in ways.items():
                start = time.perf_counter()
                run()
                times[way].append(time.perf_counter() - start)
        rates = {
            way: bytes_per_element * rows * columns / statistics.median(t) / 1e9
            for way, t in times.items()
        }
        record(f"{rows} x {columns}, one thread", "GB/s", name, rates)


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:3] or (2048, 2048)))
