# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each quantize and dequantize node of a model on the values that it meets there, bit for bit beside ONNX Runtime."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
from mlir_qdq import runtime
from mlir_qdq.importers import onnx as importer

KINDS = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")


@dataclass
class NodeResults:
    equal: int = 0
    differ: list[str] = field(default_factory=list)


def literal_session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime that runs the nodes as they are: nothing fused, nothing left out."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _with_outputs(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return copy


def _only(model, nodes, values) -> onnx.ModelProto:
    """A model of these nodes: constants stay, all else that they read is an input."""
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
    # What one node makes and another reads is an input under a name of its own.
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
                copy.output[i] = f"{name}/result"
                result = graph.output.add()
                result.CopyFrom(info[name])
                result.name = copy.output[i]
    return onnx.helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version
    )


def _same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    return ours.tobytes() == theirs.tobytes() or bool(
        np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
        and np.array_equal(np.signbit(ours), np.signbit(theirs))
    )


def compare(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> NodeResults:
    nodes = [node for node in model.graph.node if node.op_type in KINDS]
    results = NodeResults()
    if not nodes:
        return results
    constants = {i.name for i in model.graph.initializer}
    names = dict.fromkeys(
        name
        for node in nodes
        for name in [*node.input, *node.output]
        if name and name not in constants and name not in feeds
    )
    session = literal_session(_with_outputs(model, list(names)))
    values = dict(zip(names, session.run(None, feeds))) | feeds
    only = _only(model, nodes, values)
    compiled = runtime.compile(
        importer.import_model(only), profile="ort", dequantize_constants=False
    )
    outcome = compiled["nodes"](*(values[given.name] for given in only.graph.input))
    outcome = [outcome] if len(only.graph.output) == 1 else outcome
    ours = {result.name: array for result, array in zip(only.graph.output, outcome)}
    for node in nodes:
        if all(_same(np.asarray(ours[f"{n}/result"]), values[n]) for n in node.output if n):
            results.equal += 1
        else:
            results.differ.append(f"{node.op_type} {node.name}")
    return results
