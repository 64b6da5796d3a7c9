# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The quantize and dequantize nodes of an ONNX model, alone, with the values that they meet there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state

#: Exceptions of a session; the classes have no other base than Exception.
RUNTIME_ERRORS = tuple(
    kind
    for kind in vars(onnxruntime_pybind11_state).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
KINDS = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")


@dataclass(frozen=True)
class QuantizationNodes:
    """`alone` holds `nodes` side by side: what they read are its inputs, or its constants, and
    their results have the names of `result_name`. `values` are all that they read and make, as
    ONNX Runtime computes them."""

    nodes: list[onnx.NodeProto]
    alone: onnx.ModelProto
    values: dict[str, np.ndarray]

    @classmethod
    def of(cls, model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> QuantizationNodes | None:
        """None where the model has no such node."""
        nodes = [node for node in model.graph.node if node.op_type in KINDS]
        if not nodes:
            return None
        constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
        names = dict.fromkeys(
            name
            for node in nodes
            for name in [*node.input, *node.output]
            if name and name not in constants and name not in feeds
        )
        session = literal_session(_with_outputs(model, list(names)))
        values = dict(zip(names, session.run(None, feeds))) | feeds
        return cls(nodes, _alone(model, nodes, values), constants | values)

    def arguments(self) -> list[np.ndarray]:
        """Those of `alone`."""
        return [self.values[given.name] for given in self.alone.graph.input]


def result_name(name: str) -> str:
    """Of the value `name`, where it is a result of the nodes alone: another node may read it."""
    return f"{name}/result"


def literal_session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime that runs the nodes as they are: nothing fused, nothing left out."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4  # its errors are raised, too
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _with_outputs(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return copy


def _alone(model, nodes, values) -> onnx.ModelProto:
    constants = {i.name: i for i in model.graph.initializer}
    read = dict.fromkeys(name for node in nodes for name in node.input if name)
    made = [name for node in nodes for name in node.output if name]
    info = {
        name: onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(values[name].dtype), values[name].shape
        )
        for name in [*read, *made]
        if name not in constants
    }
    graph = onnx.helper.make_graph(
        [],
        "nodes",
        [info[name] for name in read if name not in constants],
        [],
        [constants[name] for name in read if name in constants],
    )
    for node in nodes:
        copy = graph.node.add()
        copy.CopyFrom(node)
        for i, name in enumerate(copy.output):
            if name:
                copy.output[i] = result_name(name)
                result = graph.output.add()
                result.CopyFrom(info[name])
                result.name = copy.output[i]
    return onnx.helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version
    )
