# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir_qdq.reference: granularity, fields and profiles, errors, choose_params.

What the operations compute is in test_reference_integers.py and test_reference_floats.py.
"""

from __future__ import annotations

import math
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from mlir_qdq import reference


BF16 = ml_dtypes.bfloat16
INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("shape, block_shape", [
    ((4, 6), (1, 3)), ((4, 6), (2, 4)), ((5, 7), (0, 4)), ((5, 7), (3, 0)), ((3, 4, 5), (1, 2, 5)),
    ((3,), (8,)), ((0, 4), (2, 2)), ((3, 0), (0, 0)), ((), ()),
])  # fmt: skip
def test_blocks_share_parameters_by_index(shape, block_shape):
    parameter_shape = tuple(-(-d // b) if b else 1 for d, b in zip(shape, block_shape))
    random = np.random.default_rng(1)
    scale = random.uniform(0.5, 2, parameter_shape).astype(np.float32)
    zero_point = random.integers(-5, 5, parameter_shape).astype(np.int8)
    x = random.uniform(-100, 100, shape).astype(np.float32)
    q = reference.quantize(x, scale, zero_point, storage="i8", block_shape=block_shape)
    y = reference.dequantize(q, scale, zero_point, block_shape=block_shape)
    assert q.shape == y.shape == shape and isinstance(q, np.ndarray) and isinstance(y, np.ndarray)
    for index in np.ndindex(shape):
        group = tuple(i // b if b else 0 for i, b in zip(index, block_shape))
        assert q[index] == reference.quantize(
            x[index], scale[group], zero_point[group], storage="i8"
        )
        assert y[index] == reference.dequantize(q[index], scale[group], zero_point[group])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axis_is_the_block_of_one(axis):
    shape = (2, 3, 4)
    random = np.random.default_rng(2)
    scale = random.uniform(0.5, 2, shape[axis]).astype(np.float32)
    zero_point = random.integers(0, 9, shape[axis]).astype(np.uint8)
    x = random.uniform(-100, 100, shape).astype(np.float32)
    block_shape = tuple(int(k == axis % 3) for k in range(3))
    blocked = [n if b else 1 for n, b in zip(shape, block_shape)]
    np.testing.assert_array_equal(
        reference.quantize(x, scale, zero_point, storage="ui8", axis=axis),
        reference.quantize(
            x,
            scale.reshape(blocked),
            zero_point.reshape(blocked),
            storage="ui8",
            block_shape=block_shape,
        ),
    )


def test_one_zero_point_for_all_scales():
    x = np.ones((2, 3), np.float32)
    scale = np.array([0.5, 0.25], np.float32)
    np.testing.assert_array_equal(
        reference.quantize(x, scale, np.int8(3), storage="i8", axis=0), [[5, 5, 5], [7, 7, 7]]
    )


@pytest.mark.parametrize("arguments, message", [
    ({"scale": np.ones(3, np.float32)}, r"scale has shape \(3,\), expected \(\)"),
    ({"scale": np.ones(3, np.float32), "axis": 0}, r"shape \(3,\), expected \(4,\).*axis = 0"),
    ({"scale": np.ones(6, np.float32), "axis": 2}, r"axis = 2 is outside \[-2, 1\]"),
    ({"scale": np.ones((4, 2), np.float32), "block_shape": (1, 4, 1)}, "has 3 entries.* 2 dim"),
    ({"scale": np.ones((4, 3), np.float32), "block_shape": (1, 4)}, r"\(4, 3\), expected \(4, 2\)"),
    ({"scale": np.ones((4, 2), np.float32), "block_shape": (1, -4)}, "negative"),
    ({"scale": np.ones(4, np.float32), "axis": 0, "block_shape": (1, 0)}, "exclude"),
    ({"scale": np.ones(4), "axis": 0, "zero_point": np.zeros(5, np.int8)}, r"zero point has shape \(5,\)"),
    ({"scale": np.int8(1)}, "scale has dtype int8"),
    ({"zero_point": np.int64(2**40)}, "does not fit 32 bits"),
    ({"storage": "i33"}, "i33"),
    ({"storage": "f8E9M9"}, "f8E9M9"),
    ({"storage": "f4E2M1FN", "clamp": (0, 1)}, "narrows integer storage"),
    ({"clamp": (-200, 7)}, r"\[-200, 7\].*\[-128, 127\]"),
    ({"x": np.ones((4, 6), np.int64)}, "int64"),
    ({"zero_point_domain": "elsewhere"}, "elsewhere"),
    ({"semantics": {"rounding": "nearest"}}, "nearest-even, nearest-away"),
    ({"semantics": {"round": "floor"}}, "round"),
    ({"semantics": "#qdq.semantic<rounding = floor>"}, "is not a"),
    ({"profile": "tensorrt"}, "unknown profile 'tensorrt'"),
])  # fmt: skip
def test_errors_name_the_numbers(arguments, message):
    arguments = {
        "x": np.ones((4, 6), np.float32),
        "scale": np.float32(1),
        "storage": "i8",
    } | arguments
    with pytest.raises(ValueError, match=message):
        reference.quantize(**arguments)


def test_codes_must_fit_their_storage():
    with pytest.raises(ValueError, match=r"codes -5 to 3 do not fit storage si3"):
        reference.dequantize(np.array([-5, 3], np.int8), 1.0, storage="i3")
    with pytest.raises(ValueError, match="float32"):
        reference.dequantize(np.ones(2, np.float32), 1.0)
    with pytest.raises(ValueError, match="float8_e4m3fn"):
        reference.dequantize(np.ones(2, np.uint8), 1.0, storage="f8E4M3FN")
    assert reference.dequantize(np.array([-4, 3], np.int8), 1.0, storage="i3").tolist() == [-4, 3]


@pytest.mark.parametrize("storage, dtype", [
    ("i8", np.int8), ("si8", np.int8), ("ui8", np.uint8), ("i4", ml_dtypes.int4),
    ("ui2", ml_dtypes.uint2),
    ("i3", np.int8), ("ui5", np.uint8), ("i12", np.int16), ("ui31", np.uint32), ("i32", np.int32),
    (ml_dtypes.uint4, ml_dtypes.uint4), (np.int16, np.int16), ("bf16", BF16), ("f16", np.float16),
    (ml_dtypes.float6_e3m2fn, ml_dtypes.float6_e3m2fn),
])  # fmt: skip
def test_result_dtype(storage, dtype):
    q = reference.quantize(np.float32([1, 0]), 1.0, storage=storage)
    assert q.dtype == dtype and q.astype(np.float32).tolist() == [1, 0]


def test_semantics_from_text_mapping_and_attribute():
    class Attribute:
        def __str__(self):
            return "#qdq.semantics<rounding = floor, float_overflow = ieee>"

    expected = reference.Semantics(rounding="floor", float_overflow="ieee")
    of = reference.Semantics.of
    assert of(Attribute()) == of("#qdq.semantics<rounding=floor,float-overflow=ieee>") == expected
    assert of({"rounding": "floor", "float-overflow": "ieee"}) == of(expected) == expected
    assert (
        of("#qdq.semantics<>")
        == of("#qdq.semantics")
        == of({})
        == of(None)
        == reference.Semantics()
    )
    assert of({"order": "add_then_round"}).order == "add-then-round"


# The columns of the profile table of the design, in the words of the table's fields.
PROFILE_TABLE = """
onnx             round-then-add nearest-even exact      auto      auto      wide   saturate  lowest    none
ort              round-then-add nearest-even exact      f32       f32       wrap32 saturate  lowest    none
quant            add-then-round nearest-even exact      expressed expressed float  saturate  lowest    none
mlir22           add-then-round toward-zero  exact      expressed expressed float  undefined undefined none
stablehlo        add-then-round nearest-even exact      f32       f32       wrap32 saturate  lowest    none
onednn           add-then-round nearest-even reciprocal f32       f32       float  saturate  lowest    none
quark            round-then-add nearest-even exact      f32       f32       wide   saturate  lowest    none
pmx              add-then-round nearest-even exact      scale     scale     wide   wrap      lowest    none
torch            add-then-round nearest-even reciprocal f32       f32       wrap32 saturate  highest   fma
torch-decomposed round-then-add nearest-even reciprocal f32       wide-expressed output saturate zero   none
tflite           round-then-add nearest-away exact      f32       f32       wide   saturate  lowest    none
xnnpack          round-then-add nearest-even reciprocal f32       f32       wide   saturate  highest   none
"""


def test_profile_table():
    rows = [line.split() for line in PROFILE_TABLE.split("\n") if line]
    assert [row[0] for row in rows] == list(reference.PROFILES)
    for name, *row in rows:
        profile = reference.PROFILES[name]
        s = profile.semantics
        computed = [profile.quantize_compute, profile.dequantize_compute]
        assert [
            s.order,
            s.rounding,
            s.division,
            *computed,
            s.subtract,
            s.overflow,
            s.nan,
            s.fusion,
        ] == row


def test_profiles_differ_where_the_systems_do():
    x = np.float32([2.5, 0.5, NAN, 300])
    codes = {
        name: reference.quantize(x, 1.0, np.int8(1), storage="i8", profile=name).tolist()
        for name in reference.PROFILES
    }
    assert codes["onnx"] == codes["ort"] == codes["quark"] == [3, 1, -128, 127]
    assert codes["quant"] == codes["stablehlo"] == codes["onednn"] == [4, 2, -128, 127]
    assert codes["mlir22"][:2] == [3, 1]
    assert codes["torch"] == [4, 2, 127, 127]
    assert codes["torch-decomposed"] == [3, 1, 0, 127]
    assert codes["tflite"] == [4, 2, -128, 127]
    assert codes["xnnpack"] == [3, 1, 127, 127]
    assert codes["pmx"][3] == 45  # 301 modulo 256


def test_reciprocal_and_fused_multiply_show():
    """On x near ties of f32, each profile is the plain NumPy expression of its row."""
    random = np.random.default_rng(3)
    x = (random.integers(-400, 400, 20_000) / 2).astype(np.float32) * np.float32(0.07)
    s, k = np.float32(0.07), np.float32(1) / np.float32(0.07)
    two = np.clip(np.rint(x * k + np.float32(3)), -128, 127)
    one = np.clip(np.rint((x.astype(np.float64) * k + 3).astype(np.float32)), -128, 127)
    onednn = reference.quantize(x, s, np.int8(3), storage="i8", profile="onednn")
    torch = reference.quantize(x, s, np.int8(3), storage="i8", profile="torch")
    np.testing.assert_array_equal(onednn, two)
    np.testing.assert_array_equal(torch, one)
    assert (two != one).any() and (
        onednn != reference.quantize(x, s, np.int8(3), storage="i8", profile="quant")
    ).any()


def test_explicit_fields_go_on_top_of_a_profile():
    x = np.float32([2.7, -2.7])
    q = reference.quantize(
        x, 1.0, np.int8(1), storage="i8", profile="quant", semantics={"rounding": "floor"}
    )
    assert q.tolist() == [3, -2]
    # `precision` of ONNX: 1000.4 / 1 in f16 is 1000.5.
    x = np.float32([1000.4])
    up = {"rounding": "nearest-away"}
    assert reference.quantize(x, np.float32(1), storage="i16", profile="onnx", semantics=up) == 1000
    assert (
        reference.quantize(
            x, np.float32(1), storage="i16", profile="onnx", semantics=up | {"compute": "f16"}
        )
        == 1001
    )


def test_compute_auto():
    x = np.float32([1000.4])
    up = {"rounding": "nearest-away"}
    assert reference.quantize(x, np.float16(1), storage="i16", semantics=up) == 1001  # of the scale
    assert (
        reference.quantize(np.float16(x), np.float32(1), storage="i16", semantics=up) == 1001
    )  # already in x
    assert (
        reference.quantize(x, ml_dtypes.float8_e8m0fnu(1), storage="i16", semantics=up) == 1000
    )  # of x
    # dequantize: f32 unless the scale or the result is f64.
    q = np.int32([2**24 + 1])
    assert reference.dequantize(q, np.float32(1)) == 2**24
    assert reference.dequantize(q, np.float32(1), expressed="f64") == 2**24 + 1
    assert reference.dequantize(q, np.float16(1), expressed=np.float16) == np.inf
    assert reference.dequantize(q, np.float32(1), expressed="f64", profile="ort") == 2**24


def test_choose_params_of_a_range():
    scale, zero_point = reference.choose_params(np.float32([-1, 0, 3, NAN]), storage="ui8")
    assert (
        scale == np.float32(4) / np.float32(255) and scale.dtype == np.float32 and scale.shape == ()
    )
    assert zero_point == 64 and zero_point.dtype == np.uint8
    scale, zero_point = reference.choose_params(
        np.float32([-1, 0, 3]), storage="i8", mode="symmetric"
    )
    assert scale == np.float32(3) / np.float32(127) and zero_point == 0
    scale, zero_point = reference.choose_params(
        np.float32([-1, 3]), storage="ui4", mode="symmetric"
    )
    assert scale == np.float32(3) / np.float32(7) and zero_point == 8


@pytest.mark.parametrize("mode", ["asymmetric", "symmetric"])
@pytest.mark.parametrize(
    "x", [[], [0.0], [-0.0, 0.0], [NAN], [5.0, 5.0], [-5.0], [INF], [-INF, INF]]
)
def test_choose_params_is_safe(x, mode):
    scale, zero_point = reference.choose_params(np.array(x, np.float32), storage="i8", mode=mode)
    assert scale > 0 and -128 <= zero_point <= 127
    if not np.any(np.nan_to_num(x)):
        assert scale == 1 and zero_point == (-128 if mode == "asymmetric" else 0)


@pytest.mark.parametrize("options", [
    {"axis": 0}, {"axis": -1}, {"block_shape": (2, 3)}, {"block_shape": (0, 4)},
    {"block_shape": (1, 0)},
])  # fmt: skip
def test_choose_params_groups(options):
    x = np.random.default_rng(4).normal(size=(5, 7)).astype(np.float32)
    x[1, 2] = np.nan
    scale, zero_point = reference.choose_params(x, storage="i8", **options)
    rows = options.get("block_shape", (1, 0) if options.get("axis") == 0 else (0, 1))
    rows = [b or d for b, d in zip(rows, x.shape)]
    for index in np.ndindex(-(-5 // rows[0]), -(-7 // rows[1])):
        part = x[tuple(slice(i * b, (i + 1) * b) for i, b in zip(index, rows))]
        one_scale, one_zero = reference.choose_params(part, storage="i8")
        flat = index if "block_shape" in options else (max(index),)
        assert scale[flat] == one_scale and zero_point[flat] == one_zero
    q = reference.quantize(np.nan_to_num(x), scale, zero_point, storage="i8", **options)
    y = reference.dequantize(q, scale, zero_point, **options)
    assert np.abs(y - np.nan_to_num(x)).max() <= scale.max() * 1.001


def test_choose_params_rounds_the_scale_before_the_zero_point():
    x = np.float32([-1.1, 2.3])
    scale, zero_point = reference.choose_params(x, storage="i16", scale_type="bf16")
    expected = np.float32((x[1] - x[0]) / np.float32(65535)).astype(BF16)
    assert scale == expected and scale.dtype == BF16
    assert zero_point == np.rint(np.float32(-32768) - x[0] / np.float32(expected))
    # In bf16 altogether only where that is asked for.
    scale, _ = reference.choose_params(
        x, storage="i8", scale_type="bf16", semantics={"compute": "bf16"}
    )
    lo, hi = x.astype(BF16)
    assert scale == (hi - lo) / BF16(255)
    scale, _ = reference.choose_params(x.astype(np.float64), storage="i8", scale_type="f64")
    assert scale == (np.float64(x[1]) - np.float64(x[0])) / 255
    # A scale that vanishes in its type is 1.
    scale, _ = reference.choose_params(np.float32([1e-6]), storage="i16", scale_type="f16")
    assert scale == 1
    with pytest.raises(ValueError, match="f8E4M3FN"):
        reference.choose_params(x, storage="f8E4M3FN")


def test_import_needs_neither_mlir_nor_compiled_code():
    program = (
        "import sys; sys.modules['mlir'] = None; import mlir_qdq.reference as r; "
        "assert not [m for m in sys.modules if m.startswith('mlir_qdq._mlir_libs')]; "
        "print(r.quantize(2.5, 1.0, storage='i8'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and done.stdout.strip() == "2", done.stderr


def test_empty_and_rank_zero():
    for shape in ((0,), (0, 3), (2, 0)):
        q = reference.quantize(
            np.zeros(shape, np.float32), 1.0, storage="i4", semantics={"rounding": "stochastic"}
        )
        assert q.shape == shape and reference.dequantize(q, 1.0).shape == shape
        assert (
            reference.quantize(np.zeros(shape), np.ones(shape[0]), storage="i4", axis=0).shape
            == shape
        )
    assert reference.quantize(np.float32(3), np.float32([2]), storage="i8").shape == ()


def test_a_million_elements_is_quick():
    x = np.random.default_rng(5).normal(size=(1024, 1024)).astype(np.float32)
    q = reference.quantize(x, np.float32(0.02), np.int8(3), storage="i8")
    expected = np.clip(np.rint(x / np.float32(0.02)) + 3, -128, 127)
    np.testing.assert_array_equal(q, expected)
