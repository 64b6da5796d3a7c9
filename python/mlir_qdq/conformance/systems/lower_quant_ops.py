# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own `lower-quant-ops`, held to the text of the `quant` dialect, whose open rounding we read as nearest-even.

Its per-layer output does not bufferize: casts of scalars stand in a loop over buffers, one function for each scale.
"""

from __future__ import annotations

import numpy as np

from ..case import Unsupported, bits_of, is_float
from ..conversions import Conversion
from .upstream import compile_loops

PROFILE = "quant"
VERSION = "MLIR 22.1"


def _quantized(case: Conversion) -> str:
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


def _body(group: Conversion) -> str:
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
    else:
        body = [f"%t = arith.trunci %a : i{code} to {signless}"] if narrow else []
        body.append(f"%q = quant.scast %{'t' if narrow else 'a'} : {signless} to {kind}")
        body.append(f"%v = quant.dcast %q : {kind} to {real}")
        body.append(f"%r = arith.bitcast %v : {real} to i{bits}")
    return "\n    ".join(body)


def convert(case: Conversion) -> np.ndarray:
    if case.operation == "quantize" and case.storage == "ui32":
        raise Unsupported("quantize to ui32")  # its poison depends on the processor
    groups = list(case.groups())
    bodies = [_body(group) for _, group in groups]
    code, bits = _bytes_wide(case.storage), int(case.real.lstrip("uif"))
    source, target = (bits, code) if case.operation == "quantize" else (code, bits)
    functions = compile_loops(bodies, source, f"i{target}", "func.func(lower-quant-ops)")
    result = np.zeros(case.x.array.shape, case.result.array.dtype)
    for function, (where, group) in zip(functions, groups):
        result[where] = _call(function, group)
    return result


def _call(function, group: Conversion) -> np.ndarray:
    width = _bytes_wide(group.storage) // 8
    if group.operation == "dequantize":
        y = function(group.x.array.astype(f"i{width}"), f"u{int(group.real[1:]) // 8}")
        return y.view(group.result.array.dtype)
    y = function(bits_of(group.x.array), f"{'u' if group.storage.startswith('u') else 'i'}{width}")
    return y.astype(group.result.array.dtype)
