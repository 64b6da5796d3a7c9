# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's quantized_decomposed and torchao's affine operators, compiled, bit by bit beside what PyTorch gave.

`data/torch` is written by tools/record-vectors/torch_operators.py: ties and their neighbours, NaN, infinities, zeros of both signs, scales that no
f32 holds, every pair of types that is promoted.
"""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from mlir_qdq import runtime

DATA = Path(__file__).parent / "data" / "torch"
CASES = json.loads((DATA / "operators.json").read_text())["cases"]
STORED = np.load(DATA / "operators.npz")
AGAINST = "PyTorch 2.13.0, torchao 0.18.0 on CPU"


def array_of(operand: dict) -> np.ndarray:
    array = STORED[operand["tensor"]]
    return array.view(ml_dtypes.bfloat16) if operand["element"] == "bf16" else array


def type_of(operand: dict, dynamic: bool) -> str:
    sizes = ",".join("?" if dynamic else str(size) for size in STORED[operand["tensor"]].shape)
    return f"!torch.vtensor<[{sizes}],{operand['element']}>"


def function(case: dict, name: str, constant=False, dynamic=False) -> str:
    """`constant`: parameters are literals, and no arguments."""
    lines, arguments, names, types = [], [], [], []

    def add(operation: str, properties: str, of: str, operands=()) -> str:
        parts, inputs = ", ".join(operands), ", ".join(["!torch.int"] * len(operands))
        lines.append(
            f'  %c{len(lines)} = "torch.{operation}"({parts}){properties} : ({inputs}) -> {of}'
        )
        return f"%c{len(lines) - 1}"

    def integer(value: int) -> str:
        return add("constant.int", f" <{{value = {value} : i64}}>", "!torch.int")

    for index, operand in enumerate(case["operands"]):
        if "tensor" in operand:
            array, is_open = STORED[operand["tensor"]], dynamic and index == 0
            types.append(type_of(operand, is_open))
            if constant and index:
                raw = array.tobytes().hex().upper()
                builtin = f"tensor<{''.join(f'{s}x' for s in array.shape)}{operand['element']}>"
                value = f' <{{value = dense<"0x{raw}"> : {builtin}}}>'
                names.append(add("vtensor.literal", value, types[-1]))
            else:
                names.append(f"%a{index}")
                arguments.append(f"%a{index}: {types[-1]}")
        elif "ints" in operand:
            parts = [integer(value) for value in operand["ints"]]
            types.append("!torch.list<int>")
            names.append(add("prim.ListConstruct", "", types[-1], parts))
        elif "str" in operand:
            types.append("!torch.str")
            names.append(add("constant.str", f' <{{value = "{operand["str"]}"}}>', types[-1]))
        elif "bool" in operand:
            types.append("!torch.bool")
            names.append(
                add("constant.bool", f" <{{value = {str(operand['bool']).lower()}}}>", types[-1])
            )
        elif "none" in operand:
            types.append("!torch.none")
            names.append(add("constant.none", "", types[-1]))
        elif "float" in operand:
            bits = np.float64(operand["float"]).view(np.uint64)
            types.append("!torch.float")
            names.append(add("constant.float", f" <{{value = 0x{bits:016X} : f64}}>", types[-1]))
        else:
            names.append(integer(operand["int"]))
            types.append("!torch.int")
    results = [type_of(result, dynamic and len(case["results"]) == 1) for result in case["results"]]
    result = results[0] if len(results) == 1 else f"({', '.join(results)})"
    values = ", ".join(f"%y#{index}" for index in range(len(results)))
    return (
        f"func.func @{name}({', '.join(arguments)}) -> {result} {{\n" + "\n".join(lines) + "\n"
        f'  %y:{len(results)} = "torch.operator"({", ".join(names)}) <{{name = "torch.{case["operator"]}"}}> : '
        f"({', '.join(types)}) -> {result}\n  return {values} : {', '.join(results)}\n}}\n"
    )


def check(cases: list[dict], **options) -> None:
    compiled = runtime.compile(
        "".join(function(case, f"f{i}", **options) for i, case in enumerate(cases))
    )
    for index, case in enumerate(cases):
        tensors = [array_of(operand) for operand in case["operands"] if "tensor" in operand]
        given = tensors[:1] if options.get("constant") else tensors
        results = compiled[f"f{index}"](*given)
        results = results if isinstance(results, tuple) else (results,)
        for got, stored in zip(results, case["results"], strict=True):
            got, expected = np.asarray(got), array_of(stored)
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape), case
            bits = f"u{got.dtype.itemsize}"
            same = got.view(bits) == expected.view(bits)
            if got.dtype.kind not in "iu":
                same |= np.isnan(got) & np.isnan(expected)
            where = tuple(np.argwhere(~same)[0]) if not same.all() else ()
            assert same.all(), (
                f"{(~same).sum()} of {same.size} differ, the first at {where}: got {got[where]!r}, "
                f"expected {expected[where]!r}\n{function(case, 'f', **options)}"
            )


def of(*names: str) -> list[dict]:
    return [case for case in CASES if {*case["operator"].split(".")[1:]} & {*names}]


@pytest.mark.proves("PyTorch PT2E", "quantize_per_tensor", against=AGAINST, granularity="tensor", storage="i8, ui8, i16")  # fmt: skip
@pytest.mark.proves("PyTorch PT2E", "dequantize_per_tensor", against=AGAINST, granularity="tensor", storage="i8, ui8, i16")  # fmt: skip
def test_per_tensor():
    cases = of("quantize_per_tensor", "dequantize_per_tensor")
    check([case for case in cases if not case["operator"].endswith("tensor2")])


def test_bounds_that_are_tensors():
    """Of which the values have to be known."""
    cases = of("tensor2")
    assert len(cases) == 2
    check(cases, constant=True)


@pytest.mark.proves("PyTorch PT2E", "quantize_per_channel", against=AGAINST, granularity="axis", storage="i8, ui8, i16")  # fmt: skip
@pytest.mark.proves("PyTorch PT2E", "dequantize_per_channel", against=AGAINST, granularity="axis", storage="i8, ui8, i16")  # fmt: skip
def test_per_channel():
    check(of("quantize_per_channel", "dequantize_per_channel"))


@pytest.mark.proves("PyTorch PT2E", "quantize_per_token", against=AGAINST, granularity="block", storage="i8")  # fmt: skip
@pytest.mark.proves("PyTorch PT2E", "dequantize_per_token", against=AGAINST, granularity="block", storage="i8")  # fmt: skip
def test_per_token():
    check(of("quantize_per_token", "dequantize_per_token"))


@pytest.mark.proves("PyTorch PT2E", "quantize_per_channel_group", against=AGAINST, granularity="block", storage="i8")  # fmt: skip
@pytest.mark.proves("PyTorch PT2E", "dequantize_per_channel_group", against=AGAINST, granularity="block", storage="i8")  # fmt: skip
def test_per_channel_group():
    check(of("quantize_per_channel_group", "dequantize_per_channel_group"))


@pytest.mark.proves("torchao", "quantize_affine", against=AGAINST, granularity="tensor, axis, block", storage="i8, ui8")  # fmt: skip
@pytest.mark.proves("torchao", "dequantize_affine", against=AGAINST, granularity="tensor, axis, block", storage="i8, ui8")  # fmt: skip
def test_affine():
    check(of("quantize_affine", "dequantize_affine"))


def test_convert_element_type():
    check(of("convert_element_type"))


CHOOSE = ("choose_qparams", "choose_qparams_symmetric", "choose_qparams_per_token", "choose_qparams_per_token_asymmetric")  # fmt: skip


@pytest.mark.proves("PyTorch PT2E", "choose_qparams, choose_qparams_symmetric", against=AGAINST, granularity="tensor", storage="i8, ui8, i16")  # fmt: skip
@pytest.mark.proves("PyTorch PT2E", "choose_qparams_per_token, _asymmetric", against=AGAINST, granularity="block", storage="i8")  # fmt: skip
def test_choose_qparams():
    check(of(*CHOOSE))


@pytest.mark.proves("torchao", "choose_qparams_affine", against=AGAINST, granularity="tensor, axis, block", storage="i8, ui8")  # fmt: skip
def test_choose_qparams_affine():
    check(of("choose_qparams_affine"))


def test_parameters_that_are_not_finite():
    """PyTorch raises an exception, or converts a NaN; here the zero point is the lowest code."""
    case = next(case for case in of("choose_qparams_per_token_asymmetric") if len(STORED[case["operands"][0]["tensor"]].shape) == 2)  # fmt: skip
    x = array_of(case["operands"][0]).copy()
    x[0, 3], x[1, 2] = np.nan, np.inf
    scale, zero_point = (np.asarray(r) for r in runtime.compile(function(case, "f")).f(x))
    assert np.isnan(scale[0]) and np.isinf(scale[1]) and np.isfinite(scale[2:]).all()
    assert zero_point[0] == zero_point[1] == -128


def test_constant_parameters():
    """As literals, which is what an exported model has; f8 and integers of 64 bits among them."""
    check(CASES[1::5], constant=True)


@pytest.mark.unoptimized
def test_open_sizes():
    """Those of the input; torchao's blocks say more than open sizes allow, and are refused where they fill a dimension."""
    cases = [case for case in CASES[::4] if "quantized_decomposed" in case["operator"]]
    check([case for case in cases if not case["operator"].endswith("tensor2")], dynamic=True)
