# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which element shares which parameter: per tensor, per axis, or per block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Granularity:
    """Groups of the elements of an array of `shape`. At most one of `axis` (never negative
    here) and `block_shape` (one entry per dimension, 0 for the whole of it) is set."""

    shape: tuple[int, ...]
    axis: int | None
    block_shape: tuple[int, ...] | None

    @classmethod
    def of(cls, shape: tuple[int, ...], axis=None, block_shape=None) -> Granularity:
        rank = len(shape)
        if axis is not None and block_shape is not None:
            raise ValueError(
                f"axis = {axis} and block_shape = {tuple(block_shape)} exclude each other"
            )
        if axis is not None:
            if not -rank <= axis < rank:
                raise ValueError(
                    f"axis = {axis} is outside [{-rank}, {rank - 1}] for shape {shape}"
                )
            axis = int(axis) % rank
        if block_shape is not None:
            block_shape = tuple(int(b) for b in block_shape)
            if len(block_shape) != rank:
                raise ValueError(
                    f"block_shape {block_shape} has {len(block_shape)} entries, "
                    f"shape {shape} has {rank} dimensions"
                )
            if any(b < 0 for b in block_shape):
                raise ValueError(f"block_shape {block_shape} has a negative entry")
        return cls(tuple(shape), axis, block_shape)

    @property
    def parameter_shape(self) -> tuple[int, ...]:
        if self.axis is not None:
            return (self.shape[self.axis],)
        if self.block_shape is not None:
            return tuple(-(-d // b) if b else 1 for d, b in zip(self.shape, self.block_shape))
        return ()

    def spread(self, parameter: np.ndarray, what: str) -> np.ndarray:
        """`parameter` with one value for each element, up to NumPy broadcasting."""
        expected = self.parameter_shape
        if expected == () and parameter.size == 1:
            parameter = parameter.reshape(())
        elif parameter.shape != expected:
            how = "per tensor"
            if self.axis is not None:
                how = f"axis = {self.axis}"
            elif self.block_shape is not None:
                how = f"block_shape {self.block_shape}"
            raise ValueError(
                f"{what} has shape {parameter.shape}, expected {expected} "
                f"for input shape {self.shape}, {how}"
            )
        if self.axis is not None:
            return parameter.reshape([-1 if k == self.axis else 1 for k in range(len(self.shape))])
        if self.block_shape is not None:
            for k, (d, b) in enumerate(zip(self.shape, self.block_shape)):
                if b:
                    parameter = parameter.take(np.arange(d) // b, axis=k)
        return parameter

    def reduce(self, ufunc: np.ufunc, value: np.ndarray) -> np.ndarray:
        """`ufunc` over each group and 0, in the shape of a parameter."""
        value = ufunc(value, 0.0)
        if self.block_shape is None:
            others = tuple(k for k in range(len(self.shape)) if k != self.axis)
            return np.asarray(ufunc.reduce(value, axis=others, initial=0.0))
        for k, b in enumerate(self.block_shape):
            if not b:
                value = ufunc.reduce(value, axis=k, keepdims=True, initial=0.0)
                continue
            short = -value.shape[k] % b
            value = np.pad(value, [(0, short if j == k else 0) for j in range(value.ndim)])
            split = value.shape[:k] + (value.shape[k] // b, b) + value.shape[k + 1 :]
            value = ufunc.reduce(value.reshape(split), axis=k + 1, initial=0.0)
        return np.asarray(value)
