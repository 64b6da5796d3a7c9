# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""choose_params: the reference against exact rationals, compiled code against the reference, DynamicQuantizeLinear
against ONNX's evaluator and ONNX Runtime."""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from mlir_qdq import backend, reference, runtime

E8M0 = ml_dtypes.float8_e8m0fnu
#: Largest finite value and fraction bits: OCP OFP8 and MX, tables of the element formats.
FLOATS = {
    "f8E4M3FN": (448, 3), "f8E5M2": (57344, 2), "f6E2M3FN": (Fraction(15, 2), 3), "f6E3M2FN": (28, 2), "f4E2M1FN": (6, 1),
}  # fmt: skip
STORAGES = {**FLOATS, "i8": (127, 6), "i4": (7, 2), "i2": (1, 0)}
RULES = ("floor", "rceil", "ceil", "even", "fit")


def log2_floor(value: Fraction) -> int:
    k = value.numerator.bit_length() - value.denominator.bit_length()
    return k if Fraction(2) ** k <= value else k - 1


def exponent_of(amax: Fraction, storage: str, rule: str) -> int:
    """k of docs/Semantics.md from the words of each rule, in exact rationals."""
    largest, places = STORAGES[storage]
    top = log2_floor(Fraction(largest))
    if rule == "even":
        # To `places` fraction bits, half up; then as `floor`.
        unit = Fraction(2) ** (log2_floor(amax) - places)
        amax = math.floor(amax / unit + Fraction(1, 2)) * unit
    k = log2_floor(amax) - top
    if rule == "rceil":
        k = log2_floor(amax / largest)
        return k if amax == largest * Fraction(2) ** k else k + 1
    if rule == "fit":
        unit = Fraction(2) ** (top - places)
        return k if round(amax / Fraction(2) ** k / unit) * unit <= largest else k + 1
    if rule == "ceil" and amax > Fraction(2) ** (k + top):
        k += 1
    return k


def interesting_ranges(dtype) -> np.ndarray:
    """Beside every threshold of every format, at both ends of the exponents, and at random."""
    thresholds = [1, 1.75, 1.5, 1.8125, 1.875, 127 / 64, 2 - 2**-2, 2 - 2**-3, 2 - 2**-4, 2 - 2**-7]
    values = np.array(thresholds, dtype)
    values = np.concatenate(
        [values, np.nextafter(values, dtype(0)), np.nextafter(values, dtype(4))]
    )
    info = np.finfo(dtype)
    exponents = [0, 3, -5, info.minexp, info.minexp + 9, info.maxexp - 1, info.maxexp - 9]
    parts = [np.ldexp(values, k) for k in exponents]
    parts.append(
        np.array([info.smallest_subnormal, 3 * info.smallest_subnormal, info.tiny, info.max], dtype)
    )
    bits = np.random.default_rng(5).integers(0, 2 ** (8 * info.dtype.itemsize - 1), 200, np.uint64)
    parts.append(bits.astype(f"u{info.dtype.itemsize}").view(dtype))
    everything = np.concatenate(parts).astype(dtype)
    return everything[np.isfinite(everything) & (everything > 0)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("storage", STORAGES)
def test_power_of_two_is_exact(storage, rule, dtype):
    x = interesting_ranges(dtype)
    x[::2] *= -1
    scale, zero = reference.choose_params(
        x, storage=storage, mode="symmetric", power_of_two=rule, scale_type=E8M0, axis=0
    )
    expected = [exponent_of(Fraction(abs(float(v))), storage, rule) for v in x]
    np.testing.assert_array_equal(scale.view(np.uint8), np.clip(expected, -127, 127) + 127)
    assert zero is None or not zero.any()


@pytest.mark.parametrize("storage", FLOATS)
def test_floor_is_the_rule_of_mx(storage):
    """Elements of a block whose maximum has the top exponent; `rceil` lets none saturate."""
    x = np.random.default_rng(1).normal(size=(64, 32)).astype(np.float32) * 100
    for rule in RULES:
        scale, _ = reference.choose_params(
            x,
            storage=storage,
            mode="symmetric",
            power_of_two=rule,
            scale_type=E8M0,
            block_shape=[1, 0],
        )
        magnitude = np.abs(x / scale.astype(np.float32)).max(axis=1)
        largest = float(FLOATS[storage][0])
        top = 2.0 ** math.floor(math.log2(largest))
        if rule == "floor":
            assert (magnitude >= top).all() and (magnitude < 2 * top).all()
        if rule == "rceil":
            assert (magnitude <= largest).all() and (magnitude > largest / 2).all()


@pytest.mark.parametrize("storage", FLOATS)
@pytest.mark.parametrize("scale_type", ["f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_amax_scaling_of_float_storage(storage, scale_type):
    """FP8 and NVFP4 scaling: amax over the largest value, one rounding in f32 and one to the scale's type."""
    x = np.concatenate(
        [np.geomspace(1e-6, 3e6, 500), [448 * 6, 449 * 6, 2**-11 * 6, 2**-10 * 6]]
    ).astype(np.float32)
    scale, zero = reference.choose_params(
        x, storage=storage, mode="symmetric", scale_type=scale_type, axis=0
    )
    dtype = reference.types.scale_type(scale_type).dtype
    quotient = x / np.float32(float(FLOATS[storage][0]))
    if dtype.itemsize == 1:
        quotient = np.minimum(quotient, np.float32(float(ml_dtypes.finfo(dtype).max)))
    with np.errstate(over="ignore"):
        expected = quotient.astype(dtype)
    expected[expected == 0] = 1
    assert zero is None
    np.testing.assert_array_equal(scale.astype(np.float32), expected.astype(np.float32))


SPECIAL_ROWS = np.array(
    [[0, 0, 0], [-0.0, 0, -0.0], [2.5, 2.5, 2.5], [-2.5, -2.5, -2.5], [np.inf, 1, 0], [-np.inf, 1, np.nan],
     [np.nan, np.nan, np.nan], [np.nan, 3, -1], [1e-45, 0, 0], [3e38, -3e38, 1], [448, 449, -450], [6, 7, 8]],
    np.float32,
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_special_ranges_have_powers_of_two(rule):
    where = dict(mode="symmetric", power_of_two=rule, axis=0)
    scale, _ = reference.choose_params(SPECIAL_ROWS, storage="f8E4M3FN", scale_type=E8M0, **where)
    codes = scale.view(np.uint8)
    assert (codes != 255).all()
    assert (codes[[0, 1, 6]] == 0).all(), "nothing but zeros and NaN: the smallest"
    assert (codes[[4, 5]] == 254).all(), "infinite: the largest"
    scale, _ = reference.choose_params(SPECIAL_ROWS, storage="i8", scale_type="f16", **where)
    assert (scale[[0, 1, 6]] == 2.0**-14).all() and (scale[[4, 5]] == 2.0**15).all()


@pytest.mark.parametrize("options, message", [
    (dict(storage="f8E4M3FN"), "expected mode = symmetric"),
    (dict(storage="i8", scale_type="f8E8M0FNU"), "needs power_of_two"),
    (dict(storage="ui8", power_of_two="floor"), "needs mode = symmetric"),
    (dict(storage="i8", mode="symmetric", power_of_two="up"), "expected one of floor"),
    (dict(storage="i8", clamp=(3, 3)), "one code 3"),
    (dict(storage="f4E2M1FN", mode="symmetric", clamp=(0, 1)), "narrows integer storage"),
    (dict(storage="i8", scale_type="i8"), "i8 is not a scale type"),
])  # fmt: skip
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        reference.choose_params(np.float32([1, 2]), **options)


# ---------------------------------------------------------------- compiled code


PLACES = {
    "tensor": ("", (), {}),
    "axis": ("axis -2", ("?",), dict(axis=0)),
    "block": ("block_shape [1, 3]", ("?", "?"), dict(block_shape=[1, 3])),
}


def choice_text(name, x_type, storage, mode, rule, place, shape, scale, is_ranked=True) -> str:
    parameter = "".join(f"{size}x" for size in shape)
    has_zero = mode == "asymmetric"
    results = [f"tensor<{parameter}{scale}>"] + [f"tensor<{parameter}{storage}>"] * has_zero
    words = f"mode <{mode}>" + f" storage {storage}" * (not has_zero)
    words += f" power_of_two <{rule}>" if rule else ""
    types, values = ", ".join(results), "%s, %z" if has_zero else "%s"
    x = f"tensor<?x?x{x_type}>"
    cast, value = "", "%x"
    if not is_ranked:
        cast, value = f"  %u = tensor.cast %x : {x} to tensor<*x{x_type}>\n", "%u"
    value_type = x if is_ranked else f"tensor<*x{x_type}>"
    return (
        f"func.func @{name}(%x: {x}) -> ({types}) {{\n{cast}"
        f"  {values} = qdq.choose_params {value} {words} {place} : ({value_type}) -> ({types})\n"
        f"  return {values} : {types}\n}}\n"
    )


def check_choices(cases: dict, x_values: dict, **options) -> None:
    """Cases by function name: (x type, storage, mode, rule, place, scale type, ranked)."""
    texts = [
        choice_text(name, x_type, storage, mode, rule, *PLACES[place][:2], scale, is_ranked)
        for name, (x_type, storage, mode, rule, place, scale, is_ranked) in cases.items()
    ]
    compiled = runtime.compile("".join(texts), **options)
    for name, (x_type, storage, mode, rule, place, scale, _) in cases.items():
        for x in x_values[x_type]:
            expected = reference.choose_params(
                x,
                storage=storage,
                mode=mode,
                power_of_two=rule,
                scale_type=scale,
                **PLACES[place][2],
            )
            got = compiled[name](x)
            got = got if isinstance(got, tuple) else (got,)
            for actual, wanted in zip(got, expected):
                bits = f"u{wanted.dtype.itemsize}"
                np.testing.assert_array_equal(
                    np.asarray(actual).view(bits),
                    np.asarray(wanted).view(bits),
                    f"{name} {cases[name]} {x[:2]}",
                )


def reals(dtype) -> list[np.ndarray]:
    random = np.random.default_rng(2)
    x = (
        random.integers(0, 256, 12 * 7 * np.dtype(dtype).itemsize, np.uint8)
        .view(dtype)
        .reshape(12, 7)
    )
    ranges = interesting_ranges(np.float32)
    with np.errstate(over="ignore"):
        ranges = ranges[: ranges.size // 3 * 3].reshape(-1, 3).astype(dtype)
        special = SPECIAL_ROWS.astype(dtype)
    return [x, special, ranges, np.zeros((0, 4), dtype), np.zeros((2, 0), dtype)]


@pytest.mark.parametrize("x_type", ["f32", "f16", "bf16", "f64"])
def test_power_of_two_compiled(x_type):
    """Every rule and type of a scale, per tensor, per axis, in blocks that may be short; dynamic and empty shapes."""
    dtype = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}[
        x_type
    ]
    combinations = itertools.product(("f8E4M3FN", "f4E2M1FN", "i8"), RULES, ("f8E8M0FNU", "f32"))
    cases = {}
    for index, (storage, rule, scale) in enumerate(combinations):
        place = list(PLACES)[index % 3]
        cases[f"f{index}"] = (x_type, storage, "symmetric", rule, place, scale, True)
    for scale in ("f16", "bf16", "f64", "f8E4M3FN", "f8E5M2FNUZ"):
        cases[f"scale_{scale}"] = (x_type, "f6E3M2FN", "symmetric", "rceil", "axis", scale, True)
    cases["asymmetric"] = (x_type, "ui8", "asymmetric", "rceil", "block", "f32", True)
    check_choices(cases, {x_type: reals(dtype)})


@pytest.mark.parametrize("scale", ["f32", "f16", "f8E4M3FN", "f8E5M2"])
def test_amax_compiled(scale):
    """Float storage, and signed integers without a zero point; unranked inputs."""
    cases = {}
    for index, (storage, place) in enumerate(
        itertools.product(("f8E5M2", "f4E2M1FN", "i4"), PLACES)
    ):
        cases[f"f{index}"] = ("f32", storage, "symmetric", None, place, scale, True)
    cases["unranked_tensor"] = ("f32", "ui8", "asymmetric", None, "tensor", scale, False)
    cases["unranked_axis"] = ("f32", "f8E4M3FN", "symmetric", None, "axis", scale, False)
    check_choices(cases, {"f32": reals(np.float32)})


# ---------------------------------------------------------------- ONNX DynamicQuantizeLinear


def dynamic_quantize_model(shape) -> onnx.ModelProto:
    names = {"y": TensorProto.UINT8, "scale": TensorProto.FLOAT, "zero_point": TensorProto.UINT8}
    node = helper.make_node("DynamicQuantizeLinear", ["x"], list(names))
    graph = helper.make_graph(
        [node],
        "dynamic_quantize",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(n, t, shape if n == "y" else ()) for n, t in names.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)


def dynamic_inputs() -> list[np.ndarray]:
    random = np.random.default_rng(3)
    inputs = [
        np.float32([3, 3, 3]),
        np.float32([-7]),
        np.float32([0, 255]),
        np.float32([-1, 0, 1e-30]),
    ]
    for spread in (1e-30, 1e-3, 1, 1e5, 1e37):
        inputs += [
            (random.normal(random.normal(), 1, 65) * spread).astype(np.float32) for _ in range(12)
        ]
    # The zero point near a tie: lo / s beside k + 1/2.
    inputs += [np.float32([-(k + 0.5) / 255, 1 - (k + 0.5) / 255]) for k in range(0, 255, 5)]
    return inputs


@pytest.mark.proves(
    "ONNX",
    "DynamicQuantizeLinear",
    against="ONNX reference evaluator, ONNX Runtime",
    storage="ui8",
    granularity="tensor",
)
def test_dynamic_quantize_linear_compiled():
    ort = pytest.importorskip("onnxruntime")
    model = dynamic_quantize_model(["n"])
    ours = backend.prepare(model)
    evaluator = ReferenceEvaluator(model)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for x in dynamic_inputs():
        got = ours.run([x])
        for theirs in (evaluator.run(None, {"x": x}), session.run(None, {"x": x})):
            for actual, wanted in zip(got, theirs, strict=True):
                np.testing.assert_array_equal(actual, wanted, str(x[:4]))


def test_dynamic_quantize_linear_of_zeros_and_nan():
    """ONNX Runtime's rule: scale 1 for all zeros (the evaluator: 1/255), NaN skipped (the evaluator keeps it)."""
    ort = pytest.importorskip("onnxruntime")
    model = dynamic_quantize_model(["n"])
    ours = backend.prepare(model)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for x in ([0.0, 0.0, -0.0], [-1.0, np.nan, 7.0], [np.nan, np.nan]):
        x = np.float32(x)
        for actual, wanted in zip(ours.run([x]), session.run(None, {"x": x}), strict=True):
            np.testing.assert_array_equal(actual, wanted, str(x))
