# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs beside its work: 8 elements, smallest CPU time, interleaved in one process.

.venv/bin/python benchmarks/calls.py
"""

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from mlir_qdq import runtime
from measure import sample, smallest
from peers import session_of
from record import record

MODULE = """
func.func @static(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xi8> {
  %q = qdq.quantize %x scale %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xi8>
  return %q : tensor<8xi8>
}
func.func @dynamic(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xi8> {
  %q = qdq.quantize %x scale %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xi8>
  return %q : tensor<?xi8>
}
func.func @scalars(%x: f32, %s: f32) -> i8 {
  %q = qdq.quantize %x scale %s : (f32, f32) -> i8
  return %q : i8
}
func.func @several(%x: tensor<?xf32>, %s: f32) -> (tensor<?xi8>, tensor<?xf32>, f32) {
  %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>
  %y = qdq.dequantize %q scale %s : (tensor<?xi8>, f32) -> tensor<?xf32>
  return %q, %y, %s : tensor<?xi8>, tensor<?xf32>, f32
}
func.func @packed(%q: tensor<8xi4>, %s: f32) -> tensor<8xf32> {
  %y = qdq.dequantize %q scale %s : (tensor<8xi4>, f32) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""


def make_session() -> onnxruntime.InferenceSession:
    """The function `static`, as ONNX Runtime spells it."""
    graph = helper.make_graph(
        [helper.make_node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=TensorProto.INT8)],
        "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8]),
         helper.make_tensor_value_info("s", TensorProto.FLOAT, [])],
        [helper.make_tensor_value_info("q", TensorProto.INT8, [8])],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    return session_of(model)


def ways() -> dict:
    """Name to a function without arguments."""
    compiled = runtime.compile(MODULE)
    session = make_session()
    x, s = np.linspace(-2, 2, 8, dtype=np.float32), np.array(0.02, np.float32)
    q = np.empty(8, np.int8)
    y = np.empty(8, np.float32)
    binding = session.io_binding()
    for name, array in (("x", x), ("s", s)):
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    bound = onnxruntime.OrtValue.ortvalue_from_numpy(q)
    binding.bind_ortvalue_output("q", bound)
    session.run_with_iobinding(binding)
    static, dynamic, scalars, several, unpacked = (
        compiled[name] for name in ("static", "dynamic", "scalars", "several", "packed")
    )
    expected = np.clip(np.rint(x / s), -128, 127).astype(np.int8)
    for codes in (
        static(x, s),
        dynamic(x, s),
        bound.numpy(),
        session.run(None, {"x": x, "s": s})[0],
    ):
        np.testing.assert_array_equal(codes, expected)
    nibbles = np.arange(-4, 4).astype(ml_dtypes.int4)
    scalar, given = s[()], {"x": x, "s": s}
    return {
        "ONNX Runtime, IO binding": lambda: session.run_with_iobinding(binding),
        "ONNX Runtime, run": lambda: session.run(None, given),
        "np.multiply": lambda: np.multiply(x, s),
        "np.multiply, out=": lambda: np.multiply(x, s, out=y),
        "static": lambda: static(x, s),
        "static, out=": lambda: static(x, s, out=q),
        "dynamic": lambda: dynamic(x, s),
        "dynamic, out=": lambda: dynamic(x, s, out=q),
        "scalars": lambda: scalars(scalar, scalar),
        "Python numbers": lambda: scalars(1.5, 0.5),
        "three results": lambda: several(x, scalar),
        "i4 array": lambda: unpacked(nibbles, scalar),
        "static, by Python's path": lambda: static.call_any(x, s),
    }


def main():
    times = smallest(sample(ways()))
    bound = times["ONNX Runtime, IO binding"]
    for name, seconds in times.items():
        values = {"time": seconds * 1e9, "ratio": seconds / bound}
        record("calls with 8 elements, and of ONNX Runtime with IO binding", "ns", name, values)


if __name__ == "__main__":
    main()
