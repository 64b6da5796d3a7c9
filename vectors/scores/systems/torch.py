# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on the CPU: Tensor.to, and quantize with zero points, eager and decomposed."""

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed
from scoring import through_dtypes, versions, zero_points

PACKAGES = ("torch==2.13.0", "numpy")
SOURCES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
STORAGES = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2": torch.float8_e5m2,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
    "f8E8M0FNU": torch.float8_e8m0fnu,
    "i8": torch.int8,
    "ui8": torch.uint8,
}
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}


def version():
    return versions("torch")


def tensor(x: np.ndarray, dtype) -> torch.Tensor:
    return torch.from_numpy(x.view({1: np.uint8, 2: np.int16, 4: np.int32}[x.itemsize])).view(dtype)


def bits(x: torch.Tensor) -> np.ndarray:
    array = x.view(BITS[x.element_size()]).numpy()
    return array.view(f"u{array.itemsize}")


def convert(x, source, to):
    return bits(tensor(x, source).to(to))


CODES = {
    "i8": (torch.qint8, torch.int8, -128, 127),
    "ui8": (torch.quint8, torch.uint8, 0, 255),
}


def quantize(x, scale, zero, storage):
    quantized = torch.quantize_per_tensor(
        torch.from_numpy(x), float(scale), zero, CODES[storage][0]
    )
    return quantized.int_repr().numpy()


def dequantize(codes, scale, zero, storage):
    kind, dtype, *_ = CODES[storage]
    values = torch.from_numpy(codes.astype(str(dtype).removeprefix("torch.")))
    return torch._make_per_tensor_quantized_tensor(values, float(scale), zero).dequantize().numpy()


def quantize_decomposed(x, scale, zero, storage):
    _, dtype, low, high = CODES[storage]
    call = torch.ops.quantized_decomposed.quantize_per_tensor
    return call(torch.from_numpy(x), float(scale), zero, low, high, dtype).numpy()


def dequantize_decomposed(codes, scale, zero, storage):
    _, dtype, low, high = CODES[storage]
    call = torch.ops.quantized_decomposed.dequantize_per_tensor
    values = torch.from_numpy(codes.astype(str(dtype).removeprefix("torch.")))
    return call(values, float(scale), zero, low, high, dtype).numpy()


def operations():
    yield from through_dtypes(convert, STORAGES, SOURCES)
    yield from zero_points(quantize, dequantize, note="eager")
    yield from zero_points(quantize_decomposed, dequantize_decomposed, note="decomposed")
