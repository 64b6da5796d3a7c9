# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights of files, beside those of what the package `gguf`, or NumPy, dequantizes."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from weight_products import (
    HALVES, as_argument, dequantized, powers, product, random_blocks, write,
)  # fmt: skip
from target_features import has

from mlir_qdq import runtime
from mlir_qdq.importers import gguf, safetensors

K = 512
#: Types of at most four bits, which block floating point multiplies.
SHORT = ["Q4_0", "Q4_1", "Q4_K", "Q2_K", "TQ2_0", "MXFP4", "NVFP4"]


def options(way):
    if way == "blocks" and not has("avx2"):
        pytest.skip("no AVX2 here: lit checks the IR")
    return {"order": {}, "any": {"sum_order": "any"}, "blocks": {"block_floating_point": True}}[way]


@pytest.mark.every_value
@pytest.mark.parametrize("m, n", [(1, 64), (2, 67), (5, 64), (9, 67)])
@pytest.mark.parametrize("way", ["blocks", "any", "order"])
@pytest.mark.parametrize("name", HALVES)
def test_exact_sums(name, way, m, n, tmp_path):
    """Scales that are powers of two, and small integers: sums that nothing rounds."""
    random = np.random.default_rng(n)
    raw = random_blocks(random, name, n, K, powers(random))
    module = product(gguf.import_file(write(tmp_path / "f.gguf", name, raw)), m, n, K)
    x = random.integers(-2, 3, (m, K)).astype(np.float32)
    exact = x.astype(np.float64) @ dequantized(name, raw).astype(np.float64).T
    assert (exact == exact.astype(np.float32)).all()
    np.testing.assert_array_equal(runtime.compile(module, **options(way)).main(x), exact)


@pytest.mark.every_value
@pytest.mark.parametrize("way", ["blocks", "any"])
@pytest.mark.parametrize("name", HALVES)
def test_weights_as_arguments(name, way, tmp_path):
    """The fields of the records are read where they are multiplied."""
    n, random = 64, np.random.default_rng(8)
    raw = random_blocks(random, name, n, K, powers(random))
    path = write(tmp_path / "f.gguf", name, raw)
    module = as_argument(product(gguf.import_file(path), 1, n, K))
    x = random.integers(-2, 3, (1, K)).astype(np.float32)
    exact = x.astype(np.float64) @ dequantized(name, raw).astype(np.float64).T
    given = raw.reshape(-1, raw.shape[-1]).view(np.int8)
    np.testing.assert_array_equal(runtime.compile(module, **options(way)).main(x, given), exact)


@pytest.mark.parametrize("name", SHORT)
def test_error_of_blocks(name, tmp_path):
    """Within 2^-22.9 of the largest number of a block, and what f32 adds; parts of a minimum count by themselves."""
    n, random = 64, np.random.default_rng(3)
    raw = random_blocks(random, name, n, K, lambda shape: random.uniform(0.01, 2, shape))
    module = product(gguf.import_file(write(tmp_path / "f.gguf", name, raw)), 2, n, K)
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


def words(codes: np.ndarray) -> np.ndarray:
    """Eight codes of four bits along the last dimension, the first one lowest."""
    fields = codes.astype(np.uint32).reshape(*codes.shape[:-1], -1, 8)
    return np.bitwise_or.reduce(fields << 4 * np.arange(8, dtype=np.uint32), axis=-1).view(np.int32)


@pytest.mark.parametrize("way", ["blocks", "any", "order"])
@pytest.mark.parametrize("method", ["gptq", "awq"])
@pytest.mark.parametrize("m", [1, 9])
def test_words_of_codes(m, method, way, tmp_path):
    """Weights [inputs, outputs] with zero points, whose importer transposes what it dequantizes."""
    random, n, group = np.random.default_rng(1), 64, 128
    q, z = random.integers(0, 16, (K, n)), random.integers(0, 16, (K // group, n))
    scales = np.exp2(random.integers(-2, 2, z.shape)).astype(np.float16)
    config = {"quant_method": method, "bits": 4, "group_size": group}
    if method == "gptq":
        weights = {"qweight": words(q.T).T, "qzeros": words(z), "g_idx": np.arange(K, dtype=np.int32) // group}  # fmt: skip
        config |= {"desc_act": False, "sym": False, "checkpoint_format": "gptq_v2"}
    else:
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        interleaved = lambda codes: codes.reshape(-1, 8)[:, order].reshape(codes.shape)  # noqa: E731
        weights = {"qweight": words(interleaved(q)), "qzeros": words(interleaved(z))}
        config |= {"zero_point": True, "version": "gemm"}
    weights = {name: np.ascontiguousarray(array) for name, array in (weights | {"scales": scales}).items()}  # fmt: skip
    save_file(
        {f"l.{name}": array for name, array in weights.items()}, tmp_path / "model.safetensors"
    )
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": config}))
    module = product(safetensors.import_file(tmp_path / "model.safetensors"), m, n, K)
    x = random.integers(-2, 3, (m, K)).astype(np.float32)
    weight = (q - np.repeat(z, group, 0)) * np.repeat(scales.astype(np.float64), group, 0)
    np.testing.assert_array_equal(runtime.compile(module, **options(way)).main(x), x @ weight)
