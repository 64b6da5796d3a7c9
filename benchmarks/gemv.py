# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with an i4 weight in blocks, beside ONNX Runtime's MatMulNBits, interleaved in one process: smallest CPU time in ms, one thread.

.venv/bin/python benchmarks/gemv.py [block [rows of x ...]] [gptq | onnx]

Weights are [N, K], packed along K; with `gptq` [K, N] in words of eight codes along K, with `onnx` [K, N] packed along N, as DequantizeLinear before a MatMul has them.
MatMulNBits has neither: it multiplies the same codes in its own layout.
The error is the largest one against f64, over the largest absolute sum of products.
"""

import re
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from measure import sample, smallest
from peers import session_of
from record import record

N = K = 4096
OURS = {
    "unfused": {},
    "fused": {},
    "lanes": dict(sum_order="lanes"),
    "any": dict(sum_order="any"),
    "block floating point": dict(block_floating_point=True),
    "x in 8 bits": dict(sum_order="any", activations="blocks"),
}


def source(m: int, block: int) -> str:
    weight, scale = f"tensor<{N}x{K}x", f"tensor<{N}x{K // block}xf32>"
    x, y = f"tensor<{m}x{K}xf32>", f"tensor<{m}x{N}xf32>"
    return f"""
    func.func @main(%w: {weight}i4>, %s: {scale}, %x: {x}) -> {y} {{
      %d = qdq.dequantize %w scale %s block_shape [1, {block}] : ({weight}i4>, {scale}) -> {weight}f32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %d : {x}, {weight}f32>) outs(%f : {y}) -> {y}
      return %r : {y}
    }}"""


def source_columns(m: int, block: int, gptq: bool) -> str:
    """The weight is [K, N]."""
    scale = f"tensor<{K // block}x{N}xf32>"
    weight, x, y = f"tensor<{K}x{N}x", f"tensor<{m}x{K}xf32>", f"tensor<{m}x{N}xf32>"
    codes, given, unpack = "%w", f"{weight}i4>", ""
    if gptq:
        codes, given = "%q", f"tensor<{K // 8}x{N}xi32>"
        unpack = f"%q = qdq.unpack %w packing <gptq-v2> : ({given}) -> {weight}i4>"
    return f"""
    func.func @main(%w: {given}, %s: {scale}, %x: {x}) -> {y} {{
      {unpack}
      %d = qdq.dequantize {codes} scale %s block_shape [{block}, 1] : ({weight}i4>, {scale}) -> {weight}f32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.matmul ins(%x, %d : {x}, {weight}f32>) outs(%f : {y}) -> {y}
      return %r : {y}
    }}"""


def unfused(text: str) -> str:
    """The dequantize in a function of its own."""
    line, codes, operands, result = re.search(
        r"%d = (qdq.dequantize (\S+) .* : \((.*)\) -> (.*))", text
    ).groups()
    weight, scale = operands.rsplit(", ", 1)
    call = f"func.call @dequantize({codes}, %s) : ({operands}) -> {result}"
    return f"""
    func.func private @dequantize({codes}: {weight}, %s: {scale}) -> {result} {{
      %d = {line}
      return %d : {result}
    }}{text.replace(line, call)}"""


def onnxruntime_way(m: int, block: int, accuracy: int, packed, scale, x):
    """Codes are unsigned there, around 8; x and y are bound."""
    weight = numpy_helper.from_array((packed ^ 0x88).reshape(N, K // block, block // 2), "w")
    node = helper.make_node(
        "MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft",
        K=K, N=N, bits=4, block_size=block, accuracy_level=accuracy,
    )  # fmt: skip
    graph = helper.make_graph(
        [node], "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (m, K))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (m, N))],
        [weight, numpy_helper.from_array(scale.ravel(), "s")],
    )  # fmt: skip
    domains = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=10)
    onnx.checker.check_model(model)
    session = session_of(model)
    y = np.empty((m, N), np.float32)
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    return lambda: session.run_with_iobinding(binding), y


def pack(codes):
    nibbles = codes.view(np.uint8).reshape(-1, 2) & 15
    return nibbles[:, 0] | nibbles[:, 1] << 4


def main(block: int, m: int, layout: str):
    random = np.random.default_rng(0)
    codes = random.integers(-8, 8, (N, K), np.int8)
    packed = pack(codes)
    scale = random.uniform(0.01, 0.1, (N, K // block)).astype(np.float32)
    x = random.standard_normal((m, K), np.float32)
    text, given = source(m, block), (packed, scale, x)
    if layout == "onnx":
        rows = np.ascontiguousarray(codes.T)
        given = pack(rows), np.ascontiguousarray(scale.T), x
        text = source_columns(m, block, gptq=False)
    if layout == "gptq":
        fields = (codes.T.reshape(-1, 8, N) + 8).astype(np.uint32)
        words = np.bitwise_or.reduce(fields << 4 * np.arange(8, dtype=np.uint32)[:, None], axis=1)
        given = np.ascontiguousarray(words).view(np.int32), np.ascontiguousarray(scale.T), x
        text = source_columns(m, block, gptq=True)
    ways = {}
    for name, options in OURS.items():
        try:
            program = unfused(text) if name == "unfused" else text
            run = runtime.compile(program, **options).main
        except ValueError as error:  # the processor lacks instructions
            print(f"  {name}: {error}")
            continue
        y = np.asarray(run(*given))
        ways[name] = (lambda f=run, y=y: f(*given, out=y)), y
    for accuracy in (0, 4):
        ways[f"MatMulNBits {accuracy}"] = onnxruntime_way(m, block, accuracy, packed, scale, x)

    times = smallest(sample({way: run for way, (run, _) in ways.items()}))
    weight = codes.astype(np.float64) * np.repeat(scale.astype(np.float64), block, 1)
    exact, size = x.astype(np.float64) @ weight.T, np.abs(x) @ np.abs(weight).T
    np.testing.assert_array_equal(
        ways["fused"][1].view(np.uint32), ways["unfused"][1].view(np.uint32)
    )
    title = f"{m} x {K} times {layout and layout + ', '}{N} x {K}, i4 in blocks of {block}"
    for way, (_, y) in ways.items():
        error = np.max(np.abs(y - exact)) / np.max(size)
        values = {"time": times[way] * 1e3}
        record(title, "ms", f"{way}, error {error:.1e}", values)


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()] or [32]
    layouts = [a for a in sys.argv[1:] if not a.isdigit()] or [""]
    for rows in numbers[1:] or [1]:
        main(numbers[0], rows, layouts[0])
