# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD Quark's block formats, compiled, bit by bit beside what its own operators gave.

`data/quark` is written by tools/record-vectors/quark_blocks.py: ties, zeros of both signs, subnormal numbers, NaN and infinities in every place, short
last blocks, both kernels of BFP, every element type of MX.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mlir_qdq import runtime

DATA = Path(__file__).parent / "data" / "quark"
CASES = json.loads((DATA / "blocks.json").read_text())["cases"]
ARRAYS = np.load(DATA / "blocks.npz")
ELEMENTS = {"float32": "f32", "float16": "f16"}
AGAINST = "AMD Quark 0.13 on CPU"


def node(case: dict, name: str, domain="com.amd.quark", dynamic=False) -> str:
    x = ARRAYS[case["input"]]
    sizes = "".join(("?" if dynamic else str(size)) + "x" for size in x.shape)
    tensor = f"tensor<{sizes}{ELEMENTS[x.dtype.name]}>"
    attributes = {"domain_name": domain, "function_name": case["operator"]} | case["attributes"]
    spelled = ", ".join(
        f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value} : si64"
        for key, value in attributes.items()
    )
    return (
        f"func.func @{name}(%x: {tensor}) -> {tensor} {{\n"
        f'  %y = "onnx.Custom"(%x) {{{spelled}}} : ({tensor}) -> {tensor}\n  return %y : {tensor}\n}}\n'
    )


def assert_same(case: dict, got: np.ndarray) -> None:
    expected = ARRAYS[case["result"]]
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    bits = f"u{got.dtype.itemsize}"
    same = np.asarray(got).view(bits) == expected.view(bits)
    same |= np.isnan(got) & np.isnan(expected)
    where = tuple(np.argwhere(~same)[0]) if not same.all() else ()
    assert same.all(), (
        f"{(~same).sum()} of {same.size} differ, the first at {where}: {ARRAYS[case['input']][where]!r} "
        f"gives {np.asarray(got)[where]!r}, expected {expected[where]!r}: {case}"
    )


def check(cases: list[dict], **options) -> None:
    text = "".join(node(case, f"f{i}", **options) for i, case in enumerate(cases))
    compiled = runtime.compile(text)
    for index, case in enumerate(cases):
        assert_same(case, compiled[f"f{index}"](ARRAYS[case["input"]]))


def of(operator: str) -> list[dict]:
    return [case for case in CASES if case["operator"] == operator]


@pytest.mark.proves("AMD Quark", "BFPQuantizeDequantize", against=AGAINST, granularity="block", storage="10 to 32 bits, shared exponent")  # fmt: skip
@pytest.mark.unoptimized
def test_bfp():
    check(of("BFPQuantizeDequantize"))


@pytest.mark.proves("AMD Quark", "MXQuantizeDequantize", against=AGAINST, granularity="block", storage="i8, f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN, f4E2M1FN")  # fmt: skip
@pytest.mark.unoptimized
def test_mx():
    check(of("MXQuantizeDequantize"))


@pytest.mark.unoptimized
@pytest.mark.parametrize("step", [12, pytest.param(3, marks=pytest.mark.exhaustive)])
def test_open_sizes(step):
    """One element, which stays as it is, is known at run time only."""
    short = [case for case in CASES if case["input"] in ("ones", "row")]
    check(CASES[::step] + short, dynamic=True)


@pytest.mark.parametrize("old, name", [("BFPFixNeuron", "BFPQuantizeDequantize"), ("MXFixNeuron", "MXQuantizeDequantize")])  # fmt: skip
def test_old_names(old, name):
    case = of(name)[0]
    text = node(case | {"operator": old}, "f", domain="com.vai.quantize")
    assert_same(case, runtime.compile(text).f(ARRAYS[case["input"]]))


def test_empty():
    for operator in ("BFPQuantizeDequantize", "MXQuantizeDequantize"):
        attributes = f'domain_name = "com.amd.quark", function_name = "{operator}"'
        text = (
            "func.func @f(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {\n"
            f'  %y = "onnx.Custom"(%x) {{{attributes}}} : (tensor<0x5xf32>) -> tensor<0x5xf32>\n'
            "  return %y : tensor<0x5xf32>\n}"
        )
        assert runtime.compile(text).f(np.zeros((0, 5), np.float32)).shape == (0, 5)
