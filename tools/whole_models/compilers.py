# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands that a user would type: import, lower, compile, run, time."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mlir_qdq.command._whole import CommandFailed, Commands

__all__ = ["FLOAT_MATH", "CommandFailed", "Tools"]

#: IREE rewrites Q/DQ models to integer arithmetic by default, which changes the numbers.
FLOAT_MATH = ["--iree-global-opt-enable-qdq-to-integer-math=false"]
TIMEOUT = 600


@dataclass(frozen=True)
class Tools(Commands):
    """Those of quant-import, and what runs and times. quant-opt is that of PATH."""

    def run(self, name: str, *arguments, timeout: int = TIMEOUT) -> str:
        return super().run(name, *arguments, timeout=timeout)

    def run_here(self, linalg: Path, function: str, inputs: list[Path]) -> float:
        """CPU time of a call in ms; outputs are files beside the module."""
        said = self.run(
            sys.executable, "-m", "whole_models.here", linalg, function, *inputs, timeout=200
        )
        return float(said.split()[-1])

    def _call(self, binary: Path, function: str, inputs: list[Path]) -> list[str]:
        return [
            f"--module={binary}",
            f"--function={function}",
            "--device=local-sync",
            *(f"--input=@{path}" for path in inputs),
        ]

    def run_iree(self, binary, function, inputs, count: int) -> list[np.ndarray]:
        paths = [binary.with_suffix(f".{i}.npy") for i in range(count)]
        self.run(
            "iree-run-module",
            *self._call(binary, function, inputs),
            *(f"--output=@{path}" for path in paths),
        )
        return [np.load(path) for path in paths]

    def time_iree(self, binary: Path, function: str, inputs: list[Path]) -> float:
        """CPU time of a call in ms, the smallest of three repetitions, on one thread."""
        said = self.run(
            "iree-benchmark-module",
            *self._call(binary, function, inputs),
            "--benchmark_repetitions=3",
            "--benchmark_format=json",
        )
        unit = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
        return min(
            run["cpu_time"] * unit[run["time_unit"]]
            for run in json.loads(said[said.index("{") :])["benchmarks"]
            if run["run_type"] == "iteration"
        )
