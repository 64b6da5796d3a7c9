# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package: registration in the process and in contexts, and op builders."""

import subprocess
import sys
import threading
from importlib.metadata import distribution
from pathlib import Path

import mlir.ir
import mlir_qdq
import pytest
from build_tree import BUILD, run_tool
from mlir.ir import Attribute, Context, F32Type, InsertionPoint, IntegerType, Location, Module
from mlir.passmanager import PassManager
from mlir_qdq.dialects import qdq


def test_dialect_comes_with_registration_only():
    context = Context()
    assert not context.is_registered_operation("qdq.quantize")
    mlir_qdq.register(context)
    assert context.is_registered_operation("qdq.quantize")


def test_register_twice():
    context = Context()
    mlir_qdq.register(context)
    mlir_qdq.register(context)
    with context:
        mlir_qdq.register()
        PassManager.parse("builtin.module(lower-quant)")


def test_register_needs_a_context():
    with pytest.raises(ValueError, match="none is current"):
        mlir_qdq.register()
    with pytest.raises(TypeError):
        mlir_qdq.register("context")


def test_register_in_threads():
    errors = []

    def work(shared):
        try:
            for _ in range(10):
                mlir_qdq.register(shared)
                own = Context()
                mlir_qdq.register(own)
                assert own.is_registered_operation("qdq.dequantize")
        except Exception as error:
            errors.append(error)

    shared = Context()
    threads = [threading.Thread(target=work, args=(shared,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_one_libmlir():
    code = (
        "import mlir_qdq, mlir.execution_engine, mlir.ir, os\n"
        "mlir_qdq.register(mlir.ir.Context())\n"
        "maps = [line.split()[-1] for line in open('/proc/self/maps')]\n"
        "print(len({os.path.realpath(m) for m in maps if '/libMLIR.so' in m}))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "1\n"


def test_op_builders():
    with Context() as context, Location.unknown():
        mlir_qdq.register(context)
        module = Module.parse("func.func @f(%x: f32, %s: f32) -> i8 { ub.unreachable }")
        block = module.body.operations[0].regions[0].blocks[0]
        x, scale = block.arguments
        with InsertionPoint.at_block_begin(block):
            q = qdq.quantize(
                IntegerType.get_signless(8),
                x,
                scale,
                clamp=[-127, 127],
                semantics={"rounding": qdq.Rounding.Floor, "overflow": "wrap"},
            )
            qdq.dequantize(
                F32Type.get(),
                q,
                scale,
                zero_point=x,
                zero_point_domain=qdq.ZeroPointDomain.Expressed,
            )
            part = qdq.QuantizeOp(IntegerType.get_signless(8), x, scale, axis=None)
        assert module.operation.verify()
        assert not part.offsets and part.static_offsets is None
        quantize, dequantize = block.operations[0], block.operations[1]
        assert isinstance(quantize, qdq.QuantizeOp)
        assert quantize.semantics == Attribute.parse(
            "#qdq.semantics<rounding = floor, overflow = wrap>"
        )
        assert dequantize.zero_point == x


def test_parsed_ops_have_their_class():
    with Context() as context, Location.unknown():
        mlir_qdq.register(context)
        module = Module.parse(
            "func.func @f(%q: i8, %s: f32) -> f32 {\n"
            '  %x = "qdq.dequantize"(%q, %s) : (i8, f32) -> f32\n'
            "  return %x : f32\n}"
        )
        op = module.body.operations[0].regions[0].blocks[0].operations[0]
        assert isinstance(op, qdq.DequantizeOp)
        assert op.results[0].type == F32Type.get()


def test_enumerations():
    assert str(qdq.Rounding.NearestEven) == "nearest-even"
    assert {str(p) for p in qdq.Profile} >= {"onnx", "quant", "mlir22"}


def test_lower_quant_runs():
    with Context() as context:
        mlir_qdq.register(context)
        module = Module.parse(
            "!q = !quant.uniform<i8:f32, 2.0>\n"
            "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            '  %q = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!q>\n'
            '  %y = "quant.dcast"(%q) : (tensor<4x!q>) -> tensor<4xf32>\n'
            "  return %y : tensor<4xf32>\n}"
        )
        PassManager.parse("builtin.module(lower-quant)").run(module.operation)
        text = str(module)
    assert "linalg.generic" in text
    assert "quant." not in text and "qdq." not in text


def test_upstream_passes_find_their_models():
    """Bufferization implements its interfaces for other dialects by extensions."""
    with Context() as context:
        mlir_qdq.register(context)
        module = Module.parse(
            "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %e = tensor.empty() : tensor<4xf32>\n"
            "  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %y : tensor<4xf32>\n}"
        )
        PassManager.parse("builtin.module(one-shot-bufferize{bufferize-function-boundaries})").run(
            module.operation
        )
    assert "tensor" not in str(module)


def test_one_version():
    text = (BUILD / "QDQConfigVersion.cmake").read_text()
    assert f'set(PACKAGE_VERSION "{mlir_qdq.__version__}")' in text
    for tool in ("quant-compile", "quant-lsp-server", "quant-opt"):
        said = run_tool(tool, "--version").stdout
        assert f"mlir-qdq version {mlir_qdq.__version__}\n" in said and "LLVM version 22" in said


def test_beside_other_compilers():
    """Libraries of one name are one to the loader: IREE's compiler has a libnanobind-mlir.so."""
    if "/mlir-qdq/" not in (
        distribution("mlir-python-bindings").read_text("direct_url.json") or ""
    ):
        pytest.skip("the mlir package is not ours")
    libraries = Path(mlir.ir.__file__).parent / "_mlir_libs"
    names = {path.name for path in libraries.glob("lib*.so")}
    assert any(name.startswith("libnanobind-") for name in names)
    assert not names & {"libnanobind-mlir.so", "libMLIRPythonSupport-mlir.so"}
