# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantize: reals to storage codes, step by step as in docs/Semantics.md."""

from __future__ import annotations

from dataclasses import dataclass

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
        raise ValueError(
            f"x has dtype {x.dtype}, expected f16, bf16, f32, f64 or an integer of at most 32 bits"
        )

    granularity = Granularity.of(x.shape, axis, block_shape)
    scale = scale_operand(scale, x_type, granularity)
    zero_point = zero_point_operand(zero_point, scale, granularity)
    resolved, compute_rule, _ = resolve(semantics, profile)
    compute = quantize_compute_type(compute_rule, x_type, expressed_or_none(scale.dtype))

    conversion = Conversion(
        x, scale, zero_point, zero_point_domain == "expressed", compute, resolved, seed
    )
    with np.errstate(all="ignore"):
        if isinstance(storage, IntegerType):
            codes, defined = conversion.integers(storage, *bounds(storage, clamp))
        else:
            if clamp is not None:
                raise ValueError(f"clamp {tuple(clamp)} narrows integer storage, not {storage}")
            codes, defined = conversion.floats(storage), np.True_
        # ml_dtypes converts exactly what the type can hold.
        codes = np.asarray(codes).reshape(x.shape).astype(storage.dtype)
    if return_defined:
        return codes, np.broadcast_to(defined, x.shape).copy()
    return codes


@dataclass(frozen=True)
class Conversion:
    """Operands that broadcast together, and what to compute with them."""

    x: np.ndarray
    scale: np.ndarray
    zero_point: np.ndarray | None
    expressed_domain: bool
    compute: FloatType
    semantics: Semantics
    seed: int

    @property
    def stored_zero_point(self) -> np.ndarray | None:
        return None if self.expressed_domain else self.zero_point

    def ratio_and_sum(self) -> tuple[np.ndarray, np.ndarray]:
        """r of step 3, and r plus the stored zero point as step 4 adds them in C."""
        C = self.compute
        xc, sc = cast(exact(self.x), C), cast(exact(self.scale), C)
        zc = None if self.zero_point is None else cast(exact(self.zero_point), C)
        if zc is not None and self.expressed_domain:
            xc, zc = arithmetic.subtract(xc, zc, C), None

        if self.semantics.division == "exact":
            r = arithmetic.divide(xc, sc, C)
        else:
            k = arithmetic.divide(np.float64(1), sc, C)
            r = arithmetic.multiply(xc, k, C)
        if zc is None:
            return r, r
        if self.semantics.fusion == "fma" and self.semantics.division == "reciprocal":
            return r, arithmetic.fused_multiply_add(xc, k, zc, C)
        return r, arithmetic.add(r, zc, C)

    def round(self, value: np.ndarray) -> np.ndarray:
        if self.semantics.rounding == "stochastic":
            return round_stochastically(value, uniform(self.x.shape, self.seed), self.compute)
        return round_to_integer(value, self.semantics.rounding)

    def integers(self, storage: IntegerType, low: int, high: int):
        """The codes, and where they are defined."""
        r, total = self.ratio_and_sum()

        # Step 4: v is `rounded + addend`, a sum of two integers.
        if self.semantics.order == "round-then-add" and is_integer_zero_point(
            self.stored_zero_point
        ):
            real, addend = r, self.stored_zero_point
        else:
            real, addend = total, np.int64(0)
        rounded = self.round(real)
        # Bounds and zero points stay below 2^33: this clip changes no comparison.
        v = np.clip(np.where(np.isnan(rounded), 0.0, rounded), -(2.0**40), 2.0**40)
        v = v.astype(np.int64) + addend

        # Step 6.
        no_code = np.isnan(real)
        defined = np.ones(real.shape, bool)
        if self.semantics.overflow == "wrap":
            no_code = no_code | np.isinf(real)
            residue = np.fmod(np.where(no_code, 0.0, rounded), 2.0**storage.bits)
            v = residue.astype(np.int64) + addend
            # Modulo 2^bits, read in the signedness of the storage.
            v = (v - storage.lowest) % (1 << storage.bits) + storage.lowest
        elif self.semantics.overflow == "undefined":
            defined = no_code | ((v >= storage.lowest) & (v <= storage.highest))

        # Step 5.
        if self.semantics.nan == "undefined" and self.semantics.overflow != "saturate":
            defined = defined & ~no_code
        return np.where(no_code, self.nan_code(low, high), np.clip(v, low, high)), defined

    def nan_code(self, low: int, high: int):
        nan, z = self.semantics.nan, self.stored_zero_point
        if nan == "highest":
            return high
        if nan == "zero" or (nan == "zero-point" and z is None):
            return min(max(0, low), high)
        if nan == "zero-point":
            zero = z if is_integer_zero_point(z) else self.round(cast(exact(z), self.compute))
            return np.where(np.isnan(zero), low, np.clip(zero, low, high)).astype(np.int64)
        return low

    def floats(self, storage: FloatType) -> np.ndarray:
        """The values that the codes stand for."""
        rounding = self.semantics.rounding
        _, t = self.ratio_and_sum()
        draws = uniform(self.x.shape, self.seed) if rounding == "stochastic" else None
        q = round_to_precision(t, storage, rounding, draws, self.compute)

        largest = np.copysign(storage.max_finite, t)
        over = largest
        if self.semantics.float_overflow == "ieee":
            if storage.has_infinity:
                over = np.copysign(np.inf, t)
            elif storage.has_nan:
                over = np.nan
            # A mode that rounds towards zero on this side never passes the largest value.
            over = np.where(np.isfinite(t) & _rounds_toward_zero(rounding, t), largest, over)
        q = np.where(np.abs(q) > storage.max_finite, over, q)

        q = np.where(np.isnan(t), np.nan if storage.has_nan else storage.max_finite, q)
        if not storage.has_negative_zero:
            q = np.where(q == 0, 0.0, q)
        return q


def _rounds_toward_zero(rounding: str, t: np.ndarray):
    """For a value beyond the last one; `to-odd` never leaves the format either."""
    if rounding in ("toward-zero", "to-odd"):
        return np.True_
    if rounding == "floor":
        return ~np.signbit(t)
    if rounding == "ceil":
        return np.signbit(t)
    return np.False_
