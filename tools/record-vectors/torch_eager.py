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
    recording.save()


if __name__ == "__main__":
    main()
