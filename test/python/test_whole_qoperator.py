# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-import --whole without its compilers: the copy that they can read, and what nobody converts."""

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest
from mlir_qdq.command._onnx_typed import readable_copy
from mlir_qdq.command._whole import _custom_operators

#: com.microsoft's operators before ONNX's, whose types nobody infers, and a pool of codes above 127.
MODEL = """<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
m (uint8[1, 4, 6, 6] x) => (float[1, 8, 3, 3] y)
<float s = {0.05}, uint8 z = {3}, uint16[2] u = {7, 65535}>
{
  l = com.microsoft.QLinearLeakyRelu <alpha = 0.1> (x, s, z, s, z)
  k = com.microsoft.QLinearConcat <axis = 1> (s, z, l, s, z, x, s, z)
  p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (k)
  y = DequantizeLinear (p, s, z)
}"""


def test_readable_copy(tmp_path):
    model = onnx.parser.parse_model(MODEL)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    copy = onnx.load(readable_copy(path, tmp_path))
    known = {info.name for info in (*copy.graph.value_info, *copy.graph.output)}
    assert known >= {name for node in copy.graph.node for name in node.output}
    (u16,) = (t for t in copy.graph.initializer if t.name == "u")
    assert u16.raw_data == np.array([7, 65535], np.uint16).tobytes()
    pools = [node.input[0] for node in copy.graph.node if node.op_type == "MaxPool"]
    types = {info.name: info.type.tensor_type.elem_type for info in copy.graph.value_info}
    assert [types[name] for name in pools] == [onnx.TensorProto.FLOAT]
    x = np.random.default_rng(0).integers(0, 256, (1, 4, 6, 6)).astype(np.uint8)
    ours, theirs = (
        onnxruntime.InferenceSession(m.SerializeToString()).run(None, {"x": x})[0]
        for m in (copy, model)
    )
    np.testing.assert_array_equal(ours, theirs)


def test_a_model_that_needs_no_copy(tmp_path):
    path = tmp_path / "model.onnx"
    text = (
        '<ir_version: 8, opset_import: ["" : 17]> m (float[2] x) => (float[2] y) { y = Relu (x) }'
    )
    onnx.save(onnx.parser.parse_model(text), path)
    assert readable_copy(path, tmp_path) == path


def test_custom_operators():
    module = "\n".join(
        f'%0 = "torch.operator"(%1) <{{name = "onnx.{name}"}}> : (!torch.none) -> !torch.none'
        for name in ("QLinearMystery", "Conv", "QLinearMystery")
    )
    assert _custom_operators(module) == {"QLinearMystery": 2}


def test_a_model_that_is_too_large(tmp_path):
    """2.3 GB in a file of no blocks: refused before anything reads it."""
    weight = onnx.TensorProto(name="w", data_type=onnx.TensorProto.INT8, dims=[64, 36_000_000])
    weight.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": "w.bin", "length": str(64 * 36_000_000)}.items():
        weight.external_data.add(key=key, value=value)
    with open(tmp_path / "w.bin", "wb") as file:
        file.truncate(64 * 36_000_000)
    text = '<ir_version: 8, opset_import: ["" : 17]> m (int8[1] x) => (int8[64, 36000000] y) { y = Add (x, w) }'
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(weight)
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(
        ValueError, match="model.onnx: it has 2304000... bytes with its external data"
    ):
        readable_copy(tmp_path / "model.onnx", tmp_path)
