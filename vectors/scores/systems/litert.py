# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LiteRT: QUANTIZE and DEQUANTIZE, by its delegate for the CPU (XNNPACK) and by its reference kernels."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from scoring import versions, zero_points

PACKAGES = ("ai-edge-litert", "flatbuffers", "numpy")
TYPES = {
    "f32": (schema.TensorType.FLOAT32, np.float32),
    "i8": (schema.TensorType.INT8, np.int8),
    "ui8": (schema.TensorType.UINT8, np.uint8),
}
RESOLVERS = {"delegate": OpResolverType.AUTO, "reference": OpResolverType.BUILTIN_REF}


def version():
    return versions("ai-edge-litert")


def tensor(name, kind, count, scale, zero):
    made = schema.TensorT()
    made.name, made.shape, made.buffer, made.type = name, [count], 0, TYPES[kind][0]
    if kind != "f32":
        made.quantization = schema.QuantizationParametersT()
        made.quantization.scale, made.quantization.zeroPoint = [float(scale)], [zero]
    return made


def run(operator, source, to, x, scale, zero, resolver):
    graph, op, code, model = (
        getattr(schema, name)() for name in ("SubGraphT", "OperatorT", "OperatorCodeT", "ModelT")
    )
    graph.tensors = [tensor(n, k, len(x), scale, zero) for n, k in (("x", source), ("y", to))]
    graph.inputs, graph.outputs = [0], [1]
    op.inputs, op.outputs, op.opcodeIndex = [0], [1], 0
    graph.operators = [op]
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, operator)
    model.version, model.subgraphs, model.operatorCodes = 3, [graph], [code]
    model.buffers = [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    interpreter = Interpreter(
        model_content=bytes(builder.Output()),
        experimental_op_resolver_type=RESOLVERS[resolver],
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, x.astype(TYPES[source][1]))
    interpreter.invoke()
    return interpreter.get_tensor(1)


def operations():
    for name in RESOLVERS:

        def quantize(x, scale, zero, storage, name=name):
            return run("QUANTIZE", "f32", storage, x, scale, zero, name)

        def dequantize(codes, scale, zero, storage, name=name):
            return run("DEQUANTIZE", storage, "f32", codes, scale, zero, name)

        yield from zero_points(quantize, dequantize, note=name)
