# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's quantized tensors, per tensor: one call for each scale."""

from __future__ import annotations

import warnings

import numpy as np
import torch

from ..cases import Case, Unsupported, is_float

PROFILE = "torch"
VERSION = f"torch {torch.__version__.partition('+')[0]}"
_TYPES = {"i8": torch.qint8, "ui8": torch.quint8, "i32": torch.qint32}


def convert(case: Case) -> np.ndarray:
    if case.storage not in _TYPES or case.real != "f32":
        raise Unsupported(f"{case.storage} of {case.real}")
    if case.operation == "quantize" and case.storage == "i32":
        raise Unsupported("quantize to i32")  # no part of the profile
    if case.clamp:
        raise Unsupported("narrowed ranges")
    z = case.zero_point
    if z and (case.domain == "expressed" or is_float(z.type) or z.type != case.storage):
        raise Unsupported("zero points of another type than the codes")
    return case.by_groups(_convert)


def _convert(group: Case) -> np.ndarray:
    scale = float(group.scale.array.astype(np.float32))
    z = int(group.zero_point.array) if group.zero_point else 0
    x = torch.from_numpy(group.x.array)
    warnings.simplefilter("ignore")  # each call says that its like is to be removed
    try:
        if group.operation == "quantize":
            return torch.quantize_per_tensor(x, scale, z, _TYPES[group.storage]).int_repr().numpy()
        return torch._make_per_tensor_quantized_tensor(x, scale, z).dequantize().numpy()
    except RuntimeError as error:
        raise Unsupported(str(error).splitlines()[0]) from error
