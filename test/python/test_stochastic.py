# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stochastic rounding in compiled code: the same bits however the loop is shaped, and unbiased."""

import functools
import itertools

import numpy as np
import pytest
from kernels import dtype_of
from mlir.ir import Context, Module
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq import reference, runtime
from mlir_qdq.reference.types import FLOAT_STORAGE

STORAGES = ("i8", "ui4", "i32", "f8E4M3FN", "f8E5M2FNUZ", "f6E3M2FN", "f4E2M1FN", "bf16", "f16")
SHAPE = (6, 37)
FORMS = [
    {"target": "linalg"},
    {"target": "vector", "vector_bits": 128},
    {"target": "vector", "vector_bits": 512},
    {"expand_math": True},
]


def quantize_function(
    name: str, storage: str, value: str, shape, stochastic: str = "rounding = stochastic"
) -> str:
    x, q = (f"tensor<{'x'.join(map(str, shape))}x{element}>" for element in (value, storage))
    return (
        f"func.func @{name}(%x: {x}, %s: {value}) -> {q} {{\n"
        f"  %q = qdq.quantize %x scale %s semantics <{stochastic}> : ({x}, {value}) -> {q}\n"
        f"  return %q : {q}\n}}\n"
    )


def values(dtype) -> np.ndarray:
    random = np.random.default_rng(5)
    x = random.standard_normal(SHAPE) * 2.0 ** random.integers(-12, 10, SHAPE)
    x.ravel()[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-6]
    return x.astype(dtype)


def functions() -> str:
    return "".join(
        quantize_function(f"{storage}_{value}", storage, value, SHAPE)
        for storage, value in itertools.product(STORAGES, ("f32", "f64"))
    )


@functools.cache
def expected_of(storage: str, value: str):
    x, scale = values(dtype_of(value)), dtype_of(value).type(0.7)
    return x, scale, reference.quantize(
        x, scale, storage=storage, semantics={"rounding": "stochastic"}, seed=123456789123
    )  # fmt: skip


def check_against_reference(compiled) -> None:
    for storage, value in itertools.product(STORAGES, ("f32", "f64")):
        x, scale, expected = expected_of(storage, value)
        got = compiled[f"{storage}_{value}"](x, scale)
        nan = np.isnan(x) & (storage in FLOAT_STORAGE)
        assert got[~nan].tobytes() == expected[~nan].tobytes(), (storage, value)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_same_bits_in_every_form(form):
    check_against_reference(runtime.compile(functions(), seed=123456789123, **form))


SIZES = pytest.mark.parametrize("sizes", [[4, 16], [1, 5], [6, 0]], ids=str)


def tile(module: Module, op: str, sizes: list[int]) -> None:
    from mlir.dialects.transform import interpreter

    loops = sum(map(bool, sizes))
    script = Module.parse(f"""
      module attributes {{transform.with_named_sequence}} {{
        transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
          %ops = transform.structured.match ops{{["{op}"]}} in %root : (!transform.any_op) -> !transform.any_op
          %tiled, %loops:{loops} = transform.structured.tile_using_for %ops tile_sizes {sizes}
            : (!transform.any_op) -> ({", ".join(["!transform.any_op"] * (1 + loops))})
          transform.yield
        }}
      }}""")
    interpreter.apply_named_sequence(module, script.body.operations[0], script)
    assert "scf.for" in str(module) and "tensor.extract_slice" in str(module)


@SIZES
def test_same_bits_when_tiled(sizes):
    """Lowered, then tiled by upstream: the position is that in the whole tensor."""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(functions())
        PassManager.parse("builtin.module(lower-quant{seed=123456789123})").run(module.operation)
        tile(module, "linalg.generic", sizes)
        compiled = runtime.compile(module)
    check_against_reference(compiled)


@pytest.mark.every_value
@SIZES
@pytest.mark.parametrize("times", [1, 2])
def test_same_bits_when_tiled_first(sizes, times):
    """Tiled, then lowered: tiles know their position, and tiles of tiles."""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(functions())
        for _ in range(times):
            tile(module, "qdq.quantize", sizes)
            sizes = [min(size, 3) for size in sizes]
        compiled = runtime.compile(module, seed=123456789123)
    check_against_reference(compiled)


def check(module, x: np.ndarray) -> None:
    """Compares `f(x, scale)` with the reference on the whole."""
    scale = np.float32(0.7)
    expected = reference.quantize(
        x, scale, storage="i8", semantics={"rounding": "stochastic"}, seed=99
    )
    got = runtime.compile(module, seed=99).f(x, scale)
    np.testing.assert_array_equal(got, expected)


def test_same_bits_when_tiled_first_in_blocks():
    """Dimensions that are split into blocks count as they do in the whole."""
    x = values(np.dtype("f4"))[:, :32].copy()
    x[np.isnan(x)] = 0
    text = """
      func.func @f(%x: tensor<6x32xf32>, %one: f32) -> tensor<6x32xi8> {
        %empty = tensor.empty() : tensor<6x4xf32>
        %s = linalg.fill ins(%one : f32) outs(%empty : tensor<6x4xf32>) -> tensor<6x4xf32>
        %q = qdq.quantize %x scale %s block_shape [1, 8] semantics <rounding = stochastic>
          : (tensor<6x32xf32>, tensor<6x4xf32>) -> tensor<6x32xi8>
        return %q : tensor<6x32xi8>
      }"""
    check(text, x)
    for sizes in ([2, 16], [4, 4]):
        with Context() as ctx:
            mlir_qdq.register(ctx)
            module = Module.parse(text)
            tile(module, "qdq.quantize", sizes)
            check(module, x)


LOOPS = {
    "scalars": """
      func.func @f(%x: tensor<6x37xf32>, %s: f32) -> tensor<6x37xi8> {
        %q = tensor.generate {
        ^bb0(%i: index, %j: index):
          %v = tensor.extract %x[%i, %j] : tensor<6x37xf32>
          %c = qdq.quantize %v scale %s semantics <rounding = stochastic> at [%i, %j] of [6, 37]
            : (f32, f32, index, index) -> i8
          tensor.yield %c : i8
        } : tensor<6x37xi8>
        return %q : tensor<6x37xi8>
      }""",
    "vectors": """
      func.func @f(%x: tensor<6x37xf32>, %s: f32) -> tensor<6x37xi8> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c6 = arith.constant 6 : index
        %c37 = arith.constant 37 : index
        %zero = arith.constant 0.0 : f32
        %empty = tensor.empty() : tensor<6x37xi8>
        %rows = tensor.dim %x, %c0 : tensor<6x37xf32>
        %q = scf.for %i = %c0 to %c6 step %c2 iter_args(%outer = %empty) -> tensor<6x37xi8> {
          %row = scf.for %j = %c0 to %c37 step %c1 iter_args(%init = %outer) -> tensor<6x37xi8> {
            %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true, true]}
              : tensor<6x37xf32>, vector<2x1xf32>
            %c = qdq.quantize %v scale %s semantics <rounding = stochastic> at [%i, %j] of [%rows, 37]
              : (vector<2x1xf32>, f32, index, index, index) -> vector<2x1xi8>
            %next = vector.transfer_write %c, %init[%i, %j] {in_bounds = [true, true]}
              : vector<2x1xi8>, tensor<6x37xi8>
            scf.yield %next : tensor<6x37xi8>
          }
          scf.yield %row : tensor<6x37xi8>
        }
        return %q : tensor<6x37xi8>
      }""",
}


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS.keys())
def test_same_bits_in_loops(text):
    """A scalar or vector op in a loop says where its elements are."""
    x = values(np.dtype("f4"))
    x[np.isnan(x)] = 0
    check(text, x)


def test_same_bits_when_folded():
    """A constant part folds to the codes of the whole."""
    x = np.linspace(-40, 40, 24, dtype=np.float32).reshape(4, 6)
    expected = reference.quantize(
        x, np.float32(0.7), storage="i8", semantics={"rounding": "stochastic"}, seed=99
    )
    part = ", ".join(f"[{a!r}, {b!r}]" for a, b in x[1:3, 2:4].astype(float).tolist())
    text = f"""
      func.func @f() -> tensor<2x2xi8> {{
        %c1 = arith.constant 1 : index
        %s = arith.constant 0.7 : f32
        %x = arith.constant dense<[{part}]> : tensor<2x2xf32>
        %q = qdq.quantize %x scale %s semantics <rounding = stochastic, order = round-then-add, division = exact,
          compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
          at [%c1, 2] of [4, 6] {{seed = 99 : i64}} : (tensor<2x2xf32>, f32, index) -> tensor<2x2xi8>
        return %q : tensor<2x2xi8>
      }}"""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        assert "qdq.quantize" not in str(module)
        got = runtime.compile(module).f()
    np.testing.assert_array_equal(got, expected[1:3, 2:4])


SAMPLES = 1 << 16


@pytest.mark.parametrize("storage", STORAGES)
def test_is_unbiased(storage):
    """The mean of many roundings of one value is the value, within five standard errors; neighbours are not correlated."""
    compiled = {
        seed: runtime.compile(quantize_function("f", storage, "f32", (SAMPLES,)), seed=seed).f
        for seed in (0, 2**40 + 7)
    }
    unit = 1.0
    if storage in FLOAT_STORAGE:
        unit = 2.0 ** (1 - FLOAT_STORAGE[storage].precision)  # of values in [1, 2)
    sign = 1 if storage.startswith("ui") else -1
    for fraction, direction, (seed, function) in itertools.product(
        (0.03125, 0.3, 0.5, 0.9), (1, sign), compiled.items()
    ):
        value = np.float32(direction * (1 + fraction * unit))
        q = function(np.full(SAMPLES, value), np.float32(1)).astype(np.float64)
        steps = (np.abs(q) - 1) / unit
        assert set(np.unique(steps)) == {0, 1}
        p = (abs(float(value)) - 1) / unit
        deviation = np.sqrt(p * (1 - p))
        assert abs(steps.mean() - p) < 5 * deviation / np.sqrt(SAMPLES), (value, seed)
        centred = (steps - p) / deviation
        assert abs((centred[1:] * centred[:-1]).mean()) < 5 / np.sqrt(SAMPLES), (value, seed)
