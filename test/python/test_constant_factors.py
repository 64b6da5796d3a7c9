# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of floats with a constant, in each order, against the sums of docs/Semantics.md, Q12.1 to Q12.3."""

import numpy as np
import pytest

from mlir_qdq import reference, runtime


def tensor(*sizes) -> str:
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


def constant(array: np.ndarray, is_resource: bool) -> tuple[str, str]:
    """The attribute, and what has to stand behind the module."""
    data = array.tobytes().hex().upper()
    if not is_resource:
        return f'dense<"0x{data}">', ""
    return (
        "dense_resource<w>",
        f"""
    {{-#
      dialect_resources: {{ builtin: {{ w: "0x04000000{data}" }} }}
    #-}}""",
    )


@pytest.mark.every_pair
@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"vector_bits": 256}], ids=str)
@pytest.mark.parametrize("is_resource", [False, True], ids=["dense", "resource"])
@pytest.mark.parametrize("layout", ["kn", "nk", "bkn"])
@pytest.mark.parametrize("k", [1, 7, 64])
@pytest.mark.parametrize("n", [1, 32, 100, 256])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 17, 40, "?"])
@pytest.mark.parametrize("order", ["sequential", "lanes", "any"])
def test_products(order, rows, n, k, layout, is_resource, options):
    """Whole panels of columns and others, few rows and many; a bias behind them."""
    random = np.random.default_rng(n * 100 + k)
    m, batches = 5 if rows == "?" else rows, [2] if layout[0] == "b" else []
    x = random.standard_normal([*batches, m, k]).astype(np.float32)
    w = random.standard_normal([*batches, k, n]).astype(np.float32)
    bias = random.standard_normal(n).astype(np.float32)
    written = np.swapaxes(w, -1, -2) if layout == "nk" else w
    value, resources = constant(np.ascontiguousarray(written), is_resource)
    b, loops = ("b, ", "b, m, n, k") if batches else ("", "m, n, k")
    xs, ys, ws = tensor(*batches, rows, k), tensor(*batches, rows, n), tensor(*written.shape)
    maps = ", ".join(
        f"affine_map<({loops}) -> ({dims})>"
        for dims in (f"{b}m, k", f"{b}{layout[-2]}, {layout[-1]}", f"{b}m, n")
    )
    outer = "b, m, n" if batches else "m, n"
    text = f"""
    func.func @main(%x: {xs}, %y: {ys}, %c: {tensor(n)}) -> ({ys}, {ys}) {{
      %w = arith.constant {value} : {ws}
      %r = linalg.contract indexing_maps = [{maps}] ins(%x, %w : {xs}, {ws}) outs(%y : {ys}) -> {ys}
      %s = linalg.generic {{indexing_maps = [affine_map<({outer}) -> ({outer})>, affine_map<({outer}) -> (n)>, affine_map<({outer}) -> ({outer})>],
          iterator_types = [{", ".join(['"parallel"'] * len(outer.split(",")))}]}} ins(%r, %c : {ys}, {tensor(n)}) outs(%r : {ys}) {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32
      }} -> {ys}
      return %r, %s : {ys}, {ys}
    }}{resources}"""
    y = random.standard_normal([*batches, m, n]).astype(np.float32)
    got, biased = map(
        np.asarray, runtime.compile(text, sum_order=order, **options).main(x, y, bias)
    )
    np.testing.assert_array_equal(biased, got + bias)
    columns = np.swapaxes(w, -1, -2)[..., None, :, :]
    if order != "any":
        expected = reference.add_products(y, x[..., None, :], columns, order)
        np.testing.assert_array_equal(got.view(np.uint32), expected.view(np.uint32))
        return
    exact = y + x.astype(np.float64) @ w.astype(np.float64)
    magnitude = np.abs(y) + np.abs(x).astype(np.float64) @ np.abs(w)
    assert (np.abs(got - exact) <= (k + 1) * 2.0**-24 * magnitude).all()
