# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every input of a cast, in order, against a callable, a function of a C library, or a program behind pipes."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .case import Difference
from .casts import Cast
from .runs import CHUNK, digest

BLOCK = 1 << 22


@dataclass
class Result:
    """`tree` and `sha256` are those of the outputs, any NaN as the one of the vectors; README.md defines them."""

    compared: int
    differing: int
    first: Difference | None
    tree: str
    sha256: str


def check(
    cast: Cast,
    results: Callable[[int, int], np.ndarray],
    first: int = 0,
    last: int | None = None,
    progress: Callable[[int], None] = lambda compared: None,
) -> Result:
    """`results(a, b)` are the outputs of the patterns a, ..., b - 1; it is called with rising a."""
    last = 1 << cast.source_type.bits if last is None else last
    tree, plain = hashlib.sha256(), hashlib.sha256()
    differing, found = 0, None
    for a in range(first, last, BLOCK):
        b = min(a + BLOCK, last)
        given = cast.canonical(results(a, b), b - a)
        expected = cast.span(a, b)
        plain.update(given.tobytes())
        for start in range(0, b - a, CHUNK):
            tree.update(digest(given[start : start + CHUNK]))
        if not np.array_equal(given, expected):
            wrong = np.flatnonzero(given != expected)
            differing += wrong.size
            found = found or cast.compare(a + wrong[:1], given[wrong[:1]])
        progress(b - first)
    return Result(last - first, differing, found, tree.hexdigest(), plain.hexdigest())


# --- where outputs come from --------------------------------------------------------------


def of_callable(cast: Cast, convert) -> Callable[[int, int], np.ndarray]:
    return lambda a, b: convert(cast.inputs(np.arange(a, b, dtype=np.int64)))


def library_function(cast: Cast, path: str, symbol: str, is_scalar: bool = False):
    """From an array of inputs to one of codes, by `void symbol(const source *x, code *y, size_t count)` of a C
    library, or by `code symbol(source x)`. f16 and bf16 are passed as uint16_t."""
    function = getattr(ctypes.CDLL(path), symbol)
    out = np.dtype(np.float32 if cast.to == "f32" else f"u{max(1, cast.type.bits // 8)}")
    if is_scalar:
        c = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_float, 8: ctypes.c_double}
        function.argtypes = [c[max(1, cast.source_type.bits // 8)]]
        function.restype = c[out.itemsize]
        is_float = cast.source in ("f32", "f64")
        return lambda x: np.array(
            [function(v) for v in (x if is_float else x.view(f"u{x.dtype.itemsize}")).tolist()], out
        )
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    function.restype = None

    def convert(x: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(x)
        y = np.empty(len(x), out)
        function(x.ctypes.data, y.ctypes.data, len(x))
        return y

    return convert


def of_file(cast: Cast, file):
    """Outputs in order, as bytes."""
    width = max(1, cast.type.bits // 8)

    def results(a: int, b: int) -> np.ndarray:
        data = file.read((b - a) * width)
        if len(data) < (b - a) * width:
            raise EOFError(
                f"{cast.name}: outputs end at input 0x{a + len(data) // width:x}, expected 0x{b:x} or more"
            )
        return np.frombuffer(data, f"<u{width}")

    return results


def of_program(cast: Cast, command: list[str], first: int, last: int):
    """A program that reads inputs from its standard input and writes outputs."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        try:
            for a in range(first, last, BLOCK):
                b = min(a + BLOCK, last)
                process.stdin.write(cast.inputs(np.arange(a, b, dtype=np.int64)).tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass

    threading.Thread(target=feed, daemon=True).start()
    return of_file(cast, process.stdout)


def patterns(cast: Cast) -> Iterator[bytes]:
    """Every input as bytes, for a program that cannot count."""
    count = 1 << cast.source_type.bits
    for a in range(0, count, BLOCK):
        yield cast.inputs(np.arange(a, min(a + BLOCK, count), dtype=np.int64)).tobytes()
