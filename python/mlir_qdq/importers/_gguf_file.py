# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structure of a GGUF file: metadata and tensors, of versions 2 and 3, little-endian.

Nothing of the file's size is read: the tensors' bytes are mapped.
"""

from __future__ import annotations

import math
import os
import struct
from dataclasses import dataclass

import numpy as np

from ._files import called


class GgufImportError(ValueError):
    """A file that is no GGUF file, is damaged, or has something unsupported; names the tensor."""


@dataclass(frozen=True)
class Tensor:
    name: str
    #: Slowest dimension first, as everywhere but in the file.
    shape: tuple[int, ...]
    type: int
    #: From the start of the data.
    offset: int


_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MAX_RANK = 4
#: By the number of the type; 8 is a string, 9 an array.
_SCALARS = dict(zip((*range(8), 10, 11, 12), "BbHhIif?Qqd"))
_STRING, _ARRAY = 8, 9


class _Reader:
    def __init__(self, path, data: np.ndarray):
        self.path, self.data, self.position = path, data, 0
        self.what = "header"

    def error(self, message: str) -> GgufImportError:
        return GgufImportError(f"{self.path}: {self.what}: {message}")

    def take(self, count: int) -> memoryview:
        end = self.position + count
        if end > self.data.size:
            raise self.error(
                f"needs {count} bytes at {self.position}, the file has {self.data.size}"
            )
        taken = memoryview(self.data[self.position : end])
        self.position = end
        return taken

    def number(self, code: str):
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def string(self) -> str:
        try:
            return bytes(self.take(self.number("Q"))).decode()
        except UnicodeDecodeError as error:
            raise self.error(f"a string is not UTF-8: {error}") from None

    def value(self, kind: int, depth: int = 0):
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            if depth > 3:
                raise self.error("arrays of arrays of arrays")
            return self.array(depth)
        if kind not in _SCALARS:
            raise self.error(f"unknown type {kind} of a value")
        return self.number(_SCALARS[kind])

    def array(self, depth: int) -> None:
        """Vocabularies: passed over."""
        kind, count = self.number("I"), self.number("Q")
        if kind in _SCALARS:
            self.take(count * struct.calcsize("<" + _SCALARS[kind]))
            return
        if count > self.data.size:
            raise self.error(f"an array of {count} elements in a file of {self.data.size} bytes")
        for _ in range(count):
            self.value(kind, depth + 1)

    def metadata(self, count: int) -> dict:
        values = {}
        for _ in range(count):
            self.what = "metadata"
            key = self.string()
            self.what = f"metadata {called(key)}"
            values[key] = self.value(self.number("I"))
        return values

    def tensor(self, index: int) -> Tensor:
        self.what = f"tensor {index}"
        name = self.string()
        self.what = f"tensor {called(name)}"
        rank = self.number("I")
        if not 0 <= rank <= _MAX_RANK:
            raise self.error(f"has {rank} dimensions, expected at most {_MAX_RANK}")
        shape = tuple(self.number("Q") for _ in range(rank))[::-1]
        # A size of 2^63 or more is no number of elements.
        if math.prod(shape) >= 1 << 63:
            raise self.error(f"has too many elements: {shape}")
        return Tensor(name, shape, self.number("I"), self.number("Q"))


def read(path) -> tuple[dict[str, Tensor], np.ndarray]:
    """The tensors by name, and the bytes that their offsets point into."""
    if os.path.getsize(path) == 0:
        raise GgufImportError(f"{path}: header: the file is empty")
    data = np.memmap(path, np.uint8, "r")
    reader = _Reader(path, data)
    if bytes(reader.take(4)) != _MAGIC:
        raise reader.error("is no GGUF file: it does not begin with 'GGUF'")
    version = reader.number("I")
    if version not in _VERSIONS:
        hint = " (a big-endian file)" if version >> 16 else ""
        raise reader.error(f"version {version}{hint}, expected 2 or 3")
    tensor_count, value_count = reader.number("Q"), reader.number("Q")
    alignment = reader.metadata(value_count).get("general.alignment", 32)
    reader.what = "metadata 'general.alignment'"
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise reader.error(f"is {alignment}, expected a power of two")
    tensors: dict[str, Tensor] = {}
    for index in range(tensor_count):
        tensor = reader.tensor(index)
        if tensor.name in tensors:
            raise reader.error("stands twice in the file")
        tensors[tensor.name] = tensor
    start = -(-reader.position // alignment) * alignment
    return tensors, data[start:]
