# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest: the preloaded runtime is not passed on to programs that tests start.

Workers end by themselves, however long that takes: one that is killed writes no profile.
"""

import os

from xdist.workermanage import NodeManager


def pytest_configure(config):
    NodeManager.EXIT_TIMEOUT = 600
    starts_workers = getattr(config.option, "numprocesses", None)
    if hasattr(config, "workerinput") or not starts_workers:
        os.environ.pop("LD_PRELOAD", None)
