# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LiteRT: QUANTIZE, DEQUANTIZE and the end of CONV_2D, by its delegate for the CPU (XNNPACK) and by its reference kernels."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from scoring import requantizes, versions, zero_points

PACKAGES = ("ai-edge-litert", "flatbuffers", "numpy")
TYPES = {
    "f32": (schema.TensorType.FLOAT32, np.float32),
    "i8": (schema.TensorType.INT8, np.int8),
    "ui8": (schema.TensorType.UINT8, np.uint8),
    "i32": (schema.TensorType.INT32, np.int32),
}
RESOLVERS = {"delegate": OpResolverType.AUTO, "reference": OpResolverType.BUILTIN_REF}


def version():
    return versions("ai-edge-litert")


def tensor(name, kind, shape, scale, zero, buffer=0):
    made = schema.TensorT()
    made.name, made.shape, made.buffer, made.type = name, shape, buffer, TYPES[kind][0]
    if kind != "f32":
        made.quantization = schema.QuantizationParametersT()
        made.quantization.scale = [float(s) for s in np.ravel(scale)]
        made.quantization.zeroPoint = [zero] * np.size(scale)
    return made


def buffer(data):
    made = schema.BufferT()
    made.data = data.view(np.uint8)
    return made


def invoke(graph, code, buffers, x, resolver):
    """The output of a graph, whose first tensor is its input."""
    model = schema.ModelT()
    model.version, model.subgraphs, model.operatorCodes = 3, [graph], [code]
    model.buffers = [schema.BufferT(), *buffers]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    interpreter = Interpreter(
        model_content=bytes(builder.Output()),
        experimental_op_resolver_type=RESOLVERS[resolver],
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def convolve(acc, sa, sb, sy, zero, storage, resolver):
    """A convolution of one zero, whose bias is the accumulators; codes of i8."""
    n = acc.size
    graph, op, code = (
        getattr(schema, name)() for name in ("SubGraphT", "OperatorT", "OperatorCodeT")
    )
    graph.tensors = [
        tensor("x", "i8", [1, 1, 1, 1], sa, 0),
        tensor("w", "i8", [n, 1, 1, 1], sb, 0, 1),
        tensor("b", "i32", [n], sa * sb, 0, 2),
        tensor("y", "i8", [1, 1, 1, n], sy, zero),
    ]
    op.inputs, op.outputs, op.opcodeIndex = [0, 1, 2], [3], 0
    op.builtinOptionsType = schema.BuiltinOptions.Conv2DOptions
    op.builtinOptions = schema.Conv2DOptionsT()
    op.builtinOptions.strideH = op.builtinOptions.strideW = 1
    op.builtinOptions.dilationHFactor = op.builtinOptions.dilationWFactor = 1
    graph.inputs, graph.outputs, graph.operators = [0], [3], [op]
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CONV_2D
    code.version = 8
    buffers = [buffer(np.ones(n, np.int8)), buffer(acc.astype(np.int32))]
    return invoke(graph, code, buffers, np.zeros((1, 1, 1, 1), np.int8), resolver).ravel()


def run(operator, source, to, x, scale, zero, resolver):
    graph, op, code = (
        getattr(schema, name)() for name in ("SubGraphT", "OperatorT", "OperatorCodeT")
    )
    graph.tensors = [tensor(n, k, [len(x)], scale, zero) for n, k in (("x", source), ("y", to))]
    graph.inputs, graph.outputs = [0], [1]
    op.inputs, op.outputs, op.opcodeIndex = [0], [1], 0
    graph.operators = [op]
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, operator)
    return invoke(graph, code, [], x.astype(TYPES[source][1]), resolver)


def operations():
    for name in RESOLVERS:

        def quantize(x, scale, zero, storage, name=name):
            return run("QUANTIZE", "f32", storage, x, scale, zero, name)

        def dequantize(codes, scale, zero, storage, name=name):
            return run("DEQUANTIZE", storage, "f32", codes, scale, zero, name)

        yield from zero_points(quantize, dequantize, note=name)
        yield from requantizes(
            lambda *operands, name=name: convolve(*operands, name),
            ["i8"], f"CONV_2D, {name}", ["rescales"],
        )  # fmt: skip
