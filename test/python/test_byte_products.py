# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products of bytes, in every layout, signedness and odd size: NumPy's in i64, modulo 2^32."""

import itertools
import platform
import re

import numpy as np
import pytest

from mlir_qdq import runtime

TYPES = {"s": (np.int8, "arith.extsi"), "u": (np.uint8, "arith.extui")}
#: Strategies to do without.
MODES = ["", "byte-dots"]


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


@pytest.mark.every_pair
@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("signs", ["us", "su", "ss", "uu"])
@pytest.mark.parametrize("size", [(1, 4, 64), (2, 70, 300), (7, 13, 33), (1, 130, 5), (13, 64, 16)])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("form", ["static", "dynamic", "constant"])
@pytest.mark.parametrize("mode", MODES)
def test_matmul(size, signs, bits, transposed, form, mode):
    m, k, n = size
    a, b = codes((m, k), signs[0], 1), codes((k, n), signs[1], 2)
    start = np.random.default_rng(3).integers(-(2**31), 2**31, (m, n)).astype(np.int32)
    want = expect(a.astype(np.int64) @ b.astype(np.int64), start)
    columns = np.ascontiguousarray(b.T) if transposed else b
    maps = ["(m, n, k) -> (m, k)", f"(m, n, k) -> ({'n, k' if transposed else 'k, n'})"]
    maps.append("(m, n, k) -> (m, n)")
    shapes = (a.shape, columns.shape, start.shape)
    types = [tensor(s, e, form == "dynamic") for s, e in zip(shapes, ("i8", "i8", "i32"))]
    constant = columns if form == "constant" else None
    text = product(maps, iterators(2, 1), signs, types, constant)
    given = [a.view(np.int8)] + ([] if form == "constant" else [columns.view(np.int8)])
    main = runtime.compile(text, without=mode, vector_bits=bits).main
    np.testing.assert_array_equal(main(*given, start), want)


#: Weights whose pairs fit in i16 beside unsigned bytes: all, most, few.
WEIGHTS = {"groups of 16": 4, "groups of 4": 12, "all": 20, "most": 32, "few": 127}
#: The machine's instructions, and those without dot products of bytes.
FEATURES = ["", "-avx512vnni,-avxvnni", "-avx512vnni,-avxvnni,-avx512bw"]


@pytest.mark.every_pair
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("fits", list(WEIGHTS))
@pytest.mark.parametrize("signs", ["us", "ss"])
@pytest.mark.parametrize("shape", ["2 x 3, 64, 40", "1, 256, 100", "9, 130, 33", "5, 64, 8"])
def test_pairs(shape, signs, fits, features):
    """Products of two pairs that do not fit in i16: the largest rows, and weights beyond half the range."""
    if features and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("features of x86")
    *rows, k, n = (int(size) for size in re.findall(r"\d+", shape))
    random = np.random.default_rng(k)
    b = np.clip(np.rint(random.normal(0, WEIGHTS[fits], (*rows[1:], k, n))), -128, 127)
    limits = np.iinfo(TYPES[signs[0]][0])
    a = np.where(random.random((rows[0], *rows[1:], k)) < 0.7, limits.max, limits.min)
    pairs = b.reshape(-1, 2, n) if k % 4 == 0 else b[..., : k // 2 * 2, :].reshape(-1, 2, n)
    same = np.sign(pairs[:, 0]) == np.sign(pairs[:, 1])
    over = (same & (abs(pairs.sum(axis=1)) > 128)).mean()
    assert {"most": 0 < over < 0.02, "few": over > 0.2}.get(fits, over == 0)
    a, b = a.astype(TYPES[signs[0]][0]), b.astype(np.int8)
    loops, spaces = "m, n, k", ("m, k", "k, n")
    if len(rows) == 2:
        loops, spaces = "m, n, j, k", ("m, j, k", "j, k, n")
    maps = [f"({loops}) -> ({dims})" for dims in (*spaces, "m, n")]
    start = random.integers(-(2**31), 2**31, (rows[0], n)).astype(np.int32)
    want = np.einsum("...jk,jkn->...n" if len(rows) == 2 else "...k,kn->...n", a.astype(int), b)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (b, "i8"), (start, "i32"))]
    text = product(maps, iterators(2, len(rows)), signs, types, b)
    main = runtime.compile(text, target_features=features).main
    np.testing.assert_array_equal(main(a.view(np.int8), start), expect(want, start))


@pytest.mark.every_pair
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("beyond", [0, 1])
@pytest.mark.parametrize("fours", [1, 2, 4, 8, 16])
def test_group_edges(fours, beyond, sign, features):
    """The largest rows, and weights whose products of `fours` times two fill i16, or one more in some lanes."""
    if features and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("features of x86")
    m, k, n = 7, 8 * fours, 40
    random = np.random.default_rng(fours)
    b = np.full((k, n), sign * 64 // fours)
    b[random.integers(0, k, n), np.arange(n)] += sign * beyond * (random.random(n) < 0.3)
    a = np.full((m, k), 255, np.uint8)
    start = random.integers(-(2**31), 2**31, (m, n)).astype(np.int32)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (b, "i8"), (start, "i32"))]
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
    text = product(maps, iterators(2, 1), "us", types, b.astype(np.int8))
    main = runtime.compile(text, target_features=features).main
    np.testing.assert_array_equal(main(a.view(np.int8), start), expect(a.astype(int) @ b, start))


@pytest.mark.parametrize("size", [(0, 5, 6), (4, 0, 6), (4, 5, 0)])
def test_empty(size):
    m, k, n = size
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
    start = np.arange(m * n, dtype=np.int32).reshape(m, n)
    for dynamic in (False, True):
        types = [
            tensor(s, e, dynamic) for s, e in (((m, k), "i8"), ((k, n), "i8"), ((m, n), "i32"))
        ]
        main = runtime.compile(product(maps, iterators(2, 1), "us", types)).main
        np.testing.assert_array_equal(
            main(np.ones((m, k), np.int8), np.ones((k, n), np.int8), start), start
        )


@pytest.mark.every_value
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
    np.testing.assert_array_equal(
        main(a.view(np.int8), b.view(np.int8), start), expect(want, start)
    )


#: Which dimensions the input, the filters and the result have, in their order.
CONVOLUTIONS = {
    "nhwc": ("byxc", "ijcf", "byxf"),
    "nchw": ("bcyx", "fcij", "bfyx"),
    "nchw_groups": ("bgcyx", "gfcij", "bgfyx"),
    "depthwise": ("bcyx", "cij", "bcyx"),
    "depthwise_channels": ("bcyx", "cij", "bcyx"),
    "depthwise_nhwc": ("byxc", "ijc", "byxc"),
    "depthwise_multiplied": ("byxc", "ijcf", "byxcf"),
}


def convolve(a, w, form: str, stride: int, dilation: int) -> np.ndarray:
    """A sum of einsums, one for each place of the window."""
    source, filters, result = CONVOLUTIONS[form]
    y, x = source.index("y"), source.index("x")
    height, width = ((a.shape[d] - 2 * dilation - 1) // stride + 1 for d in (y, x))
    sums = 0
    for i, j in itertools.product(range(3), range(3)):
        part = [slice(None)] * a.ndim
        part[y] = slice(i * dilation, i * dilation + stride * (height - 1) + 1, stride)
        part[x] = slice(j * dilation, j * dilation + stride * (width - 1) + 1, stride)
        of = [{"i": i, "j": j}.get(d, slice(None)) for d in filters]
        rest = "".join(d for d in filters if d not in "ij")
        terms = (a[tuple(part)].astype(np.int64), w[tuple(of)].astype(np.int64))
        sums = sums + np.einsum(f"{source},{rest}->{result}", *terms)
    return sums


def slide(form: str, stride: int = 1, dilation: int = 1) -> tuple[list[str], str]:
    """The indexing maps and the kinds of loops of a convolution."""
    source, filters, result = CONVOLUTIONS[form]
    step = {d: f"{d} * {stride} + {k} * {dilation}" for d, k in (("y", "i"), ("x", "j"))}
    loops = [*result, *sorted(set(filters) - set(result))]
    maps = [
        f"({', '.join(loops)}) -> ({', '.join(dims)})"
        for dims in ([step.get(d, d) for d in source], filters, result)
    ]
    return maps, iterators(len(result), len(loops) - len(result))


@pytest.mark.every_pair
@pytest.mark.parametrize("steps", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("form", list(CONVOLUTIONS))
@pytest.mark.parametrize("signs", ["us", "ss"])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("epilogue", [False, True])
def test_convolution(form, signs, steps, constant, epilogue):
    """Rows are neighbors in a line, three by three of them a window; and a maximum afterwards."""
    source, filters, result = CONVOLUTIONS[form]
    stride, dilation = steps
    channels = 32 if form == "depthwise_channels" else 6
    sizes = dict(b=2, g=2, c=channels, f=20, i=3, j=3, y=21, x=23)
    a = codes([sizes[d] for d in source], signs[0], 1)
    w = codes([sizes[d] for d in filters], signs[1], 2)
    want = convolve(a, w, form, stride, dilation)
    start = np.full(want.shape, 5, np.int32)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (w, "i8"), (start, "i32"))]
    maps, kinds = slide(form, stride, dilation)
    text = product(maps, kinds, signs, types, w if constant else None)
    given = [a.view(np.int8)] + ([] if constant else [w.view(np.int8)])
    sums = expect(want, start)
    if epilogue:  # its result is transposed, not the sums
        sums = np.maximum(sums, 0)
        identity = f"affine_map<({', '.join(result)}) -> ({', '.join(result)})>"
        relu = f"""
          %zero = arith.constant 0 : i32
          %relu = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{iterators(len(result), 0)}]}}
              ins(%r : {types[2]}) outs(%c : {types[2]}) {{
          ^bb0(%x: i32, %out: i32):
            %y = arith.maxsi %x, %zero : i32
            linalg.yield %y : i32
          }} -> {types[2]}
          return %relu"""
        text = text.replace("return %r", relu)
    np.testing.assert_array_equal(runtime.compile(text).main(*given, start), sums)


@pytest.mark.every_pair
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("width", [23, 24])
@pytest.mark.parametrize("channels", [1, 3, 5])
@pytest.mark.parametrize("signs", ["us", "ss", "su"])
@pytest.mark.parametrize("form", ["nhwc", "nchw"])
def test_windows_of_few_channels(form, signs, channels, width, features):
    """The line of a window is one depth; whole fours end with the picture's line, or beyond it."""
    if features and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("features of x86")
    source, filters, result = CONVOLUTIONS[form]
    sizes = dict(b=1, c=channels, f=20, i=3, j=3, y=9, x=width)
    a = codes([sizes[d] for d in source], signs[0], 1)
    w = codes([sizes[d] for d in filters], signs[1], 2)
    want = convolve(a, w, form, 2, 1)
    start = np.full(want.shape, 5, np.int32)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (w, "i8"), (start, "i32"))]
    text = product(*slide(form, stride=2), signs, types, w)
    main = runtime.compile(text, target_features=features).main
    np.testing.assert_array_equal(main(a.view(np.int8), start), expect(want, start))


@pytest.mark.parametrize("features", FEATURES)
def test_pixels_with_a_result_each(features):
    """No line of a window: nothing adds them up."""
    if features and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("features of x86")
    a, w = codes((4, 10, 3), "u", 1), codes((2, 3, 20), "s", 2)
    windows = np.lib.stride_tricks.sliding_window_view(a.astype(np.int64), 2, 1)[:, :8]
    want = np.einsum("bxcj,jcf->bxjf", windows, w.astype(np.int64))
    start = np.full(want.shape, 5, np.int32)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (w, "i8"), (start, "i32"))]
    loops = "(b, x, j, f, c)"
    maps = [f"{loops} -> {indices}" for indices in ("(b, x + j, c)", "(j, c, f)", "(b, x, j, f)")]
    text = product(maps, iterators(4, 1), "us", types, w)
    main = runtime.compile(text, target_features=features).main
    np.testing.assert_array_equal(main(a.view(np.int8), start), expect(want, start))


SHARED = {
    "transposed": ("us", "(m, n, k) -> (n, k)", "us"),
    "row_signed": ("us", "(m, n, k) -> (k, n)", "ss"),
    "column_unsigned": ("us", "(m, n, k) -> (k, n)", "uu"),
    "both": ("ss", "(m, n, k) -> (n, k)", "uu"),
}


@pytest.mark.every_pair
@pytest.mark.parametrize("m", [1, 12])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("name", list(SHARED))
def test_shared_columns(name, constant, m):
    """Two products of the same bytes, which read them in different ways."""
    first, columns, second = SHARED[name]
    size = 20
    a, b = codes((m, size), "s", 1), codes((size, size), "s", 2)
    start = np.zeros((m, size), np.int32)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (b, "i8"), (start, "i32"))]
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
    texts = [
        product(maps, iterators(2, 1), first, types, b if constant else None),
        product([maps[0], columns, maps[2]], iterators(2, 1), second, types),
    ]
    body = texts[1][texts[1].index("%r =") : texts[1].index("return")].replace("%r", "%other", 1)
    text = texts[0].replace(f"-> {types[2]} {{\n", f"-> ({types[2]}, {types[2]}) {{\n", 1)
    text = text.replace(
        f"return %r : {types[2]}", f"{body}return %r, %other : {types[2]}, {types[2]}"
    )
    given = [a] if constant else [a, b]
    results = runtime.compile(text).main(*given, start)
    for result, signs, order in zip(results, (first, second), (maps[1], columns)):
        x, y = (v.view(TYPES[s][0]).astype(np.int64) for v, s in zip((a, b), signs))
        np.testing.assert_array_equal(result, x @ (y.T if order.endswith("(n, k)") else y))


def quantized(text: str, dims: list[str], result: str) -> str:
    """Half of the sums as bytes, modulo 256, instead of the sums."""
    identity = f"affine_map<({', '.join(dims)}) -> ({', '.join(dims)})>"
    codes = result.replace("i32", "i8")
    tail = f"""
      %shift = arith.constant 1 : i32
      %bytes = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{iterators(len(dims), 0)}]}}
          ins(%r : {result}) outs(%d : {codes}) {{
      ^bb0(%x: i32, %out: i8):
        %y = arith.shrsi %x, %shift : i32
        %z = arith.trunci %y : i32 to i8
        linalg.yield %z : i8
      }} -> {codes}
      return %bytes : {codes}"""
    return (
        text.replace(f"return %r : {result}", tail)
        .replace(f"%c: {result})", f"%c: {result}, %d: {codes})")
        .replace(f") -> {result} {{", f") -> {codes} {{", 1)
    )


#: Rows, columns, batches, and what is left over.
SHARED_WORK = {
    "columns": ("mk", "kn", "mn", dict(m=64, k=96, n=416)),
    "even_columns": ("mk", "kn", "mn", dict(m=64, k=96, n=512)),
    "odd_columns": ("mk", "kn", "mn", dict(m=3, k=997, n=1001)),
    "one_row": ("mk", "kn", "mn", dict(m=1, k=1024, n=1280)),
    "rows": ("mk", "kn", "mn", dict(m=1031, k=96, n=40)),
    "transposed": ("mk", "nk", "mn", dict(m=130, k=96, n=256)),
    "batches": ("bmk", "bkn", "bmn", dict(b=5, m=33, k=200, n=100)),
    "vector": ("k", "kn", "n", dict(k=1024, n=1536)),
}


@pytest.mark.every_pair
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("form", ["static", "dynamic", "constant"])
@pytest.mark.parametrize("name", list(SHARED_WORK))
@pytest.mark.parametrize("epilogue", [False, True])
def test_threads(name, form, threads, epilogue):
    """A product, and one with the op that alone uses its sums: their parts begin anywhere."""
    *dims, sizes = SHARED_WORK[name]
    a, b = (codes([sizes[d] for d in dims[i]], "us"[i], i) for i in range(2))
    start = np.arange(np.prod([sizes[d] for d in dims[2]]), dtype=np.int32)
    start = start.reshape([sizes[d] for d in dims[2]])
    loops = [*dims[2], "k"]
    maps = [f"({', '.join(loops)}) -> ({', '.join(d)})" for d in dims]
    types = [
        tensor(x.shape, e, form == "dynamic") for x, e in ((a, "i8"), (b, "i8"), (start, "i32"))
    ]
    text = product(maps, iterators(len(dims[2]), 1), "us", types, b if form == "constant" else None)
    given = [a.view(np.int8)] + ([] if form == "constant" else [b]) + [start]
    terms = (x.astype(np.int64) for x in (a, b))
    want = expect(np.einsum(f"{dims[0]},{dims[1]}->{dims[2]}", *terms), start)
    if epilogue:
        text = quantized(text, list(dims[2]), types[2])
        given.append(np.zeros(start.shape, np.int8))
        want = (want >> 1).astype(np.int8)
    np.testing.assert_array_equal(runtime.compile(text, threads=threads).main(*given), want)


@pytest.mark.every_value
@pytest.mark.parametrize("form", ["nhwc", "nchw", "depthwise", "depthwise_nhwc"])
@pytest.mark.parametrize("threads", [2, 3, 1])
def test_convolution_threads(form, threads):
    source, filters, result = CONVOLUTIONS[form]
    sizes = dict(b=2, c=70, f=64, i=3, j=3, y=37, x=45)
    a = codes([sizes[d] for d in source], "u", 1)
    w = codes([sizes[d] for d in filters], "s", 2)
    want = convolve(a, w, form, 1, 1)
    types = [tensor(x.shape, e) for x, e in ((a, "i8"), (w, "i8"), (want, "i32"))]
    text = product(*slide(form), "us", types, w)
    text = quantized(text, list(result), types[2])
    given = a.view(np.int8), np.zeros(want.shape, np.int32), np.zeros(want.shape, np.int8)
    main = runtime.compile(text, threads=threads).main
    np.testing.assert_array_equal(main(*given), (want >> 1).astype(np.int8))


@pytest.mark.parametrize("form", ["nchw", "depthwise_channels"])
@pytest.mark.parametrize("value", ["%z", "%inside"])
def test_padded(form, value):
    """Lines are padded after their channels are innermost; the value is an argument, or not."""
    source, filters, result = CONVOLUTIONS[form]
    sizes = dict(b=1, c=32, f=20, i=3, j=3, y=9, x=11)
    a = codes([sizes[d] for d in source], "u", 1)
    w = codes([sizes[d] for d in filters], "s", 2)
    padded = np.pad(a, [(0, 0), (0, 0), (1, 0), (2, 1)], constant_values=77)
    want = convolve(padded, w, form, 1, 1)
    types = [tensor(x.shape, e) for x, e in ((padded, "i8"), (w, "i8"), (want, "i32"))]
    text = product(*slide(form), "us", types, w)
    given = tensor(a.shape, "i8")
    text = text.replace(f"%a: {types[0]}", f"%unpadded: {given}, %z: i8").replace(
        "%r =",
        f"""%a = tensor.pad %unpadded low[0, 0, 1, 2] high[0, 0, 0, 1] {{
      ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
        %inside = arith.constant 77 : i8
        tensor.yield {value} : i8
      }} : {given} to {types[0]}
      %r =""",
    )
    start = np.zeros(want.shape, np.int32)
    main = runtime.compile(text).main
    np.testing.assert_array_equal(main(a.view(np.int8), np.int8(77), start), want)


@pytest.mark.every_pair
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", ["divsi", "remui", "remsi", "floordivsi", "ceildivui"])
@pytest.mark.parametrize("lanes", [5, 11, 16])
def test_lanes_that_do_not_exist_divide_by_nothing(lanes, operation, mode):
    """Sums of quotients: as vectors, lanes beside the last result would divide by 0."""
    a = np.arange(100, 100 + 3 * lanes, dtype=np.int32).reshape(3, lanes)
    b = np.arange(1, 1 + 3 * lanes, dtype=np.int32).reshape(3, lanes)
    transposed = "affine_map<(i, k) -> (k, i)>"
    text = f"""
    func.func @main(%a: {tensor(a.shape, "i32")}, %b: {tensor(a.shape, "i32")}) -> {tensor((lanes,), "i32")} {{
      %zero = arith.constant dense<0> : {tensor((lanes,), "i32")}
      %r = linalg.generic {{indexing_maps = [{transposed}, {transposed}, affine_map<(i, k) -> (i)>],
          iterator_types = ["parallel", "reduction"]}}
          ins(%a, %b : {tensor(a.shape, "i32")}, {tensor(a.shape, "i32")}) outs(%zero : {tensor((lanes,), "i32")}) {{
      ^bb0(%x: i32, %y: i32, %sum: i32):
        %q = arith.{operation} %x, %y : i32
        %s = arith.addi %sum, %q : i32
        linalg.yield %s : i32
      }} -> {tensor((lanes,), "i32")}
      return %r : {tensor((lanes,), "i32")}
    }}"""
    quotients = {"rem": a % b, "cei": -(-a // b)}.get(operation[:3], a // b)
    expected = quotients.sum(axis=0, dtype=np.int32)
    np.testing.assert_array_equal(runtime.compile(text, without=mode).main(a, b), expected)
