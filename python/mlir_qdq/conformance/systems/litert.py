# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LiteRT with its default delegate, XNNPACK."""

from __future__ import annotations

import numpy as np
from ai_edge_litert.interpreter import OpResolverType

from ..case import Unsupported
from . import litert_models
from .litert_models import VERSION  # noqa: F401

PROFILE = "xnnpack"


def convert(case) -> np.ndarray:
    with np.errstate(all="ignore"):
        if (case.scale.array.astype(np.float32) < 2.0**-126).any():
            raise Unsupported("subnormal scales")  # the delegate ends the process
    return litert_models.convert(case, OpResolverType.AUTO)


def requantize(case) -> np.ndarray:
    if case.storage == "i16":
        raise Unsupported("i64 to i16")  # the delegate leaves it to the reference kernel
    return litert_models.requantize(case, OpResolverType.AUTO)
