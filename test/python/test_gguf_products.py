# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with GGUF weights, beside those of what the package `gguf` dequantizes."""

import numpy as np
import pytest
from gguf_products import HALVES, dequantized, powers, product, random_blocks, write
from target_features import has

from mlir_qdq import runtime

K = 512
#: Types of at most four bits, which block floating point multiplies.
SHORT = ["Q4_0", "Q4_1", "Q4_K", "Q2_K", "TQ2_0", "MXFP4", "NVFP4"]


def options(way):
    if way == "blocks" and not has("avx512vnni", "avx512vl"):
        pytest.skip("no AVX512-VNNI here: lit checks the IR")
    return {"order": {}, "any": {"sum_order": "any"}, "blocks": {"block_floating_point": True}}[way]


@pytest.mark.every_value
@pytest.mark.parametrize("m, n", [(1, 64), (2, 67), (5, 64)])
@pytest.mark.parametrize("way", ["blocks", "any", "order"])
@pytest.mark.parametrize("name", HALVES)
def test_exact_sums(name, way, m, n, tmp_path):
    """Scales that are powers of two, and small integers: sums that nothing rounds."""
    random = np.random.default_rng(n)
    raw = random_blocks(random, name, n, K, powers(random))
    module = product(write(tmp_path / "f.gguf", name, raw), m, n, K)
    x = random.integers(-2, 3, (m, K)).astype(np.float32)
    exact = x.astype(np.float64) @ dequantized(name, raw).astype(np.float64).T
    assert (exact == exact.astype(np.float32)).all()
    np.testing.assert_array_equal(runtime.compile(module, **options(way)).main(x), exact)


@pytest.mark.parametrize("name", SHORT)
def test_error_of_blocks(name, tmp_path):
    """Within 2^-22.9 of the largest number of a block, and what f32 adds; parts of a minimum count by themselves."""
    n, random = 64, np.random.default_rng(3)
    raw = random_blocks(random, name, n, K, lambda shape: random.uniform(0.01, 2, shape))
    module = product(write(tmp_path / "f.gguf", name, raw), 2, n, K)
    x = (random.standard_normal((2, K)) * np.exp2(random.integers(-9, 9, (2, K)))).astype(np.float32)  # fmt: skip
    weight, size = dequantized(name, raw).astype(np.float64), 0
    for at in HALVES[name] or (0,):
        part = raw.copy()
        for other in HALVES[name]:
            part[..., other : other + 2] *= other == at
        size = size + np.abs(dequantized(name, part).astype(np.float64))
    got = runtime.compile(module, **options("blocks")).main(x)
    # Blocks of 16 lie in those of 32.
    largest = np.repeat(np.abs(x.reshape(2, -1, 32)).max(-1), 32, axis=1)
    bound = (2**-22.9 * largest + 40 * 2.0**-24 * np.abs(x)) @ size.T
    assert (np.abs(got - x.astype(np.float64) @ weight.T) <= bound).all()
    plain = runtime.compile(module, **options("any")).main(x)
    assert (np.asarray(got) != np.asarray(plain)).any()  # other sums
