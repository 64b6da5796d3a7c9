# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LiteRT with its reference kernels."""

from __future__ import annotations

import numpy as np
from ai_edge_litert.interpreter import OpResolverType

from . import litert_models
from .litert_models import VERSION  # noqa: F401

PROFILE = "tflite"


def convert(case) -> np.ndarray:
    return litert_models.convert(case, OpResolverType.BUILTIN_REF)


def requantize(case) -> np.ndarray:
    return litert_models.requantize(case, OpResolverType.BUILTIN_REF)
