# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mlir.ir`, where the generated bindings look for it."""

from mlir.ir import *  # noqa: F401,F403
