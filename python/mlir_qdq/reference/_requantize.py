# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requantize: accumulated integers to storage codes, as in docs/Semantics.md.

The float kinds are NumPy floats, one rounding an operation. The integer kinds are
Python integers: no width, so nothing wraps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from . import arithmetic
from ._quantize import Conversion, quantize
from .granularity import Granularity
from .operands import bounds, exact, zero_point_operand
from .rounding import cast
from .semantics import Semantics, quantize_compute_type, resolve
from .types import F32, F64, IntegerType, expressed_or_none, is_float, is_integer, storage_type

RESCALES = (
    "exact",
    "qdq",
    "f32",
    "f64",
    "separate",
    "fixed31-double",
    "fixed31-single",
    "fixed15",
)

# How many multipliers each kind takes.
_COUNTS = {"qdq": (2,), "f32": (1, 3), "f64": (1, 3), "separate": (3,), "exact": (1, 3)}
_FLOAT_KINDS = ("qdq", "f32", "f64", "separate")


def requantize(
    acc,
    multiplier,
    shift=None,
    zero_point=None,
    *,
    rescale,
    storage,
    fraction=None,
    limit=None,
    axis=None,
    block_shape=None,
    clamp=None,
    semantics=None,
    profile=None,
    return_defined=False,
):
    """Codes of the integers `acc` times their scales, in the natural dtype of `storage`.

    rescale: one of `RESCALES`. multiplier: an array, or a tuple of as many as the kind takes:
        floats for `qdq` (s, sy), `f32` and `f64` (M, or sa, sb, sy) and `separate` (sa, sb, sy),
        an integer, with `shift`, for the others. `exact` takes (sa, sb, sy), too, and gives the code
        of the real number acc * sa * sb / sy, which the op's multiplier has to give.
    fraction: binary places that `exact` keeps of the magnitude. limit: magnitude to which the
        integer kinds bound `acc` first.
    Every parameter has one element, or the shape that `axis` or `block_shape` says; with
    `block_shape`, a dimension of size 1 is shared. The other arguments are those of `quantize`.
    """
    acc = np.asarray(acc)
    if not is_integer(acc.dtype):
        raise ValueError(f"acc has dtype {acc.dtype}, expected an integer")
    if rescale not in RESCALES:
        raise ValueError(f"unknown rescale '{rescale}': expected one of {', '.join(RESCALES)}")
    storage = storage_type(storage)
    if not isinstance(storage, IntegerType):
        raise ValueError(f"requantize has integer storage, not {storage}")
    multipliers = multiplier if isinstance(multiplier, tuple) else (multiplier,)
    if len(multipliers) not in _COUNTS.get(rescale, (1,)):
        raise ValueError(f"'{rescale}' does not take {len(multipliers)} multipliers")

    granularity = Granularity.of(acc.shape, axis, block_shape)
    multipliers = tuple(_spread(m, granularity, "multiplier") for m in multipliers)
    z = None if zero_point is None else np.asarray(zero_point)
    if z is not None:
        z = zero_point_operand(_spread(z, granularity, "zero point"), multipliers[-1], _ANY)
    resolved, compute, _ = resolve(semantics, profile)
    if resolved.rounding == "stochastic":
        raise ValueError("requantize does not round stochastically")
    if acc.dtype == np.uint64:
        raise ValueError("acc has dtype uint64: 64-bit accumulators are signed")
    if rescale in _FLOAT_KINDS:
        with np.errstate(all="ignore"):
            codes, defined = _floats(
                rescale, acc, multipliers, z, storage, bounds(storage, clamp), resolved, compute
            )
    elif len(multipliers) == 3:
        codes, defined = _real_codes(acc, multipliers, z, storage, bounds(storage, clamp), resolved)
    else:
        shifts = [
            None if s is None else _integers(_spread(s, granularity, what))
            for s, what in ((shift, "shift"), (fraction, "fraction"))
        ]
        codes, defined = _fixed(
            rescale,
            acc,
            multipliers[0],
            *shifts,
            limit,
            z,
            storage,
            bounds(storage, clamp),
            resolved,
        )
    codes = np.asarray(codes).reshape(acc.shape).astype(storage.dtype)
    if return_defined:
        return codes, np.broadcast_to(defined, acc.shape).copy()
    return codes


class _Spread:
    """Parameters that broadcast already."""

    def spread(self, parameter, what):
        return parameter


_ANY = _Spread()


def _spread(parameter, granularity: Granularity, what: str) -> np.ndarray:
    """One value for each element, up to NumPy broadcasting."""
    parameter = np.asarray(parameter)
    if parameter.ndim == 0:
        return parameter
    if granularity.block_shape is not None and parameter.ndim == len(granularity.block_shape):
        lengths = [b if d != 1 else 0 for b, d in zip(granularity.block_shape, parameter.shape)]
        granularity = Granularity.of(granularity.shape, None, lengths)
    return granularity.spread(parameter, what)


def _integers(value: np.ndarray) -> np.ndarray:
    if not is_integer(value.dtype):
        raise ValueError(f"dtype {value.dtype} where an integer is expected")
    return np.asarray(value.astype(np.int64), object)


# ---------------------------------------------------------------------------
# Floats
# ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Product(Conversion):
    """A product where `quantize` has a quotient: `scale` is the factor."""

    def ratio_and_sum(self):
        C = self.compute
        r = arithmetic.multiply(self.x, self.scale, C)
        if self.zero_point is None:
            return r, r
        z = cast(exact(self.zero_point), C)
        if self.semantics.fusion == "fma":
            return r, arithmetic.fused_multiply_add(self.x, self.scale, z, C)
        return r, arithmetic.add(r, z, C)


def _multiplier(multipliers, rescale: str, compute) -> np.ndarray:
    """M, of three scales in their own type, which holds them all."""
    if len(multipliers) == 1:
        return cast(exact(multipliers[0]), compute)
    types = {expressed_or_none(m.dtype) for m in multipliers}
    (own,) = types if len(types) == 1 else (F64 if F64 in types else F32,)
    own = F32 if rescale == "f32" or own is None else own
    a, b, y = (cast(exact(m), own) for m in multipliers)
    return cast(arithmetic.divide(arithmetic.multiply(a, b, own), y, own), compute)


def _floats(rescale, acc, multipliers, z, storage, limits, semantics: Semantics, compute):
    for m in multipliers:
        if not is_float(m.dtype):
            raise ValueError(f"multiplier has dtype {m.dtype}, but '{rescale}' takes floats")
    double = rescale == "f64" or (rescale == "qdq" and multipliers[0].dtype == np.float64)
    C = F64 if double else F32
    # NumPy converts an integer to a float with one rounding.
    x = acc.astype(C.dtype).astype(np.float64)
    if rescale == "qdq":
        x = arithmetic.multiply(x, cast(exact(multipliers[0]), C), C)
        x, scale = np.broadcast_arrays(x, multipliers[1])
        own = expressed_or_none(scale.dtype)
        if compute in ("expressed", "scale"):  # a profile's rule: of x, or of the scale
            compute = quantize_compute_type(compute, C, own).name
        block_shape = (1,) * x.ndim  # one parameter for each element
        return quantize(
            x.astype(C.dtype),
            scale,
            None if z is None else np.broadcast_to(z, x.shape),
            storage=storage,
            block_shape=block_shape,
            clamp=limits,
            semantics={**vars(semantics), "compute": compute},
            return_defined=True,
        )
    if rescale == "separate":
        a, b, y = (cast(exact(m), C) for m in multipliers)
        x = arithmetic.multiply(arithmetic.multiply(x, a, C), b, C)
        factor = arithmetic.divide(np.float64(1), y, C)
    else:
        factor = _multiplier(multipliers, rescale, C)
    return _Product(x, factor, z, False, C, semantics, 0).integers(storage, *limits)


# ---------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------


def round_fraction(value: Fraction, mode: str) -> int:
    """A rational number to an integer."""
    below = value.numerator // value.denominator
    rest = value - below
    if rest == 0:
        return below
    half = Fraction(1, 2)
    up = {
        "nearest-even": rest > half or (rest == half and below % 2 == 1),
        "nearest-away": rest > half or (rest == half and value > 0),
        "nearest-up": rest >= half,
        "nearest-down": rest > half,
        "toward-zero": value < 0,
        "floor": False,
        "ceil": True,
        "away-from-zero": value > 0,
        "to-odd": below % 2 == 0,
    }[mode]
    return below + up


def _rescale_one(rescale, rounding, add_first, limit, acc, m, t, g, z) -> int:
    """The rounded product of one element, and its zero point."""
    if limit is not None:
        acc = max(-limit, min(limit, acc))
    t = max(0, min(126 if rescale == "exact" else 62, t))
    value = Fraction(acc * m, 2**t)
    if rescale == "fixed31-double":
        high = round_fraction(Fraction(acc * m, 2 ** min(t, 31)), "nearest-up")
        return z + round_fraction(Fraction(high, 2 ** (t - min(t, 31))), "nearest-away")
    if rescale in ("fixed31-single", "fixed15"):
        return z + round_fraction(value, "nearest-up")
    if g is not None:
        g = max(0, min(t, g))
        value = Fraction(round_fraction(value * 2**g, "toward-zero"), 2**g)
    return round_fraction(value + z, rounding) if add_first else z + round_fraction(value, rounding)


def _fixed(rescale, acc, m, shift, fraction, limit, z, storage, limits, semantics: Semantics):
    if shift is None:
        raise ValueError(f"'{rescale}' takes an integer multiplier and a shift")
    if z is not None and z.dtype != np.int64:
        raise ValueError(f"zero point of a float: '{rescale}' adds an integer")
    add_first = semantics.order == "add-then-round"
    v = np.frompyfunc(
        lambda a, m, t, g, z: _rescale_one(
            rescale, semantics.rounding, add_first, limit, int(a), int(m), int(t), g, int(z)
        ),
        5,
        1,
    )(
        np.asarray(acc.astype(np.int64), object),
        _integers(m),
        shift,
        fraction,
        np.asarray(0 if z is None else z, object),
    )
    return _bounded(np.asarray(v, object), storage, limits, semantics)


def _real_codes(acc, scales, z, storage, limits, semantics: Semantics):
    """Of the real number: the scales as fractions."""
    for scale in scales:
        if not (np.isfinite(exact(scale)).all() and (exact(scale) > 0).all()):
            raise ValueError("a scale is not finite and positive")
    if z is not None and z.dtype != np.int64:
        raise ValueError("zero point of a float: 'exact' adds an integer")
    add_first = semantics.order == "add-then-round"

    def one(a, sa, sb, sy, z) -> int:
        value = a * Fraction(sa) * Fraction(sb) / Fraction(sy)
        first = z if add_first else 0
        return round_fraction(value + first, semantics.rounding) + z - first

    fractions = (np.asarray(exact(scale), object) for scale in scales)
    z = np.asarray(0 if z is None else z, object)
    v = np.frompyfunc(one, 5, 1)(np.asarray(acc.astype(np.int64), object), *fractions, z)
    return _bounded(np.asarray(v, object), storage, limits, semantics)


def _bounded(v, storage, limits, semantics: Semantics):
    """The codes of integers, and where they are defined."""
    defined = np.True_
    if semantics.overflow != "saturate":
        wrapped = (v - storage.lowest) % (1 << storage.bits) + storage.lowest
        if semantics.overflow == "undefined":
            defined = np.asarray(v == wrapped, bool)
        v = wrapped
    low, high = limits
    return np.asarray(np.minimum(np.maximum(v, low), high), np.int64), defined
