# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compressed-tensors: weights out of 32-bit words."""

import numpy as np
import torch
from compressed_tensors.compressors import unpack_from_int32
from scoring import arrays, versions

PACKAGES = ("compressed-tensors", "torch==2.13.0", "numpy")


def version():
    return versions("compressed-tensors")


def unpack(case):
    words, group = case.words.array, case.choices["group"]
    shape = torch.Size(case.result.array.shape)
    packed = torch.from_numpy(words.view(np.int32).copy())
    codes = unpack_from_int32(packed, case.choices["bits"], shape).to(torch.float32)
    scale = torch.from_numpy(case.scale.array.astype(np.float32)).repeat_interleave(group, 1)
    return (codes * scale).numpy()


def operations():
    yield arrays("pack-quantized weights", "unpack", unpack, format="compressed-tensors")
