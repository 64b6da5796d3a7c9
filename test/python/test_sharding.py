# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq ops partitioned by upstream's shard passes over 1, 2, 4 and 8 devices: the parts are those of the whole, bit for bit."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from mlir.ir import Context, Module
from mlir.passmanager import PassManager

import mlir_qdq
from kernels import Kernel, same
from mlir_qdq import runtime

PASSES = "builtin.module(func.func(sharding-propagation,shard-partition))"
SHAPE = (16, 64)
COMPLETE = {"rounding": "nearest-even"}
KERNELS = [
    Kernel(operation, storage, "f32", "f32", SHAPE, zero_point, semantics=COMPLETE, **place)
    for operation, (storage, zero_point), place in itertools.product(
        ("quantize", "dequantize"),
        (("i8", "i8"), ("ui8", None), ("i16", "f32")),
        ({}, {"axis": 0}, {"axis": 1}, {"block_shape": (1, 8)}, {"block_shape": (2, 0)}, {"block_shape": (0, 4)}),
    )
]  # fmt: skip
# Grids of 1, 2, 4 and 8 devices, and the axes that split each dimension.
GRIDS = [
    ("1", ((0,), ())),
    ("2", ((0,), ())),
    ("2", ((), (0,))),
    ("2x2", ((0,), (1,))),
    ("4", ((), (0,))),
    ("2x4", ((0,), (1,))),
    ("2x4", ((), (0, 1))),
    ("8", ((0,), ())),
]
CHAIN = """
func.func @chain(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %b = shard.shard %x to %sharding : tensor<16x64xf32>
  %c = shard.shard %b to %sharding annotate_for_users : tensor<16x64xf32>
  %d = shard.shard %b to %sharding annotate_for_users : tensor<16x64xf32>
  %s, %z = qdq.choose_params %c block_shape [1, 8] : (tensor<16x64xf32>) -> (tensor<16x8xf32>, tensor<16x8xui8>)
  %q = qdq.quantize %d scale %s zero_point %z block_shape [1, 8] semantics <rounding = nearest-even>
     : (tensor<16x64xf32>, tensor<16x8xf32>, tensor<16x8xui8>) -> tensor<16x64xui8>
  %r = qdq.dequantize %q scale %s zero_point %z block_shape [1, 8]
     : (tensor<16x64xui8>, tensor<16x8xf32>, tensor<16x8xui8>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
"""


def annotated(function: str, axes) -> str:
    """The function with a sharding of its result, which spreads to everything else."""
    split = [list(a) for a in axes]
    function = function.replace(
        "{\n",
        f"{{\n  %sharding = shard.sharding @grid split_axes = {split} : !shard.sharding\n",
        1,
    )
    return re.sub(
        r"return (%\w+) : (.*)",
        r"%result = shard.shard \1 to %sharding : \2\n  return %result : \2",
        function,
    )


def partitioned(text: str) -> str:
    """What each device runs: no op of the shard dialect is left in it."""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        PassManager.parse(PASSES).run(module.operation)
        text = re.sub(r"\n *shard\.grid .*", "", str(module))
    assert "shard" not in text
    return text


def part(array: np.ndarray, shape: tuple[int, ...], place: tuple[int, ...]) -> np.ndarray:
    """The part of this shape that lies at these multiples of it; a parameter of the whole lies everywhere."""
    return np.ascontiguousarray(
        array[tuple(slice(p * n, (p + 1) * n) for p, n in zip(place, shape))]
    )


def parts(grid: str, axes) -> tuple[int, int]:
    sizes = [int(n) for n in grid.split("x")]
    return tuple(math.prod(sizes[a] for a in split) for split in axes)


def run_on_devices(function, arrays, dims, count) -> np.ndarray:
    """The results of all devices in their places. `dims[i]` are the dimensions of the values that array i follows."""
    rows = []
    for i in range(count[0]):
        row = []
        for j in range(count[1]):
            arguments = []
            for array, of in zip(arrays, dims):
                shape = tuple(n if d is None else n // count[d] for n, d in zip(array.shape, of))
                place = tuple(0 if d is None else (i, j)[d] for d in of)
                arguments.append(part(array, shape, place) if array.shape else array)
            row.append(function(*arguments))
        rows.append(np.concatenate(row, axis=1))
    return np.concatenate(rows, axis=0)


def followed(kernel: Kernel) -> tuple:
    """The dimension of the values that each dimension of the parameters follows."""
    if kernel.axis is not None:
        return (kernel.axis,)
    return tuple(d if b else None for d, b in enumerate(kernel.block_shape or ()))


def kernel_text(kernel: Kernel, name: str) -> str:
    """Parameters are tensors: upstream annotates nothing else."""
    text = kernel.text(name)
    if kernel.parameter_shape != ():
        return text
    text = re.sub(r"(%[sz]): (\w+)", r"\1: tensor<\2>", text)
    return re.sub(r", (\w+)(?=[,)].* ->)", r", tensor<\1>", text)


@pytest.fixture(scope="module")
def whole():
    text = "".join(kernel_text(kernel, f"f{i}") for i, kernel in enumerate(KERNELS))
    chain = re.sub(r" *%[bcd] = shard.*\n", "", CHAIN)
    return runtime.compile(text + re.sub(r"%[cd]\b", "%x", chain))


@pytest.mark.parametrize("grid, axes", GRIDS, ids=[f"{g}-{a}" for g, a in GRIDS])
def test_parts_are_those_of_the_whole(whole, grid, axes):
    random = np.random.default_rng(5)
    count = parts(grid, axes)
    functions = [kernel_text(kernel, f"f{i}") for i, kernel in enumerate(KERNELS)]
    text = "".join(annotated(function, axes) for function in (*functions, CHAIN))
    compiled = runtime.compile(partitioned(f"shard.grid @grid(shape = {grid})\n{text}"))
    for i, kernel in enumerate(KERNELS):
        arrays = [a for a in kernel.arguments(random) if a is not None]
        dims = [(0, 1), followed(kernel), followed(kernel)]
        got = run_on_devices(compiled[f"f{i}"], arrays, dims, count)
        assert same(got, whole[f"f{i}"](*arrays)).all(), kernel
        expected, defined = kernel.expected(*arrays)
        assert same(got, expected, defined).all(), kernel
    x = random.normal(size=SHAPE).astype(np.float32)
    got = run_on_devices(compiled["chain"], [x], [(0, 1)], count)
    assert same(got, whole["chain"](x)).all()
