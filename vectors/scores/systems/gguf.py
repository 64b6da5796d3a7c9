# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ggml's blocks by the Python package of llama.cpp."""

import numpy as np
from gguf import GGMLQuantizationType, quants
from scoring import arrays, versions

PACKAGES = ("gguf", "numpy")
#: All that vectors have; the package has no Q8_K.
TYPES = {
    f"ggml-{name.lower()}": getattr(GGMLQuantizationType, name)
    for name in (
        "Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ1_S IQ1_M IQ2_XXS IQ2_XS IQ2_S"
        " IQ3_XXS IQ3_S IQ4_NL IQ4_XS TQ1_0 TQ2_0 MXFP4"
    ).split()
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
