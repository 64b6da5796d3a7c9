# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structure of a safetensors file, and the configuration beside it. The tensors' bytes are mapped."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short

import ml_dtypes
import numpy as np

from ._files import beside, called, read_json
from ._safetensors_schemes import Scheme, UnknownField, schemes


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
_MAX_RANK = 64  # NumPy's
_MAX_CONFIGURATION = 50_000_000
#: Files beside the checkpoint, and the keys of the part that is meant.
_CONFIGURATIONS = (
    ("config.json", ("quantization_config", "compression_config", "quantization")),
    ("quantize_config.json", ()),
    ("quant_config.json", ()),
    ("hf_quant_config.json", ("quantization",)),
)
#: Fields of a configuration that AutoGPTQ writes into the file itself.
_METADATA = {
    "gptq_bits": "bits", "gptq_group_size": "group_size", "gptq_desc_act": "desc_act",
    "gptq_damp_percent": "damp_percent", "gptq_is_marlin_format": "is_marlin_format",
}  # fmt: skip


@dataclass
class Checkpoint:
    path: object
    arrays: dict[str, np.ndarray]
    #: None where there is no configuration.
    schemes: tuple[Scheme, ...] | None
    #: The header's own strings.
    metadata: dict

    def error(self, name: str, message: str) -> SafetensorsImportError:
        return SafetensorsImportError(f"{self.path}: tensor {called(name)}: {message}")

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
    metadata = header.pop("__metadata__", None)
    metadata = metadata if isinstance(metadata, dict) else {}
    body = data[8 + length :]
    arrays, places = {}, []
    for name, entry in header.items():
        arrays[name], begin, end = _array(error, name, entry, body)
        places.append((begin, end, name))
    places.sort()
    for (_, end, before), (begin, _, name) in zip(places, places[1:]):
        if begin < end:
            raise error(
                f"tensor {called(name)}: begins at byte {begin}, in {called(before)}, which ends at {end}"
            )
    found = _configuration(Path(path), error) or _of_metadata(metadata, error)
    try:
        return Checkpoint(path, arrays, schemes(*found) if found else None, metadata)
    except UnknownField as problem:
        raise error(str(problem)) from None


def _array(error, name: str, entry, body: np.ndarray):
    def refuse(message: str):
        return error(f"tensor {called(name)}: {message}")

    def counts(value, length=None):
        is_list = isinstance(value, list) and length in (None, len(value))
        is_list = is_list and len(value) <= _MAX_RANK
        return is_list and all(type(size) is int and 0 <= size < 1 << 63 for size in value)

    if not name.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in name):
        raise error(f"tensor {short(name)}: the name is no Unicode text")
    if not isinstance(entry, dict):
        raise refuse("has no description")
    dtype, shape, place = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise refuse(f"has the type {short(dtype)}, expected one of {', '.join(DTYPES)}")
    if not counts(shape) or not counts(place, 2):
        raise refuse(
            f"has the shape {short(shape)} at {short(place)}, expected sizes, and begin and end"
        )
    begin, end = place
    size = math.prod(shape) * np.dtype(DTYPES[dtype][0]).itemsize
    if end - begin != size or end > body.size:
        raise refuse(
            f"of {dtype} {short(shape)} has {short(size)} bytes at {begin} to {end}, in data of {body.size}"
        )
    raw = body[begin:end]
    if raw.size and raw.ctypes.data % np.dtype(DTYPES[dtype][0]).itemsize:
        raw = raw.copy()  # headers need not end on a multiple of 8
    return raw.view(DTYPES[dtype][0]).reshape(shape), begin, end


def _configuration(path: Path, error) -> tuple[str, dict] | None:
    """The first configuration beside the file, and where it stands."""
    for file, keys in _CONFIGURATIONS:
        try:
            content = read_json(beside(path.parent, file, path), _MAX_CONFIGURATION)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as problem:
            raise error(f"{file} beside it: {problem}") from None
        if not isinstance(content, dict):
            raise error(f"{file} beside it is no JSON object")
        if not keys:
            return f"{file}: ", content
        for key in keys:
            if isinstance(content.get(key), dict):
                return f"{file}: .{key}", content[key]
    return None


def _of_metadata(metadata: dict, error) -> tuple[str, dict] | None:
    """The header's own strings. Those that name a quantization are known, or refused."""
    found = {}
    for name, value in metadata.items():
        if '"_type"' in str(value):  # torchao's description of a tensor
            continue
        if name in _METADATA:
            try:
                found[_METADATA[name]] = json.loads(str(value).lower())
            except (ValueError, RecursionError):
                found[_METADATA[name]] = value
        elif "quant" in name.lower() and name != "quantized_by":
            known = ", ".join(_METADATA)
            raise error(f"header: __metadata__.{name} is {short(value)}, known are {known}")
    return ("header: .__metadata__", {"quant_method": "gptq", **found}) if found else None
