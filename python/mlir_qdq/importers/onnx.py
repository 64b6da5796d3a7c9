# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports an ONNX model as MLIR: one function, every node an unregistered `onnx.*` operation.

The spelling is onnx-mlir's, in generic form::

    %2 = "onnx.DequantizeLinear"(%0, %1) {axis = 0 : si64, block_size = 32 : si64}
        : (tensor<80x10xi4>, tensor<3x10xf32>) -> tensor<80x10xf32>

* Attributes: integers `si64`, floats `f32`, strings, lists as arrays, tensors as elements; `to` of
  `Cast` is a type; the node's name is `onnx_node_name`. Attributes that a node leaves out get the
  default of the model's operator set, so that the IR stands by itself.
* An absent input is a `"onnx.NoValue"`, an absent output a `none`; trailing ones are left out.
* Initializers and `Constant` nodes are `"onnx.Constant"() {value = ...}`, `dense` or, past
  `MAX_DENSE_ELEMENTS`, `dense_resource`. One that is also listed as an input is a constant.
* Operators that ONNX does not define are `"onnx.Custom"` with `domain_name` and `function_name`,
  but for those that stand for several of ONNX (`_onnx_fused.py`). Operators that ONNX defines by
  others may be these (`_onnx_functions.py`).
* Subgraphs are regions that end in `"onnx.Yield"` (`If`: then, else). Local functions are inlined.
* Nodes that are not in the order of their data are sorted, as runtimes do.
* Nodes that compute sizes from known shapes and integers are constants (`_onnx_sizes.py`).
* What is unknown stays open: `?` for a dimension, `tensor<*x...>` for a shape, `!onnx.Unknown` for
  an element type.
* Arguments and results carry `onnx.name` (and `onnx.dim_params`, "index:symbol"); the module
  carries `onnx.opset_import`, `onnx.ir_version` and `onnx.producer_name`.
* An operation's location is its node's name, with "file:node" as the file and the node's position
  as the line. (For a plain file name, `mlir-opt` drops the node's name and prints a "line" of the
  file, which is binary.)

Refused with the nearest word: operators that are not in the model's operator set, and domains that
the model does not import. Not imported, and refused by name: sparse tensors, opaque and sparse types, lists of subgraphs.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import ChainMap

try:
    import onnx
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "the ONNX importer needs the package 'onnx': pip install 'mlir-qdq[onnx]'"
    ) from error
import numpy as np
import mlir_qdq
from mlir import ir
from mlir.dialects import func
from onnx import AttributeProto, GraphProto, NodeProto, ValueInfoProto

from . import _onnx_types
from ._files import shown
from ._elements import MAX_DENSE_ELEMENTS, array_attribute
from ._onnx_constants import elements_attribute
from ._onnx_functions import with_inlined_functions
from ._onnx_fused import with_expanded_nodes
from ._onnx_order import with_sorted_nodes
from ._onnx_sizes import with_folded_sizes
from ._onnx_model import DEFAULT_DOMAINS, Model, OnnxImportError, describe, load, schema, subgraphs

__all__ = ["MAX_DENSE_ELEMENTS", "OnnxImportError", "import_model"]

#: Operators of these domains are `onnx.<Operator>`, all others `onnx.Custom`.
_ONNX_DOMAINS = (*DEFAULT_DOMAINS, "ai.onnx.ml")
#: onnx-mlir's region order, where it is not that of the names.
_REGION_ORDER = ("then_branch", "else_branch")
_DEFAULT_FUNCTION = "main_graph"


def import_model(
    path_or_proto, context: ir.Context | None = None, *, directory: str | os.PathLike | None = None
) -> ir.Module:
    """Import a model as an MLIR module.

    `path_or_proto`: a path (binary, or one of ONNX's text formats by its suffix) or an
    `onnx.ModelProto`.
    `context`: where the module lives; by default the current context, else a new one. The importer
    lets it accept unregistered dialects, which `onnx` is.
    `directory`: where external data lies; by default beside the file.

    Raises `OnnxImportError` (a ValueError) with file, node and reason for a model that is corrupt
    or has something unsupported, and OSError where the file cannot be opened.
    """
    model = load(path_or_proto, directory)
    model.proto = with_sorted_nodes(model.proto)
    model.proto = with_inlined_functions(model)
    model.proto = with_expanded_nodes(model)
    model.proto = with_folded_sizes(model, _onnx_types.infer(model))
    context = context or ir.Context.current or _new_context()
    context.allow_unregistered_dialects = True
    with context:
        return _Importer(model).module()


def _new_context() -> ir.Context:
    """A context in which the passes work; the import itself needs no compiled extension."""
    context = ir.Context()
    with contextlib.suppress(ImportError):
        mlir_qdq.register(context)
    return context


class _Importer:
    """Builds the module of one model; made and used inside its context."""

    def __init__(self, model: Model):
        self.model = model
        self.types = _onnx_types.infer(model)
        self.si64 = ir.IntegerType.get_signed(64)
        self.i64 = ir.IntegerType.get_signless(64)

    # Graphs.

    def module(self) -> ir.Module:
        graph, proto = self.model.proto.graph, self.model.proto
        whole = self.location(graph.name, "", 0)
        module = ir.Module.create(loc=whole)
        attributes = module.operation.attributes
        opsets = {
            domain or "ai.onnx": ir.IntegerAttr.get(self.i64, v)
            for domain, v in self.model.opsets.items()
        }
        attributes["onnx.opset_import"] = ir.DictAttr.get(opsets)
        attributes["onnx.ir_version"] = ir.IntegerAttr.get(self.i64, proto.ir_version)
        if proto.producer_name:
            attributes["onnx.producer_name"] = ir.StringAttr.get(proto.producer_name)

        constants = {tensor.name for tensor in graph.initializer}
        inputs = [info for info in graph.input if info.name not in constants]
        signature = [self.type(info.name, self.types, f"input '{info.name}'") for info in inputs]
        with whole, ir.InsertionPoint(module.body):
            function = func.FuncOp(_symbol(graph.name), (signature, []))
            block = function.add_entry_block()
            scope = ChainMap({})
            for info, argument in zip(inputs, block.arguments):
                self.define(info.name, argument, scope, f"input '{info.name}'")
            with ir.InsertionPoint(block):
                results = self.body(graph, self.types, scope)
                func.ReturnOp(results)
        function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(signature, [value.type for value in results])
        )
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([self.port(info) for info in inputs])
        function.attributes["res_attrs"] = ir.ArrayAttr.get(
            [self.port(info) for info in graph.output]
        )
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise self.model.error(f"the imported module does not verify: {error}") from error
        return module

    def body(
        self, graph: GraphProto, types: _onnx_types.ValueTypes, scope: ChainMap
    ) -> list[ir.Value]:
        """Import initializers and nodes at the insertion point; return the graph's outputs."""
        if graph.sparse_initializer:
            name = graph.sparse_initializer[0].values.name
            raise self.model.error(f"initializer '{name}' is sparse, which is not supported")
        used = _used_names(graph)
        for tensor in graph.initializer:
            if tensor.name in used:
                self.define(
                    tensor.name, self.initializer(tensor), scope, f"initializer '{tensor.name}'"
                )
        later = {name for node in graph.node for name in node.output}
        for index, node in enumerate(graph.node):
            self.node(node, index, types, scope, later)
        outputs = []
        for info in graph.output:
            if info.name not in scope:
                raise self.model.error(f"output '{info.name}' is not made by any node")
            outputs.append(scope[info.name])
        return outputs

    def initializer(self, tensor: onnx.TensorProto) -> ir.Value:
        try:
            value = elements_attribute(tensor, self.model.external)
        except ValueError as error:
            raise self.model.error(f"initializer '{tensor.name}': {error}") from error
        return self.constant(value, self.location(tensor.name, tensor.name, 0))

    # Nodes.

    def node(self, node: NodeProto, index: int, types, scope: ChainMap, later: set[str]) -> None:
        label = describe(node, index)
        location = self.location(
            node.name or next(iter(node.output), node.op_type), label, index + 1
        )
        operands = [self.operand(name, scope, later, label, location) for name in node.input]
        if node.op_type == "Constant" and node.domain in DEFAULT_DOMAINS:
            results = [self.constant(self.constant_value(node, label), location, node.name)]
        else:
            results = self.operation(node, index, operands, types, scope, label, location)
        for name, result in zip(node.output, results):
            if name:
                self.define(name, result, scope, f"'{name}'", label)

    def operand(self, name: str, scope, later, label, location) -> ir.Value:
        if not name:
            return ir.Operation.create(
                "onnx.NoValue",
                [ir.NoneType.get()],
                attributes={"value": ir.UnitAttr.get()},
                loc=location,
            ).result
        if name not in scope:
            why = (
                "is made by a later node (these nodes need each other)"
                if name in later
                else "does not exist"
            )
            raise self.model.error(f"its input '{name}' {why}", label)
        return scope[name]

    def operation(
        self, node: NodeProto, index: int, operands, types, scope, label: str, location
    ) -> list[ir.Value]:
        operator = schema(self.model, node)
        custom = operator is None or node.domain not in _ONNX_DOMAINS
        protos = {attribute.name: attribute for attribute in node.attribute}
        if len(protos) != len(node.attribute) or "" in protos:
            raise self.model.error("its attributes do not have a name each", label)
        if not custom:
            for default in _onnx_types.attribute_defaults(operator):
                protos.setdefault(default.name, default)
        bodies = [name for name, proto in protos.items() if proto.type == AttributeProto.GRAPH]
        bodies.sort(
            key=lambda name: (
                _REGION_ORDER.index(name) if name in _REGION_ORDER else len(_REGION_ORDER)
            )
        )

        attributes = {
            name: self.attribute(p, node, label) for name, p in protos.items() if name not in bodies
        }
        extra = {"onnx_node_name": node.name} if node.name else {}
        if custom:
            extra |= {"domain_name": node.domain, "function_name": node.op_type}
        for name, text in extra.items():
            if name in attributes:
                raise self.model.error(
                    f"its attribute '{name}' would be mistaken for the importer's own", label
                )
            attributes[name] = ir.StringAttr.get(text)

        results = [
            self.type(name, types, f"output '{name}'", label) if name else ir.NoneType.get()
            for name in node.output
        ]
        operation = ir.Operation.create(
            "onnx.Custom" if custom else f"onnx.{node.op_type}",
            results,
            operands,
            attributes=attributes,
            regions=len(bodies),
            loc=location,
        )
        for region, name in zip(operation.regions, bodies):
            self.region(region, protos[name].g, types.below(index, name), scope, label, location)
        return list(operation.results)

    def region(
        self, region: ir.Region, graph: GraphProto, types, scope: ChainMap, label: str, location
    ) -> None:
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [info for info in graph.input if info.name not in constants]
        arguments = [
            self.type(info.name, types, f"input '{info.name}' of its subgraph", label)
            for info in inputs
        ]
        block = region.blocks.append(*arguments, arg_locs=[location] * len(arguments))
        inner = scope.new_child()
        for info, argument in zip(inputs, block.arguments):
            self.define(info.name, argument, inner, f"input '{info.name}' of its subgraph", label)
        with ir.InsertionPoint(block):
            results = self.body(graph, types, inner)
            ir.Operation.create("onnx.Yield", [], results, loc=location)

    def constant(self, value: ir.Attribute, location: ir.Location, node_name: str = "") -> ir.Value:
        attributes = {"value": value}
        if node_name:
            attributes["onnx_node_name"] = ir.StringAttr.get(node_name)
        return ir.Operation.create(
            "onnx.Constant", [value.type], attributes=attributes, loc=location
        ).result

    def constant_value(self, node: NodeProto, label: str) -> ir.Attribute:
        """The value of a Constant node, whichever of its attributes holds it."""
        if len(node.attribute) != 1:
            raise self.model.error("a Constant needs exactly one attribute", label)
        held = node.attribute[0]
        if held.name == "value" and held.type == AttributeProto.TENSOR:
            return self.attribute(held, node, label)
        try:
            if held.name in ("value_int", "value_ints"):
                return array_attribute(
                    np.array(onnx.helper.get_attribute_value(held), np.int64), "i64", name=node.name
                )
            if held.name in ("value_float", "value_floats"):
                return array_attribute(
                    np.array(onnx.helper.get_attribute_value(held), np.float32),
                    "f32",
                    name=node.name,
                )
            if held.name in ("value_string", "value_strings"):
                strings = [held.s] if held.name == "value_string" else list(held.strings)
                dims = [] if held.name == "value_string" else [len(strings)]
                tensor = onnx.TensorProto(
                    data_type=onnx.TensorProto.STRING, dims=dims, string_data=strings
                )
                return elements_attribute(tensor, self.model.external)
        except (ValueError, TypeError) as error:
            raise self.model.error(f"attribute '{held.name}': {error}", label) from error
        raise self.model.error(f"a Constant with '{held.name}' is not supported", label)

    # Attributes, types and names.

    def attribute(self, proto: AttributeProto, node: NodeProto, label: str) -> ir.Attribute:
        kinds = AttributeProto
        try:
            if proto.ref_attr_name:
                raise ValueError("it refers to an attribute of a function, outside of one")
            if node.op_type == "Cast" and proto.name == "to":
                return ir.TypeAttr.get(ir.Type.parse(_onnx_types.element_spelling(proto.i)))
            if proto.type == kinds.INT:
                return ir.IntegerAttr.get(self.si64, proto.i)
            if proto.type == kinds.FLOAT:
                return ir.FloatAttr.get(ir.F32Type.get(), proto.f)
            if proto.type == kinds.STRING:
                return ir.StringAttr.get(proto.s)
            if proto.type == kinds.INTS:
                return ir.ArrayAttr.get(
                    [ir.IntegerAttr.get(self.i64, value) for value in proto.ints]
                )
            if proto.type == kinds.FLOATS:
                return ir.ArrayAttr.get(
                    [ir.FloatAttr.get(ir.F32Type.get(), value) for value in proto.floats]
                )
            if proto.type == kinds.STRINGS:
                return ir.ArrayAttr.get([ir.StringAttr.get(value) for value in proto.strings])
            if proto.type == kinds.TENSOR:
                return elements_attribute(proto.t, self.model.external)
            if proto.type == kinds.TENSORS:
                return ir.ArrayAttr.get(
                    [elements_attribute(t, self.model.external) for t in proto.tensors]
                )
            if proto.type == kinds.TYPE_PROTO:
                return ir.TypeAttr.get(ir.Type.parse(_onnx_types.spell(proto.tp)))
            known = proto.type in kinds.AttributeType.values()
            kind = kinds.AttributeType.Name(proto.type) if known else f"type {proto.type}"
            raise ValueError(f"{kind} is not supported")
        except ValueError as error:
            raise self.model.error(f"attribute '{proto.name}': {error}", label) from error

    def type(self, name: str, types, what: str, label: str | None = None) -> ir.Type:
        try:
            return ir.Type.parse(_onnx_types.spell(types.of(name)))
        except (ValueError, ir.MLIRError) as error:
            raise self.model.error(f"{what}: {error}", label) from error

    def define(
        self, name: str, value: ir.Value, scope: ChainMap, what: str, label: str | None = None
    ) -> None:
        if name in scope.maps[0]:
            raise self.model.error(f"{what} is defined twice", label)
        scope[name] = value

    def port(self, info: ValueInfoProto) -> ir.DictAttr:
        """The name in the model of an argument or a result."""
        symbols = [
            f"{i}:{dim.dim_param}"
            for i, dim in enumerate(info.type.tensor_type.shape.dim)
            if dim.dim_param
        ]
        attributes = {"onnx.name": ir.StringAttr.get(info.name)}
        if symbols:
            attributes["onnx.dim_params"] = ir.StringAttr.get(",".join(symbols))
        return ir.DictAttr.get(attributes)

    def location(self, name: str, label: str, line: int) -> ir.Location:
        """A node's name, over "file:node" at its (1-based) position."""
        file = shown(f"{self.model.file}:{label}" if label else self.model.file)
        place = ir.Location.file(file, line, 1 if line else 0)
        return ir.Location.name(name, place) if name else place


def _used_names(graph: GraphProto) -> set[str]:
    """Every name that the graph's nodes (subgraphs included) or its outputs refer to."""
    names = {info.name for info in graph.output}
    for node in graph.node:
        names.update(node.input)
        for body in subgraphs(node):
            names |= _used_names(body)
    return names


def _symbol(name: str) -> str:
    """A graph's name as an identifier: what the compiled function is called from Python."""
    identifier = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    if not identifier:
        return _DEFAULT_FUNCTION
    return f"graph_{identifier}" if identifier[0].isdigit() else identifier
