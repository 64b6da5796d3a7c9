# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales and zero points that are read before loops: ranks, sizes of none, tails, threads, prefetches, against the NumPy reference."""

import itertools

import numpy as np
import pytest
from kernels import Kernel, same

from mlir_qdq import runtime

SHAPES = [(), (0,), (130,), (3, 0), (0, 40), (5, 64), (7, 33), (2, 3, 67), (2, 0, 3, 5), (2, 1, 2, 3, 70)]  # fmt: skip


def check(compiled, kernels, random) -> None:
    for i, kernel in enumerate(kernels):
        given = [a for a in kernel.arguments(random) if a is not None]
        with np.errstate(all="ignore"):
            expected, defined = kernel.expected(*given)
        found = compiled[f"f{i}"](*given)
        assert same(np.asarray(found), expected, defined).all(), kernel


@pytest.mark.every_pair
@pytest.mark.parametrize("options", [{}, {"stream_bytes": 1}, {"threads": 2}, {"without": "saturating-packs"}])  # fmt: skip
@pytest.mark.parametrize("operation", ["dequantize", "quantize"])
@pytest.mark.parametrize("storage, zero", [("i8", None), ("ui8", "ui8")])
@pytest.mark.parametrize("dynamic", [False, True])
def test_shapes(operation, options, storage, zero, dynamic):
    random = np.random.default_rng(0)
    kernels = [
        Kernel(operation, storage, "f32", "f32", shape, zero_point=zero, axis=axis, dynamic=dynamic)
        for shape in SHAPES
        for axis in {None, *range(len(shape))}
    ]  # fmt: skip
    text = "".join(kernel.text(f"f{i}") for i, kernel in enumerate(kernels))
    check(runtime.compile(text, **options), kernels, random)


@pytest.mark.every_value
@pytest.mark.parametrize("storage", ["i4", "i8", "f8E4M3FN"])
@pytest.mark.parametrize("options", [{}, {"stream_bytes": 1}])
def test_blocks(storage, options):
    random = np.random.default_rng(1)
    kernels = [
        Kernel(operation, storage, "f32", "f32", (6, columns), block_shape=(1, 32), dynamic=dynamic)
        for operation, columns, dynamic in itertools.product(["dequantize", "quantize"], [0, 64, 90, 96], [False, True])
    ]  # fmt: skip
    text = "".join(kernel.text(f"f{i}") for i, kernel in enumerate(kernels))
    check(runtime.compile(text, **options), kernels, random)


#: Far beyond every tensor.
FAR = 1 << 40


@pytest.mark.parametrize("operation", ["remui", "remsi", "floordivsi", "divui"])
def test_a_loop_without_iterations_divides_by_nothing(operation):
    text = f"""
    func.func @loop(%n: index, %a: i32, %b: i32, %t: tensor<?xi32>) -> tensor<?xi32> {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<?xi32> {{
        %q = arith.{operation} %a, %b : i32
        %v = tensor.insert %q into %u[%i] : tensor<?xi32>
        scf.yield %v : tensor<?xi32>
      }}
      return %r : tensor<?xi32>
    }}
    func.func @generic(%a: i32, %b: i32, %t: tensor<?xi32>) -> tensor<?xi32> {{
      %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} outs(%t : tensor<?xi32>) {{
      ^bb0(%e: i32):
        %q = arith.{operation} %a, %b : i32
        %s = arith.addi %q, %e : i32
        linalg.yield %s : i32
      }} -> tensor<?xi32>
      return %r : tensor<?xi32>
    }}"""
    compiled = runtime.compile(text)
    one, quotient = np.int32(20), np.int32(20 % 7 if operation[:3] == "rem" else 20 // 7)
    for count in (0, 3, 40):
        b = np.int32(7 if count else 0)
        t = np.zeros(count, np.int32)
        expected = np.full(count, quotient)
        np.testing.assert_array_equal(compiled.loop(count, one, b, t), expected)
        np.testing.assert_array_equal(compiled.generic(one, b, t), expected)


@pytest.mark.parametrize("iterations", [0, 3])
@pytest.mark.parametrize(
    "read",
    [
        "%e = tensor.extract %s[%k] : tensor<?xf32> %v = vector.broadcast %e : f32 to vector<4xf32>",
        "%v = vector.transfer_read %s[%k], %pad {in_bounds = [true]} : tensor<?xf32>, vector<4xf32>",
        """%slice = tensor.extract_slice %s[%k] [4] [1] : tensor<?xf32> to tensor<4xf32>
        %v = vector.transfer_read %slice[%c0], %pad {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>""",
    ],
    ids=["extract", "transfer_read", "slice"],
)
def test_a_loop_without_iterations_reads_nothing(read, iterations):
    """A loop whose number of iterations is data guards what it reads."""
    text = f"""
    func.func @main(%s: tensor<?xf32>, %counts: tensor<8xindex>, %at: tensor<8xindex>, %t: tensor<8x4xf32>) -> tensor<8x4xf32> {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %pad = arith.constant 0.0 : f32
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%u = %t) -> tensor<8x4xf32> {{
        %n = tensor.extract %counts[%i] : tensor<8xindex>
        %k = tensor.extract %at[%i] : tensor<8xindex>
        %p = scf.for %j = %c0 to %n step %c1 iter_args(%q = %u) -> tensor<8x4xf32> {{
          {read}
          %old = vector.transfer_read %q[%i, %c0], %pad {{in_bounds = [true]}} : tensor<8x4xf32>, vector<4xf32>
          %new = arith.addf %old, %v : vector<4xf32>
          %w = vector.transfer_write %new, %q[%i, %c0] {{in_bounds = [true]}} : vector<4xf32>, tensor<8x4xf32>
          scf.yield %w : tensor<8x4xf32>
        }}
        scf.yield %p : tensor<8x4xf32>
      }}
      return %r : tensor<8x4xf32>
    }}"""
    s = np.arange(100, dtype=np.float32)
    counts, at = np.full(8, iterations), np.arange(8) * 11
    counts[5], at[5] = 0, FAR
    if iterations == 0:
        at[:] = FAR
    t = np.ones((8, 4), np.float32)
    expected = t.copy()
    for i in range(8):
        for _ in range(counts[i]):
            expected[i] += s[at[i]] if "extract %s[%k] " in read else s[at[i] : at[i] + 4]
    got = runtime.compile(text).main(s, counts, at, t)
    np.testing.assert_array_equal(np.asarray(got), expected)
