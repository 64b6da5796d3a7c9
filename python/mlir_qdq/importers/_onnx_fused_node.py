# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A node that stands for several, and the nodes that take its place."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from ._onnx_types import ValueTypes

#: Since this operator set, ReduceSum, Split and Unsqueeze read axes and sizes as operands.
AXES_ARE_READ = 13
#: Names of values that no graph has.
_PREFIX = "mlir_qdq fused "
_ELEMENTS: dict[int | None, type] = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16}


class Kept(Exception):
    """The node stays as it is."""


class FusedNode:
    """A fused node, and the nodes that stand in its place."""

    def __init__(self, node: NodeProto, types: ValueTypes, opset: int):
        self.node, self.types, self.opset = node, types, opset
        self.operands = list(node.input)
        self.attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def has(self, operand: int) -> bool:
        return operand < len(self.operands) and bool(self.operands[operand])

    def makes(self, result: int) -> bool:
        return result < len(self.node.output) and bool(self.node.output[result])

    def own(self) -> str:
        return f"{_PREFIX}{self.node.output[0]} {len(self.nodes) + len(self.constants)}"

    def make(self, operation: str, *operands: str, **attributes) -> str:
        """The name of the result of a new node."""
        return self.make_list(operation, 1, *operands, **attributes)[0]

    def make_list(self, operation: str, count: int, *operands: str, **attributes) -> list[str]:
        results = [f"{self.own()} {index}" for index in range(count)]
        node = helper.make_node(operation, operands, results, name=self.node.name, **attributes)
        self.nodes.append(node)
        return results

    def finish(self, value: str, result: int = 0) -> None:
        """Give a value of a new node the name of this result."""
        for node in self.nodes:
            for names in (node.input, node.output):
                for position, name in enumerate(names):
                    if name == value:
                        names[position] = self.node.output[result]

    def constant(self, value: np.ndarray) -> str:
        name = self.own()
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def reshape(self, value: str, *shape: int | str) -> str:
        """`shape`: as Reshape reads it; a string names a tensor of one size."""
        if all(isinstance(size, int) for size in shape):
            return self.make("Reshape", value, self.integers(*shape))
        sizes = [size if isinstance(size, str) else self.integers(size) for size in shape]
        return self.make("Reshape", value, self.make("Concat", *sizes, axis=0))

    def unsqueeze(self, value: str, *axes: int) -> str:
        if self.opset < AXES_ARE_READ:
            return self.make("Unsqueeze", value, axes=axes)
        return self.make("Unsqueeze", value, self.integers(*axes))

    def size(self, value: str, dim: int) -> str:
        """A tensor of one integer."""
        return self.make("Gather", self.make("Shape", value), self.integers(dim), axis=0)

    def range(self, size: str) -> str:
        """The integers below a tensor of one integer."""
        ends = self.constant(np.int64(0)), self.reshape(size), self.constant(np.int64(1))
        return self.make("Range", *ends)

    def number(self, value: float, like: str) -> str:
        """A constant of the type of a value."""
        element = _ELEMENTS.get(self.types.element(like))
        if element is None:
            raise Kept
        limits = np.finfo(element)
        return self.constant(np.array(np.clip(value, limits.min, limits.max), element))

    def rank(self, name: str) -> int:
        rank = self.types.rank(name)
        if rank is None:
            raise Kept
        return rank

    def last_size(self, name: str) -> int:
        size = self.types.sizes(name)[-1:]
        if not size or size[0] is None:
            raise Kept
        return size[0]

    def attributes_of(self, operation: str) -> dict:
        """Those of the node that an operator of ONNX has too."""
        known = onnx.defs.get_schema(operation).attributes
        return {name: value for name, value in self.attributes.items() if name in known}
