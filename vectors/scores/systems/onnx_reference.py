# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference evaluator of ONNX: Cast, with and without saturation; QuantizeLinear and back; the end of
QLinearConv."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from scoring import cast, requantizes, versions, zero_points

PACKAGES = ("onnx", "ml_dtypes", "numpy")
SOURCES = {"f32": "FLOAT", "f16": "FLOAT16", "bf16": "BFLOAT16"}
SATURATING = {
    "f8E4M3FN": "FLOAT8E4M3FN",
    "f8E4M3FNUZ": "FLOAT8E4M3FNUZ",
    "f8E5M2": "FLOAT8E5M2",
    "f8E5M2FNUZ": "FLOAT8E5M2FNUZ",
    "f8E8M0FNU": "FLOAT8E8M0",
}
OTHERS = {
    "f4E2M1FN": "FLOAT4E2M1",
    "i4": "INT4",
    "ui4": "UINT4",
    "i8": "INT8",
    "ui8": "UINT8",
}
OPSET = 24


KINDS = {"i8": (TensorProto.INT8, np.int8), "ui8": (TensorProto.UINT8, np.uint8)}


def version():
    return versions("onnx")


def model(source, to, **attributes):
    a, b = (getattr(TensorProto, name) for name in (source, to))
    node = helper.make_node("Cast", ["x"], ["y"], to=b, **attributes)
    graph = helper.make_graph(
        [node], "cast", [helper.make_tensor_value_info("x", a, [None])],
        [helper.make_tensor_value_info("y", b, [None])],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)


def linear(run):
    """QuantizeLinear and DequantizeLinear by `run`, of a model and x."""

    def node(name, scale, zero, a, b):
        nodes = [helper.make_node(name, ["x", "scale", "zero"], ["y"])]
        initializers = [
            helper.make_tensor("scale", TensorProto.FLOAT, [], [float(scale)]),
            helper.make_tensor("zero", b if name == "QuantizeLinear" else a, [], [zero]),
        ]
        inputs = [helper.make_tensor_value_info("x", a, [None])]
        outputs = [helper.make_tensor_value_info("y", b, [None])]
        graph = helper.make_graph(nodes, "linear", inputs, outputs, initializers)
        opset = [helper.make_opsetid("", 21)]
        return helper.make_model(graph, opset_imports=opset, ir_version=10)

    def quantize(x, scale, zero, storage):
        kind, _ = KINDS[storage]
        return run(node("QuantizeLinear", scale, zero, TensorProto.FLOAT, kind), x)

    def dequantize(codes, scale, zero, storage):
        kind, dtype = KINDS[storage]
        model = node("DequantizeLinear", scale, zero, kind, TensorProto.FLOAT)
        return run(model, codes.astype(dtype))

    return quantize, dequantize


def convolution(run):
    """QLinearConv of one zero by `run`: the accumulators are its bias, and its weights have their scales."""

    def requantize(acc, sa, sb, sy, zero, storage):
        kind, dtype = KINDS[storage]
        middle = 0 if storage == "i8" else 128
        constants = {
            "sa": sa, "za": dtype(middle), "w": np.ones((acc.size, 1, 1, 1), np.int8), "sb": sb,
            "zb": np.zeros(acc.size, np.int8), "sy": sy, "zy": dtype(zero), "b": acc,
        }  # fmt: skip
        node = helper.make_node(
            "QLinearConv", ["x", "sa", "za", "w", "sb", "zb", "sy", "zy", "b"], ["y"]
        )
        graph = helper.make_graph(
            [node], "convolution", [helper.make_tensor_value_info("x", kind, [1, 1, 1, 1])],
            [helper.make_tensor_value_info("y", kind, [1, acc.size, 1, 1])],
            [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
        )  # fmt: skip
        opset = [helper.make_opsetid("", 21)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=10)
        return run(model, np.full((1, 1, 1, 1), middle, dtype))

    return requantize


def run_model(model, x):
    return ReferenceEvaluator(model).run(None, {"x": x})[0]


def operations():
    for source, a in SOURCES.items():
        for to, b in (SATURATING | OTHERS).items():
            choices = [{"saturate": 1}, {"saturate": 0}] if to in SATURATING else [{}]
            if to == "f8E8M0FNU":
                rounds = ("up", "down", "nearest")
                choices = [c | {"round_mode": mode} for c in choices for mode in rounds]
            for attributes in choices:

                def convert(x, a=a, b=b, attributes=attributes):
                    dtype = helper.tensor_dtype_to_np_dtype(getattr(TensorProto, a))
                    run = ReferenceEvaluator(model(a, b, **attributes)).run
                    (y,) = run(None, {"x": x.view(dtype)})
                    return y.view(np.uint8)

                note = ", ".join(f"{key}={value}" for key, value in attributes.items())
                yield cast(source, to, convert, note)
            if to.startswith("f"):

                def back(codes, a=b, b=a):
                    dtype = helper.tensor_dtype_to_np_dtype(getattr(TensorProto, a))
                    (y,) = ReferenceEvaluator(model(a, b)).run(None, {"x": codes.view(dtype)})
                    return y.view(f"u{y.dtype.itemsize}")

                yield cast(to, source, back)
    yield from zero_points(*linear(run_model))
    # It adds its zero point first, which `rescales` have no vectors of.
    yield from requantizes(convolution(run_model), note="QLinearConv", topics=["orders"])
