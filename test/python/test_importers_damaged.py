# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Only documented exceptions come out of damaged files: a few hundred of each format. `damaged_files.py` makes more."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(280)
def test_damaged_files(tmp_path):
    """In a process of its own: a signal, or a file that takes ten seconds, is the end of it."""
    script = Path(__file__).with_name("damaged_files.py")
    run = subprocess.run(
        [sys.executable, script, "--count", "300", "--folder", tmp_path], capture_output=True, text=True
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("refused") == 5
