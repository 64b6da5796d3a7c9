# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-integer-contractions: quantized results, by every kind of rescaling."""

import math
from fractions import Fraction

import numpy as np
import pytest
from integer_products import (
    Operand,
    Product,
    Quantized,
    compiled,
    rewritten,
    run_together,
    spread,
)

from mlir_qdq import reference

SIZES = dict(b=2, m=7, n=6, k=33, h=3, w=4, H=2, W=3)
KINDS = ["qdq", "f32", "f64", "separate", "exact", "fixed31-double", "fixed31-single", "fixed15"]
FORMS = {
    "matmul": ("matmul", "mk", "kn", "mn"),
    "batch_matmul": ("batch_matmul", "bmk", "bkn", "bmn"),
    "generic": (None, "mk", "nk", "mn"),
    "conv_2d_nhwc_hwcf": ("conv_2d_nhwc_hwcf", "bhwk", "HWkn", "bhwn"),
}
#: Scales of a, b and the result; zero point, bias, relu.
CASES = [
    ("", "", "", "none", False, False),
    ("", "n", "", "", True, True),
    ("m", "n", "", "", False, True),
    ("m", "", "n", "n", False, False),
    ("", "n", "n", "", True, False),
]


def make(form, case, constants=True, storage=("ui8", "i8", "i8"), **options) -> Product:
    op, a, b, result = FORMS[form]
    sa, sb, sy, zero, bias, relu = case
    if form.startswith("conv"):
        options |= dict(strides=(1, 1), dilations=(1, 1), pads=((1, 0), (1, 1)))
    held = ("scale", "zero") if constants else ()
    return Product(
        Operand(a, storage[0], "", sa, held),
        Operand(b, storage[1], "none", sb, ("codes", *held)),
        result,
        SIZES,
        op,
        output=Quantized(storage[2], zero, sy, bias, relu, (*held, "bias")),
        **options,
    )


def scales(product: Product):
    """sa, sb and sy along the result."""
    q = product.output
    return (
        spread(product.a.scales, product.a.scale, product.result),
        spread(product.b.scales, product.b.scale, product.result),
        spread(q.scales, q.scale, product.result),
    )


def quantize_multiplier(m: float, bits: int) -> tuple[int, int]:
    """TFLite's QuantizeMultiplier, of a rational; the shift to the right in total."""
    fraction, exponent = math.frexp(m)
    q = Fraction(fraction) * 2**31
    fixed = int(q + Fraction(1, 2))  # ties away; positive
    if fixed == 2**31:
        fixed, exponent = fixed // 2, exponent + 1
    if exponent < -31:
        fixed, exponent = 0, 0
    if bits == 15:
        fixed = (fixed + (1 << 15)) >> 16 if fixed < 0x7FFF0000 else 0x7FFF
    return fixed, bits - exponent


def expected(product: Product, rescale: str) -> np.ndarray:
    """By definition: each kind's own formula (contract, docs/Semantics.md), not what the pass chose."""
    q, acc = product.output, product.sums()
    sa, sb, sy = np.broadcast_arrays(*scales(product), acc)[:3]
    zero = 0 if q.zeros is None else spread(q.zeros, q.zero, product.result)
    low, high = (-128, 127) if q.storage == "i8" else (0, 255)
    if rescale == "exact":
        codes = np.empty(acc.shape, np.int64)
        zeros = np.broadcast_to(zero, acc.shape)
        for i in np.ndindex(acc.shape):
            real = (
                Fraction(int(acc[i]))
                * Fraction(float(sa[i]))
                * Fraction(float(sb[i]))
                / Fraction(float(sy[i]))
            )
            codes[i] = max(low, min(high, round(real) + int(zeros[i])))
    else:
        product_of_scales = (sa * sb).astype(np.float32)
        shift = None
        if rescale in ("f32", "f64"):
            multiplier = (product_of_scales / sy).astype(np.float32)
        elif rescale == "qdq":
            multiplier = (product_of_scales, sy)
        elif rescale == "separate":
            multiplier = (sa, sb, sy)
        else:
            bits = 15 if rescale == "fixed15" else 31
            real = sa.astype(np.float64) * sb.astype(np.float64) / sy.astype(np.float64)
            pairs = [quantize_multiplier(m, bits) for m in real.ravel().tolist()]
            multiplier = np.array([p[0] for p in pairs], np.int32).reshape(acc.shape)
            shift = np.array([p[1] for p in pairs], np.int32).reshape(acc.shape)
        z = (
            None
            if q.zeros is None
            else np.broadcast_to(np.asarray(zero), acc.shape).astype(np.int32)
        )
        codes = reference.requantize(
            acc,
            multiplier,
            shift,
            z,
            rescale=rescale,
            storage=q.storage,
            block_shape=(1,) * acc.ndim,
        ).astype(np.int64)
    if q.relu:
        codes = np.maximum(codes, zero)
    return codes


@pytest.mark.every_value
@pytest.mark.parametrize("rescale", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_constant_scales(form, rescale):
    products = [
        make(form, case, storage=storage, seed=i)
        for i, case in enumerate(CASES)
        for storage in (("ui8", "i8", "i8"), ("i8", "i8", "ui8"))
        if case[0] in FORMS[form][1]
    ]
    programs = [product.program() for product in products]
    texts, functions = run_together([text for text, _ in programs], rescale=rescale)
    for text, function, (_, arguments), product in zip(texts, functions, programs, products):
        assert text.count("qdq.requantize") == 1 and "qdq.dequantize" not in text
        # No tensor of floats is as large as an operand or the result, but qdq's product of rows and columns.
        assert "33xf32" not in text and "33x6xf32" not in text
        assert rescale == "qdq" or "7x6xf32" not in text
        got = np.asarray(function(*arguments)).astype(np.int64)
        np.testing.assert_array_equal(got, expected(product, rescale), str(product.output))


@pytest.mark.parametrize("rescale", ["qdq", "f32", "f64", "separate"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_runtime_scales(rescale, dynamic):
    for i, case in enumerate(CASES):
        if case[4] or case[5]:
            continue
        product = make("generic", case, constants=False, dynamic=dynamic, seed=i)
        product.b.constants = ()
        text, arguments = product.program()
        text = rewritten(text, rescale=rescale)
        assert "qdq.requantize" in text and "qdq.dequantize" not in text
        got = np.asarray(compiled(text)(*arguments)).astype(np.int64)
        np.testing.assert_array_equal(got, expected(product, rescale), str(case))


def test_exact_ties():
    """M = 1/6 and 1/2: every third sum lies between two codes."""
    for m, rounding in [((1.0, 1.0, 6.0), "nearest-even"), ((0.5, 1.0, 1.0), "nearest-even")]:
        text = f"""
        func.func @main(%a: tensor<200x1xi8>, %b: tensor<1x1xi8>) -> tensor<200x1xi8> {{
          %sa = arith.constant {m[0]:e} : f32
          %sb = arith.constant {m[1]:e} : f32
          %sy = arith.constant {m[2]:e} : f32
          %f0 = arith.constant 0.0 : f32
          %ad = qdq.dequantize %a scale %sa : (tensor<200x1xi8>, f32) -> tensor<200x1xf32>
          %bd = qdq.dequantize %b scale %sb : (tensor<1x1xi8>, f32) -> tensor<1x1xf32>
          %e = tensor.empty() : tensor<200x1xf32>
          %i = linalg.fill ins(%f0 : f32) outs(%e : tensor<200x1xf32>) -> tensor<200x1xf32>
          %r = linalg.matmul ins(%ad, %bd : tensor<200x1xf32>, tensor<1x1xf32>) outs(%i : tensor<200x1xf32>) -> tensor<200x1xf32>
          %q = qdq.quantize %r scale %sy : (tensor<200x1xf32>, f32) -> tensor<200x1xi8>
          return %q : tensor<200x1xi8>
        }}"""
        text = rewritten(text, rescale="exact")
        assert "rescale <exact>" in text and "f32" not in text
        a = np.arange(-100, 100, dtype=np.int8).reshape(200, 1)
        got = np.asarray(compiled(text)(a, np.array([[3]], np.int8))).astype(int)
        scale = Fraction(m[0]) * Fraction(m[1]) / Fraction(m[2])
        want = [[max(-128, min(127, round(int(x) * 3 * scale)))] for x in a.ravel()]
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("rescale", ["off", "qdq", "f32", "exact", "profile"])
def test_pipeline(rescale):
    """quant-to-llvm does it all."""
    product = make("matmul", CASES[1])
    text, arguments = product.program()
    got = np.asarray(compiled(text, integer_contractions=rescale, profile="ort")(*arguments))
    if rescale != "off":
        kind = "f32" if rescale == "profile" else rescale
        np.testing.assert_array_equal(got.astype(np.int64), expected(product, kind))
