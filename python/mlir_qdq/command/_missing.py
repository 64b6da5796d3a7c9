# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of an imported .tflite file that no pass of ours converts, reported before compilation."""

from __future__ import annotations

from collections import Counter

from mlir import ir
from mlir.passmanager import PassManager

#: Operations that hold values, or no value.
_SILENT = {"tfl.no_value", "tfl.pseudo_const", "tfl.pseudo_qconst"}
_PASSES = "convert-tfl-to-qdq{unconverted=keep},convert-tfl-to-linalg{unconverted=keep}"


def missing_operators(module: ir.Module) -> list[str]:
    """TFLite's operators that stay, with counts and the first reason: "2 GELU", "1 GATHER (batch_dims is 1: …)"."""
    reasons: dict[str, str] = {}

    def note(diagnostic: ir.Diagnostic) -> bool:
        name, _, reason = diagnostic.message.removeprefix("'").partition("' op ")
        reason = reason.removeprefix("stays: ")
        reasons.setdefault(name, "" if reason.endswith("and no translation") else reason)
        return True

    handler = module.context.attach_diagnostic_handler(note)
    lowered = module.operation.clone(ip=False)
    try:
        PassManager.parse(f"builtin.module({_PASSES})", module.context).run(lowered)
    finally:
        handler.detach()
    left: Counter[str] = Counter()

    def visit(operation: ir.Operation) -> ir.WalkResult:
        if operation.name.startswith("tfl.") and operation.name not in _SILENT:
            left[operation.name] += 1
        return ir.WalkResult.ADVANCE

    lowered.walk(visit)
    return [
        f"{count} {name.removeprefix('tfl.').upper()}"
        + (f" ({reasons[name]})" if reasons.get(name) else "")
        for name, count in left.items()
    ]
