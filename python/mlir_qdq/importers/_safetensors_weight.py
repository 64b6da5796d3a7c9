# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function that reads the tensors of one module, and checks them against what the configuration says."""

from __future__ import annotations

import numpy as np

from ._safetensors_file import Checkpoint, element_of
from ._safetensors_schemes import Scheme
from ._weights import FLOATS, Function, Value


class Weight(Function):
    """Weights are [outputs, inputs], as of `torch.nn.Linear`; a reader says in `convention` how it read them."""

    def begin(self, checkpoint: Checkpoint, module: str, scheme: Scheme) -> None:
        self.checkpoint, self.module = checkpoint, module
        self.arguments, self.source = scheme.arguments, scheme.source or "the tensors"

    def has(self, field: str) -> bool:
        return f"{self.module}.{field}" in self.checkpoint.arrays

    def array(self, field: str, rank: int | None = None) -> np.ndarray:
        array = self.checkpoint.get(f"{self.module}.{field}")
        if array.size == 0 or rank not in (None, array.ndim):
            expected = "elements" if array.size == 0 else f"rank {rank}"
            raise self.error(field, f"has the shape {list(array.shape)}, expected {expected}")
        return array

    def error(self, field: str, message: str):
        return self.checkpoint.error(f"{self.module}.{field}", message)

    def read(self, field: str, rank: int | None, *elements: str) -> Value:
        """The tensor, of one of `elements`; without its sign where these are signless."""
        array = self.array(field, rank)
        own = element_of(array)
        element = own if own in elements else own.removeprefix("u")
        if element not in elements:
            raise self.error(field, f"has elements of {own}, expected {' or '.join(elements)}")
        return self.data(array, element)

    def read_floats(self, field: str, rank: int | None = None) -> Value:
        return self.read(field, rank, *FLOATS)

    def read_one(self, field: str) -> Value:
        """A number of f32."""
        value = self.read(field, None, "f32")
        if int(np.prod(value.shape)) != 1:
            raise self.error(field, f"has the shape {list(value.shape)}, expected one number")
        return self.reshape(value, ())

    def first(self, field: str, value: Value, shape) -> Value:
        """The elements that are not there to fill up the file's rows."""
        if len(value.shape) != len(shape) or any(a < b for a, b in zip(value.shape, shape)):
            raise self.error(
                field, f"has {list(value.shape)} elements, expected at least {list(shape)}"
            )
        return self.part(value, shape)

    def block(self, field: str, parts, whole) -> tuple[int, int]:
        """The outputs and inputs of `whole` that share one of `parts`: as the configuration says, else evenly."""
        group, strategy = self.arguments.get("group_size"), self.arguments.get("strategy")
        if strategy is None and group is not None:
            strategy = "channel" if group == -1 else "group"
        if strategy in ("group", "tensor_group") and not (group or 0) > 0:
            raise self.error(field, f"has groups of {group}, expected a size (from {self.source})")
        stated = {
            "tensor": whole,
            "channel": (1, whole[1]),
            "group": (1, group),
            "tensor_group": (1, group),
            "block": self.arguments.get("block_structure"),
            None: self.arguments.get("block_structure"),
        }[strategy]
        sizes = stated or tuple(-(-size // count) for size, count in zip(whole, parts))
        expected = [-(-size // block) for size, block in zip(whole, sizes)]
        even = stated or not any(size % count for size, count in zip(whole, parts))
        if expected != list(parts) or not even:
            how = f"blocks of {list(sizes)}" if stated else "blocks of one size"
            raise self.error(
                field, f"has the shape {list(parts)} for a weight of {list(whole)}, {how}"
            )
        return tuple(sizes)
