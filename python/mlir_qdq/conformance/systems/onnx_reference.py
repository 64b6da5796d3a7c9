# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's reference evaluator."""

from __future__ import annotations

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from ..cases import Case, Unsupported
from .onnx_nodes import model

PROFILE = "onnx"
VERSION = f"onnx {onnx.__version__}"


def convert(case: Case) -> np.ndarray:
    one = model(case, outside={})
    arrays = dict(zip("xsz", case.arguments))
    with np.errstate(all="ignore"):
        try:
            (result,) = ReferenceEvaluator(one).run(None, arrays)
        except Exception as error:  # it has no kind of its own for what it does not implement
            raise Unsupported(f"{type(error).__name__}: {str(error).splitlines()[0]}") from error
    return np.asarray(result)
