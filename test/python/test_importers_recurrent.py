# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RNN, GRU, LSTM and DynamicQuantizeLSTM in all their forms, beside ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
import pytest
from mlir_qdq import runtime
from mlir_qdq.backend import UnsupportedModelError, prepare
from mlir_qdq.importers.onnx import import_model
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime.quantization import QuantType, quantize_dynamic
from test_importers_float_operators import CLOSE

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
STEPS, BATCH, INPUTS, HIDDEN = 5, 3, 3, 4
#: Activations that are exact in f32, so that codes of hidden states are too.
EXACT = ["HardSigmoid", "Relu", "Relu"]


def model(operator, *, bias=True, lengths=None, states=False, peepholes=False, is_open=False, batch=BATCH, dtype=np.float32, **attributes):  # fmt: skip
    """A node, and its input X [steps, batch, inputs]. With layout = 1 X and states begin with the batch."""
    random = np.random.default_rng(0)

    def floats(*shape):
        return random.normal(0, 0.7, shape).astype(dtype)

    directions = 1 + (attributes.get("direction") == "bidirectional")
    rows = GATES[operator] * HIDDEN
    x = floats(STEPS, batch, INPUTS)
    given = {
        "W": floats(directions, rows, INPUTS),
        "R": floats(directions, rows, HIDDEN),
        "B": floats(directions, 2 * rows) if bias else None,
        "sequence_lens": None if lengths is None else np.array(lengths, np.int32),
        "initial_h": floats(directions, batch, HIDDEN) if states else None,
    }
    if operator == "LSTM":
        given["initial_c"] = floats(directions, batch, HIDDEN) if states else None
        given["P"] = floats(directions, 3 * HIDDEN) if peepholes else None
    if attributes.get("layout"):
        x = np.ascontiguousarray(x.swapaxes(0, 1))
        for name in given.keys() & {"initial_h", "initial_c"}:
            if given[name] is not None:
                given[name] = np.ascontiguousarray(given[name].swapaxes(0, 1))
    names = ["x", *(name if value is not None else "" for name, value in given.items())]
    outputs = ["Y", "Y_h", "Y_c"][: 3 if operator == "LSTM" else 2]
    node = helper.make_node(operator, names, outputs, name="node", hidden_size=HIDDEN, **attributes)
    shape = ["T", "N", INPUTS] if is_open else x.shape
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        [node],
        "net",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info(name, element, None) for name in outputs],
        [numpy_helper.from_array(v, name) for name, v in given.items() if v is not None],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), x


def by_onnxruntime(proto, x) -> list:
    """In one thread: more threads quantize parts of a batch each for itself."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options)
    return session.run(None, {"x": x})


def activations(operator, first) -> dict:
    names = ["Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus", "Softsign", "Tanh", "ThresholdedRelu"]  # fmt: skip
    count = FUNCTIONS[operator]
    at = names.index(first)
    used = [names[(at + i) % len(names)] for i in range(count)]
    return {
        "activations": used,
        "activation_alpha": [0.3, 0.4, 0.2][:count],
        "activation_beta": [0.6, 0.1, 0.5][:count],
    }


def forms():
    def form(operator, *, daily=True, **options):
        words = [operator]
        for name, value in options.items():
            if name not in ("activation_alpha", "activation_beta"):
                words.append(value if isinstance(value, str) else f"{name}={value}")
        marks = [] if daily else [pytest.mark.exhaustive]
        return pytest.param(operator, options, marks=marks, id="-".join(words).replace(" ", ""))

    for operator in GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            yield form(operator, direction=direction, states=True)
            # ONNX Runtime's RNN reads in front of a sequence without steps.
            lengths = [3, 5, 1] if operator == "RNN" else [3, 5, 0]
            yield form(operator, direction=direction, states=True, lengths=lengths)
        yield form(operator, lengths=[2, 1, 1], bias=False)
        yield form(operator, clip=0.3, direction="bidirectional")
        yield form(operator, is_open=True, lengths=[4, 2, 3], direction="reverse")
        yield form(operator, is_open=True, states=True)
        for first in ("Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus", "Softsign", "Tanh", "ThresholdedRelu"):  # fmt: skip
            daily = operator == "RNN" or first in ("Affine", "LeakyRelu", "Softsign")
            yield form(operator, daily=daily, clip=2.0, **activations(operator, first))
        mixed = ["sigmoid", "TANH", "Elu"][: FUNCTIONS[operator]] + ["HardSigmoid", "Relu", "Tanh"][: FUNCTIONS[operator]]  # fmt: skip
        if operator != "RNN":  # whose kernel gives the parameters of one function to another
            yield form(operator, direction="bidirectional", activations=mixed)
    for resets in (0, 1):
        yield form("GRU", linear_before_reset=resets, clip=0.4, lengths=[5, 1, 3])
        yield form("GRU", linear_before_reset=resets, bias=False, states=True)
    yield form("LSTM", peepholes=True, states=True, direction="bidirectional", lengths=[5, 2, 4])
    yield form("LSTM", peepholes=True, bias=False, clip=0.5)
    yield form("LSTM", input_forget=1, peepholes=True)


@pytest.mark.parametrize("operator, options", list(forms()))
def test_form(operator, options):
    proto, x = model(operator, **options)
    for ours, theirs in zip(prepare(proto).run([x]), by_onnxruntime(proto, x), strict=True):
        np.testing.assert_allclose(ours, theirs, **CLOSE)


@pytest.mark.parametrize("operator", GATES)
def test_batch_first(operator):
    """ONNX Runtime refuses layout = 1: the same node on transposed operands."""
    options = {"direction": "bidirectional", "states": True, "lengths": [4, 5, 2]}
    proto, x = model(operator, layout=1, **options)
    other, steps_first = model(operator, **options)
    np.testing.assert_array_equal(x.swapaxes(0, 1), steps_first)
    y, *last = prepare(proto).run([x])
    theirs, *their_last = by_onnxruntime(other, steps_first)
    np.testing.assert_allclose(y, theirs.transpose(2, 0, 1, 3), **CLOSE)
    for state, their_state in zip(last, their_last, strict=True):
        np.testing.assert_allclose(state, their_state.swapaxes(0, 1), **CLOSE)


@pytest.mark.parametrize("operator", GATES)
@pytest.mark.parametrize(
    "options", [{"direction": "bidirectional", "states": True}, {"lengths": [4, 5, 2]}]
)
def test_half(operator, options):
    """ONNX Runtime computes in f32, and rounds the results."""
    proto, x = model(operator, dtype=np.float16, **options)
    for ours, theirs in zip(prepare(proto).run([x]), by_onnxruntime(proto, x), strict=True):
        assert ours.dtype == np.float16
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=0)


@pytest.mark.parametrize("operator", GATES)
def test_double(operator):
    """ONNX Runtime has no kernel."""
    proto, x = model(operator, dtype=np.float64, states=True)
    expected = ReferenceEvaluator(proto).run(None, {"x": x})
    for ours, theirs in zip(prepare(proto).run([x]), expected, strict=True):
        assert ours.dtype == np.float64
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def dynamic(path, proto, weight="QInt8", per_channel=False) -> onnx.ModelProto:
    """Weights of 7 bits: without VNNI, ONNX Runtime saturates sums of two products at 16 bits."""
    real = path / "real.onnx"
    onnx.save(proto, real)
    quantize_dynamic(real, path / "net.onnx", weight_type=QuantType[weight], per_channel=per_channel, reduce_range=True)  # fmt: skip
    quantized = onnx.load(path / "net.onnx")
    assert [node.op_type for node in quantized.graph.node] == ["DynamicQuantizeLSTM"]
    return quantized


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"states": True, "activations": EXACT},
        {"states": True, "direction": "bidirectional", "peepholes": True, "activations": EXACT * 2},
        {"direction": "reverse", "lengths": [2, 4, 1], "activations": EXACT},
        {"direction": "bidirectional", "lengths": [4, 0, 3], "states": True, "clip": 0.7, "activations": EXACT * 2},
        {"batch": 1, "bias": False, "input_forget": 1, "activations": EXACT},
    ],
    ids=["forward", "bidirectional", "reverse", "lengths", "coupled"],
)  # fmt: skip
def test_dynamic_quantize_lstm(options, per_channel, tmp_path):
    proto, x = model("LSTM", **options)
    quantized = dynamic(tmp_path, proto, per_channel=per_channel)
    ours = runtime.compile(import_model(quantized), profile="ort").net(x)
    for got, theirs in zip(ours, by_onnxruntime(quantized, x), strict=True):
        np.testing.assert_array_equal(got, theirs)


@pytest.mark.parametrize("weight", ["QInt8", "QUInt8"])
def test_dynamic_quantize_lstm_with_sigmoid(weight, tmp_path):
    """Functions differ in the last bits, and here no code of a hidden state does."""
    proto, x = model("LSTM", states=True)
    quantized = dynamic(tmp_path, proto, weight)
    # The quantizer keeps i8: the same codes as u8, with another zero point.
    for tensor in quantized.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if weight == "QUInt8" and array.dtype == np.int8:
            shifted = (array.astype(np.int16) + 128).astype(np.uint8)
            tensor.CopyFrom(numpy_helper.from_array(shifted, tensor.name))
    ours = runtime.compile(import_model(quantized), profile="ort").net(x)
    for got, theirs in zip(ours, by_onnxruntime(quantized, x), strict=True):
        np.testing.assert_allclose(got, theirs, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "operator, options, words",
    [
        ("LSTM", {"activations": ["Sigmoid", "Tanh", "Gelu"]}, "has the unknown activation Gelu"),
        ("GRU", {"activations": ["Sigmoid"]}, "expected 2 names"),
        (
            "RNN",
            {"activations": ["ThresholdedRelu"]},
            "activation_alpha has no value for the activation ThresholdedRelu, which has no default",
        ),
        ("LSTM", {"clip": -1.0}, "has clip = -1.0.*: expected more than 0"),
        ("GRU", {"direction": "backward"}, "has direction = backward"),
    ],
)
def test_refused(operator, options, words):
    with pytest.raises(UnsupportedModelError, match=words):
        prepare(model(operator, **options)[0])


def test_types_behind_dynamic_quantize_lstm(tmp_path):
    """Its results have the shapes of LSTM's, which the nodes behind it need."""
    proto, x = model("LSTM", activations=EXACT)
    quantized = dynamic(tmp_path, proto)
    for output in quantized.graph.output:
        output.type.tensor_type.ClearField("shape")
    quantized.graph.node.append(helper.make_node("Squeeze", ["Y", "axes"], ["y"]))
    quantized.graph.initializer.append(numpy_helper.from_array(np.array([1]), "axes"))
    del quantized.graph.output[:]
    quantized.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, None))
    got = runtime.compile(import_model(quantized), profile="ort").net(x)
    np.testing.assert_array_equal(got, by_onnxruntime(quantized, x)[0])
