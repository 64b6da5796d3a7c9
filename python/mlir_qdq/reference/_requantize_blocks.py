# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requantize of sums in blocks that have scales of their own, as in docs/Semantics.md."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from . import arithmetic
from ._quantize import quantize
from ._requantize import _bounded, _multiplier, round_fraction
from .operands import bounds, exact
from .rounding import cast
from .semantics import resolve
from .types import F32, F64, is_integer, storage_type


def requantize_blocks(
    acc,
    scales,
    zero_point=None,
    *,
    rescale,
    storage,
    bias=None,
    clamp=None,
    semantics=None,
    profile=None,
):
    """Codes of the sum over the blocks `acc` [blocks, ...], in the natural dtype of `storage`.

    rescale: `f32`, `f64`, `separate` or `exact`. scales: (sa, sb, sy); the first two broadcast to `acc`,
        with blocks of their own where they have more than one; the last one, the zero point and the
        bias broadcast to a block. bias: reals that `separate` adds.
    """
    acc = np.asarray(acc)
    if not is_integer(acc.dtype):
        raise ValueError(f"acc has dtype {acc.dtype}, expected an integer")
    if rescale not in ("f32", "f64", "separate", "exact"):
        raise ValueError(f"'{rescale}' has no blocks")
    if bias is not None and rescale != "separate":
        raise ValueError(f"'{rescale}' adds no reals")
    sa, sb, sy = (np.asarray(scale) for scale in scales)
    blocked = [scale.ndim == acc.ndim and len(scale) > 1 for scale in (sa, sb)]
    sa, sb = (np.broadcast_to(scale, acc.shape) for scale in (sa, sb))
    shape = acc.shape[1:]
    if rescale == "exact":
        return _real_codes(
            acc, (sa, sb, sy), zero_point, storage_type(storage), clamp, semantics, profile
        )
    C = F64 if rescale == "f64" else F32
    total = np.zeros(shape, np.float64)
    with np.errstate(all="ignore"):
        for part, a, b in zip(acc, sa, sb):
            x = part.astype(C.dtype).astype(np.float64)
            if rescale == "separate":
                for scale in [b] * blocked[1] + [a] * blocked[0]:
                    x = arithmetic.multiply(x, cast(exact(scale), C), C)
            else:
                x = arithmetic.multiply(x, _multiplier((a, b, sy), rescale, C), C)
            total = arithmetic.add(total, x, C)
        if rescale == "separate":
            for scale in [sa[0]] * (not blocked[0]) + [sb[0]] * (not blocked[1]):
                total = arithmetic.multiply(total, cast(exact(scale), C), C)
        if bias is not None:
            total = arithmetic.add(total, cast(exact(np.asarray(bias)), C), C)
    resolved, _, _ = resolve(semantics, profile)
    fields = {
        **vars(resolved),
        "division": "reciprocal" if rescale == "separate" else "exact",
        "compute": rescale if rescale == "f64" else "f32",
    }
    step = sy if rescale == "separate" else np.ones((), C.dtype)
    total = np.broadcast_to(total, shape).astype(C.dtype)
    return quantize(
        total,
        np.broadcast_to(step, shape),
        None if zero_point is None else np.broadcast_to(zero_point, shape),
        storage=storage,
        block_shape=(1,) * len(shape),
        clamp=clamp,
        semantics=fields,
    )


def _real_codes(acc, scales, zero_point, storage, clamp, semantics, profile):
    """Of the real number: all scales as fractions."""
    resolved, _, _ = resolve(semantics, profile)
    sa, sb, sy = scales
    shape = acc.shape[1:]
    sy = np.broadcast_to(sy, shape)
    z = np.broadcast_to(0 if zero_point is None else zero_point, shape)
    v = np.empty(shape, object)
    for at in np.ndindex(shape):
        total = sum(
            int(n) * Fraction(float(a)) * Fraction(float(b))
            for n, a, b in zip(acc[:, *at], sa[:, *at], sb[:, *at])
        )
        first = int(z[at]) if resolved.order == "add-then-round" else 0
        real = Fraction(total) / Fraction(float(sy[at]))
        v[at] = round_fraction(real + first, resolved.rounding) + int(z[at]) - first
    codes, _ = _bounded(v, storage, bounds(storage, clamp), resolved)
    return codes.astype(storage.dtype)
