# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed codes and packed zero points in vectors of slots: the reference's bits for each width, block and remainder."""

import numpy as np
import pytest
from kernels import dtype_of

from mlir_qdq import reference, runtime

#: Rows, columns and columns of a block: one vector, parts of one, several, and what is left over.
SHAPES = [
    (3, 64, 32),
    (2, 512, 128),
    (2, 40, 4),
    (5, 96, 48),
    (2, 66, 66),
]
STORAGES = ["i4", "ui4", "i2", "ui2", "f4E2M1FN", "f6E3M2FN", "f6E2M3FN"]


def random_codes(shape, storage: str) -> np.ndarray:
    random = np.random.default_rng(3)
    dtype = np.dtype(dtype_of(storage))
    if storage.startswith("f"):
        return random.integers(0, 1 << int(storage[1]), shape, np.uint8).view(dtype)
    # The array's type is wider than 3 bits.
    bits, is_signed = int(storage.lstrip("sui")), not storage.startswith("u")
    low = -(1 << bits - 1) if is_signed else 0
    return random.integers(low, low + (1 << bits), shape).astype(dtype)


def random_reals(shape) -> np.ndarray:
    random = np.random.default_rng(4)
    x = (random.integers(-40, 40, shape) / 4).astype(np.float32)
    x.ravel()[:8] = [np.nan, np.inf, -np.inf, -0.0, 1e-45, 3e38, -3e38, 0.49999997]
    return random.permuted(x.ravel()).reshape(shape)


def tensor(shape, element: str, dynamic: bool) -> str:
    sizes = "".join(f"{'?' if dynamic else size}x" for size in shape)
    return f"tensor<{sizes}{element}>"


@pytest.mark.every_value
@pytest.mark.parametrize(
    "bits, dynamic", [(512, False), (256, True)], ids=["512-static", "256-dynamic"]
)
@pytest.mark.parametrize("storage", STORAGES)
def test_blocks(storage, bits, dynamic):
    functions, calls = [], {}
    for rows, columns, block in SHAPES:
        shape, blocks = (rows, columns), (rows, columns // block)
        where = {"block_shape": [1, block], "storage": storage}
        scale = np.random.default_rng(5).uniform(0.1, 3, blocks).astype(np.float32)
        codes, x = random_codes(shape, storage), random_reals(shape)
        for zero_point in [False, True][: 1 if storage.startswith("f") else 2]:
            z = random_codes(blocks, storage) if zero_point else None
            types = [tensor(blocks, "f32", dynamic)]
            operand = argument = ""
            if zero_point:
                types.append(tensor(blocks, storage, dynamic))
                operand, argument = " zero_point %z", f", %z: {types[-1]}"
            given = (scale,) if z is None else (scale, z)
            reals, narrow = tensor(shape, "f32", dynamic), tensor(shape, storage, dynamic)
            for op, source, target, value in (
                ("quantize", reals, narrow, x),
                ("dequantize", narrow, reals, codes),
            ):
                name = f"{op}_{columns}_{block}_{zero_point}"
                functions.append(
                    f"func.func @{name}(%x: {source}, %s: {types[0]}{argument}) -> {target} {{\n"
                    f"  %0 = qdq.{op} %x scale %s{operand} block_shape [1, {block}] : ({', '.join([source, *types])}) -> {target}\n"
                    f"  return %0 : {target}\n}}"
                )
                with np.errstate(all="ignore"):
                    expected = getattr(reference, op)(value, *given, **where)
                calls[name] = ((value, *given), expected)
    compiled = runtime.compile("\n".join(functions), target="vector", vector_bits=bits)
    for name, (arguments, expected) in calls.items():
        got = np.asarray(compiled[name](*arguments))
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.view(np.uint8), expected.view(np.uint8), name)


@pytest.mark.parametrize("bits", [512, 256])
def test_flags_that_widen_to_codes(bits):
    """A comparison of codes, widened to a code."""
    compiled = runtime.compile(
        """
        func.func @f(%x: tensor<64xi8>) -> tensor<64x2xi16> {
          %e = tensor.empty() : tensor<64x2xi16>
          %c4 = arith.constant 4 : index
          %c3 = arith.constant 3 : i4
          %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64xi8>) outs(%e : tensor<64x2xi16>) {
          ^bb0(%in: i8, %out: i16):
            %i = linalg.index 1 : index
            %m = arith.muli %i, %c4 : index
            %s = arith.index_cast %m : index to i8
            %h = arith.shrui %in, %s : i8
            %t = arith.trunci %h : i8 to i4
            %less = arith.cmpi slt, %t, %c3 : i4
            %b = arith.extsi %less : i1 to i4
            %u = arith.subi %t, %b : i4
            %w = arith.extsi %u : i4 to i16
            %k = linalg.index 0 : index
            %n = arith.index_cast %k : index to i16
            %z = arith.muli %w, %n : i16
            linalg.yield %z : i16
          } -> tensor<64x2xi16>
          return %y : tensor<64x2xi16>
        }""",
        vector_bits=bits,
    )
    x = np.random.default_rng(8).integers(-128, 128, 64).astype(np.int8)
    code = np.stack([x << 4 >> 4, x >> 4], axis=-1).astype(np.int64)
    code = (code + (code < 3) + 8) % 16 - 8
    np.testing.assert_array_equal(compiled.f(x), code * np.arange(64)[:, None])


@pytest.mark.parametrize("storage", ["i4", "ui4", "i2"])
def test_columns_innermost(storage):
    """A sum whose innermost loop does not change the weight."""
    w = random_codes((6, 32), storage)
    x = np.arange(-48, 48, dtype=np.float32).reshape(32, 3)
    text = f"""
    func.func @main(%w: tensor<6x32x{storage}>, %s: f32, %x: tensor<32x3xf32>, %y: tensor<6x3xf32>) -> tensor<6x3xf32> {{
      %d = qdq.dequantize %w scale %s : (tensor<6x32x{storage}>, f32) -> tensor<6x32xf32>
      %r = linalg.generic {{indexing_maps = [affine_map<(k, n, m) -> (n, k)>, affine_map<(k, n, m) -> (k, m)>, affine_map<(k, n, m) -> (n, m)>], iterator_types = ["reduction", "parallel", "parallel"]}}
          ins(%d, %x : tensor<6x32xf32>, tensor<32x3xf32>) outs(%y : tensor<6x3xf32>) {{
      ^bb0(%a: f32, %b: f32, %out: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %out, %0 : f32
        linalg.yield %1 : f32
      }} -> tensor<6x3xf32>
      return %r : tensor<6x3xf32>
    }}"""
    got = np.asarray(runtime.compile(text).main(w, np.float32(0.5), x, np.ones((6, 3), np.float32)))
    np.testing.assert_array_equal(got, 1 + 0.5 * w.astype(np.float64) @ x)


@pytest.mark.parametrize("bits", [2, 4])
@pytest.mark.parametrize("extend", ["extui", "extsi"])
@pytest.mark.parametrize(
    "operation, expect",
    [("remui", np.fmod), ("remsi", np.fmod), ("floordivsi", np.floor_divide)],
    ids=["remui", "remsi", "floordivsi"],
)
def test_codes_that_no_element_has_divide_nothing(operation, expect, extend, bits):
    """A table of all codes would divide by the code 0, whatever codes there are."""
    slots = 8 // bits
    text = f"""
    func.func @main(%k: i32, %bytes: tensor<32xi8>) -> tensor<32x{slots}xi32> {{
      %bits = arith.constant {bits} : index
      %e = tensor.empty() : tensor<32x{slots}xi32>
      %r = linalg.generic {{indexing_maps = [affine_map<(i, s) -> (i)>, affine_map<(i, s) -> (i, s)>],
          iterator_types = ["parallel", "parallel"]}}
          ins(%bytes : tensor<32xi8>) outs(%e : tensor<32x{slots}xi32>) {{
      ^bb0(%byte: i8, %out: i32):
        %s = linalg.index 1 : index
        %t = arith.muli %s, %bits : index
        %shift = arith.index_cast %t : index to i8
        %h = arith.shrui %byte, %shift : i8
        %code = arith.trunci %h : i8 to i{bits}
        %w = arith.{extend} %code : i{bits} to i32
        %q = arith.{operation} %k, %w : i32
        linalg.yield %q : i32
      }} -> tensor<32x{slots}xi32>
      return %r : tensor<32x{slots}xi32>
    }}"""
    # No code is 0.
    codes = np.random.default_rng(6).integers(1, 1 << bits, (32, slots))
    packed = (codes << bits * np.arange(slots)).sum(axis=1).astype(np.uint8).view(np.int8)
    divisors = codes - ((codes >> bits - 1) << bits) if extend == "extsi" else codes
    if operation == "remui":
        divisors = divisors & 0xFFFFFFFF
    got = np.asarray(runtime.compile(text).main(np.int32(1000), packed))
    np.testing.assert_array_equal(got, expect(1000, divisors))
