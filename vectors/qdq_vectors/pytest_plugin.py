# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The marker `qdq_vectors`: a test function with it runs once for each case, which is its argument `case`.

@pytest.mark.qdq_vectors("cast", to="f8E4M3FN", rounding="nearest-even")
def test_mine(case):
    case.check(to_e4m3)
"""

from __future__ import annotations

import pytest

from .api import cases
from .case import Mismatch

MARKER = (
    "qdq_vectors(operation, **choices): run for each case of these vectors, the argument `case`"
)


def pytest_configure(config):
    config.addinivalue_line("markers", MARKER)


def pytest_generate_tests(metafunc):
    marker = metafunc.definition.get_closest_marker("qdq_vectors")
    if marker is None:
        return
    try:
        chosen = list(cases(*marker.args, **marker.kwargs))
    except ValueError as error:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {error}") from None
    if not chosen:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: no vectors of {marker.kwargs}")
    metafunc.parametrize("case", chosen, ids=[each.name for each in chosen])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.excinfo and isinstance(call.excinfo.value, Mismatch):
        # The inputs are the message; a traceback through this package says nothing.
        outcome.get_result().longrepr = str(call.excinfo.value)
