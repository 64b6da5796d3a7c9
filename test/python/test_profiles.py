# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each profile (Q11.1) against what its runtime computed: test/conformance/profiles, recorded by tools/record-vectors.

`quant` and `pmx` have no runtime that installs: their texts are stated here in NumPy.
"""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from kernels import ROUNDINGS
from same_bits import assert_same

from mlir_qdq import reference, runtime
from mlir_qdq.conformance import Conversion, Operand, load, ours, recorded

RECORDED = recorded()


@pytest.mark.parametrize("profile", RECORDED)
def test_reference(profile):
    for case in load(f"profiles/{profile}.json"):
        assert_same(ours.by_reference(case), case, "the NumPy reference", case.promised())


@pytest.mark.parametrize("profile", RECORDED)
def test_compiled(profile):
    cases = load(f"profiles/{profile}.json")
    compiled = ours.Compiled()
    compiled.prepare(cases)
    for case in cases:
        assert_same(compiled(case), case, "compiled code", case.promised())


@pytest.mark.parametrize("profile", RECORDED)
def test_evaluator(profile):
    for case in load(f"profiles/{profile}.json"):
        assert_same(ours.by_evaluator(case), case, "the evaluator", case.promised())


@pytest.mark.parametrize("profile", RECORDED)
def test_agrees_is_not_weaker_than_the_facts(profile):
    """What is recorded as a difference is one, and lies outside of the promise."""
    for case in load(f"profiles/{profile}.json"):
        if case.agrees != "everywhere":
            with pytest.raises(AssertionError, match="differs at"):
                assert_same(ours.by_reference(case), case, "the NumPy reference")


# --- profiles that are texts ----------------------------------------------------------


def quant_text(case: Conversion) -> np.ndarray:
    """MLIR 22, QuantOps.td. qcast: zero point to the expressed type, quotient by the scale, sum of both, conversion to
    the storage, clamp. dcast: codes and zero point to the expressed type, difference, product with the scale. How the
    conversion rounds is left to the lowering: to nearest even here."""
    x, s, z = case.x.array, case.scale.array[:, None], case.zero_point.array[:, None]
    with np.errstate(all="ignore"):
        if case.operation == "dequantize":
            return (x.astype(s.dtype) - z.astype(s.dtype)) * s
        low, high = np.iinfo(z.dtype).min, np.iinfo(z.dtype).max
        sums = (x / s + z.astype(x.dtype)).astype(np.float64)
        codes = np.clip(np.rint(sums), low, high)
    return np.where(np.isnan(codes), low, codes).astype(z.dtype)


def pmx_text(case: Conversion) -> np.ndarray:
    """OpenPPL's int4 weights: all steps in the type of the scale, the zero point added before a rounding to nearest even,
    four bits kept of the sum; back, the difference of the nibbles is an integer, then multiplied by the scale."""
    x, s, z = case.x.array, case.scale.array[:, None], case.zero_point.array[:, None]
    with np.errstate(all="ignore"):
        if case.operation == "dequantize":
            return (x.astype(np.int32) - z.astype(np.int32)).astype(s.dtype) * s
        sums = np.rint(x.astype(s.dtype) / s + z.astype(np.int32).astype(s.dtype)).astype(
            np.float64
        )
        nibbles = np.where(np.isfinite(sums), sums, 0).astype(np.int64) & 15
    return np.where(np.isfinite(sums), nibbles, 0).astype(ml_dtypes.uint4)


def text_cases() -> list:
    """Inputs of the recorded vectors, with what the texts make of them."""
    result = []
    for case in load("profiles/onnx.json"):
        real = case.x if case.operation == "quantize" else case.result
        if case.storage in ("i8", "ui8", "i16") and case.scale.type == real.type != "bf16":
            case = replace(case, profile="quant", agrees="everywhere")
            result.append(replace(case, result=Operand(case.result.type, quant_text(case))))
    for case in load("profiles/ort.json"):
        if case.name in ("quantize-ui8-f16", "dequantize-ui4-f32"):
            z = Operand(
                "ui4", (case.zero_point.array.astype(np.int32) & 15).astype(ml_dtypes.uint4)
            )
            with np.errstate(over="ignore"):
                half = Operand("f16", case.scale.array.astype(np.float16))
            case = replace(case, profile="pmx", zero_point=z, scale=half, agrees="everywhere")
            if case.operation == "dequantize":
                case = replace(case, result=Operand("f16", np.zeros(0, np.float16)))
            else:
                case = replace(case, result=Operand("ui4", np.zeros(0, ml_dtypes.uint4)))
            result.append(replace(case, result=Operand(case.result.type, pmx_text(case))))
    return result


TEXTS = [pytest.param(case, id=f"{case.profile}-{case.name}") for case in text_cases()]


@pytest.mark.parametrize("case", TEXTS)
def test_texts(case):
    assert_same(ours.by_reference(case), case, "the NumPy reference")
    assert_same(ours.by_evaluator(case), case, "the evaluator")
    compiled = runtime.compile(case.text("f"), profile=case.profile)
    assert_same(compiled["f"](*case.arguments), case, "compiled code")


def test_every_profile_is_backed():
    assert {*RECORDED, *(param.values[0].profile for param in TEXTS)} == set(reference.PROFILES)


@pytest.mark.parametrize("profile", RECORDED)
def test_vectors_separate_conventions(profile):
    """No other rounding, order, division or fusion gives these codes."""
    case = next(
        c
        for c in load(f"profiles/{profile}.json")
        if c.operation == "quantize" and c.scale.type == "f32"
    )
    stated = reference.PROFILES[profile].semantics
    others = [{"rounding": mode} for mode in ROUNDINGS if mode != stated.rounding]
    others.append(
        {"order": "add-then-round" if stated.order == "round-then-add" else "round-then-add"}
    )
    others.append({"division": "exact" if stated.division == "reciprocal" else "reciprocal"})
    if stated.order == "add-then-round" and stated.division == "reciprocal":
        others.append({"fusion": "none" if stated.fusion == "fma" else "fma"})
    for semantics in others:
        with pytest.raises(AssertionError, match="differs at"):
            other = replace(case, semantics=semantics)
            assert_same(ours.by_reference(other), case, f"{semantics}", case.promised())


#: The list in test/conformance/README.md of where a runtime leaves its own text: case, scale, zero point, x, what the runtime gave.
DIFFERENCES = [
    ("onnx", "quantize-i8-f32", 0.5, 0, np.inf, -128),
    ("onnx", "quantize-i8-f32", 0.3, -128, -3.4028235e38, 127),
    ("onnx", "quantize-i8-f32-by-f16", 0.5, 0, 4.2500005, 9),
    ("ort", "quantize-i8-f16", 0.5, 0, np.inf, -128),
    ("stablehlo", "dequantize-ui8", 0.5, 0, 128, -64.0),
    ("stablehlo", "quantize-ui8", 0.5, 0, 3.4028235e38, 127),
    ("stablehlo", "dequantize-i8-ends", 5e-39, -109, -128, 0),
    ("onednn", "quantize-i8", 0.1, 1, -3.7500002, -37),
    ("torch", "quantize-i8", 0.1, 1, -0.15, -1),
    ("torch-decomposed", "quantize-i8-f32", 0.1, 1, 7.5499997, 77),
    ("xnnpack", "quantize-i8", 0.1, 1, 7.5499997, 77),
    ("tflite", "quantize-i8", 0.5, 0, np.inf, -128),
    ("tflite", "quantize-i8", 0.3, -128, -3.4028235e38, 127),
    ("tflite", "quantize-i8-optimized", 0.5, 0, 0.25, 0),
    ("tflite", "quantize-i8-optimized-ends", 1e-40, -124, 0, 127),
    ("xnnpack", "quantize-i8-ends", 2e38, -118, 3.4028235e38, -118),
    ("quark", "quantize-i8", 0.5, 0, np.inf, -128),
    ("quark", "quantize-i8", 0.3, -128, np.nan, 127),
    ("quark", "quantize-f16", 0.5, 0, 4.25, 4.25),
    ("quark", "quantize-bf16", 0.5, 0, 3.4028235e38, np.inf),
]


@pytest.mark.parametrize("profile, name, scale, zero_point, x, result", DIFFERENCES)
def test_listed_differences(profile, name, scale, zero_point, x, result):
    case = next(c for c in load(f"profiles/{profile}.json") if c.name == name)
    rows = (case.scale.array == np.asarray(scale).astype(case.scale.array.dtype)) & (
        case.zero_point.array == zero_point
    )
    inputs, results = case.x.array[rows].ravel(), case.result.array[rows].ravel()
    found = inputs.astype(np.float64) == np.float32(x) if x == x else np.isnan(inputs)
    assert found.any() and (results[found] == result).all(), results[found]


def test_torch_decomposed_multiplies_by_the_f32_scale():
    """PyTorch 2.13 to f16: the difference in f16, the product with the f32 scale, one rounding."""
    q, s, z = np.int8([-127]), np.float32(1 / 3), np.int8(-3)
    assert reference.dequantize(
        q, s, z, expressed=np.float16, profile="torch-decomposed"
    ).tolist() == [-41.34375]
    text = """func.func @f(%q: tensor<1xi8>, %s: f32, %z: i8) -> tensor<1xf16> {
      %x = qdq.dequantize %q scale %s zero_point %z : (tensor<1xi8>, f32, i8) -> tensor<1xf16>
      return %x : tensor<1xf16>
    }"""
    compiled = runtime.compile(text, profile="torch-decomposed")
    assert compiled["f"](q, s, z).tolist() == [-41.34375]
