# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mark `proves`, from which docs/Sources.md is made: see sources_table.py."""


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "proves(system, operation, against=, storage=, granularity=): holds a source system against its own "
        "implementation or document; what is not given comes from the test's parameters of that name",
    )
