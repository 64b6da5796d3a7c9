# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering of quantize and dequantize operations, in the upstream `mlir` package.

Register, then use the passes and the `qdq` dialect as MLIR's own:

    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        PassManager.parse("builtin.module(lower-quant)").run(module.operation)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlir.ir import Context

__version__ = "0.1.0"
__all__ = ["register"]


def register(context: Context | None = None) -> None:
    """Makes the `qdq` dialect known to a context and the passes to the process.

    `context` is an `mlir.ir.Context`; without it the current one is meant. The
    passes work on modules of registered contexts only. Registering again does
    nothing; several contexts and threads may register.
    """
    # Imported here: `mlir_qdq.reference` and its like need no compiled code.
    from mlir.ir import Context

    from . import dialects  # noqa: F401
    from ._mlir_libs import _qdq

    if context is None:
        context = Context.current
        if context is None:
            raise ValueError("no context given, and none is current")
    _qdq.register_passes()
    _qdq.register_dialects(context)
