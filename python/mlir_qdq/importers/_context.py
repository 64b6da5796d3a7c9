# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The context that an importer works in."""

from __future__ import annotations

import contextlib

import mlir_qdq
from mlir import ir

#: What a new context loads; None is each dialect of upstream, for whoever goes on with the module.
#: Tests lower it, since that takes longer than a small import.
DIALECTS: list[str] | None = None


def importer_context(context: ir.Context | None) -> ir.Context:
    """The given context, else the current one, else a new one; it accepts unregistered dialects.

    In a new one the passes work. The import itself needs no compiled extension.
    """
    context = context or ir.Context.current
    if context is None:
        context = ir.Context(load_on_create_dialects=DIALECTS)
        with contextlib.suppress(ImportError):
            mlir_qdq.register(context)
    context.allow_unregistered_dialects = True
    return context
