# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that a call passes: memref descriptors, scalars, and pointers to them."""

from __future__ import annotations

import ctypes
import math
import weakref

import numpy as np

from .._mlir_libs import _qdq_runtime

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]
_libc.free.restype = None


def address(array: np.ndarray) -> int:
    """Not of a NumPy scalar, which has an address for a moment only."""
    return array.ctypes.data


def _descriptor(array: np.ndarray) -> list[int]:
    """allocated, aligned, offset, sizes, strides in elements (C order)."""
    start = address(array)
    strides, stride = [], 1
    for size in reversed(array.shape):
        strides.append(stride)
        stride *= size
    return [start, start, 0, *array.shape, *reversed(strides)]


class Frame:
    """The arguments of one call, in words of 64 bits. The caller keeps the arrays alive."""

    def __init__(self):
        self._words: list[int] = []
        # Of each argument the word that it begins at, and whether the function takes a pointer.
        self._arguments: list[tuple[int, bool]] = []
        self._relative: list[int] = []  # words that are indices of words, to become addresses
        self._memory = None
        self._taken: dict[int, ctypes.Array] = {}  # by the address to free

    def copy(self) -> Frame:
        other = Frame()
        other._words = self._words.copy()
        other._arguments = self._arguments.copy()
        other._relative = self._relative.copy()
        return other

    def add_array(self, array: np.ndarray) -> None:
        """A memref: the C-contiguous array itself."""
        self._arguments.append((len(self._words), True))
        self._words += _descriptor(array)

    def add_unranked(self, array: np.ndarray) -> None:
        start = len(self._words)
        self._words += _descriptor(array)
        self._arguments.append((len(self._words), True))
        self._relative.append(len(self._words) + 1)
        self._words += [array.ndim, start]

    def add_bits(self, bits: int) -> None:
        """A scalar, by its bits."""
        self._arguments.append((len(self._words), False))
        self._words.append(bits - (bits >> 63 << 64))

    def add_returned(self, words: int) -> int:
        """Room for what the function returns, its first argument; the word that it begins at."""
        start = len(self._words)
        self._arguments.insert(0, (start, True))
        self._words += [0] * words
        return start

    def call(self, code: int) -> None:
        """Calls code at an address, with an array of pointers: to scalars, or to pointers to
        descriptors. ValueError if an assertion of it does not hold."""
        words = self._words
        pointers = len(words)
        table = pointers + sum(is_pointer for _, is_pointer in self._arguments)
        memory = (ctypes.c_int64 * (table + len(self._arguments)))()
        base = ctypes.addressof(memory)
        for index in self._relative:
            words[index] = base + 8 * words[index]
        entries = []
        for start, is_pointer in self._arguments:
            if is_pointer:
                entries.append(base + 8 * len(words))
                words.append(base + 8 * start)
            else:
                entries.append(base + 8 * start)
        memory[:] = words + entries
        self._memory = memory
        _qdq_runtime.call(code, base + 8 * table)

    def take_ranked(self, start: int, rank: int, dtype: np.dtype) -> np.ndarray:
        """The array of a returned descriptor. It owns the memory, as the function did; what an
        array of this call owns already is copied."""
        allocated, aligned, offset, *rest = self._memory[start : start + 3 + 2 * rank]
        return self._own(allocated, aligned, offset, rest[:rank], dtype)

    def take_unranked(self, start: int, dtype: np.dtype) -> np.ndarray:
        rank, descriptor = self._memory[start : start + 2]
        words = (ctypes.c_int64 * (3 + 2 * rank)).from_address(descriptor)
        allocated, aligned, offset, *rest = words[:]
        _libc.free(descriptor)
        return self._own(allocated, aligned, offset, rest[:rank], dtype)

    def _own(self, allocated: int, aligned: int, offset: int, shape, dtype) -> np.ndarray:
        size = math.prod(shape) * dtype.itemsize
        memory = (ctypes.c_char * size).from_address(aligned + offset * dtype.itemsize)
        is_new = allocated not in self._taken
        if is_new:
            self._taken[allocated] = memory
            weakref.finalize(memory, _libc.free, allocated)
        if size == 0:
            return np.empty(shape, dtype)
        array = np.frombuffer(memory, np.uint8).view(dtype).reshape(shape)
        return array if is_new else array.copy()
