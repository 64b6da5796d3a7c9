# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands indexed by quotients, remainders and falling numbers, which tiles do not follow: the bits of NumPy."""

import numpy as np
import pytest

from mlir_qdq import runtime

ROWS, COLUMNS, DEPTH = 37, 40, 12

INDICES = {
    "quotient": ("i floordiv 3", lambda i, size: i // 3),
    "remainder": ("i mod 3", lambda i, size: i % 3),
    "falling": ("{last} - i", lambda i, size: size - 1 - i),
    "scaled": ("i * 2 + 1", lambda i, size: 2 * i + 1),
}


def indexed(index: str, size: int) -> tuple[str, np.ndarray]:
    """The expression, and its value for each i."""
    text, values = INDICES[index]
    return text.format(last=size - 1), values(np.arange(size), size)


def tensor(array: np.ndarray) -> str:
    return f"tensor<{'x'.join(map(str, array.shape))}x{array.dtype.kind}{8 * array.itemsize}>"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("index", INDICES)
def test_elementwise(index, threads):
    expression, at = indexed(index, 1 << 20)
    x = np.random.default_rng(1).standard_normal(at.max() + 1).astype(np.float32)
    text = f"""
    func.func @main(%x: {tensor(x)}) -> {tensor(x[at])} {{
      %e = tensor.empty() : {tensor(x[at])}
      %r = linalg.generic {{indexing_maps = [affine_map<(i) -> ({expression})>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
          ins(%x : {tensor(x)}) outs(%e : {tensor(x[at])}) {{
      ^bb0(%a: f32, %out: f32):
        %y = arith.negf %a : f32
        linalg.yield %y : f32
      }} -> {tensor(x[at])}
      return %r : {tensor(x[at])}
    }}"""
    np.testing.assert_array_equal(runtime.compile(text, threads=threads).main(x), -x[at])


DTYPES = {"i8": np.int8, "i32": np.int32, "f32": np.float32}

BODIES = {
    "i8": """
        %p = arith.extui %a : i8 to i32
        %q = arith.extsi %b : i8 to i32
        %m = arith.muli %p, %q : i32
        %s = arith.addi %sum, %m : i32""",
    "i32": """
        %m = arith.muli %a, %b : i32
        %s = arith.addi %sum, %m : i32""",
    "f32": """
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %m : f32""",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("element", BODIES)
@pytest.mark.parametrize("index", INDICES)
def test_product(index, element, threads):
    """Rows of a product: of bytes, in lanes, and in the order of the sum."""
    expression, at = indexed(index, ROWS)
    random = np.random.default_rng(2)
    x, w = (
        random.integers(-8, 8, shape).astype(DTYPES[element])
        for shape in ((at.max() + 1, DEPTH), (DEPTH, COLUMNS))
    )
    rows = x.view(np.uint8) if element == "i8" else x
    wide = np.float32 if element == "f32" else np.int32
    expected = rows[at].astype(wide) @ w.astype(wide)
    out, total = tensor(expected), "f32" if element == "f32" else "i32"
    text = f"""
    func.func @main(%x: {tensor(x)}, %w: {tensor(w)}, %init: {out}) -> {out} {{
      %r = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> ({expression}, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}} ins(%x, %w : {tensor(x)}, {tensor(w)}) outs(%init : {out}) {{
      ^bb0(%a: {element}, %b: {element}, %sum: {total}):{BODIES[element]}
        linalg.yield %s : {total}
      }} -> {out}
      return %r : {out}
    }}"""
    main = runtime.compile(text, threads=threads).main
    np.testing.assert_array_equal(main(x, w, np.zeros_like(expected)), expected)
