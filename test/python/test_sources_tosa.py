# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA's ops, compiled, against upstream's own lowering of them, and against a NumPy statement of TOSA's formulas.

apply_scale: `(value * multiplier + round) >> shift` with `round = 2^(shift - 1)`; with a double rounding and a shift beyond 31,
2^30 more where the value is not negative and 2^30 less where it is. Products and sums are Python integers.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mlir import ir
from mlir.passmanager import PassManager

from mlir_qdq import runtime

UPSTREAM = "builtin.module(func.func(tosa-to-linalg), func.func(tosa-to-arith{include-apply-rescale=true}))"
DATA = Path(__file__).parent / "data"
DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "ui8": np.uint8, "ui16": np.uint16}


def module(text: str, passes: str | None = None):
    context = ir.Context()
    with context:
        made = ir.Module.parse(text)
        if passes:
            PassManager.parse(passes).run(made.operation)
        return made


def apply_scale(value: int, multiplier: int, shift: int, is_double: bool) -> int:
    around = 1 << (shift - 1)
    if is_double and shift > 31:
        around += 1 << 30 if value >= 0 else -(1 << 30)
    return (value * multiplier + around) >> shift


def constant(name: str, values, element: str) -> str:
    values = ", ".join(map(str, np.ravel(values)))
    shape = f"tensor<{values.count(',') + 1}x{element}>"
    return f'%{name} = "tosa.const"() <{{values = dense<[{values}]> : {shape}}}> : () -> {shape}'


def rescale(form, shape, multipliers, shifts, input_zp, output_zp, mode, per_channel) -> str:
    source, result = form
    storage = [element.lstrip("u") for element in form]
    wide = "i32" if mode != "SCALE16" else "i16"
    count = len(multipliers)
    x = f"tensor<{'x'.join(map(str, shape))}x{storage[0]}>"
    y = f"tensor<{'x'.join(map(str, shape))}x{storage[1]}>"
    types = ", ".join(
        [x, f"tensor<{count}x{wide}>", f"tensor<{count}xi8>", f"tensor<1x{storage[0]}>", f"tensor<1x{storage[1]}>"]
    )  # fmt: skip
    words = dict(
        scale32=mode != "SCALE16", rounding_mode="DOUBLE_ROUND" if mode == "DOUBLE" else "SINGLE_ROUND",
        per_channel=per_channel, input_unsigned=source[0] == "u", output_unsigned=result[0] == "u",
    )  # fmt: skip
    attributes = ", ".join(
        f"{k} = {str(v).lower() if isinstance(v, bool) else v}" for k, v in words.items()
    )
    return f"""
func.func @f(%x: {x}) -> {y} {{
  {constant("m", multipliers, wide)}
  {constant("t", shifts, "i8")}
  {constant("zi", [input_zp], storage[0])}
  {constant("zo", [output_zp], storage[1])}
  %y = tosa.rescale %x, %m, %t, %zi, %zo {{{attributes}}} : ({types}) -> {y}
  return %y : {y}
}}"""


FORMS = [
    ("i32", "i8"), ("i32", "i16"), ("i32", "i32"), ("i16", "i8"), ("i16", "i16"), ("i16", "i32"), ("i8", "i8"), ("i8", "i16"),
    ("i8", "i32"), ("ui8", "i8"), ("i8", "ui8"), ("i16", "ui8"), ("ui8", "i16"),
]  # fmt: skip


@pytest.mark.every_pair
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("mode", ["SINGLE", "DOUBLE", "SCALE16"])
@pytest.mark.parametrize(
    "form",
    [
        pytest.param(
            form,
            marks=pytest.mark.proves(
                "TOSA", "rescale", granularity="tensor,axis", storage=form[1],
                against="upstream's tosa-to-linalg and tosa-to-arith, compiled; NumPy statement of the specification",
            ),
            id="-".join(form),
        )
        for form in FORMS
    ],
)  # fmt: skip
def test_rescale(form, mode, per_channel):
    source, result = form
    random = np.random.default_rng(len(source) * 7 + len(mode) + per_channel)
    count = 5 if per_channel else 1
    bits = np.iinfo(DTYPES[source])
    if source == "i32":
        # Ties of powers of two, and what TOSA defines: products of less than 2^31 after the shift.
        x = np.concatenate([random.integers(-(2**30), 2**30, 800), np.arange(-400, 400) * 2**21])
    else:
        x = np.linspace(bits.min, bits.max, 1600, dtype=np.int64)
    x = x.reshape(320, 5).astype(DTYPES[source])
    has_zero = [element.endswith("8") or element == "ui16" for element in form]
    input_zp, output_zp = (int(z) if has else 0 for z, has in zip((-7, 9), has_zero))
    if source == "ui8":
        input_zp = 131
    if result == "ui8":
        output_zp = 128 + 9
    low, high = (2**14, 2**15) if mode == "SCALE16" else (2**30, 2**31)
    multipliers = random.integers(low, high, count)
    multipliers[0] = low  # a power of two: ties
    first = 15 if mode == "SCALE16" else 31
    growth = {"i32": 22, "i16": 6, "i8": -4, "ui8": -4}[source] - {
        "i8": 0,
        "ui8": 0,
        "i16": 8,
        "i32": 20,
    }[result]
    span = 3 if source.endswith("i8") else 6
    shifts = np.clip(random.integers(first, first + span, count) + max(growth, 0), 2, 62)
    text = rescale(form, x.shape, multipliers, shifts, input_zp, output_zp, mode, per_channel)

    bounds = np.iinfo(DTYPES[result])
    expected = np.array([
        [
            min(max(apply_scale(int(v) - input_zp, int(multipliers[c % count]), int(shifts[c % count]), mode == "DOUBLE") + output_zp,
                    int(bounds.min)), int(bounds.max))
            for c, v in enumerate(row)
        ]
        for row in x
    ], dtype=np.int64)  # fmt: skip
    ours = runtime.compile(module(text)).f(signless(x)).view(DTYPES[result])
    np.testing.assert_array_equal(ours.astype(np.int64), expected)
    theirs = runtime.compile(module(text, UPSTREAM)).f(signless(x)).view(DTYPES[result])
    np.testing.assert_array_equal(ours, theirs)
    assert len(np.unique(ours)) > 8


def signless(x: np.ndarray) -> np.ndarray:
    return x.view(f"i{x.itemsize}")


@pytest.mark.proves(
    "TOSA", "rescale of 48 bits", granularity="tensor", storage="i8,i16,i32", against="NumPy statement of the specification",
)  # fmt: skip
@pytest.mark.parametrize("result", ["i8", "i16", "i32"])
def test_rescale_48(result):
    """Codes of 48 bits as sums of those of 32, which the boundary has."""
    text = f"""
func.func @f(%a: tensor<64xi32>, %b: tensor<64xi32>) -> tensor<64x{result}> {{
  %sixteen = arith.constant dense<16> : tensor<64xi48>
  %0 = arith.extsi %a : tensor<64xi32> to tensor<64xi48>
  %1 = arith.extui %b : tensor<64xi32> to tensor<64xi48>
  %2 = arith.shli %0, %sixteen : tensor<64xi48>
  %x = arith.addi %2, %1 : tensor<64xi48>
  {constant("m", [29491], "i16")}
  {constant("t", [30], "i8")}
  {constant("zi", [0], "i48")}
  {constant("zo", [0], result)}
  %y = tosa.rescale %x, %m, %t, %zi, %zo {{scale32 = false, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}}
    : (tensor<64xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1x{result}>) -> tensor<64x{result}>
  return %y : tensor<64x{result}>
}}"""
    random = np.random.default_rng(0)
    a = (random.integers(-(2**31), 2**31, 64) >> random.integers(0, 24, 64)).astype(np.int32)
    b = random.integers(0, 2**16, 64).astype(np.int32)
    bounds = np.iinfo(DTYPES[result])
    expected = [
        min(max(apply_scale((int(u) << 16) + int(v), 29491, 30, False), int(bounds.min)), int(bounds.max))
        for u, v in zip(a, b)
    ]  # fmt: skip
    np.testing.assert_array_equal(runtime.compile(module(text)).f(a, b), expected)


BLOCKS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}  # fmt: skip


@pytest.mark.parametrize("storage", [
    pytest.param(s, marks=pytest.mark.proves(
        "TOSA", "cast_from_block_scaled", granularity="block", storage=s, against="NumPy statement with ml_dtypes")) for s in BLOCKS
])  # fmt: skip
@pytest.mark.parametrize("result", ["f32", "bf16"])
def test_cast_from_block_scaled(storage, result):
    text = f"""
func.func @f(%x: tensor<16x64x{storage}>, %s: tensor<16x2xf8E8M0FNU>) -> tensor<16x64x{result}> {{
  %y = tosa.cast_from_block_scaled %x, %s {{block_size = #tosa.block_size<BLOCK_SIZE_32>}}
    : (tensor<16x64x{storage}>, tensor<16x2xf8E8M0FNU>) -> tensor<16x64x{result}>
  return %y : tensor<16x64x{result}>
}}"""
    random = np.random.default_rng(1)
    bits = ml_dtypes.finfo(BLOCKS[storage]).bits
    x = random.integers(0, 2**bits, (16, 64)).astype(np.uint8).view(BLOCKS[storage])
    s = random.integers(90, 160, (16, 2)).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
    dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}[result]
    product = x.astype(np.float32) * np.repeat(s.astype(np.float32), 32, axis=1)
    ours = runtime.compile(module(text)).f(x, s)
    np.testing.assert_array_equal(ours.astype(np.float32), product.astype(dtype).astype(np.float32))


RECORDED = np.load(DATA / "tosa" / "blocks.npz")
"""By tools/record-vectors/tosa_blocks.py, from TOSA's reference model."""


def same_reals(ours, theirs):
    """The same f32, with the signs of zeros; any NaN for a NaN."""
    ours, theirs = np.asarray(ours, np.float32), np.asarray(theirs, np.float32)
    np.testing.assert_array_equal(ours, theirs)
    known = ~np.isnan(theirs)
    np.testing.assert_array_equal(np.signbit(ours)[known], np.signbit(theirs)[known])


@pytest.mark.every_pair
@pytest.mark.parametrize("storage", [
    pytest.param(s, marks=pytest.mark.proves(
        "TOSA", "cast_to_block_scaled", granularity="block", storage=s, against="TOSA's reference model")) for s in BLOCKS
])  # fmt: skip
@pytest.mark.parametrize("expressed", ["f32", "bf16"])
@pytest.mark.parametrize("shape", ["32x64", "?x?"])
def test_cast_to_block_scaled(storage, expressed, shape):
    data, scales = f"tensor<{shape}x{storage}>", f"tensor<{shape.replace('64', '2')}xf8E8M0FNU>"
    text = f"""
func.func @f(%x: tensor<{shape}x{expressed}>) -> ({data}, {scales}) {{
  %y, %s = tosa.cast_to_block_scaled %x {{block_size = #tosa.block_size<BLOCK_SIZE_32>}}
    : (tensor<{shape}x{expressed}>) -> ({data}, {scales})
  return %y, %s : {data}, {scales}
}}"""
    dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}[expressed]
    y, s = runtime.compile(module(text)).f(RECORDED["x"].astype(dtype))
    same_reals(s.astype(np.float32), RECORDED[f"{storage}.{expressed}.scale"])
    with np.errstate(over="ignore"):
        value = y.astype(np.float32) * np.repeat(s.astype(np.float32), 32, axis=1)
    same_reals(value, RECORDED[f"{storage}.{expressed}.value"])


@pytest.mark.every_value
@pytest.mark.parametrize("storage", [
    pytest.param(s, marks=pytest.mark.proves(
        "TOSA", "matmul_t_block_scaled", granularity="block", storage=s, against="TOSA's reference model")) for s in BLOCKS
])  # fmt: skip
@pytest.mark.parametrize("batches", [3, 1])
def test_matmul_t_block_scaled(storage, batches):
    """Sums that are exact; one matrix b for all of a, too."""
    a, b = (f"tensor<{n}x64xf32>" for n in ("?x5", f"{batches}x?"))
    codes = [t.replace("f32", storage) for t in (a, b)]
    scales = [t.replace("64xf32", "2xf8E8M0FNU") for t in (a, b)]
    block = "{block_size = #tosa.block_size<BLOCK_SIZE_32>}"
    text = f"""
func.func @f(%a: {a}, %b: {b}) -> tensor<?x5x?xf32> {{
  %p, %s = tosa.cast_to_block_scaled %a {block} : ({a}) -> ({codes[0]}, {scales[0]})
  %q, %t = tosa.cast_to_block_scaled %b {block} : ({b}) -> ({codes[1]}, {scales[1]})
  %y = tosa.matmul_t_block_scaled %p, %s, %q, %t {block}
    : ({codes[0]}, {scales[0]}, {codes[1]}, {scales[1]}) -> tensor<?x5x?xf32>
  return %y : tensor<?x5x?xf32>
}}"""
    ours = runtime.compile(module(text)).f(RECORDED["a"], RECORDED["b"][:batches])
    same_reals(ours, RECORDED[f"{storage}.product{batches}"])
