# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-expand-floats: compiled arith casts against those of ml_dtypes, and against rounding stated here
(Q8.1)."""

import re

import ml_dtypes
import mlir_qdq
import numpy as np
import pytest
from float_values import SMALL, edges, every, every_code

from mlir.ir import Context, Module
from mlir.passmanager import PassManager
from mlir_qdq import runtime
from mlir_qdq.reference.types import FLOAT_STORAGE

FORMATS = {
    **{name: FLOAT_STORAGE[name].dtype for name in SMALL},
    "f8E4M3B11FNUZ": np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
}
REALS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
FINITE = ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN")


def cast_function(name: str, op: str, source: str, target: str, size: int, mode: str = "") -> str:
    """An elementwise cast of a tensor."""
    x, y = f"tensor<{size}x{source}>", f"tensor<{size}x{target}>"
    return f"""
      func.func @{name}(%x: {x}) -> {y} {{
        %init = tensor.empty() : {y}
        %y = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
            ins(%x : {x}) outs(%init : {y}) {{
        ^bb0(%a: {source}, %b: {target}):
          %r = arith.{op} %a {mode} : {source} to {target}
          linalg.yield %r : {target}
        }} -> {y}
        return %y : {y}
      }}"""  # fmt: skip


def wide(values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return values.astype(np.float64)


def assert_same(got: np.ndarray, expected: np.ndarray) -> None:
    """As real numbers, with the sign of zero; every NaN is one."""
    got, expected = wide(got), wide(expected)
    np.testing.assert_array_equal(got, expected)
    zero = got == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("target", ["vector", "linalg"])
@pytest.mark.parametrize("without", ["", "through-f16"])
def test_extf_of_every_code(without, target):
    codes = {name: every_code(dtype) for name, dtype in FORMATS.items()}
    functions = [
        cast_function(f"{f}_{r}", "extf", f, r, codes[f].size) for f in FORMATS for r in REALS
    ]
    compiled = runtime.compile("".join(functions), without=without, target=target)
    for name in FORMATS:
        for result, result_dtype in REALS.items():
            expected = codes[name].astype(np.float32)
            if name == "f8E8M0FNU" and result == "f16":
                with np.errstate(over="ignore"):
                    expected = expected.astype(np.float16)
            got = compiled[f"{name}_{result}"](codes[name])
            assert got.dtype == result_dtype
            assert_same(got, expected)


EIGHT_BITS = [name for name, dtype in FORMATS.items() if ml_dtypes.finfo(dtype).bits == 8]


@pytest.mark.parametrize("result", ["f16", "f32"])
def test_through_f16_has_the_same_bits(result):
    """In vectors, a tail and scalars, with the sign of a NaN. Only the conversion from f16 makes a NaN quiet."""
    bits, quiet = {"f16": (np.uint16, 1 << 9), "f32": (np.uint32, 1 << 22)}[result]
    for size in (256, 3, 1):
        functions = [cast_function(f, "extf", f, result, size) for f in EIGHT_BITS]
        kinds = [
            runtime.compile("".join(functions), without=without) for without in ("", "through-f16")
        ]
        for name in EIGHT_BITS:
            for first in range(0, 256 - size + 1, size):
                x = every_code(FORMATS[name])[first : first + size]
                one, other = (kind[name](x) for kind in kinds)
                nan = np.isnan(one)
                np.testing.assert_array_equal(nan, np.isnan(other))
                one, other = one.view(bits), other.view(bits)
                np.testing.assert_array_equal(
                    np.where(nan, one | quiet, one), np.where(nan, other | quiet, other)
                )


def source_values(name: str) -> np.ndarray:
    if name not in FLOAT_STORAGE:
        powers = 2.0 ** np.arange(-126, 127)
        near = np.concatenate(
            [powers * m for m in (1, 1.25, 1.5, 1.5 - 2**-20, 1.5 + 2**-20, 1.75)]
        )
        return np.concatenate(
            [every("f16").astype(np.float32), near.astype(np.float32), np.float32([np.nan, np.inf])]
        )
    return np.concatenate(
        [every("f16").astype(np.float32), every("bf16").astype(np.float32), edges(name, np.float32)]
    )


@pytest.mark.parametrize("name", FORMATS)
def test_truncf_is_the_cast_of_ml_dtypes(name):
    """From f32, f16 and bf16. Formats with finite values only: our NaN is the largest value."""
    values = {"f32": source_values(name), "f16": every("f16"), "bf16": every("bf16")}
    functions = [
        cast_function(source, "truncf", source, name, x.size) for source, x in values.items()
    ]
    compiled = runtime.compile("".join(functions))
    for source, x in values.items():
        x32 = x.astype(np.float32)
        with np.errstate(all="ignore"):
            expected = x32.astype(FORMATS[name])
        where = np.ones(x.shape, bool)
        if name == "f8E8M0FNU":
            where = x32 >= 2.0**-126  # below, docs/Semantics.md says how they differ
        elif name in FINITE:
            expected[np.isnan(x32)] = ml_dtypes.finfo(FORMATS[name]).max
        assert_same(compiled[source](x)[where], expected[where])


def to_power_of_two(x: np.ndarray, mode: str) -> np.ndarray:
    """f8E8M0FNU as docs/Semantics.md defines it."""
    with np.errstate(all="ignore"):
        x = x.astype(np.float64)
        fraction, exponent = np.frexp(np.abs(x))  # in [0.5, 1)
        up = {
            "to_nearest_even": fraction >= 0.75,
            "to_nearest_away": fraction >= 0.75,
            "upward": fraction > 0.5,
            "downward": np.zeros(x.shape, bool),
            "toward_zero": np.zeros(x.shape, bool),
        }[mode]
        y = np.maximum(np.ldexp(1.0, exponent - 1 + up), 2.0**-127)
        y[x == 0] = 2.0**-127
        # A mode that rounds toward zero stops at the largest value.
        limit = 2.0**127 if mode in ("downward", "toward_zero") else np.nan
        y = np.where((y > 2.0**127) & np.isfinite(x), limit, y)
    return np.where(np.isnan(x) | np.isinf(x) | np.signbit(x), np.nan, y)


MODES = ("to_nearest_even", "to_nearest_away", "upward", "downward", "toward_zero")


def compile_modes(source: str, name: str, size: int):
    """A function for each rounding mode, under its name."""
    return runtime.compile(
        "".join(cast_function(mode, "truncf", source, name, size, mode) for mode in MODES)
    )


@pytest.mark.parametrize("source", ["f32", "f64"])
def test_truncf_to_f8E8M0FNU(source):
    tiny = np.float32(
        [2.0**-127, 1.25 * 2**-127, 1.5 * 2**-127, 1.75 * 2**-127, 0.75 * 2**-127, 1e-45]
    )
    x = np.concatenate(
        [source_values("f8E8M0FNU"), -tiny, tiny, np.float32([1.5 * 2**127, 1.4999 * 2.0**127])]
    )
    with np.errstate(invalid="ignore"):
        x = x.astype(REALS[source])
    compiled = compile_modes(source, "f8E8M0FNU", x.size)
    for mode in MODES:
        got = compiled[mode](x)
        assert_same(got, to_power_of_two(x, mode))


@pytest.mark.parametrize("name", SMALL)
def test_truncf_with_rounding_mode(name):
    """The neighbours of x among the values of the format, found by searching."""
    type = FLOAT_STORAGE[name]
    x = np.concatenate([every("f16").astype(np.float32), edges(name, np.float32)])
    finite = wide(every_code(type.dtype))
    finite = np.unique(finite[np.isfinite(finite)])
    x = x[np.abs(x) <= type.max_finite]
    compiled = compile_modes("f32", name, x.size)
    exact = x.astype(np.float64)
    above = finite[np.searchsorted(finite, exact)]
    below = finite[np.searchsorted(finite, exact, side="right") - 1]
    toward = np.where(exact > 0, below, above)
    away = np.where(exact > 0, above, below)
    tie = exact - below == above - exact
    nearest = np.where(exact - below < above - exact, below, above)
    expected = {
        "upward": above, "downward": below, "toward_zero": toward,
        "to_nearest_away": np.where(tie, away, nearest),
    }  # fmt: skip
    for mode, values in expected.items():
        values = np.where(
            values == 0, np.copysign(0.0, exact if type.has_negative_zero else 1), values
        )
        assert_same(compiled[mode](x), values)


@pytest.mark.parametrize("name", SMALL)
def test_truncf_with_rounding_mode_beyond_the_largest(name):
    """docs/Semantics.md, `float_overflow = ieee`."""
    type = FLOAT_STORAGE[name]
    beyond = np.inf if type.has_infinity else np.nan if type.has_nan else type.max_finite
    largest = type.max_finite
    x = np.float32([2 * largest, -2 * largest, np.inf, -np.inf, np.nan])
    nan = np.nan if type.has_nan else largest
    compiled = compile_modes("f32", name, x.size)
    for mode, (up, down) in {
        "to_nearest_even": (beyond, -beyond), "to_nearest_away": (beyond, -beyond), "upward": (beyond, -largest),
        "downward": (largest, -beyond), "toward_zero": (largest, -largest),
    }.items():  # fmt: skip
        assert_same(compiled[mode](x), np.array([up, down, beyond, -beyond, nan]))


def test_scaling_ops():
    """OCP MX: a value times the power of two of its scale, in the result's type."""
    compiled = runtime.compile("""
      func.func @decode(%x: tensor<16x256xf4E2M1FN>, %s: tensor<256xf8E8M0FNU>) -> tensor<16x256xf32> {
        %init = tensor.empty() : tensor<16x256xf32>
        %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}
            ins(%x, %s : tensor<16x256xf4E2M1FN>, tensor<256xf8E8M0FNU>) outs(%init : tensor<16x256xf32>) {
        ^bb0(%a: f4E2M1FN, %b: f8E8M0FNU, %c: f32):
          %r = arith.scaling_extf %a, %b : f4E2M1FN, f8E8M0FNU to f32
          linalg.yield %r : f32
        } -> tensor<16x256xf32>
        return %y : tensor<16x256xf32>
      }
    """)
    x = np.repeat(every_code(ml_dtypes.float4_e2m1fn)[:, None], 256, axis=1)
    s = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)
    with np.errstate(all="ignore"):
        assert_same(compiled.decode(x, s), x.astype(np.float32) * s.astype(np.float32))


def test_include_f16():
    """Every f16 to f32 and back, without an instruction for it, and what lies around each f16 value in f32 and f64."""
    sources = {"f32": edges("f16", np.float32, 4000), "f64": edges("f16", np.float64, 4000)}
    functions = [cast_function("extf", "extf", "f16", "f32", 65536)]
    functions += [cast_function(s, "truncf", s, "f16", x.size) for s, x in sources.items()]
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse("".join(functions))
        PassManager.parse("builtin.module(qdq-expand-floats{include-f16})").run(module.operation)
        assert not re.search(r"arith\.(extf|truncf).*f16", str(module))
        compiled = runtime.compile(module)
    assert_same(compiled.extf(every("f16")), every("f16").astype(np.float32))
    for source, x in sources.items():
        with np.errstate(over="ignore"):
            assert_same(compiled[source](x), x.astype(np.float16))
