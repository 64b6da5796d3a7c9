# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantize: reals to storage codes, step by step as in docs/Semantics.md."""

from __future__ import annotations

import numpy as np

from . import arithmetic
from .granularity import Granularity
from .operands import (
    bounds,
    check_domain,
    exact,
    is_integer_zero_point,
    scale_operand,
    zero_point_operand,
)
from .philox import uniform
from .rounding import cast, round_stochastically, round_to_integer, round_to_precision
from .semantics import Semantics, quantize_compute_type, resolve
from .types import FloatType, IntegerType, expressed_or_none, is_integer, storage_type


def quantize(
    x,
    scale,
    zero_point=None,
    *,
    storage,
    axis=None,
    block_shape=None,
    semantics=None,
    clamp=None,
    zero_point_domain="stored",
    profile=None,
    seed=0,
    return_defined=False,
):
    """Codes of `x`, in the natural dtype of `storage`.

    x: float16, bfloat16, float32, float64, or an integer of at most 32 bits.
    scale: any float; its shape follows from `axis` (rank 1), `block_shape` (rank of x,
        ceil(D / b) or 1 for b = 0) or neither (one element). A plain Python float
        takes the type of `x`.
    zero_point: None, integers of at most 32 bits or floats, shaped as the scale or rank 0.
        `zero_point_domain="expressed"` makes it a bias that is subtracted from x.
    storage: MLIR spelling ("i8", "ui4", "f8E4M3FN", ...) or a dtype.
    semantics: None, a mapping, a `Semantics`, or `#qdq.semantics<...>` as text or attribute;
        what it leaves open comes from `profile` (a key of `PROFILES`), then the defaults.
    clamp: (lowest, highest) code of an integer storage.
    seed: of `rounding = stochastic`, modulo 2^64.
    return_defined: also return a mask, False where the semantics leave the code undefined
        (the code is then the one of `overflow = saturate`, `nan = lowest`).

    Float storage: a NaN becomes the canonical quiet NaN of the format, sign positive. The formats
    without one (f6E2M3FN, f6E3M2FN, f4E2M1FN) give their largest positive value for a NaN of
    either sign, as the ONNX pages on 4- and 6-bit floats have it for Cast.
    """
    x = np.asarray(x)
    storage = storage_type(storage)
    check_domain(zero_point_domain)
    x_type = expressed_or_none(x.dtype)
    if x_type is None and not (is_integer(x.dtype) and x.dtype.itemsize <= 4):
        raise ValueError(f"x has dtype {x.dtype}, expected f16, bf16, f32, f64 or an integer of at most 32 bits")

    granularity = Granularity.of(x.shape, axis, block_shape)
    scale = scale_operand(scale, x_type, granularity)
    zero_point = zero_point_operand(zero_point, scale, granularity)
    resolved, compute_rule, _ = resolve(semantics, profile)
    compute = quantize_compute_type(compute_rule, x_type, expressed_or_none(scale.dtype))

    with np.errstate(all="ignore"):
        if isinstance(storage, IntegerType):
            low, high = bounds(storage, clamp)
            codes, defined = _integer_codes(
                x, scale, zero_point, zero_point_domain, storage, low, high, compute, resolved, seed
            )
        else:
            if clamp is not None:
                raise ValueError(f"clamp {tuple(clamp)} narrows integer storage, not {storage}")
            codes = _float_codes(x, scale, zero_point, zero_point_domain, storage, compute, resolved, seed)
            defined = np.ones(x.shape, bool)
        # ml_dtypes converts exactly what the type can hold.
        codes = np.asarray(codes).reshape(x.shape).astype(storage.dtype)
    if return_defined:
        return codes, np.broadcast_to(defined, x.shape).copy()
    return codes


def _ratio(x, scale, zero_point, zero_point_domain, compute: FloatType, semantics: Semantics):
    """Steps 1 to 3, and the sum of step 4: r, the zero point in stored units (None where there
    is none) and r plus it, in the compute type."""
    xc, sc = cast(exact(x), compute), cast(exact(scale), compute)
    if zero_point is not None and zero_point_domain == "expressed":
        xc = arithmetic.subtract(xc, cast(exact(zero_point), compute), compute)
        zero_point = None

    if semantics.division == "exact":
        r = arithmetic.divide(xc, sc, compute)
    else:
        k = arithmetic.divide(np.float64(1), sc, compute)
        r = arithmetic.multiply(xc, k, compute)

    if zero_point is None:
        return r, None, r
    zc = cast(exact(zero_point), compute)
    if semantics.fusion == "fma" and semantics.division == "reciprocal":
        return r, zero_point, arithmetic.fused_multiply_add(xc, k, zc, compute)
    return r, zero_point, arithmetic.add(r, zc, compute)


def _round(value, compute: FloatType, semantics: Semantics, shape, seed):
    if semantics.rounding == "stochastic":
        return round_stochastically(value, uniform(shape, seed), compute)
    return round_to_integer(value, semantics.rounding)


def _integer_codes(
    x,
    scale,
    zero_point,
    zero_point_domain,
    storage: IntegerType,
    low: int,
    high: int,
    compute: FloatType,
    semantics: Semantics,
    seed: int,
):
    r, z, total = _ratio(x, scale, zero_point, zero_point_domain, compute, semantics)

    # Step 4: v is `rounded + addend`, the sum of two integers.
    if semantics.order == "round-then-add" and is_integer_zero_point(z):
        real, addend = r, z
    else:
        real, addend = total, np.int64(0)
    rounded = _round(real, compute, semantics, x.shape, seed)

    # Bounds and zero points stay below 2^33, so that this clip changes no comparison.
    v = np.clip(np.nan_to_num(rounded, nan=0.0, posinf=np.inf, neginf=-np.inf), -(2.0**40), 2.0**40)
    v = v.astype(np.int64) + addend

    # Step 6.
    no_code = np.isnan(real)
    defined = np.ones(real.shape, bool)
    if semantics.overflow == "wrap":
        no_code = no_code | np.isinf(real)
        residue = np.fmod(np.where(no_code, 0.0, rounded), 2.0**storage.bits)
        v = _residue(residue.astype(np.int64) + addend, storage)
    elif semantics.overflow == "undefined":
        defined = no_code | ((v >= storage.lowest) & (v <= storage.highest))
    codes = np.clip(v, low, high)

    # Step 5.
    if semantics.nan == "undefined" and semantics.overflow != "saturate":
        defined = defined & ~no_code
    return np.where(no_code, _nan_code(z, low, high, compute, semantics, x.shape, seed), codes), defined


def _residue(v, storage: IntegerType):
    """`v` modulo 2^bits, read in the signedness of the storage."""
    return (v - storage.lowest) % (1 << storage.bits) + storage.lowest


def _nan_code(z, low: int, high: int, compute: FloatType, semantics: Semantics, shape, seed):
    if semantics.nan == "highest":
        return high
    if semantics.nan == "zero" or (semantics.nan == "zero-point" and z is None):
        return min(max(0, low), high)
    if semantics.nan == "zero-point":
        if is_integer_zero_point(z):
            return np.clip(z, low, high)
        zero = _round(cast(exact(z), compute), compute, semantics, shape, seed)
        return np.where(np.isnan(zero), low, np.clip(zero, low, high)).astype(np.int64)
    return low


def _float_codes(
    x, scale, zero_point, zero_point_domain, storage: FloatType, compute: FloatType, semantics: Semantics, seed: int
):
    """float64 values that `storage` holds."""
    _, _, t = _ratio(x, scale, zero_point, zero_point_domain, compute, semantics)
    draws = uniform(x.shape, seed) if semantics.rounding == "stochastic" else None
    rounded = round_to_precision(t, storage, semantics.rounding, draws)

    largest = np.copysign(storage.max_finite, t)
    beyond = np.abs(rounded) > storage.max_finite
    if semantics.float_overflow == "ieee":
        # A mode that rounds towards zero on this side never reaches past the last value.
        stays = np.isfinite(t) & _toward_zero(semantics.rounding, t)
        if storage.has_infinity:
            over = np.copysign(np.inf, t)
        else:
            over = np.nan if storage.has_nan else largest
        rounded = np.where(beyond, np.where(stays, largest, over), rounded)
    else:
        rounded = np.where(beyond, largest, rounded)

    rounded = np.where(np.isnan(t), np.nan if storage.has_nan else storage.max_finite, rounded)
    if not storage.has_negative_zero:
        rounded = np.where(rounded == 0, 0.0, rounded)
    return rounded


def _toward_zero(rounding: str, t):
    if rounding in ("toward-zero", "to-odd"):
        return np.ones(t.shape, bool)
    if rounding == "floor":
        return ~np.signbit(t)
    if rounding == "ceil":
        return np.signbit(t)
    return np.zeros(t.shape, bool)
