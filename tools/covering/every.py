# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest: each N-th test only, the same ones in each run."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--every", type=int, default=1, metavar="N", help="each N-th test only")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    every = config.option.every
    config.hook.pytest_deselected(items=[x for i, x in enumerate(items) if i % every])
    items[:] = items[::every]
