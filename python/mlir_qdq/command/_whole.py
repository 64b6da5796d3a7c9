# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole model through other compilers: the commands that a user would type, see docs/Models.md."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

#: IREE's target: this machine's CPU.
IREE_FLAGS = ["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"]
#: torch-mlir to linalg: from ONNX's operators, and from those of torch.export.
TORCH_TO_LINALG = {
    "onnx": (
        "builtin.module(torch-onnx-to-torch-backend-pipeline,"
        "torch-backend-to-linalg-on-tensors-backend-pipeline)"
    ),
    "torch": (
        "builtin.module(torchdynamo-export-to-torch-backend-pipeline,"
        "torch-backend-to-linalg-on-tensors-backend-pipeline)"
    ),
}
#: Ours: constants dequantized, what we do not know left to the others; of ONNX, with ONNX Runtime's numerics.
LOWERING_OF_TORCH = "dequantize-constants unconverted=keep"
LOWERING = f"profile=ort {LOWERING_OF_TORCH}"
#: Where a command that is missing comes from.
_PACKAGES = {
    "iree-import-onnx": "iree-base-compiler[onnx]", "iree-compile": "iree-base-compiler",
    "torch-mlir-opt": "torch-mlir",
}  # fmt: skip


class CommandFailed(RuntimeError):
    """The last words of a command; `name` is the command's."""

    def __init__(self, command: list[str], said: str):
        lines = [line for line in said.splitlines() if "error:" in line]
        lines = lines or said.strip().splitlines()[-1:]
        self.name = Path(command[0]).name
        super().__init__(f"{self.name}: {(lines or ['no message'])[0][:400]}")


def _remarks(said: str) -> Counter[str]:
    return Counter(
        line.partition("remark: ")[2][:300] for line in said.splitlines() if "remark: " in line
    )


def _custom_operators(module: str) -> Counter[str]:
    """Operators of a torch module that are none of ONNX's."""
    import onnx

    names = re.findall(r'"torch\.operator"\(.*?<\{name = "onnx\.([^"]+)"', module)
    return Counter(name for name in names if not onnx.defs.has(name))


@dataclass(frozen=True)
class Commands:
    """Executables: those of an environment, if it has them, else those beside this command, or of PATH."""

    extras: Path | None = None
    verbose: bool = False

    def find(self, name: str) -> str:
        folders = [self.extras / "bin"] if self.extras else []
        folders.append(Path(sys.argv[0]).absolute().parent)
        own = (str(folder / name) for folder in folders if (folder / name).exists())
        found = next(own, None) or shutil.which(name)
        if found is None:
            raise CommandFailed(
                [name],
                f"error: not found: pip install '{_PACKAGES.get(name, name)}', or name its environment with --extras",
            )
        return found

    def check(self, kind: str, suffix: str) -> None:
        """That the commands are there which make a file of this suffix, before one is run."""
        importers = ("iree-import-onnx", "torch-mlir-opt") if kind == "onnx" else ("torch-mlir-opt",)  # fmt: skip
        for name in (*importers, "quant-opt", *(("iree-compile",) if suffix == ".vmfb" else ())):
            self.find(name)

    def run(self, name: str, *arguments, timeout: int | None = None) -> str:
        command = [self.find(name), *map(str, arguments)]
        if self.verbose:
            print("  $", shlex.join(command), file=sys.stderr, flush=True)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise CommandFailed(command, f"took longer than {timeout} s") from None
        if done.returncode:
            raise CommandFailed(command, done.stderr)
        for remark, count in _remarks(done.stderr).items():
            print(f"quant-import: note: {count} of {remark}", file=sys.stderr)
        return done.stdout

    def import_onnx(self, model: Path, torch: Path, generic: Path) -> None:
        """ONNX to the torch dialect; then the form that tools without that dialect can read."""
        from ._onnx_typed import readable_copy

        self.run("iree-import-onnx", readable_copy(model, torch.parent), "-o", torch)
        self.to_generic(torch, generic)

    def to_generic(self, torch: Path, generic: Path) -> None:
        self.run("torch-mlir-opt", "--mlir-print-op-generic", torch, "-o", generic)

    def lower(self, generic: Path, lowered: Path, options: str) -> None:
        """Our part. What no pattern of ours takes stays, for the other compiler, which knows ONNX's own operators."""
        self.run("quant-opt", f"--lower-quant={options}", generic, "-o", lowered)
        if unknown := _custom_operators(lowered.read_text()):
            names = ", ".join(f"{count} {name}" for name, count in unknown.items())
            raise CommandFailed(
                ["quant-opt"], f"error: neither we nor the other compiler convert {names}"
            )

    def compile_iree(self, module: Path, binary: Path, *flags: str, input_type="onnx") -> None:
        flags = (f"--iree-input-type={input_type}", *IREE_FLAGS, *flags)
        self.run("iree-compile", *flags, module, "-o", binary)

    def to_linalg(self, lowered: Path, linalg: Path, input_type="onnx") -> None:
        pipeline = TORCH_TO_LINALG[input_type]
        self.run("torch-mlir-opt", f"--pass-pipeline={pipeline}", lowered, "-o", linalg)
