# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that ends where a page begins that nobody may touch."""

import ctypes
import mmap

import numpy as np

_LIBC = ctypes.CDLL(None, use_errno=True)
_PROT_NONE = 0


def before_guard_page(size: int) -> np.ndarray:
    """`size` bytes; the next one traps."""
    pages = -(-size // mmap.PAGESIZE) + 1
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
    end = (pages - 1) * mmap.PAGESIZE
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _LIBC.mprotect(ctypes.c_void_p(address + end), mmap.PAGESIZE, _PROT_NONE):
        raise OSError(ctypes.get_errno(), "mprotect")
    return np.frombuffer(memory, np.uint8, size, end - size)
