# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Affine maps on concrete indices."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir


def apply(map: ir.AffineMap, dims: Sequence[int], symbols: Sequence[int] = ()) -> list[int]:
    return [value(expression, dims, symbols) for expression in map.results]


def value(expression: ir.AffineExpr, dims: Sequence[int], symbols: Sequence[int] = ()) -> int:
    for kind, read in _LEAVES.items():
        if kind.isinstance(expression):
            return read(kind(expression), dims, symbols)
    for kind, combine in _OPERATIONS.items():
        if kind.isinstance(expression):
            binary = ir.AffineBinaryExpr(expression)
            return combine(value(binary.lhs, dims, symbols), value(binary.rhs, dims, symbols))
    raise NotImplementedError(str(expression))


_LEAVES = {
    ir.AffineConstantExpr: lambda e, dims, symbols: e.value,
    ir.AffineDimExpr: lambda e, dims, symbols: dims[e.position],
    ir.AffineSymbolExpr: lambda e, dims, symbols: symbols[e.position],
}
_OPERATIONS = {
    ir.AffineAddExpr: lambda a, b: a + b,
    ir.AffineMulExpr: lambda a, b: a * b,
    ir.AffineModExpr: lambda a, b: a % b,
    ir.AffineFloorDivExpr: lambda a, b: a // b,
    ir.AffineCeilDivExpr: lambda a, b: -(-a // b),
}


def sizes(maps: Sequence[ir.AffineMap], shapes: Sequence[Sequence[int]]) -> list[int]:
    """The iteration space of operands with these maps: each dimension is that of an operand by itself."""
    found: dict[int, int] = {}
    for map, shape in zip(maps, shapes, strict=True):
        for expression, size in zip(map.results, shape, strict=True):
            if ir.AffineDimExpr.isinstance(expression):
                found.setdefault(ir.AffineDimExpr(expression).position, size)
    return [found[dim] for dim in range(maps[0].n_dims)]


def maps_of(attribute: ir.Attribute) -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(map).value for map in ir.ArrayAttr(attribute)]
