# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decode step of a small Llama, read from GGUF and compiled as one program, against NumPy."""

import llama_model
import mlir_qdq
import numpy as np
import pytest
from llama_program import decode_step, new_cache
from mlir import ir

from mlir_qdq import runtime

SHAPE = llama_model.SHAPES["tiny"]
TOKENS = [3, 300, 7]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, known = tmp_path_factory.mktemp("gguf"), {}

    def file(type: str, shape=SHAPE):
        if (type, shape) not in known:
            known[type, shape] = folder / f"{len(known)}.gguf"
            llama_model.write(known[type, shape], shape, type)
        return known[type, shape]

    return file


def logits(path, cache: str, shape=SHAPE, **options) -> list[np.ndarray]:
    with ir.Context() as context:
        mlir_qdq.register(context)
        step = runtime.compile(decode_step(path, shape, cache), **options).step
    memory = new_cache(shape, cache)
    return [step(token, position, *memory) for position, token in enumerate(TOKENS)]


@pytest.mark.every_value
@pytest.mark.parametrize("cache", ["f16", "i8"])
@pytest.mark.parametrize("type", ["Q4_0", "Q4_K", "Q8_0", "MXFP4", "NVFP4"])
def test_sums_in_order(files, type, cache):
    """Every bit is that of f32 sums from the first term to the last."""
    reference = llama_model.Reference(files(type), SHAPE, cache, np.float32)
    for ours, token in zip(logits(files(type), cache), TOKENS):
        np.testing.assert_array_equal(ours, reference.step(token))


@pytest.mark.parametrize("cache", ["f16", "i8"])
@pytest.mark.parametrize("type, shape", [("Q4_0", "tiny"), ("Q4_K", "ragged")])
def test_sums_in_any_order(files, cache, type, shape):
    """Within 2^-11 of the largest logit, the rounding of one f16: a last bit of a sum may move a number of the cache
    to its neighbor."""
    shape = llama_model.SHAPES[shape]
    path = files(type, shape)
    reference = llama_model.Reference(path, shape, cache)
    for ours, token in zip(logits(path, cache, shape, sum_order="any"), TOKENS):
        exact = reference.step(token)
        assert np.abs(ours - exact).max() <= 2**-11 * np.abs(exact).max()


@pytest.mark.parametrize("order", ["sequential", "lanes"])
def test_threads_change_no_bit(files, order):
    """Of the orders that fix each bit: `any` leaves the sums of a part to its own loops."""
    alone, shared = (logits(files("Q8_0"), "i8", sum_order=order, threads=n) for n in (1, 2))
    np.testing.assert_array_equal(alone, shared)


def test_position_beyond_the_cache(files):
    with ir.Context() as context:
        mlir_qdq.register(context)
        step = runtime.compile(decode_step(files("Q4_0"), SHAPE, "f16")).step
    memory = new_cache(SHAPE, "f16")
    with pytest.raises(ValueError, match="^step: the position is not below 16$"):
        step(3, SHAPE.context, *memory)
    with pytest.raises(ValueError, match="^step: the token is not below 320$"):
        step(SHAPE.vocabulary, 0, *memory)
    assert not any(array.any() for array in memory)
