# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stochastic rounding in compiled code: the same bits however the loop is shaped, and unbiased."""

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


def check_against_reference(compiled) -> None:
    for storage, value in itertools.product(STORAGES, ("f32", "f64")):
        x, scale = values(dtype_of(value)), dtype_of(value).type(0.7)
        expected = reference.quantize(
            x, scale, storage=storage, semantics={"rounding": "stochastic"}, seed=123456789123
        )
        got = compiled[f"{storage}_{value}"](x, scale)
        nan = np.isnan(x) & (storage in FLOAT_STORAGE)
        assert got[~nan].tobytes() == expected[~nan].tobytes(), (storage, value)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_same_bits_in_every_form(form):
    check_against_reference(runtime.compile(functions(), seed=123456789123, **form))


@pytest.mark.parametrize("sizes", [[4, 16], [1, 5], [6, 0]], ids=str)
def test_same_bits_when_tiled(sizes):
    """Lowered, then tiled by upstream: the position is that in the whole tensor."""
    tiling = f"""
      module attributes {{transform.with_named_sequence}} {{
        transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
          %ops = transform.structured.match ops{{["linalg.generic"]}} in %root : (!transform.any_op) -> !transform.any_op
          %tiled, %loops:{sum(map(bool, sizes))} = transform.structured.tile_using_for %ops tile_sizes {sizes}
            : (!transform.any_op) -> ({", ".join(["!transform.any_op"] * (1 + sum(map(bool, sizes))))})
          transform.yield
        }}
      }}"""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(functions())
        PassManager.parse("builtin.module(lower-quant{seed=123456789123})").run(module.operation)
        script = Module.parse(tiling)
        from mlir.dialects.transform import interpreter

        interpreter.apply_named_sequence(module, script.body.operations[0], script)
        assert "scf.for" in str(module) and "tensor.extract_slice" in str(module)
        compiled = runtime.compile(module)
    check_against_reference(compiled)


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
