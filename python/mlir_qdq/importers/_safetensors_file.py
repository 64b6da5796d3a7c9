# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structure of a safetensors file, and the configuration beside it. The tensors' bytes are mapped."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np


class SafetensorsImportError(ValueError):
    """A file that is damaged, contradicts itself or has something unsupported; names the tensor."""


#: The file's types, as NumPy's and as MLIR's.
DTYPES = {
    "F64": (np.float64, "f64"), "F32": (np.float32, "f32"), "F16": (np.float16, "f16"),
    "BF16": (ml_dtypes.bfloat16, "bf16"), "F8_E4M3": (ml_dtypes.float8_e4m3fn, "f8E4M3FN"),
    "F8_E5M2": (ml_dtypes.float8_e5m2, "f8E5M2"), "F8_E8M0": (ml_dtypes.float8_e8m0fnu, "f8E8M0FNU"),
    "I64": (np.int64, "i64"), "I32": (np.int32, "i32"), "I16": (np.int16, "i16"), "I8": (np.int8, "i8"),
    "U64": (np.uint64, "ui64"), "U32": (np.uint32, "ui32"), "U16": (np.uint16, "ui16"),
    "U8": (np.uint8, "ui8"),
}  # fmt: skip
_MAX_HEADER = 100_000_000  # the package's own limit
#: Files beside the checkpoint, and the key of the part that is meant.
_CONFIGURATIONS = (
    ("config.json", "quantization_config"),
    ("quantize_config.json", None),
    ("quant_config.json", None),
    ("hf_quant_config.json", "quantization"),
)


@dataclass
class Checkpoint:
    path: object
    arrays: dict[str, np.ndarray]
    #: Of the first file that has one, and that file's name.
    configuration: dict
    configured_by: str

    def error(self, name: str, message: str) -> SafetensorsImportError:
        return SafetensorsImportError(f"{self.path}: tensor '{name}': {message}")

    def get(self, name: str) -> np.ndarray:
        if name not in self.arrays:
            raise self.error(name, "is missing, others refer to it")
        return self.arrays[name]


def element_of(array: np.ndarray) -> str:
    return next(element for dtype, element in DTYPES.values() if array.dtype == dtype)


def read(path) -> Checkpoint:
    def error(message: str) -> SafetensorsImportError:
        return SafetensorsImportError(f"{path}: {message}")

    file_size = os.path.getsize(path)
    if file_size < 8:
        raise error(f"header: the file has {file_size} bytes, expected at least 8")
    data = np.memmap(path, np.uint8, "r")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > min(_MAX_HEADER, file_size - 8):
        raise error(f"header: has {length} bytes, the file {file_size}")
    try:
        header = json.loads(data[8 : 8 + length].tobytes())
    except (ValueError, RecursionError) as problem:
        raise error(f"header: is no JSON: {problem}") from None
    if not isinstance(header, dict):
        raise error("header: is no JSON object")
    header.pop("__metadata__", None)
    body = data[8 + length :]
    arrays, places = {}, []
    for name, entry in header.items():
        arrays[name], begin, end = _array(error, name, entry, body)
        places.append((begin, end, name))
    places.sort()
    for (_, end, before), (begin, _, name) in zip(places, places[1:]):
        if begin < end:
            raise error(
                f"tensor '{name}': begins at byte {begin}, in '{before}', which ends at {end}"
            )
    configuration, configured_by = _configuration(Path(path).parent, error)
    return Checkpoint(path, arrays, configuration, configured_by)


def _array(error, name: str, entry, body: np.ndarray):
    def refuse(message: str):
        return error(f"tensor '{name}': {message}")

    def counts(value, length=None):
        is_list = isinstance(value, list) and length in (None, len(value))
        return is_list and all(type(size) is int and 0 <= size < 1 << 63 for size in value)

    if not isinstance(entry, dict):
        raise refuse("has no description")
    dtype, shape, place = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise refuse(f"has the type {dtype!r}, expected one of {', '.join(DTYPES)}")
    if not counts(shape) or not counts(place, 2):
        raise refuse(f"has the shape {shape} at {place}, expected sizes, and begin and end")
    begin, end = place
    size = math.prod(shape) * np.dtype(DTYPES[dtype][0]).itemsize
    if end - begin != size or end > body.size:
        raise refuse(
            f"of {dtype} {shape} has {size} bytes at {begin} to {end}, in data of {body.size}"
        )
    raw = body[begin:end]
    if raw.size and raw.ctypes.data % np.dtype(DTYPES[dtype][0]).itemsize:
        raw = raw.copy()  # headers need not end on a multiple of 8
    return raw.view(DTYPES[dtype][0]).reshape(shape), begin, end


def _configuration(directory: Path, error) -> tuple[dict, str]:
    for file, key in _CONFIGURATIONS:
        try:
            content = json.loads((directory / file).read_text())
        except OSError:
            continue
        except ValueError as problem:
            raise error(f"{file} beside it is no JSON: {problem}") from None
        content = content.get(key) if key and isinstance(content, dict) else content
        if isinstance(content, dict):
            return content, file
    return {}, ""
