# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records LiteRT's QUANTIZE and DEQUANTIZE: its reference kernels for the profile `tflite`, its default
delegate for the profile `xnnpack`.

    pip install ai-edge-litert numpy
    python tools/record-vectors/litert.py
"""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from vectors import Recording, dequantize_rows, quantize_rows

TYPES = {
    "f32": schema.TensorType.FLOAT32, "i8": schema.TensorType.INT8, "ui8": schema.TensorType.UINT8,
    "i16": schema.TensorType.INT16,
}  # fmt: skip
RESOLVERS = {"tflite": OpResolverType.BUILTIN_REF, "xnnpack": OpResolverType.AUTO}


def tensor(name: str, element: str, shape, scale=None, zero_point=None, axis=0):
    result = schema.TensorT()
    result.name, result.type, result.shape, result.buffer = name, TYPES[element], list(shape), 0
    if scale is not None:
        result.quantization = schema.QuantizationParametersT()
        result.quantization.scale = [float(s) for s in np.ravel(scale)]
        result.quantization.zeroPoint = [int(z) for z in np.ravel(zero_point)]
        result.quantization.quantizedDimension = axis
    return result


def model(operation: str, storage: str, shape, scale, zero_point) -> bytes:
    """One operator from x to y; a scale of rank 1 is per channel of dimension 0."""
    is_quantize = operation == "quantize"
    code = schema.OperatorCodeT()
    code.builtinCode = (
        schema.BuiltinOperator.QUANTIZE if is_quantize else schema.BuiltinOperator.DEQUANTIZE
    )
    code.deprecatedBuiltinCode, code.version = code.builtinCode, 2
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0], [1]
    graph = schema.SubGraphT()
    real, quantized = (
        tensor("real", "f32", shape),
        tensor("quantized", storage, shape, scale, zero_point),
    )
    graph.tensors = [real, quantized] if is_quantize else [quantized, real]
    graph.inputs, graph.outputs, graph.operators = [0], [1], [operator]
    whole = schema.ModelT()
    whole.version, whole.operatorCodes, whole.subgraphs, whole.buffers = (
        3,
        [code],
        [graph],
        [schema.BufferT()],
    )
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def run(content: bytes, x, resolver) -> np.ndarray:
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy()


def rowwise(operation, storage, x, scale, zero_point, resolver):
    return np.stack([
        run(model(operation, storage, row.shape, s, z), row, resolver) for row, s, z in zip(x, scale, zero_point)
    ])  # fmt: skip


def add_optimized(recording):
    """The built-in kernels without the delegate multiply by the reciprocal and round halves to even."""
    resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    for storage in ("i8", "ui8", "i16"):
        x, s, z = quantize_rows(storage)
        if storage == "i16":
            z[:] = 0
        q = rowwise("quantize", storage, x, s, z, resolver)
        # A reciprocal that overflows leaves products of no rule.
        for name, agrees, rows in (
            ("", "finite", slice(None, -1)),
            ("-ends", "differs", slice(-1, None)),
        ):
            recording.add(
                f"quantize-{storage}-optimized{name}", "quantize", ("f32", x[rows]), ("f32", s[rows]), (storage, z[rows]),
                (storage, q[rows]), semantics={"rounding": "nearest-even", "division": "reciprocal"}, agrees=agrees,
                how=f"QUANTIZE, per tensor, resolver {resolver.name}",
            )  # fmt: skip


def main():
    for profile, resolver in RESOLVERS.items():
        recording = Recording(profile, "litert.py", ("ai-edge-litert",), resolver=resolver.name)
        # The delegate takes no subnormal scale, and flushes other subnormal numbers to zero.
        ends = profile == "tflite"
        for storage in ("i8", "ui8", *(["i16"] if profile == "tflite" else [])):
            x, s, z = quantize_rows(storage, ends=ends)
            if storage == "i16":
                z[:] = 0  # LiteRT has none there
            q = rowwise("quantize", storage, x, s, z, resolver)
            recording.add(
                f"quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
                agrees="finite" if profile == "tflite" else "everywhere", how="QUANTIZE, per tensor, one call a row",
            )  # fmt: skip
            q, s, z = dequantize_rows(storage, ends=ends)
            if storage == "i16":
                z[:] = 0
            y = rowwise("dequantize", storage, q, s, z, resolver)
            recording.add(
                f"dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
                agrees="everywhere", how="DEQUANTIZE, per tensor, one call a row",
            )  # fmt: skip
        if profile == "xnnpack":
            x, s, z = (part[-4:-2] for part in quantize_rows("i8"))
            q = rowwise("quantize", "i8", x, s, z, resolver)
            recording.add(
                "quantize-i8-ends", "quantize", ("f32", x), ("f32", s), ("i8", z), ("i8", q),
                agrees="differs", how="QUANTIZE, per tensor, one call a row",
            )  # fmt: skip
        if profile == "tflite":
            add_optimized(recording)
            x, s, z = quantize_rows("i8", ends=False, seed=7)
            for name, one in (("reference", resolver), ("default", RESOLVERS["xnnpack"])):
                q = run(model("quantize", "i8", x.shape, s, z), x, one)
                recording.add(
                    f"quantize-i8-channel-{name}", "quantize", ("f32", x), ("f32", s), ("i8", z), ("i8", q),
                    agrees="finite", how=f"QUANTIZE, per channel, resolver {one.name}",
                )  # fmt: skip
        recording.save()


if __name__ == "__main__":
    main()
