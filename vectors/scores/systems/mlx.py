# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLX on the CPU: E4M3, and blocks of MXFP4 and MXFP8."""

import mlx.core as mx
import numpy as np
from scoring import arrays, cast, versions

PACKAGES = ("mlx[cpu]", "numpy")
BITS = {"mxfp4": 4, "mxfp8": 8}


def version():
    return versions("mlx")


def blocks(mode):
    def convert(case):
        # An even number of rows.
        rows = np.concatenate([case.x.array, np.zeros_like(case.x.array[:2])])
        rows = rows[: len(rows) // 2 * 2]
        x = mx.array(rows)
        words, scales = mx.quantize(x, mode=mode, group_size=32, bits=BITS[mode])
        codes = np.asarray(words).view(np.uint8)
        if BITS[mode] == 4:
            codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(rows.shape)
        count = len(case.x.array)
        return codes[:count], np.asarray(scales).reshape(-1)[:count]

    return convert


def operations():
    yield cast("f32", "f8E4M3FN", lambda x: np.asarray(mx.to_fp8(mx.array(x))))
    yield cast(
        "f8E4M3FN",
        "f32",
        lambda x: np.asarray(mx.from_fp8(mx.array(x), dtype=mx.float32)),
    )
    for storage, mode in (("f4E2M1FN", "mxfp4"), ("f8E4M3FN", "mxfp8")):
        yield arrays(
            f"MX blocks of {storage}",
            "block_quantize",
            blocks(mode),
            topic="mx",
            codes=storage,
        )
