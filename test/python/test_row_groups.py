# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and normalizations, whose ops share loops over rows, beside NumPy in the declared order of sums."""

import mlir_qdq
import numpy as np
import pytest
from mlir_qdq import reference

from mlir.ir import Context, Module
from mlir_qdq import runtime

RANDOM = np.random.default_rng(7)
F32 = np.float32
#: Rows by shape: full tiles, rows left over, rows of one and of many vectors, none, and open sizes.
SHAPES = [
    (64, 512),
    (37, 40),
    (1, 5000),
    (3, 17, 33),
    (197, 197),
    (2, 3, 16, 130),
    (0, 64),
    (5, 1),
    (4096, 2),
]


def sums(x: np.ndarray, order: str) -> np.ndarray:
    """Of the last axis, which stays."""
    start = np.zeros(x.shape[:-1], F32)
    return reference.add_terms(start, x, order).astype(F32)[..., None]


def softmax(x: np.ndarray, order: str) -> np.ndarray:
    shifted = x - x.max(axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(shifted.astype(np.float64)).astype(F32)
    return powers / sums(powers, order)


def layer_norm(x: np.ndarray, order: str) -> np.ndarray:
    count = F32(x.shape[-1])
    x = x - sums(x, order) / count
    return x / np.sqrt(sums(x * x, order) / count + F32(1e-5)) * F32(1) + F32(0)


def text(name: str, type: str, last: str) -> str:
    ones = (
        f'"onnx.Constant"() {{value = dense<1.0> : tensor<{last}xf32>}} : () -> tensor<{last}xf32>'
    )
    body = {
        "softmax": f'%y = "onnx.Softmax"(%x) {{axis = -1 : si64}} : ({type}) -> {type}',
        "layer_norm": f"""%g = {ones}
          %b = {ones.replace("1.0", "0.0")}
          %y = "onnx.LayerNormalization"(%x, %g, %b) {{axis = -1 : si64}}
            : ({type}, tensor<{last}xf32>, tensor<{last}xf32>) -> {type}""",
    }[name]
    return f"func.func @{name}(%x: {type}) -> {type} {{\n{body}\nreturn %y : {type}\n}}"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", ["sequential", "lanes"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows(shape, order, threads):
    types = {"static": shape, "open": (*["?"] * (len(shape) - 1), shape[-1])}
    functions = {"softmax": softmax, "layer_norm": layer_norm}
    module = ""
    for kind, sizes in types.items():
        type = f"tensor<{'x'.join(map(str, sizes))}xf32>"
        for name in functions:
            module += text(name, type, str(shape[-1])).replace(f"@{name}", f"@{name}_{kind}") + "\n"
    with Context() as context:
        mlir_qdq.register(context)
        context.allow_unregistered_dialects = True
        compiled = runtime.compile(Module.parse(module), sum_order=order, threads=threads)
    x = (RANDOM.standard_normal(shape) * 3).astype(F32)
    for name, function in functions.items():
        expected = function(x, order)
        for kind in types:
            got = getattr(compiled, f"{name}_{kind}")(x)
            np.testing.assert_array_equal(got, expected, err_msg=f"{name} {kind}")


def test_special_rows():
    """Rows of infinities and NaN keep to themselves."""
    x = np.zeros((32, 256), F32)
    x[3, 5], x[7, 9], x[11] = np.inf, np.nan, -np.inf
    with Context() as context:
        mlir_qdq.register(context)
        context.allow_unregistered_dialects = True
        module = Module.parse(text("softmax", "tensor<32x256xf32>", "256"))
        got = runtime.compile(module, sum_order="any").softmax(x)
    broken = np.isnan(got).all(axis=1)
    assert np.flatnonzero(broken).tolist() == [3, 7, 11]
    np.testing.assert_array_equal(got[~broken], F32(1 / 256))
