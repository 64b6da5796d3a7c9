# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports a .tflite file as MLIR: a function a subgraph, every operator an unregistered `tfl.*` operation.

    %0 = "tfl.conv_2d"(%arg0, %w, %b) {stride_h = 2 : i32, padding = "SAME", ...}
      : (tensor<1x8x8x3x!quant.uniform<i8:f32, 0.5:10>>, ...) -> tensor<1x4x4x8x!quant.uniform<...>>

* The first subgraph is `main`; the others have their names. Arguments carry `tfl.name`.
* A tensor with scales has a `!quant.uniform` type, per layer or per axis; of 64 bits, it has none.
* Constants are `tfl.pseudo_qconst` and `tfl.pseudo_const`, large ones `dense_resource`; an operand
  that is left out is a `tfl.no_value`.
* Attributes: enumerations that ops with a translation have are strings, numbers `i32` and `f32`.
* Variables (of streaming models) are no part of the program's state but of its signature: each
  one that a function reads is one more argument, and each one that it assigns one more result, with
  `tfl.variable`, in the order in which the first subgraph names them. `tfl.call_once` on a
  function names the one that gives the first values.

Reads with the package `tflite`.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func, quant

from ._context import importer_context
from ._elements import array_attribute
from ._files import called, shown
from ._tflite_file import ELEMENTS, RESOURCE, File, Graph, Op, Tensor, TFLiteImportError, read
from ._tflite_file import tflite as schema

__all__ = ["TFLiteImportError", "import_model"]

#: Options that are spelled, not numbered.
_ENUMERATIONS = {
    "fused_activation_function": schema.ActivationFunctionType,
    "padding": schema.Padding,
    "weights_format": schema.FullyConnectedOptionsWeightsFormat,
}
_VARIABLES = ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE")


def import_model(path, context: ir.Context | None = None) -> ir.Module:
    """Import a .tflite file as an MLIR module.

    `context`: where the module lives; by default the current context, else a new one. The importer
    lets it accept unregistered dialects, which `tfl` is.

    Raises `TFLiteImportError` (a ValueError) with file, place and reason for a file that is damaged or
    has something unsupported, and OSError where it cannot be opened.
    """
    file = read(path)
    with importer_context(context):
        return _Importer(file).module()


class _Importer:
    """Builds the module of one file; made and used inside its context."""

    def __init__(self, file: File):
        self.file = file
        self.i32, self.f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
        names = {"main": 0}
        for graph in file.graphs[1:]:
            name, number = graph.name, names.get(graph.name, 0)
            while name in names:
                number += 1
                name = f"{graph.name}_{number}"
            names[graph.name] = number
            names[name] = 0
        self.names = list(names)
        self.variables = list(
            dict.fromkeys(
                op.options["shared_name"]
                for graph in file.graphs
                for op in graph.ops
                if op.name == "VAR_HANDLE"
            )
        )

    def module(self) -> ir.Module:
        whole = ir.Location.file(shown(self.file.path), 0, 0)
        module = ir.Module.create(loc=whole)
        with whole, ir.InsertionPoint(module.body):
            for name, graph in zip(self.names, self.file.graphs):
                _Function(self, graph, name).build()
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise TFLiteImportError(
                f"{self.file.path}: the imported module does not verify: {error}"
            ) from error
        return module


class _Function:
    """Builds one subgraph."""

    def __init__(self, importer: _Importer, graph: Graph, name: str):
        self.importer, self.graph, self.name = importer, graph, name
        self.values: dict[int, ir.Value] = {}
        self.handles: dict[int, str] = {}  # of resource tensors: the variable
        self.state: dict[str, ir.Value] = {}
        self.assigned: set[str] = set()

    def error(self, reason: str) -> TFLiteImportError:
        return TFLiteImportError(
            f"{self.importer.file.path}: function {called(self.name)}: {reason}"
        )

    def build(self) -> None:
        graph = self.graph
        tensors = [graph.tensors[i] for i in graph.inputs]
        reads = self.read_first()
        types = [self.type(t) for t in tensors] + [self.type(t) for t in reads.values()]
        function = func.FuncOp(self.name, (types, []))
        block = function.add_entry_block()
        self.values.update(zip(graph.inputs, block.arguments))
        self.state.update(zip(reads, list(block.arguments)[len(tensors) :]))
        first = None
        with ir.InsertionPoint(block):
            for op in graph.ops:
                if op.name == "CALL_ONCE":
                    first = self.called(op)
                elif op.name in _VARIABLES:
                    self.variable(op)
                else:
                    self.operation(op)
            changed = [name for name in self.importer.variables if name in self.assigned]
            results = [self.value(i) for i in graph.outputs]
            results += [self.state[name] for name in changed]
            func.ReturnOp(results)
        attributes = function.attributes
        attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, [value.type for value in results])
        )
        if first is not None:
            attributes["tfl.call_once"] = ir.FlatSymbolRefAttr.get(first)
        attributes["arg_attrs"] = self.named([t.name for t in tensors], list(reads))
        attributes["res_attrs"] = self.named(
            [graph.tensors[i].name for i in graph.outputs], changed
        )

    @staticmethod
    def named(tensors: list[str], variables: list[str]) -> ir.ArrayAttr:
        entries = [("tfl.name", name) for name in tensors]
        entries += [("tfl.variable", name) for name in variables]
        return ir.ArrayAttr.get(
            [ir.DictAttr.get({key: ir.StringAttr.get(name)}) for key, name in entries]
        )

    # --- variables ---------------------------------------------------------------

    def read_first(self) -> dict[str, Tensor]:
        """The variables that are read before they are assigned, with what is read."""
        handles, reads, assigned = {}, {}, set()
        for op in self.graph.ops:
            if op.name == "VAR_HANDLE":
                handles[op.outputs[0]] = op.options["shared_name"]
            elif op.name in ("READ_VARIABLE", "ASSIGN_VARIABLE"):
                name = handles.get(op.inputs[0])
                if op.name == "ASSIGN_VARIABLE":
                    assigned.add(name)
                elif name is not None and name not in assigned:
                    reads.setdefault(name, self.graph.tensors[op.outputs[0]])
        return {name: reads[name] for name in self.importer.variables if name in reads}

    def called(self, op: Op) -> str:
        index = op.options.get("init_subgraph_index", 0)
        if not 0 < index < len(self.importer.names):
            raise self.error(f"CALL_ONCE calls subgraph {index}, which is not there")
        return self.importer.names[index]

    def variable(self, op: Op) -> None:
        if op.name == "VAR_HANDLE":
            self.handles[op.outputs[0]] = op.options["shared_name"]
            return
        name = self.handles.get(op.inputs[0])
        if name is None:
            raise self.error(f"{op.name} has a resource that no VAR_HANDLE of the subgraph makes")
        if op.name == "ASSIGN_VARIABLE":
            self.state[name] = self.value(op.inputs[1])
            self.assigned.add(name)
            return
        value, expected = self.state[name], self.type(self.graph.tensors[op.outputs[0]])
        if value.type != expected:
            raise self.error(
                f"variable {called(name)} is read as {expected}, and has the value of type {value.type}"
            )
        self.values[op.outputs[0]] = value

    # --- operators ---------------------------------------------------------------

    def operation(self, op: Op) -> None:
        operands = [self.value(i) for i in op.inputs]
        outputs = [self.graph.tensors[i] for i in op.outputs]
        attributes = {name: self.attribute(name, v) for name, v in op.options.items()}
        name = op.name.lower()
        if op.is_custom:
            name, attributes = "custom", {"custom_code": ir.StringAttr.get(op.name)}
        if op.name == "QUANTIZE" and outputs:
            attributes["qtype"] = ir.TypeAttr.get(self.type(outputs[0]))
        made = ir.Operation.create(
            f"tfl.{name}",
            [self.type(t) for t in outputs],
            operands,
            attributes=attributes,
            loc=self.location(outputs[0] if outputs else None),
        )
        self.values.update(zip(op.outputs, made.results))

    def location(self, tensor: Tensor | None) -> ir.Location:
        if tensor is None or not tensor.name:
            return ir.Location.current
        return ir.Location.name(tensor.name, ir.Location.current)

    def attribute(self, name: str, value) -> ir.Attribute:
        if name in _ENUMERATIONS and isinstance(value, int):
            for spelling, number in vars(_ENUMERATIONS[name]).items():
                if number == value and spelling[0].isupper():
                    return ir.StringAttr.get(spelling)
            raise self.error(f"attribute '{name}' is {value}, which is unknown")
        if isinstance(value, bool):
            return ir.BoolAttr.get(value)
        if isinstance(value, int):
            return ir.IntegerAttr.get(self.importer.i32, value)
        if isinstance(value, float):
            return ir.FloatAttr.get(self.importer.f32, value)
        return ir.StringAttr.get(value)

    # --- values ------------------------------------------------------------------

    def value(self, index: int) -> ir.Value:
        if index < 0:
            return ir.Operation.create(
                "tfl.no_value", [ir.NoneType.get()], attributes={"value": ir.UnitAttr.get()}
            ).result
        if index not in self.values:
            self.values[index] = self.constant(index)
        return self.values[index]

    def constant(self, index: int) -> ir.Value:
        tensor = self.graph.tensors[index]
        if tensor.data is None:
            raise self.error(
                f"tensor {index} {called(tensor.name)} is read before any operator gives it a value"
            )
        type_ = self.type(tensor)
        element, bits = ELEMENTS[tensor.kind]
        if tensor.scales:
            element = f"i{bits}"  # the dialect's attributes have no signedness
        attributes = {
            "value": array_attribute(tensor.data, element, bits if bits < 8 else None, tensor.name)
        }
        if tensor.scales:
            attributes["qtype"] = ir.TypeAttr.get(type_)
        return ir.Operation.create(
            "tfl.pseudo_qconst" if tensor.scales else "tfl.pseudo_const",
            [type_],
            attributes=attributes,
            loc=self.location(tensor),
        ).result

    def type(self, tensor: Tensor) -> ir.Type:
        if tensor.kind == RESOURCE:
            raise self.error(f"tensor {called(tensor.name)} is a resource outside of a variable")
        unknown = ir.ShapedType.get_dynamic_size()
        shape = [unknown if size is None else size for size in tensor.shape]
        return ir.RankedTensorType.get(shape, self.element(tensor))

    def element(self, tensor: Tensor) -> ir.Type:
        spelling, bits = ELEMENTS[tensor.kind]
        if not tensor.scales:
            return ir.Type.parse(spelling)
        is_signed = not spelling.startswith("u")
        lo = -(2 ** (bits - 1)) if is_signed else 0
        common = (int(is_signed), ir.IntegerType.get_signless(bits), self.importer.f32)
        bounds = (lo, lo + 2**bits - 1)
        if tensor.axis is None:
            return quant.UniformQuantizedType.get(
                *common, tensor.scales[0], tensor.zero_points[0], *bounds
            )
        return quant.UniformQuantizedPerAxisType.get(
            *common, list(tensor.scales), list(tensor.zero_points), tensor.axis, *bounds
        )
