# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ggml's blocks by the Python package of llama.cpp."""

import numpy as np
from gguf import GGMLQuantizationType, quants
from scoring import arrays, versions

PACKAGES = ("gguf", "numpy")
TYPES = {
    "ggml-q4_0": GGMLQuantizationType.Q4_0,
    "ggml-q4_1": GGMLQuantizationType.Q4_1,
    "ggml-q8_0": GGMLQuantizationType.Q8_0,
    "ggml-mxfp4": GGMLQuantizationType.MXFP4,
}


def version():
    return versions("gguf")


def mxfp4(case):
    packed = quants.quantize(case.x.array, GGMLQuantizationType.MXFP4)
    low, high = packed[:, 1:] & 15, packed[:, 1:] >> 4
    return np.concatenate([low, high], axis=1), packed[:, 0]


def operations():
    for name, kind in TYPES.items():
        yield arrays(
            f"dequantize {name}", "unpack",
            lambda case, kind=kind: quants.dequantize(case.words.array, kind), format=name,
        )  # fmt: skip
    yield arrays("MX blocks of f4E2M1FN", "block_quantize", mxfp4, topic="mx", codes="f4E2M1FN")
