# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that quant-to-llvm does not know: those of another compiler."""

from __future__ import annotations

from collections import Counter

from mlir import ir
from mlir.passmanager import PassManager

#: Operations that only hold values for others, or pass them on.
_SILENT = {"onnx.Constant", "onnx.NoValue", "onnx.Yield", "torch.vtensor.literal"}
_SILENT_PREFIXES = ("torch_c.", "torch.constant.")


class NotLowered(ValueError):
    """Operations that quant-to-llvm leaves: "not lowered: 6 onnx.Loop, 1 onnx.Unique".

    `message`   the text
    `location`  of the first of them, as MLIR prints it
    """

    def __init__(self, message: str, location: ir.Location):
        super().__init__(message)
        self.message, self.location = message, str(location)


def describe_foreign(module: ir.Module, options: str) -> tuple[NotLowered | None, bool]:
    """The operations that quant-to-llvm leaves, if any; whether a pass says why.

    options: as in a pipeline's text, "rounding=floor".
    """
    lowered = module.operation.clone(ip=False)
    passes = PassManager.parse(
        f"builtin.module(lower-quant{{{options}}},convert-onnx-to-linalg,convert-tfl-to-linalg)"
    )
    has_failed = False
    try:
        passes.run(lowered.operation)
    except ir.MLIRError:
        has_failed = True
    left, first = Counter(), []

    def visit(operation: ir.Operation) -> ir.WalkResult:
        name = _operator(operation)
        if not module.context.is_registered_operation(operation.name) and not _is_silent(name):
            left[name] += 1
            first.append(operation.location)
        return ir.WalkResult.ADVANCE

    lowered.operation.walk(visit)
    names = ", ".join(f"{count} {name}" for name, count in left.items())
    return NotLowered(f"not lowered: {names}", first[0]) if names else None, has_failed


def _is_silent(name: str) -> bool:
    return name in _SILENT or name.startswith(_SILENT_PREFIXES)


def _operator(operation: ir.Operation) -> str:
    """The operator behind an operation: `onnx.Add`, or `com.example.Mystery` for an `onnx.Custom`."""

    def text(*names: str) -> str:
        return ".".join(ir.StringAttr(operation.attributes[name]).value for name in names)

    if operation.name == "onnx.Custom" and "domain_name" in operation.attributes:
        return text("domain_name", "function_name")
    if operation.name == "torch.operator" and "name" in operation.attributes:
        return text("name")
    return operation.name
