# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-lint names the profiles that give other codes: the same ones as the NumPy reference finds."""

import re

import numpy as np
import pytest
from mlir.ir import Context, Module

import mlir_qdq
from mlir_qdq import passes, reference


def remarks_of(text: str) -> list[str]:
    found = []
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        with ctx.attach_diagnostic_handler(lambda d: found.append(d.message) or True):
            passes.Lint().run(module)
    return found


def profiles_named(remarks: list[str]) -> list[str]:
    for remark in remarks:
        named = re.match(r"other results under the profiles ([^:]*):", remark)
        if named:
            return named[1].split(", ")
    return []


def ties(scale: np.float32, zero: int, low: int, high: int) -> np.ndarray:
    half = ((np.arange(low, high) - zero + 0.5) * np.float64(scale)).astype(np.float32)
    return np.concatenate(
        [half, np.nextafter(half, np.float32(-np.inf)), np.nextafter(half, np.float32(np.inf))]
    )


@pytest.mark.parametrize("scale, zero, storage, profile", [
    (0.25, 0, "i8", "onnx"), (0.25, 3, "i8", "onnx"), (0.3, 0, "i8", "onnx"), (0.3, 100, "ui8", "torch"),
    (0.7, 128, "ui8", "onednn"), (1.0, 7, "i4", "tflite"), (0.1, -5, "i8", "xnnpack"), (3.0, 0, "i4", "mlir22"),
])  # fmt: skip
def test_profiles_that_disagree_on_ties(scale, zero, storage, profile):
    scale = np.float32(scale)
    of = reference.storage_type(storage)
    x = ties(scale, zero, of.lowest, of.highest)
    z = of.dtype.type(zero)

    def codes(name):
        return reference.quantize(x, scale, z, storage=storage, profile=name, return_defined=True)

    ours, ours_defined = codes(profile)
    expected = []
    for name in reference.PROFILES:
        theirs, defined = codes(name)
        if (
            np.where(defined, theirs.astype(int), -999)
            != np.where(ours_defined, ours.astype(int), -999)
        ).any():
            expected.append(name)
    fields = reference.PROFILES[profile].semantics
    words = ", ".join(f"{key} = {value}" for key, value in vars(fields).items() if key != "compute")
    text = (
        f"func.func @f(%x: tensor<?xf32>) -> tensor<?x{storage}> {{\n"
        f"  %s = arith.constant {int(scale.view(np.uint32)):#x} : f32\n"
        f"  %z = arith.constant dense<{zero}> : tensor<{storage}>\n"
        f"  %q = qdq.quantize %x scale %s zero_point %z semantics <compute = f32, {words}>"
        f" : (tensor<?xf32>, f32, tensor<{storage}>) -> tensor<?x{storage}>\n"
        f"  return %q : tensor<?x{storage}>\n}}\n"
    )
    assert profiles_named(remarks_of(text)) == expected
