# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records PyTorch's aten._scaled_mm on CPU: test/python/data/torch/scaled_mm.npz.

pip install torch==2.13.0 numpy
python tools/record-vectors/torch_scaled_mm.py

The roundings of a sum are those of a library: one term has none, and so have small integers with powers of two as
scales.
"""

import itertools
from pathlib import Path

import numpy as np
import torch

OUTPUT = (
    Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "torch" / "scaled_mm.npz"
)
CODES = {"f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2}
FLOATS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
RANDOM = np.random.default_rng(0)


def codes(shape, element: str, is_any: bool) -> torch.Tensor:
    if is_any:
        return torch.tensor(RANDOM.integers(0, 256, shape, np.uint8)).view(CODES[element])
    return torch.tensor(RANDOM.integers(-4, 5, shape)).float().to(CODES[element])


def scales(shape, is_any: bool) -> torch.Tensor:
    choices = (
        [0.1, 0.3, 1 / 3, 1e-40, 1e30, np.inf, np.nan, -0.7, 0.0] if is_any else [0.5, 0.25, 2]
    )
    return torch.tensor(RANDOM.choice(choices, shape)).float()


def bits(tensor: torch.Tensor) -> np.ndarray:
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32}[tensor.itemsize]).numpy()


def main():
    arrays = {}
    choices = itertools.product(CODES, CODES, (True, False), (False, True))
    outputs = itertools.cycle(itertools.product(FLOATS, [None, *FLOATS]))
    cases = [(*choice, *next(outputs)) for choice in choices for _ in range(3)]
    for index, (lhs, rhs, is_any, by_row, result, bias) in enumerate(cases):
        m, k, n = (9, 1, 16) if is_any else (9, 32, 16)
        a, b = codes((m, k), lhs, is_any), codes((n, k), rhs, is_any).t()
        a_scale = scales((m, 1) if by_row else (), is_any)
        b_scale = scales((1, n) if by_row else (), is_any)
        added = None if bias is None else torch.tensor(RANDOM.normal(size=n)).to(FLOATS[bias])
        out = torch._scaled_mm(a, b, a_scale, b_scale, added, out_dtype=FLOATS[result])
        name = f"{index} {lhs} {rhs} {result} {bias}"
        for part, tensor in (
            ("a", a),
            ("b", b.contiguous()),
            ("sa", a_scale),
            ("sb", b_scale),
            ("bias", added),
            ("out", out),
        ):
            if tensor is not None:
                arrays[f"{name} {part}"] = bits(tensor)
    np.savez_compressed(OUTPUT, **arrays)
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
