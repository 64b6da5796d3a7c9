# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Codes that permutations of AVX-512 and AVX2 look up, against ml_dtypes and NumPy: all bits."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from target_features import has

from mlir_qdq import runtime

REALS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
FLOATS = {
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
}

needs_permutations = pytest.mark.skipif(not has("avx512bw"), reason="needs AVX512BW")


def bits_of(storage: str) -> int:
    return int(storage.lstrip("uif")[0])


def fields_of(bits: int, columns: int) -> np.ndarray:
    """Each code beside each code, in each place among the bytes: rows of `columns`."""
    pairs = np.array(list(itertools.product(range(1 << bits), repeat=2)), np.uint8).ravel()
    fields = np.concatenate([pairs, *(np.roll(pairs, shift) for shift in range(1, 4))])
    return np.resize(fields, (-(-fields.size // columns), columns))


def packed(fields: np.ndarray, bits: int) -> np.ndarray:
    """The lowest bit of each code first."""
    all_bits = fields[..., None] >> np.arange(bits, dtype=np.uint8) & 1
    return np.packbits(all_bits, bitorder="little")


def reals_of(fields: np.ndarray, storage: str) -> np.ndarray:
    if storage in FLOATS:
        return fields.view(FLOATS[storage]).astype(np.float32)
    if storage.startswith("u"):
        return fields.astype(np.float32)
    half = 1 << (bits_of(storage) - 1)
    return (fields.astype(np.int32) ^ half).astype(np.float32) - np.float32(half)


@needs_permutations
@pytest.mark.every_value
@pytest.mark.parametrize(
    "columns, block", [(256, 32), (256, 128), (96, 16), (72, 8), (100, 50), (33, 33)]
)
@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize(
    "storage", ["i2", "i3", "ui3", "i4", "ui4", "i5", "ui5", "i6", "ui6", "i7", *FLOATS]
)
def test_every_code(storage, real, columns, block):
    """Blocks that are a vector, several, parts of one, and what is left over; an axis."""
    bits, dtype = bits_of(storage), REALS[real]
    fields = fields_of(bits, columns)
    rows, blocks = len(fields), columns // block
    scale = np.random.default_rng(1).uniform(0.1, 3, (rows, blocks)).astype(dtype)
    source, scales = f"tensor<{rows}x{columns}x{storage}>", f"tensor<{rows}x{blocks}x{real}>"
    result = f"tensor<{rows}x{columns}x{real}>"
    f = runtime.compile(
        f"""func.func @f(%x: {source}, %s: {scales}) -> {result} {{
          %r = qdq.dequantize %x scale %s block_shape [1, {block}] : ({source}, {scales}) -> {result}
          return %r : {result}
        }}""",
    ).f
    # Codes of few bits are exact in all types, so that the product is rounded once.
    wide = np.repeat(scale.astype(np.float32), block, 1) * reals_of(fields, storage)
    found = np.asarray(f(runtime.Packed(packed(fields, bits), fields.shape), scale))
    assert found.dtype == dtype
    np.testing.assert_array_equal(
        found.view(np.uint8), wide.astype(dtype).view(np.uint8), f"{columns}, {block}"
    )


@needs_permutations
@pytest.mark.parametrize("storage", ["i2", "i4", "f4E2M1FN", "f6E3M2FN"])
def test_sums(storage):
    """Products with codes whose sums are exact, in any order."""
    rows, columns, block = 8, 128, 32
    random = np.random.default_rng(2)
    fields = random.integers(0, 1 << bits_of(storage), (rows, columns), np.uint8)
    scale = random.choice(np.float32([0.5, 1, 2]), (rows, columns // block))
    x = random.integers(-8, 9, columns).astype(np.float32)
    f = runtime.compile(
        f"""func.func @f(%w: tensor<{rows}x{columns}x{storage}>, %s: tensor<{rows}x{columns // block}xf32>, %x: tensor<{columns}xf32>) -> tensor<{rows}xf32> {{
          %d = qdq.dequantize %w scale %s block_shape [1, {block}] : (tensor<{rows}x{columns}x{storage}>, tensor<{rows}x{columns // block}xf32>) -> tensor<{rows}x{columns}xf32>
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<{rows}xf32>
          %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}xf32>) -> tensor<{rows}xf32>
          %r = linalg.matvec ins(%d, %x : tensor<{rows}x{columns}xf32>, tensor<{columns}xf32>) outs(%i : tensor<{rows}xf32>) -> tensor<{rows}xf32>
          return %r : tensor<{rows}xf32>
        }}""",
        sum_order="any",
    ).f
    given = runtime.Packed(packed(fields, bits_of(storage)), fields.shape)
    expected = (np.repeat(scale, block, 1) * reals_of(fields, storage)).astype(np.float64) @ x
    np.testing.assert_array_equal(np.asarray(f(given, scale, x)), expected.astype(np.float32))


@pytest.mark.parametrize("without", ["", "lookup-tables", "byte-dots"])
@pytest.mark.parametrize("columns", [256, 1024, 63, 32, 5])
def test_every_byte(columns, without):
    """All bytes in all lanes, and what is left over; tables in which no two neighbors are equal."""
    codes = np.concatenate([np.roll(np.arange(256, dtype=np.uint8), by) for by in range(33)])
    codes = np.resize(codes, (-(-codes.size // columns), columns))
    table = np.random.default_rng(columns).permutation(256).astype(np.uint8)
    rows = f"tensor<{len(codes)}x{columns}xi8>"
    main = runtime.compile(
        f"""func.func @main(%x: {rows}, %table: tensor<256xi8>) -> {rows} {{
          %e = tensor.empty() : {rows}
          %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]}} ins(%x : {rows}) outs(%e : {rows}) {{
          ^bb0(%code: i8, %out: i8):
            %index = arith.index_castui %code : i8 to index
            %found = tensor.extract %table[%index] : tensor<256xi8>
            linalg.yield %found : i8
          }} -> {rows}
          return %y : {rows}
        }}""",
        without=without,
    ).main
    found = np.asarray(main(codes.view(np.int8), table.view(np.int8)))
    np.testing.assert_array_equal(found.view(np.uint8), table[codes])
