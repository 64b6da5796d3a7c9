# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at which the cast to a float format can go wrong."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from mlir_qdq.reference.types import FLOAT_STORAGE

#: The formats below 16 bits.
SMALL = tuple(name for name, type in FLOAT_STORAGE.items() if type.dtype.itemsize == 1)


def every(source: str) -> np.ndarray:
    """All bit patterns of f16 or bf16."""
    return np.arange(65536, dtype=np.uint16).view(
        {"f16": np.float16, "bf16": ml_dtypes.bfloat16}[source]
    )


def every_code(dtype) -> np.ndarray:
    """All codes of a type of at most 8 bits, as an array of it."""
    dtype = np.dtype(dtype)
    return np.arange(2 ** ml_dtypes.finfo(dtype).bits, dtype=np.uint8).view(dtype)


def edges(storage: str, dtype, count: int = 600) -> np.ndarray:
    """Values of a format and the middles between them, each also one step of `dtype` below and above; beyond
    the largest value; specials."""
    type, dtype = FLOAT_STORAGE[storage], np.dtype(dtype)
    if type.dtype.itemsize == 1:
        values = every_code(type.dtype).astype(np.float64)
    else:
        bits = np.linspace(0, 32767, count).astype(np.uint16)
        with np.errstate(invalid="ignore"):
            values = bits.view(type.dtype).astype(np.float64)
    values = np.unique(np.abs(values[np.isfinite(values)]))
    last = values[-1] + (values[-1] - values[-2]) * np.array([0.5, 1, 1.5, 2])
    points = np.concatenate([values, (values[1:] + values[:-1]) / 2, last, [2 * last[-1]]])
    with np.errstate(over="ignore"):
        points = points.astype(dtype)
    info = np.finfo(dtype)
    special = [
        np.inf,
        np.nan,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        0.7 * info.tiny,
        2.0**-127,
        2.0**-30,
    ]
    up, down = np.nextafter(points, dtype.type(np.inf)), np.nextafter(points, dtype.type(0))
    positive = np.concatenate([points, up, down, np.array(special, dtype)])
    return np.concatenate([positive, -positive])
