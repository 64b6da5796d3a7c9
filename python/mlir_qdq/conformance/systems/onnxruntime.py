# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime on CPU, held to the text of the operators."""

from __future__ import annotations

import re

import numpy as np
import onnxruntime

from ..cases import Case, Unsupported
from .onnx_nodes import feeds, model

PROFILE = "onnx"
VERSION = f"onnxruntime {onnxruntime.__version__}"


def convert(case: Case) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Otherwise it may merge our Casts with the operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(
            model(case).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        (result,) = session.run(None, feeds(case))
    except Unsupported:
        raise
    except Exception as error:  # NotImplemented, InvalidGraph, Fail, ...: one class each
        code = re.search(r"\[ONNXRuntimeError\] : \d+ : (\w+)", str(error))
        raise Unsupported(code[1] if code else type(error).__name__) from error
    with np.errstate(all="ignore"):
        return np.asarray(result).astype(case.result.array.dtype)
