# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of weights that torchao and AMD Quark wrote, against the weights to which the packages dequantize them.

tools/record-vectors/checkpoints.py says with which versions, and from which numbers.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime
from mlir_qdq.importers.safetensors import import_file
from safetensors import safe_open

DATA = Path(__file__).parent / "data" / "checkpoints"
FILES = sorted(path.relative_to(DATA).with_suffix("").as_posix() for path in DATA.rglob("*.safetensors"))


@pytest.mark.parametrize("name", FILES)
def test_weights_are_those_of_the_package(tmp_path, name):
    source = DATA / f"{name}.safetensors"
    file = tmp_path / "model.safetensors"
    file.write_bytes(source.read_bytes())
    (tmp_path / "config.json").write_text(
        '{"quantization_config": ' + source.with_suffix(".json").read_text() + "}"
    )
    compiled = runtime.compile(import_file(file, tensors=["m.weight"]))
    got = compiled["m.weight"]()
    assert got.shape == (16, 64)
    with safe_open(source, "np") as recorded:
        expected = recorded.get_tensor("expected")
    if name.startswith("torchao/") and name != "torchao/int8":  # the package answers in bf16
        got = got.astype(ml_dtypes.bfloat16)
    got = got.astype(np.float32)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))
