# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar operations of upstream dialects in loops over buffers, compiled without optimization by upstream's passes
and LLVM, so that nothing is gained from poison."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import numpy as np
from mlir.execution_engine import ExecutionEngine
from mlir.ir import Context, Location, MLIRError, Module
from mlir.passmanager import PassManager
from mlir.runtime import get_ranked_memref_descriptor

from ..case import Unsupported

_LOOP = """func.func @f{index}(%x: memref<?xi{width}>, %y: memref<?x{target}>) attributes {{llvm.emit_c_interface}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi{width}>
  scf.for %i = %c0 to %n step %c1 {{
    %a = memref.load %x[%i] : memref<?xi{width}>
    {body}
    memref.store %r, %y[%i] : memref<?x{target}>
  }}
  return
}}
"""
_TO_LLVM = (
    "canonicalize", "convert-scf-to-cf", "finalize-memref-to-llvm", "convert-arith-to-llvm", "convert-cf-to-llvm",
    "convert-func-to-llvm", "reconcile-unrealized-casts",
)  # fmt: skip


def compile_loops(bodies: list[str], width: int, target: str, lowering: str) -> list[Callable]:
    """A function for each body, which makes %r of type `target` of %a, an integer of `width` bits. It takes an array
    and the dtype of its result. `lowering`: the pass that is asked about."""
    text = "".join(
        _LOOP.format(index=index, width=width, target=target, body=body)
        for index, body in enumerate(bodies)
    )
    with Context(), Location.unknown():
        try:
            module = Module.parse(text)
            passes = PassManager.parse(f"builtin.module({','.join([lowering, *_TO_LLVM])})")
            passes.run(module.operation)
        except MLIRError as error:
            raise Unsupported(error.error_diagnostics[0].message.splitlines()[0]) from error
        if left := re.search(r"(quant|tosa)\.\w+", str(module)):
            raise Unsupported(f"{left[0]} stays")
        engine = ExecutionEngine(module, opt_level=0)

    def function(index: int):
        return lambda x, dtype: _call(engine, f"f{index}", x, dtype)

    return [function(index) for index in range(len(bodies))]


def _call(engine, name: str, x: np.ndarray, dtype) -> np.ndarray:
    y = np.zeros(x.size, dtype)
    x = x.astype(x.dtype, copy=True)
    arguments = [
        ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(array))) for array in (x, y)
    ]
    engine.invoke(name, *arguments)
    return y
