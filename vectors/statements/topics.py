# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of the corpus: which inputs meet which parameters under which semantics. No expected value stands here."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction

from arrays import Array, decode
from exact import FORMATS, cast, integer_bounds

DEFAULT = dict(
    rounding="nearest-even", order="round-then-add", division="exact", compute="f32", subtract="wide",
    overflow="saturate", nan="lowest", fusion="none", float_overflow="saturate",
)  # fmt: skip
ROUNDINGS = (
    "nearest-even", "nearest-away", "nearest-up", "nearest-down", "toward-zero", "floor", "ceil",
    "away-from-zero", "to-odd",
)  # fmt: skip
INF, NAN = math.inf, math.nan


def smallest(element: str) -> float:
    format = FORMATS[element]
    return math.ldexp(1.0, format.lowest_exponent - format.precision + 1)


def neighbours(value: float, element: str) -> list[float]:
    """The values of the type beside `value`."""
    if value == 0:
        return [smallest(element), -smallest(element)]
    exponent = max(math.frexp(value)[1] - 1, FORMATS[element].lowest_exponent)
    unit = math.ldexp(1.0, exponent - FORMATS[element].precision + 1)
    return [cast(value + unit, element), cast(value - unit, element)]


def case(name, operation, x, scale, zero_point, result, **fields) -> dict:
    semantics = DEFAULT | {key: fields.pop(key) for key in list(fields) if key in DEFAULT}
    return {"name": name, "operation": operation, "x": x, "scale": scale, "zero_point": zero_point,
            "result": result, "semantics": semantics, **fields}  # fmt: skip


def rows(
    name, storage, parameters, inputs, element="f32", scale="f32", zero_point=None, **fields
) -> dict:
    """Quantize: row r holds inputs(scale, zero point) of parameter pair r (`axis` 0)."""
    scales = [cast(s, scale) for s, _ in parameters]
    zs = [z for _, z in parameters]
    x = [[cast(v, element) for v in inputs(s, z or 0)] for s, z in zip(scales, zs)]
    width = max(map(len, x))
    x = [(row * width)[:width] for row in x]
    z = None if zs[0] is None else Array.of(zero_point or storage, len(zs), zs)
    values = Array.of(element, (len(x), width), [v for row in x for v in row])
    return case(
        name, "quantize", values, Array.of(scale, len(scales), scales), z, storage, axis=0, **fields
    )


# --- topics -------------------------------------------------------------------------------


def ties(scale: float, zero_point) -> list[float]:
    """Ties around zero and around both ends of 8 bits, and the values beside some."""
    halves = [k + 0.5 for k in (-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5)]
    ends = [end - zero_point + d for end in (-128, 127, 255) for d in (-1, -0.5, 0, 0.5, 1)]
    values = [v * scale for v in halves + ends]
    near = [n for v in values[3:9] for n in neighbours(cast(v, "f32"), "f32")]
    return values + near + [0.0, -0.0, 0.25 * scale, -0.75 * scale]


def roundings() -> Iterator[dict]:
    """Every rounding on ties, at even and odd zero points, in both orders."""
    for storage, zero_points in (("i8", (0, 1, -3, 127, -128)), ("ui8", (0, 1, 128, 255))):
        pairs = [(s, z) for s in (1.0, 0.5) for z in zero_points]
        for rounding in ROUNDINGS:
            for order in ("round-then-add", "add-then-round"):
                yield rows(
                    f"{storage}-{rounding}-{order}",
                    storage,
                    pairs,
                    ties,
                    rounding=rounding,
                    order=order,
                )
    yield rows("i8-no-zero-point", "i8", [(1.0, None), (0.5, None)], ties)


def separating(scale: float, zero_point) -> list[float]:
    """Near ties on which division and reciprocal, the order of the sum, or its fusion decide."""
    chosen = []
    k32 = cast(Fraction(1) / Fraction(scale), "f32")
    for k in range(-140, 140):
        tie = cast((Fraction(k) + Fraction(1, 2)) * Fraction(scale), "f32")
        for x in (tie, *neighbours(tie, "f32")):
            quotient, product = (
                cast(Fraction(x) / Fraction(scale), "f32"),
                cast(Fraction(x) * Fraction(k32), "f32"),
            )
            sums = {cast(Fraction(v) + zero_point, "f32") for v in (quotient, product)}
            sums.add(cast(Fraction(x) * Fraction(k32) + zero_point, "f32"))
            if quotient != product or len(sums) > 1:
                chosen.append(x)
    return chosen[:: max(1, len(chosen) // 48)][:48]


def divisions() -> Iterator[dict]:
    pairs = [(0.1, 3), (0.3, -7), (1 / 3, 0), (0.007874016, 64), (3.0, 1), (49.0, -1)]
    for order in ("round-then-add", "add-then-round"):
        for division, fusion in (("exact", "none"), ("reciprocal", "none"), ("reciprocal", "fma")):
            if fusion == "fma" and order == "round-then-add":
                continue
            yield rows(
                f"{division}-{fusion}-{order}",
                "i8",
                pairs,
                separating,
                division=division,
                fusion=fusion,
                order=order,
            )


def specials(element: str) -> list[float]:
    format = FORMATS[element]
    largest, tiny = float(format.max_finite), math.ldexp(1.0, format.lowest_exponent)
    return [
        0.0,
        -0.0,
        NAN,
        INF,
        -INF,
        largest,
        -largest,
        tiny,
        -tiny,
        smallest(element),
        -smallest(element),
        1.5,
        -2.5,
    ]


def special_values() -> Iterator[dict]:
    """NaN, infinities, signed zeros, subnormals, in every treatment of NaN and overflow."""
    for storage, zero_points in (
        ("i8", (0, -5)),
        ("ui8", (0, 200)),
        ("i16", (-300,)),
        ("ui4", (7,)),
        ("i32", (5,)),
    ):
        pairs = [(s, z) for s in (0.5, 1e-3) for z in zero_points]
        for overflow in ("saturate", "wrap"):
            for nan in ("lowest", "highest", "zero", "zero-point"):
                yield rows(
                    f"{storage}-{overflow}-{nan}",
                    storage,
                    pairs,
                    lambda s, z: specials("f32"),
                    overflow=overflow,
                    nan=nan,
                )
    for nan in ("lowest", "highest", "zero", "zero-point"):
        yield rows(
            f"i8-narrow-{nan}",
            "i8",
            [(0.5, 3), (1.0, -100)],
            lambda s, z: specials("f32"),
            nan=nan,
            clamp=[2, 100],
        )
        yield rows(
            f"i8-float-zero-point-{nan}", "i8", [(0.5, 3.5), (1.0, NAN), (1.0, -1000.0)],
            lambda s, z: specials("f32"), nan=nan, zero_point="f32",
        )  # fmt: skip
    # Subnormal operands; the reciprocal of a scale below 2^-128 is infinite.
    for division in ("exact", "reciprocal"):
        yield rows(
            f"i8-subnormal-{division}", "i8", [(3 * 2.0**-149, 1), (2.0**-140, -2), (2.0**-127, 0)],
            lambda s, z: [k * s for k in range(-6, 7)] + [(k + 0.5) * s for k in range(-6, 6)], division=division,
        )  # fmt: skip
    # The sum, not the quotient, decides about NaN once the zero point is added first.
    yield rows(
        "i8-add-first",
        "i8",
        [(0.5, 3), (1.0, -100)],
        lambda s, z: specials("f32"),
        order="add-then-round",
    )


def edges(storage: str):
    low, high = integer_bounds(storage)

    def inputs(scale: float, zero_point) -> list[float]:
        codes = [
            low,
            high,
            *(
                sign * 2.0**e
                for e in (7, 8, 15, 16, 24, 31, 32, 33, 40, 62, 63, 64, 100)
                for sign in (1, -1)
            ),
        ]
        values = [c + d for c in codes for d in (-1, 0, 1)]
        values += [c - zero_point + d for c in (low, high) for d in (-1.5, -0.5, 0, 0.5, 1.5)]
        return [v * scale for v in values] + [INF, -INF]

    return inputs


def saturation() -> Iterator[dict]:
    """Both ends of every storage, and quotients that fit no int32, with zero points at the ends."""
    for storage in ("i2", "ui2", "ui3", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32"):
        low, high = integer_bounds(storage)
        pairs = [(s, z) for s in (1.0, 0.25) for z in (0, low, high, high // 3)]
        for order in ("round-then-add", "add-then-round"):
            yield rows(f"{storage}-{order}", storage, pairs, edges(storage), order=order)
        yield rows(f"{storage}-none", storage, [(1.0, None), (0.25, None)], edges(storage))
        yield rows(f"{storage}-wrap", storage, pairs, edges(storage), overflow="wrap")
        yield rows(
            f"{storage}-f64",
            storage,
            pairs,
            edges(storage),
            element="f64",
            scale="f64",
            compute="f64",
        )
    pairs = [(1.0, z) for z in (0, 2**31 - 1, -(2**31), 1000, -1000)]
    for order in ("round-then-add", "add-then-round"):
        yield rows(
            f"i8-zero-point-i32-{order}", "i8", pairs, edges("i8"), zero_point="i32", order=order
        )
        yield rows(
            f"i8-narrow-{order}",
            "i8",
            [(1.0, 0), (0.5, -100)],
            edges("i8"),
            clamp=[-127, 100],
            order=order,
        )


def compute_types() -> Iterator[dict]:
    """Each compute type on inputs of each other, where one rounding and two give two codes."""
    draw = random.Random(1)
    for compute in ("f16", "bf16", "f32", "f64"):
        for element, scale in (
            ("f32", "f32"),
            ("f16", "f16"),
            ("bf16", "bf16"),
            ("f64", "f64"),
            ("f16", "f32"),
            ("f64", "f32"),
        ):
            drawn = [draw.uniform(-130, 130) for _ in range(40)]
            halves = [k + 0.5 for k in range(-60, 60, 5)]
            yield rows(
                f"{element}-{scale}-in-{compute}", "i8", [(0.1, 3), (0.7, 0)],
                lambda s, z: [v * s for v in drawn + halves] + specials(element),
                element=element, scale=scale, compute=compute,
            )  # fmt: skip
    # u16 zero points in f16, i16 bounds in bf16: the sum is that type's.
    for storage, compute, zero_points in (
        ("ui16", "f16", (0, 40000, 65535)), ("ui16", "bf16", (0, 40001, 65535)), ("i16", "f16", (-32767, 32767)),
        ("i16", "bf16", (-32767, 4099)), ("i32", "f32", (2**31 - 1, -(2**24) - 1)), ("ui32", "f32", (2**32 - 1, 16777217)),
    ):  # fmt: skip
        for order in ("round-then-add", "add-then-round"):
            yield rows(
                f"{storage}-in-{compute}-{order}", storage, [(s, z) for s in (1.0, 0.1) for z in zero_points],
                lambda s, z: [v * s for v in (0, 0.5, 1.5, 3, 100.5, -100.5, 2047, 2049, 40000, -40000, 65504)] + [INF, -INF],
                element="f16", scale="f16", compute=compute, order=order,
            )  # fmt: skip


def integers_and_biases() -> Iterator[dict]:
    """i32 inputs, biases in expressed units, float zero points."""
    named = [0, 1, -1, 7, 2**24 + 1, 2**31 - 1, -(2**31), 123456789, -5, 250, -250, 381]
    for compute in ("f16", "bf16", "f32", "f64"):
        x = Array.of("i32", (2, len(named)), named * 2)
        yield case(
            f"i32-input-in-{compute}", "quantize", x, Array.of("f32", 2, [3.0, cast(0.3, "f32")]), Array.of("i8", 2, [5, -3]),
            "i8", axis=0, compute=compute,
        )  # fmt: skip
    for division in ("exact", "reciprocal"):
        yield rows(
            f"bias-{division}", "i8", [(0.5, 0.25), (0.1, -3.3), (1.0, 100.0)],
            lambda s, z: ties(s, 0) + specials("f32"), zero_point="f32", domain="expressed", division=division,
        )  # fmt: skip
        yield rows(
            f"float-zero-point-{division}", "i8", [(0.5, 0.5), (0.1, -3.25), (1.0, 7.0)],
            lambda s, z: ties(s, 0), zero_point="f32", division=division,
        )  # fmt: skip


def codes(storage: str, count: int, seed: int = 0) -> list[int]:
    low, high = integer_bounds(storage)
    draw = random.Random(seed)
    named = [low, high, low + 1, high - 1, min(high, 2**24 + 1), low // 2]
    drawn = [draw.randint(low, high) for _ in range(count)]
    return list(range(low, high + 1)) if high - low < count else (named + drawn)[:count]


def dequantize() -> Iterator[dict]:
    """Differences in each arithmetic, products rounded once, for each result type."""
    for storage in ("i2", "ui3", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32"):
        low, high = integer_bounds(storage)
        zero_points = [0, 1, low, high, high // 3]
        scales = [cast(s, "f32") for s in (0.1, 1.0, 3e-5, 0.3, 7.7)]
        q = codes(storage, 24)
        x = Array.of(storage, (5, len(q)), q * 5)
        for subtract in ("wide", "wrap32", "float"):
            yield case(
                f"{storage}-{subtract}", "dequantize", x, Array.of("f32", 5, scales), Array.of(storage, 5, zero_points),
                "f32", axis=0, subtract=subtract,
            )  # fmt: skip
        yield case(
            f"{storage}-none", "dequantize", x, Array.of("f32", 5, scales), None, "f32", axis=0
        )
        yield case(
            f"{storage}-f64", "dequantize", x, Array.of("f64", 5, [0.1, 1.0, 3e-5, 0.3, 7.7]),
            Array.of(storage, 5, zero_points), "f64", axis=0, compute="f64",
        )  # fmt: skip
    q = codes("ui16", 40)
    for compute, result in (
        ("f16", "f16"),
        ("f32", "f16"),
        ("bf16", "bf16"),
        ("f32", "bf16"),
        ("f16", "f32"),
        ("f64", "f16"),
    ):
        for subtract in ("wide", "float", "output"):
            yield case(
                f"ui16-in-{compute}-to-{result}-{subtract}", "dequantize", Array.of("ui16", (3, len(q)), q * 3),
                Array.of("f16", 3, [cast(s, "f16") for s in (0.1, 2.0, 0.0007)]), Array.of("ui16", 3, [65535, 40001, 0]),
                result, axis=0, compute=compute, subtract=subtract,
            )  # fmt: skip
    # Scales that the results' type does not hold, and codes and zero points that it rounds.
    q = codes("i16", 40)
    scales = Array.of("f32", 3, [cast(s, "f32") for s in (1 / 3, 0.1, 7.7)])
    for result in ("f16", "bf16", "f64"):
        yield case(
            f"i16-to-{result}-output", "dequantize", Array.of("i16", (3, len(q)), q * 3), scales,
            Array.of("i16", 3, [-3, 12345, -32768]), result, axis=0, subtract="output",
        )  # fmt: skip
        yield case(
            f"i16-to-{result}-output-none", "dequantize", Array.of("i16", (3, len(q)), q * 3), scales, None, result,
            axis=0, subtract="output",
        )  # fmt: skip
    q = codes("i8", 60)
    for fusion in ("none", "fma"):
        yield case(
            f"bias-{fusion}", "dequantize", Array.of("i8", (3, len(q)), q * 3),
            Array.of("f32", 3, [cast(s, "f32") for s in (0.1, 1 / 3, 0.7)]),
            Array.of("f32", 3, [cast(z, "f32") for z in (-12.7, 1e-3, 0.3)]), "f32", axis=0, domain="expressed", fusion=fusion,
        )  # fmt: skip
    yield case(
        "float-zero-point", "dequantize", Array.of("i8", (3, len(q)), q * 3), Array.of("f32", 3, [0.5, 2.0, 1.0]),
        Array.of("f32", 3, [0.5, -3.25, 1e9]), "f32", axis=0,
    )  # fmt: skip
    # A special scale: no code may come out of it by accident.
    yield case(
        "special-scales", "dequantize", Array.of("i8", (4, 4), [0, 1, -1, 7] * 4),
        Array.of("f32", 4, [INF, NAN, smallest("f32"), float(FORMATS["f32"].max_finite)]), Array.of("i8", 4, [0, 1, 0, 0]),
        "f32", axis=0,
    )  # fmt: skip


def granularity() -> Iterator[dict]:
    """Axes and blocks, whole, short and of the whole dimension; each scale and zero point differs from all others."""
    layouts = [
        ("tensor", (3, 5), None, None), ("axis-0", (5, 5), 0, None), ("axis-1", (5, 5), 1, None), ("axis-last", (2, 3, 4), -1, None),
        ("blocks", (6, 4), None, (3, 1)), ("blocks-both", (6, 4), None, (2, 2)), ("short-block", (7, 5), None, (3, 1)),
        ("short-block-last", (3, 11), None, (1, 4)), ("short-both", (7, 5), None, (3, 2)), ("whole-dimension", (5, 4), None, (0, 2)),
        ("block-of-one", (3, 4), None, (1, 1)), ("block-beyond", (3, 4), None, (1, 9)), ("rank-3", (2, 7, 3), None, (1, 2, 0)),
    ]  # fmt: skip
    for name, shape, axis, block_shape in layouts:
        if axis is not None:
            counts = (shape[axis],)
        else:
            counts = (
                tuple(-(-d // b) if b else 1 for d, b in zip(shape, block_shape))
                if block_shape
                else ()
            )
        total, size = math.prod(counts), math.prod(shape)
        scales = Array.of("f32", counts, [cast(0.1 + 0.07 * k, "f32") for k in range(total)])
        where = {
            key: value
            for key, value in (("axis", axis), ("block_shape", block_shape))
            if value is not None
        }
        for storage in ("i8", "ui4"):
            low, high = integer_bounds(storage)
            z = Array.of(storage, counts, [low + (5 + 3 * k) % (high - low) for k in range(total)])
            x = Array.of(
                "f32", shape, [cast((k * 37 % 23 - 11) * 0.13, "f32") for k in range(size)]
            )
            yield case(f"quantize-{storage}-{name}", "quantize", x, scales, z, storage, **where)
            q = Array.of(storage, shape, [low + k * 29 % (high - low + 1) for k in range(size)])
            yield case(f"dequantize-{storage}-{name}", "dequantize", q, scales, z, "f32", **where)
    # An empty tensor has no element to get wrong, and must still work.
    yield case(
        "quantize-empty",
        "quantize",
        Array.of("f32", (0, 4), []),
        Array.of("f32", (), [0.5]),
        None,
        "i8",
    )


def scales_of_powers() -> Iterator[dict]:
    """f8E8M0 scales, both ends and NaN (code 255) among them."""
    scales = Array.of(
        "f8E8M0FNU", 5, [decode(code, "f8E8M0FNU") for code in (0, 254, 127, 120, 255)]
    )
    values = [1.5, -2.5, 0.0, -0.0, 1e-38, 1e38, INF, NAN, 3.0]
    x = Array.of("f32", (5, len(values)), [cast(v, "f32") for v in values] * 5)
    for nan in ("lowest", "highest", "zero"):
        yield case(
            f"quantize-{nan}",
            "quantize",
            x,
            scales,
            Array.of("i8", 5, [0, 1, 3, -7, 5]),
            "i8",
            axis=0,
            nan=nan,
        )
    q = codes("i8", 16)
    yield case(
        "dequantize", "dequantize", Array.of("i8", (5, len(q)), q * 5), scales, None, "f32", axis=0
    )


def float_storage() -> Iterator[dict]:
    """Every code back, and ties, both ends, subnormals, signed zeros and NaN forth."""
    for storage in (
        "f8E4M3FN",
        "f8E5M2",
        "f8E4M3FNUZ",
        "f8E5M2FNUZ",
        "f8E4M3",
        "f8E3M4",
        "f6E2M3FN",
        "f6E3M2FN",
        "f4E2M1FN",
    ):
        values = sorted(
            {
                decode(c, storage)
                for c in range(2 ** FORMATS[storage].bits)
                if math.isfinite(decode(c, storage))
            }
        )
        middles = [(a + b) / 2 for a, b in zip(values, values[1:])][:: max(1, len(values) // 40)]
        near = [
            n
            for m in middles[:: max(1, len(middles) // 12)]
            for n in neighbours(cast(m, "f32"), "f32")
        ]
        top = values[-1]
        ends = [top * f for f in (1, 1.03, 1.0625, 1.125, 1.25, 2)]
        inputs = (
            values[:: max(1, len(values) // 24)]
            + middles
            + near
            + ends
            + [-v for v in ends]
            + specials("f32")
        )
        for overflow in ("saturate", "ieee"):
            yield rows(
                f"quantize-{storage}-{overflow}", storage, [(1.0, None), (0.5, None), (0.1, None)],
                lambda s, z: [v * s for v in inputs], float_overflow=overflow,
            )  # fmt: skip
        yield rows(
            f"quantize-{storage}-zero-point", storage, [(1.0, 0.5), (0.5, -1.0)], lambda s, z: [v * s for v in inputs],
            zero_point="f32",
        )  # fmt: skip
        every = [decode(code, storage) for code in range(2 ** FORMATS[storage].bits)]
        yield case(
            f"dequantize-{storage}", "dequantize", Array.of(storage, (2, len(every)), every * 2),
            Array.of("f32", 2, [cast(0.1, "f32"), 2.0]), None, "f16", axis=0,
        )  # fmt: skip


# --- choose_params --------------------------------------------------------------------------


def groups(element: str) -> list[list[float]]:
    """Of zeros, of one value, of one sign, with NaN, infinities, subnormals, and zero points beside a tie."""
    largest, least = float(FORMATS[element].max_finite), smallest(element)
    values = [
        [0.0] * 6, [-0.0] * 6, [3.7] * 6, [-3.7] * 6, [NAN] * 6, [NAN, 1.5, -0.3, NAN, 0.0, 0.2], [INF, 1, 2, 3, 4, 5],
        [-INF, 1, 2, 3, 4, INF], [-INF, 1, 0, 0, 0, 0], [least] * 6, [-least, least, 0, 0, 0, 0], [largest, -largest, 0, 1, 2, 3],
        [1, 2, 3, 4, 5, 6], [-1, -2, -3, -4, -5, -6], [-1.27, 1.28, 0.005, 0, 0, 0], [254.5, -0.5, 0, 1, 2, 3],
        [253.5, -1.5, 1, 0, 2, 3], [1e-30, -1e30, 0, 0, 0, 0], [-12.75, 12.75, 0.1, 0, 0, 0], [1 / 3, -2 / 3, 0, 0, 0, 0],
    ]  # fmt: skip
    return [[cast(float(v), element) for v in group] for group in values]


def chosen(
    name: str, x: list[list[float]], storage: str, mode: str, element="f32", **fields
) -> dict:
    array = Array.of(element, (len(x), len(x[0])), [v for row in x for v in row])
    return {
        "name": name, "operation": "choose_params", "axis": 0, "x": array, "storage": storage, "mode": mode, **fields
    }  # fmt: skip


INTEGERS = ("i8", "ui8", "i4", "ui4", "i16", "ui16")


def asymmetric() -> Iterator[dict]:
    """By the rules of DynamicQuantizeLinear, and as ONNX Runtime has them."""
    for element, storage in itertools.product(("f32", "f64"), INTEGERS):
        yield chosen(f"{element}-{storage}", groups(element), storage, "asymmetric", element)
    for element in ("f32", "f64"):
        yield chosen(f"{element}-ui8-ort", groups(element), "ui8", "ort", element)


def symmetric() -> Iterator[dict]:
    for element, storage in itertools.product(("f32", "f64"), INTEGERS):
        yield chosen(f"{element}-{storage}", groups(element), storage, "symmetric", element)
    for storage in ("f8E4M3FN", "f8E5M2"):
        yield chosen(storage, groups("f32"), storage, "symmetric")


def dynamic() -> Iterator[dict]:
    """DynamicQuantizeLinear: what the values become by the parameters that it chose."""
    x = groups("f32")
    least = smallest("f32")
    parts = {
        "zeros": x[:2], "one-sign": x[2:4] + x[12:14], "nan": x[4:6], "infinite": x[6:9], "subnormal": x[9:11] + [[200 * least] * 6],
        "ends": [x[11], x[17]], "mixed": x[14:17] + x[18:],
    }  # fmt: skip
    draw = random.Random(3)
    parts["drawn"] = []
    for low, high in ((-1.0, 3.0), (-0.3, 0.1), (0.0, 255.0), (-128.0, 127.0), (-1e-3, 2e3)):
        drawn = [low, high] + [draw.uniform(low, high) for _ in range(22)]
        drawn += [(k + 0.5) * (high - low) / 255 for k in range(-8, 8)]
        parts["drawn"].append([cast(min(max(v, low), high), "f32") for v in drawn])
    for (name, rows), mode in itertools.product(parts.items(), ("asymmetric", "ort")):
        # Kernels for vectors take 32 and more.
        wide = [(row * 40)[:40] for row in rows]
        yield chosen(f"{name}-{mode}", wide, "ui8", mode) | {"operation": "dynamic_quantize"}


def blocks() -> Iterator[dict]:
    """Scales of blocks of 32: MX, by every rule for a power of two; NVFP4; ggml's Q8_0."""
    draw = random.Random(4)
    amax = [
        1.0,
        1.5,
        1.75,
        1.8125,
        1.875,
        1.9375,
        127 / 64,
        448.0,
        6.0,
        7.5,
        28.0,
        127.0,
        65504.0,
        2.0**-126,
        1e-45,
        3e38,
    ]
    amax += [n for v in amax[:13] for n in neighbours(cast(v, "f32"), "f32")]
    x = [
        [v * sign] + [draw.uniform(-v, v) for _ in range(31)]
        for v, sign in zip(amax, itertools.cycle((1, -1)))
    ]
    x += [[v] * 31 + [w] for v, w in ((0.0, 0.0), (NAN, 2.0), (0.0, INF), (1.0, -INF))]
    x = [[cast(v, "f32") for v in row] for row in x]
    for storage in ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "i8"):
        for rule in ("floor", "rceil", "ceil", "even", "fit"):
            fields = {"scale_type": "f8E8M0FNU", "power_of_two": rule}
            yield chosen(f"mx-{storage}-{rule}", x, storage, "symmetric", **fields)
    yield chosen("nvfp4", x, "f4E2M1FN", "symmetric", scale_type="f8E4M3FN")
    yield chosen("q8_0", x, "i8", "symmetric", scale_type="f16")


# --- requantize -----------------------------------------------------------------------------


#: M of the channels, by the scales of their weights: powers of two, and others, far apart.
MULTIPLIERS = (
    0.5, 0.25, 2.0**-7, 1 / 3, 1 / 6, 0.0016187, 0.99999, 1e-4, 3e-6, 1e-9, 0.0123, 0.77, 0.1, 0.05,
)  # fmt: skip
#: Of the input and the result: a power of two apart, so that M is one, too, and codes have ties.
SCALES = (cast(0.0234, "f32"), 4 * cast(0.0234, "f32"))


def accumulators(M: float, storage: str, most: int, count: int, draw: random.Random) -> list[int]:
    """Near ties of the codes, small ones, the ends, and others of every length."""
    reach = 2**15 if storage == "i16" else 140
    ends = [0, 1, -1, 2, -2, 3, -3, -most - 1, most, -most, most - 1, 2**24 + 1, -(2**24) - 1]
    ties = [
        round((draw.randint(-reach, reach) + 0.5) / M) + d
        for _ in range(count // 5)
        for d in (-1, 0, 1)
    ]
    drawn = [draw.randint(-most, most) >> draw.randint(0, 30) for _ in range(count)]
    return [min(max(v, -most - 1), most) for v in (ends + ties + drawn)[:count]]


def products(
    name,
    storage,
    z,
    rescale,
    *,
    accumulator="i32",
    most=2**31 - 1,
    count=96,
    M=MULTIPLIERS,
    **semantics,
) -> dict:
    sa, sy = SCALES
    sb = [cast(m * sy / sa, "f32") for m in M]
    draw = random.Random(f"{accumulator} {most} {count}")
    acc = [a for m in M for a in accumulators(m, storage, most, count, draw)]
    return {
        "name": name, "operation": "requantize", "axis": 0, "storage": storage, "rescale": rescale,
        "semantics": semantics, "acc": Array.of(accumulator, (len(M), count), acc), "sa": Array.of("f32", (), [sa]),
        "sb": Array.of("f32", len(sb), sb), "sy": Array.of("f32", (), [sy]),
        "zero_point": None if z is None else Array.of(storage, (), [z]),
    }  # fmt: skip


RESCALES = ("exact", "qdq", "f32", "f64", "separate", "fixed31-double", "fixed31-single")


def rescales() -> Iterator[dict]:
    """Each kind of product. Some accumulators are sums of 64 products of codes."""
    for rescale in RESCALES:
        for storage, z in (("i8", -9), ("ui8", 131), ("i8", 0)):
            yield products(f"{rescale}-{storage}-{z}", storage, z, rescale)
        yield products(f"{rescale}-ui8-none", "ui8", None, rescale)
        for storage, z in (("i8", 3), ("ui8", 131)):
            yield products(f"{rescale}-{storage}-sums", storage, z, rescale, most=2**19 - 1)
    for rescale in ("exact", "qdq", "f32", "f64", "separate", "fixed15"):
        # A product of 64 bits that needs more than 32 wraps in LiteRT.
        M = MULTIPLIERS[:6]
        yield products(f"{rescale}-i16", "i16", 0, rescale, accumulator="i64", most=2**32, M=M)


def orders() -> Iterator[dict]:
    """Where the zero point enters, by every rounding, as far as a kind has these choices."""
    few = dict(count=48, M=MULTIPLIERS[:6])
    for rescale in ("exact", "qdq", "f32", "f64", "separate"):
        for order in ("round-then-add", "add-then-round"):
            for rounding in ROUNDINGS if rescale in ("exact", "f32") else ("nearest-even",):
                yield products(
                    f"{rescale}-{order}-{rounding}",
                    "i8",
                    3,
                    rescale,
                    order=order,
                    rounding=rounding,
                    **few,
                )


def wraps() -> Iterator[dict]:
    """Codes modulo 2^8."""
    for rescale in RESCALES:
        yield products(
            f"{rescale}-ui8", "ui8", 200, rescale, count=48, M=MULTIPLIERS[:6], overflow="wrap"
        )


def names_of(*topics):
    return [(topic.__name__.replace("_", "-"), topic()) for topic in topics]


def all_topics():
    """By the folder of their manifests."""
    conversions = names_of(
        roundings,
        divisions,
        special_values,
        saturation,
        compute_types,
        integers_and_biases,
        dequantize,
        granularity,
        scales_of_powers,
        float_storage,
    )
    return {
        "": conversions,
        "choose-params": names_of(asymmetric, symmetric, dynamic, blocks),
        "requantize": names_of(rescales, orders, wraps),
    }
