# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Features of this machine's processor, in LLVM's words."""

from mlir_qdq._mlir_libs import _qdq

_KNOWN = set(_qdq.code.describe_target().replace(",", " ").split())


def has(*features: str) -> bool:
    """True if the processor has each: `has("avx512bw", "avx512vl")`."""
    return {f"+{feature}" for feature in features} <= _KNOWN
