# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""runtime.compile for a named processor: the same bits with and without each strategy, and refusals."""

import numpy as np
import pytest
from kernels import Kernel, dtype_of, specials
from mlir import ir
from target_features import has

from mlir_qdq import runtime

STRATEGIES = (
    "byte-dots", "lookup-tables", "native-casts", "reciprocals", "saturating-packs", "stream-stores",
    "through-f16",
)  # fmt: skip
#: x86's levels, each with a feature of its own.
LEVELS = {"x86-64": "sse2", "x86-64-v3": "avx2", "x86-64-v4": "avx512bw"}

KERNELS = [
    Kernel("quantize", "i8", "f32", "f32", (6, 96), zero_point="i8", axis=0),
    Kernel("quantize", "f8E4M3FN", "f32", "f32", (6, 96)),
    Kernel("dequantize", "i4", "f32", "f32", (6, 96), block_shape=(1, 32)),
    Kernel("dequantize", "f8E5M2", "f32", "f32", (6, 96), axis=1),
]


def inputs(kernel: Kernel) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    scale = np.asarray(random.choice([1, 0.37, 0.5], kernel.parameter_shape), np.float32)
    if kernel.operation == "quantize":
        value = np.resize(specials(np.float32), kernel.shape)
    else:
        codes = random.integers(0, 1 << 8, (6, 48 if kernel.storage == "i4" else 96), np.uint8)
        value = (
            runtime.Packed(codes, kernel.shape)
            if kernel.storage == "i4"
            else codes.view(dtype_of(kernel.storage))
        )
    return [value, scale, *([np.int8([-3] * 6)] if kernel.zero_point else [])]


def outputs(**options) -> list[bytes]:
    text = "".join(kernel.text(f"f{i}") for i, kernel in enumerate(KERNELS))
    compiled = runtime.compile(text, **options)
    return [np.asarray(compiled[f"f{i}"](*inputs(k))).tobytes() for i, k in enumerate(KERNELS)]


@pytest.fixture(scope="module")
def plain() -> list[bytes]:
    return outputs(target_cpu="", without=",".join(STRATEGIES))


@pytest.mark.parametrize("without", ["", *STRATEGIES])
def test_no_strategy_changes_a_bit(without, plain):
    assert outputs(without=without) == plain


@pytest.mark.parametrize("cpu", LEVELS)
def test_no_processor_changes_a_bit(cpu, plain):
    if not has(LEVELS[cpu]):
        pytest.skip(f"this machine is below {cpu}")
    assert outputs(target_cpu=cpu) == plain


@pytest.mark.parametrize(
    "options, message",
    [
        ({"target_cpu": "znver99"}, "target cpu: 'znver99' is not a processor of"),
        ({"target_features": "avx2"}, r"target feature: 'avx2' is not \+ or - and a feature of"),
        ({"target_triple": "pdp11", "target_cpu": ""}, "target triple: "),
        ({"without": "byte-dot"}, "'byte-dot' is not a strategy: expected one of byte-dots, "),
    ],
)
def test_unknown_names(options, message):
    with pytest.raises(ir.MLIRError, match=message):
        runtime.compile("func.func @f() { return }", **options)


@pytest.mark.skipif(has("amx-fp16"), reason="has what the test asks for")
def test_code_for_another_processor():
    with pytest.raises(RuntimeError, match="the target has 'amx-fp16', and this machine does not"):
        runtime.compile("func.func @f() { return }", target_features="+amx-fp16")
