# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks of the usual kinds with random weights, quantized by ONNX Runtime's quantizer."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from target_features import has

#: Without VNNI, ONNX Runtime adds two products of bytes in 16 bits, which saturate: weights of 7 bits
#: do not reach that.
REDUCES_WEIGHTS = not (has("avx512vnni") or has("avxvnni"))


@dataclass
class Network:
    """A graph under construction: each call of `node` appends one, and gives the name of its result."""

    shape: tuple[int, ...]
    opset: int = 17
    seed: int = 0
    nodes: list = field(default_factory=list)
    constants: list = field(default_factory=list)

    def __post_init__(self):
        self.random = np.random.default_rng(self.seed)

    def weight(self, *shape: int) -> str:
        scale = 1 / np.sqrt(max(np.prod(shape[1:]), 1))
        return self.constant(self.random.normal(0, scale, shape).astype(np.float32))

    def constant(self, value) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator: str, *inputs: str, **attributes) -> str:
        (result,) = self.split(operator, 1, *inputs, **attributes)
        return result

    def split(self, operator: str, count: int, *inputs: str, **attributes) -> list[str]:
        index = len(self.nodes)
        results = [f"v{index}_{i}" for i in range(count)]
        name = f"{operator}_{index}"
        self.nodes.append(helper.make_node(operator, inputs, results, name=name, **attributes))
        return results

    def convolution(self, x, to, of, size=1, **attributes) -> str:
        group = attributes.get("group", 1)
        pads = [size // 2] * 4
        bias = self.weight(to, 1)
        self.constants[-1] = numpy_helper.from_array(
            numpy_helper.to_array(self.constants[-1]).reshape(to), bias
        )
        weight = self.weight(to, of // group, size, size)
        return self.node("Conv", x, weight, bias, pads=pads, **attributes)

    def linear(self, x, to, of) -> str:
        return self.node("Add", self.node("MatMul", x, self.weight(of, to)), self.weight(to))

    def model(self, result: str, batch: int | str | None = None) -> onnx.ModelProto:
        """`batch`: the size of dimension 0, or its name where it is open."""
        dims = [self.shape[0] if batch is None else batch, *self.shape[1:]]
        graph = helper.make_graph(
            self.nodes,
            "net",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
            [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)],
            self.constants,
        )
        opset = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opset, ir_version=8)


def perceptron(opset: int) -> tuple[Network, str]:
    net = Network((3, 24), opset)
    x = "x"
    for to, of in [(32, 24), (32, 32)]:
        x = net.node("Relu", net.linear(x, to, of))
    x = net.node("Gemm", x, net.weight(16, 32), net.weight(16), transB=1)
    return net, net.node("Softmax", x, axis=-1)


def transformer(opset: int) -> tuple[Network, str]:
    """One block: attention of two heads, then a feed-forward part."""
    net = Network((2, 6, 16), opset)

    def normalized(x):
        if opset >= 17:
            return net.node(
                "LayerNormalization", x, net.constant(np.ones(16, np.float32)), net.weight(16)
            )
        mean = net.node("ReduceMean", x, axes=[-1])
        centered = net.node("Sub", x, mean)
        square = net.node("Pow", centered, net.constant(np.float32(2)))
        variance = net.node("ReduceMean", square, axes=[-1])
        deviation = net.node("Sqrt", net.node("Add", variance, net.constant(np.float32(1e-5))))
        scaled = net.node("Div", centered, deviation)
        return net.node("Mul", scaled, net.weight(16))

    def heads(x, perm):
        shaped = net.node("Reshape", x, net.constant(np.array([0, 0, 2, 8])))
        return net.node("Transpose", shaped, perm=perm)

    x = normalized("x")
    q = heads(net.linear(x, 16, 16), [0, 2, 1, 3])
    k = heads(net.linear(x, 16, 16), [0, 2, 3, 1])
    v = heads(net.linear(x, 16, 16), [0, 2, 1, 3])
    scores = net.node("Mul", net.node("MatMul", q, k), net.constant(np.float32(8**-0.5)))
    mixed = net.node("MatMul", net.node("Softmax", scores, axis=-1), v)
    mixed = net.node("Transpose", mixed, perm=[0, 2, 1, 3])
    mixed = net.node("Reshape", mixed, net.constant(np.array([0, 0, 16])))
    x = net.node("Add", net.linear(mixed, 16, 16), "x")
    inner = net.linear(normalized(x), 32, 16)
    # GELU as exporters write it out.
    half = net.node("Mul", inner, net.constant(np.float32(0.5)))
    erf = net.node("Erf", net.node("Div", inner, net.constant(np.float32(2**0.5))))
    gelu = net.node("Mul", half, net.node("Add", erf, net.constant(np.float32(1))))
    return net, net.node("Add", net.linear(gelu, 16, 32), x)


def head(net, x, channels) -> str:
    x = net.node("Flatten", net.node("GlobalAveragePool", x))
    return net.node("Gemm", x, net.weight(10, channels), net.weight(10), transB=1)


def resnet(opset: int) -> tuple[Network, str]:
    net = Network((2, 3, 16, 16), opset)
    x = net.node("Relu", net.convolution("x", 8, 3, 3, strides=[2, 2]))
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for to, of, stride in [(8, 8, 1), (16, 8, 2)]:
        y = net.node("Relu", net.convolution(x, to, of, 3, strides=[stride] * 2))
        y = net.convolution(y, to, to, 3)
        if to != of:
            x = net.convolution(x, to, of, strides=[stride] * 2)
        x = net.node("Relu", net.node("Add", y, x))
    return net, head(net, x, 16)


def mobilenet(opset: int) -> tuple[Network, str]:
    net = Network((1, 3, 16, 16), opset)

    def clipped(x):
        bounds = [net.constant(np.float32(0)), net.constant(np.float32(6))]
        return net.node("Clip", x, *bounds)

    x = clipped(net.convolution("x", 8, 3, 3, strides=[2, 2]))
    for stride in (1, 2):
        y = clipped(net.convolution(x, 16, 8))
        y = clipped(net.convolution(y, 16, 16, 3, group=16, strides=[stride] * 2))
        y = net.convolution(y, 8, 16)
        x = net.node("Add", x, y) if stride == 1 else y
    # Squeeze and excitation.
    s = net.node("GlobalAveragePool", x)
    s = net.node("Relu", net.convolution(s, 4, 8))
    s = net.node("HardSigmoid", net.convolution(s, 8, 4))
    x = net.node("HardSwish", net.node("Mul", x, s)) if opset >= 14 else net.node("Mul", x, s)
    return net, head(net, x, 8)


def shufflenet(opset: int) -> tuple[Network, str]:
    net = Network((2, 3, 8, 8), opset)
    x = net.node("Relu", net.convolution("x", 16, 3, 3))
    for _ in range(2):
        if opset >= 13:
            a, b = net.split("Split", 2, x, net.constant(np.array([8, 8])), axis=1)
        else:
            a, b = net.split("Split", 2, x, axis=1, split=[8, 8])
        b = net.node("Relu", net.convolution(b, 8, 8, group=2))
        b = net.convolution(b, 8, 8, 3, group=8)
        b = net.node("Relu", net.convolution(b, 8, 8))
        x = net.node("Concat", a, b, axis=1)
        x = net.node("Reshape", x, net.constant(np.array([-1, 2, 8, 8, 8])))
        x = net.node("Transpose", x, perm=[0, 2, 1, 3, 4])
        x = net.node("Reshape", x, net.constant(np.array([-1, 16, 8, 8])))
    return net, head(net, x, 16)


def unet(opset: int) -> tuple[Network, str]:
    net = Network((1, 2, 16, 16), opset)
    a = net.node("Relu", net.convolution("x", 8, 2, 3))
    b = net.node("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2])
    b = net.node("LeakyRelu", net.convolution(b, 16, 8, 3), alpha=0.1)
    c = net.node("MaxPool", b, kernel_shape=[2, 2], strides=[2, 2])
    c = net.node("Sigmoid", net.convolution(c, 16, 16, 3))
    c = net.node("ConvTranspose", c, net.weight(16, 16, 2, 2), net.weight(16), strides=[2, 2])
    x = net.convolution(net.node("Concat", c, b, axis=1), 8, 32, 3)
    scales = net.constant(np.array([1, 1, 2, 2], np.float32))
    x = net.node(
        "Resize", x, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    )  # fmt: skip
    x = net.convolution(net.node("Concat", x, a, axis=1), 2, 16, 3)
    return net, net.node("Tanh", x)


def average(opset: int) -> tuple[Network, str]:
    """A pool, whose sums ONNX Runtime forms by columns."""
    net = Network((2, 8, 16, 16), opset)
    x = net.convolution("x", 8, 8)
    return net, net.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])


NETWORKS = (perceptron, transformer, resnet, mobilenet, shufflenet, unet)


class _Samples(CalibrationDataReader):
    def __init__(self, shape):
        random = np.random.default_rng(1)
        self.samples = iter(
            [{"x": random.normal(0, 1, shape).astype(np.float32)} for _ in range(4)]
        )

    def get_next(self):
        return next(self.samples, None)


@contextmanager
def _silently():
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def quantized(
    network, path: Path, *, opset: int = 17, batch=None, form: str = "QDQ", activation: str = "QUInt8", per_channel: bool = False, reduces_weights: bool = REDUCES_WEIGHTS,
) -> np.ndarray:  # fmt: skip
    """Write the network, quantized, to `path`; an input. `reduces_weights`: 7 bits."""
    net, result = network(opset)
    real = path.with_suffix(".real.onnx")
    onnx.save(net.model(result, batch), real)
    with _silently():
        quantize_static(
            real,
            path,
            _Samples(net.shape),
            quant_format=QuantFormat[form],
            per_channel=per_channel,
            activation_type=QuantType[activation],
            weight_type=QuantType.QInt8,
            reduce_range=reduces_weights,
        )
    return np.random.default_rng(2).normal(0, 1, net.shape).astype(np.float32)
