# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest: the preloaded runtime is not passed on to programs that tests start."""

import os


def pytest_configure(config):
    starts_workers = getattr(config.option, "numprocesses", None)
    if hasattr(config, "workerinput") or not starts_workers:
        os.environ.pop("LD_PRELOAD", None)
