# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QONNX's Quant, BipolarQuant and Trunc, compiled, bit by bit beside what QONNX's own executor gave.

`data/qonnx` is written by tools/record-vectors/qonnx_operators.py: widths of 1 to 32 bits, all roundings, ties and their neighbors, infinities, scales
and zero points of every shape, also such as are no codes.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from onnx_nodes import Node, Operand, check

DATA = Path(__file__).parent / "data" / "qonnx"
CASES = json.loads((DATA / "operators.json").read_text())["cases"]
ARRAYS = np.load(DATA / "operators.npz")
AGAINST = "QONNX 1.0 by its own executor"
DOMAINS = ("qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general")
#: What stays a constant where parameters are arguments: widths, and the scales that decide a shift.
BITS = " bits"


def node(case: dict, domain: str, is_constant=True, dynamic=False) -> Node:
    operands = []
    for position, name in enumerate(case["operands"]):
        fixed = position > 0 and (is_constant or name.endswith(BITS))
        operands.append(Operand(ARRAYS[name], "f32", fixed))
    expected = ARRAYS[case["result"]]
    # Codes have one zero; QONNX's float codes keep the sign of what they round.
    expected = np.where(expected == 0, 0 * ARRAYS[case["operands"][1]], expected)
    attributes = case["attributes"]
    return Node(domain, case["operator"], tuple(operands), expected, "f32", attributes, dynamic)


def of(*operators: str) -> list[dict]:
    return [case for case in CASES if case["operator"] in operators]


@pytest.mark.proves("QONNX", "Quant, IntQuant", against=AGAINST, granularity="tensor, axis, block", storage="integers of 1 to 32 bits")  # fmt: skip
@pytest.mark.parametrize("domain", DOMAINS)
def test_quant(domain):
    cases = of("Quant", "IntQuant")
    check([node(case, domain) for case in cases[DOMAINS.index(domain) :: len(DOMAINS)]])


@pytest.mark.proves("QONNX", "BipolarQuant", against=AGAINST, granularity="tensor, axis, block", storage="one bit")  # fmt: skip
def test_bipolar_quant():
    check([node(case, DOMAINS[0], c) for case in of("BipolarQuant") for c in (True, False)])


@pytest.mark.proves("QONNX", "Trunc", against=AGAINST, granularity="tensor, axis", storage="i32, integers of 1 to 32 bits")  # fmt: skip
def test_trunc():
    check([node(case, DOMAINS[0]) for case in of("Trunc")])


def test_trunc_of_arguments():
    """Without an output scale."""
    cases = [case for case in of("Trunc") if len(case["operands"]) == 5]
    check([node(case, DOMAINS[0], is_constant=False) for case in cases])


@pytest.mark.unoptimized
def test_open_sizes():
    check([node(case, DOMAINS[0], dynamic=True) for case in CASES[::5]])


def test_arguments():
    """Scales and zero points that are known at run time only. A scale that a zero point repeats has to be a constant."""
    cases = [
        case
        for case in of("Quant")
        if ARRAYS[case["operands"][2]].size == 1 or ARRAYS[case["operands"][1]].size > 1
        # One signed bit has a constant zero point.
        if case["operands"][3] != "1 bits" or not case["attributes"]["signed"]
    ]
    check([node(case, DOMAINS[0], is_constant=False) for case in cases[::2]])
