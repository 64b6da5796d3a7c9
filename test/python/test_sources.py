# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""proofs.md says what the tests prove, nothing else, and all that the systems' documents allow."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sources_table

BYTES = ("i8", "ui8")
ONNX_INTEGERS = ("i2", "ui2", "i4", "ui4", *BYTES, "i16", "ui16")
ONNX_FLOATS = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
QUARK = ("i32", "ui32", "i16", "ui16", *BYTES, "f16", "bf16")
TENSOR_AND_AXIS, ALL = ("tensor", "axis"), ("tensor", "axis", "block")
#: Required proofs of each operation: every storage type at every granularity.
REQUIRED = {
    ("ONNX", "QuantizeLinear"): ((*ONNX_INTEGERS, *ONNX_FLOATS), ALL),
    ("ONNX", "DequantizeLinear"): (("i32", *ONNX_INTEGERS, *ONNX_FLOATS), ALL),
    ("ONNX", "DynamicQuantizeLinear"): (("ui8",), ("tensor",)),
    ("ONNX through torch-mlir", "QuantizeLinear"): (("i4", "ui4", *BYTES, "i16", "ui16"), ALL),
    ("ONNX through torch-mlir", "DequantizeLinear"): (("i4", "ui4", *BYTES, "i16", "ui16"), ALL),
    ("AMD Quark", "ExtendedQuantizeLinear"): (QUARK, TENSOR_AND_AXIS),
    ("AMD Quark", "ExtendedDequantizeLinear"): (QUARK, TENSOR_AND_AXIS),
    ("OpenPPL pmx", "DequantizeLinear"): (("i4", "i8"), ALL),
    ("oneDNN Graph", "DynamicDequantize"): (("i4", "ui4", *BYTES), ALL),
    ("oneDNN Graph", "DynamicQuantize"): (BYTES, TENSOR_AND_AXIS),
    ("oneDNN Graph", "Quantize"): (BYTES, TENSOR_AND_AXIS),
    ("oneDNN Graph", "Dequantize"): (BYTES, TENSOR_AND_AXIS),
    ("MLIR quant", "qcast"): ((*BYTES, "i4", "ui4", "i16", "ui16"), ALL),
    ("MLIR quant", "dcast"): ((*BYTES, "i4", "ui4", "i16", "ui16"), ALL),
}


@pytest.fixture(scope="module")
def fresh(request) -> str:
    items = request.config.stash[sources_table.ITEMS]
    files = set(sources_table.TESTS.glob("test_*.py"))
    if files <= {item.path for item in items} and "::" not in "".join(request.config.args):
        return sources_table.table(sources_table.rows_of(items))
    run = subprocess.run(
        [sys.executable, Path(sources_table.__file__)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_table_is_up_to_date(fresh):
    page = sources_table.PAGE.read_text()
    assert sources_table.replace_table(page, fresh) == page, (
        "run: python test/python/sources_table.py --write"
    )


def test_all_that_a_system_allows_is_proven(fresh):
    proven = set()
    for line in fresh.splitlines()[2:]:
        system, operation, granularity, storage, *_ = (
            cell.strip() for cell in re.split(r"\|", line)[1:]
        )
        cells = (operation.split("; "), granularity.split(", "), storage.split(", "))
        proven |= {(system, *cell) for cell in itertools.product(*cells)}
    required = {
        (*names, granularity, element)
        for names, (types, granularities) in REQUIRED.items()
        for granularity, element in itertools.product(granularities, types)
    }
    assert not required - proven
