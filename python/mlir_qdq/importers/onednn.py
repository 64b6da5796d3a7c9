# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports a graph of oneDNN Graph as MLIR: one function, every op an unregistered `onednn_graph.*` operation.

oneDNN writes the graph as JSON where `ONEDNN_GRAPH_DUMP=graph` is set (`graph-<id>.json`), or after
`dnnl::graph::set_dump_mode`. The operation is named after the op's kind, as in the C interface::

    %1 = "onednn_graph.dynamic_dequantize"(%arg0, %arg1) {axis = 1 : i64, group_shape = array<i64: 1, 32>,
        qtype = "per_group"} : (tensor<4x64xi4>, tensor<4x2xf16>) -> tensor<4x64xf16>

* Attributes: s64 `i64`, f32 `f32`, strings, bools; lists of s64 and f32 as `array<...>`.
* Types: s8 is `i8`, u8 `ui8`; a tensor is what it is logically, whatever its memory layout.
* The JSON holds no data: every tensor that no op makes is an argument, constant weights too. Arguments
  and results are in the order of `input_ports` and `output_ports`, and carry `onednn_graph.id`;
  arguments also `onednn_graph.property`, and `onednn_graph.stride` where it is not row-major.
* Sizes that oneDNN does not know are `?`, shapes `tensor<*x...>`. The four quantization ops have the
  shape of their source.
* `End` marks results and makes no operation. The module carries `onednn_graph.version` and its like.
* An operation's location is the op's name, with "file:op" as the file and the op's id as the line.

oneDNN writes floats with six digits: a static scale in the JSON is not always the one of the graph.
Not imported, and refused by name: opaque layouts of arguments and results, types unknown to MLIR.
"""

from __future__ import annotations

import re

from mlir import ir
from mlir.dialects import func

from ._context import importer_context
from ._files import shown
from ._onednn_graph import (
    ELEMENT_TYPES,
    Graph,
    LogicalTensor,
    OneDNNImportError,
    Op,
    Shape,
    load,
    merged,
)

__all__ = ["OneDNNImportError", "import_graph"]

_FUNCTION = "main_graph"
#: Kinds whose capitals are not those of words.
_KIND_WORDS = {
    "MatMul": "Matmul", "ReLU": "Relu", "PReLU": "Prelu", "GELU": "Gelu", "SoftMax": "Softmax",
    "RMSNorm": "RmsNorm", "SoftPlus": "Softplus",
}  # fmt: skip
_QUANTIZATION = ("Quantize", "Dequantize", "DynamicQuantize", "DynamicDequantize")


def import_graph(graph, context: ir.Context | None = None) -> ir.Module:
    """Import a graph as an MLIR module with the function `main_graph`.

    `graph`: the path of a JSON file, JSON text, or the object (a dict) that the JSON stands for.
    `context`: where the module lives; by default the current context, else a new one. The importer
    lets it accept unregistered dialects, which `onednn_graph` is.

    Raises `OneDNNImportError` (a ValueError) with file, op and reason for a graph that is malformed,
    inconsistent or has something unsupported, and OSError where the file cannot be opened.
    """
    loaded = load(graph)
    with importer_context(context):
        return _Importer(loaded).module()


class _Importer:
    """Builds the module of one graph; made and used inside its context."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.i64 = ir.IntegerType.get_signless(64)
        self.shapes: dict[int, Shape] = {t.id: t.shape for t in graph.tensors.values()}
        self.infer_shapes()

    def infer_shapes(self) -> None:
        for op in self.graph.ops:
            if op.kind not in _QUANTIZATION or not op.inputs or not op.outputs:
                continue
            source, result = op.inputs[0].id, op.outputs[0].id
            shape = merged(self.shapes[source], self.shapes[result])
            if shape != "conflict":  # what does not fit is the conversion's to refuse
                self.shapes[result] = shape

    def module(self) -> ir.Module:
        graph = self.graph
        whole = ir.Location.file(shown(graph.file), 0, 0)
        module = ir.Module.create(loc=whole)
        for name, text in graph.properties.items():
            module.operation.attributes[f"onednn_graph.{name}"] = ir.StringAttr.get(text)
        for port in (*graph.inputs, *graph.outputs):
            if graph.tensors[port].layout == "opaque":
                raise graph.error(
                    f"tensor {port} is an argument or a result with an opaque layout, "
                    "whose bytes only oneDNN can read"
                )
        with whole, ir.InsertionPoint(module.body):
            signature = [self.type(graph.tensors[port]) for port in graph.inputs]
            function = func.FuncOp(_FUNCTION, (signature, []))
            block = function.add_entry_block()
            values = dict(zip(graph.inputs, block.arguments))
            with ir.InsertionPoint(block):
                for op in graph.ops:
                    if op.kind != "End":
                        self.operation(op, values)
                results = [values[port] for port in graph.outputs]
                func.ReturnOp(results)
        attributes = function.attributes
        attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(signature, [value.type for value in results])
        )
        attributes["arg_attrs"] = ir.ArrayAttr.get([self.argument(p) for p in graph.inputs])
        attributes["res_attrs"] = ir.ArrayAttr.get(
            [ir.DictAttr.get({"onednn_graph.id": self.integer(p)}) for p in graph.outputs]
        )
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise graph.error(f"the imported module does not verify: {error}") from error
        return module

    def operation(self, op: Op, values: dict[int, ir.Value]) -> None:
        file = ir.Location.file(shown(f"{self.graph.file}:{op}"), op.id % 2**31, 1)
        operation = ir.Operation.create(
            f"onednn_graph.{operation_name(op.kind)}",
            [self.type(self.graph.tensors[t.id]) for t in op.outputs],
            [values[t.id] for t in op.inputs],
            attributes={name: self.attribute(*typed) for name, typed in op.attributes.items()},
            loc=ir.Location.name(op.name, file) if op.name else file,
        )
        values.update((t.id, result) for t, result in zip(op.outputs, operation.results))

    def type(self, tensor: LogicalTensor) -> ir.Type:
        element = ir.Type.parse(ELEMENT_TYPES[tensor.dtype])
        shape = self.shapes[tensor.id]
        if shape is None:
            return ir.UnrankedTensorType.get(element)
        unknown = ir.ShapedType.get_dynamic_size()
        return ir.RankedTensorType.get([unknown if s is None else s for s in shape], element)

    def attribute(self, kind: str, value) -> ir.Attribute:
        if kind == "s64":
            return self.integer(value)
        if kind == "f32":
            return ir.FloatAttr.get(ir.F32Type.get(), value)
        if kind == "string":
            return ir.StringAttr.get(value)
        if kind == "bool":
            return ir.BoolAttr.get(bool(value))
        if kind == "s64[]":
            return ir.DenseI64ArrayAttr.get(value)
        if kind == "f32[]":
            return ir.DenseF32ArrayAttr.get(value)
        if kind == "bool[]":
            return ir.DenseBoolArrayAttr.get([bool(entry) for entry in value])
        return ir.ArrayAttr.get([ir.StringAttr.get(entry) for entry in value])

    def argument(self, port: int) -> ir.DictAttr:
        """The tensor of the graph behind an argument."""
        tensor = self.graph.tensors[port]
        attributes = {"onednn_graph.id": self.integer(port)}
        if tensor.property != "undef":
            attributes["onednn_graph.property"] = ir.StringAttr.get(tensor.property)
        if tensor.stride is not None and tensor.stride != _row_major(tensor.shape):
            attributes["onednn_graph.stride"] = ir.DenseI64ArrayAttr.get(list(tensor.stride))
        return ir.DictAttr.get(attributes)

    def integer(self, value: int) -> ir.Attribute:
        return ir.IntegerAttr.get(self.i64, value)


def operation_name(kind: str) -> str:
    """A kind in the spelling of the C interface: `DynamicDequantize` is dynamic_dequantize."""
    for word, plain in _KIND_WORDS.items():
        kind = kind.replace(word, plain)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()


def _row_major(shape: Shape) -> tuple[int, ...] | None:
    if shape is None or None in shape:
        return None
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
