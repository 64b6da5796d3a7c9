# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bytes of an ONNX model's tensors that lie in files beside it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from onnx import TensorProto

from ._files import beside, size_of

#: Tensors may share bytes: a model reads no file more often than this.
_MOST_READS = 16


class ExternalData:
    """`directory`: where the files lie, None where the caller did not say; `model`: the model's own file."""

    def __init__(self, directory: str | os.PathLike | None, model: str | None = None):
        self.directory = None if directory is None else Path(directory)
        self.model = None if model is None else Path(model)
        self.read_bytes: dict[Path, int] = {}

    def read(self, tensor: TensorProto) -> np.ndarray:
        """The bytes, in the mapped file. Raises ValueError, with a reason but no place."""
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = entries.get("location", "")
        if self.directory is None:
            raise ValueError(
                "its data is in another file: give the model's path, or the file's directory"
            )
        try:
            return self._read(location, entries.get("offset", "0"), entries.get("length"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"cannot read its data from '{location}': {reason}") from error

    def _read(self, location: str, offset: str, length: str | None) -> np.ndarray:
        if os.path.isabs(location):
            raise ValueError("is an absolute path, expected one below the folder of the model")
        path = beside(self.directory, location, self.model)
        size, begin = size_of(path), int(offset)
        count = size - begin if length is None else int(length)
        if begin < 0 or count < 0 or begin + count > size:
            raise ValueError(f"bytes {begin} to {begin + count} are not in a file of {size} bytes")
        self.read_bytes[path] = self.read_bytes.get(path, 0) + count
        if self.read_bytes[path] > _MOST_READS * size:
            raise ValueError(
                f"the model's tensors have more than {_MOST_READS} times its {size} bytes"
            )
        if not count:  # no file can be mapped from its end
            return np.empty(0, np.uint8)
        return np.memmap(path, np.uint8, "r", begin, count)
