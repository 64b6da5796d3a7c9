# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-report: its numbers by hand, its page, its errors."""

import html.parser

import numpy as np
import onnx
import pytest
from mlir_qdq.command import quant_report
from onnx import TensorProto, helper, numpy_helper

#: Quotients of the quantize: three ties, and one that floor alone changes.
QUOTIENTS = np.array([0.5, 1.5, 2.5, -0.75, 3.0, 300.0], np.float32)
SCALE = np.float32(0.25)


@pytest.fixture
def model(tmp_path):
    """A quantize of `x`, whose dequantize has a weight's beside it."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "first"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], "second"),
        helper.make_node("DequantizeLinear", ["w", "s"], ["v"], "weight"),
    ]
    values = {"s": SCALE, "z": np.uint8(7), "w": np.arange(6, dtype=np.int8)}
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [6])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [6]) for name in "yv"],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()],
    )
    path = tmp_path / "net.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)  # fmt: skip
    np.savez(tmp_path / "inputs.npz", x=QUOTIENTS * SCALE)
    return path


class Page(html.parser.HTMLParser):
    """The rows of its tables, and what it would fetch."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.fetched, self._cell = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = ""
        self.fetched += [v for k, v in attributes if k in ("src", "href") and not v.startswith("data:")]  # fmt: skip

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self._cell)
            self._cell = None


def report(model, *arguments):
    output = model.with_name("report.html")
    pictures = model.with_name("pictures")
    inputs = ("--inputs", str(model.with_name("inputs.npz")))
    assert quant_report.main([str(model), *inputs, "-o", str(output), "--png", str(pictures), *arguments]) == 0  # fmt: skip
    return Page(output.read_text()), pictures


def test_numbers(model, capsys):
    policies = ["rounding=nearest-away", "rounding=floor", "profile=ort"]
    page, pictures = report(model, *(word for p in policies for word in ("--policy", p)))
    away = np.trunc(QUOTIENTS + np.copysign(0.5, QUOTIENTS))
    expected = {
        "rounding=nearest-away": np.sum(away[:5] != np.rint(QUOTIENTS)[:5]),
        "rounding=floor": np.sum(np.floor(QUOTIENTS)[:5] != np.rint(QUOTIENTS)[:5]),
        "profile=ort": 0,
    }
    summary = {}
    for row in page.rows:  # its table comes first
        if len(row) == 6:
            summary.setdefault(row[0], row)
    # The fewest changes first, then the smallest; the command says who is nearest.
    order = sorted(expected, key=lambda policy: expected[policy])
    assert [row[0] for row in page.rows if len(row) == 6][1:4] == order
    assert capsys.readouterr().out == "nearest to ONNX Runtime: profile=ort: all 18 elements are equal\n"  # fmt: skip
    assert 'class="note"' not in model.with_name("report.html").read_text()
    for policy, changed in expected.items():
        share = f"{changed / 18:.2%}" if changed else "0"  # of three nodes
        assert summary[policy][1] == share, policy
        assert summary[policy][2] == str(int(changed > 0))
        assert summary[policy][5] == ("first" if changed else "none")
    # 1.5 is a tie that both round up; floor gives 1.
    blame = [row for row in page.rows if len(row) == 7 and row[0] == "rounding=floor"]
    assert blame == [["rounding=floor", "first (QuantizeLinear)", "[1]", "0.375", "8.5", "9", "8"]]
    assert not page.fetched
    assert {p.name for p in pictures.iterdir()} == {"overview.png", "node-0.png"}
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in pictures.iterdir())


def test_random_inputs_are_named(model, tmp_path):
    output = tmp_path / "random.html"
    assert quant_report.main([str(model), "-o", str(output), "--policy", "rounding=floor"]) == 0
    assert '<p class="note">The inputs of the model are random' in output.read_text()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["missing.onnx"], "missing.onnx: No such file or directory"),
        (["{broken}"], "broken.onnx: is no valid ONNX model"),
        (["{model}", "--policy", "floor"], "did you mean 'rounding=floor'?"),
        (["{model}", "--policy", "rounding=flor"], "rounding=flor"),
        (["{model}", "--inputs", "{wrong}"], "has no array x, only y"),
        (["{model}", "--inputs", "{double}"], "x is float64; the model wants float32"),
        (["{model}", "--inputs", "{short}"], "x has the shape [2]; the model wants [6]"),
        (["{fails}"], "ONNX Runtime does not run it"),
        (["{plain}"], "has no QuantizeLinear and no DequantizeLinear node"),
    ],
)
def test_errors(model, tmp_path, arguments, message, capfd):
    files = {"model": model}
    files |= {name: tmp_path / f"{name}.onnx" for name in ("broken", "plain", "fails")}
    files["broken"].write_bytes(model.read_bytes()[:100])
    fails = onnx.load(model)  # 6 elements are not 7
    fails.graph.initializer.append(onnx.numpy_helper.from_array(np.int64([7]), "seven"))
    fails.graph.node.append(helper.make_node("Reshape", ["x", "seven"], ["r"]))
    fails.graph.output.append(helper.make_tensor_value_info("r", TensorProto.FLOAT, [7]))
    onnx.save(fails, files["fails"])
    plain = onnx.load(model)
    del plain.graph.node[:], plain.graph.output[:]
    plain.graph.node.append(helper.make_node("Relu", ["x"], ["r"]))
    plain.graph.output.append(helper.make_tensor_value_info("r", TensorProto.FLOAT, [6]))
    onnx.save(plain, files["plain"])
    for name, arrays in {
        "wrong": {"y": QUOTIENTS},
        "double": {"x": QUOTIENTS.astype(np.float64)},
        "short": {"x": QUOTIENTS[:2]},
    }.items():
        files[name] = tmp_path / f"{name}.npz"
        np.savez(files[name], **arrays)
    output = tmp_path / "none.html"
    given = [word.format(**files) for word in arguments]
    assert quant_report.main([*given, "-o", str(output)]) == 1
    said = capfd.readouterr().err
    assert "quant-report: error: " in said and message in said
    assert not output.exists()
