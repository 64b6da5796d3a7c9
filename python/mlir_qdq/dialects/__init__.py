# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Op builders: `from mlir_qdq.dialects import qdq`."""

from mlir._mlir_libs._mlir import globals as _globals

# Parsed `qdq` ops get their classes too: `mlir` looks for <prefix>.<dialect>.
_globals.append_dialect_search_prefix(__name__)
