# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE on CPU, from stablehlo.uniform_quantize and uniform_dequantize per tensor: one function for each scale."""

from __future__ import annotations

from importlib import metadata

import iree.compiler as compiler
import iree.runtime as runtime
import numpy as np

from ..case import Operand, Unsupported, is_float
from ..conversions import Conversion
from ..requantize import Requantize

PROFILE = "stablehlo"
VERSION = f"iree {metadata.version('iree-base-compiler')}"
_COMPILED: dict[int, tuple[Conversion, list]] = {}


def _check(case: Conversion) -> None:
    if case.real != "f32" or case.storage not in ("i8", "ui8", "i16", "ui16", "i32"):
        raise Unsupported(f"{case.storage} of {case.real}")
    if case.operation == "quantize" and case.storage in ("ui16", "i32"):
        raise Unsupported(f"quantize to {case.storage}")
    if case.clamp:
        raise Unsupported("narrowed ranges")
    z = case.zero_point
    if z and (case.domain == "expressed" or is_float(z.type) or z.type != case.storage):
        raise Unsupported("zero points of another type than the codes")
    if case.scale.type != "f32":
        raise Unsupported(f"scales of {case.scale.type}")
    if not (np.isfinite(case.scale.array) & (case.scale.array > 0)).all():
        raise Unsupported("scales that are not finite")
    if not case.x.array.size:
        raise Unsupported("empty tensors")


def _codes(size: int, storage: str, scale, z: Operand | None) -> str:
    kind, zero = storage.replace("ui", "u"), int(z.array) if z else 0
    return f"tensor<{size}x!quant.uniform<{kind}:f32, {float(scale):.17e}:{zero}>>"


def _function(name: str, operation: str, source: str, target: str) -> str:
    return (
        f"func.func @{name}(%x: {source}) -> {target} {{\n"
        f"  %y = stablehlo.uniform_{operation} %x : ({source}) -> {target}\n"
        f"  return %y : {target}\n}}\n"
    )


def _of_group(group: Conversion, name: str) -> str:
    size = group.x.array.size
    codes = _codes(size, group.storage, group.scale.array, group.zero_point)
    reals = f"tensor<{size}xf32>"
    types = (reals, codes) if group.operation == "quantize" else (codes, reals)
    return _function(name, group.operation, *types)


def _compile(text: str):
    try:
        binary = compiler.compile_str(
            text,
            target_backends=["llvm-cpu"],
            input_type="stablehlo",
            extra_args=["--iree-llvmcpu-target-cpu=generic"],
        )
    except compiler.CompilerToolError as error:
        raise Unsupported("IREE does not compile it") from error
    context = runtime.SystemContext(config=runtime.Config("local-task"))
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, binary))
    return context.modules.module


def prepare(cases: list[Conversion]) -> None:
    """One module of all that it takes: a compiler is started once."""
    text, functions = [], {}
    for case in cases:
        try:
            _check(case)
        except Unsupported:
            continue
        names = []
        for _, group in case.groups():
            names.append(f"f{len(text)}")
            text.append(_of_group(group, names[-1]))
        functions[id(case)] = case, names
    if not functions:
        return
    module = _compile("".join(text))
    for key, (case, names) in functions.items():
        _COMPILED[key] = case, [module[name] for name in names]


def convert(case: Conversion) -> np.ndarray:
    _check(case)
    if id(case) not in _COMPILED:
        prepare([case])
    result = np.zeros(case.x.array.shape, case.result.array.dtype)
    for (where, group), function in zip(case.groups(), _COMPILED[id(case)][1]):
        result[where] = function(group.x.array).to_host()
    return result


def requantize(case: Requantize) -> np.ndarray:
    """uniform_quantize of codes of 32 bits, whose scale is sa * sb: one function for each channel."""
    if case.acc.type != "i32" or case.storage not in ("i8", "ui8"):
        raise Unsupported(case.types)
    rows, size = case.acc.array.shape
    text = ""
    for row, sb in enumerate(case.sb.array):
        source = _codes(size, "i32", case.sa.array * sb, None)
        target = _codes(size, case.storage, case.sy.array, case.zero_point)
        text += _function(f"f{row}", "quantize", source, target)
    module = _compile(text)
    result = np.zeros((rows, size), case.result.array.dtype)
    for row, acc in enumerate(case.acc.array):
        result[row] = module[f"f{row}"](acc).to_host()
    return result
