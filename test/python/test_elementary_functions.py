# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exp, tanh and erf on f32 beside libm's in f64, rounded once."""

import math
from collections.abc import Iterator

import mlir_qdq
import numpy as np
import pytest

from mlir.ir import Context, Module
from mlir_qdq import runtime

FUNCTIONS = {"exp": np.exp, "tanh": np.tanh, "erf": np.vectorize(math.erf, otypes=[np.float64])}
#: Vectors of a processor with fma, of one without, and scalars.
TARGETS = {
    "fma": {"target": "vector", "target_features": "+fma,+avx2"},
    "plain": {"target": "vector", "target_cpu": "x86-64"},
    "scalars": {"target": "linalg", "target_cpu": "x86-64"},
}


@pytest.fixture(scope="module", params=TARGETS)
def compiled(request):
    text = "".join(
        f"""
        func.func @{name}(%x: tensor<?xf32>) -> tensor<?xf32> {{
          %y = math.{name} %x : tensor<?xf32>
          return %y : tensor<?xf32>
        }}"""
        for name in FUNCTIONS
    )
    with Context() as context:
        mlir_qdq.register(context)
        return runtime.compile(Module.parse(text), **TARGETS[request.param])


def every(stride: int) -> Iterator[np.ndarray]:
    """Each value of f32 whose bits are a multiple of the stride, by chunks of 2^22."""
    for start in range(0, 2**32, stride << 22):
        bits = np.arange(start, min(start + (stride << 22), 2**32), stride, np.uint64)
        yield bits.astype(np.uint32).view(np.float32)


def wrong(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Where `got` is not `exact` rounded to f32, with its sign of zero; every NaN is one."""
    with np.errstate(all="ignore"):
        expected = exact.astype(np.float32)
    same = got.view(np.uint32) == expected.view(np.uint32)
    return ~(same | (np.isnan(got) & np.isnan(expected)))


def assert_rounded(name: str, x: np.ndarray, got: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name](x.astype(np.float64))
    differs = wrong(got, exact)
    if name != "exp":  # by less than 0.50001 of the last bit
        exact, got = exact[differs], got[differs].astype(np.float64)
        last = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
        differs = np.abs(got - exact) >= 0.50001 * last
    assert not differs.any(), (name, x[differs][:4])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rounds_samples_of_every_exponent(compiled, name):
    for x in every(65537):
        assert_rounded(name, x, getattr(compiled, name)(x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rounds_at_bounds(compiled, name):
    bounds = [0.0, 2.0**-149, 2.0**-126, 2.0**-10, 3.92, 3.8325, 10, 9.0109, 88.72284, 89]
    bounds += [103.97208, 103.27893, 104.5, 87.33655, 3.4e38, math.inf, math.nan]
    x = np.array(bounds + [-v for v in bounds], np.float32)
    with np.errstate(over="ignore"):
        x = np.concatenate([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)], dtype=np.float32)
    assert_rounded(name, x, getattr(compiled, name)(x))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["exp", "tanh"])
def test_rounds_every_value(compiled, name):
    for x in every(1):
        assert_rounded(name, x, getattr(compiled, name)(x))
