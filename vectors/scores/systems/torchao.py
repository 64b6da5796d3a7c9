# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchao: MX blocks by each rule for the scale, NVFP4, casts to floats of 4 and 6 bits, zero points."""

import numpy as np
import torch
from scoring import arrays, cast, versions, zero_points
from torchao.prototype.mx_formats import kernels, nvfp4_tensor
from torchao.prototype.mx_formats.config import ScaleCalculationMode
from torchao.prototype.mx_formats.mx_tensor import to_mx
from torchao.quantization.quant_primitives import dequantize_affine, quantize_affine

from .torch import CODES, bits, tensor

PACKAGES = ("torchao==0.18.0", "torch==2.13.0", "numpy")
ELEMENTS = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f6E2M3FN": "fp6_e2m3",
    "f6E3M2FN": "fp6_e3m2",
    "f4E2M1FN": torch.float4_e2m1fn_x2,
}
CASTS = {
    "f4E2M1FN": (kernels.f32_to_f4_unpacked, kernels.f4_unpacked_to_f32),
    "f6E2M3FN": (kernels.f32_to_f6_e2m3_unpacked, kernels.f6_e2m3_unpacked_to_f32),
    "f6E3M2FN": (kernels.f32_to_f6_e3m2_unpacked, kernels.f6_e3m2_unpacked_to_f32),
}


def version():
    return versions("torchao", "torch")


def nibbles(packed: np.ndarray) -> np.ndarray:
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1)


def mx(element, mode):
    def convert(case):
        scale, data = to_mx(torch.from_numpy(case.x.array.copy()), element, 32, mode)
        codes = bits(data)
        is_packed = codes.shape[-1] < case.x.array.shape[-1]
        return (nibbles(codes) if is_packed else codes), bits(scale).reshape(-1)

    return convert


def nvfp4(case):
    t = torch.tensor(case.tensor_scale.array.item(), dtype=torch.float32)
    x = torch.from_numpy(case.x.array.copy())
    scale, data = nvfp4_tensor.nvfp4_quantize(x, 16, t)
    return nibbles(bits(data)), bits(scale).reshape(-1)


def quantize(x, scale, zero, storage):
    _, dtype, low, high = CODES[storage]
    parameters = torch.tensor(scale), torch.tensor(zero, dtype=torch.int32)
    return quantize_affine(torch.from_numpy(x), (len(x),), *parameters, dtype, low, high).numpy()


def dequantize(codes, scale, zero, storage):
    _, dtype, low, high = CODES[storage]
    values = torch.from_numpy(codes.astype(str(dtype).removeprefix("torch.")))
    parameters = torch.tensor(scale), torch.tensor(zero, dtype=torch.int32)
    return dequantize_affine(values, (len(codes),), *parameters, dtype, low, high).numpy()


def operations():
    for storage, element in ELEMENTS.items():
        for mode in ScaleCalculationMode:
            yield arrays(
                f"MX blocks of {storage}, {mode.name}", "block_quantize", mx(element, mode),
                topic="mx", codes=storage,
            )  # fmt: skip
    yield arrays("NVFP4 blocks", "block_quantize", nvfp4, topic="nvfp4", codes="f4E2M1FN")
    for storage, (encode, decode) in CASTS.items():
        yield cast("f32", storage, lambda x, f=encode: bits(f(tensor(x, torch.float32))))
        yield cast(storage, "f32", lambda x, f=decode: bits(f(torch.from_numpy(x))))
    yield from zero_points(quantize, dequantize, note="affine")
