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
    expressed_or_none,
    is_integer,
    storage_type,
)
from .types import scale_type as scale_float_type

POWERS_OF_TWO = ("floor", "rceil", "ceil", "even", "fit")


def choose_params(
    x,
    *,
    storage,
    axis=None,
    block_shape=None,
    mode="asymmetric",
    power_of_two=None,
    scale_type=np.float32,
    clamp=None,
    semantics=None,
):
    """(scale, zero point) of each group of `x`: the whole, a slice along `axis`, or a block.

    `asymmetric` is ONNX DynamicQuantizeLinear, for any integer storage; `symmetric` puts zero in the
    middle, or, for float storage, maps the largest magnitude to the largest finite value, and then
    the zero point is None. `ort` is asymmetric with ONNX Runtime's special values: the scale is 1 for
    an empty range only, so that it may be 0, and a zero point that is NaN is the highest code. NaN
    elements are skipped. The scale has type `scale_type` (f16, bf16,
    f32, f64 or a float of 8 bits), the zero point the dtype of `storage`.

    power_of_two: makes the scale one: `floor` (OCP MX), `rceil`, `ceil` or `even`, the words of
        torchao, or `fit` (TOSA). f8E8M0FNU asks for it; `asymmetric` takes `rceil` only.
    """
    x = np.asarray(x)
    storage = storage_type(storage)
    scale_type = scale_float_type(scale_type)
    _check_choice(storage, mode, power_of_two, scale_type)
    x_type = expressed_or_none(x.dtype)
    if x_type is None and not is_integer(x.dtype):
        raise ValueError(f"x has dtype {x.dtype}, expected f16, bf16, f32, f64 or an integer")
    qmin, middle, qmax = _codes(storage, mode, clamp)
    resolved, _, compute_rule = resolve(semantics, None)
    # A zero point is a parameter, not data: it is not drawn.
    rounding = "nearest-even" if resolved.rounding == "stochastic" else resolved.rounding
    compute = dequantize_compute_type(
        compute_rule, expressed_or_none(scale_type.dtype), x_type or F32
    )
    granularity = Granularity.of(x.shape, axis, block_shape)

    with np.errstate(all="ignore"):
        values = exact(x)
        values = np.where(np.isnan(values), 0.0, values)  # a group has 0 in its range anyway
        lo_x = cast(granularity.reduce(np.minimum, values), compute)
        hi_x = cast(granularity.reduce(np.maximum, values), compute)
        if mode == "symmetric":
            extent, steps = np.maximum(-lo_x, hi_x), qmax - middle
        else:
            extent, steps = arithmetic.subtract(hi_x, lo_x, compute), qmax - qmin
        if power_of_two is None:
            scale = _rounded(extent, steps, compute, scale_type, keeps_zero=mode == "ort")
        else:
            scale = _power_of_two(extent, steps, power_of_two, storage, scale_type)
        shape = granularity.parameter_shape
        typed_scale = np.asarray(scale).reshape(shape).astype(scale_type.dtype)
        if isinstance(storage, FloatType):
            return typed_scale, None

        z = np.full(scale.shape, middle, np.int64)
        if mode != "symmetric":
            of_nan = qmax if mode == "ort" else qmin
            lowest = cast(np.asarray(float(qmin)), compute)
            below = arithmetic.divide(lo_x, cast(scale, compute), compute)
            z = round_to_integer(arithmetic.subtract(lowest, below, compute), rounding)
            z = np.where(np.isnan(z), of_nan, np.clip(z, qmin, qmax)).astype(np.int64)
        return typed_scale, z.reshape(shape).astype(storage.dtype)


def _check_choice(storage, mode, power_of_two, scale_type) -> None:
    if mode not in ("asymmetric", "symmetric", "ort"):
        raise ValueError(f"mode = {mode}: expected asymmetric, symmetric or ort")
    if mode == "ort" and (power_of_two is not None or scale_type.dtype.itemsize == 1):
        raise ValueError("mode = ort has no power_of_two and no scale of 8 bits")
    if mode != "symmetric" and isinstance(storage, FloatType):
        raise ValueError(f"float storage {storage} has no zero point: expected mode = symmetric")
    if power_of_two is None:
        if scale_type.name == "f8E8M0FNU":
            raise ValueError("a scale of type f8E8M0FNU needs power_of_two")
        return
    if power_of_two not in POWERS_OF_TWO:
        raise ValueError(
            f"power_of_two = {power_of_two}: expected one of {', '.join(POWERS_OF_TWO)}"
        )
    if mode == "asymmetric" and power_of_two != "rceil":
        raise ValueError(f"power_of_two = {power_of_two} needs mode = symmetric; rceil does not")


def _codes(storage, mode, clamp):
    """Lowest, symmetric zero, highest."""
    if isinstance(storage, FloatType):
        if clamp is not None:
            raise ValueError(f"clamp {tuple(clamp)} narrows integer storage, not {storage}")
        return None, 0, storage.max_finite
    qmin, qmax = bounds(storage, clamp)
    middle = 0 if storage.signed else 1 << (storage.bits - 1)
    if mode == "symmetric" and qmax <= middle:
        raise ValueError(f"highest code {qmax} leaves no positive codes around {middle}")
    if qmin == qmax:
        raise ValueError(f"clamp leaves the one code {qmin}: expected two or more")
    return qmin, middle, qmax


def _rounded(extent, steps, compute: FloatType, scale_type: FloatType, keeps_zero: bool):
    """`extent / steps`, rounded to the type of the scale before anything is made of it."""
    scale = arithmetic.divide(extent, cast(np.asarray(float(steps)), compute), compute)
    if scale_type.dtype.itemsize == 1:
        scale = np.minimum(scale, scale_type.max_finite)
    scale = cast(scale, scale_type)
    return np.where((extent if keeps_zero else scale) == 0, 1.0, scale)


def _power_of_two(extent, steps, rule: str, storage, scale_type: FloatType):
    fraction, exponent = np.frexp(extent)  # in [1/2, 1)
    step_fraction, step_exponent = np.frexp(float(steps))
    if rule == "floor":
        up = np.False_
    elif rule == "rceil":
        up = fraction > step_fraction
    elif rule == "ceil":
        up = fraction > 0.5
    else:
        places = storage.precision if isinstance(storage, FloatType) else int(step_exponent)
        half = 2.0 ** -(places + 1)
        if rule == "even":
            up = fraction >= 1 - half
        else:
            overflow = step_fraction + half
            up = np.where(
                float(step_fraction / half) % 4 == 0, fraction > overflow, fraction >= overflow
            )
    lowest, highest = scale_type.min_exponent, int(np.frexp(scale_type.max_finite)[1]) - 1
    k = np.clip(exponent - step_exponent + up, lowest, highest)
    k = np.where(extent == 0, lowest, np.where(np.isinf(extent), highest, k))
    return np.ldexp(1.0, k)
