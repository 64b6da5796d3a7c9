# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX tensors as MLIR elements attributes, bit for bit."""

from __future__ import annotations

import math
import sys

import numpy as np
import onnx
from mlir import ir
from onnx import TensorProto

from ._elements import array_attribute
from ._onnx_external import ExternalData
from ._onnx_types import check_rank, element_spelling

#: Storage that is narrower than a byte. MLIR holds such an element in the low bits of a byte of its
#: own, in `dense` and in `dense_resource`; only `i1` in `dense` is packed, eight to a byte.
_SUB_BYTE_BITS = {
    name: bits
    for names, bits in (
        (("INT2", "UINT2"), 2),
        (("INT4", "UINT4", "FLOAT4E2M1"), 4),
        (("FLOAT6E2M3", "FLOAT6E3M2"), 6),
    )
    for name in names
}


def elements_attribute(tensor: TensorProto, external: ExternalData) -> ir.Attribute:
    """A tensor as `dense` or `dense_resource`.

    Raises ValueError, with a reason but no place, for data that is not sound.
    """
    check_rank(tensor)
    dims = list(tensor.dims)
    if any(dim < 0 for dim in dims):
        raise ValueError(f"negative dimension in {dims}")
    spelling = element_spelling(tensor.data_type)
    if tensor.data_type == TensorProto.STRING:
        return _strings(list(tensor.string_data), dims, spelling)
    array = _load(tensor, external)
    return array_attribute(array, spelling, _sub_byte_bits(tensor.data_type), tensor.name)


def _sub_byte_bits(data_type: int) -> int | None:
    return _SUB_BYTE_BITS.get(TensorProto.DataType.Name(data_type))


def _load(tensor: TensorProto, external: ExternalData) -> np.ndarray:
    bits = _sub_byte_bits(tensor.data_type)
    if tensor.data_location == TensorProto.EXTERNAL:
        raw = external.read(tensor)
        if bits is None:
            return _view(raw, tensor)
        tensor = TensorProto(data_type=tensor.data_type, dims=tensor.dims, raw_data=raw.tobytes())
    if bits is not None and tensor.HasField("raw_data"):
        expected = math.ceil(math.prod(tensor.dims) * bits / 8)
        if len(tensor.raw_data) != expected:
            found = f"{len(tensor.raw_data)} bytes of data for shape {list(tensor.dims)}"
            raise ValueError(f"{found}, expected {expected}")
    try:
        return onnx.numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
        raise ValueError(f"its data does not fit shape {list(tensor.dims)}: {error}") from error


def _view(raw: np.ndarray, tensor: TensorProto) -> np.ndarray:
    """External data of whole bytes: the mapped file itself."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    expected = math.prod(tensor.dims) * dtype.itemsize
    if raw.size != expected:
        shape = list(tensor.dims)
        raise ValueError(f"{raw.size} bytes of data for shape {shape}, expected {expected}")
    array = raw.view(dtype).reshape(tensor.dims)
    return array if sys.byteorder == "little" else array.byteswap()


def _strings(strings: list[bytes], dims: list[int], element: str) -> ir.Attribute:
    if len(strings) != math.prod(dims):
        raise ValueError(f"{len(strings)} strings for shape {dims}")
    # StringAttr prints what the parser reads back, for any bytes.
    literals = [str(ir.StringAttr.get(string)) for string in strings]
    for dim in reversed(dims[1:]):
        literals = [
            "[" + ", ".join(literals[i : i + dim]) + "]" for i in range(0, len(literals), dim or 1)
        ]
    body = "[" + ", ".join(literals) + "]" if dims and strings else "".join(literals)
    shape = "".join(f"{dim}x" for dim in dims)
    return ir.Attribute.parse(f"dense<{body if strings else ''}> : tensor<{shape}{element}>")
