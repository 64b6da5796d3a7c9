# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records QuantizeLinear and DequantizeLinear in ONNX's reference evaluator, for the profile `onnx`, and in ONNX
Runtime, for the profile `ort`.

    pip install onnx onnxruntime numpy ml_dtypes
    python tools/record-vectors/onnx_runtimes.py
"""

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator
from vectors import Recording, dequantize_rows, quantize_rows

DTYPES = {
    "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16,
    "i32": np.int32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
}  # fmt: skip
TYPES = {name: helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for name, dtype in DTYPES.items()}


def model(operation, inputs, output, **attributes):
    """One node between Casts, so that 4-bit and bfloat16 tensors stay inside."""
    outside = {"i4": "i8", "ui4": "ui8", "bf16": "f32"}
    nodes, names, infos = [], [], []
    for name, (element, shape) in zip("xsz", inputs):
        infos.append(
            helper.make_tensor_value_info(name, TYPES[outside.get(element, element)], shape)
        )
        if element in outside:
            nodes.append(helper.make_node("Cast", [name], [f"{name}_cast"], to=TYPES[element]))
        names.append(f"{name}_cast" if element in outside else name)
    nodes.append(helper.make_node(operation, names, ["y_cast"], axis=0, **attributes))
    nodes.append(helper.make_node("Cast", ["y_cast"], ["y"], to=TYPES[outside.get(output, output)]))
    result = helper.make_tensor_value_info("y", TYPES[outside.get(output, output)], inputs[0][1])
    graph = helper.make_graph(nodes, "one", infos, [result])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)


def by_reference(one, feeds):
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(one).run(None, feeds)[0]


def by_runtime(one, feeds):
    session = onnxruntime.InferenceSession(
        one.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)[0]


def main():
    for profile, run, package in (
        ("onnx", by_reference, "onnx"),
        ("ort", by_runtime, "onnxruntime"),
    ):
        recording = Recording(profile, "onnx_runtimes.py", (package,))
        quantize = [(s, "f32") for s in ("i4", "ui4", "i8", "ui8", "i16", "ui16")] + [
            ("i8", "f16"),
            ("ui8", "f16"),
        ]
        if profile == "onnx":
            quantize += [("i8", "bf16"), ("i16", "f16")]
        for storage, element in quantize:
            x, s, z = quantize_rows(storage, element, element)
            one = model(
                "QuantizeLinear",
                [(element, x.shape), (element, s.shape), (storage, z.shape)],
                storage,
            )
            q = run(one, {"x": x, "s": s, "z": z})
            # From f32 ONNX Runtime has one rule, from f16 it goes through an int32.
            everywhere = profile == "ort" and element == "f32"
            recording.add(
                f"quantize-{storage}-{element}", "quantize", (element, x), (element, s), (storage, z), (storage, q),
                agrees="everywhere" if everywhere else "finite", how="QuantizeLinear, axis 0",
            )  # fmt: skip
        dequantize = [(s, "f32") for s in ("i4", "ui4", "i8", "ui8", "i16", "ui16")] + [
            ("i8", "f16")
        ]
        if profile == "onnx":
            dequantize += [("ui8", "bf16")]
        for storage, element in dequantize:
            q, s, z = dequantize_rows(storage, element)
            one = model(
                "DequantizeLinear",
                [(storage, q.shape), (element, s.shape), (storage, z.shape)],
                element,
            )
            y = run(one, {"x": q, "s": s, "z": z})
            recording.add(
                f"dequantize-{storage}-{element}", "dequantize", (storage, q), (element, s), (storage, z), (element, y),
                agrees="everywhere", how="DequantizeLinear, axis 0",
            )  # fmt: skip
        # Types of scales that the reals do not have: a scale that a narrow result does not hold.
        for element, scale in (("f16", "f32"), ("f32", "f16"), ("bf16", "f32")):
            if profile == "ort":
                continue  # takes one type only
            x, s, z = quantize_rows("i8", element, scale)
            one = model(
                "QuantizeLinear",
                [(element, x.shape), (scale, s.shape), ("i8", z.shape)],
                "i8",
            )
            q = run(one, {"x": x, "s": s, "z": z})
            # The text divides in the type of the scale, the evaluator in NumPy's common type.
            recording.add(
                f"quantize-i8-{element}-by-{scale}", "quantize", (element, x), (scale, s), ("i8", z), ("i8", q),
                agrees="differs" if scale == "f16" else "finite", how="QuantizeLinear, axis 0",
            )  # fmt: skip
        for storage, element in (("i8", "f16"), ("ui16", "bf16"), ("i16", "f16")):
            if profile == "ort":
                continue
            q, s, z = dequantize_rows(storage)
            one = model(
                "DequantizeLinear",
                [(storage, q.shape), ("f32", s.shape), (storage, z.shape)],
                element,
                output_dtype=TYPES[element],
            )
            y = run(one, {"x": q, "s": s, "z": z})
            recording.add(
                f"dequantize-{storage}-f32-to-{element}", "dequantize", (storage, q), ("f32", s), (storage, z),
                (element, y), agrees="everywhere", how="DequantizeLinear, axis 0, output_dtype",
            )  # fmt: skip
        recording.save()


if __name__ == "__main__":
    main()
