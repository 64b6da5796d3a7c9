# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function in a process of its own, since compiled code and compilers may crash."""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
BYTES = 8 << 30
#: Seconds that pass for one of the CPU, on a machine with other work.
PATIENCE = 20


def call(function: Callable[[], T], log: Path, seconds: float) -> T | str:
    """The result of `function`, or what it raised, or how its process ended. `log` keeps its output.

    `seconds` are those of the CPU; a process that waits has more.
    """
    reads, writes = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reads)
        _child(function, writes, log, int(seconds))
    os.close(writes)
    chunks, end = [], time.monotonic() + PATIENCE * seconds
    while True:
        ready, _, _ = select.select([reads], [], [], max(0.0, end - time.monotonic()))
        chunk = os.read(reads, 1 << 16) if ready else None
        if not chunk:
            break
        chunks.append(chunk)
    is_late = chunk is None
    if is_late:
        os.kill(child, signal.SIGKILL)
    os.close(reads)
    _, status = os.waitpid(child, 0)
    if is_late:
        return f"no result after {PATIENCE * seconds:.0f} s"
    if chunks:
        return pickle.loads(b"".join(chunks))
    end_of_log = log.read_text(errors="replace")[-1500:]
    if os.WIFSIGNALED(status):
        return f"{signal.Signals(os.WTERMSIG(status)).name}: {end_of_log}"
    return f"exit {os.WEXITSTATUS(status)}: {end_of_log}"


def outcome(function: Callable[[], T]) -> T | str:
    """The result of `function`, or what it raised."""
    try:
        return function()
    except Exception as error:
        frames = "".join(traceback.format_exception(error))
        return f"{type(error).__name__}: {frames[-3000:]}"


def _child(function, writes: int, log: Path, seconds: int) -> None:
    """Does not return."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.write(writes, pickle.dumps(outcome(function)))
    finally:
        os._exit(0)
