# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Affine maps on concrete indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from mlir import ir


def apply(map: ir.AffineMap, dims: Sequence[int], symbols: Sequence[int] = ()) -> list[int]:
    return compiled(map)(dims, symbols)


@lru_cache(maxsize=None)
def compiled(map: ir.AffineMap) -> Callable[[Sequence[int], Sequence[int]], list[int]]:
    """The map in Python. Whoever leaves a context clears the cache."""
    results = ", ".join(_text(expression) for expression in map.results)
    return eval(f"lambda d, s: [{results}]")


_OPERATORS = {
    ir.AffineAddExpr: "({} + {})",
    ir.AffineMulExpr: "({} * {})",
    ir.AffineModExpr: "({} % {})",
    ir.AffineFloorDivExpr: "({} // {})",
    ir.AffineCeilDivExpr: "(-(-{} // {}))",
}


def _text(expression: ir.AffineExpr) -> str:
    if isinstance(expression, ir.AffineConstantExpr):
        return str(expression.value)
    if isinstance(expression, ir.AffineDimExpr):
        return f"d[{expression.position}]"
    if isinstance(expression, ir.AffineSymbolExpr):
        return f"s[{expression.position}]"
    return _OPERATORS[type(expression)].format(_text(expression.lhs), _text(expression.rhs))


def sizes(maps: Sequence[ir.AffineMap], shapes: Sequence[Sequence[int]]) -> list[int]:
    """The iteration space of operands with these maps: each dimension is that of an operand by itself."""
    found: dict[int, int] = {}
    for map, shape in zip(maps, shapes, strict=True):
        for expression, size in zip(map.results, shape, strict=True):
            if isinstance(expression, ir.AffineDimExpr):
                found.setdefault(expression.position, size)
    return [found[dim] for dim in range(maps[0].n_dims)]


def maps_of(attribute: ir.Attribute) -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(map).value for map in ir.ArrayAttr(attribute)]
