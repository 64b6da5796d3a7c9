# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks, and how compiled code is made for tests: our passes always run, LLVM less often.

The mark `proves` is that of proofs.md: see sources_table.py. Tests with the mark
`exhaustive` run only in `tools/check --all` (`pytest -m ""`): see everyday.py.
"""

import gc
import os

import everyday
import pytest
import sources_table

from mlir_qdq import runtime
from mlir_qdq.importers import _context


def pytest_addoption(parser):
    parser.addoption(
        "--damaged-every",
        type=int,
        default=97,
        metavar="N",
        help="of damaged operations, each N-th",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "proves(system, operation, against=, storage=, granularity=): holds a source system against its own "
        "implementation or document; what is not given comes from the test's parameters of that name",
    )
    config.addinivalue_line("markers", "exhaustive: a long test, or a row of a product")
    for name in everyday.TOGETHER:
        config.addinivalue_line("markers", f"{name}: of the product runs a part; everyday.py")
    config.addinivalue_line(
        "markers",
        "unoptimized: every day, LLVM compiles with -O0, and MLIR verifies at the ends alone",
    )
    config.addinivalue_line(
        "markers", "optimized: always -O3, since fastmath flags make the bits LLVM's"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Every day, the first parameters of each test are compiled with -O3, and verified after each pass."""
    config.stash[sources_table.ITEMS] = list(items)
    everyday.mark_others(items)
    seen = set()
    for item in items:
        if item.get_closest_marker("exhaustive"):
            continue
        test = item.nodeid.partition("[")[0]
        if test in seen and not item.get_closest_marker("optimized"):
            item.add_marker("unoptimized")
        seen.add(test)


def pytest_collection_finish(session):
    """The garbage collector need not look through thousands of tests each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def opt_level(request, monkeypatch):
    is_everyday = request.config.option.markexpr == "not exhaustive"
    if is_everyday and request.node.get_closest_marker("unoptimized"):
        monkeypatch.setattr(runtime._compile, "OPT_LEVEL", 0)
        monkeypatch.setattr(runtime._compile, "VERIFY_EACH", False)
        monkeypatch.setattr(_context, "DIALECTS", ["func", "quant"])


@pytest.fixture(autouse=True, scope="session")
def cache():
    """Equal modules of the LLVM dialect are compiled once, unless the caller wants no cache."""
    patch = pytest.MonkeyPatch()
    if os.environ.get("MLIR_QDQ_CACHE") != "off":
        patch.setenv("MLIR_QDQ_CACHE", "lowered")
    yield
    patch.undo()
