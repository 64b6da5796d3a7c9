# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mark `proves`, from which docs/Sources.md is made: see sources_table.py. No test reads compiled code from a file."""

import pytest


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "proves(system, operation, against=, storage=, granularity=): holds a source system against its own "
        "implementation or document; what is not given comes from the test's parameters of that name",
    )


@pytest.fixture(autouse=True, scope="session")
def no_cache():
    """What is tested is compiled, by the passes of this build."""
    patch = pytest.MonkeyPatch()
    patch.setenv("MLIR_QDQ_CACHE", "off")
    yield
    patch.undo()
