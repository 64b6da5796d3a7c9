# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are there whole or not at all, and a bar that tells how far they are."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path

_WIDTH = 30
_SECONDS_BETWEEN = 0.1


class Progress:
    """A bar on standard error, where that is a terminal."""

    def __init__(self):
        self.is_shown = sys.stderr.isatty()
        self._last = 0.0

    def show(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if not self.is_shown or now - self._last < _SECONDS_BETWEEN:
            return
        self._last = now
        part = min(done / total, 1.0) if total else 1.0
        bar = ("#" * int(part * _WIDTH)).ljust(_WIDTH)
        print(f"\r{what:>10} [{bar}] {part:4.0%}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class _Counted:
    """A binary stream that counts its bytes."""

    def __init__(self, stream, progress: Progress, total: int):
        self._stream, self._progress, self._total = stream, progress, total
        self._written = 0

    def write(self, data: bytes) -> int:
        self._stream.write(data)
        self._written += len(data)
        self._progress.show("writing", self._written, self._total)
        return len(data)

    def flush(self) -> None:
        self._stream.flush()


@contextlib.contextmanager
def _named(path: Path):
    """Errors of writing that name no file are of this one."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextlib.contextmanager
def replaced(path: Path):
    """A path beside `path`, which becomes `path` where nothing was raised, and else is gone.

    What is no regular file, such as a device, is written itself.
    """
    if path.exists() and not path.is_file():
        with _named(path):
            yield path
        return
    try:
        # A name of 255 bytes leaves no room for more.
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=path.suffix[:40], dir=path.parent)  # fmt: skip
    except OSError as error:
        error.filename = str(path)
        raise
    os.close(handle)
    try:
        with _named(path):
            yield Path(name)
        # mkstemp's files are for their owner alone.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def write_module(module, path: Path | None, size: int, progress: Progress) -> None:
    """As text, or bytecode for the suffix `.mlirbc`. None is standard output. `size`: bytes of data."""
    if path is None:
        module.operation.print(file=sys.stdout.buffer, binary=True)
        sys.stdout.buffer.flush()
        return
    is_bytecode = path.suffix == ".mlirbc"
    # Text has two digits a byte.
    total = size if is_bytecode else 2 * size
    with replaced(path) as temporary, open(temporary, "wb") as stream:
        counted = _Counted(stream, progress, total)
        if is_bytecode:
            module.operation.write_bytecode(counted)
        else:
            module.operation.print(file=counted, binary=True)
