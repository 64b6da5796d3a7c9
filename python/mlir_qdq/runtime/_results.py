# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results: memory for compiled code to fill, and what of it the caller gets."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ._arguments import check_shape, describe, is_packed_form
from ._boundary import Boundary
from ._frame import Frame


class Passing(enum.Enum):
    """How qdq-results-to-destinations lets a result leave."""

    DESTINATION = "destination"
    SHAPE = "shape"
    RETURNED = "returned"


@dataclass(frozen=True)
class ResultPlan:
    """How one result comes. `sizes` is for the indices that follow a packed tensor."""

    boundary: Boundary
    passing: Passing
    sizes: tuple[Passing, ...] = ()

    @classmethod
    def of_all(cls, boundaries, passings) -> tuple[ResultPlan, ...]:
        """`passings` are those of the results after packing."""
        passings = iter(passings)
        plans = []
        for boundary in boundaries:
            passing = next(passings)
            count = len(boundary.dynamic_dims) if boundary.is_packed else 0
            plans.append(cls(boundary, passing, tuple(next(passings) for _ in range(count))))
        return tuple(plans)

    @property
    def listed(self) -> int:
        """The entries of the companion's list that tell about this result."""
        count = self.sizes.count(Passing.SHAPE)
        if self.passing is Passing.SHAPE:
            return 1
        if self.passing is Passing.RETURNED:
            return count
        dynamic = len(self.boundary.dynamic_dims)
        return count + (min(dynamic, 1) if self.boundary.is_packed else dynamic)

    @property
    def returned_words(self) -> int:
        """The length of the descriptor that the function returns."""
        if self.passing is not Passing.RETURNED:
            return 0
        return 2 if self.boundary.shape is None else 3 + 2 * self._rank

    @property
    def _rank(self) -> int:
        return 1 if self.boundary.is_packed else len(self.boundary.shape)


class Result:
    """One result in one call."""

    def __init__(self, plan: ResultPlan, given: np.ndarray | None, where: str):
        self._plan = plan
        self._given = given
        self._where = where
        self._value: int | None = None  # of an index that the companion told
        self._buffer: np.ndarray | None = None
        self._size_buffers: list[np.ndarray | None] = []
        self._start = 0
        boundary = plan.boundary
        self._shape = None if boundary.shape is None else list(boundary.shape)

    def take_sizes(self, listed: Iterator[int]) -> None:
        """Completes the shape with what the companion tells."""
        plan, dims = self._plan, self._plan.boundary.dynamic_dims
        if plan.passing is Passing.SHAPE:
            self._value = next(listed)
        elif plan.passing is Passing.DESTINATION and not plan.boundary.is_packed:
            for dim in dims:
                self._shape[dim] = next(listed)
        elif plan.passing is Passing.DESTINATION and dims:
            next(listed)  # the bytes, which follow from the shape
        for dim, passing in zip(dims, plan.sizes):
            if passing is Passing.SHAPE:
                self._shape[dim] = next(listed)

    def find_room(self, read: list[np.ndarray]) -> None:
        """Chooses the memory to fill: the caller's, if it has the right form and nothing in `read` shares it."""
        plan, given = self._plan, self._given
        if given is not None and self._shape is not None and None not in self._shape:
            self._check_given()
        self._size_buffers = [
            np.zeros((), np.int64) if passing is Passing.DESTINATION else None
            for passing in plan.sizes
        ]
        if plan.passing is not Passing.DESTINATION:
            return
        element = plan.boundary.element
        is_direct = given is not None and not any(np.may_share_memory(given, r) for r in read)
        if plan.boundary.is_packed:
            # Beside a size that the function tells, another one is 0: there is a number of bytes.
            shape = [0 if size is None else size for size in self._shape]
            if is_direct and is_packed_form(plan.boundary, given, shape):
                self._buffer = given.reshape(-1)
            else:
                self._buffer = np.empty(element.packed_size(shape), np.uint8)
        elif is_direct and not element.is_padded:
            self._buffer = given
        else:
            # Codes, where the array is wider than its type.
            dtype = f"uint{8 * element.dtype.itemsize}" if element.is_padded else element.dtype
            self._buffer = np.empty(self._shape, dtype)

    def add_returned(self, start: int) -> int:
        """`start` is the word where the function returns this result; gives the word behind it."""
        self._start = start
        return start + self._plan.returned_words

    def add_destinations(self, frame: Frame) -> None:
        if self._buffer is not None:
            frame.add_array(self._buffer)
        for buffer in self._size_buffers:
            if buffer is not None:
                frame.add_array(buffer)

    def finish(self, frame: Frame):
        """The value for the caller."""
        plan, given = self._plan, self._given
        is_late = plan.passing is Passing.RETURNED
        if plan.boundary.is_packed:
            for dim, buffer in zip(plan.boundary.dynamic_dims, self._size_buffers):
                if buffer is not None:
                    self._shape[dim], is_late = int(buffer), True
        if plan.passing is Passing.RETURNED:
            self._take_returned(frame)
        if given is not None and is_late:
            self._check_given()
        if given is not None and self._buffer is not None:
            if np.may_share_memory(given, self._buffer):
                return given
            if is_packed_form(plan.boundary, given, self._shape):
                given.reshape(-1)[:] = self._buffer
                return given
        array = self._array()
        if given is not None:
            given[...] = array
            return given
        return array if plan.boundary.is_tensor else array[()]

    def _array(self) -> np.ndarray:
        boundary = self._plan.boundary
        if self._value is not None:
            return np.array(self._value, np.int64)
        if boundary.is_packed:
            return boundary.element.unpack(self._buffer, tuple(self._shape))
        if boundary.element.is_padded:
            return boundary.element.from_codes(self._buffer)
        return self._buffer

    def _take_returned(self, frame: Frame) -> None:
        boundary = self._plan.boundary
        element = boundary.element
        if boundary.is_packed:
            self._buffer = frame.take_ranked(self._start, 1, np.dtype(np.uint8))
            return
        dtype = (
            np.dtype(f"uint{8 * element.dtype.itemsize}") if element.is_padded else element.dtype
        )
        if boundary.shape is None:
            self._buffer = frame.take_unranked(self._start, dtype)
        else:
            self._buffer = frame.take_ranked(self._start, len(boundary.shape), dtype)
        self._shape = list(self._buffer.shape)

    def _check_given(self) -> None:
        """The dtype, shape and layout of `out`, once the shape is known."""
        boundary, given, shape = self._plan.boundary, self._given, tuple(self._shape)
        known = Boundary(boundary.type, boundary.element, boundary.is_tensor, shape)
        if not is_packed_form(boundary, given, shape):
            if given.dtype != boundary.element.dtype:
                packed = f", or {boundary.element.packed_size(shape)} bytes" * boundary.is_packed
                raise TypeError(f"{self._where}: expected {known}{packed}, got {describe(given)}")
            check_shape(known, given.shape, self._where, describe(given))
        if not given.flags.c_contiguous:
            raise ValueError(f"{self._where}: is not C-contiguous")
        if not given.flags.aligned:
            raise ValueError(f"{self._where}: is not aligned to its dtype")
