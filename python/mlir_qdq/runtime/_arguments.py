# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments: what a caller gives, checked and as compiled code takes it."""

from __future__ import annotations

import numpy as np

from ._boundary import Boundary
from ._elements import Packed, as_shape
from ._frame import Frame


def describe(value) -> str:
    """`float64 array of shape (4,)`, `str`."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array of shape {value.shape}"
    if isinstance(value, np.generic):
        return f"{value.dtype} scalar"
    return type(value).__name__


def check_shape(boundary: Boundary, shape: tuple[int, ...], where: str, got: str) -> None:
    if boundary.shape is None:
        return
    agrees = len(shape) == len(boundary.shape) and all(
        expected in (None, size) for expected, size in zip(boundary.shape, shape)
    )
    if not agrees:
        raise ValueError(f"{where}: expected {boundary}, got {got}")


def has_packed_size(boundary: Boundary, array: np.ndarray, shape) -> bool:
    """True for uint8 bytes of exactly the size of packed elements of this shape."""
    return (
        boundary.is_packed
        and array.dtype == np.uint8
        and array.size == boundary.element.packed_size(shape)
    )


def is_packed_form(boundary: Boundary, array: np.ndarray, shape) -> bool:
    """True for such bytes that are no array of this shape with an element in each byte."""
    is_elements = array.dtype == boundary.element.dtype and array.shape == tuple(shape)
    return has_packed_size(boundary, array, shape) and not is_elements


def add_argument(frame: Frame, boundary: Boundary, value, where: str) -> np.ndarray | None:
    """The array that compiled code reads, which may be the caller's."""
    if not boundary.is_tensor:
        codes = boundary.element.to_codes(_scalar(boundary, value, where))
        frame.add_bits(int(codes))
        return None
    if boundary.is_written:
        _check_written(boundary, value, where)
        frame.add_array(value)
        return value
    if boundary.is_packed:
        data, shape = _packed(boundary, value, where)
        frame.add_array(data)
        for dim in boundary.dynamic_dims:
            frame.add_bits(shape[dim])
        return data
    array = _array(boundary, value, where)
    check_shape(boundary, array.shape, where, describe(array))
    if boundary.element.is_padded:
        array = _codes(boundary, array, where)
    elif not (array.flags.c_contiguous and array.flags.aligned):
        array = array.copy(order="C")
    if boundary.shape is None:
        frame.add_unranked(array)
    else:
        frame.add_array(array)
    return array


def _check_written(boundary: Boundary, value, where: str) -> None:
    """An array that the function may change as it is."""
    if not isinstance(value, np.ndarray) or value.dtype != boundary.element.dtype:
        raise TypeError(f"{where}: expected {boundary}, got {describe(value)}")
    check_shape(boundary, value.shape, where, describe(value))
    for flag, what in (
        ("writeable", "writable"),
        ("c_contiguous", "C-contiguous"),
        ("aligned", "aligned to its dtype"),
    ):
        if not getattr(value.flags, flag):
            raise ValueError(f"{where}: is not {what}; the function writes to it")


def _array(boundary: Boundary, value, where: str) -> np.ndarray:
    """An array of the right dtype."""
    if isinstance(value, (bool, int, float)):
        # A Python number has no dtype of its own.
        return _from_number(boundary, value, where)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{where}: expected {boundary}: {error}") from None
    if array.dtype != boundary.element.dtype:
        raise TypeError(f"{where}: expected {boundary}, got {describe(value)}")
    return array


def _from_number(boundary: Boundary, value, where: str) -> np.ndarray:
    try:
        return boundary.element.scalar(value)
    except (OverflowError, TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from None


def _scalar(boundary: Boundary, value, where: str) -> np.ndarray:
    array = _array(boundary, value, where)
    if array.ndim:
        raise ValueError(f"{where}: expected {boundary}, got {describe(array)}")
    return array


def _codes(boundary: Boundary, array: np.ndarray, where: str) -> np.ndarray:
    try:
        return boundary.element.to_codes(array)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _packed(boundary: Boundary, value, where: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """Bytes, and the shape of the elements."""
    element = boundary.element
    if isinstance(value, Packed):
        data, shape = np.asarray(value.data), as_shape(value.shape)
        if shape is None:
            raise ValueError(f"{where}: expected {boundary}, got Packed of shape {value.shape}")
        check_shape(boundary, shape, where, f"Packed of shape {shape}")
        if not has_packed_size(boundary, data, shape):
            raise ValueError(
                f"{where}: expected {element.packed_size(shape)} bytes of uint8 for shape "
                f"{shape}, got {describe(data)}"
            )
        return np.ascontiguousarray(data).reshape(-1), shape
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        if not boundary.dynamic_dims and is_packed_form(boundary, value, boundary.shape):
            return np.ascontiguousarray(value).reshape(-1), boundary.shape
        if element.dtype != np.uint8:
            raise _not_packed(boundary, value, where)
    array = _array(boundary, value, where)
    check_shape(boundary, array.shape, where, describe(array))
    try:
        return element.pack(array), array.shape
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _not_packed(boundary: Boundary, value: np.ndarray, where: str) -> Exception:
    if boundary.dynamic_dims:
        return TypeError(
            f"{where}: packed bytes do not tell the shape of {boundary}: pass Packed(bytes, shape)"
        )
    size = boundary.element.packed_size(boundary.shape)
    return ValueError(
        f"{where}: expected {boundary}, or {size} packed bytes of uint8, got {describe(value)}"
    )
