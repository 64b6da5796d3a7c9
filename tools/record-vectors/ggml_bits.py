# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records what ggml dequantizes of the types that the package gguf does not: test/python/data/ggml_bits.npz.

python tools/record-vectors/ggml_bits.py libggml-base.so   (of llama.cpp; recorded with ggml 0.25.3)
"""

import ctypes
import sys
from pathlib import Path

import numpy as np

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "ggml_bits.npz"
#: By number: name, elements and bytes of a block.
TYPES = {41: ("q1_0", 128, 18), 42: ("q2_0", 64, 18)}
BLOCKS = 64


def main():
    ggml, random, arrays = ctypes.CDLL(sys.argv[1]), np.random.default_rng(0), {}
    for number, (name, elements, size) in TYPES.items():
        assert ggml.ggml_blck_size(number) == elements
        raw = random.integers(0, 256, (BLOCKS, size)).astype(np.uint8)
        raw[:5, :2] = np.array([0x7C00, 0xFC00, 0x7E00, 0x8000, 0x0001], np.uint16)[:, None].view(
            np.uint8
        )
        out = np.empty((BLOCKS, elements), np.float32)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in (raw, out))
        getattr(ggml, f"dequantize_row_{name}")(*pointers, ctypes.c_int64(out.size))
        arrays[f"{number} raw"], arrays[f"{number} out"] = raw, out.view(np.int32)
    np.savez_compressed(OUTPUT, **arrays)


if __name__ == "__main__":
    main()
