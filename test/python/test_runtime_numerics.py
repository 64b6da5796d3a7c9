# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code against the NumPy reference: every field of the semantics, and every f16."""

import itertools

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from kernels import EXPRESSED, ROUNDINGS, Kernel, check, same

from mlir_qdq import reference, runtime

INTEGERS = ("i2", "ui2", "ui3", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32")
FIELDS = {
    "rounding": ROUNDINGS,
    "order": ("round-then-add", "add-then-round"),
    "division": ("exact", "reciprocal"),
    "compute": EXPRESSED,
    "overflow": ("saturate", "wrap", "undefined"),
    "nan": ("lowest", "zero-point", "highest", "zero", "undefined"),
    "fusion": ("none", "fma"),
}


def zero_points_of(storage: str) -> list:
    """None, the storage, wider integers, floats."""
    wide = "ui32" if storage.startswith("ui") else "i32"
    return [None, storage, wide, "f32"]


def quantize_kernels(storage: str):
    """Each value of each field alone, with and without a zero point, then mixtures."""
    random = np.random.default_rng(INTEGERS.index(storage))
    kernels = []
    for name, values in FIELDS.items():
        for value in values:
            semantics = {name: value} | (
                {"division": "reciprocal", "order": "add-then-round"} if value == "fma" else {}
            )
            for zero_point in (None, storage) if name != "rounding" else (storage,):
                kernels.append(
                    Kernel(
                        "quantize", storage, "f32", "f32", (257,), zero_point, semantics=semantics
                    )
                )
    for _ in range(24):
        semantics = {
            name: str(random.choice(values))
            for name, values in FIELDS.items()
            if random.random() < 0.7
        }
        zero_point = zero_points_of(storage)[random.integers(4)]
        domain = "expressed" if zero_point == "f32" and random.random() < 0.5 else "stored"
        clamp = None
        if random.random() < 0.3:
            of = reference.storage_type(storage)
            clamp = (of.lowest + int(storage != "ui2"), of.highest - 1)
        kernels.append(
            Kernel(
                "quantize", storage, str(random.choice(EXPRESSED)), str(random.choice(EXPRESSED)), (131,),
                zero_point, clamp=clamp, domain=domain, semantics=semantics,
            )
        )  # fmt: skip
    return kernels


#: Each storage gets other kernels every day.
STEP = pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])


@STEP
@pytest.mark.parametrize("storage", INTEGERS)
def test_quantize(storage, step):
    check(quantize_kernels(storage)[INTEGERS.index(storage) % step :: step])


@STEP
@pytest.mark.parametrize("storage", INTEGERS)
def test_dequantize(storage, step):
    random = np.random.default_rng(INTEGERS.index(storage))
    kernels = []
    for subtract, zero_point in itertools.product(
        ("wide", "wrap32", "float"), zero_points_of(storage)
    ):
        for compute in EXPRESSED:
            kernels.append(
                Kernel(
                    "dequantize", storage, str(random.choice(EXPRESSED)), str(random.choice(EXPRESSED)), (261,),
                    zero_point, semantics={"subtract": subtract, "compute": compute},
                )
            )  # fmt: skip
    for fusion, compute in itertools.product(("none", "fma"), EXPRESSED):
        kernels.append(
            Kernel(
                "dequantize", storage, "f32", "f32", (261,), "f32", domain="expressed",
                semantics={"fusion": fusion, "compute": compute},
            )
        )  # fmt: skip
    check(kernels[INTEGERS.index(storage) % step :: step])


def test_quantize_integer_input():
    check([
        Kernel("quantize", storage, value, "f32", (257,), storage, semantics={"compute": compute})
        for storage, value, compute in itertools.product(("i8", "ui16"), ("i32",), EXPRESSED)
    ])  # fmt: skip


# --- granularity ---------------------------------------------------------------------


@st.composite
def kernels(draw):
    rank = draw(st.integers(0, 4))
    shape = tuple(
        draw(st.integers(0 if draw(st.integers(0, 5)) == 0 else 1, 7)) for _ in range(rank)
    )
    storage = draw(st.sampled_from(("i8", "ui8", "i4", "ui3", "i16")))
    axis, block_shape = None, None
    if rank and draw(st.booleans()):
        axis = draw(st.integers(-rank, rank - 1))
    elif rank:
        block_shape = tuple(draw(st.integers(0, 5)) for _ in range(rank))
    return Kernel(
        draw(st.sampled_from(("quantize", "dequantize"))),
        storage,
        draw(st.sampled_from(EXPRESSED)),
        draw(st.sampled_from(EXPRESSED)),
        shape,
        draw(st.sampled_from((None, storage, "f32"))),
        axis=axis,
        block_shape=block_shape,
        dynamic=draw(st.booleans()),
    )


@pytest.mark.parametrize("target", ["linalg", "vector"])
@hypothesis.settings(max_examples=6, deadline=None, derandomize=True, print_blob=False)
@hypothesis.given(batch=st.lists(kernels(), min_size=12, max_size=12), seed=st.integers(0, 99))
def test_shapes(target, batch, seed):
    """Ranks, empty tensors, axes, whole and short blocks; static and dynamic."""
    check(batch, seed, target=target)


# --- all f16 -------------------------------------------------------------------------

ALL_F16 = np.arange(65536, dtype=np.uint16).view(np.float16)
#: Storages with zero points at and off the middle.
CODES = {"i8": (0, -5), "ui8": (0, 128), "i16": (-300,), "ui16": (0, 40000), "i4": (0, 3)}
SCALES = (0.0999, 3.0)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_every_f16_quant(rounding):
    """quant.qcast, with parameters in the type."""
    cases = [(s, scale, z) for s, zs in CODES.items() for scale, z in itertools.product(SCALES, zs)]
    text = ""
    for index, (storage, scale, z) in enumerate(cases):
        result = f"tensor<65536x!quant.uniform<{storage.replace('ui', 'u')}:f16, {scale}:{z}>>"
        text += (
            f"func.func @f{index}(%x: tensor<65536xf16>) -> {result} {{\n"
            f"  %q = quant.qcast %x : tensor<65536xf16> to {result}\n  return %q : {result}\n}}\n"
        )
    compiled = runtime.compile(text, rounding=rounding)
    for index, (storage, scale, z) in enumerate(cases):
        zero_point = np.array(z, np.int32)
        expected = reference.quantize(
            ALL_F16, np.float16(scale), zero_point, storage=storage, profile="quant", semantics={"rounding": rounding}
        )  # fmt: skip
        assert same(compiled[f"f{index}"](ALL_F16), expected).all(), (storage, scale, z)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_every_f16_onnx(rounding):
    """onnx.QuantizeLinear, with parameters at run time."""
    text = ""
    for storage in CODES:
        text += (
            f"func.func @{storage}(%x: tensor<65536xf16>, %s: tensor<f16>, %z: tensor<{storage}>) -> tensor<65536x{storage}> {{\n"
            f'  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<65536xf16>, tensor<f16>, tensor<{storage}>) -> tensor<65536x{storage}>\n'
            f"  return %q : tensor<65536x{storage}>\n}}\n"
        )
    compiled = runtime.compile(text, rounding=rounding)
    for storage, zero_points in CODES.items():
        for scale, z in itertools.product(np.array([*SCALES, 6e-8], np.float16), zero_points):
            zero_point = np.array(z).astype(reference.storage_type(storage).dtype)
            expected = reference.quantize(
                ALL_F16, scale, zero_point, storage=storage, profile="onnx", semantics={"rounding": rounding}
            )  # fmt: skip
            assert same(compiled[storage](ALL_F16, scale, zero_point), expected).all(), (
                storage,
                scale,
                z,
            )
