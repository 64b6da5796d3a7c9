# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requantize: the NumPy statement against the formulas of the systems, in integers without width; the compiled
code of every target and the folders against the NumPy statement; exact multipliers against rational numbers."""

import functools
import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from mlir.ir import Attribute, Context, Module, Type
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq import reference, runtime
from mlir_qdq._mlir_libs._qdq import evaluator
from requantize_ops import Requantize, accumulators
from test_tiling import tile
from test_evaluator import DEFAULT, ROUNDINGS, bits_of, constant, expected_bits

FORMS = [{}, {"target": "linalg"}, {"target": "vector", "vector_bits": 128}, {"expand_math": True}]


# ---------------------------------------------------------------------------
# The NumPy statement
# ---------------------------------------------------------------------------


def gemmlowp_double(acc: int, m: int, t: int) -> int:
    """SaturatingRoundingDoublingHighMul and RoundingDivideByPOT, as gemmlowp's text has them: a nudge by sign
    and a division that truncates, then a shift by masks."""
    product = acc * m * 2 ** max(0, 31 - t)
    nudge = 2**30 if product >= 0 else 1 - 2**30
    high = abs(product + nudge) // 2**31 * (1 if product + nudge >= 0 else -1)
    e = max(0, t - 31)
    mask = 2**e - 1
    threshold = (mask >> 1) + (1 if high < 0 else 0)
    return (high >> e) + (1 if high & mask > threshold else 0)


def tosa_double(acc: int, m: int, t: int) -> int:
    """RESCALE of the TOSA specification, DOUBLE_ROUND."""
    rounding = 1 << (t - 1)
    if t > 31:
        rounding += 1 << 30 if acc >= 0 else -(1 << 30)
    return (acc * m + rounding) >> t


def tosa_single(acc: int, m: int, t: int) -> int:
    return (acc * m + (1 << (t - 1))) >> t


FORMULAS = {
    "fixed31-double": [gemmlowp_double, tosa_double],
    "fixed31-single": [tosa_single],
    "fixed15": [tosa_single],
}


@pytest.mark.parametrize("rescale", FORMULAS)
def test_reference_fixed(rescale):
    random = np.random.default_rng(1)
    for t in range(2, 63):
        bits = 15 if rescale == "fixed15" else 31
        m = int(random.integers(2 ** (bits - 1), 2**bits))
        acc = accumulators(np.int32, 400, seed=t)
        codes = reference.requantize(
            acc, np.int32(m), np.int8(t), np.int8(-5), rescale=rescale, storage="i8"
        )
        for formula in FORMULAS[rescale]:
            expected = [max(-128, min(127, formula(int(a), m, t) - 5)) for a in acc]
            np.testing.assert_array_equal(codes, expected, f"{formula.__name__} {t}")


def test_reference_floats():
    """As ONNX Runtime and the ONNX evaluator write them, one NumPy operation a step."""
    acc = accumulators(np.int32, 3000)
    f32, f64 = np.float32, np.float64
    sa, sb, sy, z = f32(0.0173), f32(0.00291), f32(0.0311), np.int8(11)
    M = f32(f32(sa * sb) / sy)

    def codes(rescale, multipliers, **semantics):
        return reference.requantize(
            acc, multipliers, None, z, rescale=rescale, storage="i8", semantics=semantics
        )

    saturate = lambda v: np.clip(v, -128, 127).astype(np.int8)  # noqa: E731
    ort = np.rint(np.clip(acc.astype(f32) * M, f32(-128 - 11), f32(127 - 11))) + 11
    for multipliers in (M, (sa, sb, sy)):
        np.testing.assert_array_equal(codes("f32", multipliers), saturate(ort))
    onnx = np.rint(acc.astype(f64) * f64(M) + 11)
    for multipliers in (M, (sa, sb, sy)):
        np.testing.assert_array_equal(
            codes("f64", multipliers, order="add-then-round"), saturate(onnx)
        )
    onednn = np.rint((acc.astype(f32) * sa) * sb * (f32(1) / sy) + f32(11))
    np.testing.assert_array_equal(
        codes("separate", (sa, sb, sy), order="add-then-round"), saturate(onednn)
    )
    qdq = np.rint((acc.astype(f32) * f32(sa * sb)) / sy) + 11
    np.testing.assert_array_equal(codes("qdq", (f32(sa * sb), sy)), saturate(qdq))


# ---------------------------------------------------------------------------
# Compiled code and folders
# ---------------------------------------------------------------------------


def float_cases():
    acc = {d: accumulators(d, 333).reshape(9, 37) for d in (np.int8, np.int32, np.uint32, np.int64)}
    f32 = np.float32
    special = f32([0.003, 0.0, -0.01, np.nan, np.inf, 1e-30, 3e38, 0.5, 1 / 3])[:, None]
    rows = np.linspace(0.001, 0.4, 9, dtype=f32)
    columns = np.linspace(0.01, 3, 37, dtype=f32)
    z = np.int8(-9)
    for dtype in acc:
        yield f"f32_{np.dtype(dtype)}", Requantize("f32", acc[dtype], (f32(0.0131),), zero_point=z)
        yield f"f64_{np.dtype(dtype)}", Requantize("f64", acc[dtype], (f32(0.0131),), zero_point=z)
    a = acc[np.int32]
    for rescale in ("f32", "f64"):
        yield (
            f"special_{rescale}",
            Requantize(rescale, a, (special,), zero_point=z, block_shape=(1, 0)),
        )
    for order, fusion in itertools.product(("round-then-add", "add-then-round"), ("none", "fma")):
        fields = dict(order=order, fusion=fusion)
        yield (
            f"fields_{order}_{fusion}",
            Requantize(
                "f32", a, (rows,), "ui8", zero_point=np.uint8(128), axis=0, semantics=fields
            ),
        )
    for rounding in ROUNDINGS:
        yield (
            f"rounding_{rounding}",
            Requantize(
                "f32",
                a,
                (f32(0.125),),
                zero_point=z,
                clamp=(-100, 90),
                semantics={"rounding": rounding},
            ),
        )
    for overflow, nan in itertools.product(("saturate", "wrap"), ("highest", "zero-point")):
        yield (
            f"overflow_{overflow}_{nan}",
            Requantize(
                "f64",
                a,
                (special,),
                "i4",
                zero_point=z,
                block_shape=(1, 64),
                semantics=dict(overflow=overflow, nan=nan),
            ),
        )
    yield "three", Requantize("f32", a, (f32(0.02), columns, f32(0.7)), zero_point=z, axis=1)
    yield "three64", Requantize("f64", a, (f32(0.02), columns, f32(0.7)), zero_point=z, axis=-1)
    yield "three16", Requantize("f64", a, tuple(np.float16([0.02, 0.3, 0.7])), zero_point=z)
    yield (
        "both",
        Requantize(
            "separate",
            a,
            (rows[:, None], columns[None], f32(0.3)),
            zero_point=z,
            block_shape=(1, 1),
            dynamic=True,
        ),
    )
    blocks = np.linspace(0.01, 0.5, 27, dtype=f32).reshape(9, 3)
    yield (
        "qdq",
        Requantize(
            "qdq", a, (blocks, f32(0.3)), "i16", zero_point=np.int16(300), block_shape=(1, 16)
        ),
    )
    yield "qdq64", Requantize("qdq", acc[np.int64], (np.float64(0.01), f32(0.3)), zero_point=z)
    yield (
        "qdq_reciprocal",
        Requantize("qdq", a, (rows, columns[:9]), axis=0, semantics=dict(division="reciprocal")),
    )
    yield "float_zero_point", Requantize("f32", a, (f32(0.01),), zero_point=f32(3.5))


def fixed_cases():
    acc = {
        d: accumulators(d, 333).reshape(9, 37) for d in (np.int16, np.int32, np.uint32, np.int64)
    }
    z = np.int8(-9)
    m31 = np.int32([2**30, 2**31 - 1, 1518500250, 3, 0, -(2**31), -1, 2**30 + 1, 1431655765])
    shifts = np.int8([31, 38, 45, 62, 0, 1, 33, 32, 60])
    for rescale, dtype in itertools.product(
        ("fixed31-double", "fixed31-single", "fixed15"), (np.int16, np.int32, np.int64)
    ):
        name = f"{rescale}_{np.dtype(dtype)}"
        yield name, Requantize(rescale, acc[dtype], (m31,), shift=shifts, zero_point=z, axis=0)
    for rescale in ("fixed31-double", "fixed31-single", "fixed15"):
        yield (
            f"{rescale}_out_of_range",
            Requantize(rescale, acc[np.int32], (m31,), shift=np.int32(shifts) * 3 - 40, axis=0),
        )
        yield (
            f"{rescale}_wide",
            Requantize(
                rescale,
                acc[np.int32],
                (m31,),
                "i32",
                shift=shifts,
                axis=0,
                zero_point=np.int32(-(2**31)),
            ),
        )
        yield (
            f"{rescale}_limit",
            Requantize(
                rescale, acc[np.int64], (np.int32(2**30),), shift=np.int8(40), limit=2**32 - 1
            ),
        )
    long = np.int64([2**62 + 1, -(2**63), 2**63 - 1, 12345678901, 1, 0, 2**40 + 3, 7, 2**61])
    far = np.int32([64, 126, 100, 40, 1, 0, 50, 3, 62])
    places = np.int32([2, 20, 0, 10, 1, 0, 50, 9, 5])
    for rounding, order in itertools.product(ROUNDINGS, ("round-then-add", "add-then-round")):
        fields = dict(rounding=rounding, order=order)
        for dtype in (np.int32, np.int64, np.uint32):
            yield (
                f"exact_{rounding}_{order}_{np.dtype(dtype)}",
                Requantize(
                    "exact",
                    acc[dtype],
                    (long,),
                    shift=far,
                    axis=0,
                    zero_point=np.int8(-7),
                    semantics=fields,
                ),
            )
        yield (
            f"exact_{rounding}_{order}_fraction",
            Requantize(
                "exact", acc[np.int32], (long,), shift=far, fraction=places, axis=0,
                zero_point=np.int8(5), semantics=fields,
            ),
        )  # fmt: skip
        yield (
            f"exact_{rounding}_{order}_limit",
            Requantize(
                "exact", acc[np.int64], (np.int64(44739243),), shift=np.int8(32), limit=2**20,
                zero_point=np.int8(5), semantics=fields,
            ),
        )  # fmt: skip
    for overflow in ("wrap", "saturate"):
        yield (
            f"exact_{overflow}",
            Requantize(
                "exact", acc[np.int32], (np.int32(3),), "ui4", shift=np.uint8(2), clamp=(1, 14),
                zero_point=np.int32(2**31 - 1), semantics=dict(overflow=overflow),
            ),
        )  # fmt: skip


CASES = dict(itertools.chain(float_cases(), fixed_cases()))


@functools.cache
def expected_of(name: str):
    return CASES[name].expected()


def compile_text(text: str, **options):
    with Context() as ctx:
        mlir_qdq.register(ctx)
        return runtime.compile(Module.parse(text), **options)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_compiled(form):
    """Every kind, granularity, width and field; parameters that no verifier has seen, too."""
    text = "".join(case.text(f"f{i}") for i, case in enumerate(CASES.values()))
    compiled = compile_text(text, **form)
    for i, (name, case) in enumerate(CASES.items()):
        expected, defined = expected_of(name)
        actual = compiled[f"f{i}"](*(value for _, value in case.operands()))
        np.testing.assert_array_equal(
            np.where(defined, actual.astype(np.int64), 0),
            np.where(defined, expected.astype(np.int64), 0),
            name,
        )


def vector_text(case: Requantize, name: str) -> str:
    """The same on vectors: everything is read at once."""
    text = [
        f"func.func @{name}({', '.join(f'%{n}_: {case.type_of(v)}' for n, v in case.operands())}) -> {case.result_type} {{"
    ]
    text.append("  %c0 = arith.constant 0 : index")
    for n, v in case.operands():
        t = case.type_of(v)
        if v.ndim == 0:
            text.append(f"  %{n} = tensor.extract %{n}_[] : {t}")
            continue
        element = t.rsplit("x", 1)[-1][:-1]
        pad = "arith.constant 0.0" if element[0] == "f" else "arith.constant 0"
        text.append(f"  %{n}p = {pad} : {element}")
        at = ", ".join(["%c0"] * v.ndim)
        bounds = ", ".join(["true"] * v.ndim)
        text.append(
            f"  %{n} = vector.transfer_read %{n}_[{at}], %{n}p {{in_bounds = [{bounds}]}} : {t}, {t.replace('tensor', 'vector')}"
        )
    types = [case.type_of(v) for _, v in case.operands()]
    types = [t if "x" in t else t[len("tensor<") : -1] for t in types]
    result = case.result_type.replace("tensor", "vector")
    op = case.op().rsplit(" : (", 1)[0]
    text.append(
        f"  %q = {op} : ({', '.join(t.replace('tensor', 'vector') for t in types)}) -> {result}"
    )
    text.append(f"  %e = tensor.empty() : {case.result_type}")
    at = ", ".join(["%c0"] * case.acc.ndim)
    text.append(
        f"  %w = vector.transfer_write %q, %e[{at}] {{in_bounds = [true, true]}} : {result}, {case.result_type}"
    )
    return "\n".join([*text, f"  return %w : {case.result_type}", "}\n"])


def narrowed(case: Requantize) -> Requantize:
    """The first columns only: a vector is unrolled."""
    cut = {37: 4, 3: 1}

    def narrow(value):
        value = np.asarray(value)
        return (
            value[..., : cut[value.shape[-1]]] if value.shape and value.shape[-1] in cut else value
        )

    changed = {
        n: narrow(v)
        for n, v in vars(case).items()
        if n in ("acc", "shift", "fraction", "zero_point") and v is not None
    }
    return replace(case, **changed, multipliers=tuple(map(narrow, case.multipliers)))


@pytest.mark.unoptimized  # all is unrolled
def test_vectors():
    cases = {
        name: narrowed(case)
        for name, case in CASES.items()
        if not case.dynamic
        and case.storage == "i8"
        and all(v.dtype.kind != "u" for _, v in case.operands())
    }
    compiled = compile_text("".join(vector_text(c, f"f{i}") for i, c in enumerate(cases.values())))
    for i, (name, case) in enumerate(cases.items()):
        actual = compiled[f"f{i}"](*(value for _, value in case.operands()))
        np.testing.assert_array_equal(actual, case.expected()[0], name)


def test_folders():
    """The evaluator: every case again, on constants."""
    functions = []
    for i, case in enumerate(CASES.values()):
        complete = Requantize(
            **{**vars(case), "semantics": {**DEFAULT, **case.semantics}, "dynamic": False}
        )
        constants = "".join(
            constant(
                n, v.ravel() if v.ndim else v, t.rsplit("x", 1)[-1].rstrip(">").split("<")[-1]
            ).replace(
                f"tensor<{v.size}x",
                f"tensor<{'x'.join(map(str, v.shape))}x" if v.ndim else "tensor<",
            )
            if v.ndim < 2
            else nested(n, v, t)
            for n, v in complete.operands()
            for t in [complete.type_of(v)]
        )
        functions.append(
            f"func.func @f{i}() -> {complete.result_type} {{\n{constants}  %q = {complete.op()}\n"
            f"  return %q : {complete.result_type}\n}}"
        )
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse("\n".join(functions))
        PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        for function, (name, case) in zip(module.body, CASES.items()):
            block = function.entry_block
            returned = block.operations[len(block.operations) - 1].operands[0].owner
            assert returned.name == "arith.constant", f"{name}: not folded"
            expected, defined = expected_of(name)
            text = str(returned.attributes["value"]).replace("9x37x", "333x")
            actual = bits_of(text.replace("[[", "[").replace("]]", "]").replace("], [", ", "), 333)
            np.testing.assert_array_equal(
                actual, expected_bits(expected.ravel(), case.storage), name
            )


def test_tiled():
    """Tiled before it is lowered: by rows and columns, within blocks, with constants that become slices."""
    cases = {
        n: c
        for n, c in CASES.items()
        if n in ("both", "qdq", "three", "exact_floor_add-then-round_int64")
    }
    assert len(cases) == 4
    text = "".join(case.text(f"f{i}") for i, case in enumerate(cases.values()))
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        tile(module, "qdq.requantize", [4, 16], "for")
        compiled = runtime.compile(module)
    for i, (name, case) in enumerate(cases.items()):
        actual = compiled[f"f{i}"](*(value for _, value in case.operands()))
        np.testing.assert_array_equal(actual, expected_of(name)[0], name)


def nested(name: str, value: np.ndarray, type: str) -> str:
    """A constant of rank 2, by its bytes."""
    raw = value.astype(value.dtype.newbyteorder("<")).tobytes().hex().upper()
    return f'  %{name} = arith.constant dense<"0x{raw}"> : {type}\n'


# ---------------------------------------------------------------------------
# Exact multipliers
# ---------------------------------------------------------------------------


def exact_code(value: Fraction, z: int, rounding: str, order: str) -> int:
    """The code of a real number, from below and the rest."""
    from mlir_qdq.reference._requantize import round_fraction

    v = (
        round_fraction(value + z, rounding)
        if order == "add-then-round"
        else z + round_fraction(value, rounding)
    )
    return max(-128, min(127, v))


SCALES = [
    (1.0, 1.0, 6.0), (1.0, 0.5, 3.0), (0.1, 0.1, 0.3), (2.0**-7, 2.0**-5, 2.0**-4), (1.0, 1.0, 1.0),
    (5.0, 1.0, 7.0), (3e-20, 1e-20, 2.0**-100), (0.0173, 0.00291, 0.0311), (1.0, 1.0, 12345.0),
    (1.0, 1.0, 65537.0), (1.0, 1.0, 3.0), (7.0, 1.0, 2.0), (1.0, 2.0**-40, 1.0), (1e-45, 1.0, 1.0),
    (1.0, 1.0, 2.0**25), (1.0, 1.0, 3.0 * 2.0**20), (2.0**20, 1.0, 3.0),
]  # fmt: skip


@pytest.mark.every_value
@pytest.mark.parametrize("order", ["round-then-add", "add-then-round"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_exact_multipliers(rounding, order):
    """The code of the real number, on every tie and its neighbors, at both ends, and at random."""
    random = np.random.default_rng(3)
    drawn = np.exp(random.uniform(-12, 2, (12, 3)).astype(np.float32)).astype(np.float64)
    z, reach = -7, 127 + 7
    for scales in [*SCALES, *map(tuple, drawn)]:
        scales = tuple(float(np.float32(s)) for s in scales)
        real = Fraction(scales[0]) * Fraction(scales[1]) / Fraction(scales[2])
        for magnitude, bound in ((2**31, reach), (2**20, reach), (2**16, None)):
            (m,), (t,), g, limit = evaluator.exact_multipliers(
                [scales], magnitude, bound, rounding, order
            )
            ties = [int(k / 2 / real) + d for k in range(-300, 300, 7) for d in (-1, 0, 1)]
            ends = [magnitude, -magnitude, limit, -limit, limit + 1, -limit - 1, 0, 1, -1]
            low = max(-(2**31), -magnitude)
            acc = [*ties, *ends, *map(int, random.integers(low, -low, 60)), *range(-30, 30)]
            acc = np.array([a for a in acc if low <= a <= min(magnitude, 2**31 - 1)], np.int64)
            codes = reference.requantize(
                acc, np.int64(m), np.int32(t), np.int8(z), rescale="exact", storage="i8", limit=limit,
                fraction=np.int32(g[0]) if g else None,
                semantics=dict(rounding=rounding, order=order),
            )  # fmt: skip
            expected = [exact_code(int(a) * real, z, rounding, order) for a in acc]
            np.testing.assert_array_equal(codes, expected, str((scales, magnitude, m, t, g)))


def test_reference_exact():
    """Of scales: the real number, by the rounding of fractions that Python has; ties of 1/6."""
    acc = np.arange(-60, 61, dtype=np.int32)
    scales = np.float32(1), np.float32(0.5), np.float32(3)
    codes = reference.requantize(acc, scales, None, np.int8(7), rescale="exact", storage="i8")
    np.testing.assert_array_equal(codes, [round(Fraction(int(a), 6)) + 7 for a in acc])
    rows = np.float32([0.5, 0.25, 2])
    codes = reference.requantize(
        acc[:60].reshape(3, 20), (rows, np.float32(0.3), np.float32(1)), rescale="exact", storage="i8", axis=0,
        semantics={"rounding": "floor"},
    )  # fmt: skip
    third = Fraction(float(np.float32(0.3)))
    expected = [
        [int(a) * Fraction(float(r)) * third // 1 for a in row]
        for r, row in zip(rows, acc[:60].reshape(3, 20))
    ]
    np.testing.assert_array_equal(codes, expected)


@pytest.mark.parametrize("rescale", ["fixed31-double", "fixed31-single", "fixed15"])
def test_reference_fixed_multipliers(rescale):
    """The NumPy statement beside the C++ function."""
    random = np.random.default_rng(9)
    sa, sb, sy = np.exp2(random.uniform(-12, 0, (3, 2000))).astype(np.float32)
    m, t = reference.fixed_multiplier(rescale, sa, sb, sy)
    real = sa.astype(np.float64) * sb.astype(np.float64) / sy.astype(np.float64)
    assert [evaluator.fixed_multiplier(rescale, M) for M in real] == list(
        zip(m.tolist(), t.tolist())
    )
    with pytest.raises(ValueError, match="no integer multiplier"):
        reference.fixed_multiplier(rescale, np.float32(-1), sb, sy)
    assert reference.float_multiplier(sa, sb, sy).dtype == np.float32


@pytest.mark.parametrize("count", [40, pytest.param(150, marks=pytest.mark.exhaustive)])
def test_exact_multipliers_of_small_ranges(count):
    """Every accumulator, for many scales of few bits, whose products meet ties often."""
    random = np.random.default_rng(4)
    for _ in range(count):
        scales = tuple(
            float(s) for s in random.integers(1, 40, 3) * 2.0 ** random.integers(-6, 3, 3)
        )
        real = Fraction(scales[0]) * Fraction(scales[1]) / Fraction(scales[2])
        rounding = ROUNDINGS[random.integers(len(ROUNDINGS))]
        order = ("round-then-add", "add-then-round")[random.integers(2)]
        (m,), (t,), g, limit = evaluator.exact_multipliers([scales], 400, None, rounding, order)
        acc = np.arange(-400, 401, dtype=np.int32)
        codes = reference.requantize(
            acc, np.int64(m), np.int32(t), np.int8(3), rescale="exact", storage="i8", limit=limit,
            fraction=np.int32(g[0]) if g else None, semantics=dict(rounding=rounding, order=order),
        )  # fmt: skip
        expected = [exact_code(int(a) * real, 3, rounding, order) for a in acc]
        np.testing.assert_array_equal(codes, expected, str((scales, rounding, order)))


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf])
def test_no_exact_multiplier(scale):
    with pytest.raises(ValueError, match="finite and positive"):
        evaluator.exact_multipliers([(1.0, scale, 1.0)], 100, None, "nearest-even")


def test_fixed_multipliers():
    """QuantizeMultiplier: the carry to 2^31, the underflow to 0, and what no shift expresses."""
    fixed = evaluator.fixed_multiplier
    assert fixed("fixed31-double", 0.5) == (2**30, 31)
    assert fixed("fixed31-double", 0.25) == (2**30, 32)
    assert fixed("fixed31-single", 1 - 2.0**-40) == (2**30, 30)
    assert fixed("fixed31-single", 0.0) == (0, 31)
    assert fixed("fixed31-double", 2.0**-32) == (2**30, 62)
    assert fixed("fixed31-double", 2.0**-33) == (0, 31)
    assert fixed("fixed15", 0.5) == (2**14, 15)
    assert fixed("fixed15", 1 - 2.0**-31) == (0x7FFF, 15)
    assert fixed("fixed15", 0.3) == (round(0.6 * 2**15), 16)
    for M in (-1.0, np.nan, np.inf, 2.0**40):
        assert fixed("fixed31-single", M) is None


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_code_difference(rounding, step):
    """The worst difference from exact codes, found again by looking at every accumulator.

    Every day each rounding has some of the trials, and each trial some of the roundings.
    """
    acc = np.arange(-3000, 3001, dtype=np.int32)
    kinds = ("qdq", "f32", "separate", "fixed31-double", "fixed15")
    for trial in range(ROUNDINGS.index(rounding) % step, 20, step):
        random = np.random.default_rng([8, trial])
        rescale = kinds[trial % len(kinds)]
        order = ("round-then-add", "add-then-round")[trial % 2]
        scales = tuple(np.exp2(random.uniform(-7, 0, 3)).astype(np.float32))
        if trial % 3 == 0:
            scales = np.float32(0.5), np.float32(2.0**-5), np.float32(1)  # many ties
        a, b, y = scales
        z = int(random.integers(-128, 128))
        fields = DEFAULT | dict(rounding=rounding, order=order)
        shift = None
        if rescale in ("f32", "separate", "qdq"):
            multipliers = {"f32": (a, b, y), "separate": (a, b, y), "qdq": (np.float32(a * b), y)}[
                rescale
            ]
        else:
            m, shift = evaluator.fixed_multiplier(rescale, float(a) * float(b) / float(y))
            # One of 9 bits is often wrong.
            multipliers = (np.int32(m & ~0x3F if rescale == "fixed15" else m),)
        case = Requantize(rescale, acc, multipliers, shift=None if shift is None else np.int8(shift),
                          zero_point=np.int32(z), semantics=fields)  # fmt: skip
        codes = case.expected()[0].astype(np.int64)
        real = Fraction(float(a)) * Fraction(float(b)) / Fraction(float(y))
        exact = np.array([exact_code(int(v) * real, z, rounding, order) for v in acc])
        with Context() as ctx:
            mlir_qdq.register(ctx)
            text = ", ".join(f"{k} = {v}" for k, v in fields.items())
            types = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32"}
            found = evaluator.code_difference(
                rescale, Attribute.parse(f"#qdq.semantics<{text}>"), Type.parse("i8"),
                [(Type.parse(types[m.dtype]), np.atleast_1d(m).view(np.uint8)) for m in multipliers],
                shift, None, None, z, tuple(map(float, scales)), 3000,
            )  # fmt: skip
        worst = np.abs(codes - exact)
        assert found is not None
        assert found[0] == worst.max(), (rescale, order, scales, z)
        assert worst[found[1] + 3000] == worst.max() or found == (0, 0)


#: What keeps codes from being compared one run of accumulators a code.
NOT_COMPARED = {
    "codes wrap": dict(overflow="wrap"),
    "codes are floats": dict(storage="f8E4M3FN"),
    "more than 2^20 codes": dict(storage="ui32"),
    "a negative scale": dict(scales=(-0.5, 1.0, 1.0)),
    "an infinite scale": dict(scales=(0.5, 1.0, np.inf)),
    "a negative multiplier": dict(multiplier=np.float32(-0.5)),
    "a negative integer": dict(rescale="fixed15", multiplier=np.int32(-(2**14)), shift=15),
}


@pytest.mark.parametrize("reason", [None, *NOT_COMPARED])
def test_no_code_difference(reason):
    case = dict(rescale="f32", storage="i8", overflow="saturate", scales=(0.5, 1.0, 1.0),
                multiplier=np.float32(0.5), shift=None) | NOT_COMPARED.get(reason, {})  # fmt: skip
    fields = DEFAULT | dict(overflow=case["overflow"])
    multiplier = case["multiplier"]
    with Context() as ctx:
        mlir_qdq.register(ctx)
        text = ", ".join(f"{k} = {v}" for k, v in fields.items())
        found = evaluator.code_difference(
            case["rescale"], Attribute.parse(f"#qdq.semantics<{text}>"),
            Type.parse(case["storage"]),
            [(Type.parse("f32" if multiplier.dtype == np.float32 else "i32"), np.atleast_1d(multiplier).view(np.uint8))],
            case["shift"], None, None, 3, case["scales"], 100,
        )  # fmt: skip
    # A half is exact in f32.
    assert (found is None) if reason else found[0] == 0
