# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products: of reals in the order of the program, and of codes in 32 bits."""

from __future__ import annotations

import numpy as np

from mlir_qdq import reference
from mlir_qdq.reference.types import EXPRESSED

from ..builder import Builder
from ..values import Value, random_array

MOST_TERMS = 1 << 21


def _sum(x: np.ndarray, y: np.ndarray, start: np.ndarray, order: str) -> np.ndarray:
    """Integers in any order, reals in that order."""
    if start.dtype == np.int32:
        return (start + np.matmul(x, y)).astype(np.int32)
    with np.errstate(all="ignore"):
        return reference.add_products(
            start, x[..., :, None, :], np.swapaxes(y, -1, -2)[..., None, :, :], order
        )


#: Op: rank of the factors, and whether a factor is a vector.
OPS = {
    "linalg.matmul": (2, 2),
    "linalg.batch_matmul": (3, 3),
    "linalg.matvec": (2, 1),
    "linalg.vecmat": (1, 2),
}


def matmul(b: Builder):
    op = b.rng.choice(("linalg.matmul", "linalg.matmul", *OPS))
    left_rank, right_rank = OPS[op]
    suits = lambda v: v.element in EXPRESSED or v.element == "i8"  # noqa: E731
    x = b.pick(lambda v: v.rank == left_rank and suits(v) and v.array.size <= 1 << 14)
    if x is None:
        return None
    terms, columns = x.shape[-1], b.rng.choice((0, 1, 3, 4, 8, 16, 17, 32, 64))
    shape = (*x.shape[:-2], terms, columns)[-right_rank:] if right_rank > 1 else (terms,)
    if left_rank == 1:
        shape = (terms, columns)
    found = b.pick(
        lambda v: v.element == x.element and v.rank == right_rank and v.shape[:-1] == shape[:-1]
    )
    if found is not None and right_rank == 1:
        found = found if found.shape == shape else None
    y = found if found is not None and b.chance(0.7) else b.random(x.element, shape)
    left = x.array[None, :] if left_rank == 1 else x.array
    right = y.array[:, None] if right_rank == 1 else y.array
    if left.size * right.shape[-1] > MOST_TERMS:
        return None
    result = (*left.shape[:-1], right.shape[-1])
    element = "i32" if x.element == "i8" else x.element
    dynamic = [*x.dynamic[:-1]] if left_rank > 1 else []
    dynamic += [y.dynamic[-1]] if right_rank > 1 else []
    shown = result[1:] if left_rank == 1 else result[:-1] if right_rank == 1 else result
    start = random_array(b.rng, element, shown)
    if b.chance(0.6):
        start = np.zeros_like(start)
    init = b.given(Value(element, start, tuple(dynamic)))
    if element == "i32":
        factors = left.astype(np.int32), right.astype(np.int32)
    else:
        factors = left, right
    array = _sum(*factors, start.reshape(result), b.sum_order).reshape(shown)

    def write(r, o, t):
        return f"{r} = {op} ins({o[0]}, {o[1]} : {x.type}, {y.type}) outs({o[2]} : {t}) -> {t}"

    return b.make("product", [x, y, init], element, array, dynamic, write)


STEPS = [(matmul, 4)]
