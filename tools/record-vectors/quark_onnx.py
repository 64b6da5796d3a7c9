# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records AMD Quark's Extended(De)QuantizeLinear, its custom operators in ONNX Runtime, for the profile `quark`.

pip install torch==2.13.0 amd-quark==0.13 onnxruntime ninja numpy   (compiles the operators on first use)
python tools/record-vectors/quark_onnx.py
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from quark.onnx.operators.custom_ops import get_library_path
from vectors import Recording, dequantize_rows, narrow, quantize_rows

TYPES = {
    "f32": TensorProto.FLOAT, "i8": TensorProto.INT8, "ui8": TensorProto.UINT8, "i16": TensorProto.INT16,
    "ui16": TensorProto.UINT16, "i32": TensorProto.INT32, "ui32": TensorProto.UINT32, "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
}  # fmt: skip


def session(operation: str, storage: str, shape, axis: int):
    """x, scale, zero point -> y. bfloat16 goes in and out through Cast, as NumPy has none."""
    real, inner = "f32", storage
    source, target = (real, inner) if operation == "ExtendedQuantizeLinear" else (inner, real)
    outer = {name: "f32" if name == "bf16" else name for name in (source, target, inner)}
    nodes, names = [], {"x": "x", "z": "z", "y": "y"}
    if storage == "bf16":
        for name, is_used in (("x", source == "bf16"), ("z", True)):
            if is_used:
                nodes.append(
                    helper.make_node("Cast", [name], [f"{name}_bf16"], to=TensorProto.BFLOAT16)
                )
                names[name] = f"{name}_bf16"
        if target == "bf16":
            names["y"] = "y_bf16"
    inputs = [names["x"], "s", names["z"]]
    nodes.append(
        helper.make_node(operation, inputs, [names["y"]], domain="com.amd.quark", axis=axis)
    )
    if names["y"] != "y":
        nodes.append(helper.make_node("Cast", ["y_bf16"], ["y"], to=TensorProto.FLOAT))
    info = helper.make_tensor_value_info
    rows = [shape[0]]
    graph = helper.make_graph(
        nodes, "one",
        [info("x", TYPES[outer[source]], shape), info("s", TYPES["f32"], rows), info("z", TYPES[outer[inner]], rows)],
        [info("y", TYPES[outer[target]], shape)],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.amd.quark", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.register_custom_ops_library(get_library_path("CPU"))
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def run(operation, storage, x, scale, zero_point):
    one = session(operation, storage, list(x.shape), 0)
    return one.run(None, {"x": x, "s": scale, "z": zero_point})[0]


def main():
    recording = Recording("quark", "quark_onnx.py", ("amd-quark", "onnxruntime"))
    for storage in ("i8", "ui8", "i16", "ui16", "i32", "ui32"):
        x, s, z = quantize_rows(storage)
        q = run("ExtendedQuantizeLinear", storage, x, s, z)
        recording.add(
            f"quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
            agrees="finite", how="ExtendedQuantizeLinear, axis 0",
        )  # fmt: skip
        q, s, z = dequantize_rows(storage)
        y = run("ExtendedDequantizeLinear", storage, q, s, z)
        recording.add(
            f"dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
            agrees="everywhere", how="ExtendedDequantizeLinear, axis 0",
        )  # fmt: skip
    x, s, _ = quantize_rows("i8")
    for storage in ("f16", "bf16"):
        agrees = "finite" if storage == "bf16" else "differs"
        z = [0, 1, -3, 0.25, 100, -0.5, 7, 1.5, -0.0, 1 / 3, -1e-5, 3e4, 0.1, -2]
        z = narrow(np.array(z), storage)
        q = run("ExtendedQuantizeLinear", storage, x, s, z)
        recording.add(
            f"quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
            agrees=agrees, how="ExtendedQuantizeLinear, axis 0",
        )  # fmt: skip
        q = narrow(x, storage)
        y = run("ExtendedDequantizeLinear", storage, q, s, z)
        recording.add(
            f"dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
            agrees="everywhere" if storage == "bf16" else "differs", how="ExtendedDequantizeLinear, axis 0",
        )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
