# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module before and after each pass that quant-opt runs on it."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache

from .types import Unsupported

_DUMP = re.compile(
    r"^// -----// IR Dump After \S.* \(([\w-]*)(?:\{.*?\})?\).*//----- //$", re.MULTILINE
)
_DUMPS = ("--mlir-print-ir-after-all", "--mlir-print-ir-module-scope", "--mlir-disable-threading")
#: Remarks of the next pass follow the module of this one.
_REMARK = re.compile(r"^(?:<stdin>|<unknown>|loc\(|remark:|warning:)", re.MULTILINE)
#: From here on quant-to-llvm is upstream's conversion to the LLVM dialect.
LAST_STAGES = ("convert-math-to-llvm", "convert-vector-to-llvm")
#: Of a processor: a busy machine may take longer.
_SECONDS = 60


@lru_cache(maxsize=2)
def stages(text: str, passes: tuple[str, ...]) -> list[tuple[str, str]]:
    """(pass, module after it), from the input, whose pass is '', on."""
    tool = shutil.which("quant-opt")
    if tool is None:
        raise Unsupported("no quant-opt in PATH")
    command = [tool, "--allow-unregistered-dialect", *passes, *_DUMPS, "-o", "/dev/null"]
    done = _run(command, text)
    if done.returncode < 0:
        raise Unsupported(f"quant-opt ends by signal {-done.returncode}")
    if done.returncode:
        raise Unsupported("the pass refuses the input")
    parts = _DUMP.split(done.stderr)
    found = [("", _run([tool, "--allow-unregistered-dialect"], text).stdout)]
    for name, module in zip(parts[1::2], parts[2::2]):
        module = _REMARK.split(module, maxsplit=1)[0]
        if name in LAST_STAGES:
            break
        if module.strip() != found[-1][1].strip():
            found.append((name, module))
    return found


def _run(command: Sequence[str], text: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, input=text, capture_output=True, text=True, preexec_fn=_limit_seconds
    )


def _limit_seconds() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
