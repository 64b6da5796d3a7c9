# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every target and option of form gives the reference's bits: loops, vectors, expanded math, both block forms."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from mlir.ir import Context, Module

import mlir_qdq
from mlir_qdq import reference, runtime

FORMS = [
    {"target": "linalg"},
    {},
    {"target": "vector", "vector_bits": 128},
    {"expand_math": True},
    {"block_form": "map"},
]
ROUNDINGS = [
    "nearest-even", "nearest-away", "nearest-up", "nearest-down", "toward-zero",
    "floor", "ceil", "away-from-zero", "to-odd", "stochastic",
]  # fmt: skip


def compile_text(text: str, **options):
    with Context() as ctx:
        mlir_qdq.register(ctx)
        return runtime.compile(Module.parse(text), **options)


def hard_values(shape) -> np.ndarray:
    """Random bit patterns between ties, bounds, infinities, NaN and subnormals."""
    random = np.random.default_rng(7)
    x = random.integers(0, 2**32, shape, np.uint32).view(np.float32)
    near = (random.integers(-600, 600, shape) / 4).astype(np.float32)
    x = np.where(random.random(shape) < 0.8, near, x)
    named = np.array(
        [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1e-45,
            0.49999997,
            -0.49999997,
            2.0**31,
            8388607.5,
            -0.3,
        ]
    )
    x.ravel()[: named.size] = named
    return x


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_quantize_forms(form):
    """Per tensor, per axis (either side), divisible and short blocks, with a loop remainder, under every rounding."""
    x = hard_values((6, 37))
    blocked = hard_values((5, 64))
    s0, s1 = np.float32([0.5, 0.3, 1, 2, 3, 7]), np.linspace(0.1, 4, 37).astype(np.float32)
    short, divided = np.full((6, 3), 0.25, np.float32), np.float32([[0.5, 3]] * 5)
    z = np.int8(-7)
    cases = {
        "tensor": ("6x37", "tensor<f32>", "", x, np.asarray(np.float32(0.5)), {}),
        "axis0": ("6x37", "tensor<6xf32>", "axis 0", x, s0, dict(axis=0)),
        "axis1": ("6x37", "tensor<37xf32>", "axis -1", x, s1, dict(axis=-1)),
        "short": (
            "6x37",
            "tensor<6x3xf32>",
            "block_shape [1, 16]",
            x,
            short,
            dict(block_shape=[1, 16]),
        ),
        "divided": (
            "5x64",
            "tensor<5x2xf32>",
            "block_shape [1, 32]",
            blocked,
            divided,
            dict(block_shape=[1, 32]),
        ),
    }
    functions, expected = [], {}
    for (name, (shape, scale, place, value, s, where)), rounding in itertools.product(
        cases.items(), ROUNDINGS
    ):
        function = f"{name}_{rounding.replace('-', '_')}"
        functions.append(
            f"func.func @{function}(%x: tensor<{shape}xf32>, %s: {scale}, %z: i8) -> tensor<{shape}xi8> {{\n"
            f"  %q = qdq.quantize %x scale %s zero_point %z {place} semantics <rounding = {rounding}>"
            f" : (tensor<{shape}xf32>, {scale}, i8) -> tensor<{shape}xi8>\n  return %q : tensor<{shape}xi8>\n}}"
        )
        with np.errstate(all="ignore"):
            codes = reference.quantize(
                value, s, z, storage="i8", semantics={"rounding": rounding}, seed=11, **where
            )
        expected[function] = (value, s, codes)
    compiled = compile_text("\n".join(functions), seed=11, **form)
    for function, (value, s, codes) in expected.items():
        np.testing.assert_array_equal(compiled[function](value, s, z), codes, function)


SEEDED = """
func.func @ranked(%x: tensor<?x37xf32>, %s: f32, %z: i8, %seed: i64) -> tensor<?x37xi8> {
  %q = qdq.quantize %x scale %s zero_point %z semantics <rounding = stochastic> seed %seed : (tensor<?x37xf32>, f32, i8, i64) -> tensor<?x37xi8>
  return %q : tensor<?x37xi8>
}
func.func @unranked(%x: tensor<?x37xf32>, %s: f32, %seed: i64) -> tensor<?x37xi8> {
  %u = tensor.cast %x : tensor<?x37xf32> to tensor<*xf32>
  %q = qdq.quantize %u scale %s semantics <rounding = stochastic> seed %seed : (tensor<*xf32>, f32, i64) -> tensor<*xi8>
  %r = tensor.cast %q : tensor<*xi8> to tensor<?x37xi8>
  return %r : tensor<?x37xi8>
}
func.func @vector(%x: tensor<1x8xf32>, %s: f32, %seed: i64) -> tensor<1x8xi8> {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %f : tensor<1x8xf32>, vector<1x8xf32>
  %q = qdq.quantize %v scale %s semantics <rounding = stochastic> seed %seed : (vector<1x8xf32>, f32, i64) -> vector<1x8xi8>
  %e = tensor.empty() : tensor<1x8xi8>
  %r = vector.transfer_write %q, %e[%c0, %c0] : vector<1x8xi8>, tensor<1x8xi8>
  return %r : tensor<1x8xi8>
}
"""


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_runtime_seed(form):
    """A seed as operand draws as the same number as attribute or option; the option does not reach such an op."""
    compiled = compile_text(SEEDED, seed=99, **form)
    x, s, z = hard_values((6, 37)), np.float32(0.3), np.int8(-7)
    stochastic = {"rounding": "stochastic"}
    for seed in (0, 1, -1, 2**63 - 1, -(2**63), 0x123456789ABCDEF):
        with np.errstate(all="ignore"):
            ranked = reference.quantize(x, s, z, storage="i8", semantics=stochastic, seed=seed)
            unranked = reference.quantize(x, s, storage="i8", semantics=stochastic, seed=seed)
            vector = reference.quantize(x[:1, :8], s, storage="i8", semantics=stochastic, seed=seed)
        np.testing.assert_array_equal(compiled.ranked(x, s, z, seed), ranked)
        np.testing.assert_array_equal(compiled.unranked(x, s, seed), unranked)
        np.testing.assert_array_equal(
            compiled.vector(np.ascontiguousarray(x[:1, :8]), s, seed), vector
        )


def test_stochastic_rounding_is_unbiased_over_seeds():
    """Each element rounds up as often as its fraction says, whatever the element: 3 sigma of 4096 draws is 0.024."""
    compiled = compile_text(SEEDED)
    x = np.tile(np.linspace(-2, 2, 37, dtype=np.float32), (3, 1))
    total = np.zeros(x.shape)
    for seed in range(4096):
        total += compiled.ranked(x, np.float32(1), np.int8(0), seed)
    error = np.abs(total / 4096 - x)
    assert error.max() < 0.04 and error.mean() < 0.01


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_dequantize_forms(form):
    random = np.random.default_rng(8)
    q = random.integers(-128, 128, (4, 70)).astype(np.int8)
    nibbles = random.integers(-8, 8, (4, 64)).astype(ml_dtypes.int4)
    s, z = (
        random.random((4, 3)).astype(np.float32),
        random.integers(-128, 128, (4, 3)).astype(np.int8),
    )
    s4 = random.random((4, 2)).astype(np.float16)
    compiled = compile_text(
        """
        func.func @short(%q: tensor<4x70xi8>, %s: tensor<4x3xf32>, %z: tensor<4x3xi8>) -> tensor<4x70xf32> {
          %x = qdq.dequantize %q scale %s zero_point %z block_shape [1, 32]
             : (tensor<4x70xi8>, tensor<4x3xf32>, tensor<4x3xi8>) -> tensor<4x70xf32>
          return %x : tensor<4x70xf32>
        }
        func.func @dynamic(%q: tensor<?x?xi4>, %s: tensor<?xf16>) -> tensor<?x?xf32> {
          %x = qdq.dequantize %q scale %s axis 0 : (tensor<?x?xi4>, tensor<?xf16>) -> tensor<?x?xf32>
          return %x : tensor<?x?xf32>
        }
        func.func @nibbles(%q: tensor<?x64xi4>, %s: tensor<?x2xf16>) -> tensor<?x64xbf16> {
          %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<?x64xi4>, tensor<?x2xf16>) -> tensor<?x64xbf16>
          return %x : tensor<?x64xbf16>
        }
        """,
        **form,
    )
    np.testing.assert_array_equal(
        compiled.dynamic(nibbles, s4[:, 0]),
        reference.dequantize(nibbles, s4[:, 0], axis=0, expressed=np.float32),
    )
    np.testing.assert_array_equal(
        compiled.short(q, s, z),
        reference.dequantize(q, s, z, block_shape=[1, 32], expressed=np.float32),
    )
    np.testing.assert_array_equal(
        compiled.nibbles(nibbles, s4),
        reference.dequantize(nibbles, s4, block_shape=[1, 32], expressed=ml_dtypes.bfloat16),
    )


RANGES = [
    np.zeros((3, 40)), np.full((3, 40), 2.5), np.full((3, 40), -2.5), np.linspace(-1, 3, 120).reshape(3, 40),
    np.where(np.arange(120).reshape(3, 40) % 7 == 0, np.nan, np.linspace(-5, 1, 120).reshape(3, 40)),
    np.full((3, 40), np.nan), np.full((3, 40), np.inf), np.full((3, 40), 1e-45), np.zeros((3, 0)),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["asymmetric", "symmetric", "ort"])
@pytest.mark.parametrize("storage", ["i8", "ui8", "i4", "ui16"])
def test_choose_params(mode, storage):
    """Per tensor, per axis, and in blocks with a short tail; dynamic shapes."""
    places = {
        "tensor": ("", "tensor<f32>", {}),
        "axis": ("axis 0", "tensor<?xf32>", dict(axis=0)),
        "block": ("block_shape [0, 16]", "tensor<1x?xf32>", dict(block_shape=[0, 16])),
    }
    functions = []
    for name, (place, scale, _) in places.items():
        zero = scale.replace("f32", storage)
        functions.append(
            f"func.func @{name}(%x: tensor<?x?xf32>) -> ({scale}, {zero}) {{\n"
            f"  %s, %z = qdq.choose_params %x mode <{mode}> {place} : (tensor<?x?xf32>) -> ({scale}, {zero})\n"
            f"  return %s, %z : {scale}, {zero}\n}}"
        )
    compiled = compile_text("\n".join(functions))
    for x, (name, (_, _, where)) in itertools.product(RANGES, places.items()):
        x = x.astype(np.float32)
        with np.errstate(all="ignore"):
            scale, zero = reference.choose_params(x, storage=storage, mode=mode, **where)
        actual_scale, actual_zero = compiled[name](x)
        np.testing.assert_array_equal(actual_scale, scale, f"{name} {x[:1, :3]}")
        np.testing.assert_array_equal(actual_zero, zero, f"{name} {x[:1, :3]}")
