# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands share: their parser, and what becomes of their errors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from mlir import ir


class CommandError(Exception):
    """What the user has to be told; the text is whole."""


class Parser(argparse.ArgumentParser):
    """Usage errors end with exit code 1, as all others do."""

    def __init__(self, prog: str, description: str, examples: str):
        super().__init__(
            prog=prog,
            description=description,
            epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str):
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: error: {message}\n")


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, ir.MLIRError):  # located diagnostics, a line each
        return str(error)
    return " ".join(str(error).split())


def run(prog: str, work: Callable[[], None], clear: Callable[[], None] = lambda: None) -> int:
    """The exit code of `work`, whose errors go to standard error, named after the command.

    clear: what takes away a line of progress, before anything is said.
    """
    try:
        work()
    except BrokenPipeError:  # who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        clear()
        return 130
    except (
        CommandError, EOFError, ir.MLIRError, KeyError, MemoryError, ModuleNotFoundError, NotImplementedError, OSError,
        RuntimeError, TypeError, ValueError,
    ) as error:  # fmt: skip
        clear()
        print(f"{prog}: error: {_reason(error)}", file=sys.stderr)
        return 1
    clear()
    return 0
