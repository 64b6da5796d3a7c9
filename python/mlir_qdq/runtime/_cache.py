# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code that is kept: in the process while it is used, and in files."""

from __future__ import annotations

import ctypes
import enum
import hashlib
import os
import sys
import tempfile
import warnings
import weakref
from pathlib import Path

from mlir import ir

from .._mlir_libs import _qdq
from ._code import Engine

#: A directory, "off", or "lowered".
VARIABLE = "MLIR_QDQ_CACHE"

#: Of the directory, in bytes. Beyond it what was not used for longest goes, but for a
#: 64th that each process may write before it looks again, which takes long.
LIMIT = 1 << 30

_FORMAT = b"mlir-qdq code 3\n"

#: Engines that some function uses, by key.
engines: weakref.WeakValueDictionary[str, Engine] = weakref.WeakValueDictionary()

#: Bytes that this process has written since it looked through a directory.
_unseen: dict[Path, int] = {}


class Layer(enum.Enum):
    """The origin of a file; one of the two is in use."""

    SOURCE = "module"
    LOWERED = "module of the LLVM dialect"


def key_of(module: ir.Module, pipeline: str, mapped: list[Path]) -> str:
    """Of a module with its options, for this machine and these versions.

    mapped: the files in the memory of the process, of which those of LLVM and MLIR count.
    """
    digest = _digest_of_machine([Path(_qdq.__file__), *_libraries(mapped)])
    digest.update(f"{Layer.SOURCE.value}\n{pipeline}\n".encode())
    digest.update(_qdq.code.bytecode(module))
    for name, address, size in _qdq.code.resources(module):
        digest.update(f"{name} {size}\n".encode())
        digest.update((ctypes.c_char * size).from_address(address))
    return digest.hexdigest()


def key_of_lowered(module: ir.Module, options: str, mapped: list[Path]) -> str:
    """Of a module of the LLVM dialect, without its locations. Our passes do not count."""
    digest = _digest_of_machine(_libraries(mapped))
    digest.update(f"{Layer.LOWERED.value}\n{options}\n".encode())
    digest.update(module.operation.get_asm(binary=True, assume_verified=True))
    return digest.hexdigest()


def _libraries(mapped: list[Path]) -> list[Path]:
    return sorted(p for p in mapped if p.name.startswith(("libMLIR", "libLLVM")))


def _digest_of_machine(files: list[Path]):
    digest = hashlib.sha256(_FORMAT)
    for path in files:
        status = os.stat(path)
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    digest.update(f"{_qdq.code.describe_target()}\n".encode())
    return digest


def is_used(layer: Layer) -> bool:
    return _directory(layer) is not None


def load(key: str, layer: Layer) -> bytes | None:
    """The bytes of a file. None if there is no such file, or another one."""
    directory = _directory(layer)
    if directory is None:
        return None
    path = directory / key
    try:
        data = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    start = len(_FORMAT) + 32
    if data[:start] != _FORMAT + _digest(key, data[start:]):
        return None
    return data[start:]


def store(key: str, layer: Layer, data: bytes) -> None:
    """Writes a file, if that is possible."""
    directory = _directory(layer)
    if directory is None or len(data) > LIMIT // 4:
        return
    try:
        with tempfile.NamedTemporaryFile(dir=directory, prefix=".", delete=False) as file:
            try:
                file.write(_FORMAT + _digest(key, data))
                file.write(data)
                file.close()
                os.replace(file.name, directory / key)
            except OSError:
                os.unlink(file.name)
                raise
        _unseen[directory] = _unseen.get(directory, LIMIT) + len(data)
        if _unseen[directory] > LIMIT // 64:
            _unseen[directory] = 0
            _trim(directory)
    except OSError:
        pass


def _digest(key: str, data: bytes) -> bytes:
    return hashlib.sha256(key.encode() + data).digest()


def _directory(layer: Layer) -> Path | None:
    """Made if it is not there. None without one that only this user can write to."""
    given = os.environ.get(VARIABLE)
    if given in ("", "0", "off") or (given == "lowered") != (layer is Layer.LOWERED):
        return None
    try:
        users = given in (None, "lowered")
        path = _user_cache() / "mlir-qdq" / "code" if users else Path(given)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except (OSError, RuntimeError):
        return None
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        warnings.warn(f"{path} is not used: others can write compiled code there")
        return None
    return path


def _user_cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _trim(directory: Path) -> None:
    """Removes the files that were not used for longest. Others may be at it, too."""
    files = []
    for entry in os.scandir(directory):
        try:
            status = entry.stat()
            files.append((status.st_mtime_ns, status.st_size, entry.path))
        except OSError:
            continue
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LIMIT:
            break
        try:
            os.unlink(path)
        except OSError:
            pass
        total -= size
