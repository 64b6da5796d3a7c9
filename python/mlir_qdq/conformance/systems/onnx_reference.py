# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's reference evaluator."""

from __future__ import annotations

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from ..case import Unsupported
from ..choose_params import ChooseParams
from ..conversions import Conversion
from ..requantize import Requantize
from . import onnx_nodes

PROFILE = "onnx"
VERSION = f"onnx {onnx.__version__}"


def convert(case: Conversion) -> np.ndarray:
    one = onnx_nodes.model(case, outside={})
    return np.asarray(_run(one, dict(zip("xsz", case.arguments)))[0])


def choose_params(case: ChooseParams) -> tuple[np.ndarray, ...]:
    return onnx_nodes.choose_params(case, _run)


def requantize(case: Requantize) -> np.ndarray:
    return onnx_nodes.requantize(case, _run)


def _run(model, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        try:
            return ReferenceEvaluator(model).run(None, inputs)
        except Exception as error:  # it has no kind of its own for what it does not implement
            raise Unsupported(f"{type(error).__name__}: {str(error).splitlines()[0]}") from error
