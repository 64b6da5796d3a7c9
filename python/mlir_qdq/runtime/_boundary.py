# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results of a function, in the words of MLIR types."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlir import ir

from ._elements import Element


@dataclass(frozen=True)
class Boundary:
    """One argument or result. `shape` is None for unranked tensors, has None for dynamic sizes,
    and is () for scalars. A memref `is_written`: it is a tensor that the function changes."""

    type: str
    element: Element
    is_tensor: bool
    shape: tuple[int | None, ...] | None
    is_written: bool = False

    @classmethod
    def of(cls, type: ir.Type, is_unsigned: bool) -> Boundary | None:
        """From a type without signedness; None for a type that no array stands for."""
        is_written = isinstance(type, ir.MemRefType)
        if is_written and type.affine_map != ir.AffineMap.get_identity(type.rank):
            return None
        is_tensor = is_written or isinstance(type, (ir.RankedTensorType, ir.UnrankedTensorType))
        shape = ()
        element_type = type
        if is_tensor:
            element_type = type.element_type
            shape = None
            if type.has_rank:
                shape = tuple(
                    None if type.is_dynamic_dim(d) else type.get_dim_size(d)
                    for d in range(type.rank)
                )
        name = str(element_type)
        element = Element.parse("u" + name if is_unsigned and re.fullmatch(r"i\d+", name) else name)
        if element is None or (is_written and (element.is_packed or element.is_padded)):
            return None
        return cls(str(type), element, is_tensor, shape, is_written)

    @property
    def is_packed(self) -> bool:
        return self.is_tensor and self.element.is_packed

    @property
    def dynamic_dims(self) -> tuple[int, ...]:
        return tuple(d for d, size in enumerate(self.shape or ()) if size is None)

    def __str__(self) -> str:
        """As an array: `float32 array of shape (4, ?)`."""
        if not self.is_tensor:
            return f"{self._dtype()} scalar"
        if self.shape is None:
            return f"{self._dtype()} array of any shape"
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        return f"{self._dtype()} array of shape ({sizes}{',' * (len(self.shape) == 1)})"

    def _dtype(self) -> str:
        dtype = str(self.element.dtype)
        is_known = self.element.bits in (1, 2, 4) or not self.element.is_integer
        if is_known or not self.element.is_padded:
            return dtype
        return f"{dtype} ({self.element.name})"


def is_unsigned(type: ir.Type) -> bool:
    """True if a type before lowering stands for unsigned integers: `ui8`, `tensor<4xui8>`,
    `!quant.uniform<u8:f32, ...>`, or a foreign tensor type that prints a `ui8`."""
    from mlir.dialects import quant

    if isinstance(type, ir.ShapedType):
        type = type.element_type
    if isinstance(type, quant.QuantizedType):
        return not type.is_signed
    if isinstance(type, ir.IntegerType):
        return type.is_unsigned
    return re.search(r"\bui\d+\b", str(type)) is not None


@dataclass(frozen=True)
class Signature:
    """A function before lowering: its name, and for each argument and result if it is unsigned."""

    name: str
    unsigned_arguments: tuple[bool, ...]
    unsigned_results: tuple[bool, ...]


def public_functions(module: ir.Module) -> list[tuple[str, ir.FunctionType]]:
    """Those that have a body, in their order."""
    functions = []
    for op in module.body.operations:
        if op.operation.name != "func.func" or not op.operation.regions[0].blocks:
            continue
        attributes = op.operation.attributes
        if "sym_visibility" in attributes:
            if ir.StringAttr(attributes["sym_visibility"]).value != "public":
                continue
        type = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
        functions.append((ir.StringAttr(attributes["sym_name"]).value, type))
    return functions


def public_signatures(module: ir.Module) -> list[Signature]:
    return [
        Signature(name, tuple(map(is_unsigned, type.inputs)), tuple(map(is_unsigned, type.results)))
        for name, type in public_functions(module)
    ]


def boundary_of_source(type: ir.Type) -> Boundary | None:
    """Of a type before lowering: quantized types by their storage. None for types of other
    compilers too, whose arrays are known after lowering only."""
    from mlir.dialects import quant

    unsigned = is_unsigned(type)
    element = type.element_type if isinstance(type, ir.ShapedType) else type
    if isinstance(element, quant.QuantizedType):
        stored = quant.QuantizedType(element).storage_type
        if isinstance(type, ir.RankedTensorType):
            type = ir.RankedTensorType.get(type.shape, stored)
        else:
            type = ir.UnrankedTensorType.get(stored) if element != type else stored
    return Boundary.of(type, unsigned)
