# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reader of .tflite files: whole models of a package, and damaged files."""

import re
from pathlib import Path

import numpy as np
import pymicro_wakeword
import pytest
from ai_edge_litert.interpreter import Interpreter
from mlir import ir
from test_sources_tflite import network
from tflite_models import RESOLVERS, Model, Quantized, codes

from mlir_qdq import runtime
from mlir_qdq.importers import tflite

WAKE_WORDS = Path(pymicro_wakeword.__file__).parent / "models"
STEPS = 60


def import_bytes(content: bytes, path):
    path.write_bytes(content)
    return tflite.import_model(path)


# --- streaming models ------------------------------------------------------------


def states_of(interpreter: Interpreter, names: list[str]) -> dict[str, np.ndarray]:
    """What the operators ASSIGN_VARIABLE have just put into the variables."""
    details = interpreter._get_ops_details()
    handles = {}
    for op in details:
        if op["op_name"] == "VAR_HANDLE":
            handles[op["outputs"][0]] = len(handles)
    return {
        names[handles[op["inputs"][0]]]: interpreter.get_tensor(op["inputs"][1])
        for op in details
        if op["op_name"] == "ASSIGN_VARIABLE"
    }


@pytest.mark.proves(
    "TFLite", "streaming models of pymicro-wakeword, whole", granularity="axis", storage="i8",
    against="LiteRT: reference kernels (profile tflite), default delegate (profile xnnpack)",
)  # fmt: skip
@pytest.mark.every_value
@pytest.mark.parametrize("profile", list(RESOLVERS))
@pytest.mark.parametrize("name", ["alexa", "hey_jarvis", "hey_mycroft", "okay_nabu"])
def test_wake_words(name, profile):
    """Real models of 8 bits: every output, and with the reference kernels every state, of a stream of random features."""
    path = WAKE_WORDS / f"{name}.tflite"
    module = tflite.import_model(path)
    main = next(op for op in module.body.operations if op.name.value == "main")
    variables = [
        ir.StringAttr(attributes["tfl.variable"]).value
        for attributes in map(ir.DictAttr, ir.ArrayAttr(main.attributes["res_attrs"]))
        if "tfl.variable" in attributes
    ]
    first = ir.FlatSymbolRefAttr(main.attributes["tfl.call_once"]).value
    compiled = runtime.compile(module, profile=profile)

    reference = profile == "tflite"
    interpreter = Interpreter(
        str(path),
        experimental_op_resolver_type=RESOLVERS[profile],
        experimental_preserve_all_tensors=reference,
    )
    interpreter.allocate_tensors()
    (into,), (out,) = interpreter.get_input_details(), interpreter.get_output_details()
    random = np.random.default_rng(0)
    states = list(getattr(compiled, first)())
    seen = set()
    for _ in range(STEPS):
        # Loud and soft features, as speech has them.
        x = np.clip(random.normal(-60, 60) + random.normal(0, 50, into["shape"]), -128, 127)
        x = x.astype(np.int8)
        interpreter.set_tensor(into["index"], x)
        interpreter.invoke()
        y, *states = compiled.main(x, *states)
        np.testing.assert_array_equal(y, interpreter.get_tensor(out["index"]))
        if reference:
            theirs = states_of(interpreter, variables)
            for variable, ours in zip(variables, states, strict=True):
                np.testing.assert_array_equal(ours, theirs[variable], err_msg=variable)
                seen |= set(np.unique(ours).tolist())
    assert not reference or len(seen) > 200


# --- the module ------------------------------------------------------------------


def test_module(tmp_path):
    text = str(import_bytes(network(signature=(-1, 12, 12, 3)), tmp_path / "m.tflite"))
    assert "func.func @main(%arg0: tensor<?x12x12x3x!quant.uniform<i8:f32, " in text
    assert 'tfl.name = "tensor_0"' in text
    assert "!quant.uniform<i8:f32:3, {" in text and "dense_resource" not in text
    assert 'padding = "SAME"' in text and "stride_h = 2 : i32" in text


def test_large_constant_is_a_view(tmp_path):
    model = Model()
    q = Quantized()
    weights = codes((64, 64))
    result = model.tensor((1, 64), q)
    operands = [model.input((1, 64), q), model.constant(weights, q)]
    model.op("FULLY_CONNECTED", operands, result, options="FullyConnectedOptions", version=4)
    text = str(import_bytes(model.content(result), tmp_path / "m.tflite"))
    assert "dense_resource" in text
    assert weights.tobytes().hex().upper() in text.upper()


def test_operator_code_without_deprecated_one(tmp_path):
    """As some tools write it."""
    model = Model()
    result = model.tensor((4,), Quantized())
    model.op("QUANTIZE", [model.input((4,), "float32")], result)
    model.codes[0].deprecatedBuiltinCode = 0
    assert '"tfl.quantize"' in str(import_bytes(model.content(result), tmp_path / "m.tflite"))


def test_operand_left_out_and_custom_operator(tmp_path):
    model = Model()
    q = Quantized()
    result = model.tensor((1, 4), q)
    operands = [model.input((1, 4), q), model.constant(codes((4, 4)), q), -1]
    model.op("FULLY_CONNECTED", operands, result, options="FullyConnectedOptions", version=4)
    last = model.tensor((1, 4), q)
    model.op("CUSTOM", [result], last)
    model.codes[-1].customCode = "Mine"
    path = tmp_path / "m.tflite"
    text = str(import_bytes(model.content(last), path))
    assert "tfl.no_value" in text and '"tfl.custom"' in text and 'custom_code = "Mine"' in text
    with pytest.raises(ir.MLIRError, match="'tfl.custom' op has quantized operands or results"):
        runtime.compile(tflite.import_model(path))


# --- damage ----------------------------------------------------------------------


def broken(tmp_path, content: bytes) -> str:
    with pytest.raises(tflite.TFLiteImportError) as error:
        import_bytes(content, tmp_path / "broken.tflite")
    return str(error.value)


def test_no_file(tmp_path):
    assert "less than 8 bytes" in broken(tmp_path, b"TFL3")
    assert "expected b'TFL3'" in broken(tmp_path, b"\x1c\0\0\0ONNX" + b"\0" * 64)
    with pytest.raises(OSError):
        tflite.import_model(tmp_path / "absent.tflite")


@pytest.mark.parametrize("change, reason", [
    (lambda m: setattr(m.graph.tensors[3], "shape", [8, 3, 3, 4]), r"tensor 3 'tensor_3': has \d+ bytes in buffer \d+: expected 288"),
    (lambda m: setattr(m.graph.tensors[3].quantization, "scale", [-1.0] * 8), "tensor 3 'tensor_3': has the scale -1.0"),
    (lambda m: setattr(m.graph.tensors[3].quantization, "zeroPoint", [300] * 8), "has the zero point 300, outside of -128 to 127"),
    (lambda m: setattr(m.graph.tensors[3].quantization, "quantizedDimension", 9), "8 scales along dimension 9"),
    (lambda m: setattr(m.graph.tensors[3], "buffer", 99), "tensor 3 'tensor_3': buffer 99 is none"),
    (lambda m: setattr(m.graph.tensors[0], "type", 5), "has elements of type STRING, which is not supported"),
    (lambda m: m.graph.operators[0].inputs.__setitem__(0, 77), "operator 0 CONV_2D: input 77 is no tensor"),
    (lambda m: setattr(m.graph.operators[0], "opcodeIndex", 9), "operator 0: operator code 9 is not there"),
    (lambda m: m.graph.operators.reverse(), "is read before any operator gives it a value"),
])  # fmt: skip
def test_unsound(change, reason, tmp_path, monkeypatch):
    models = []
    original = Model.__init__

    def remember(self):
        original(self)
        models.append(self)

    monkeypatch.setattr(Model, "__init__", remember)
    network()
    (model,) = models
    change(model)
    message = broken(tmp_path, model.content(*model.graph.outputs))
    assert re.search(reason, message), message
    assert "broken.tflite" in message


def test_cut_and_flipped_bytes(tmp_path):
    """Whatever is wrong with the bytes, the module is sound or the error is ours."""
    content = network()
    random = np.random.default_rng(0)
    path = tmp_path / "m.tflite"
    refused = 0
    for trial in range(150):
        damaged = bytearray(content)
        if trial % 3 == 0:
            damaged = damaged[: random.integers(8, len(damaged))]
        for _ in range(int(random.integers(1, 6))):
            damaged[random.integers(8, len(damaged))] = random.integers(256)
        try:
            import_bytes(bytes(damaged), path)
        except tflite.TFLiteImportError:
            refused += 1
    assert refused > 30
