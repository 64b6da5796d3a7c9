# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime on CPU, held to the text of the operators."""

from __future__ import annotations

import re

import numpy as np
import onnxruntime

from ..case import Unsupported
from ..choose_params import ChooseParams
from ..conversions import Conversion
from ..requantize import Requantize
from . import onnx_nodes

PROFILE = "onnx"
#: QLinearConv has a text for its codes, and none for how the multiplier of the sums rounds.
PROFILES = {"requantize": "ort"}
VERSION = f"onnxruntime {onnxruntime.__version__}"


def convert(case: Conversion) -> np.ndarray:
    (result,) = run(onnx_nodes.model(case), onnx_nodes.feeds(case))
    with np.errstate(all="ignore"):
        return np.asarray(result).astype(case.result.array.dtype)


def choose_params(case: ChooseParams) -> tuple[np.ndarray, ...]:
    return onnx_nodes.choose_params(case, run)


def requantize(case: Requantize) -> np.ndarray:
    return onnx_nodes.requantize(case, run)


def run(model, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Otherwise it may merge our Casts with the operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, inputs)
    except Exception as error:  # NotImplemented, InvalidGraph, Fail, ...: one class each
        code = re.search(r"\[ONNXRuntimeError\] : \d+ : (\w+)", str(error))
        raise Unsupported(code[1] if code else type(error).__name__) from error
