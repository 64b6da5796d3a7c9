# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of torch-mlir, IREE and xDSL in one process with ours: see python-modules beside this file.

python python_modules.py DIRECTORY... # on the path after the environment's own packages
"""

import io
import sys

sys.path += sys.argv[1:]

# ruff: noqa: E402
import numpy as np
import onnx
import onnx.helper
from mlir_qdq import passes, runtime
from mlir_qdq.importers import mlir as modules

X = np.array([[0.5, 1.5, 2.5, -3.5], [300.0, -300.0, np.nan, -0.0]], np.float32)
SCALE, ZERO = np.array(0.5, np.float32), np.array(3, np.int8)


def expected() -> np.ndarray:
    """By ONNX's reference evaluator, NaN aside: its code is the lowest."""
    from onnx.reference import ReferenceEvaluator

    with np.errstate(invalid="ignore"):
        (codes,) = ReferenceEvaluator(model()).run(None, {"x": X})
    return np.where(np.isnan(X), np.int8(-128), codes)


def model() -> onnx.ModelProto:
    tensor, value = onnx.numpy_helper.from_array, onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"])],
        "quantize",
        [value("x", onnx.TensorProto.FLOAT, X.shape)],
        [value("q", onnx.TensorProto.INT8, X.shape)],
        [tensor(SCALE, "s"), tensor(ZERO, "z")],
    )
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)])


def from_torch_mlir():
    from torch_mlir import ir
    from torch_mlir.dialects import torch
    from torch_mlir.extras import onnx_importer

    context = ir.Context()
    torch.register_dialect(context)
    info = onnx_importer.ModelInfo(onnx.shape_inference.infer_shapes(model()))
    module = info.create_module(context=context)
    onnx_importer.NodeImporter.define_function(info.main_graph, module.operation).import_all()
    return module, lambda text: ir.Module.parse(text, context)


FUNCTION = """
func.func @quantize(%x: tensor<2x4xf32>) -> tensor<2x4xi8> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<3> : tensor<i8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z)
    : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x4xi8>
  func.return %q : tensor<2x4xi8>
}
"""


def from_iree():
    from iree.compiler import ir

    context = ir.Context()
    context.allow_unregistered_dialects = True
    module = ir.Module.parse(FUNCTION, context)
    return module, lambda text: ir.Module.parse(text, context)


def from_xdsl():
    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects
    from xdsl.parser import Parser

    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return Parser(context, FUNCTION).parse_module(), lambda text: Parser(
        context, text
    ).parse_module()


def check(system: str, source, parse) -> None:
    kind = f"{type(source).__module__}.{type(source).__qualname__}"
    module = modules.import_module(source)
    compiled = [runtime.compile(source), runtime.compile(module)]
    if hasattr(source, "operation"):
        stream = io.BytesIO()
        source.operation.write_bytecode(stream, desired_version=4)
        assert stream.getvalue().startswith(b"ML\xefR")
        compiled.append(runtime.compile(stream.getvalue()))
    for functions in compiled:
        (name,) = functions
        np.testing.assert_array_equal(functions[name](X), expected())
    # And back, as what every one of them knows: scalar arithmetic in func, arith, linalg, math.
    passes.LowerQuant().run(module)
    back = parse(module.operation.get_asm(print_generic_op_form=True))
    assert "linalg.generic" in str(back) and "QuantizeLinear" not in str(back)
    print(f"{system}: {kind}, {len(compiled)} ways in, back as text")


if __name__ == "__main__":
    for make in (from_torch_mlir, from_iree, from_xdsl):
        check(make.__name__.removeprefix("from_"), *make())
