# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-integer-contractions: sums as exact integers, rescaled as the NumPy reference says."""

import copy

import numpy as np
import pytest
from integer_products import Operand, Product, compiled, rewritten

#: Name: op, maps or not, dimensions of a, b and the result.
FORMS = {
    "matmul": ("matmul", False, "mk", "kn", "mn"),
    "matmul_transposed_a": ("matmul", True, "km", "kn", "mn"),
    "matmul_transposed_b": ("matmul", True, "mk", "nk", "mn"),
    "matvec": ("matvec", False, "mk", "k", "m"),
    "vecmat": ("vecmat", False, "k", "kn", "n"),
    "dot": ("dot", False, "k", "k", ""),
    "batch_matmul": ("batch_matmul", False, "bmk", "bkn", "bmn"),
    "batch_matmul_transposed": ("batch_matmul", True, "bmk", "bnk", "bmn"),
    "batch_broadcast": ("batch_matmul", True, "bmk", "kn", "bmn"),
    "contract": ("contract", True, "bmk", "nk", "bmn"),
    "generic": (None, True, "mk", "kn", "mn"),
    "generic_result_permuted": (None, True, "bmk", "kbn", "nmb"),
    "generic_two_sums": (None, True, "mkl", "lnk", "nm"),
}
SIZES = dict(b=2, m=3, n=5, k=17, l=4)
KINDS = {
    # storages, zero points and scales of a and b
    "i8": ("i8", "none", "", "i8", "none", ""),
    "i8_asymmetric": ("i8", "", "", "i8", "none", ""),
    "ui8_255": ("ui8", "", "", "ui8", "", ""),
    "ui8_i8": ("ui8", "", "", "i8", "none", "n"),
    "rows_columns": ("i8", "m", "m", "ui8", "n", "n"),
    "rows": ("ui8", "m", "m", "i8", "", ""),
    "i8_i4": ("i8", "", "", "i4", "n", "n"),
    "i16": ("i16", "", "", "ui16", "", ""),
}


def make(form: str, kind: str, sizes=SIZES, **options) -> Product | None:
    op, maps, a, b, result = FORMS[form]
    sa, za, ra, sb, zb, rb = KINDS[kind]
    if not all(d in a for d in (za.replace("none", ""), ra)) or not all(
        d in b for d in (zb.replace("none", ""), rb)
    ):
        return None
    return Product(
        Operand(a, sa, za, ra), Operand(b, sb, zb, rb), result, sizes, op, maps, **options
    )


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("form", FORMS)
def test_sums(form, dynamic):
    """f32 of the exact sum, times sa * sb in f32: bit for bit."""
    for kind in KINDS:
        product = make(form, kind, dynamic=dynamic)
        if product is None:
            continue
        text = rewritten(product.text())
        assert "qdq.dequantize" in text and text.count("qdq.dequantize") == 1, kind
        got = np.asarray(compiled(text)(*product.values))
        expected = product.sums().astype(np.float32) * product.scale()
        np.testing.assert_array_equal(got, expected, kind)


@pytest.mark.parametrize("empty", ["m", "n", "k", "mk"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_empty(empty, dynamic):
    sizes = {**SIZES, **dict.fromkeys(empty, 0)}
    product = make("matmul", "rows_columns", sizes, dynamic=dynamic)
    got = np.asarray(compiled(rewritten(product.text()))(*product.values))
    np.testing.assert_array_equal(got, np.zeros((sizes["m"], sizes["n"]), np.float32))


@pytest.mark.parametrize(
    "kind, k, wide",
    [
        ("i8", 131071, False),
        ("i8", 131072, True),
        ("ui8_255", 33025, False),
        ("ui8_255", 33026, True),
    ],
)
def test_accumulator_width(kind, k, wide):
    """2^31 - 1 holds 131071 products of -128 * -128, and not one more: i32 up to there, i64 from there on."""
    product = make("dot", kind, {"k": k})
    text = product.text()
    for operand in (product.a, product.b):
        operand.codes[...] = operand.codes.min() if kind == "i8" else 0
    if kind == "i8":
        product.a.codes[...] = product.b.codes[...] = -128
    got = rewritten(text)
    assert ("tensor<i64>" in got) == wide
    expected = product.sums().astype(np.float32) * product.scale()
    np.testing.assert_array_equal(np.asarray(compiled(got)(*product.values)), expected)
