# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The meaning of ops, a file for each dialect. Importing this package fills the interpreter's table."""

from . import arith, control, linalg, llvm, math, memref, qdq, softmax, tensor, tiles, vector  # noqa: F401
