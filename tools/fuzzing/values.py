# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a program, each with the array that the reference computed, and random arrays."""

from __future__ import annotations

import random
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from mlir_qdq.reference.types import FLOAT_STORAGE, SCALES, EXPRESSED, IntegerType, storage_type

FLOATS = {**FLOAT_STORAGE, **SCALES, **EXPRESSED}
#: Widths that systems use, and others.
INTEGERS = [f"{sign}{bits}" for bits in (8, 4, 2, 16, 32, 3, 6, 12) for sign in ("i", "ui", "si")]


def dtype_of(element: str) -> np.dtype:
    if element in FLOATS:
        return FLOATS[element].dtype
    if element in ("i64", "index"):
        return np.dtype(np.int64)
    if element == "i1":
        return np.dtype(np.bool_)
    return storage_type(element).dtype


def is_signless(element: str) -> bool:
    return element[0] == "i" and element != "index"


@dataclass(eq=False)
class Value:
    """A tensor, or a scalar if `dynamic` is None. `dynamic` tells which sizes its type leaves open."""

    element: str
    array: np.ndarray
    dynamic: tuple[bool, ...] | None

    @property
    def is_tensor(self) -> bool:
        return self.dynamic is not None

    @property
    def is_float(self) -> bool:
        return self.element in FLOATS

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def rank(self) -> int:
        return self.array.ndim

    @property
    def type(self) -> str:
        return type_of(self.element, self.shape, self.dynamic)


def type_of(element: str, shape, dynamic) -> str:
    if dynamic is None:
        return element
    sizes = ("?" if is_open else str(size) for size, is_open in zip(shape, dynamic))
    return f"tensor<{''.join(size + 'x' for size in sizes)}{element}>"


def same(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where the bits are equal, or both are NaN."""
    bits = f"u{expected.itemsize}"
    equal = np.ascontiguousarray(actual).view(bits) == np.ascontiguousarray(expected).view(bits)
    with np.errstate(all="ignore"):
        if expected.dtype.kind in "iu" or expected.dtype in (ml_dtypes.int4, ml_dtypes.uint4):
            return equal.reshape(expected.shape)
        if expected.dtype in (ml_dtypes.int2, ml_dtypes.uint2):
            return equal.reshape(expected.shape)
        return equal.reshape(expected.shape) | (np.isnan(actual) & np.isnan(expected))


def random_shape(rng: random.Random, rank: int | None = None) -> tuple[int, ...]:
    """Mostly a few hundred elements; now and then none, or enough for threads and whole tiles."""
    rank = rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5)) if rank is None else rank
    if rank and rng.random() < 0.04:
        small = [rng.choice((1, 2, 3)) for _ in range(rank)]
        small[rng.randrange(rank)] = rng.choice((4096, 20011, 65536, 70001))
        return tuple(small)
    most = (0, 200, 70, 20, 9, 6)[rank]
    sizes = (
        [0] if rng.random() < 0.05 else [1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 64, 65, 128, 200]
    )
    return tuple(rng.choice([s for s in sizes if s <= most]) for _ in range(rank))


def random_array(rng: random.Random, element: str, shape: tuple[int, ...]) -> np.ndarray:
    """Bits of all kinds: small multiples that make ties, special values, and any."""
    generator = np.random.default_rng(rng.getrandbits(64))
    count = int(np.prod(shape, dtype=np.int64))
    if element not in FLOATS:
        return _integers(rng, generator, element, count).reshape(shape)
    dtype = FLOATS[element].dtype
    size = 8 * dtype.itemsize
    kind = rng.random()
    with np.errstate(all="ignore"):
        if kind < 0.5:
            array = (generator.integers(-400, 400, count) / 4).astype(dtype)
        elif kind < 0.8:
            array = (generator.standard_normal(count) * 2.0 ** rng.randint(-4, 8)).astype(dtype)
        else:
            bits = generator.integers(0, 1 << min(size, 63), count, np.uint64)
            # Below a byte, the other bits of ml_dtypes' byte are 0.
            bits &= np.uint64((1 << _width(element)) - 1)
            array = bits.astype(f"u{dtype.itemsize}").view(dtype)
        if kind >= 0.4 and count:
            special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40]).astype(
                dtype
            )
            at = generator.random(count) < 0.1
            array[at] = generator.choice(special, int(at.sum()))
    return array.reshape(shape)


def _width(element: str) -> int:
    """Bits of a float, from its name."""
    return int("".join(c for c in element.partition("E")[0] if c.isdigit()))


def _integers(rng, generator, element: str, count: int) -> np.ndarray:
    if element in ("i64", "index"):
        return generator.integers(-(1 << 40), 1 << 40, count)
    if element == "i1":
        return generator.integers(0, 2, count).astype(np.bool_)
    kind: IntegerType = storage_type(element)
    values = generator.integers(kind.lowest, kind.highest, count, np.int64, endpoint=True)
    if rng.random() < 0.5:
        values = np.clip(generator.integers(-40, 40, count), kind.lowest, kind.highest)
    return values.astype(kind.dtype)


def random_scales(rng: random.Random, element: str, shape: tuple[int, ...]) -> np.ndarray:
    """Mostly of a usable size; one array in ten has any bits."""
    if rng.random() < 0.1:
        return random_array(rng, element, shape)
    generator = np.random.default_rng(rng.getrandbits(64))
    choices = 2.0 ** generator.integers(-4, 3, shape)
    if rng.random() < 0.5 and element != "f8E8M0FNU":
        choices = choices * generator.uniform(0.5, 1.5, shape)
    with np.errstate(all="ignore"):
        return np.asarray(choices).astype(FLOATS[element].dtype)
