# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the Q and DQ nodes out of a model, and runs the model with replacements for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime
from mlir import ir
from mlir.dialects import func

QUANTIZE, DEQUANTIZE = "onnx.QuantizeLinear", "onnx.DequantizeLinear"


@dataclass(frozen=True)
class Node:
    """A Q or DQ node: its function in the module of `extract`, and the ONNX names around it."""

    function: str
    operation: str  # QUANTIZE or DEQUANTIZE
    name: str
    data: str  # the value that it converts
    result: str
    signature: str  # "f32 -> ui8"


def extract(imported: ir.Module, model: onnx.ModelProto) -> tuple[ir.Module, list[Node]]:
    """A module with a function per Q or DQ node: data to result, scale and zero point inside."""
    protos = {node.name: node for node in model.graph.node}
    nodes = []
    with imported.context, ir.Location.unknown():
        extracted = ir.Module.create()
        for operation in imported.body.operations[0].regions[0].blocks[0].operations:
            if operation.name not in (QUANTIZE, DEQUANTIZE):
                continue
            name = operation.attributes["onnx_node_name"].value
            data, result = operation.operands[0].type, operation.results[0].type
            function = re.sub(r"\W", "_", name)
            with ir.InsertionPoint(extracted.body):
                definition = func.FuncOp(function, ([data], [result]))
            block = definition.add_entry_block()
            with ir.InsertionPoint(block):
                parameters = [operand.owner.clone() for operand in list(operation.operands)[1:]]
                copy = operation.operation.clone()
                copy.operands[0] = block.arguments[0]
                for index, parameter in enumerate(parameters):
                    copy.operands[index + 1] = parameter.results[0]
                func.ReturnOp(copy.results)
            elements = " -> ".join(str(ir.ShapedType(t).element_type) for t in (data, result))
            proto = protos[name]
            nodes.append(
                Node(function, operation.name, name, proto.input[0], proto.output[0], elements)
            )
        assert extracted.operation.verify()
    return extracted, nodes


def run_in_onnxruntime(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> dict:
    """Every value of the graph, initializers included, as ONNX Runtime computes it node by node."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    declared = {info.name for info in probe.graph.output}
    inner = [name for node in probe.graph.node for name in node.output if name not in declared]
    probe.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
    session = _session(probe)
    names = [info.name for info in session.get_outputs()]
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    return {**constants, **inputs, **dict(zip(names, session.run(None, inputs)))}


class Runner:
    """Runs a graph node by node: replaced nodes by their function, the others by ONNX Runtime."""

    def __init__(self, model: onnx.ModelProto):
        self.model = model
        self.sessions: dict[str, onnxruntime.InferenceSession] = {}

    def __call__(
        self, inputs: dict[str, np.ndarray], replaced: dict[str, Callable[[np.ndarray], np.ndarray]]
    ) -> dict[str, np.ndarray]:
        values = {t.name: onnx.numpy_helper.to_array(t) for t in self.model.graph.initializer}
        values |= inputs
        for node in self.model.graph.node:
            if node.name in replaced:
                values[node.output[0]] = replaced[node.name](values[node.input[0]])
            else:
                values |= self._run_one(node, {name: values[name] for name in node.input if name})
        return values

    def _run_one(self, node: onnx.NodeProto, operands: dict[str, np.ndarray]) -> dict:
        if node.name not in self.sessions:
            ports = [
                onnx.helper.make_tensor_value_info(
                    name,
                    onnx.helper.np_dtype_to_tensor_dtype(array.dtype),
                    [None] * array.ndim,
                )
                for name, array in operands.items()
            ]
            results = [onnx.ValueInfoProto(name=name) for name in node.output]
            alone = onnx.ModelProto(ir_version=self.model.ir_version)
            alone.opset_import.extend(self.model.opset_import)
            alone.graph.CopyFrom(onnx.helper.make_graph([node], "node", ports, results))
            self.sessions[node.name] = _session(alone)
        return dict(zip(node.output, self.sessions[node.name].run(None, operands)))


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = (
        3  # errors: shapes of the classifier's tail are declared too narrow
    )
    return onnxruntime.InferenceSession(model.SerializeToString(), options)
