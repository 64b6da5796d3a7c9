# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records PyTorch's quantized tensors for the profile `torch`.

pip install torch==2.13.0 numpy
python tools/record-vectors/torch_eager.py
"""

import numpy as np
import torch
from vectors import Recording, dequantize_rows, quantize_rows

TYPES = {"i8": torch.qint8, "ui8": torch.quint8, "i32": torch.qint32}


def quantize(x, scale, zero_point, storage):
    rows = zip(torch.from_numpy(x), scale, zero_point)
    return np.stack([
        torch.quantize_per_tensor(row, float(s), int(z), TYPES[storage]).int_repr().numpy() for row, s, z in rows
    ])  # fmt: skip


def dequantize(q, scale, zero_point):
    return np.stack([
        torch._make_per_tensor_quantized_tensor(row, float(s), int(z)).dequantize().numpy()
        for row, s, z in zip(torch.from_numpy(q), scale, zero_point)
    ])  # fmt: skip


def channels(scale, zero_point):
    return torch.from_numpy(scale).double(), torch.from_numpy(zero_point.astype(np.int64))


def main():
    recording = Recording(
        "torch", "torch_eager.py", ("torch",), capability=torch.backends.cpu.get_cpu_capability()
    )
    for storage in ("i8", "ui8"):
        x, s, z = quantize_rows(storage)
        q = quantize(x, s, z, storage)
        recording.add(
            f"quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
            agrees="everywhere", how="torch.quantize_per_tensor, one call a row",
        )  # fmt: skip
    for storage in ("i8", "ui8", "i32"):
        q, s, z = dequantize_rows(storage)
        y = dequantize(q, s, z)
        recording.add(
            f"dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
            agrees="everywhere", how="dequantize() of a per-tensor quantized tensor, one call a row",
        )  # fmt: skip
    # Per channel, other kernels: no fused sum, NaN to 0, and a difference of floats.
    for storage in ("i8", "ui8"):
        x, s, z = quantize_rows(storage, seed=3)
        q = (
            torch.quantize_per_channel(torch.from_numpy(x), *channels(s, z), 0, TYPES[storage])
            .int_repr()
            .numpy()
        )
        recording.add(
            f"quantize-{storage}-channel", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
            semantics={"fusion": "none", "nan": "zero"}, agrees="everywhere", how="torch.quantize_per_channel, axis 0",
        )  # fmt: skip
        q, s, z = dequantize_rows(storage, seed=3)
        y = (
            torch._make_per_channel_quantized_tensor(torch.from_numpy(q), *channels(s, z), 0)
            .dequantize()
            .numpy()
        )
        recording.add(
            f"dequantize-{storage}-channel", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
            semantics={"subtract": "float"}, agrees="everywhere", how="dequantize() of a per-channel quantized tensor",
        )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
