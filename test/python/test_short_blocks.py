# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that do not divide a dimension, or may not, in vectors: the reference's bits for tails of many lengths."""

from dataclasses import dataclass

import numpy as np
import pytest
from test_sub_byte import random_codes, random_reals, tensor

from mlir_qdq import reference, runtime

#: Shapes and their blocks.
SHAPES = [
    # Tails of one element, of a few, of half a block, and of all but one; odd rows begin inside a byte.
    ((3, 97), (1, 32)),
    ((3, 100), (1, 32)),
    ((4, 112), (1, 32)),
    ((3, 127), (1, 32)),
    ((2, 1000), (1, 128)),
    ((5, 38), (1, 16)),
    ((5, 23), (1, 7)),
    # No tail, and nothing but a tail.
    ((2, 96), (1, 32)),
    ((3, 31), (1, 32)),
    ((4, 1), (1, 32)),
    ((0, 40), (1, 32)),
    ((4, 0), (1, 32)),
    # Blocks in other dimensions, and in several.
    ((100, 6), (32, 1)),
    ((70, 45), (32, 16)),
    ((37, 40), (8, 0)),
    ((77,), (32,)),
    ((2, 3, 70), (1, 1, 32)),
    ((2, 50, 6), (1, 16, 1)),
    ((3, 20, 35), (2, 16, 32)),
]
#: Storage in whole bytes has all of them.
FEW = [SHAPES[i] for i in (0, 1, 5, 6, 8, 9, 13, 18)]
STORAGES = ["i8", "i4", "ui2", "f6E3M2FN"]


@dataclass
class Call:
    text: str
    arguments: tuple
    expected: np.ndarray


def blocks_of(shape, block_shape) -> tuple[int, ...]:
    return tuple(-(-size // block) if block else 1 for size, block in zip(shape, block_shape))


def call(name, operation, storage, shape, block_shape, dynamic, has_zero_point) -> Call:
    blocks = blocks_of(shape, block_shape)
    scale = np.random.default_rng(5).uniform(0.1, 3, blocks).astype(np.float32)
    x = np.resize(random_reals((64,)), shape)
    given = [x if operation == "quantize" else random_codes(shape, storage), scale]
    types = [tensor(shape, "f32", dynamic), tensor(shape, storage, dynamic)]
    source, target = types if operation == "quantize" else types[::-1]
    parameters = [tensor(blocks, "f32", dynamic)]
    arguments, operand = f"%x: {source}, %s: {parameters[0]}", ""
    if has_zero_point:
        given.append(random_codes(blocks, storage))
        parameters.append(tensor(blocks, storage, dynamic))
        arguments, operand = f"{arguments}, %z: {parameters[1]}", " zero_point %z"
    text = (
        f"func.func @{name}({arguments}) -> {target} {{\n"
        f"  %0 = qdq.{operation} %x scale %s{operand} block_shape {list(block_shape)}"
        f" : ({', '.join([source, *parameters])}) -> {target}\n"
        f"  return %0 : {target}\n}}"
    )
    with np.errstate(all="ignore"):
        expected = getattr(reference, operation)(*given, block_shape=block_shape, storage=storage)
    return Call(text, tuple(given), expected)


@pytest.mark.every_value
@pytest.mark.parametrize(
    "bits, dynamic", [(512, False), (256, True)], ids=["512-static", "256-dynamic"]
)
@pytest.mark.parametrize("storage", STORAGES)
def test_short_blocks(storage, bits, dynamic):
    calls = {}
    for index, (shape, block_shape) in enumerate(SHAPES if storage == "i8" else FEW):
        for operation in ("quantize", "dequantize"):
            has_zero_point = index % 2 == 1 and not storage.startswith("f")
            name = f"{operation}_{index}"
            calls[name] = call(name, operation, storage, shape, block_shape, dynamic, has_zero_point)  # fmt: skip
    text = "\n".join(c.text for c in calls.values())
    compiled = runtime.compile(text, target="vector", vector_bits=bits)
    for name, c in calls.items():
        got = np.asarray(compiled[name](*c.arguments))
        assert (got.dtype, got.shape) == (c.expected.dtype, c.expected.shape), name
        np.testing.assert_array_equal(got.view(np.uint8), c.expected.view(np.uint8), c.text)


@pytest.mark.every_value
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("storage", ["i8", "i4", "ui2", "i3", "f6E3M2FN", "f6E2M3FN"])
def test_sizes_of_one_dynamic_function(storage, threads):
    """One function for all sizes, those below a block and empty ones included: rows begin at every bit of a byte, and the last word of all has any number of bytes."""
    functions = {}
    for operation in ("quantize", "dequantize"):
        text = call(operation, operation, storage, (2, 40), (1, 32), True, False).text
        functions[operation] = runtime.compile(text, target="vector", threads=threads)[operation]
    for rows in (0, 1, 3, 8):
        for columns in (0, 1, 5, 7, *range(31, 41), 47, 63, 64, 65, 95, 129):
            for operation, function in functions.items():
                c = call("f", operation, storage, (rows, columns), (1, 32), True, False)
                got = np.asarray(function(*c.arguments))
                assert got.shape == c.expected.shape
                np.testing.assert_array_equal(
                    got.view(np.uint8), c.expected.view(np.uint8), f"{rows}, {columns}"
                )


@pytest.mark.parametrize("shape", [(300007,), (3, 100003)], ids=str)
def test_parts_of_threads(shape):
    """A part of a dimension need not begin where a block does."""
    block_shape = (1,) * (len(shape) - 1) + (48,)
    for operation in ("quantize", "dequantize"):
        c = call("f", operation, "i8", shape, block_shape, False, True)
        got = np.asarray(runtime.compile(c.text, target="vector", threads=2).f(*c.arguments))
        np.testing.assert_array_equal(got.view(np.uint8), c.expected.view(np.uint8))
