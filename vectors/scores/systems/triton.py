# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's interpreter: casts of a kernel, without a GPU."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from scoring import cast, versions  # noqa: E402

from .torch import bits, tensor  # noqa: E402

PACKAGES = ("triton==3.9.0", "torch==2.13.0", "numpy")
SOURCES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
STORAGES = {
    "f8E4M3FN": tl.float8e4nv,
    "f8E4M3FNUZ": tl.float8e4b8,
    "f8E5M2": tl.float8e5,
    "f8E5M2FNUZ": tl.float8e5b16,
}


def version():
    return versions("triton")


@triton.jit
def encode_kernel(x, y, count, TO: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < count)
    tl.store(y + at, values.to(TO).to(tl.uint8, bitcast=True), mask=at < count)


@triton.jit
def decode_kernel(x, y, count, FROM: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    codes = tl.load(x + at, mask=at < count)
    tl.store(y + at, codes.to(FROM, bitcast=True).to(y.dtype.element_ty), mask=at < count)


def encode(x, source, to):
    values = tensor(x, source)
    out = torch.empty(len(x), dtype=torch.uint8)
    encode_kernel[(triton.cdiv(len(x), 1024),)](values, out, len(x), to, 1024)
    return out.numpy()


def decode(x, source, to):
    out = torch.empty(len(x), dtype=to)
    decode_kernel[(triton.cdiv(len(x), 1024),)](torch.from_numpy(x), out, len(x), source, 1024)
    return bits(out)


def operations():
    for source, a in SOURCES.items():
        for to, b in STORAGES.items():
            yield cast(source, to, lambda x, a=a, b=b: encode(x, a, b))
            yield cast(to, source, lambda x, a=a, b=b: decode(np.ascontiguousarray(x), b, a))
