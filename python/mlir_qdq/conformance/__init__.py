# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of quantize, dequantize, choose_params and requantize, and what implementations make of them: ours, others', yours.

    python -m mlir_qdq.conformance onnxruntime
    python -m mlir_qdq.conformance my_package:convert --profile ort

docs/Conformance.md has the scores, and how to write a `convert`. In Python:

    >>> from mlir_qdq import conformance
    >>> cases = conformance.corpus()
    >>> case = cases[0]
    >>> case.operation, case.x.type, case.storage, case.fields["rounding"]
    ('quantize', 'f32', 'i8', 'nearest-even')
    >>> bool(conformance.differs(case.result.array, case).any())
    False
"""

from .case import Case, Operand, Unsupported
from .choose_params import ChooseParams
from .conversions import Conversion, differs
from .files import GROUPS, corpus, load, recorded, topics
from .implementations import Implementation, implementation
from .requantize import Requantize
from .score import Difference, Score, score

__all__ = [
    "GROUPS",
    "Case",
    "ChooseParams",
    "Conversion",
    "Difference",
    "Implementation",
    "Operand",
    "Requantize",
    "Score",
    "Unsupported",
    "corpus",
    "differs",
    "implementation",
    "load",
    "recorded",
    "score",
    "topics",
]
