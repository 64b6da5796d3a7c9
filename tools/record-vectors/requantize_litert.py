# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how LiteRT ends its quantized convolutions: accumulators, scales and the codes that its kernels give.

A convolution of one input element that is zero has its bias as its accumulator, so a bias of any 32 bits (64 with
16-bit activations) is an accumulator, and a channel has its own scales.

    pip install ai-edge-litert numpy
    python tools/record-vectors/requantize_litert.py
"""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from requantize_vectors import Recording, accumulators, scales

TYPES = {
    "i8": schema.TensorType.INT8, "i16": schema.TensorType.INT16, "i32": schema.TensorType.INT32,
    "i64": schema.TensorType.INT64,
}  # fmt: skip
DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def tensor(name, element, shape, buffer, scale, zero_point, axis=0):
    result = schema.TensorT()
    result.name, result.type, result.shape, result.buffer = name, TYPES[element], shape, buffer
    result.quantization = schema.QuantizationParametersT()
    result.quantization.scale = [float(s) for s in np.ravel(scale)]
    result.quantization.zeroPoint = [int(zero_point)] * np.size(scale)
    result.quantization.quantizedDimension = axis
    return result


def convolve(activation, accumulator, acc, sa, sb, sy, zero_point, resolver) -> np.ndarray:
    """The codes of the accumulators; `sb` has one element for each."""
    n = acc.size
    graph = schema.SubGraphT()
    graph.tensors = [
        tensor("x", activation, [1, 1, 1, 1], 0, sa, 0),
        tensor("w", "i8", [n, 1, 1, 1], 1, sb, 0),
        tensor("b", accumulator, [n], 2, np.float32(sa) * sb, 0),
        tensor("y", activation, [1, 1, 1, n], 0, sy, zero_point),
    ]
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0, 1, 2], [3]
    operator.builtinOptionsType = schema.BuiltinOptions.Conv2DOptions
    operator.builtinOptions = schema.Conv2DOptionsT()
    operator.builtinOptions.strideH = operator.builtinOptions.strideW = 1
    operator.builtinOptions.dilationHFactor = operator.builtinOptions.dilationWFactor = 1
    graph.inputs, graph.outputs, graph.operators = [0], [3], [operator]
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CONV_2D
    code.version = 8
    buffers = [schema.BufferT() for _ in range(3)]
    buffers[1].data = np.ones(n, np.int8).view(np.uint8)
    buffers[2].data = acc.astype(DTYPES[accumulator]).view(np.uint8)
    whole = schema.ModelT()
    whole.version, whole.operatorCodes, whole.subgraphs, whole.buffers = 3, [code], [graph], buffers
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), b"TFL3")
    interpreter = Interpreter(
        model_content=bytes(builder.Output()), experimental_op_resolver_type=resolver
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(
        interpreter.get_input_details()[0]["index"], np.zeros((1, 1, 1, 1), DTYPES[activation])
    )
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).ravel().copy()


def main():
    recording = Recording("litert", "requantize_litert.py", ("ai-edge-litert",))
    for name, rescale, activation, accumulator, resolver in (
        ("conv-i8-reference", "fixed31-double", "i8", "i32", OpResolverType.BUILTIN_REF),
        ("conv-i8-xnnpack", "f32", "i8", "i32", OpResolverType.AUTO),
        ("conv-i16-reference", "fixed15", "i16", "i64", OpResolverType.BUILTIN_REF),
    ):
        acc, sa, sb, sy, z = [], *scales(), (3 if activation == "i8" else 0)
        acc = np.stack(
            [accumulators(sa * s / sy, activation, accumulator, seed=i) for i, s in enumerate(sb)]
        )
        codes = convolve(
            activation, accumulator, acc.ravel(), sa, np.repeat(sb, acc.shape[1]), sy, z, resolver
        ).reshape(acc.shape)
        recording.add(
            name, rescale, (accumulator, acc), sa, sb, sy, z, (activation, codes), profile="tflite" if "reference" in name else "xnnpack",
            how=f"CONV_2D of one zero, the accumulators as bias, resolver {resolver.name}",
        )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
