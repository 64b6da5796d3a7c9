# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Q/DQ model as one function from images to the codes of its logits, its products in linalg."""

from __future__ import annotations

import re
from pathlib import Path

from mlir import ir
from mlir.dialects import arith, func, linalg, tensor

GEMM = "onnx.Gemm"
FUNCTION = "digits"


def whole_program(imported: ir.Module, last: str) -> ir.Module:
    """The nodes of an imported model down to the one named `last`, as they are but for Gemm.

    Gemm of reals is no quantized operator, so `lower-quant` leaves it to the ONNX compiler, which
    makes ``linalg.matmul`` and an addition of it. This is that compiler, in ten lines.
    """
    block = imported.body.operations[0].regions[0].blocks[0]
    (pixels,) = block.arguments
    nodes = {_name(node): node for node in block.operations}
    with imported.context, ir.Location.unknown():
        program = ir.Module.create()
        with ir.InsertionPoint(program.body):
            signature = [pixels.type], [nodes[last].results[0].type]
            function = func.FuncOp(FUNCTION, signature)
        values = {pixels: function.add_entry_block().arguments[0]}
        with ir.InsertionPoint(function.entry_block):
            for node in block.operations:
                operands = [values[operand] for operand in node.operands]
                if node.name == GEMM:
                    values[node.results[0]] = _gemm(node, *operands)
                else:
                    values[node.results[0]] = _copy(node, operands)
                if _name(node) == last:
                    break
            func.ReturnOp([values[nodes[last].results[0]]])
        assert program.operation.verify()
    return program


def describe(lowered: Path) -> list[str]:
    """What a lowered program's products read, and which of its constants are real matrices."""
    text = lowered.read_text()
    products = re.findall(r'"reduction"\].*? ins\(.*? : (.*?)\)', text)
    matrices = re.findall(r"constant .*?tensor<\d+x\d+xf\d+>", text)
    return [f"{lowered}: {len(products)} products, {len(matrices)} real copies of weights"] + [
        f"  product of {operands}" for operands in products
    ]


def _name(node: ir.OpView) -> str:
    attributes = node.attributes
    return attributes["onnx_node_name"].value if "onnx_node_name" in attributes else ""


def _copy(node: ir.OpView, operands: list[ir.Value]) -> ir.Value:
    copy = node.operation.clone()
    for index, operand in enumerate(operands):
        copy.operands[index] = operand
    return copy.results[0]


def _gemm(node: ir.OpView, a: ir.Value, b: ir.Value, bias: ir.Value) -> ir.Value:
    """``a b + bias``: rows of any number, a bias for each column."""
    plain = {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}
    assert all(node.attributes[name].value == value for name, value in plain.items())
    result = ir.RankedTensorType(node.results[0].type)
    real = result.element_type
    rows = tensor.dim(a, arith.constant(ir.IndexType.get(), 0))

    def empty() -> ir.Value:
        return tensor.empty([rows, result.shape[1]], real)

    zeros = linalg.fill(arith.constant(real, 0.0), outs=[empty()])
    products = linalg.matmul(a, b, outs=[zeros])
    biases = linalg.broadcast(bias, outs=[empty()], dimensions=[0])
    return linalg.add(products, biases, outs=[empty()])
