# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes and pipelines as classes, one each, named as the pass without its prefix.

    >>> from mlir_qdq.passes import LowerQuant, PassError, Rounding
    >>> LowerQuant(profile="onnx", rounding=Rounding.FLOOR).pipeline
    'builtin.module(lower-quant{profile=onnx rounding=floor})'

`LowerQuant(...).run(module)` changes an `mlir.ir.Module` in place. When it cannot, it raises a
`PassError` with the diagnostics and a `quant-opt` command that reproduces them.

The classes are written at build time from the TableGen declarations of the passes.
"""

from . import _passes_gen
from ._pass import Pass, PassError
from ._passes_gen import *  # noqa: F403

__all__ = ["Pass", "PassError"]
__all__ += _passes_gen.__all__
