# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions, and elements of less than a byte: python/Runtime."""

from typing import Any

import numpy as np

class Callable:
    """Calls a compiled function. What is not usual goes to the method
    `call_any` of the derived class, which raises errors too."""

    def __init__(self, description: tuple[Any, ...] | None, /) -> None: ...
    def __call__(self, *arguments: Any, out: Any = None) -> Any: ...

def call(code: int, pointers: int, /) -> None:
    """Calls code at an address with an array of pointers. ValueError if an assertion of it does
    not hold."""

def assertion_symbols() -> list[tuple[str, int]]:
    """The functions that code calls where an assertion does not hold: names and addresses."""

def pack(codes: np.ndarray, bits: int, /) -> np.ndarray:
    """The bytes that hold the low bits of each byte."""

def unpack(packed: np.ndarray, count: int, bits: int, is_signed: bool, /) -> np.ndarray:
    """The reverse of `pack`."""
