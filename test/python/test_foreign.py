# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of other compilers are named with their numbers, whatever else a module holds."""

import shlex

import pytest
from build_tree import run_tool
from mlir import ir

from mlir_qdq import passes, runtime

QUANTIZE = '%q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>'
UNARY = "(%x) : (tensor<4xf32>) -> tensor<4xf32>"


def module(*lines: str) -> str:
    body = "\n".join(lines)
    return f"func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xui8> {{\n{body}\nreturn %q : tensor<4xui8>\n}}"


OTHERS = module(
    QUANTIZE,
    '%none = "onnx.NoValue"() {value} : () -> none',
    f'%0 = "onnx.Unique"{UNARY}',
    f'%1 = "onnx.Unique"{UNARY}',
    f'%2 = "onnx.Compress"{UNARY}',
    f'%4 = "onnx.Relu"{UNARY}',
    '%3 = "onnx.Custom"(%x) {domain_name = "com.microsoft", function_name = "Gelu"} : (tensor<4xf32>) -> tensor<4xf32>',
)
WORDS = "not lowered: 2 onnx.Unique, 1 onnx.Compress, 1 com.microsoft.Gelu"


@pytest.mark.parametrize("options", [{}, {"profile": "ort", "vector_bits": "256"}])
def test_foreign_operations_are_counted(options):
    with pytest.raises(ValueError) as error:
        runtime.compile(OTHERS, **options)
    assert str(error.value) == WORDS


def test_the_pipeline_names_them_too():
    """Before bufferization, which would stop at the first."""
    result = run_tool("quant-opt", "--quant-to-llvm", input=OTHERS, check=False)
    assert result.returncode == 1 and f"error: {WORDS}\n" in result.stderr
    assert result.stderr.count("error:") == 1


def test_a_refused_operator_of_floats_has_its_reason():
    with pytest.raises(ir.MLIRError, match="'onnx.Concat' op axis is 1: expected -1 to 0") as error:
        runtime.compile("""func.func @f(%x: tensor<4xf32>) -> tensor<8xf32> {
          %y = "onnx.Concat"(%x, %x) {axis = 1 : si64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
          return %y : tensor<8xf32>
        }""")
    assert error.value.__notes__[0] == "not lowered: 1 onnx.Concat"


@pytest.mark.parametrize("unconverted", ["error", "keep"])
def test_unknown_operators_are_named_before_their_neighbors(unconverted):
    """Behind one that no pass knows there is no shape: each node there would be refused for that."""
    text = """func.func @f(%x: tensor<4xui8>, %s: tensor<f32>) -> tensor<*xf32> {
      %0 = "onnx.QLinearWhere"(%x) : (tensor<4xui8>) -> tensor<*xui8>
      %1 = "onnx.QuantizeLinear"(%x, %0) : (tensor<4xui8>, tensor<*xui8>) -> tensor<4xi8>
      %2 = "onnx.Compress"(%x) : (tensor<4xui8>) -> tensor<*xf32>
      %3 = "onnx.Relu"(%2) : (tensor<*xf32>) -> tensor<*xf32>
      return %3 : tensor<*xf32>
    }"""
    with pytest.raises(ValueError, match="^not lowered: 1 onnx.QLinearWhere, 1 onnx.Compress$"):
        runtime.compile(text, unconverted=unconverted)


def test_a_refused_node_keeps_its_reason():
    refused = '%w = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<5xui8>'
    with pytest.raises(
        ir.MLIRError, match="'onnx.QuantizeLinear' op input .* differ in shape"
    ) as error:
        runtime.compile(module(QUANTIZE, refused))
    words, reproduce = error.value.__notes__
    assert words == "not lowered: 1 onnx.QuantizeLinear"
    command = reproduce.removeprefix("to reproduce: ")
    again = run_tool(*shlex.split(command), check=False)
    assert again.returncode == 1 and again.stdout == ""
    assert error.value.error_diagnostics[0].message in again.stderr


def test_keep_converts_the_rest():
    refused = '%w = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<5xui8>'
    context = ir.Context()
    context.allow_unregistered_dialects = True
    parsed = ir.Module.parse(
        module(
            QUANTIZE,
            refused,
            '%0 = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "ExtendedLSTM"} : (tensor<4xf32>) -> tensor<4xf32>',
        ),
        context,
    )
    said = passes.LowerQuant(unconverted="keep").run(parsed)
    assert [remark.message for remark in said] == [
        "'onnx.QuantizeLinear' op stays: input 'tensor<4xf32>' and result 'tensor<5xui8>' differ in shape",
        "quantized ops are not lowered: 1 onnx.QuantizeLinear, 1 com.amd.quark.ExtendedLSTM",
    ]
    text = str(parsed)
    assert text.count("linalg.generic") == 1 and text.count('"onnx.QuantizeLinear"') == 1
