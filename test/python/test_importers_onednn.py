# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs as oneDNN dumps them become IR, and what is no such graph is refused with the op's name and id."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from mlir.ir import Context, Module

from mlir_qdq import runtime
from mlir_qdq.importers import onednn

DATA = Path(__file__).parent / "data" / "onednn"
UNKNOWN = -(2**63)


def tensor(number, dtype, shape, others={}):
    strides = list(np.cumprod([1, *shape[::-1]])[::-1][1:].tolist()) if shape else []
    known = {"id": number, "dtype": dtype, "shape": list(shape), "stride": strides}
    return known | {"layout_type": "strided", "property_type": "undef"} | others


def op(number, kind, inputs, outputs, name="", **attributes):
    attrs = {key: {"type": kind, "value": value} for key, (kind, value) in attributes.items()}
    return {
        "id": number,
        "name": name,
        "kind": kind,
        "attrs": attrs,
        "inputs": inputs,
        "outputs": outputs,
    }


SCALE = ("f32[]", [0.5])


def graph(*ops, **others):
    return {
        "version": "3.13.2",
        "engine_kind": "cpu",
        "fpmath_mode": "strict",
        "graph": list(ops),
    } | others


def pair():
    """Quantize, then dequantize."""
    x, q, y = tensor(0, "f32", (4, 8)), tensor(1, "s8", (4, 8)), tensor(2, "f32", (4, 8))
    return graph(
        op(
            7,
            "Quantize",
            [x],
            [q],
            "q",
            scales=SCALE,
            zps=("s64[]", [3]),
            qtype=("string", "per_tensor"),
        ),
        op(8, "Dequantize", [q], [y], "dq", scales=SCALE),
    )


def test_dumped_layer():
    """Strides and constant weights as attributes of arguments; shapes that oneDNN left open; ops that stay."""
    text = str(onednn.import_graph(DATA / "matmul.json"))
    assert 'onednn_graph.version = "3.13.2"' in text
    signature = re.search(r"func.func @main_graph\((.*)\) -> \((.*)\) \{", text)
    assert signature[1] == (
        "%arg0: tensor<2x3x4xui8> {onednn_graph.id = 0 : i64, onednn_graph.stride = array<i64: 12, 1, 3>}, "
        '%arg1: tensor<2x4x5xi8> {onednn_graph.id = 1 : i64, onednn_graph.property = "constant"}, '
        '%arg2: tensor<5xf32> {onednn_graph.id = 4 : i64, onednn_graph.property = "constant"}, '
        "%arg3: tensor<5xf32> {onednn_graph.id = 5 : i64}"
    )
    assert signature[2] == "tensor<*xi8> {onednn_graph.id = 8 : i64}"
    lines = re.findall(r'"(onednn_graph\.\w+)"\([^)]*\)(.*) : (\(.*)', text)
    assert [line[0] for line in lines] == [
        f"onednn_graph.{name}"
        for name in ("dequantize", "dynamic_dequantize", "matmul", "relu", "quantize")
    ]
    assert "axis = 2 : i64" in lines[1][1] and 'qtype = "per_channel"' in lines[1][1]
    assert (
        "scales = array<f32: 1.000000e-01>" in lines[0][1]
        and "zps = array<i64: 128>" in lines[0][1]
    )
    assert "transpose_b = false" in lines[2][1]
    assert lines[2][2] == "(tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<5xf32>) -> tensor<*xf32>"


@pytest.mark.parametrize(
    "name", ["quantize", "dequantize", "dynamic_quantize", "dynamic_dequantize"]
)
def test_dumped_operations(name):
    """All of them, in order; the text is read back."""
    ops = json.loads((DATA / f"{name}.json").read_text())["graph"]
    with Context() as context:
        module = onednn.import_graph(str(DATA / f"{name}.json"))
        assert module.context is context
        text = str(module)
        assert text.count(f'"onednn_graph.{name}"') == len(ops) and str(Module.parse(text)) == text


def test_sources():
    """A path, text, bytes and an object are the same graph."""
    path = DATA / "matmul.json"
    expected = str(onednn.import_graph(path))
    text = path.read_text()
    for source in (str(path), text, text.encode(), "\n" + text, json.loads(text)):
        assert str(onednn.import_graph(source)) == expected


def test_runs():
    compiled = runtime.compile(onednn.import_graph(pair()))
    x = np.linspace(-70, 70, 32, dtype=np.float32).reshape(4, 8)
    codes = np.clip(np.rint(x * np.float32(2) + 3), -128, 127)
    np.testing.assert_array_equal(compiled.main_graph(x), (codes * 0.5).astype(np.float32))


def test_order_and_ports():
    """Ops in any order; the ports give the order of arguments and results, and say what else is a result."""
    data = pair()
    data["graph"].reverse()
    data |= {"input_ports": [0, 0], "output_ports": [2, 1]}
    text = str(onednn.import_graph(data))
    assert (
        "-> (tensor<4x8xf32> {onednn_graph.id = 2 : i64}, tensor<4x8xi8> {onednn_graph.id = 1 : i64})"
        in text
    )
    assert text.index("onednn_graph.quantize") < text.index("onednn_graph.dequantize")


def test_end_marks_a_result():
    data = pair()
    data["graph"].append(op(9, "End", [tensor(1, "s8", (4, 8))], []))
    text = str(onednn.import_graph(data))
    assert "onednn_graph.end" not in text
    assert (
        "-> (tensor<4x8xi8> {onednn_graph.id = 1 : i64}, tensor<4x8xf32> {onednn_graph.id = 2 : i64})"
        in text
    )


def test_unknown_sizes():
    """One negative number is an unknown shape, one among others an unknown size; a quantization has the shape of its source."""
    x = tensor(0, "f32", (4, 8), {"shape": [UNKNOWN, 8], "stride": [UNKNOWN]})
    open_shape = {"shape": [UNKNOWN], "stride": [UNKNOWN]}
    data = graph(
        op(1, "ReLU", [tensor(9, "f32", (), open_shape)], [x]),
        op(2, "Quantize", [x], [tensor(1, "u8", (), open_shape)], scales=SCALE),
    )
    text = str(onednn.import_graph(data))
    assert (
        "(tensor<*xf32>) -> tensor<?x8xf32>" in text
        and "(tensor<?x8xf32>) -> tensor<?x8xui8>" in text
    )


@pytest.mark.parametrize(
    "kind, name",
    [
        ("MatMul", "matmul"), ("PReLUBackward", "prelu_backward"), ("LogSoftmax", "log_softmax"), ("TypeCast", "type_cast"),
        ("RMSNorm", "rms_norm"), ("ReduceL1", "reduce_l1"), ("SoftMaxBackward", "softmax_backward"), ("GELU", "gelu"),
        ("LeakyReLU", "leaky_relu"), ("BatchNormForwardTraining", "batch_norm_forward_training"),
    ],
)  # fmt: skip
def test_names(kind, name):
    """As the C interface spells them."""
    x, y = tensor(0, "f32", (2,)), tensor(1, "f32", (2,))
    assert f'"onednn_graph.{name}"' in str(onednn.import_graph(graph(op(1, kind, [x], [y]))))


def changed(path, value):
    """The pair with one entry replaced, or removed where the value is `...`."""
    data = json.loads(json.dumps(pair()))
    *steps, last = path
    at = data
    for step in steps:
        at = at[step]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return data


FIRST, SECOND = "op 'q' (Quantize, id 7): ", "op 'dq' (Dequantize, id 8): "
INPUT, OUTPUT = ["graph", 0, "inputs", 0], ["graph", 0, "outputs", 0]
SCALES = ["graph", 0, "attrs", "scales"]
REFUSED = [
    ("{", "not readable as JSON: Expecting property name"),
    ("", "not readable as JSON: Expecting value"),
    ("[1]", "expected an object with a 'graph', not [1]"),
    ("[" * 99999, "not readable as JSON: "),
    (b"{\xff}", "not readable as JSON: "),
    ({}, "'graph' is missing"),
    (changed(["graph"], {}), "'graph' is {}: expected a list of ops"),
    (changed(["graph", 0], 5), "op #0: expected an object, not 5"),
    (changed(["graph", 0, "id"], ...), "op #0: 'id' is missing"),
    (changed(["graph", 0, "id"], True), "op #0: 'id' is true: expected an integer"),
    (changed(["graph", 0, "kind"], ...), "op #0: 'kind' is missing"),
    (changed(["graph", 0, "kind"], "a b"), "op 'q' (a b, id 7): 'kind' is \"a b\": expected a name such as MatMul"),
    (changed(["graph", 0, "name"], 1), "op #0: 'name' is 1: expected a string"),
    (changed(["graph", 1, "id"], 7), "op 'dq' (Dequantize, id 7): its id is also that of 'q' (Quantize, id 7)"),
    (changed(["graph", 0, "inputs"], ...), FIRST + "'inputs' is missing"),
    (changed(["graph", 0, "attrs"], []), FIRST + "'attrs' is []: expected an object"),
    (changed([*SCALES, "type"], ...), FIRST + "attribute 'scales': 'type' is missing"),
    (changed([*SCALES, "value"], ...), FIRST + "attribute 'scales': 'value' is missing"),
    (changed([*SCALES, "type"], "s32"), FIRST + "attribute 'scales': type 's32' is not known: expected s64, f32, bool, string"),
    (changed([*SCALES, "value"], 0.5), FIRST + "attribute 'scales': value 0.5 is not of type f32[]"),
    (changed([*SCALES, "value"], ["0.5"]), FIRST + "attribute 'scales': value [\"0.5\"] is not of type f32[]"),
    (changed(["graph", 0, "attrs", "zps", "value"], [2**63]), FIRST + "attribute 'zps': value [9223372036854775808] is not of type s64[]"),
    (changed(SCALES, [0.5]), FIRST + "attribute 'scales': expected an object with 'type' and 'value', not [0.5]"),
    (changed(INPUT, 0), FIRST + "inputs[0]: expected an object, not 0"),
    (changed([*INPUT, "id"], ...), FIRST + "inputs[0]: 'id' is missing"),
    (changed([*INPUT, "dtype"], ...), FIRST + "inputs[0]: tensor 0: 'dtype' is missing"),
    (changed([*INPUT, "dtype"], "undef"), FIRST + "inputs[0]: tensor 0: dtype 'undef' is not known: expected f64, f32"),
    (changed([*INPUT, "shape"], ...), FIRST + "inputs[0]: tensor 0: 'shape' is missing"),
    (changed([*INPUT, "shape"], [4, 8.0]), FIRST + "inputs[0]: tensor 0: 'shape' is [4, 8.0]: expected a list of integers"),
    (changed([*INPUT, "stride"], [1]), FIRST + "inputs[0]: tensor 0: has 1 strides for 2 dimensions"),
    (changed([*INPUT, "layout_type"], "blocked"), FIRST + 'inputs[0]: tensor 0: layout_type "blocked" is not known: expected undef, any, strided, opaque'),
    (changed([*INPUT, "layout_type"], "opaque"), "tensor 0 is an argument or a result with an opaque layout, whose bytes only oneDNN can read"),
    (changed([*OUTPUT, "dtype"], "u8"), SECOND + "tensor 1 is s8 [4, 8] here and u8 [4, 8] elsewhere"),
    (changed([*OUTPUT, "shape"], [8, 4]), SECOND + "tensor 1 is s8 [4, 8] here and s8 [8, 4] elsewhere"),
    (changed(["graph", 1, "outputs", 0], tensor(1, "s8", (4, 8))), SECOND + "tensor 1 is also made by 'q' (Quantize, id 7)"),
    (changed(["input_ports"], 0), "'input_ports' is 0: expected a list of integers"),
    (changed(["input_ports"], [0, 5]), "'input_ports' lists tensor 5, which no op has"),
    (changed(["input_ports"], [0, 1]), "'input_ports' lists tensor 1, which 'q' (Quantize, id 7) makes"),
    (changed(["input_ports"], []), "tensor 0 is made by no op and is not in 'input_ports'"),
    (changed(["output_ports"], [9]), "'output_ports' lists tensor 9, which no op has"),
    (
        changed([*INPUT], tensor(2, "f32", (4, 8))),
        "ops read each other's results in a circle: 'q' (Quantize, id 7), 'dq' (Dequantize, id 8)",
    ),
]  # fmt: skip


@pytest.mark.parametrize("source, message", REFUSED, ids=[f"{i}" for i in range(len(REFUSED))])
def test_refused(source, message):
    with pytest.raises(onednn.OneDNNImportError) as error:
        onednn.import_graph(source)
    assert f"<graph>: {message}" in str(error.value)
    assert error.value.file == "<graph>" and error.value.reason


def test_wrong_argument(tmp_path):
    with pytest.raises(TypeError, match="expected a path, JSON text or a dict, not int"):
        onednn.import_graph(5)
    with pytest.raises(FileNotFoundError):
        onednn.import_graph(tmp_path / "none.json")


def test_conversion_error_names_the_op():
    """What the conversion refuses is located at the op's name."""
    data = changed(["graph", 0, "attrs", "qtype", "value"], "per_group")
    with pytest.raises(Exception, match=r"qtype 'per_group' is not allowed") as error:
        runtime.compile(onednn.import_graph(data))
    assert "'q'" in str(error.value) or '"q"' in str(error.value)
