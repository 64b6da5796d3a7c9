# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Codes packed along any axis, of rows that end inside a unit, and of nothing: `onnx` bits in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from build_tree import run_tool
from test_short_blocks import blocks_of
from test_sub_byte import random_codes, random_reals, tensor

from mlir_qdq import reference, runtime

#: Shapes and the axis of the bits.
SHAPES = [
    # The rows of several matrices end inside a unit.
    ((2, 3, 31), 2),
    ((7, 1, 3, 59), 3),
    ((33,), 0),
    # Nothing, in the axis and beside it.
    ((3, 6, 0), 0),
    ((0, 0, 27), 2),
    ((4, 0), 1),
    ((0, 7), 0),
]
#: Shapes, their blocks, and the axis of the bits.
BLOCKS = [
    # A tile of rows that are packed together lies in one block of columns.
    ((128, 96), (1, 64), 0),
    ((30, 70), (1, 32), 0),
    ((12, 33, 6), (5, 7, 1), 1),
    ((40, 9), (16, 0), 0),
]
STORAGES = ["ui4", "f6E2M3FN"]
#: Rows of codes that begin inside a byte, or may: many, one, and nothing.
RAGGED = [
    (256, 1001),
    (300, 23),
    (4099, 3),
    (2, 5001),
    (9001, 1),
    (3, 5),
    (1, 9000),
    (23, 4, 57),
    (13, 0),
    (0, 9),
]


def onnx_bytes(codes: np.ndarray, bits: int, axis: int) -> np.ndarray:
    """A byte begins with its lowest bit; the last one of a row is filled with zeros."""
    field = np.moveaxis(codes.view(np.uint8), axis, -1)
    stream = (field[..., None] >> np.arange(bits) & 1).astype(np.uint8)
    stream = stream.reshape(*field.shape[:-1], field.shape[-1] * bits)
    packed = np.packbits(stream, axis=-1, bitorder="little")
    return np.ascontiguousarray(np.moveaxis(packed, -1, axis))


def check(calls: dict, **options) -> None:
    text = "".join(text for text, _, _ in calls.values())
    compiled = runtime.compile(text, **options)
    for name, (_, arguments, expected) in calls.items():
        got = np.asarray(compiled[name](*arguments))
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), name
        np.testing.assert_array_equal(got.view(np.uint8), expected.view(np.uint8), name)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("storage", STORAGES)
def test_rows(storage, dynamic):
    bits, calls = int(storage.lstrip("uif")[0]), {}
    for index, (shape, axis) in enumerate(SHAPES):
        codes = random_codes(shape, storage)
        packed = onnx_bytes(codes, bits, axis)
        narrow, wide = tensor(packed.shape, "ui8", dynamic), tensor(shape, storage, dynamic)
        packing = f"packing <onnx, bits = {bits}, axis = {axis}>"
        names = [f"%n{i}" for i in range(len(shape))] if dynamic else []
        arguments = "".join(f", {name}: index" for name in names)
        sizes, types = (f" sizes({', '.join(names)})" if names else ""), ", index" * len(names)
        calls[f"pack{index}"] = (
            f"func.func @pack{index}(%e: {wide}) -> {narrow} {{\n"
            f"  %c = qdq.pack %e {packing} : ({wide}) -> {narrow}\n  return %c : {narrow}\n}}\n",
            (codes,),
            packed,
        )
        calls[f"unpack{index}"] = (
            f"func.func @unpack{index}(%c: {narrow}{arguments}) -> {wide} {{\n"
            f"  %e = qdq.unpack %c {packing}{sizes} : ({narrow}{types}) -> {wide}\n  return %e : {wide}\n}}\n",
            (packed, *(shape if dynamic else ())),
            codes,
        )
    check(calls, target="vector")


@pytest.mark.parametrize("bits", [512, 128])
@pytest.mark.parametrize("storage", STORAGES)
def test_blocks(storage, bits):
    width, calls = int(storage.lstrip("uif")[0]), {}
    for index, (shape, block_shape, axis) in enumerate(BLOCKS):
        blocks = blocks_of(shape, block_shape)
        scale = np.random.default_rng(5).uniform(0.1, 3, blocks).astype(np.float32)
        x = np.resize(random_reals((64,)), shape)
        with np.errstate(all="ignore"):
            codes = reference.quantize(x, scale, block_shape=block_shape, storage=storage)
        packed = onnx_bytes(codes, width, axis)
        reals, scales, wide, narrow = (
            tensor(size, element, False)
            for size, element in (
                (shape, "f32"),
                (blocks, "f32"),
                (shape, storage),
                (packed.shape, "ui8"),
            )
        )
        calls[f"f{index}"] = (
            f"func.func @f{index}(%x: {reals}, %s: {scales}) -> {narrow} {{\n"
            f"  %q = qdq.quantize %x scale %s block_shape {list(block_shape)} : ({reals}, {scales}) -> {wide}\n"
            f"  %c = qdq.pack %q packing <onnx, bits = {width}, axis = {axis}> : ({wide}) -> {narrow}\n"
            f"  return %c : {narrow}\n}}\n",
            (x, scale),
            packed,
        )
    check(calls, target="vector", vector_bits=bits)


@pytest.mark.every_value
@pytest.mark.parametrize(
    "storage, options",
    [(storage, {}) for storage in (
        "i2", "i3", "ui3", "i4", "ui4", "i5", "ui5", "i6", "i7", "ui7", "f4E2M1FN", "f6E3M2FN",
    )]
    + [(storage, options) for storage in ("i4", "i6") for options in ({"vector_bits": 128}, {"threads": 2})],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_ragged_dequantize(storage, dynamic, options):
    """Codes times the scale of their block of 32, in NumPy."""
    calls = {}
    for index, shape in enumerate(RAGGED):
        block_shape = (*[1] * (len(shape) - 1), 32)
        blocks = blocks_of(shape, block_shape)
        scale = np.random.default_rng(index).uniform(0.1, 3, blocks).astype(np.float32)
        codes = random_codes(shape, storage)
        expected = codes.astype(np.float32) * np.repeat(scale, 32, -1)[..., : shape[-1]]
        narrow, scales, reals = (
            tensor(size, element, dynamic)
            for size, element in ((shape, storage), (blocks, "f32"), (shape, "f32"))
        )
        calls[f"f{index}"] = (
            f"func.func @f{index}(%q: {narrow}, %s: {scales}) -> {reals} {{\n"
            f"  %x = qdq.dequantize %q scale %s block_shape {list(block_shape)} : ({narrow}, {scales}) -> {reals}\n"
            f"  return %x : {reals}\n}}\n",
            (codes, scale),
            expected,
        )
    check(calls, target="vector", **options)


def test_odd_bytes_compile_for_avx512_without_vbmi(tmp_path):
    """LLVM does not end at an interleaving of 26 bytes there."""
    source = tmp_path / "odd.mlir"
    source.write_text(
        "".join(
            f"""
            func.func @f{size}(%x: tensor<{size}xi4>, %s: f16) -> tensor<{size}xf16> {{
              %r = qdq.dequantize %x scale %s : (tensor<{size}xi4>, f16) -> tensor<{size}xf16>
              return %r : tensor<{size}xf16>
            }}"""
            for size in range(33, 58)
        )
    )
    command = ["quant-compile", source, "-o", tmp_path / "odd.o", "-mcpu=skylake-avx512"]
    run_tool(*command, timeout=60)


@pytest.mark.parametrize("size", range(33, 58, 3))
def test_odd_bytes(size):
    codes, scale = random_codes((size,), "i4"), np.float32(0.37)
    module = f"""
      func.func @main(%x: tensor<{size}xi4>, %s: f32) -> tensor<{size}xf32> {{
        %r = qdq.dequantize %x scale %s : (tensor<{size}xi4>, f32) -> tensor<{size}xf32>
        return %r : tensor<{size}xf32>
      }}"""
    found = runtime.compile(module).main(codes, scale)
    np.testing.assert_array_equal(found, codes.astype(np.float32) * scale)
