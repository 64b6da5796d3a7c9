# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Codes of 8 bits by packs that saturate, against the NumPy reference."""

import itertools

import numpy as np
import pytest
from kernels import ROUNDINGS, Kernel, same, specials
from target_features import has

from mlir_qdq import runtime

pytestmark = pytest.mark.skipif(not has("avx512bw"), reason="needs AVX512BW")


def reals() -> np.ndarray:
    """Ties and beside them, far beyond every code, around 2^15, 2^16, 2^31 and 2^32, specials: rows of whole vectors."""
    ties = (np.arange(-1100, 1101) / 2).astype(np.float32)
    far = np.float32([2.0**n for n in (15, 16, 31, 32, 60)])
    far = np.concatenate([far, np.nextafter(far, 0), far * 1.01])
    x = np.concatenate([ties, np.nextafter(ties, 1e9), far, -far, specials(np.float32)])
    return np.resize(x.astype(np.float32), (3, -(-x.size // 128) * 128))


def check(cases: list[tuple], **options) -> None:
    """Kernels with their arguments, in one module."""
    text = "".join(kernel.text(f"f{i}") for i, (kernel, *_) in enumerate(cases))
    compiled = runtime.compile(text, runtime_checks=False, **options)
    for i, (kernel, *given) in enumerate(cases):
        with np.errstate(all="ignore"):
            expected, defined = kernel.expected(*given)
        assert same(compiled[f"f{i}"](*given), expected, defined).all(), kernel


@pytest.mark.parametrize("without", ["", "reciprocals"])
@pytest.mark.parametrize("storage", ["i8", "ui8", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ"])
def test_storages(storage, without):
    """Per tensor, axis and block."""
    x = reals()
    random, cases = np.random.default_rng(0), []
    for where in (dict(), dict(axis=0), dict(axis=1), dict(block_shape=(1, 64))):
        for dynamic in (False, True):
            kernel = Kernel("quantize", storage, "f32", "f32", x.shape, dynamic=dynamic, **where)
            scale = np.asarray(random.choice([1, 0.5, 0.37], kernel.parameter_shape), np.float32)
            cases.append((kernel, x, scale))
    check(cases, without=without)


@pytest.mark.parametrize("storage", ["i8", "ui8"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_zero_points(storage, rounding):
    """Narrow and wide ones, whose sum with a code 16 bits hold or do not; wrapping codes, which no pack makes."""
    x = reals()
    limits, cases = np.iinfo({"i8": np.int8, "ui8": np.uint8}[storage]), []
    for zero_point, order, overflow in itertools.product(
        [storage, "i32"], ["round-then-add", "add-then-round"], ["saturate", "wrap"]
    ):
        kernel = Kernel(
            "quantize", storage, "f32", "f32", x.shape, zero_point=zero_point, axis=0,
            semantics=dict(rounding=rounding, order=order, overflow=overflow),
        )  # fmt: skip
        z = np.array([limits.min, 3, limits.max])
        z = z.astype(np.int32 if zero_point == "i32" else limits.dtype)
        cases.append((kernel, x, np.float32([1, 0.5, 0.37]), z))
    check(cases)
