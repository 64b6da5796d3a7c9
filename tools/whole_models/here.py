# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module of linalg by our own runtime: its outputs into files, its time on standard output.

python -m whole_models.here MODULE FUNCTION INPUTS... : in a process that can be given up.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from mlir_qdq import runtime


def main(module: str, function: str, *inputs: str) -> None:
    call = runtime.compile(Path(module))[function]
    arrays = [np.load(path) for path in inputs]
    outputs = call(*arrays)
    for i, output in enumerate(outputs if isinstance(outputs, tuple | list) else [outputs]):
        np.save(Path(module).with_suffix(f".{i}.npy"), output)
    taken = []
    for _ in range(9):
        start = time.process_time()
        call(*arrays)
        taken.append(1e3 * (time.process_time() - start))
    print(min(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
