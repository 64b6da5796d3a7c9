# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-run: arguments from files, results to files, errors."""

import importlib.util
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from mlir_qdq.command import quant_import, quant_run
from onnx import TensorProto, helper

MODULE = """
func.func @quantize(%x: tensor<?xbf16>, %s: f32) -> (tensor<?xi8>, tensor<?xf8E4M3FN>) {
  %q = qdq.quantize %x scale %s : (tensor<?xbf16>, f32) -> tensor<?xi8>
  %r = qdq.quantize %x scale %s : (tensor<?xbf16>, f32) -> tensor<?xf8E4M3FN>
  return %q, %r : tensor<?xi8>, tensor<?xf8E4M3FN>
}
"""
SECOND = "func.func @none(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
X = np.array([1.0, -2.75, 300.0], ml_dtypes.bfloat16)  # quotients 2, -5.5, 600


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.mlir").write_text(MODULE)
    (tmp_path / "two.mlir").write_text(MODULE + SECOND)
    (tmp_path / "syntax.mlir").write_text("func.func @f( {")
    (tmp_path / "empty.npy").touch()
    np.save("x.npy", X)
    np.savez("all.npz", x=np.array([0.5, 1.5], np.float32), s=np.float32(0.25))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])
    y = helper.make_tensor_value_info("y", TensorProto.INT8, ["n"])
    s = helper.make_tensor_value_info("s", TensorProto.FLOAT, [])
    node = helper.make_node("QuantizeLinear", ["x", "s"], ["y"], output_dtype=TensorProto.INT8)
    graph = helper.make_graph([node], "net", [x, s], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), "net.onnx")  # fmt: skip
    return tmp_path


def run(line: str) -> int:
    return quant_run.main(line.split())


@pytest.mark.parametrize("rounding, middle", [("nearest-even", -6), ("toward-zero", -5)])
def test_results_go_to_a_file(files, rounding, middle):
    assert run(f"one.mlir x.npy 0.5 --rounding {rounding} -o y.npz") == 0
    with np.load("y.npz") as results:
        np.testing.assert_array_equal(results["arr_0"], np.array([2, middle, 127], np.int8))
        floats = results["arr_1"].view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    np.testing.assert_array_equal(floats, [2, -5.5, 448])


def test_results_as_text(files, capsys):
    assert run("two.mlir --function quantize x.npy 0.5 --time 3") == 0
    said = capsys.readouterr()
    assert "result 0: 3xint8\n[  2,  -6, 127]" in said.out
    assert "3 calls: median" in said.err


def test_onnx_and_npz(files):
    assert run("net.onnx all.npz -o y.npy --profile=ort") == 0
    np.testing.assert_array_equal(np.load("y.npy"), np.array([2, 6], np.int8))


def test_list(files, capsys):
    assert run("two.mlir --list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("(")[0] for line in lines] == ["quantize", "none"]


@pytest.mark.parametrize(
    "line, message",
    [
        ("missing.mlir", "missing.mlir: No such file or directory"),
        ("one.mlir", "0 inputs for quantize(bfloat16 array of shape (?,), float32 scalar)"),
        ("syntax.mlir x.npy", "error: syntax.mlir:1:14: expected non-function type"),
        ("one.mlir empty.npy 1", "empty.npy: No data left in file"),
        ("one.mlir x.npy half", "'half' is no .npy or .npz file, and no number"),
        ("one.mlir nothing.npy 1", "nothing.npy: No such file or directory"),
        ("two.mlir x.npy 0.5", "which function? --function is one of quantize, none"),
        ("two.mlir --function q x.npy 0.5", "no function 'q': --function is one of"),
        ("one.mlir x.npy 0.5 --ronding floor", "did you mean '--rounding'?"),
        ("one.mlir x.npy 0.5 --rounding flor", "did you mean 'floor'?"),
        ("one.mlir x.npy 0.5 --rounding", "--rounding needs a value"),
        ("one.mlir x.npy 0.5 -o y.npy", "y.npy: 2 results need the suffix .npz"),
        ("one.mlir x.npy 0.5 -o y.txt", "y.txt: expected the suffix .npy or .npz"),
        ("one.mlir x.npy 0.5 --time 0", "--time: '0': expected a whole number, 1 or more"),
        ("one.mlir all.npz", "argument 0"),
    ],
)
def test_errors(files, line, message, capfd):
    assert run(line) == 1
    said = capfd.readouterr()
    assert "quant-run: error: " in said.err and message in said.err
    assert not said.out and not list(files.glob("y.*"))


def test_tflite(files, capsys):
    """A model of a wheel, imported and run; its values are test_importers_tflite's."""
    folder = Path(importlib.util.find_spec("pymicro_wakeword").origin).parent / "models"
    model = str(folder / "hey_jarvis.tflite")
    assert quant_import.main([model, "-o", "model.mlir"]) == 0
    for file in (model, "model.mlir"):
        assert quant_run.main([file, "--list"]) == 0
        assert capsys.readouterr().out.startswith("main(int8 array of shape (1, 3, 40), ")
    Path("short.tflite").write_bytes(Path(model).read_bytes()[:5000])
    assert quant_import.main(["short.tflite", "-o", "short.mlir"]) == 1
    assert "short.tflite: header: the file is damaged" in capsys.readouterr().err
    assert not Path("short.mlir").exists()
