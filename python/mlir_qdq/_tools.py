# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The console scripts of a wheel: each becomes the tool of its name.

The tools are one program in `bin` beside this file, which looks at the name that calls it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def run() -> NoReturn:
    name = Path(sys.argv[0]).name
    tool = Path(__file__).parent / "bin" / "quant-opt"
    try:
        os.execv(tool, [sys.argv[0], *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: error: {tool}: {error.strerror}")
