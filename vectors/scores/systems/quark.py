# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD Quark: the PyTorch references of its kernels for MX blocks and E5M3."""

import torch
from quark.torch.kernel.float8_e5m3.reference import (
    reference_convert_fp32_to_e5m3_bits,
    reference_dequantize_float8_e5m3,
)
from quark.torch.kernel.mx.triton import DequantScaleRoundingMode, downcast_to_mxfp_torch
from scoring import arrays, cast, versions

from .torch import bits, tensor
from .torchao import nibbles

PACKAGES = ("amd-quark==0.13", "torchao==0.18.0", "torch==2.13.0", "triton==3.9.0", "numpy")
ELEMENTS = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f4E2M1FN": torch.uint8,
}


def version():
    return versions("amd-quark")


def mx(element, mode):
    def convert(case):
        x = torch.from_numpy(case.x.array.copy())
        data, scale = downcast_to_mxfp_torch(x, element, 1, DEQUANT_SCALE_ROUNDING_MODE=mode)
        codes = bits(data)
        is_packed = codes.shape[-1] < x.shape[-1]
        return (nibbles(codes) if is_packed else codes), bits(scale).reshape(-1)

    return convert


def operations():
    for storage, element in ELEMENTS.items():
        for mode in DequantScaleRoundingMode:
            yield arrays(
                f"MX blocks of {storage}, {mode.name}", "block_quantize", mx(element, mode),
                topic="mx", codes=storage,
            )  # fmt: skip

    def encode(x):
        return bits(reference_convert_fp32_to_e5m3_bits(tensor(x, torch.float32)).to(torch.uint8))

    def decode(codes):
        return bits(reference_dequantize_float8_e5m3(torch.from_numpy(codes)).to(torch.float32))

    yield cast("f32", "f8E5M3FNU", encode)
    yield cast("f8E5M3FNU", "f32", decode)
