# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime on the CPU: Cast, with and without saturation; QuantizeLinear and back; the end of
QLinearConv."""

import numpy as np
import onnxruntime
from scoring import cast, codes_of, requantizes, versions, zero_points

from .onnx_reference import OTHERS, SATURATING, SOURCES, TensorProto, convolution, helper, linear

PACKAGES = ("onnxruntime", "onnx", "ml_dtypes", "numpy")


def version():
    return versions("onnxruntime")


def run(nodes, source, to, x):
    """The last node gives f32, whose codes are known: the types have no arrays here."""
    a, b = (getattr(TensorProto, name) for name in (source, to))
    inputs = [helper.make_tensor_value_info("x", a, [None])]
    graph = helper.make_graph(
        nodes, "cast", inputs, [helper.make_tensor_value_info("y", b, [None])]
    )
    opset = [helper.make_opsetid("", 23)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=11)
    return run_model(model, x)


def run_model(model, x):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x})[0]


def operations():
    for source in ("f32", "f16"):
        a = SOURCES[source]
        for to, b in (SATURATING | OTHERS).items():
            kind = getattr(TensorProto, b)
            choices = [{"saturate": 1}, {"saturate": 0}] if to in SATURATING else [{}]
            for attributes in choices:

                def convert(x, a=a, kind=kind, attributes=attributes, to=to):
                    nodes = [
                        helper.make_node("Cast", ["x"], ["q"], to=kind, **attributes),
                        helper.make_node("Cast", ["q"], ["y"], to=TensorProto.FLOAT),
                    ]
                    return codes_of(to, run(nodes, a, "FLOAT", x))

                note = ", ".join(f"{key}={value}" for key, value in attributes.items())
                yield cast(source, to, convert, note)
            if to.startswith("f8"):

                def back(codes, kind=kind, source=source, a=a):
                    tensor = helper.make_tensor("c", kind, [len(codes)], codes.tobytes(), raw=True)
                    nodes = [
                        helper.make_node("Constant", [], ["q"], value=tensor),
                        helper.make_node("Cast", ["q"], ["y"], to=getattr(TensorProto, a)),
                        helper.make_node("Identity", ["x"], ["unused"]),
                    ]
                    y = run(nodes, "FLOAT", a, np.zeros(1, np.float32))
                    return y.view(f"u{y.dtype.itemsize}")

                yield cast(to, source, back)
    yield from zero_points(*linear(run_model))
    yield from requantizes(convolution(run_model), note="QLinearConv")
