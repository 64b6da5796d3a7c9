# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products of bytes, in every layout, signedness and odd size: NumPy's in i64, modulo 2^32."""

import itertools

import numpy as np
import pytest

from mlir_qdq import runtime

TYPES = {"s": (np.int8, "arith.extsi"), "u": (np.uint8, "arith.extui")}
MODES = ["none", "vnni"] if runtime._compile._byte_dots() == "vnni" else ["none"]


def codes(shape, sign: str, seed: int) -> np.ndarray:
    """Extremes are frequent, so that sums are large."""
    limits = np.iinfo(TYPES[sign][0])
    random = np.random.default_rng(seed)
    values = random.integers(limits.min, limits.max, shape, endpoint=True)
    return np.where(random.random(shape) < 0.3, limits.min, values).astype(TYPES[sign][0])


def tensor(shape, element: str, dynamic: bool = False) -> str:
    return f"tensor<{'x'.join('?' if dynamic else str(s) for s in shape)}x{element}>"


def product(maps, iterators, signs, types, constant=None) -> str:
    """A function of a, b and the sums to add to; b may be a constant instead."""
    a, b, c = types
    argument, value = f", %b: {b}", ""
    if constant is not None:
        argument, value = "", f'%b = arith.constant dense<"0x{constant.tobytes().hex()}"> : {b}'
    spaces = ", ".join(f"affine_map<{m}>" for m in maps)
    return f"""
    func.func @main(%a: {a}{argument}, %c: {c}) -> {c} {{
      {value}
      %r = linalg.generic {{indexing_maps = [{spaces}], iterator_types = [{iterators}]}}
          ins(%a, %b : {a}, {b}) outs(%c : {c}) {{
      ^bb0(%x: i8, %y: i8, %sum: i32):
        %p = {TYPES[signs[0]][1]} %x : i8 to i32
        %q = {TYPES[signs[1]][1]} %y : i8 to i32
        %t = arith.muli %p, %q : i32
        %u = arith.addi %sum, %t : i32
        linalg.yield %u : i32
      }} -> {c}
      return %r : {c}
    }}"""


def iterators(parallel: int, reductions: int) -> str:
    return ", ".join(['"parallel"'] * parallel + ['"reduction"'] * reductions)


def expect(sums, start) -> np.ndarray:
    return (sums + start).astype(np.int64).astype(np.uint32).view(np.int32)


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("signs", ["us", "su", "ss", "uu"])
@pytest.mark.parametrize("size", [(1, 4, 64), (2, 70, 300), (7, 13, 33), (1, 130, 5), (13, 64, 16)])
def test_matmul(size, signs, bits):
    m, k, n = size
    a, b = codes((m, k), signs[0], 1), codes((k, n), signs[1], 2)
    start = np.random.default_rng(3).integers(-(2**31), 2**31, (m, n)).astype(np.int32)
    want = expect(a.astype(np.int64) @ b.astype(np.int64), start)
    for transposed, form in itertools.product([False, True], ["static", "dynamic", "constant"]):
        columns = np.ascontiguousarray(b.T) if transposed else b
        maps = ["(m, n, k) -> (m, k)", f"(m, n, k) -> ({'n, k' if transposed else 'k, n'})"]
        maps.append("(m, n, k) -> (m, n)")
        shapes = (a.shape, columns.shape, start.shape)
        types = [tensor(s, e, form == "dynamic") for s, e in zip(shapes, ("i8", "i8", "i32"))]
        constant = columns if form == "constant" else None
        text = product(maps, iterators(2, 1), signs, types, constant)
        given = [a.view(np.int8)] + ([] if form == "constant" else [columns.view(np.int8)])
        for mode in MODES:
            main = runtime.compile(text, byte_dots=mode, vector_bits=bits).main
            np.testing.assert_array_equal(main(*given, start), want)


@pytest.mark.parametrize("size", [(0, 5, 6), (4, 0, 6), (4, 5, 0)])
def test_empty(size):
    m, k, n = size
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
    start = np.arange(m * n, dtype=np.int32).reshape(m, n)
    for dynamic in (False, True):
        types = [tensor(s, e, dynamic) for s, e in (((m, k), "i8"), ((k, n), "i8"), ((m, n), "i32"))]
        main = runtime.compile(product(maps, iterators(2, 1), "us", types)).main
        np.testing.assert_array_equal(
            main(np.ones((m, k), np.int8), np.ones((k, n), np.int8), start), start
        )


@pytest.mark.parametrize(
    "maps",
    [
        ["(n, k) -> (k)", "(n, k) -> (k, n)", "(n, k) -> (n)"],
        ["(n, k) -> (n, k)", "(n, k) -> (k)", "(n, k) -> (n)"],
        ["(b, m, n, k) -> (b, m, k)", "(b, m, n, k) -> (b, k, n)", "(b, m, n, k) -> (b, m, n)"],
        ["(b, m, n, k) -> (b, m, k)", "(b, m, n, k) -> (n, k)", "(b, m, n, k) -> (b, m, n)"],
        ["(m, n, k) -> (k, m)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"],
        ["(m, n, k) -> (k, m)", "(m, n, k) -> (n, k)", "(m, n, k) -> (m, n)"],
        ["(m, n, j, k) -> (j, m, k)", "(m, n, j, k) -> (k, j, n)", "(m, n, j, k) -> (m, n)"],
    ],
)
@pytest.mark.parametrize("signs", ["us", "ss"])
def test_layouts(maps, signs):
    """Vectors, batches, transposed sums, two reductions."""
    sizes = dict(b=3, m=8, n=40, j=3, k=22)
    loops = maps[0][1 : maps[0].index(")")].split(", ")
    dims = [m[m.rindex("(") + 1 : -1].split(", ") for m in maps]
    a, b = (codes([sizes[d] for d in dims[i]], signs[i], i) for i in range(2))
    start = np.zeros([sizes[d] for d in dims[2]], np.int32)
    want = np.einsum(
        ",".join("".join(d) for d in dims[:2]) + "->" + "".join(dims[2]),
        a.astype(np.int64),
        b.astype(np.int64),
    )
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (b, "i8"), (start, "i32"))]
    kinds = iterators(len(dims[2]), len(loops) - len(dims[2]))
    main = runtime.compile(product(maps, kinds, signs, types)).main
    np.testing.assert_array_equal(main(a.view(np.int8), b.view(np.int8), start), expect(want, start))


@pytest.mark.parametrize("stride,dilation", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("constant", [False, True])
def test_convolution(stride, dilation, constant):
    """Channels innermost: rows are neighbors in a line, three by three of them a window."""
    a, w = codes((2, 11, 12, 6), "u", 1), codes((3, 3, 6, 20), "s", 2)
    height, width = ((s - 2 * dilation - 1) // stride + 1 for s in a.shape[1:3])
    want = np.zeros((2, height, width, 20), np.int64)
    for i, j in itertools.product(range(3), range(3)):
        y, x = i * dilation, j * dilation
        part = a[:, y : y + stride * height : stride, x : x + stride * width : stride]
        want += part[:, :height, :width].astype(np.int64) @ w[i, j].astype(np.int64)
    loops = "(b, y, x, f, i, j, c)"
    step = f"y * {stride} + i * {dilation}, x * {stride} + j * {dilation}"
    maps = [f"{loops} -> (b, {step}, c)", f"{loops} -> (i, j, c, f)", f"{loops} -> (b, y, x, f)"]
    types = [tensor(a.shape, "i8"), tensor(w.shape, "i8"), tensor(want.shape, "i32")]
    text = product(maps, iterators(4, 3), "us", types, w if constant else None)
    given = [a.view(np.int8)] + ([] if constant else [w])
    start = np.zeros(want.shape, np.int32)
    np.testing.assert_array_equal(runtime.compile(text).main(*given, start), want)


def test_threads():
    """The parts of two threads begin anywhere in a constant."""
    a, b = codes((64, 96), "u", 1), codes((96, 416), "s", 2)
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
    types = [tensor((64, 96), "i8"), tensor((96, 416), "i8"), tensor((64, 416), "i32")]
    text = product(maps, iterators(2, 1), "us", types, b)
    main = runtime.compile(text, threads=2).main
    sums = main(a.view(np.int8), np.zeros((64, 416), np.int32))
    np.testing.assert_array_equal(sums, a.astype(np.int64) @ b.astype(np.int64))
