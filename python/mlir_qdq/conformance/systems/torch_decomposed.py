# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's torch.ops.quantized_decomposed.*_per_tensor, which PT2E writes: one call for each scale."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 (registers the operations)

from ..case import Unsupported, bounds_of, is_float
from ..choose_params import ChooseParams
from ..conversions import Conversion

PROFILE = "torch-decomposed"
VERSION = f"torch {torch.__version__.partition('+')[0]}"
_CODES = {
    "i8": torch.int8, "ui8": torch.uint8, "i16": torch.int16, "ui16": torch.uint16, "i32": torch.int32,
}  # fmt: skip
_REALS = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
}  # fmt: skip


def convert(case: Conversion) -> np.ndarray:
    if case.storage not in _CODES or case.real not in _REALS:
        raise Unsupported(f"{case.storage} of {case.real}")
    if case.scale.type not in ("f32", "f64"):
        raise Unsupported(f"scales of {case.scale.type}")
    if case.operation == "quantize" and (case.real == "f64" or case.storage == "i32"):
        raise Unsupported(f"quantize of {case.real} to {case.storage}")  # no part of the profile
    if case.zero_point and (case.domain == "expressed" or is_float(case.zero_point.type)):
        raise Unsupported("zero points that are no integers")
    return case.by_groups(_convert)


def _tensor(array: np.ndarray) -> torch.Tensor:
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
    return torch.from_numpy(array)


def _convert(group: Conversion) -> np.ndarray:
    bits, signed = int(group.storage.lstrip("ui")), not group.storage.startswith("u")
    low = -(2 ** (bits - 1)) if signed else 0
    low, high = group.clamp or (low, low + 2**bits - 1)
    z = int(group.zero_point.array) if group.zero_point else 0
    parameters = (float(group.scale.array), z, low, high, _CODES[group.storage])
    operations, x = torch.ops.quantized_decomposed, _tensor(group.x.array)
    try:
        if group.operation == "quantize":
            return operations.quantize_per_tensor(x, *parameters).numpy()
        y = operations.dequantize_per_tensor(x, *parameters, out_dtype=_REALS[group.real])
    except RuntimeError as error:
        raise Unsupported(str(error).splitlines()[0]) from error
    if group.real == "bf16":
        return y.float().numpy().astype(ml_dtypes.bfloat16)
    return y.numpy()


def choose_params(case: ChooseParams) -> tuple[np.ndarray, ...]:
    """choose_qparams with the least scale that its writers give, and quantize_per_tensor."""
    case.require(storages=("i8", "ui8"), operations=case.OPERATIONS)
    bounds = (*bounds_of(case.storage), _CODES[case.storage])
    operations, least = torch.ops.quantized_decomposed, torch.finfo(torch.float32).eps

    def one(row: np.ndarray):
        x = torch.from_numpy(row)
        try:
            scale, z = operations.choose_qparams.tensor(x, *bounds[:2], least, bounds[2])
            parameters = np.float32(scale.item()), z.item()
            if not case.codes:
                return parameters
            codes = operations.quantize_per_tensor(x, scale.item(), z.item(), *bounds)
        except (RuntimeError, AssertionError) as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        return codes.numpy(), *parameters

    return case.by_groups(one)
