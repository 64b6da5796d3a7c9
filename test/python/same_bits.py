# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a result against that of a case, and says where they part."""

import numpy as np

from mlir_qdq.conformance import Case, differs


def assert_same(actual: np.ndarray, case: Case, who: str, where=None) -> None:
    """Bits, or both NaN, wherever `where` holds."""
    different = differs(actual, case)
    if where is not None:
        different &= where
    if not different.any():
        return
    at = tuple(np.argwhere(different)[0])
    parameters = [np.ravel(a)[case.owners[at]] for a in case.arguments[1:]]
    raise AssertionError(
        f"{case.profile or 'corpus'} {case.name}: {who} differs at {different.sum()} of {different.size}; first {at}: "
        f"x = {case.x.array[at]!r}, parameters {parameters!r}, got {actual[at]!r}, expected {case.result.array[at]!r}"
    )
