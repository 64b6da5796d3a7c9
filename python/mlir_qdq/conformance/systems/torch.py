# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's quantized tensors, per tensor: one call for each scale, or row."""

from __future__ import annotations

import warnings

import numpy as np
import torch

from ..case import Unsupported, is_float
from ..choose_params import ChooseParams
from ..conversions import Conversion
from ..requantize import Requantize
from .products import factors

PROFILE = "torch"
#: Its products of quantized tensors end as those of ONNX Runtime.
PROFILES = {"requantize": "ort"}
VERSION = f"torch {torch.__version__.partition('+')[0]}"
_TYPES = {"i8": torch.qint8, "ui8": torch.quint8, "i32": torch.qint32}


def convert(case: Conversion) -> np.ndarray:
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


def _convert(group: Conversion) -> np.ndarray:
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


def choose_params(case: ChooseParams) -> tuple[np.ndarray, ...]:
    """quantize_per_tensor_dynamic."""
    case.require(storages=("ui8",))

    def one(x: np.ndarray):
        try:
            q = torch.quantize_per_tensor_dynamic(torch.from_numpy(x), torch.quint8, False)
        except RuntimeError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        return q.int_repr().numpy(), np.float32(q.q_scale()), q.q_zero_point()

    return case.by_groups(one)


def requantize(case: Requantize) -> np.ndarray:
    """quantized.linear, one for each channel."""
    case.require(storages=("ui8",), most=2**19)
    z, sy = int(case.zero_point.array), float(case.sy.array)
    result = np.zeros(case.acc.array.shape, np.uint8)
    warnings.simplefilter("ignore")
    for row, acc in enumerate(case.acc.array):
        a, b = factors(acc)
        weights = torch._make_per_tensor_quantized_tensor(
            torch.from_numpy(b), float(case.sb.array[row]), 0
        )
        packed = torch.ops.quantized.linear_prepack(weights, None)
        x = torch._make_per_tensor_quantized_tensor(torch.from_numpy(a), float(case.sa.array), 0)
        result[row] = torch.ops.quantized.linear(x, packed, sy, z).int_repr().numpy().reshape(-1)
    return result
