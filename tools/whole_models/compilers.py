# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands that a user would type: import, lower, compile, run, time."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

#: What both sides are compiled with: for this machine's CPU.
IREE_FLAGS = ["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"]
#: IREE rewrites Q/DQ models to integer arithmetic by default, which changes the numbers.
FLOAT_MATH = ["--iree-global-opt-enable-qdq-to-integer-math=false"]
#: torch-mlir from ONNX's operators to linalg.
TORCH_TO_LINALG = (
    "builtin.module(torch-onnx-to-torch-backend-pipeline,"
    "torch-backend-to-linalg-on-tensors-backend-pipeline)"
)
TIMEOUT = 600


class CommandFailed(RuntimeError):
    """What a command said last; `name` is the command's."""

    def __init__(self, command: list[str], said: str):
        lines = [line for line in said.splitlines() if "error:" in line]
        lines = lines or said.strip().splitlines()[-1:]
        self.name = Path(command[0]).name
        super().__init__(f"{self.name}: {(lines or ['no message'])[0][:400]}")


@dataclass(frozen=True)
class Tools:
    """Executables: those of the extras' environment, and quant-opt from PATH."""

    extras: Path
    verbose: bool = False

    def run(self, name: str, *arguments, timeout: int = TIMEOUT) -> str:
        own = self.extras / "bin" / name
        command = [str(own if own.exists() else name), *map(str, arguments)]
        if self.verbose:
            print("  $", shlex.join(command), flush=True)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise CommandFailed(command, f"took longer than {timeout} s") from None
        if done.returncode:
            raise CommandFailed(command, done.stderr)
        return done.stdout

    def import_onnx(self, model: Path, torch: Path, generic: Path) -> None:
        """ONNX to the torch dialect; then the form that tools without that dialect can read."""
        self.run("iree-import-onnx", model, "-o", torch)
        self.run("torch-mlir-opt", "--mlir-print-op-generic", torch, "-o", generic)

    def lower(self, generic: Path, lowered: Path, options: str) -> None:
        """Our part. What no pattern of ours takes stays, for the other compiler."""
        self.run("quant-opt", f"--lower-quant={options}", generic, "-o", lowered)

    def compile_iree(self, module: Path, binary: Path, *flags: str, input_type="onnx") -> None:
        flags = (f"--iree-input-type={input_type}", *IREE_FLAGS, *flags)
        self.run("iree-compile", *flags, module, "-o", binary)

    def to_linalg(self, lowered: Path, linalg: Path) -> None:
        self.run("torch-mlir-opt", f"--pass-pipeline={TORCH_TO_LINALG}", lowered, "-o", linalg)

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
