# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The context that an importer works in."""

from __future__ import annotations

import contextlib

import mlir_qdq
from mlir import ir


def importer_context(context: ir.Context | None) -> ir.Context:
    """The given context, else the current one, else a new one; it accepts unregistered dialects.

    In a new one the passes work. The import itself needs no compiled extension.
    """
    context = context or ir.Context.current
    if context is None:
        context = ir.Context()
        with contextlib.suppress(ImportError):
            mlir_qdq.register(context)
    context.allow_unregistered_dialects = True
    return context
