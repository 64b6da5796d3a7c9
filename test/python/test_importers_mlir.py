# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""importers.mlir: text, bytecode, and modules of other packages, here by stand-ins with their interfaces.

tools/ecosystem/python-modules does the same with the packages themselves."""

import io
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from mlir import ir
from mlir_qdq import importers, passes, runtime
from mlir_qdq.importers import mlir as modules

DATA = Path(__file__).parent / "data"
TEXT = """
func.func @q(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8> {
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}>
    : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return %q : !torch.vtensor<[4],si8>
}
"""
PLAIN = """
func.func @q(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi8> {
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
"""
X = np.array([0.5, 1.5, 300.0, np.nan], np.float32)
#: round half to even, saturated; a NaN has the lowest code (ONNX).
CODES = [0, 2, 127, -128]


def check(module):
    assert runtime.compile(module).q(X, np.array(1, np.float32)).tolist() == CODES


def bytecode(text):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        stream = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(stream)
    return stream.getvalue()


class Operation:
    """What MLIR's bindings have, in a package of their own."""

    def __init__(self, text):
        self.text, self.options = text, None

    def get_asm(self, **options):
        self.options = options
        return self.text


class Module:
    def __init__(self, text):
        self.operation = Operation(text)


@pytest.mark.parametrize("text", [TEXT, PLAIN])
def test_text_and_bytecode(text, tmp_path):
    data = bytecode(text)
    assert data.startswith(b"ML\xefR")
    (tmp_path / "text.mlir").write_text(text)
    (tmp_path / "code.mlirbc").write_bytes(data)
    paths = (tmp_path / "text.mlir", tmp_path / "code.mlirbc")
    for source in (text, text.encode(), data, *paths):
        module = modules.import_module(source)
        assert isinstance(module, ir.Module)
        check(module)
        check(source)


def test_module_of_other_bindings():
    theirs = Module(TEXT)
    for source in (theirs, theirs.operation):
        check(modules.import_module(source))
        check(source)
    # The generic form needs none of their dialects.
    assert theirs.operation.options == {"print_generic_op_form": True, "enable_debug_info": True}


def test_locations_come_along():
    with ir.Context() as other:
        other.allow_unregistered_dialects = True
        module = ir.Module.parse(PLAIN.rstrip() + ' loc("net.py":7:3)')
    with ir.Context() as context:
        copy = modules.import_module(module, context)
        assert copy.context == context
        assert "net.py" in str(copy.body.operations[0].location)


def test_own_module():
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(PLAIN)
    assert modules.import_module(module) is module
    assert modules.import_module(module, context) is module
    assert modules.import_module(module, ir.Context()) is not module


def test_xdsl(monkeypatch):
    def print_op(self, op):
        self.stream.write(op.text)

    class Printer:
        def __init__(self, stream, *, print_generic_format, print_debuginfo):
            assert print_generic_format and print_debuginfo
            self.stream = stream

    Printer.print_op = print_op
    printer = types.ModuleType("xdsl.printer")
    printer.Printer = Printer
    monkeypatch.setitem(sys.modules, "xdsl.printer", printer)
    kind = type("ModuleOp", (), {"__module__": "xdsl.dialects.builtin", "text": PLAIN})
    check(modules.import_module(kind()))
    check(kind())


def test_context():
    with ir.Context() as context:
        module = modules.import_module(PLAIN)
    assert module.context == context
    assert context.is_registered_operation("qdq.quantize")
    assert modules.import_module(PLAIN).context != context
    passes.LowerQuant().run(module)
    assert "onnx." not in str(module)


def test_refusals():
    with pytest.raises(TypeError, match="get_asm.*not builtins.int"):
        modules.import_module(3)
    with pytest.raises(TypeError, match="not builtins.int"):
        runtime.compile(3)
    with pytest.raises(ir.MLIRError, match="custom op 'a' is unknown") as failure:
        modules.import_module(Module("a b"))
    assert "test_importers_mlir.Module printed" in failure.value.__notes__[0]
    with pytest.raises(ir.MLIRError):
        modules.import_module(bytecode(PLAIN)[:60])


@pytest.mark.parametrize("read", [modules.import_module, runtime.compile])
def test_names_of_files(read, tmp_path):
    """A path is a Path; files that hold no MLIR have importers of their own."""
    with pytest.raises(ValueError, match=r"text of MLIR: write pathlib.Path\('a.mlir'\)"):
        read("a.mlir")
    with pytest.raises(ValueError, match=r"write mlir_qdq.importers.onnx.import_model\('a.onnx'\)"):
        read("a.onnx")
    with pytest.raises(FileNotFoundError, match="a.mlir"):
        read(tmp_path / "a.mlir")
    (tmp_path / "a.GGUF").write_bytes(b"GGUF")
    with pytest.raises(ValueError, match="no MLIR: mlir_qdq.importers.gguf.import_file reads it"):
        read(tmp_path / "a.GGUF")


def test_passes_name_the_importer():
    with pytest.raises(TypeError, match="test_importers_mlir.Module: .*import_module"):
        passes.LowerQuant().run(Module(PLAIN))


def test_importers_are_listed():
    assert {"gguf", "mlir", "onednn", "onnx", "safetensors"} <= set(dir(importers))
    assert importers.mlir is modules


@pytest.mark.parametrize("version", [4, 6])
def test_bytecode_of_another_dialect(version):
    """What torch-mlir 20261001 wrote of TEXT: since version 5 the names of properties are its own."""
    path = DATA / f"torch_operator.v{version}.mlirbc"
    if version == 4:
        check(path)
        return
    for source in (path, path.read_bytes()):
        with pytest.raises(
            ValueError, match="'torch.operator' without their names.*desired_version=4"
        ):
            modules.import_module(source)
