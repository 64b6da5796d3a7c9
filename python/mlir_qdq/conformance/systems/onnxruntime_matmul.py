# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's QLinearMatMul on CPU, whose kernel is not that of its QLinearConv."""

from __future__ import annotations

import numpy as np

from ..requantize import Requantize
from . import onnx_nodes
from .onnxruntime import VERSION, run  # noqa: F401

PROFILE = "ort"


def requantize(case: Requantize) -> np.ndarray:
    return onnx_nodes.requantize_products(case, run)
