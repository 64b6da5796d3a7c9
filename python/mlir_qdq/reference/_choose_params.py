# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""choose_params: the range of the data to a scale and a zero point."""

from __future__ import annotations

import numpy as np

from . import arithmetic
from .granularity import Granularity
from .operands import bounds, exact
from .rounding import cast, round_to_integer
from .semantics import dequantize_compute_type, resolve
from .types import (
    F32,
    FloatType,
    IntegerType,
    expressed_or_none,
    expressed_type,
    is_integer,
    storage_type,
)


def choose_params(
    x,
    *,
    storage,
    axis=None,
    block_shape=None,
    mode="asymmetric",
    scale_type=np.float32,
    clamp=None,
    semantics=None,
):
    """(scale, zero point) of each group of `x`: the whole, a slice along `axis`, or a block.

    `asymmetric` is ONNX DynamicQuantizeLinear, for any integer storage; `symmetric` puts
    zero in the middle. NaN elements are skipped. The scale has type `scale_type` (f16, bf16, f32
    or f64), the zero point the dtype of `storage`.
    """
    x = np.asarray(x)
    storage = storage_type(storage)
    if not isinstance(storage, IntegerType):
        raise ValueError(f"choose_params needs integer storage, not {storage}")
    if mode not in ("asymmetric", "symmetric"):
        raise ValueError(f"mode = {mode}: expected asymmetric or symmetric")
    x_type = expressed_or_none(x.dtype)
    if x_type is None and not is_integer(x.dtype):
        raise ValueError(f"x has dtype {x.dtype}, expected f16, bf16, f32, f64 or an integer")
    qmin, qmax = bounds(storage, clamp)
    scale_type = expressed_type(scale_type)
    resolved, _, compute_rule = resolve(semantics, None)
    # A zero point is a parameter, not data: it is not drawn.
    rounding = "nearest-even" if resolved.rounding == "stochastic" else resolved.rounding
    compute = dequantize_compute_type(compute_rule, scale_type, x_type or F32)
    granularity = Granularity.of(x.shape, axis, block_shape)

    with np.errstate(all="ignore"):
        values = exact(x)
        values = np.where(np.isnan(values), 0.0, values)  # a group has 0 in its range anyway
        lo_x = cast(granularity.reduce(np.minimum, values), compute)
        hi_x = cast(granularity.reduce(np.maximum, values), compute)
        if mode == "symmetric":
            middle = 0 if storage.signed else 1 << (storage.bits - 1)
            if qmax <= middle:
                raise ValueError(f"highest code {qmax} leaves no positive codes around {middle}")
            extent = np.maximum(-lo_x, hi_x)
            scale = _scale(extent, qmax - middle, compute, scale_type)
            z = np.full(scale.shape, middle, np.int64)
        else:
            extent = arithmetic.subtract(hi_x, lo_x, compute)
            scale = _scale(extent, qmax - qmin, compute, scale_type)
            lowest = cast(np.asarray(float(qmin)), compute)
            below = arithmetic.divide(lo_x, cast(scale, compute), compute)
            z = arithmetic.subtract(lowest, below, compute)
            z = round_to_integer(z, rounding)
            z = np.where(np.isnan(z), qmin, np.clip(z, qmin, qmax)).astype(np.int64)
        shape = granularity.parameter_shape
        return (
            np.asarray(scale).reshape(shape).astype(scale_type.dtype),
            z.reshape(shape).astype(storage.dtype),
        )


def _scale(extent, steps: int, compute: FloatType, scale_type: FloatType):
    """`extent / steps`, rounded to the type of the scale before anything is made of it."""
    scale = arithmetic.divide(extent, cast(np.asarray(float(steps)), compute), compute)
    scale = cast(scale, scale_type)
    return np.where(scale == 0, 1.0, scale)
