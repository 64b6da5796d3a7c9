# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small .tflite models, and what LiteRT computes with them."""

from dataclasses import dataclass

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from mlir_qdq import runtime
from mlir_qdq.importers import tflite

#: The kernels that a profile stands for.
RESOLVERS = {"tflite": OpResolverType.BUILTIN_REF, "xnnpack": OpResolverType.AUTO}
SAME, VALID = schema.Padding.SAME, schema.Padding.VALID
NONE, RELU, RELU6, RELU_N1_TO_1 = 0, 1, 3, 2
TYPES = {
    "float32": schema.TensorType.FLOAT32, "int32": schema.TensorType.INT32, "uint8": schema.TensorType.UINT8,
    "int64": schema.TensorType.INT64, "int16": schema.TensorType.INT16, "int8": schema.TensorType.INT8,
    "int4": schema.TensorType.INT4, "bool": schema.TensorType.BOOL, "float16": schema.TensorType.FLOAT16,
}  # fmt: skip


@dataclass(frozen=True)
class Quantized:
    """A storage type with its parameters; scales along `axis` are a tuple."""

    dtype: str = "int8"
    scale: float | tuple[float, ...] = 0.05
    zero_point: int | tuple[int, ...] = 0
    axis: int = 0


class Model:
    """One subgraph, built from its inputs to its outputs; values are indices of tensors."""

    def __init__(self):
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.codes, self.buffers = [], [schema.BufferT()]

    def tensor(self, shape, of: Quantized | str, buffer=0, signature=None) -> int:
        tensor = schema.TensorT()
        tensor.name = f"tensor_{len(self.graph.tensors)}"
        tensor.shape, tensor.buffer = list(shape), buffer
        if signature is not None:
            tensor.shapeSignature = list(signature)
        tensor.type = TYPES[of if isinstance(of, str) else of.dtype]
        if isinstance(of, Quantized):
            tensor.quantization = parameters = schema.QuantizationParametersT()
            parameters.scale = [float(s) for s in np.ravel(of.scale)]
            parameters.zeroPoint = [
                int(z) for z in np.broadcast_to(of.zero_point, len(parameters.scale))
            ]
            parameters.quantizedDimension = of.axis
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def input(self, shape, of: Quantized | str, signature=None) -> int:
        self.graph.inputs.append(self.tensor(shape, of, signature=signature))
        return self.graph.inputs[-1]

    def constant(self, array, of: Quantized | None = None) -> int:
        array = np.ascontiguousarray(array)
        buffer = schema.BufferT()
        buffer.data = array.reshape(-1).view(np.uint8)
        if of is not None and of.dtype == "int4":  # two in a byte, the first one low
            halves = np.append(buffer.data & 15, np.zeros(array.size % 2, np.uint8))
            buffer.data = halves[::2] | halves[1::2] << 4
        self.buffers.append(buffer)
        return self.tensor(array.shape, of or str(array.dtype), len(self.buffers) - 1)

    def op(self, name: str, inputs, *outputs: int, options: str = "", version=1, **fields) -> int:
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
        self.codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = len(self.codes) - 1
        operator.inputs, operator.outputs = list(inputs), list(outputs)
        if options:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(schema, options + "T")()
            for field, value in fields.items():
                assert hasattr(operator.builtinOptions, field), field
                setattr(operator.builtinOptions, field, value)
        self.graph.operators.append(operator)
        return outputs[0] if outputs else -1

    def content(self, *outputs: int) -> bytes:
        self.graph.outputs = list(outputs)
        model = schema.ModelT()
        model.version, model.operatorCodes = 3, self.codes
        model.subgraphs, model.buffers = [self.graph], self.buffers
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def litert(content: bytes, inputs, resolver) -> list[np.ndarray]:
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver)
    for detail, array in zip(interpreter.get_input_details(), inputs):
        interpreter.resize_tensor_input(detail["index"], array.shape)
    interpreter.allocate_tensors()
    for detail, array in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]).copy() for d in interpreter.get_output_details()]


def check(content: bytes, inputs, path, profiles=("tflite", "xnnpack")) -> list[np.ndarray]:
    """The compiled file has the codes of LiteRT, under each profile those of its kernels. Returns the last ones."""
    path.write_bytes(content)
    for profile in profiles:
        expected = litert(content, inputs, RESOLVERS[profile])
        compiled = runtime.compile(tflite.import_model(path), profile=profile)
        results = compiled.main(*inputs)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        for ours, theirs in zip(results, expected, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs, err_msg=profile)
    return expected


def codes(shape, dtype="int8", seed=0) -> np.ndarray:
    bounds = np.iinfo(dtype)
    random = np.random.default_rng(seed + sum(shape))
    return random.integers(bounds.min, bounds.max + 1, shape).astype(dtype)
