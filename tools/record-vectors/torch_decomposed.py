# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records PyTorch's PT2E operations, torch.ops.quantized_decomposed.*, for the profile `torch-decomposed`.

pip install torch==2.13.0 numpy
python tools/record-vectors/torch_decomposed.py
"""

import itertools

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 (registers the operations)
from vectors import BOUNDS, Recording, dequantize_rows, quantize_rows

OPS = torch.ops.quantized_decomposed
TYPES = {
    "i8": torch.int8, "ui8": torch.uint8, "i16": torch.int16, "ui16": torch.uint16, "i32": torch.int32,
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
}  # fmt: skip

#: NumPy has no bfloat16.
WIDE = {"bf16": torch.float32}


def tensor(array, element):
    return torch.from_numpy(np.ascontiguousarray(array)).to(TYPES[element])


def quantize(x, element, scale, zero_point, storage):
    low, high = BOUNDS[storage]
    return np.stack([
        OPS.quantize_per_tensor(row, float(s), int(z), low, high, TYPES[storage]).numpy()
        for row, s, z in zip(tensor(x, element), scale, zero_point)
    ])  # fmt: skip


def dequantize(q, storage, scale, zero_point, element):
    low, high = BOUNDS[storage]
    rows = zip(tensor(q, storage), scale, zero_point)
    return np.stack([
        OPS.dequantize_per_tensor(row, float(s), int(z), low, high, TYPES[storage], out_dtype=TYPES[element])
        .to(WIDE.get(element, TYPES[element]))
        .numpy()
        for row, s, z in rows
    ])  # fmt: skip


def main():
    recording = Recording("torch-decomposed", "torch_decomposed.py", ("torch",))
    for storage, element in (
        ("i8", "f32"), ("ui8", "f32"), ("i16", "f32"), ("i8", "f16"), ("ui8", "bf16"), ("ui16", "f16"),
    ):  # fmt: skip
        x, s, z = quantize_rows(storage, element)
        q = quantize(x, element, s, z, storage)
        recording.add(
            f"quantize-{storage}-{element}", "quantize", (element, x), ("f32", s), (storage, z), (storage, q),
            agrees="everywhere", how="quantized_decomposed.quantize_per_tensor, one call a row",
        )  # fmt: skip
    # The scale is no number of the narrow types, in which the difference is made.
    for storage, element in itertools.product(
        ("i8", "ui8", "i16", "ui16", "i32"), ("f32", "f16", "bf16", "f64")
    ):
        q, s, z = dequantize_rows(storage)
        y = dequantize(q, storage, s, z, element)
        recording.add(
            f"dequantize-{storage}-{element}", "dequantize", (storage, q), ("f32", s), (storage, z), (element, y),
            agrees="everywhere", how="quantized_decomposed.dequantize_per_tensor, one call a row",
        )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
