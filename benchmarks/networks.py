# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks, quantized by ONNX Runtime, through import_model and compile alone, beside ONNX Runtime: smallest ms of CPU time, one thread.

.venv/bin/python benchmarks/networks.py [names of networks ...] [--forms QOperator QDQ]

Random weights. Q/DQ nodes are compiled with `integer_contractions="profile"`. Outputs have to have the same bits before they are timed.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from measure import compare_codes, sample, smallest
from record import record

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "python"))
from quantized_networks import Network, quantized  # noqa: E402

#: ONNX Runtime's optimizer replaces floats in them, and changes their codes: the bits are those without it.
NOT_AS_OPTIMIZED = {"transformer"}


def perceptron(opset: int) -> tuple[Network, str]:
    net = Network((16, 784), opset)
    x = net.node("Relu", net.linear("x", 512, 784))
    x = net.node("Relu", net.linear(x, 512, 512))
    return net, net.linear(x, 16, 512)


def head(net: Network, x: str, channels: int) -> str:
    x = net.node("Flatten", net.node("GlobalAveragePool", x))
    return net.node("Gemm", x, net.weight(1000, channels), net.weight(1000), transB=1)


def resnet18(opset: int) -> tuple[Network, str]:
    net = Network((1, 3, 224, 224), opset)
    x = net.node("Relu", net.convolution("x", 64, 3, 7, strides=[2, 2]))
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    of = 64
    for to in (64, 128, 256, 512):
        for stride in (1 if to == 64 else 2, 1):
            y = net.node("Relu", net.convolution(x, to, of, 3, strides=[stride] * 2))
            y = net.convolution(y, to, to, 3)
            if stride != 1:
                x = net.convolution(x, to, of, strides=[stride] * 2)
            x = net.node("Relu", net.node("Add", y, x))
            of = to
    return net, head(net, x, 512)


def mobilenet(opset: int) -> tuple[Network, str]:
    """MobileNetV2."""
    net = Network((1, 3, 224, 224), opset)

    def clipped(x: str) -> str:
        bounds = [net.constant(np.float32(0)), net.constant(np.float32(6))]
        return net.node("Clip", x, *bounds)

    x = clipped(net.convolution("x", 32, 3, 3, strides=[2, 2]))
    of = 32
    for widens, to, count, first in [
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ]:  # fmt: skip
        for stride in [first] + [1] * (count - 1):
            wide = of * widens
            y = clipped(net.convolution(x, wide, of)) if widens > 1 else x
            y = clipped(net.convolution(y, wide, wide, 3, group=wide, strides=[stride] * 2))
            y = net.convolution(y, to, wide)
            x = net.node("Add", x, y) if stride == 1 and of == to else y
            of = to
    return net, head(net, clipped(net.convolution(x, 1280, of)), 1280)


def transformer(opset: int) -> tuple[Network, str]:
    """A block of an encoder: 128 tokens, 256 numbers each, 4 heads."""
    tokens, width, heads = 128, 256, 4
    net = Network((1, tokens, width), opset)

    def normalized(x: str) -> str:
        scale = net.constant(np.ones(width, np.float32))
        return net.node("LayerNormalization", x, scale, net.weight(width))

    def split(x: str, perm: list[int]) -> str:
        shape = net.constant(np.array([0, 0, heads, width // heads]))
        return net.node("Transpose", net.node("Reshape", x, shape), perm=perm)

    x = normalized("x")
    q = split(net.linear(x, width, width), [0, 2, 1, 3])
    k = split(net.linear(x, width, width), [0, 2, 3, 1])
    v = split(net.linear(x, width, width), [0, 2, 1, 3])
    root = net.constant(np.float32((width / heads) ** -0.5))
    scores = net.node("Softmax", net.node("Mul", net.node("MatMul", q, k), root), axis=-1)
    mixed = net.node("Transpose", net.node("MatMul", scores, v), perm=[0, 2, 1, 3])
    mixed = net.node("Reshape", mixed, net.constant(np.array([0, 0, width])))
    x = net.node("Add", net.linear(mixed, width, width), "x")
    inner = net.linear(normalized(x), 4 * width, width)
    half = net.node("Mul", inner, net.constant(np.float32(0.5)))
    erf = net.node("Erf", net.node("Div", inner, net.constant(np.float32(2**0.5))))
    gelu = net.node("Mul", half, net.node("Add", erf, net.constant(np.float32(1))))
    return net, net.node("Add", net.linear(gelu, width, 4 * width), x)


NETWORKS = {of.__name__: of for of in (perceptron, resnet18, mobilenet, transformer)}


def session(path: Path, optimized: bool) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    )
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def measure(name: str, form: str, path: Path, per_channel: bool) -> None:
    x = quantized(NETWORKS[name], path, form=form, per_channel=per_channel)
    integers = {} if form == "QOperator" else {"integer_contractions": "profile"}
    start = time.process_time()
    run = runtime.compile(import_model(path), profile="ort", **integers).net
    compiling = time.process_time() - start
    theirs = session(path, optimized=True)
    ours, results = np.asarray(run(x)), theirs.run(None, {"x": x})
    if name in NOT_AS_OPTIMIZED:
        results = session(path, optimized=False).run(None, {"x": x})
    saturated = compare_codes(ours, results[0])
    ways = {
        "ours": lambda: run(x, out=ours),
        "ONNX Runtime": lambda: theirs.run(None, {"x": x}),
    }
    mine, its = (1e3 * seconds for seconds in smallest(sample(ways)).values())
    values = {"ours": mine, "ONNX Runtime": its, "ratio": its / mine}
    channels = ", scales of channels" if per_channel else ""
    record(
        "networks, 1 thread",
        "ms",
        f"{name}, {form}{channels}, compiled in {compiling:.0f} s{saturated}",
        values,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(NETWORKS))
    parser.add_argument("--forms", nargs="+", default=["QOperator", "QDQ"])
    parser.add_argument("--per-channel", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for each in given.names:
            for form in given.forms:
                measure(each, form, Path(folder) / f"{each}-{form}.onnx", given.per_channel)
