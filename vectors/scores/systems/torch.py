# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on the CPU: Tensor.to."""

import numpy as np
import torch
from scoring import through_dtypes, versions

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


def operations():
    yield from through_dtypes(convert, STORAGES, SOURCES)
