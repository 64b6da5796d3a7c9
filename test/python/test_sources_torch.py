# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch-mlir's spelling of ONNX's operators, compiled with `!torch.vtensor` in the signature, against ONNX's reference evaluator."""

import numpy as np
import onnx
import pytest
from mlir_qdq import runtime
from onnx_linear import FLOATS, INTEGERS, PLACEMENTS, check, variants

pytestmark = pytest.mark.skipif(
    onnx.defs.onnx_opset_version() < 28, reason="the evaluator of the installed ONNX is older"
)
SYSTEM, AGAINST = "ONNX through torch-mlir", "ONNX reference evaluator"


@pytest.mark.proves(SYSTEM, "QuantizeLinear", against=AGAINST)
@pytest.mark.every_value
@pytest.mark.parametrize("granularity", PLACEMENTS)
@pytest.mark.parametrize("storage", [*INTEGERS, *FLOATS])
def test_quantize(storage, granularity):
    check(variants("QuantizeLinear", storage, granularity)[1:3], "torch")


@pytest.mark.proves(SYSTEM, "DequantizeLinear", against=AGAINST)
@pytest.mark.every_value
@pytest.mark.parametrize("granularity", PLACEMENTS)
@pytest.mark.parametrize("storage", [*INTEGERS, "i32", *FLOATS])
def test_dequantize(storage, granularity):
    check(variants("DequantizeLinear", storage, granularity)[1:3], "torch")


def test_model():
    """Quantized, dequantized and quantized again: values between the nodes have torch types too."""
    compiled = runtime.compile(
        """func.func @f(%x: !torch.vtensor<[?,3],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[?,3],si8> {
             %none = "torch.constant.none"() : () -> !torch.none
             %z = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense<200> : tensor<ui8>} : () -> !torch.vtensor<[],ui8>
             %t = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value_floats = [0.5 : f32, 1.0 : f32, 2.0 : f32]} : () -> !torch.vtensor<[3],f32>
             %q = "torch.operator"(%x, %s, %z) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[?,3],ui8>
             %d = "torch.operator"(%q, %s, %z) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[?,3],ui8>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[?,3],f32>
             %r = "torch.operator"(%d, %t, %none) <{name = "onnx.QuantizeLinear"}> {torch.onnx.axis = 1 : si64} : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[3],f32>, !torch.none) -> !torch.vtensor<[?,3],si8>
             return %r : !torch.vtensor<[?,3],si8>
           }"""
    )
    x = np.random.default_rng(0).uniform(-300, 100, (6, 3)).astype(np.float32)
    scale = np.array(0.75, np.float32)
    code = np.clip(np.rint(x / scale) + 200, 0, 255)
    real = ((code - 200) * scale).astype(np.float32)
    expected = np.clip(np.rint(real / np.array([0.5, 1, 2], np.float32)), -128, 127).astype(np.int8)
    assert np.array_equal(compiled["f"](x, scale), expected)
