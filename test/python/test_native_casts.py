# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-native-casts: what it makes, with each instruction done by a table of what its manual says (native_machines.py), beside
mlir_qdq.reference, on every f16 and around every middle between two codes."""

import re

import ml_dtypes
import mlir_qdq
import numpy as np
import pytest
from float_values import edges, every
from native_machines import FORMATS, Machine, bits_of

from mlir.ir import Context, Module
from mlir.passmanager import PassManager
from mlir_qdq import reference, runtime

F8 = ("f8E4M3FN", "f8E5M2")
ALL = (*F8, "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
ENCODES = {"sm_89": F8, "sm_100a": ALL, "avx10.2": F8, "fp8": F8, "zvfofp8min": F8}
DECODES = ENCODES | {"sm_100a": (*ALL, "f8E8M0FNU")}
#: The targets whose instructions also do what overflows.
OVERFLOWS = ("avx10.2", "fp8")


def kernel(source: str, result: str, size: int, lanes: int, body: str) -> str:
    """A loop over vectors: `body` makes %r of %v."""
    return f"""
      func.func @main(%x: tensor<{size}x{source}>) -> tensor<{size}x{result}> {{
        %c0 = arith.constant 0 : index
        %size = arith.constant {size} : index
        %lanes = arith.constant {lanes} : index
        %one = arith.constant 1.0 : f32
        %pad = ub.poison : {source}
        %init = tensor.empty() : tensor<{size}x{result}>
        %y = scf.for %i = %c0 to %size step %lanes iter_args(%t = %init) -> tensor<{size}x{result}> {{
          %v = vector.transfer_read %x[%i], %pad {{in_bounds = [true]}} : tensor<{size}x{source}>, vector<{lanes}x{source}>
          {body}
          %u = vector.transfer_write %r, %t[%i] {{in_bounds = [true]}} : vector<{lanes}x{result}>, tensor<{size}x{result}>
          scf.yield %u : tensor<{size}x{result}>
        }}
        return %y : tensor<{size}x{result}>
      }}"""


def run_passes(text: str, passes: str) -> str:
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
        return str(module)


def native(text: str, target: str):
    """The text with instructions, compiled with their tables. No cast is left."""
    text = run_passes(text, f"lower-quant{{target-casts={target}}},canonicalize")
    assert not re.search(r"arith\.(extf|truncf) .*f[468]E", text), text
    return runtime.compile(Machine().run(text)).main


def whole(values: np.ndarray, lanes: int) -> np.ndarray:
    """A multiple of `lanes` values."""
    return np.resize(values, -(-values.size // lanes) * lanes)


def real_values(format: str) -> np.ndarray:
    rng = np.random.default_rng(12)
    anything = rng.integers(0, 2**32, 4000, np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        return np.concatenate(
            [every("f16").astype(np.float32), edges(format, np.float32), anything]
        )


def assert_codes(got: np.ndarray, expected: np.ndarray, x: np.ndarray) -> None:
    """Code by code; every NaN is one."""
    got_nan, expected_nan = (np.isnan(a.astype(np.float32)) for a in (got, expected))
    different = (got.view(np.uint8) != expected.view(np.uint8)) & ~(got_nan & expected_nan)
    at = np.flatnonzero(different)
    assert at.size == 0, f"{at.size}: {x[at[:5]]} gives {got[at[:5]]}, not {expected[at[:5]]}"


def to_bytes(format: str, shape: str = "{}") -> str:
    """%r is %q in bytes."""
    width = bits_of(format)
    codes, bytes = shape.format(f"i{width}"), shape.format("i8")
    widen = "arith.bitcast" if width == 8 else "arith.extui"
    return f"""
      %c = arith.bitcast %q : {shape.format(format)} to {codes}
      %r = {widen} %c : {codes} to {bytes}"""


def from_bytes(format: str, shape: str = "{}") -> str:
    """%q is %v, which is in bytes."""
    width = bits_of(format)
    codes, bytes = shape.format(f"i{width}"), shape.format("i8")
    narrow = "arith.bitcast" if width == 8 else "arith.trunci"
    return f"""
      %c = {narrow} %v : {bytes} to {codes}
      %q = arith.bitcast %c : {codes} to {shape.format(format)}"""


def quantize_body(format: str, lanes: int, overflow: str) -> str:
    return f"""
      %q = qdq.quantize %v scale %one semantics <float_overflow = {overflow}> : (vector<{lanes}xf32>, f32) -> vector<{lanes}x{format}>
      {to_bytes(format, f"vector<{lanes}x{{}}>")}"""


@pytest.mark.parametrize("lanes", [7, 40])
@pytest.mark.parametrize(
    ("target", "format"),
    [(target, format) for target, formats in ENCODES.items() for format in formats],
)
def test_quantize(target, format, lanes):
    x = whole(real_values(format) if lanes == 40 else edges(format, np.float32), lanes)
    main = native(
        kernel("f32", "i8", x.size, lanes, quantize_body(format, lanes, "saturate")), target
    )
    expected = reference.quantize(x, np.float32(1), storage=format)
    assert_codes(main(x).view(np.uint8).view(FORMATS[format]), expected, x)


@pytest.mark.parametrize("format", F8)
@pytest.mark.parametrize("target", OVERFLOWS)
def test_quantize_to_infinity(target, format):
    lanes = 32
    x = whole(real_values(format), lanes)
    main = native(kernel("f32", "i8", x.size, lanes, quantize_body(format, lanes, "ieee")), target)
    expected = reference.quantize(
        x, np.float32(1), storage=format, semantics={"float_overflow": "ieee"}
    )
    assert_codes(main(x).view(np.uint8).view(FORMATS[format]), expected, x)


@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize(
    ("target", "format"),
    [(target, format) for target in OVERFLOWS for format in F8]
    + [("sm_100a", "f4E2M1FN"), ("sm_100a", "f6E3M2FN")],
)
def test_truncf_of_every_value(target, format, source):
    """Casts of the user's own, without a clamp."""
    lanes, width, x = 32, bits_of(format), every(source)
    body = f"""
      %q = arith.truncf %v : vector<{lanes}x{source}> to vector<{lanes}x{format}>
      {to_bytes(format, f"vector<{lanes}x{{}}>")}"""
    main = native(kernel(source, "i8", x.size, lanes, body), target)
    with np.errstate(all="ignore"):
        x32 = x.astype(np.float32)
        expected = x32.astype(FORMATS[format])
        if width < 8:
            expected[np.isnan(x32)] = ml_dtypes.finfo(FORMATS[format]).max
    assert_codes(main(x).view(np.uint8).view(FORMATS[format]), expected, x)


@pytest.mark.parametrize(
    ("target", "format", "real"),
    [
        (target, format, real)
        for target, formats in DECODES.items()
        for format in formats
        for real in ("f16", "bf16", "f32")
        if (format, real) != ("f8E8M0FNU", "f16")  # beyond its range, and never emitted
    ],
)
def test_extf_of_every_code(target, format, real):
    lanes = 8
    codes = np.arange(2 ** bits_of(format), dtype=np.uint8)
    body = f"""
      {from_bytes(format, f"vector<{lanes}x{{}}>")}
      %r = arith.extf %q : vector<{lanes}x{format}> to vector<{lanes}x{real}>"""
    main = native(kernel("i8", real, codes.size, lanes, body), target)
    got = main(codes.view(np.int8)).astype(np.float32)
    expected = codes.view(FORMATS[format]).astype(np.float32)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(expected)[got == 0])


SCALES = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)


def by_scales(source: str, result: str, size: int, body: str) -> str:
    """A loop over elements and scales: `body` makes %r of %v and %s."""
    return f"""
      func.func @main(%x: tensor<{size}x{source}>, %s: tensor<256xf8E8M0FNU>) -> tensor<256x{size}x{result}> {{
        %init = tensor.empty() : tensor<256x{size}x{result}>
        %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}}
            ins(%x, %s : tensor<{size}x{source}>, tensor<256xf8E8M0FNU>) outs(%init : tensor<256x{size}x{result}>) {{
        ^bb0(%v: {source}, %scale: f8E8M0FNU, %b: {result}):
          {body}
          linalg.yield %r : {result}
        }} -> tensor<256x{size}x{result}>
        return %y : tensor<256x{size}x{result}>
      }}"""


def scaled(text: str):
    """The text with scaled casts, and with upstream's own expansion of them compiled: what the ops are defined as."""
    text = run_passes(text, "lower-quant{target-casts=gfx950},canonicalize")
    assert "arith.scaling_" in text
    return runtime.compile(text).main


@pytest.mark.parametrize("real", ["f32", "bf16", "f16"])
@pytest.mark.parametrize("format", ["f4E2M1FN", *F8])
def test_scaled_dequantize(format, real):
    """Exactly, then one rounding: what v_cvt_scalef32_pk_* compute from the exponent of the scale."""
    codes = np.arange(2 ** bits_of(format), dtype=np.uint8)
    main = scaled(
        by_scales("i8", real, codes.size, f"""
          {from_bytes(format)}
          %r = qdq.dequantize %q scale %scale : ({format}, f8E8M0FNU) -> {real}""")
    )  # fmt: skip
    with np.errstate(all="ignore"):
        exact = codes.view(FORMATS[format]).astype(np.float64) * SCALES.astype(np.float64)[:, None]
        dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}[real]
        # Of at most 4 bits, so that f32 is exact but for overflow, and loses nothing to the next rounding.
        expected = exact.astype(np.float32).astype(dtype).astype(np.float64)
    np.testing.assert_array_equal(main(codes.view(np.int8), SCALES).astype(np.float64), expected)


@pytest.mark.parametrize(
    ("format", "overflow"), [("f4E2M1FN", "saturate"), *((format, "ieee") for format in F8)]
)
def test_scaled_quantize(format, overflow):
    edge = edges(format, np.float32)
    with np.errstate(over="ignore"):
        x = np.concatenate([edge, np.ldexp(edge, 100), np.ldexp(edge, -120)])
    main = scaled(
        by_scales("f32", "i8", x.size, f"""
          %q = qdq.quantize %v scale %scale semantics <float_overflow = {overflow}> : (f32, f8E8M0FNU) -> {format}
          {to_bytes(format)}""")
    )  # fmt: skip
    with np.errstate(all="ignore"):
        # Exact: a power of two, in f64. One rounding, to the format.
        exact = x.astype(np.float64) / SCALES.astype(np.float64)[:, None]
        largest = float(ml_dtypes.finfo(FORMATS[format]).max)
        if overflow == "saturate":
            exact = np.where(np.isnan(exact), largest, np.clip(exact, -largest, largest))
        expected = exact.astype(np.float32).astype(FORMATS[format])
    got = main(x, SCALES).view(np.uint8).view(FORMATS[format])
    assert_codes(got.ravel(), expected.ravel(), np.broadcast_to(x, exact.shape).ravel())
