# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan by which C++ makes the usual calls of a function (python/Runtime/Plan.h).

The boundaries and the plans of the results say everything; this only writes them down. Where
C++ does not know a form, there is no description and Python makes every call.
"""

from __future__ import annotations

from ._boundary import Boundary
from ._elements import Packed
from ._results import Passing, ResultPlan

_MOST_DIMENSIONS = 64  # NumPy's


def describe_function(
    code: int, companion: int, arguments: tuple[Boundary | None, ...], results
) -> tuple | None:
    """`code` and `companion` are addresses, 0 where there is no companion."""
    if results is None or None in arguments or not all(map(_is_known, arguments)):
        return None
    if not all(map(_is_known_result, results)):
        return None
    return (
        code,
        companion,
        Packed,
        tuple(map(_slot, arguments)),
        tuple(_slot(plan.boundary, plan.passing is Passing.SHAPE) for plan in results),
    )


def _is_known(boundary: Boundary) -> bool:
    if boundary.shape is None or len(boundary.shape) > _MOST_DIMENSIONS:
        return False
    return boundary.is_packed or not (boundary.is_tensor and boundary.element.is_padded)


def _is_known_result(plan: ResultPlan) -> bool:
    return (
        _is_known(plan.boundary)
        and plan.passing is not Passing.RETURNED
        and all(passing is Passing.SHAPE for passing in plan.sizes)
    )


def _slot(boundary: Boundary, is_told: bool = False) -> tuple:
    element = boundary.element
    return (
        element.dtype,
        element.bits,
        tuple(-1 if size is None else size for size in boundary.shape),
        boundary.is_tensor,
        boundary.is_packed,
        element.is_integer,
        element.is_signed,
        element.is_narrowed,
        is_told,
        boundary.is_written,
        element.scalar,
    )
