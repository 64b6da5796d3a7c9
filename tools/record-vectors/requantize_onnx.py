# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how ONNX Runtime (CPU) and the reference evaluator of onnx end QLinearConv: as `requantize_litert.py`,
with the accumulators as bias.

    pip install onnx onnxruntime numpy
    python tools/record-vectors/requantize_onnx.py
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from requantize_vectors import Recording, accumulators, scales

DTYPES = {"i8": np.int8, "ui8": np.uint8}


def model(storage: str, acc, sa, sb, sy, zero_point):
    dtype = DTYPES[storage]
    zero = {"i8": 0, "ui8": 128}[storage]
    constants = {
        "sa": sa, "za": dtype(zero), "w": np.ones((acc.size, 1, 1, 1), np.int8), "sb": sb,
        "zb": np.zeros(acc.size, np.int8), "sy": sy, "zy": dtype(zero_point), "b": acc.astype(np.int32),
    }  # fmt: skip
    node = helper.make_node(
        "QLinearConv", ["x", "sa", "za", "w", "sb", "zb", "sy", "zy", "b"], ["y"]
    )
    code = TensorProto.INT8 if storage == "i8" else TensorProto.UINT8
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", code, [1, 1, 1, 1])],
        [helper.make_tensor_value_info("y", code, [1, acc.size, 1, 1])],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )  # fmt: skip
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return whole, np.full((1, 1, 1, 1), zero, dtype)


def ort(whole, x):
    session = onnxruntime.InferenceSession(
        whole.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x})[0]


def reference(whole, x):
    return ReferenceEvaluator(whole).run(None, {"x": x})[0]


def main():
    for runtime, run, rescale, profile, package in (
        ("onnxruntime", ort, "f32", "ort", "onnxruntime"),
        ("onnx", reference, "f64", "onnx", "onnx"),
    ):
        recording = Recording(runtime, "requantize_onnx.py", (package,))
        for storage, z in (("i8", -9), ("ui8", 131)):
            sa, sb, sy = scales()
            acc = np.stack(
                [accumulators(sa * s / sy, storage, "i32", seed=i) for i, s in enumerate(sb)]
            )
            codes = run(*model(storage, acc.ravel(), sa, np.repeat(sb, acc.shape[1]), sy, z))
            recording.add(
                f"conv-{storage}", rescale, ("i32", acc), sa, sb, sy, z, (storage, codes.reshape(acc.shape)),
                profile=profile, how="QLinearConv of one zero, the accumulators as bias",
            )  # fmt: skip
        recording.save()


if __name__ == "__main__":
    main()
