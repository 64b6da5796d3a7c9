# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the libraries that compiled code calls."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterable
from pathlib import Path

#: MLIR's own: memory copies, conversions of f16 and bf16, printing.
_MLIR = ("libmlir_c_runner_utils", "libmlir_runner_utils", "libmlir_float16_utils")

#: LLVM's and Intel's OpenMP, which have one interface. GNU's libgomp has another.
_OPENMP = ("libomp.so", "libiomp5.so")

_NAMES = ("libMLIR", "libLLVM", *_OPENMP)


def mapped_libraries() -> list[Path]:
    """The libraries of MLIR, LLVM and OpenMP that this process has in memory, each once."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return []
    paths = (line.partition(" /")[2] for line in maps.read_text().splitlines())
    named = (path for path in paths if path.rpartition("/")[2].startswith(_NAMES))
    return [Path(f"/{path}") for path in dict.fromkeys(named)]


def shared_libraries(threads, mapped: list[Path]) -> list[str]:
    """The paths of MLIR's own libraries, as far as they are installed, and of OpenMP's for `threads`.

    mapped: those of `mapped_libraries`.
    """
    mlir = next((path for path in mapped if path.name.startswith("libMLIR.so")), None)
    if mlir is None:
        return _openmp_libraries(threads, mapped, None)
    paths = []
    for name in _MLIR:
        # Of several versions in one directory, that of this libMLIR: libMLIR.so.23.1.
        ends = dict.fromkeys([mlir.name.removeprefix("libMLIR"), ".so"])
        found = (mlir.parent / (name + end) for end in ends)
        paths += [str(path) for path in found if path.exists()][:1]
    return paths + _openmp_libraries(threads, mapped, mlir.parent)


def _openmp_libraries(threads, mapped: list[Path], folder: Path | None) -> list[str]:
    """The path of the OpenMP runtime, in a list; nothing for one thread."""
    if threads in (None, 1):
        return []
    for candidate in _openmp_candidates(mapped, folder):
        try:
            ctypes.CDLL(candidate)  # is never unloaded: its threads live on
        except OSError:
            continue
        return [candidate]
    raise RuntimeError(
        f"threads={threads} needs the OpenMP runtime of LLVM or Intel, {' or '.join(_OPENMP)}: "
        "install libomp-22-dev from Debian, or intel-openmp from PyPI"
    )


def _openmp_candidates(mapped: list[Path], folder: Path | None) -> Iterable[str]:
    # Two in one process abort it: MKL or PyTorch may have brought one.
    yield from (str(path) for path in mapped if path.name.startswith(_OPENMP))
    for name in _OPENMP:
        if folder is not None:
            yield str(folder / name)
        if found := ctypes.util.find_library(name.removeprefix("lib").removesuffix(".so")):
            yield found
        yield str(Path(sys.prefix) / "lib" / name)
