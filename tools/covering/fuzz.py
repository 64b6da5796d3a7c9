# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/fuzz, whose processes end as programs do, so that they leave their counts."""

import ctypes
import os
import sys

from fuzzing.__main__ import main


def _leave(code: int) -> None:
    sys.stdout.flush()
    ctypes.CDLL(None).exit(code)


os._exit = _leave
sys.exit(main())
