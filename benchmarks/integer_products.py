# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of codes with constant weights, beside ONNX Runtime's QLinear ops, interleaved in one process: smallest µs, of CPU time with one thread.

.venv/bin/python benchmarks/integer_products.py [--threads=N] [rows of a matrix ...]

Matrices m × k × n, convolutions of a ResNet and depthwise ones of a MobileNet, NCHW. The codes are those of NumPy, and are compared with ONNX Runtime's, before they are timed.
"""

import argparse
import itertools
import time

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from mlir_qdq.importers._elements import MAX_DENSE_ELEMENTS
from measure import compare_codes, sample, smallest
from peers import session_of
from record import record

SIZES = [(256, 256), (1024, 1024), (4096, 1024), (4096, 4096)]
#: Channels, filters, height and width, window.
CONVOLUTIONS = [
    (64, 64, 56, 3), (128, 128, 28, 3), (256, 256, 14, 3), (512, 512, 7, 3),
    (64, 256, 56, 1), (512, 2048, 7, 1),
]  # fmt: skip
#: Channels, height and width, stride of the depthwise convolutions of a MobileNet, 3 × 3.
DEPTHWISE = [(32, 112, 1), (96, 112, 2), (144, 56, 1), (192, 28, 1), (384, 14, 1), (960, 7, 1)]
SA, SB, SY = np.float32(0.02), np.float32(0.003), np.float32(0.05)
ZA, ZY = 3, 7


def shape(dims, element: str) -> str:
    return f"tensor<{'x'.join(map(str, dims))}x{element}>"


def constant(name: str, values: np.ndarray, element: str) -> str:
    """As importers write it: large ones are resources, which `resource` spells."""
    kind = f"dense_resource<{name}>"
    if values.size <= MAX_DENSE_ELEMENTS:
        kind = f'dense<"0x{values.tobytes().hex()}">'
    return f"%{name} = arith.constant {kind} : {shape(values.shape, element)}"


def resource(name: str, values: np.ndarray) -> str:
    text = f'{name}: "0x{values.itemsize:02x}000000{values.tobytes().hex()}"'
    return f"{{-# dialect_resources: {{ builtin: {{ {text} }} }} #-}}"


def source(a: np.ndarray, weight: np.ndarray, result, maps: list[str], pad: int = 0) -> str:
    """The product of codes, the bias that stands for the zero point of a, and the codes of that."""
    sign, extend = ("u", "extui") if a.dtype == np.uint8 else ("", "extsi")
    loops, dims = maps[2].split(" -> ")
    count = dims.count(",") + 1
    column = "n" if weight.ndim == 2 else "f"
    others = 0 if column == "n" else tuple(range(1, weight.ndim))
    bias = weight.astype(np.int32).sum(axis=others, dtype=np.int32) * -ZA
    pads = [0, 0, pad, pad] if pad else [0] * a.ndim
    padded = [s + 2 * p for s, p in zip(a.shape, pads)]
    parallel = ", ".join(['"parallel"'] * count)
    reductions = ', "reduction"' * (loops.count(",") + 1 - count)
    sums = shape(result, "i32")
    return f"""
    func.func @main(%a: {shape(a.shape, sign + "i8")}) -> {shape(result, sign + "i8")} {{
      {constant("b", weight, "i8")}
      %bias = arith.constant dense<"0x{bias.tobytes().hex()}"> : {shape(bias.shape, "i32")}
      %none = arith.constant 0 : i32
      %za = arith.constant {ZA} : i8
      %m = arith.constant {SA * SB / SY:.9e} : f32
      %zy = arith.constant dense<{ZY}> : tensor<{sign}i8>
      %bytes = tensor.bitcast %a : {shape(a.shape, sign + "i8")} to {shape(a.shape, "i8")}
      %codes = tensor.pad %bytes low{pads} high{pads} {{
      ^bb0({", ".join(f"%i{i}: index" for i in range(a.ndim))}):
        tensor.yield %za : i8
      }} : {shape(a.shape, "i8")} to {shape(padded, "i8")}
      %e = tensor.empty() : {sums}
      %start = linalg.fill ins(%none : i32) outs(%e : {sums}) -> {sums}
      %products = linalg.generic {{
          indexing_maps = [{", ".join(f"affine_map<{m}>" for m in maps)}], iterator_types = [{parallel}{reductions}]}}
          ins(%codes, %b : {shape(padded, "i8")}, {shape(weight.shape, "i8")}) outs(%start : {sums}) {{
      ^bb0(%p: i8, %q: i8, %sum: i32):
        %x = arith.{extend} %p : i8 to i32
        %w = arith.extsi %q : i8 to i32
        %t = arith.muli %x, %w : i32
        %u = arith.addi %sum, %t : i32
        linalg.yield %u : i32
      }} -> {sums}
      %sums = linalg.generic {{
          indexing_maps = [affine_map<{dims} -> {dims}>, affine_map<{dims} -> ({column})>, affine_map<{dims} -> {dims}>],
          iterator_types = [{parallel}]}}
          ins(%products, %bias : {sums}, tensor<{len(bias)}xi32>) outs(%e : {sums}) {{
      ^bb0(%product: i32, %c: i32, %out: i32):
        %s = arith.addi %product, %c : i32
        linalg.yield %s : i32
      }} -> {sums}
      %y = qdq.requantize %sums rescale <f32> multiplier %m zero_point %zy
        : ({sums}, f32, tensor<{sign}i8>) -> {shape(result, sign + "i8")}
      return %y : {shape(result, sign + "i8")}
    }}
    {resource("b", weight) if weight.size > MAX_DENSE_ELEMENTS else ""}"""


def exact_codes(a: np.ndarray, weight: np.ndarray, pad: int = 0, stride: int = 1) -> np.ndarray:
    """The codes by NumPy. f64 holds all sums."""
    x = a.astype(np.float64) - ZA
    if weight.ndim == 2:
        sums = x @ weight
    else:
        x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
        windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], (2, 3))
        windows = windows[:, :, ::stride, ::stride]
        if weight.shape[1] == 1:  # depthwise
            sums = np.einsum("bcyxij,cij->bcyx", windows, weight[:, 0])
        else:
            sums = np.moveaxis(np.tensordot(windows, weight, ((1, 4, 5), (1, 2, 3))), -1, 1)
    limits = np.iinfo(a.dtype)
    scaled = sums.astype(np.float32) * (SA * SB / SY)
    return np.clip(np.rint(scaled) + ZY, limits.min, limits.max).astype(a.dtype)


def onnxruntime_way(op: str, a: np.ndarray, weight: np.ndarray, result, threads: int, **attributes):
    """a and y are bound."""
    kind = a.dtype.type
    values = dict(sa=SA, za=kind(ZA), b=weight, sb=SB, zb=np.int8(0), sy=SY, zy=kind(ZY))
    onnx_type = TensorProto.UINT8 if kind == np.uint8 else TensorProto.INT8
    y = np.empty(result, kind)
    graph = helper.make_graph(
        [helper.make_node(op, ["a", *values], ["y"], **attributes)], "main",
        [helper.make_tensor_value_info("a", onnx_type, a.shape)],
        [helper.make_tensor_value_info("y", onnx_type, y.shape)],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in values.items()],
    )  # fmt: skip
    opset = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=10)
    session = session_of(model, threads)
    binding = session.io_binding()
    binding.bind_cpu_input("a", a)
    binding.bind_output("y", "cpu", 0, kind, y.shape, y.ctypes.data)
    return lambda: session.run_with_iobinding(binding), y


def compare(
    name: str, text: str, a: np.ndarray, exact: np.ndarray, threads: int,
    other, theirs: np.ndarray, products: int,
):  # fmt: skip
    run = runtime.compile(text, threads=threads).main
    ours = np.asarray(run(a))
    other()
    saturated = compare_codes(ours, theirs, exact)
    clock = time.process_time if threads == 1 else time.perf_counter
    times = smallest(sample({"ours": lambda: run(a, out=ours), "theirs": other}, clock))
    mine, its = (1e6 * seconds for seconds in times.values())
    rate = products / mine / 1e3
    values = {"ours": mine, "ONNX Runtime": its, "ratio": its / mine}
    record(
        f"products of codes, {threads} threads",
        "µs",
        f"{name}, {rate:.0f} GMAC/s{saturated}",
        values,
    )


def main(rows: list[int], threads: int):
    random = np.random.default_rng(0)

    def codes(shape, kind) -> np.ndarray:
        limits = np.iinfo(kind)
        return random.integers(limits.min, limits.max, shape, endpoint=True).astype(kind)

    for (k, n), m, kind in itertools.product(SIZES, rows, (np.uint8, np.int8)):
        a, weight = codes((m, k), kind), codes((k, n), np.int8)
        maps = [f"(m, n, k) -> ({d})" for d in ("m, k", "k, n", "m, n")]
        theirs = onnxruntime_way("QLinearMatMul", a, weight, (m, n), threads)
        name = f"{np.dtype(kind).name} {m} × {k} × {n}"
        text, exact = source(a, weight, (m, n), maps), exact_codes(a, weight)
        compare(name, text, a, exact, threads, *theirs, m * k * n)
    for channels, filters, size, window in CONVOLUTIONS:
        pad = window // 2
        a = codes((1, channels, size, size), np.uint8)
        weight = codes((filters, channels, window, window), np.int8)
        result = (1, filters, size, size)
        spaces = "b, c, y + i, x + j", "f, c, i, j", "b, f, y, x"
        maps = [f"(b, f, y, x, c, i, j) -> ({d})" for d in spaces]
        theirs = onnxruntime_way("QLinearConv", a, weight, result, threads, pads=[pad] * 4)
        name = f"uint8 convolution {channels} → {filters}, {size} × {size}, {window} × {window}"
        text = source(a, weight, result, maps, pad)
        exact = exact_codes(a, weight, pad)
        compare(name, text, a, exact, threads, *theirs, a.size * filters * window**2)
    for channels, size, stride in DEPTHWISE:
        a = codes((1, channels, size, size), np.uint8)
        weight = codes((channels, 1, 3, 3), np.int8)
        result = (1, channels, size // stride, size // stride)
        spaces = f"b, f, y * {stride} + i, x * {stride} + j", "f, i, j", "b, f, y, x"
        maps = [f"(b, f, y, x, i, j) -> ({d})" for d in spaces]
        theirs = onnxruntime_way(
            "QLinearConv", a, weight, result, threads,
            pads=[1] * 4, strides=[stride] * 2, group=channels,
        )  # fmt: skip
        name = f"uint8 depthwise {channels}, {size} × {size}, 3 × 3, stride {stride}"
        text = source(a, weight[:, 0], result, maps, 1)
        exact = exact_codes(a, weight, 1, stride)
        compare(name, text, a, exact, threads, *theirs, np.prod(result) * 9)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=[1, 16, 128, 1024])
    parser.add_argument("--threads", type=int, default=1)
    main(**vars(parser.parse_args()))
