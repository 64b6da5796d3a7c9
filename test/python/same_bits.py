# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a result against that of a case, and says where they part."""

import numpy as np

from mlir_qdq.conformance import Case


def assert_same(actual, case: Case, who: str, where=None) -> None:
    """Bits, or both NaN, of every result wherever its value is given and `where` holds."""
    arrays = actual if isinstance(actual, tuple) else (actual,)
    given = case.given()
    for (name, different), array in zip(case.different(arrays).items(), arrays):
        different = different & given[name] & (True if where is None else where)
        if not different.any():
            continue
        at = tuple(np.argwhere(different)[0])
        single = case.single(name, at)
        raise AssertionError(
            f"{case.profile or 'corpus'} {case.name}: {who} differs at {different.sum()} of {different.size} of {name}; "
            f"first {at}: {single.spelled()}, got {array[at]!r}, expected {case.results[name].array[at]!r}"
        )
