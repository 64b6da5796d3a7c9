# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own `lower-quant-ops`, held to the text of the `quant` dialect, whose open rounding we read as nearest-even.

Its per-layer output does not bufferize: casts of scalars stand in a loop over buffers, one function for each scale.
Upstream's passes and LLVM compile it without optimization, so that nothing is gained from poison.
"""

from __future__ import annotations

import ctypes
import re

import numpy as np
from mlir.execution_engine import ExecutionEngine
from mlir.ir import Context, Location, MLIRError, Module
from mlir.passmanager import PassManager
from mlir.runtime import get_ranked_memref_descriptor

from ..cases import Case, Unsupported, bits_of, is_float

PROFILE = "quant"
VERSION = "MLIR 22.1"

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
_PASSES = (
    "func.func(lower-quant-ops)", "canonicalize", "convert-scf-to-cf", "finalize-memref-to-llvm", "convert-arith-to-llvm",
    "convert-cf-to-llvm", "convert-func-to-llvm", "reconcile-unrealized-casts",
)  # fmt: skip


def _quantized(case: Case) -> str:
    if is_float(case.storage):
        raise Unsupported("float storage")
    if case.real not in ("f32", "f64"):
        raise Unsupported(f"reals of {case.real}")
    if case.scale.type != case.real:
        raise Unsupported(f"scales of {case.scale.type} for {case.real}")
    z = case.zero_point
    if z and (case.domain == "expressed" or is_float(z.type)):
        raise Unsupported("zero points that are no integers")
    scale = float(case.scale.array)
    if not np.isfinite(scale):
        raise Unsupported(f"scale {scale}")
    bounds = f"<{case.clamp[0]}:{case.clamp[1]}>" if case.clamp else ""
    kind = case.storage.replace("ui", "u")
    spelled = f"{scale:.17e}"
    return f"!quant.uniform<{kind}{bounds}:{case.real}, {spelled}:{int(z.array) if z else 0}>"


def _bytes_wide(element: str) -> int:
    """The next width of NumPy's integers."""
    bits = int(element.lstrip("uif"))
    return next(width for width in (8, 16, 32, 64) if bits <= width)


def _function(group: Case, index: int) -> str:
    """Reals as their bits, codes in the next width of a byte or more."""
    kind, real = _quantized(group), group.real
    signless, code, bits = group.storage.lstrip("u"), _bytes_wide(group.storage), real[1:]
    narrow = signless != f"i{code}"
    if group.operation == "quantize":
        body = [
            f"%v = arith.bitcast %a : i{bits} to {real}",
            f"%q = quant.qcast %v : {real} to {kind}",
        ]
        body.append(f"%{'s' if narrow else 'r'} = quant.scast %q : {kind} to {signless}")
        if narrow:
            extend = "extui" if group.storage.startswith("u") else "extsi"
            body.append(f"%r = arith.{extend} %s : {signless} to i{code}")
        width, target = bits, f"i{code}"
    else:
        body = [f"%t = arith.trunci %a : i{code} to {signless}"] if narrow else []
        body.append(f"%q = quant.scast %{'t' if narrow else 'a'} : {signless} to {kind}")
        body.append(f"%v = quant.dcast %q : {kind} to {real}")
        body.append(f"%r = arith.bitcast %v : {real} to i{bits}")
        width, target = code, f"i{bits}"
    return _LOOP.format(index=index, width=width, target=target, body="\n    ".join(body))


def convert(case: Case) -> np.ndarray:
    if case.operation == "quantize" and case.storage == "ui32":
        raise Unsupported("quantize to ui32")  # its poison depends on the processor
    groups = list(case.groups())
    text = "".join(_function(group, index) for index, (_, group) in enumerate(groups))
    with Context(), Location.unknown():
        try:
            module = Module.parse(text)
            passes = PassManager.parse(f"builtin.module({','.join(_PASSES)})")
            passes.run(module.operation)
        except MLIRError as error:
            raise Unsupported(error.error_diagnostics[0].message.splitlines()[0]) from error
        if left := re.search(r"quant\.\w+", str(module)):
            raise Unsupported(f"{left[0]} stays")
        engine = ExecutionEngine(module, opt_level=0)
    result = np.zeros(case.x.array.shape, case.result.array.dtype)
    for index, (where, group) in enumerate(groups):
        result[where] = _call(engine, f"f{index}", group)
    return result


def _call(engine, name: str, group: Case) -> np.ndarray:
    x, width = group.x.array, _bytes_wide(group.storage)
    if group.operation == "quantize":
        x, y = bits_of(x), np.zeros(x.size, f"u{width // 8}")
    else:
        x, y = x.astype(f"i{width // 8}"), np.zeros(x.size, f"u{int(group.real[1:]) // 8}")
    x = x.astype(x.dtype, copy=True)
    arguments = [
        ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(array))) for array in (x, y)
    ]
    engine.invoke(name, *arguments)
    if group.operation == "dequantize":
        return y.view(group.result.array.dtype)
    return y.view(f"{'u' if group.storage.startswith('u') else 'i'}{width // 8}").astype(
        group.result.array.dtype
    )
