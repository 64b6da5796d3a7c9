# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subjects of requantize: what runtimes gave (test/conformance/requantize), and what rational numbers give."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

_FOLDER = Path(__file__).resolve().parents[2] / "test" / "conformance" / "requantize"
_TYPES = {np.dtype(f"int{w}"): f"i{w}" for w in (8, 16, 32, 64)} | {np.dtype(np.float32): "f32"}
_ROUND = {
    "nearest-even": lambda v: round(v),
    "nearest-away": lambda v: int(math.copysign(math.floor(abs(v) + Fraction(1, 2)), v)),
    "toward-zero": lambda v: int(math.copysign(math.floor(abs(v)), v)),
    "to-odd": lambda v: math.floor(v) if v == math.floor(v) else math.floor(v) | 1,
}


def _text(rescale, operands, words, storage, fields="") -> str:
    """@f of the accumulators and the operands that `words` names."""
    types = ", ".join(
        f"tensor<{'x'.join([*map(str, v.shape), _TYPES[v.dtype]])}>" for v in operands
    )
    names = [f"%a{i}" for i in range(len(operands))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types.split(", ")))
    clauses = " ".join(w.format(*names) for w in words)
    result = f"tensor<{'x'.join(map(str, operands[0].shape))}x{storage}>"
    return (
        f"func.func @f({arguments}) -> {result} {{\n  %q = qdq.requantize %a0 rescale <{rescale}> {clauses}"
        f" semantics <{fields}> : ({types}) -> {result}\n  return %q : {result}\n}}\n"
    )


def _fixed(rescale: str, M: float) -> tuple[int, int]:
    """TFLite's QuantizeMultiplier, for M between 2^-31 and 1."""
    q, e = math.frexp(M)
    m = math.floor(Fraction(q) * 2**31 + Fraction(1, 2))
    if m == 2**31:
        m, e = m // 2, e + 1
    if rescale == "fixed15":
        return ((m + 2**15) >> 16 if m < 0x7FFF0000 else 0x7FFF), 15 - e
    return m, 31 - e


def recorded() -> Iterator[tuple]:
    """(name, text, arguments, expected) of each recording of a runtime with signed codes."""
    for path in sorted(_FOLDER.glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            if case["codes"].startswith("u"):
                continue
            arrays = np.load(_FOLDER / f"{path.stem}-{case['name']}.npz")
            acc = arrays["acc"].astype(np.int32 if case["acc"] == "i32" else np.int64)
            sa, sy = (np.float32(float.fromhex(case[s])) for s in ("sa", "sy"))
            z = np.asarray(case["zero_point"], arrays["codes"].dtype)
            rescale, sb = case["rescale"], arrays["sb"]
            order = "add-then-round" if case["profile"] == "onnx" else "round-then-add"
            if rescale in ("f32", "f64"):
                operands = [acc, np.float32(np.float32(sa * sb) / sy), z]
                words = ["multiplier {1} zero_point {2} axis 0"]
            else:
                Ms = np.float64(sa) * sb.astype(np.float64) / np.float64(sy)
                m, t = np.array([_fixed(rescale, M) for M in Ms]).T
                operands = [acc, m.astype(np.int32), t.astype(np.int8), z]
                words = ["multiplier {1} shift {2} zero_point {3} axis 0"]
            text = _text(rescale, operands, words, case["codes"], f"order = {order}")
            yield f"{path.stem}-{case['name']}", text, operands, arrays["codes"]


def rational() -> Iterator[tuple]:
    """`exact` on ties of 1/6, under roundings that have to see them; a product of 95 bits."""
    acc = np.arange(-40, 41, dtype=np.int32)
    for rounding, to_integer in _ROUND.items():
        for order, first in (("round-then-add", 0), ("add-then-round", 5)):
            codes = [to_integer(Fraction(int(a), 6) + first) + 5 - first for a in acc]
            m, t, g = np.int64(-(-(2**40) // 6)), np.int8(40), np.int8(3)
            operands = [acc, np.asarray(m), np.asarray(t), np.asarray(g), np.asarray(np.int8(5))]
            words = ["multiplier {1} shift {2} fraction {3} zero_point {4} limit 1000"]
            text = _text("exact", operands, words, "i8", f"rounding = {rounding}, order = {order}")
            yield f"exact-{rounding}-{order}", text, operands, np.array(codes, np.int8)
    acc = np.array([2**31 - 1, -(2**31), 2**30 + 1, 12345, -1], np.int32)
    m = 2**62 + 2**32 + 1
    codes = [round(Fraction(int(a) * m, 2**87)) for a in acc]
    operands = [acc, np.asarray(np.int64(m)), np.asarray(np.int8(87))]
    text = _text("exact", operands, ["multiplier {1} shift {2}"], "i8")
    yield "exact-95-bits", text, operands, np.array(codes, np.int8)
    # 2^62 + 2^38 + 1 is just above a tie of f32, and a tie itself after a rounding to f64.
    acc = np.array([2**62 + 2**38 + 1, 2**60 + 2**36 + 1, 3], np.int64)
    operands = [acc, np.asarray(np.float32(2.0**-39))]
    codes = [2**23 + 1, 2**21, 0]
    yield (
        "f32-long-accumulators",
        _text("f32", operands, ["multiplier {1}"], "i32"),
        operands,
        np.array(codes, np.int32),
    )
