# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the `qdq` ops, and the enumerations of `#qdq.semantics`."""

from ._qdq_enum_gen import *  # noqa: F401,F403
from ._qdq_ops_gen import *  # noqa: F401,F403
from ._qdq_ops_gen import _Dialect  # noqa: F401
