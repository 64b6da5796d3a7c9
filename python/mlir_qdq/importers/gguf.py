# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the weights of a GGUF file as MLIR: one function a tensor, which returns it dequantized.

    func.func @"blk.0.attn_q.weight"() -> tensor<4096x4096xf32> {
      %0 = arith.constant dense_resource<...> : tensor<524288x18xi8>
      %1 = qdq.unpack %0 packing <bits = 4, axis = 1, block = 32, record = 18, at = 2, ...> : ... -> tensor<524288x32xui4>
      %2 = qdq.unpack %0 packing <bits = 16, axis = 1, block = 1, record = 18, at = 0> : ... -> tensor<524288x1xf16>
      %4 = qdq.dequantize %1 scale %2 zero_point %3 block_shape [1, 32] : ... -> tensor<524288x32xf32>

* The bytes of a tensor are a `dense_resource`: the mapped file itself, nothing is copied.
* Shapes are the file's, turned round: the slowest dimension first, as in NumPy.
* All types that the package `gguf` dequantizes, bit for bit as it does. The codebooks of IQ1, IQ2 and IQ3 come from
  that package; all else needs it not.
* Integer tensors are returned as they are.
"""

from __future__ import annotations

import math
import os

import ml_dtypes
import numpy as np
from mlir import ir

from . import _gguf_tables  # noqa: F401 (adds to TYPES)
from ._context import importer_context
from ._files import called
from ._gguf_file import GgufImportError, Tensor, read
from ._gguf_types import PLAIN, TYPES, Block
from ._weights import FLOATS, Value, build, no_tensor

__all__ = ["GgufImportError", "import_file"]

_DTYPES = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
}  # fmt: skip


def import_file(
    path, tensors=None, dtype: str = "f32", context: ir.Context | None = None, *, progress=None
):
    """Import the tensors of a GGUF file as an MLIR module.

    `tensors`: names; by default all. `dtype`: what the functions return: f32, f16, bf16 or f64;
    values are computed in f32. `context`: where the module lives; by default the current
    context, else a new one. `progress`: called with the number of tensors that are imported, and that
    of all.

    Raises `GgufImportError` (a ValueError) with file, tensor and reason for a file that is
    damaged or has something unsupported, KeyError for a tensor that it does not have, and OSError
    where it cannot be opened.
    """
    if dtype not in FLOATS:
        raise ValueError(f"dtype '{dtype}': expected one of {', '.join(FLOATS)}")
    known, data = read(path)
    names = list(known) if tensors is None else list(tensors)
    for name in names:
        if name not in known:
            raise no_tensor(path, name, known)
    _check_places(path, list(known.values()))
    functions = {name: _function(path, known[name], data, dtype) for name in names}
    with importer_context(context):
        return build(functions, os.fspath(path), progress)


def _size(path, tensor: Tensor) -> int:
    """Bytes of a tensor of a known type."""
    count = math.prod(tensor.shape)
    if tensor.type in PLAIN:
        return count * np.dtype(_DTYPES[PLAIN[tensor.type][1]]).itemsize
    name, elements, block_size, _ = TYPES[tensor.type]
    row = tensor.shape[-1] if tensor.shape else 1
    if row % elements:
        raise _error(
            path, tensor, f"rows of {row} elements are no whole blocks of {name}, of {elements}"
        )
    return count // elements * block_size


def _error(path, tensor: Tensor, message: str) -> GgufImportError:
    return GgufImportError(f"{path}: tensor {called(tensor.name)}: {message}")


def _check_places(path, tensors: list[Tensor]) -> None:
    """No two tensors of known types share bytes."""
    known = [tensor for tensor in tensors if tensor.type in PLAIN or tensor.type in TYPES]
    known.sort(key=lambda tensor: tensor.offset)
    for before, tensor in zip(known, known[1:]):
        end = before.offset + _size(path, before)
        if end > tensor.offset:
            raise _error(
                path,
                tensor,
                f"begins at byte {tensor.offset} of the data, in {called(before.name)}, which ends at {end}",
            )


def _function(path, tensor: Tensor, data: np.ndarray, dtype: str) -> tuple[Block, Value]:
    if tensor.type not in PLAIN and tensor.type not in TYPES:
        raise _error(path, tensor, f"has the unknown type {tensor.type}")
    size = _size(path, tensor)
    if size == 0:
        raise _error(path, tensor, f"has no elements: {tensor.shape}")
    end = tensor.offset + size
    if end > data.size:
        raise _error(path, tensor, f"ends at byte {end} of the data, which have {data.size}")
    raw = data[tensor.offset : end]
    if raw.ctypes.data % 8:  # the format demands more, files may do with less
        raw = raw.copy()

    f = Block()
    if tensor.type in PLAIN:
        element = PLAIN[tensor.type][1]
        result = f.data(raw.view(_DTYPES[element]), element)
        if element not in FLOATS:
            return f, f.reshape(result, tensor.shape)
    else:
        _, _, block_size, reader = TYPES[tensor.type]
        f.begin(f.data(raw.reshape(-1, block_size), "i8"))
        result = reader(f)
    return f, f.converted(f.reshape(result, tensor.shape), dtype)
