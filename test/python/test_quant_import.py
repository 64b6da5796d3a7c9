# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-import as a user runs it: files in, files out, and what it says where it cannot."""

from __future__ import annotations

import os
import pty
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import onnx
import pytest
from build_tree import BUILD
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file
from test_commands import run as call

from mlir_qdq import runtime

COMMAND = BUILD / "bin" / "quant-import"
QUANT_OPT = BUILD / "bin" / "quant-opt"
ONEDNN = Path(__file__).parent / "data" / "onednn" / "matmul.json"


def run(*arguments, cwd=None, status=0, **options) -> subprocess.CompletedProcess:
    done = subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, **options)  # fmt: skip
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def run_here(*arguments, status=0) -> tuple[str, str]:
    """In this process: standard output, and standard error."""
    code, out, err = call("quant-import", [*map(str, arguments)])
    assert code == status, err
    return out.decode(), err


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(0)
    weight = random.integers(-128, 127, (64, 64)).astype(np.int8)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"]),
        helper.make_node("QuantizeLinear", ["d", "s"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "graph", [], [helper.make_tensor_value_info("y", TensorProto.UINT8, [64, 64])],
        [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(np.float32(0.1), "s")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, folder / "m.onnx")
    onnx.save(model, folder / "external.onnx", save_as_external_data=True, location="data.bin", size_threshold=16)  # fmt: skip
    values = random.normal(size=(4, 64)).astype(np.float32)
    writer = gguf.GGUFWriter(folder / "w.gguf", "llama")
    kind = gguf.GGMLQuantizationType.Q4_0
    writer.add_tensor("blk.0.w", gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.add_tensor("norm", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file({"a.weight": values}, folder / "w.safetensors")
    shutil.copy(ONEDNN, folder / "graph.json")
    return folder


@pytest.mark.parametrize(
    "name", ["m.onnx", "external.onnx", "w.gguf", "w.safetensors", "graph.json"]
)
def test_text_and_bytecode(files, tmp_path, name):
    """Both say the same, and so does standard output; quant-opt reads them."""
    text, bytecode = tmp_path / "out.mlir", tmp_path / "out.mlirbc"
    assert run_here(files / name, "-o", text) == ("", "")
    run_here(files / name, "-o", bytecode)
    assert text.read_text() == run(files / name).stdout
    assert bytecode.read_bytes()[:4] == b"ML\xefR"
    printed = [subprocess.run([QUANT_OPT, path], capture_output=True, check=True).stdout for path in (text, bytecode)]  # fmt: skip
    assert printed[0] == printed[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.mlir", "out.mlirbc"]
    assert stat.S_IMODE(text.stat().st_mode) == 0o666 & ~os.umask(os.umask(0o022) or 0o022)


def test_weights(files, tmp_path):
    """The values are the file's; one tensor, in another type."""
    out = tmp_path / "w.mlirbc"
    run_here(files / "w.gguf", "-o", out)
    reader = {tensor.name: tensor for tensor in gguf.GGUFReader(files / "w.gguf").tensors}
    text = subprocess.run([QUANT_OPT, out], capture_output=True, check=True, text=True).stdout
    compiled = runtime.compile(text)
    for name, tensor in reader.items():
        expected = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        np.testing.assert_array_equal(np.asarray(compiled[name]()), expected)
    one, _ = run_here(files / "w.gguf", "--tensor", "norm", "--dtype", "bf16")
    assert "@norm() -> tensor<4x64xbf16>" in one and "blk.0.w" not in one


def test_pipe(files):
    """Into quant-opt; and into what reads one line."""
    text = run(files / "m.onnx").stdout
    lowered = subprocess.run([QUANT_OPT, "--lower-quant"], input=text, capture_output=True, text=True)  # fmt: skip
    assert lowered.returncode == 0 and "linalg.generic" in lowered.stdout
    head = subprocess.run(f"{COMMAND} {files / 'w.gguf'} | head -n 1", shell=True, capture_output=True, text=True)  # fmt: skip
    assert head.stderr == "" and head.stdout.count("\n") == 1


ERRORS = {
    "no file": (["none.onnx"], "none.onnx: No such file or directory"),
    "no tensor": (["w.gguf", "--tensor", "b"], "w.gguf: no tensor 'b'"),
    "suffix": (["w.bin"], "w.bin: the suffix tells no format: expected one of .onnx"),
    "suffix of output": (["m.onnx", "-o", "m.txt"], "m.txt: expected the suffix .mlir or .mlirbc"),
    "folder": (["m.onnx", "-o", "no/m.mlir"], "no/m.mlir: no is no directory to write to"),
    "tensor of a graph": (["m.onnx", "--tensor", "w"], "--tensor and --dtype are for weight files"),
    "damaged": (["damaged.gguf", "-o", "x.mlir"], "damaged.gguf: tensor 'blk.0.w': needs 8 bytes at"),
    "other format": (["m.onnx", "--format", "gguf", "-o", "x.mlir"], "m.onnx: "),
    "lost data": (["lost.onnx", "-o", "x.mlir"], "lost.onnx: initializer 'w': cannot read its data"),
    "no model": (["graph.json", "--format", "onnx", "-o", "x.mlir"], "graph.json: "),
    "whole weights": (["--whole", "w.gguf", "-o", "x.vmfb"], "--whole takes an ONNX model or a module of the torch dialect, not gguf"),
    "whole to nothing": (["--whole", "m.onnx"], "--whole needs -o with the suffix .vmfb (IREE) or .mlir (linalg)"),
    "whole without compilers": (["--whole", "m.onnx", "-o", "x.vmfb"], "iree-import-onnx: error: not found: pip install 'iree-base-compiler[onnx]'"),
    "options of whole": (["m.onnx", "--lower-quant", "profile=ort"], "--lower-quant, --extras, --keep and --commands belong to --whole"),
    "nothing": ([], "FILE is missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(files, tmp_path, case, monkeypatch):
    """One line with the file and what is wrong, status 1, and no file."""
    for path in files.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "damaged.gguf").write_bytes((tmp_path / "w.gguf").read_bytes()[:100])
    (tmp_path / "lost.onnx").write_bytes(
        (tmp_path / "external.onnx").read_bytes().replace(b"data.bin", b"data.bix")
    )
    before = sorted(path.name for path in tmp_path.iterdir())
    arguments, message = ERRORS[case]
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    said, errors = run_here(*arguments, status=1)
    assert errors.splitlines()[-1].startswith(f"quant-import: error: {message}"), errors
    assert said == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_an_old_output_stays(files, tmp_path):
    out = tmp_path / "x.mlir"
    out.write_text("old")
    run_here(files / "w.gguf", "--tensor", "b", "-o", out, status=1)
    assert out.read_text() == "old"
    run_here(files / "w.gguf", "-o", out)
    assert out.read_text().startswith("module")


def test_bar(files, tmp_path):
    """On a terminal only, and gone at the end."""
    mine, its = pty.openpty()
    command = [COMMAND, files / "w.gguf", "-o", tmp_path / "w.mlir"]
    subprocess.run(command, stderr=its, check=True)
    os.close(its)
    shown = os.read(mine, 1 << 16).decode()
    os.close(mine)
    assert "importing [" in shown and shown.endswith("\r\x1b[K")


WHOLE = """#!{python}
import sys
with open({log!r}, "a") as log:
    print({name!r}, *sys.argv[1:], file=log)
out = sys.argv[sys.argv.index("-o") + 1]
given = next(a for a in sys.argv[1:] if not a.startswith("-") and a != out)
text = open(given, "rb").read()
if {fails!r}:
    print("here: error: cannot", file=sys.stderr)
    sys.exit(1)
open(out, "wb").write({text!r} or text)
"""
TORCH = b"""module { func.func @f(%x: tensor<4xf32>) -> tensor<4xi8> ATTRIBUTES {
  %s = arith.constant 0.5 : f32
  %y = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %y : tensor<4xi8>
} }"""


@pytest.mark.parametrize("suffix", [".vmfb", ".mlir"])
@pytest.mark.parametrize("fails", ["", "iree-compile", "torch-mlir-opt"])
def test_whole(files, tmp_path, suffix, fails):
    """The commands of docs/Models.md in their order, here by stand-ins but for quant-opt; tools/models has the compilers."""
    (tmp_path / "bin").mkdir()
    log = tmp_path / "log"
    attributes = b"attributes {torch.onnx_meta.opset_version = 21 : si64}"
    for name in ("iree-import-onnx", "torch-mlir-opt", "iree-compile"):
        script = tmp_path / "bin" / name
        text = TORCH.replace(b"ATTRIBUTES", attributes) if name == "iree-import-onnx" else b""
        script.write_text(
            WHOLE.format(
                python=sys.executable, log=str(log), name=name, fails=name == fails, text=text
            )
        )
        script.chmod(0o755)
    out = tmp_path / f"m{suffix}"
    is_used = fails and (fails == "torch-mlir-opt" or suffix == ".vmfb")
    done = run("--whole", files / "m.onnx", "--extras", tmp_path, "-o", out, status=bool(is_used))
    if is_used:
        assert done.stderr == f"quant-import: error: {fails}: here: error: cannot\n"
        assert not out.exists()
        return
    assert b"linalg.generic" in out.read_bytes() and b"qdq." not in out.read_bytes()
    used = [line.split()[:2] for line in log.read_text().splitlines()]
    assert used[0][0] == "iree-import-onnx" and used[1] == [
        "torch-mlir-opt",
        "--mlir-print-op-generic",
    ]
    last = used[-1]
    assert (
        last == ["iree-compile", "--iree-input-type=onnx"]
        if suffix == ".vmfb"
        else "torch-onnx-to-torch" in last[1]
    )
