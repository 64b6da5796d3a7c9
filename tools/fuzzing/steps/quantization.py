# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantize, dequantize, requantize and choose_params, with all of their parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlir_qdq import reference
from mlir_qdq.reference.semantics import FIELD_VALUES
from mlir_qdq.reference.types import EXPRESSED, FLOAT_STORAGE, SCALES, storage_type

from ..builder import Builder
from ..values import INTEGERS, Value, random_array, random_scales, random_shape

SMALL_FLOATS = [name for name in FLOAT_STORAGE if name not in EXPRESSED]


@dataclass
class Granularity:
    axis: int | None = None
    block_shape: tuple[int, ...] | None = None
    shape: tuple[int, ...] = ()

    def text(self) -> str:
        if self.axis is not None:
            return f" axis {self.axis}"
        return f" block_shape {list(self.block_shape)}" if self.block_shape is not None else ""

    def keywords(self) -> dict:
        return {"axis": self.axis, "block_shape": self.block_shape}


def draw_granularity(b: Builder, shape: tuple[int, ...]) -> Granularity:
    kind = b.rng.random()
    if not shape or kind < 0.35:
        return Granularity()
    if kind < 0.65:
        axis = b.rng.randrange(-len(shape), len(shape))
        return Granularity(axis=axis, shape=(shape[axis],))
    blocks = tuple(b.rng.choice((0, 1, 2, 3, 4, 8, 16, 32, max(size, 1))) for size in shape)
    sizes = tuple(-(-size // block) if block else 1 for size, block in zip(shape, blocks))
    return Granularity(block_shape=blocks, shape=sizes)


def draw_semantics(b: Builder, fields: tuple[str, ...], **fixed) -> dict:
    chosen = {}
    for field in fields:
        if b.chance(0.4):
            allowed = [v for v in FIELD_VALUES[field] if v not in ("undefined", "stochastic")]
            chosen[field] = b.rng.choice(allowed)
    return {**chosen, **fixed}


def spell(semantics: dict) -> str:
    if not semantics:
        return ""
    return f" semantics <{', '.join(f'{k} = {v}' for k, v in semantics.items())}>"


def draw_clamp(b: Builder, storage: str) -> tuple[int, int] | None:
    if storage in FLOAT_STORAGE or b.chance(0.7):
        return None
    kind = storage_type(storage)
    low, high = sorted(b.rng.sample(range(kind.lowest, kind.highest + 1), 2))
    return (low, high)


def draw_zero_point(b: Builder, storage: str, g: Granularity) -> tuple[Value | None, str]:
    kind = b.rng.random()
    if kind < 0.3:
        return None, "stored"
    shape = g.shape if b.chance(0.8) else ()
    if kind < 0.7 and storage not in FLOAT_STORAGE:
        element = storage if b.chance(0.7) else b.rng.choice(INTEGERS)
        return b.parameter(element, random_array(b.rng, element, shape)), "stored"
    element = b.rng.choice(list(EXPRESSED))
    domain = "stored" if b.chance(0.5) else "expressed"
    return b.parameter(element, random_array(b.rng, element, shape)), domain


def draw_storage(b: Builder) -> str:
    return b.rng.choice(INTEGERS if b.chance(0.75) else list(FLOAT_STORAGE))


def draw_scale(b: Builder, real: str, g: Granularity) -> Value:
    element = real if b.chance(0.6) and real in EXPRESSED else b.rng.choice(list(SCALES))
    return b.parameter(element, random_scales(b.rng, element, g.shape))


def spell_zero_point(value: Value | None, domain: str, name: str) -> str:
    if value is None:
        return ""
    return f" zero_point {name}" + (" in <expressed>" if domain == "expressed" else "")


def quantize(b: Builder):
    x = b.pick(lambda v: v.element in EXPRESSED)
    if x is None or b.chance(0.2):
        real = (
            b.rng.choice(list(EXPRESSED)) if b.chance(0.9) else b.rng.choice(("i8", "ui16", "i32"))
        )
        x = b.random(real, random_shape(b.rng))
    storage, g = draw_storage(b), draw_granularity(b, x.shape)
    scale = draw_scale(b, x.element, g)
    zero_point, domain = draw_zero_point(b, storage, g)
    clamp = draw_clamp(b, storage)
    fields = (
        "rounding",
        "order",
        "division",
        "compute",
        "overflow",
        "nan",
        "fusion",
        "float_overflow",
    )
    semantics, seed, seeded = draw_semantics(b, fields), 0, ""
    if b.chance(0.05):
        seed = b.rng.getrandbits(32)
        semantics, seeded = {**semantics, "rounding": "stochastic"}, f" {{seed = {seed} : i64}}"
    codes = reference.quantize(
        x.array, scale.array, None if zero_point is None else zero_point.array, storage=storage,
        semantics=semantics, clamp=clamp, zero_point_domain=domain, seed=seed, **g.keywords(),
    )  # fmt: skip
    operands = [x, scale] + ([] if zero_point is None else [zero_point])
    types = ", ".join(v.type for v in operands)
    clamped = f" clamp {list(clamp)}" if clamp else ""

    def write(r, o, t):
        z = spell_zero_point(zero_point, domain, o[-1])
        return (
            f"{r} = qdq.quantize {o[0]} scale {o[1]}{z}{g.text()}{clamped}{spell(semantics)}{seeded}"
            f" : ({types}) -> {t}"
        )

    return b.make("quantize", operands, storage, codes, x.dynamic, write)


def dequantize(b: Builder):
    q = b.pick(lambda v: v.element in INTEGERS or v.element in SMALL_FLOATS)
    if q is None or b.chance(0.25):
        q = b.random(draw_storage(b), random_shape(b.rng))
    g, expressed = draw_granularity(b, q.shape), b.rng.choice(("f32", *EXPRESSED))
    scale = draw_scale(b, expressed, g)
    zero_point, domain = draw_zero_point(b, q.element, g)
    semantics = draw_semantics(b, ("subtract", "compute", "fusion"))
    reals = reference.dequantize(
        q.array, scale.array, None if zero_point is None else zero_point.array, storage=q.element,
        expressed=expressed, semantics=semantics, zero_point_domain=domain, **g.keywords(),
    )  # fmt: skip
    operands = [q, scale] + ([] if zero_point is None else [zero_point])
    types = ", ".join(v.type for v in operands)

    def write(r, o, t):
        z = spell_zero_point(zero_point, domain, o[-1])
        return f"{r} = qdq.dequantize {o[0]} scale {o[1]}{z}{g.text()}{spell(semantics)} : ({types}) -> {t}"

    return b.make("dequantize", operands, expressed, reals, q.dynamic, write)


def requantize(b: Builder):
    acc = b.pick(lambda v: v.element in ("i32", "i64", "i16", "i8"))
    if acc is None or b.chance(0.4):
        acc = b.random(
            b.rng.choice(("i32", "i32", "i64", "i16", "ui16", "i4")), random_shape(b.rng)
        )
    rescale = b.rng.choice(reference.RESCALES)
    storage, g = b.rng.choice(INTEGERS), draw_granularity(b, acc.shape)
    shape = lambda: g.shape if b.chance(0.7) else ()  # noqa: E731
    multipliers, shift = [], None
    if rescale in ("qdq", "f32", "f64", "separate"):
        count = {"qdq": 2, "separate": 3}.get(rescale) or b.rng.choice((1, 3))
        types = ("f32", "f32", "f16", "bf16") + (("f64",) if rescale in ("qdq", "f64") else ())
        for _ in range(count):
            element = b.rng.choice(types)
            multipliers.append(b.parameter(element, random_scales(b.rng, element, shape())))
        fields = ("rounding", "order", "division", "compute", "overflow", "nan", "fusion")
    else:
        element = "i32" if rescale != "fixed15" else "i16"
        generator = np.random.default_rng(b.rng.getrandbits(64))
        most = 2**31 - 1 if element == "i32" else 2**15 - 1
        m = generator.integers(most // 2, most, shape()).astype(element.replace("i", "int"))
        multipliers.append(b.parameter(element, np.asarray(m)))
        shift = b.parameter("i32", np.asarray(generator.integers(8, 45, shape())).astype(np.int32))
        fields = ("rounding", "order", "overflow") if rescale == "exact" else ("overflow",)
    zero_point = None
    if b.chance(0.6):
        zero_point = b.parameter(storage, random_array(b.rng, storage, shape()))
    clamp, semantics = draw_clamp(b, storage), draw_semantics(b, fields)
    codes = reference.requantize(
        acc.array, tuple(m.array for m in multipliers), None if shift is None else shift.array,
        None if zero_point is None else zero_point.array, rescale=rescale, storage=storage,
        clamp=clamp, semantics=semantics, **g.keywords(),
    )  # fmt: skip
    operands = [acc, *multipliers, *(v for v in (shift, zero_point) if v is not None)]
    types = ", ".join(v.type for v in operands)
    clamped = f" clamp {list(clamp)}" if clamp else ""

    def write(r, o, t):
        rest = o[1 + len(multipliers) :]
        s = f" shift {rest[0]}" if shift is not None else ""
        z = f" zero_point {rest[-1]}" if zero_point is not None else ""
        return (
            f"{r} = qdq.requantize {o[0]} rescale <{rescale}> multiplier "
            f"{', '.join(o[1 : 1 + len(multipliers)])}{s}{z}{g.text()}{clamped}{spell(semantics)} : ({types}) -> {t}"
        )

    return b.make("requantize", operands, storage, codes, acc.dynamic, write)


def choose_params(b: Builder):
    """And a quantize with the results."""
    x = b.pick(lambda v: v.element in EXPRESSED)
    if x is None:
        x = b.random(b.rng.choice(list(EXPRESSED)), random_shape(b.rng))
    g = draw_granularity(b, x.shape)
    mode = b.rng.choice(("asymmetric", "symmetric", "ort"))
    storage = b.rng.choice(("i8", "ui8", "i4", "ui4", "i16", "i2"))
    scale = "f32" if b.chance(0.6) else b.rng.choice(list(EXPRESSED))
    chosen, zero_points = reference.choose_params(
        x.array, storage=storage, mode=mode, scale_type=scale, **g.keywords()
    )
    parameter_dynamic = _parameter_dynamic(x, g)
    s = Value(scale, chosen, parameter_dynamic)
    z = Value(storage, zero_points, parameter_dynamic)

    def write(r, o):
        return (
            f"{r[0]}, {r[1]} = qdq.choose_params {o[0]} mode <{mode}>{g.text()}"
            f" : ({x.type}) -> ({s.type}, {z.type})"
        )

    b.step("choose_params", [x], [s, z], write)
    codes = reference.quantize(x.array, chosen, zero_points, storage=storage, **g.keywords())

    def write_quantize(r, o, t):
        return (
            f"{r} = qdq.quantize {o[0]} scale {o[1]} zero_point {o[2]}{g.text()}"
            f" : ({x.type}, {s.type}, {z.type}) -> {t}"
        )

    return b.make("quantize", [x, s, z], storage, codes, x.dynamic, write_quantize)


def _parameter_dynamic(x: Value, g: Granularity) -> tuple[bool, ...]:
    if g.axis is not None:
        return (x.dynamic[g.axis],)
    if g.block_shape is None:
        return ()
    return tuple(is_open and block != 0 for is_open, block in zip(x.dynamic, g.block_shape))


STEPS = [(quantize, 8), (dequantize, 8), (requantize, 3), (choose_params, 2)]
