# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales of ggml's blocks, Q8_0 and MXFP4, as its Python package makes them."""

from __future__ import annotations

from importlib import metadata

import numpy as np
from gguf import GGMLQuantizationType, quants

from ..case import Unsupported
from ..choose_params import ChooseParams

PROFILE = None
VERSION = f"gguf {metadata.version('gguf')}"
#: By storage, type of the scales and power of two. The bytes of a block begin with its scale.
_FORMATS = {
    ("i8", "f16", None): GGMLQuantizationType.Q8_0,
    ("f4E2M1FN", "f8E8M0FNU", "floor"): GGMLQuantizationType.MXFP4,
}


def choose_params(case: ChooseParams) -> tuple[np.ndarray, ...]:
    format = _FORMATS.get((case.storage, case.scale.type, case.power_of_two))
    if not format or case.x.type != "f32":
        raise Unsupported("other scales than those of Q8_0 and MXFP4")
    # A block of 32 that zeros fill has the same range.
    rows, width = case.x.array.shape
    blocks = np.zeros((rows, 32), np.float32)
    blocks[:, :width] = case.x.array
    with np.errstate(all="ignore"):
        packed = quants.quantize(blocks, format)
    scale = case.scale.array
    chosen = np.ascontiguousarray(packed[:, : scale.dtype.itemsize]).view(scale.dtype).reshape(rows)
    return (chosen, np.zeros(rows, case.zero_point.array.dtype)) if case.zero_point else (chosen,)
