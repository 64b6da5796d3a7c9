# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Sources.md says what the tests prove, and nothing else."""

import subprocess
import sys
from pathlib import Path

import sources_table


def test_table_is_up_to_date():
    script = Path(sources_table.__file__)
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    page = sources_table.PAGE.read_text()
    assert sources_table.replace_table(page, run.stdout) == page, (
        "run: python test/python/sources_table.py --write"
    )
