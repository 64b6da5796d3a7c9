# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of docs/FromLowerQuantOps.md: the codes of upstream's pass, and ours."""

import re

import numpy as np
from build_tree import SOURCE
from mlir_qdq import conformance, runtime
from mlir_qdq.conformance import Conversion, Operand

PAGE = (SOURCE / "docs" / "FromLowerQuantOps.md").read_text()
ROWS = re.findall(r"(?m)^\| (-?[\d.]+|nan) \| [^|]+ \| (-?\d+|poison) \| (-?\d+) \|.*$", PAGE)
OURS = """
func.func @quantize(%x: tensor<?xf32>) -> tensor<?x!quant.uniform<i8:f32, 0.5:10>> {
  %q = quant.qcast %x : tensor<?xf32> to tensor<?x!quant.uniform<i8:f32, 0.5:10>>
  return %q : tensor<?x!quant.uniform<i8:f32, 0.5:10>>
}"""


def values(rows):
    return np.array([row[0] for row in rows], np.float32)


def test_ours():
    assert len(ROWS) >= 5
    codes = runtime.compile(OURS).quantize(values(ROWS))
    assert codes.tolist() == [int(row[2]) for row in ROWS]


def test_upstream():
    """Where its result is not poison."""
    rows = [row for row in ROWS if row[1] != "poison"]
    assert len(rows) == len(ROWS) - 1
    case = Conversion(
        "casts",
        "quantize",
        Operand("f32", values(rows)),
        Operand("f32", np.array(0.5, np.float32)),
        Operand("i8", np.zeros(len(rows), np.int8)),
        Operand("i8", np.array(10, np.int8)),
        profile="quant",
    )
    codes = conformance.implementation("lower-quant-ops").convert(case)
    assert codes.tolist() == [int(row[1]) for row in rows]
