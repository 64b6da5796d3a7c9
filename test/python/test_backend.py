# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX backend: ONNX's own tests of the operators that quantize or compute with codes, and what it says about the others."""

import mlir_qdq.backend
import numpy as np
import onnx
import onnx.backend.test
import onnx_models
import pytest
from mlir_qdq.backend import QDQBackend, UnsupportedModelError
from mlir_qdq.importers.onnx import OnnxImportError
from mlir_qdq.reference import quantize
from onnx import TensorProto, helper
from onnx.backend.base import Backend
from onnx_models import NODE, make_model, relu, value

#: The node tests of ONNX 1.23.2 with quantizing names that pass; older versions have fewer.
PASSES = {
    "test_dequantizelinear",
    "test_dequantizelinear_axis",
    "test_dequantizelinear_blocked",
    "test_dequantizelinear_e4m3fn",
    "test_dequantizelinear_e4m3fn_float16",
    "test_dequantizelinear_e4m3fn_zero_point",
    "test_dequantizelinear_e5m2",
    "test_dequantizelinear_float4e2m1",
    "test_dequantizelinear_int16",
    "test_dequantizelinear_int2",
    "test_dequantizelinear_int4",
    "test_dequantizelinear_uint16",
    "test_dequantizelinear_uint2",
    "test_dequantizelinear_uint4",
    "test_dynamicquantizelinear",
    "test_dynamicquantizelinear_expanded",  # written out in other operators
    "test_dynamicquantizelinear_max_adjusted",
    "test_dynamicquantizelinear_max_adjusted_expanded",
    "test_dynamicquantizelinear_min_adjusted",
    "test_dynamicquantizelinear_min_adjusted_expanded",
    "test_convinteger_with_padding",
    "test_convinteger_without_padding",
    "test_matmulinteger",
    "test_qlinearconv",
    "test_qlinearmatmul_2D_int8_float16",
    "test_qlinearmatmul_2D_int8_float32",
    "test_qlinearmatmul_2D_uint8_float16",
    "test_qlinearmatmul_2D_uint8_float32",
    "test_qlinearmatmul_3D_int8_float16",
    "test_qlinearmatmul_3D_int8_float32",
    "test_qlinearmatmul_3D_uint8_float16",
    "test_qlinearmatmul_3D_uint8_float32",
    "test_quantizelinear",
    "test_quantizelinear_axis",
    "test_quantizelinear_blocked_asymmetric",
    "test_quantizelinear_blocked_symmetric",
    "test_quantizelinear_e4m3fn",
    "test_quantizelinear_e5m2",
    "test_quantizelinear_float4e2m1",
    "test_quantizelinear_int16",
    "test_quantizelinear_int2",
    "test_quantizelinear_int4",
    "test_quantizelinear_uint16",
    "test_quantizelinear_uint2",
    "test_quantizelinear_uint4",
}
#: Parts of their names.
NAMES = ("quantize", "qlinear", "matmulinteger", "convinteger")


@pytest.fixture(scope="module")
def cases():
    return {
        case.name: case
        for case in onnx_models.node_tests()
        if any(part in case.name for part in NAMES)
    }


@pytest.fixture(scope="module")
def node_tests(cases):
    """ONNX's harness: a class with a method for each case."""
    return onnx.backend.test.BackendTest(mlir_qdq.backend, __name__).test_cases[
        "OnnxBackendNodeModelTest"
    ]


@pytest.fixture
def case(name, cases):
    if name not in cases:
        pytest.skip(f"onnx {onnx.__version__} does not have it yet")
    return cases[name]


def arrays(tensors):
    return [
        onnx.numpy_helper.to_array(t) if isinstance(t, TensorProto) else np.asarray(t)
        for t in tensors
    ]


# ONNX's tests.


def test_every_case_is_listed(cases):
    assert cases.keys() <= PASSES
    if onnx.__version__ == "1.23.2":
        assert cases.keys() == PASSES


@pytest.mark.parametrize("name", sorted(PASSES))
def test_onnx_test(name, case, node_tests):
    """As ONNX's own harness runs it."""
    test = f"{name}_cpu"
    getattr(node_tests(test), test)()


@pytest.mark.parametrize("name", sorted(PASSES))
def test_onnx_case_bit_by_bit(name, case):
    """ONNX's harness is content with a relative error of 0.001, in codes, too."""
    rep = mlir_qdq.backend.prepare(case.model)
    for inputs, outputs in case.data_sets:
        for actual, expected in zip(rep.run(arrays(inputs)), arrays(outputs), strict=True):
            assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
            assert actual.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "test, left",
    [
        ("test_unique_not_sorted_without_axis_cpu", "1 onnx.Unique$"),
        ("test_loop11_cpu", "1 onnx.Loop"),
    ],
)
def test_harness_does_not_skip_what_is_not_supported(test, left, node_tests):
    with pytest.raises(UnsupportedModelError, match=f"not lowered: .*{left}"):
        getattr(node_tests(test), test)()


# The interface.


def chain(**kwargs):
    """y = dequantize(quantize(x)), and the codes."""
    return make_model(
        [
            NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
            NODE("DequantizeLinear", ["q", "s", "z"], ["y"]),
        ],
        [value("x", "FLOAT", 4)],
        [value("y", "FLOAT", 4), value("q", "INT8", 4)],
        [
            helper.make_tensor("s", TensorProto.FLOAT, [], [0.5]),
            helper.make_tensor("z", TensorProto.INT8, [], [3]),
        ],
        **kwargs,
    )


X = np.array([0.25, 0.75, -1.0, 300.0], np.float32)
CODES = quantize(X, np.float32(0.5), np.int8(3), storage="i8")
Y = (CODES.astype(np.float32) - 3) * np.float32(0.5)


def test_is_a_backend():
    assert issubclass(QDQBackend, Backend)
    for name in ("is_compatible", "prepare", "run_model", "run_node", "supports_device"):
        assert callable(getattr(mlir_qdq.backend, name))


def test_outputs_by_position_and_name():
    rep = mlir_qdq.backend.prepare(chain())
    assert (rep.inputs, rep.outputs) == (("x",), ("y", "q"))
    outputs = rep.run([X])
    y, q = outputs
    assert y.tobytes() == Y.tobytes() and q.tobytes() == CODES.tobytes()
    assert outputs["y"] is outputs.y is y


def test_inputs_in_every_form():
    rep = mlir_qdq.backend.prepare(chain())
    for inputs in ([X], (X,), X, {"x": X}):
        assert rep.run(inputs).q.tobytes() == CODES.tobytes()


def test_wrong_inputs():
    rep = mlir_qdq.backend.prepare(chain())
    with pytest.raises(ValueError, match=r"has 1 inputs \('x'\), given were 2"):
        rep.run([X, X])
    with pytest.raises(ValueError, match="inputs are 'x', given were 'y'"):
        rep.run({"y": X})
    with pytest.raises(TypeError, match="give options to prepare"):
        rep.run([X], rounding="floor")
    with pytest.raises((TypeError, ValueError)):
        rep.run([X.astype(np.float64)])
    with pytest.raises((TypeError, ValueError)):
        rep.run([X[:3]])


def test_options():
    down = mlir_qdq.backend.run_model(chain(), [X], rounding="floor", overflow="wrap")
    assert list(down.q) == [3, 4, 1, 603 % 256]
    with pytest.raises(ValueError, match="'flor' is not a value of 'rounding'"):
        mlir_qdq.backend.prepare(chain(), rounding="flor")
    with pytest.raises(TypeError, match="unexpected keyword argument 'round'"):
        mlir_qdq.backend.prepare(chain(), round="floor")


def test_run_model():
    y, q = mlir_qdq.backend.run_model(chain(), [X])
    assert y.tobytes() == Y.tobytes() and q.tobytes() == CODES.tobytes()


@pytest.mark.parametrize("options", [{}, {"opset_version": 13}])
def test_run_node(options):
    node = NODE("QuantizeLinear", ["x", "s", "z"], ["q"])
    inputs = [X, np.float32(0.5), np.int8(3)]
    (q,) = mlir_qdq.backend.run_node(node, inputs, **options)
    assert q.dtype == np.int8 and q.tobytes() == CODES.tobytes()


def test_run_node_without_zero_point():
    node = NODE("QuantizeLinear", ["x", "s", ""], ["q"])
    (q,) = mlir_qdq.backend.run_node(node, [X, np.float32(0.5)])
    assert list(q) == [0, 2, 0, 255] and q.dtype == np.uint8


def test_run_node_dynamic():
    node = NODE("DynamicQuantizeLinear", ["x"], ["q", "s", "z"])
    q, s, z = mlir_qdq.backend.run_node(node, X)
    assert (q.dtype, s.shape, z.dtype) == (np.uint8, (), np.uint8)


def test_sub_byte_values():
    node = NODE("QuantizeLinear", ["x", "s"], ["q"], output_dtype=TensorProto.INT4)
    (q,) = mlir_qdq.backend.run_node(node, [X, np.float32(0.5)])
    assert q.dtype.name == "int4" and list(q) == [0, 2, -2, 7]
    (x,) = mlir_qdq.backend.run_node(NODE("DequantizeLinear", ["q", "s"], ["x"]), [q, X[0]])
    assert list(x) == [0.0, 0.5, -0.5, 1.75]


# Unsupported forms.


def test_devices():
    assert mlir_qdq.backend.supports_device("CPU")
    assert mlir_qdq.backend.supports_device("CPU:0")
    assert not mlir_qdq.backend.supports_device("CUDA")
    with pytest.raises(UnsupportedModelError, match="device 'CUDA:1': there is only 'CPU'"):
        mlir_qdq.backend.prepare(chain(), "CUDA:1")
    assert not mlir_qdq.backend.is_compatible(chain(), "CUDA")


def test_other_operators():
    assert mlir_qdq.backend.is_compatible(chain())
    assert mlir_qdq.backend.is_compatible(relu())
    nonzero = make_model(
        [NODE("Unique", ["x"], ["y"])], [value("x", "FLOAT", 2)], [value("y", "FLOAT", 2)]
    )
    assert not mlir_qdq.backend.is_compatible(nonzero)
    with pytest.raises(NotImplementedError) as error:
        mlir_qdq.backend.prepare(nonzero)
    assert str(error.value) == "not lowered: 1 onnx.Unique"


def test_node_that_is_refused():
    """The lowering's own words: a scale whose shape says neither axis nor blocks."""
    node = NODE("QuantizeLinear", ["x", "s"], ["q"], axis=0)
    with pytest.raises(UnsupportedModelError, match="'onnx.QuantizeLinear' op scale has type"):
        mlir_qdq.backend.run_node(node, [X, np.ones((2, 2), np.float32)])


def test_invalid_model():
    model = chain()
    model.graph.node[0].input[0] = "nowhere"
    with pytest.raises(OnnxImportError, match="its input 'nowhere' does not exist"):
        mlir_qdq.backend.prepare(model)
    assert not mlir_qdq.backend.is_compatible(model)
