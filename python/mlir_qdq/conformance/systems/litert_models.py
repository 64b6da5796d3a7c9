# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case as LiteRT models of one operator: QUANTIZE or DEQUANTIZE per tensor, one for each scale; CONV_2D."""

from __future__ import annotations

from importlib import metadata

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from ..case import Unsupported, is_float
from ..conversions import Conversion
from ..requantize import Requantize

VERSION = f"ai-edge-litert {metadata.version('ai-edge-litert')}"
_TYPES = {
    "f32": schema.TensorType.FLOAT32, "i8": schema.TensorType.INT8, "ui8": schema.TensorType.UINT8,
    "i16": schema.TensorType.INT16, "i32": schema.TensorType.INT32, "i64": schema.TensorType.INT64,
}  # fmt: skip


def convert(case: Conversion, resolver) -> np.ndarray:
    if case.real != "f32" or case.storage not in ("i8", "ui8", "i16"):
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
    return case.by_groups(lambda group: _run(_cast(group), group.x.array, resolver))


def requantize(case: Requantize, resolver) -> np.ndarray:
    """CONV_2D of one zero: the bias of a channel is its accumulator."""
    case.require(storages=("i8", "i16"), most=2**40)
    z = int(case.zero_point.array)
    if case.storage == "i16" and z:
        raise Unsupported("zero points of i16")
    if case.acc.type != {"i8": "i32", "i16": "i64"}[case.storage]:
        raise Unsupported(case.types)
    acc, sa = case.acc.array.reshape(-1), case.sa.array
    sb = np.repeat(case.sb.array, case.acc.array.shape[1])
    buffers = [schema.BufferT() for _ in range(3)]
    buffers[1].data, buffers[2].data = np.ones(acc.size, np.uint8), acc.view(np.uint8)
    operator = _operator([0, 1, 2], [3])
    operator.builtinOptionsType = schema.BuiltinOptions.Conv2DOptions
    options = operator.builtinOptions = schema.Conv2DOptionsT()
    options.strideH = options.strideW = options.dilationHFactor = options.dilationWFactor = 1
    tensors = [
        _tensor("x", case.storage, [1, 1, 1, 1], sa),
        _tensor("w", "i8", [acc.size, 1, 1, 1], sb, buffer=1),
        _tensor("b", case.acc.type, [acc.size], sa * sb, buffer=2),
        _tensor("y", case.storage, [1, 1, 1, acc.size], case.sy.array, z),
    ]
    content = _model("CONV_2D", 8, tensors, operator, [0], [3], buffers)
    x = np.zeros((1, 1, 1, 1), case.result.array.dtype)
    return _run(content, x, resolver).reshape(case.acc.array.shape)


def _cast(group: Conversion) -> bytes:
    size = [group.x.array.size]
    z = int(group.zero_point.array) if group.zero_point else 0
    tensors = [
        _tensor("real", "f32", size),
        _tensor("codes", group.storage, size, group.scale.array, z),
    ]
    if group.operation == "dequantize":
        tensors.reverse()
    operator = _operator([0], [1])
    return _model(group.operation.upper(), 2, tensors, operator, [0], [1], [schema.BufferT()])


def _tensor(
    name: str, element: str, shape: list[int], scale=None, zero_point: int = 0, buffer: int = 0
):
    result = schema.TensorT()
    result.name, result.type, result.shape, result.buffer = name, _TYPES[element], shape, buffer
    if scale is not None:
        result.quantization = schema.QuantizationParametersT()
        result.quantization.scale = [float(s) for s in np.ravel(scale)]
        result.quantization.zeroPoint = [zero_point] * np.size(scale)
    return result


def _operator(inputs: list[int], outputs: list[int]):
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, inputs, outputs
    return operator


def _model(name: str, version: int, tensors, operator, inputs, outputs, buffers) -> bytes:
    """Of one operator."""
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, name)
    code.version = version
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = tensors, [operator]
    graph.inputs, graph.outputs = inputs, outputs
    whole = schema.ModelT()
    whole.version, whole.operatorCodes = 3, [code]
    whole.subgraphs, whole.buffers = [graph], buffers
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
