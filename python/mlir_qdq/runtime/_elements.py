# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: the arrays that hold them, and their bits as compiled code sees them."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from .._mlir_libs import _qdq_runtime

_FLOATS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}


@dataclass(frozen=True)
class Element:
    """`dtype` is that of the arrays, `bits` what the type has of it."""

    name: str
    bits: int
    dtype: np.dtype
    is_integer: bool
    is_signed: bool = True

    @classmethod
    def parse(cls, name: str) -> Element | None:
        """From the MLIR spelling; None if there is no such array."""
        if name in _FLOATS:
            bits = int(re.search(r"\d+", name)[0])
            return cls(name, bits, np.dtype(_FLOATS[name]), is_integer=False)
        if name == "index":
            return cls(name, 64, np.dtype(np.int64), is_integer=True)
        if name == "i1":
            return cls(name, 1, np.dtype(np.bool_), is_integer=False)
        integer = re.fullmatch(r"(i|si|ui)([1-9]\d*)", name)
        if not integer or int(integer[2]) > 64:
            return None
        bits, is_signed = int(integer[2]), integer[1] != "ui"
        kind = "int" if is_signed else "uint"
        if bits in (2, 4):
            dtype = np.dtype(getattr(ml_dtypes, f"{kind}{bits}"))
        else:
            width = next(w for w in (8, 16, 32, 64) if bits <= w)
            dtype = np.dtype(f"{kind}{width}")
        return cls(name, bits, dtype, is_integer=True, is_signed=is_signed)

    @property
    def is_packed(self) -> bool:
        """Tensors of it cross the boundary as packed bytes."""
        return 1 < self.bits < 8

    @property
    def is_padded(self) -> bool:
        """The array has bits that the type lacks."""
        return self.bits not in (1, 8 * self.dtype.itemsize)

    @property
    def is_narrowed(self) -> bool:
        """NumPy has no integers of so few bits, and takes those of `dtype` for them."""
        return self.is_padded and self.dtype.kind in "iu"

    @property
    def is_extended(self) -> bool:
        """The other bits of the array repeat the sign; else they are 0."""
        return self.is_narrowed and self.is_signed

    @property
    def bounds(self) -> tuple[int, int]:
        """Lowest and highest code of an integer."""
        if self.is_signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    def packed_size(self, shape) -> int:
        return (math.prod(shape) * self.bits + 7) // 8

    def to_codes(self, array: np.ndarray) -> np.ndarray:
        """Unsigned integers whose low bits are the elements, the others 0; C-contiguous.

        Raises ValueError where an integer does not fit the type.
        """
        unsigned = np.dtype(f"uint{8 * self.dtype.itemsize}")
        if not self.is_padded:
            return np.ascontiguousarray(array).view(unsigned).reshape(array.shape)
        if self.is_narrowed and array.size:
            lowest, highest = self.bounds
            least, most = int(array.min()), int(array.max())
            if least < lowest or most > highest:
                raise ValueError(f"codes {least} to {most} do not fit {self.name}")
        codes = np.ascontiguousarray(array).view(unsigned).reshape(array.shape)
        # Arithmetic on an array without dimensions gives a scalar, which has no memory to pass.
        return np.asarray(codes & unsigned.type((1 << self.bits) - 1))

    def from_codes(self, codes: np.ndarray) -> np.ndarray:
        """The array of what `to_codes` gives. May share its memory."""
        if self.is_extended:
            unused = 8 * self.dtype.itemsize - self.bits
            codes = (codes << unused).view(self.dtype) >> unused
        elif 8 < self.bits < 8 * self.dtype.itemsize:
            # Compiled code writes the bytes of the element, and not those above.
            codes = codes & codes.dtype.type((1 << self.bits) - 1)
        return np.asarray(codes).view(self.dtype)

    def pack(self, array: np.ndarray) -> np.ndarray:
        return _qdq_runtime.pack(self.to_codes(array), self.bits)

    def unpack(self, data: np.ndarray, shape) -> np.ndarray:
        codes = _qdq_runtime.unpack(
            np.ascontiguousarray(data), math.prod(shape), self.bits, self.is_extended
        )
        return codes.view(self.dtype).reshape(shape)

    def scalar(self, value) -> np.ndarray:
        """A Python number as a 0-d array. TypeError for a number of another kind, ValueError
        for an integer out of range; a float is rounded to the type."""
        if isinstance(value, bool) != (self.bits == 1):
            raise TypeError(f"expected {self.name}, got {type(value).__name__}")
        if self.is_integer:
            if not isinstance(value, int):
                raise TypeError(f"expected {self.name}, got {type(value).__name__}")
            lowest, highest = self.bounds
            if not lowest <= value <= highest:
                raise ValueError(f"{value} does not fit {self.name}")
        with np.errstate(over="ignore"):
            return np.array(value).astype(self.dtype)


def _packed_element(storage) -> Element:
    name = storage if isinstance(storage, str) else None
    if name is None:
        dtype = np.dtype(storage)
        names = [n for n in (*_FLOATS, "i2", "ui2", "i4", "ui4") if Element.parse(n).dtype == dtype]
        name = names[0] if names else str(dtype)
    element = Element.parse(name)
    if element is None or not element.is_packed:
        raise ValueError(f"{storage} is not an element type of 2 to 7 bits")
    return element


def pack(array, storage=None) -> np.ndarray:
    """The packed bytes of an array with one element in each byte.

    storage: MLIR spelling ("i3", "ui4", "f6E2M3FN", ...) or dtype; by default the array's.
    """
    array = np.asarray(array)
    element = _packed_element(array.dtype if storage is None else storage)
    if array.dtype != element.dtype:
        raise TypeError(f"expected {element.dtype} for {element.name}, got {array.dtype}")
    return element.pack(array)


def as_shape(sizes) -> tuple[int, ...] | None:
    """Sizes that an array may have; None for other values."""
    try:
        shape = tuple(operator.index(size) for size in sizes)
    except TypeError:
        return None
    return shape if all(0 <= size < 1 << 63 for size in shape) else None


def unpack(data, shape, storage) -> np.ndarray:
    """The array of this shape that packed bytes hold."""
    data, element, given = np.asarray(data), _packed_element(storage), shape
    if data.dtype != np.uint8:
        raise TypeError(f"expected uint8, got {data.dtype}")
    if (shape := as_shape(given)) is None:
        raise ValueError(f"expected a tuple of sizes, got shape {given}")
    if data.size != element.packed_size(shape):
        raise ValueError(
            f"expected {element.packed_size(shape)} bytes for shape {shape} of "
            f"{element.name}, got {data.size}"
        )
    return element.unpack(data.reshape(-1), shape)


@dataclass(frozen=True)
class Packed:
    """An argument as packed bytes, with the shape of its elements."""

    data: np.ndarray
    shape: tuple[int, ...]
