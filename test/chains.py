# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a file with the ops between two lines `// CHAIN count` and `// END` repeated: #0 is the number of the op, #1 that of the next one.

usage: chains.py FILE, in a lit test: RUN: %chains %s | quant-opt
"""

import re
import sys
from pathlib import Path


def repeat(match: re.Match) -> str:
    ops = (match[2].replace("#0", str(k)).replace("#1", str(k + 1)) for k in range(int(match[1])))
    return "".join(ops)


text = Path(sys.argv[1]).read_text()
print(re.sub(r" *// CHAIN (\d+)\n(.*?) *// END\n", repeat, text, flags=re.DOTALL))
