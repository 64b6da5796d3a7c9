# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as MLIR elements attributes, bit for bit."""

from __future__ import annotations

import numpy as np
from mlir import ir

#: Longer tensors become `dense_resource`, which is kept out of the context's attribute table and at
#: the end of the text. A tensor of equal elements stays a `dense` splat at any length.
MAX_DENSE_ELEMENTS = 1024
_RESOURCE_NAME = "constant"
#: Elements that are compared at once.
_PART = 1 << 20


def array_attribute(
    array: np.ndarray, element: str, bits: int | None = None, name: str = ""
) -> ir.Attribute:
    """An array as an attribute with this element type.

    `bits` is the width of storage narrower than a byte, `name` what a resource is called.
    """
    tensor_type = ir.RankedTensorType.get(array.shape, ir.Type.parse(element))
    flat = np.ascontiguousarray(array).reshape(-1)
    is_bool = array.dtype == np.bool_
    if is_bool:
        flat = flat.view(np.uint8) != 0  # any byte but 0 is true
    codes = flat.view(np.uint8)
    if bits is not None:
        codes = codes & np.uint8((1 << bits) - 1)  # what lies above is no part of the value
    width = flat.itemsize

    if flat.size and _repeats(codes, width):
        splat = np.array([0xFF * codes[0]], np.uint8) if is_bool else codes[:width]
        return ir.DenseElementsAttr.get(splat.copy(), type=tensor_type)
    if flat.size <= MAX_DENSE_ELEMENTS:
        packed = np.packbits(flat, bitorder="little") if is_bool else codes
        return ir.DenseElementsAttr.get(packed, type=tensor_type)
    if codes.ctypes.data % width:
        codes = codes.copy()  # the resource promises its elements' alignment
    return ir.DenseResourceElementsAttr.get_from_buffer(
        codes, name or _RESOURCE_NAME, tensor_type, alignment=width
    )


def _repeats(codes: np.ndarray, width: int) -> bool:
    """True if all elements of `width` bytes equal the first. Reads no more than it must."""
    rows = codes.reshape(-1, width)
    parts = (rows[begin : begin + _PART] for begin in range(0, len(rows), _PART))
    return all((part == rows[0]).all() for part in parts)
