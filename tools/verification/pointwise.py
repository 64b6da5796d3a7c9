# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All three statements on every input of a case with few inputs."""

from __future__ import annotations

import numpy as np

from .cases import Case
from .statements import Emitted, canonical, dtype_of, evaluate, operands, refer, result_type
from mlir_qdq.reference.types import IntegerType, storage_type


class Mismatch(Exception):
    """Two statements that differ; says on which bits."""


def describe(case: Case, index: int, x, found: dict[str, int]) -> str:
    pattern = x.tobytes()[::-1].hex()
    results = ", ".join(f"{name} 0x{bits:x}" for name, bits in found.items())
    parameters = " ".join(str(p) for p in operands(case, index))
    return f"{case.key}\n  parameters {parameters}\n  x = 0x{pattern} ({x})\n  {results}"


def all_inputs(case: Case) -> np.ndarray:
    """Every f16 or bf16, or every code."""
    if case.operation != "dequantize":
        return np.arange(65536, dtype=np.uint16).view(dtype_of(case.value))
    storage = storage_type(case.storage)
    if isinstance(storage, IntegerType):
        return np.arange(storage.lowest, storage.highest + 1).astype(storage.dtype)
    width = 8 * storage.dtype.itemsize
    count = 1 << (int(case.storage[1]) if width == 8 else width)
    return np.arange(count).astype(f"u{storage.dtype.itemsize}").view(storage.dtype)


def compare(case: Case, index: int, x: np.ndarray, emitted: np.ndarray) -> None:
    """`emitted`, the bits that compiled code gave for `x`, against the other two."""
    kind = result_type(case)
    emitted = canonical(emitted, kind)
    for name, (bits, defined) in (
        ("evaluator", evaluate(case, x, index)),
        ("reference", refer(case, x, index)),
    ):
        differs = (emitted != canonical(bits, kind)) & defined
        if differs.any():
            at = int(np.argmax(differs))
            found = {"emitted": int(emitted[at]), name: int(bits[at])}
            raise Mismatch(describe(case, index, x[at], found))


def verify(case: Case, emitted: Emitted) -> int:
    """The number of inputs, each compared for all parameters."""
    x = all_inputs(case)
    for index in range(len(case.parameters)):
        compare(case, index, x, emitted(case, x, index))
    return x.size * len(case.parameters)
