# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of codes that begin inside a byte, cut by multishifts of AVX-512, against ml_dtypes and NumPy: all bits."""

import numpy as np
import pytest
from target_features import has
from test_lookup_tables import bits_of, fields_of, packed, reals_of

from mlir_qdq import runtime

STORAGES = ["i3", "ui3", "i5", "ui5", "i6", "ui6", "i7", "ui7", "f6E3M2FN", "f6E2M3FN"]


@pytest.mark.every_pair
@pytest.mark.skipif(not has("avx512vbmi", "avx512vl"), reason="needs AVX512VBMI")
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("columns, block", [(1001, 32), (37, 5)])
def test_every_code(storage, vector_bits, dynamic, columns, block):
    bits = bits_of(storage)
    fields = fields_of(bits, columns)
    rows, blocks = len(fields), -(-columns // block)
    scale = np.random.default_rng(1).uniform(0.1, 3, (rows, blocks)).astype(np.float32)
    shape = "?x?" if dynamic else f"{rows}x{columns}"
    source, result = f"tensor<{shape}x{storage}>", f"tensor<{shape}xf32>"
    scales = f"tensor<{'?x?' if dynamic else f'{rows}x{blocks}'}xf32>"
    f = runtime.compile(
        f"""func.func @f(%x: {source}, %s: {scales}) -> {result} {{
          %r = qdq.dequantize %x scale %s block_shape [1, {block}] : ({source}, {scales}) -> {result}
          return %r : {result}
        }}""",
        vector_bits=vector_bits,
    ).f
    expected = np.repeat(scale, block, 1)[:, :columns] * reals_of(fields, storage)
    found = np.asarray(f(runtime.Packed(packed(fields, bits), fields.shape), scale))
    np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))
