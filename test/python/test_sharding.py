# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq ops partitioned by upstream's shard passes over 1, 2, 4 and 8 devices: the parts are those of the whole, bit for bit."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from mlir.ir import Context, FunctionType, IndexType, Location, Module, TypeAttr, WalkResult
from mlir.passmanager import PassManager

import mlir_qdq
from kernels import Kernel, dtype_of, same
from mlir_qdq import reference, runtime

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
# Axes in another order than the grid's.
REVERSED_GRIDS = [("2x4", ((1,), (0,))), ("2x4", ((1, 0), ()))]
#: For draws: an axis alone, two, and each reversed.
DAILY_GRIDS = [GRIDS[1], GRIDS[5], *REVERSED_GRIDS]
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


def take_process(module: Module, rank: int) -> None:
    """The functions take the process's index along each axis of the grid, behind what they took."""

    def replace(op):
        if op.name == "shard.process_multi_index":
            for axis, result in zip(op.attributes["axes"], op.results):
                result.replace_all_uses_with(indices[axis])
            op.erase()
        return WalkResult.ADVANCE

    for function in module.body:
        if function.operation.name == "func.func":
            block = function.regions[0].blocks[0]
            indices = [block.add_argument(IndexType.get(), Location.unknown()) for _ in range(rank)]
            type = FunctionType.get([a.type for a in block.arguments], function.type.results)
            function.attributes["function_type"] = TypeAttr.get(type)
            function.operation.walk(replace)
    assert module.operation.verify()


def partitioned(text: str, rank: int = 0) -> str:
    """What each device runs: no op of the shard dialect is left in it. `rank` as of `take_process`."""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        PassManager.parse(PASSES).run(module.operation)
        take_process(module, rank)
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


def process(grid: str, axes, place: tuple[int, int]) -> list[int]:
    """The index, along each axis of the grid, of the first process that has the part at this place."""
    sizes = [int(n) for n in grid.split("x")]
    index = [0] * len(sizes)
    for split, number in zip(axes, place):
        for axis, i in zip(split, np.unravel_index(number, [sizes[a] for a in split])):
            index[axis] = int(i)
    return index


def run_on_devices(function, arrays, dims, count, extra=lambda place: []) -> np.ndarray:
    """The results of all devices in their places. `dims[i]` are the dimensions of the values that array i follows;
    `extra` gives the last arguments."""
    rows = []
    for i in range(count[0]):
        row = []
        for j in range(count[1]):
            arguments = []
            for array, of in zip(arrays, dims):
                shape = tuple(n if d is None else n // count[d] for n, d in zip(array.shape, of))
                place = tuple(0 if d is None else (i, j)[d] for d in of)
                arguments.append(part(array, shape, place) if array.shape else array)
            row.append(function(*arguments, *extra((i, j))))
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


SEED = 2**40 + 7
STOCHASTIC = {
    "attribute": "semantics <rounding = stochastic> {seed = 1099511627783 : i64} : (X, S) -> Q",
    "option": "semantics <rounding = stochastic> : (X, S) -> Q",
    "open": ": (X, S) -> Q",
    "operand": "semantics <rounding = stochastic> seed %seed : (X, S, i64) -> Q",
}
GRANULARITIES = {
    "tensor": ("", "tensor<f32>", (), ()),
    "axis": ("axis 1", "tensor<64xf32>", (64,), (1,)),
    "blocks": ("block_shape [1, 8]", "tensor<16x8xf32>", (16, 8), (0, 1)),
    "rows": ("block_shape [2, 0]", "tensor<8x1xf32>", (8, 1), (0, None)),
}


def stochastic_functions() -> dict[str, str]:
    """Every seed and granularity; sizes that are not known; a part of a larger whole."""
    texts = {}
    for (seed, words), (name, (granularity, scale, *_)) in itertools.product(
        STOCHASTIC.items(), GRANULARITIES.items()
    ):
        for x, kind in (("tensor<16x64xf32>", ""), ("tensor<?x?xf32>", "_dynamic")):
            if kind and name != "tensor":
                continue
            q = x.replace("f32", "i8")
            of = words.replace("X", x).replace("S", scale).replace("Q", q)
            texts[f"{seed}_{name}{kind}"] = (
                f"(%x: {x}, %s: {scale}, %seed: i64) -> {q} {{\n"
                f"  %q = qdq.quantize %x scale %s {granularity} {of}\n  return %q : {q}\n}}\n"
            )
    texts["within_tensor"] = (
        "(%x: tensor<16x64xf32>, %s: tensor<f32>, %i: index) -> tensor<16x64xi8> {\n"
        "  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> at [%i, 3, 5] of [4, 20, 70]"
        " : (tensor<16x64xf32>, tensor<f32>, index) -> tensor<16x64xi8>\n"
        "  return %q : tensor<16x64xi8>\n}\n"
    )
    return {name: f"func.func @{name}{text}" for name, text in texts.items()}


DRAW_OPTIONS = {"seed": SEED, "rounding": "stochastic"}


@pytest.fixture(scope="module")
def whole_draws():
    return runtime.compile("".join(stochastic_functions().values()), **DRAW_OPTIONS)


@pytest.mark.parametrize("grid, axes", [
    pytest.param(*row, id=f"{row[0]}-{row[1]}", marks=[] if row in DAILY_GRIDS else [pytest.mark.exhaustive])
    for row in GRIDS + REVERSED_GRIDS
])  # fmt: skip
def test_draws_are_those_of_the_whole(whole_draws, grid, axes):
    """Stochastic rounding on each device, beside the whole compiled and the reference."""
    random = np.random.default_rng(6)
    count = parts(grid, axes)
    functions = stochastic_functions()
    text = "".join(annotated(function, axes) for function in functions.values())
    text = partitioned(f"shard.grid @grid(shape = {grid})\n{text}", len(grid.split("x")))
    compiled = runtime.compile(text, **DRAW_OPTIONS)
    x = random.normal(size=SHAPE).astype(np.float32) * 20
    for name in functions:
        kind, granularity = name.split("_")[:2]
        _, _, shape, follows = GRANULARITIES[granularity]
        scale = random.uniform(0.5, 2, shape).astype(np.float32)
        last = 2 if kind == "within" else SEED
        got = run_on_devices(
            compiled[name],
            [x, scale],
            [(0, 1), follows],
            count,
            lambda place: [last, *process(grid, axes, place)],
        )
        assert same(got, whole_draws[name](x, scale, last)).all(), name
        padded, window = x, ...
        if kind == "within":
            padded, window = np.zeros((4, 20, 70), np.float32), np.s_[2, 3:19, 5:69]
            padded[window] = x
        expected = reference.quantize(
            padded,
            scale,
            storage="i8",
            axis=1 if granularity == "axis" else None,
            block_shape={"blocks": (1, 8), "rows": (2, 0)}.get(granularity),
            semantics={"rounding": "stochastic"},
            seed=SEED,
        )
        assert same(got, expected[window]).all(), name


# The op, its operand and its result; what splits each dimension of the elements.
PACKINGS = {
    "unpack": ("unpack %x packing <bits = 4, axis = 1>", "16x32xi8", "16x64xui4", (0, 1)),
    "unpack_3_bits": ("unpack %x packing <bits = 3, axis = 0>", "24x8xi32", "256x8xui3", (0, 1)),
    "unpack_records": ("unpack %x packing <ggml-q4_0>", "8x144xi8", "8x256xi4", (0, 1)),
    "unpack_flat": ("unpack %x packing <onnx>", "56xi8", "16x7xi4", (0, None)),
    "unpack_dynamic": ("unpack %x packing <onnx, axis = 1>", "?x32xi8", "?x64xi4", (0, 1)),
    "pack_order": ("pack %x packing <awq-gemm>", "16x256xui4", "16x32xi32", (0, 1)),
    "pack_records": ("pack %x packing <ggml-q8_0>", "8x256xi8", "8x272xi8", (0, 1)),
    "pack_flat": ("pack %x packing <onnx>", "16x7xi4", "56xi8", (0, None)),
}


@pytest.mark.parametrize("grid, axes", GRIDS, ids=[f"{g}-{a}" for g, a in GRIDS])
def test_containers_are_those_of_the_whole(grid, axes):
    """unpack and pack: the parts hold whole containers."""
    random = np.random.default_rng(9)
    texts = {
        name: f"func.func @{name}(%x: tensor<{x}>) -> tensor<{y}> {{\n"
        f"  %y = qdq.{op} : (tensor<{x}>) -> tensor<{y}>\n  return %y : tensor<{y}>\n}}\n"
        for name, (op, x, y, _) in PACKINGS.items()
        if PACKINGS[name][3] == (0, 1) or not axes[1]
    }
    count = parts(grid, axes)
    whole = runtime.compile("".join(texts.values()))
    split = []
    for name, text in texts.items():
        rank = PACKINGS[name][2].count("x")
        split.append(annotated(text, axes[:rank]))
    compiled = runtime.compile(partitioned(f"shard.grid @grid(shape = {grid})\n{''.join(split)}"))
    for name in texts:
        *shape, element = PACKINGS[name][1].split("x")
        shape = [16 if size == "?" else int(size) for size in shape]
        bits = int(element.lstrip("ui"))
        low, high = (0, 2**bits) if element[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        x = random.integers(low, high, shape).astype(dtype_of(element))
        dims = [(0, 1)[: len(shape)]]
        expected = whole[name](x)
        if expected.ndim == 1 or x.ndim == 1:
            got = np.concatenate(
                [compiled[name](np.ascontiguousarray(p)) for p in np.split(x, count[0])]
            )
        else:
            got = run_on_devices(compiled[name], [x], dims, count)
        assert got.dtype == expected.dtype and got.tobytes() == expected.tobytes(), name
