# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case as LiteRT models of one QUANTIZE or DEQUANTIZE per tensor, one for each scale."""

from __future__ import annotations

from importlib import metadata

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from ..cases import Case, Unsupported, is_float

VERSION = f"ai-edge-litert {metadata.version('ai-edge-litert')}"
_TYPES = {
    "f32": schema.TensorType.FLOAT32, "i8": schema.TensorType.INT8, "ui8": schema.TensorType.UINT8,
    "i16": schema.TensorType.INT16,
}  # fmt: skip


def convert(case: Case, resolver) -> np.ndarray:
    if case.real != "f32" or case.storage not in _TYPES or case.storage == "f32":
        raise Unsupported(f"{case.storage} of {case.real}")
    if case.clamp:
        raise Unsupported("narrowed ranges")
    z = case.zero_point
    if z and (case.domain == "expressed" or is_float(z.type) or z.type != case.storage):
        raise Unsupported("zero points of another type than the codes")
    if z and case.storage == "i16" and z.array.any():
        raise Unsupported("zero points of i16")
    if case.scale.type != "f32":
        raise Unsupported(f"scales of {case.scale.type}")
    if not (np.isfinite(case.scale.array) & (case.scale.array > 0)).all():
        raise Unsupported("scales that are not finite")
    if not case.x.array.size:
        raise Unsupported("empty tensors")
    return case.by_groups(lambda group: _run(_model(group), group.x.array, resolver))


def _tensor(name: str, element: str, size: int, group: Case | None = None):
    result = schema.TensorT()
    result.name, result.type, result.shape, result.buffer = name, _TYPES[element], [size], 0
    if group:
        result.quantization = schema.QuantizationParametersT()
        result.quantization.scale = [float(group.scale.array)]
        result.quantization.zeroPoint = [int(group.zero_point.array) if group.zero_point else 0]
    return result


def _model(group: Case) -> bytes:
    operators = schema.BuiltinOperator
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(operators, group.operation.upper())
    code.deprecatedBuiltinCode, code.version = code.builtinCode, 2
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0], [1]
    size = group.x.array.size
    tensors = [_tensor("real", "f32", size), _tensor("codes", group.storage, size, group)]
    graph = schema.SubGraphT()
    graph.tensors = tensors if group.operation == "quantize" else tensors[::-1]
    graph.inputs, graph.outputs, graph.operators = [0], [1], [operator]
    whole = schema.ModelT()
    whole.version, whole.operatorCodes = 3, [code]
    whole.subgraphs, whole.buffers = [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _run(content: bytes, x: np.ndarray, resolver) -> np.ndarray:
    try:
        interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy()
    except (RuntimeError, ValueError) as error:
        raise Unsupported(str(error).splitlines()[0]) from error
