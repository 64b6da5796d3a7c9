# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with dequantized weights: the sums in f32, term by term, of NumPy, bit for bit; in any order, against f64."""

import ml_dtypes
import numpy as np
import packing_formats as formats
import pytest
from kernels import same
from test_sub_byte import random_codes

from mlir_qdq import reference, runtime

#: Named op, indexing maps, and which dimensions of (m, n, k) x, w and y have.
FORMS = {
    "matvec": ("matvec", "", "k", "nk", "n"),
    "vecmat": ("vecmat", "", "k", "kn", "n"),
    "matmul": ("matmul", "", "mk", "kn", "mn"),
    "matmul_transposed": ("matmul", "maps", "mk", "nk", "mn"),
}
STORAGES = ["i4", "ui4", "i2", "i8", "f4E2M1FN"]
SIZES = dict(m=3, n=10, k=128)
BLOCK = 32


def tensor(shape, element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def product(form: str, storage: str, expressed: str, with_zero_point: bool):
    """A function's text, the shapes of x and w, and the blocks of w."""
    op, maps, x, w, y = FORMS[form]
    shapes = [tuple(SIZES[d] for d in dims) for dims in (x, w, y)]
    blocks = [BLOCK if d == "k" else 1 for d in w]
    parameters = tuple(size // b for size, b in zip(shapes[1], blocks))
    types = [tensor(shapes[1], storage), tensor(parameters, expressed)]
    zero = ""
    if with_zero_point:
        types.append(tensor(parameters, storage))
        zero = " zero_point %z"
    xs, ws, ys = (tensor(s, e) for s, e in zip(shapes, (expressed, expressed, "f32")))
    if maps:
        spaces = (f"affine_map<(m, n, k) -> ({', '.join(d)})>" for d in (x, w, y))
        maps = f" indexing_maps = [{', '.join(spaces)}]"
    order = ["x", "d"] if form != "matvec" else ["d", "x"]
    names = ", ".join(f"%{o}" for o in order)
    operands = ", ".join(dict(x=xs, d=ws)[o] for o in order)
    arguments = "".join(f"%{n}: {t}, " for n, t in zip("wsz", types))
    text = f"""
    func.func @main({arguments}%x: {xs}, %y: {ys}) -> {ys} {{
      %d = qdq.dequantize %w scale %s{zero} block_shape {blocks} : ({", ".join(types)}) -> {ws}
      %r = linalg.{op}{maps} ins({names} : {operands}) outs(%y : {ys}) -> {ys}
      return %r : {ys}
    }}"""
    return text, shapes, blocks, parameters


def inputs(form: str, storage: str, expressed: str, with_zero_point: bool):
    text, shapes, blocks, parameters = product(form, storage, expressed, with_zero_point)
    random = np.random.default_rng(7)
    real = dict(f32=np.float32, f16=np.float16, bf16=ml_dtypes.bfloat16)[expressed]
    w = random_codes(shapes[1], storage)
    given = [random.uniform(0.1, 3, parameters).astype(real)]
    if with_zero_point:
        given.append(random_codes(parameters, storage))
    x = random.standard_normal(shapes[0]).astype(real)
    y = random.standard_normal(shapes[2]).astype(np.float32)
    weight = reference.dequantize(w, *given, block_shape=blocks, storage=storage, expressed=real)
    x, w_nk = x.reshape(-1, SIZES["k"]), weight if FORMS[form][3] == "nk" else weight.T
    return text, (w, *given, x.reshape(shapes[0]), y), x, w_nk, y


def add_in_order(x, w, y):
    """The f32 sums over k, one product after the other."""
    total = y.reshape(len(x), len(w)).copy()
    for k in range(SIZES["k"]):
        total += np.outer(x[:, k].astype(np.float32), w[:, k].astype(np.float32))
    return total.reshape(y.shape)


@pytest.mark.every_pair
@pytest.mark.parametrize("expressed", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"target": "linalg"}], ids=str)
def test_order_stays(form, storage, expressed, options):
    with_zero_point = expressed != "f16" and not storage.startswith("f")
    text, arguments, x, w, y = inputs(form, storage, expressed, with_zero_point)
    expected = add_in_order(x, w, y)
    got = np.asarray(runtime.compile(text, **options).main(*arguments))
    np.testing.assert_array_equal(got.view(np.uint32), expected.view(np.uint32))


@pytest.mark.every_pair
@pytest.mark.parametrize("expressed", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("form", FORMS)
def test_any_order(form, storage, expressed):
    """Within the bound of a sum of K + 1 terms in any order (Higham, Accuracy and Stability, section 4.2)."""
    with_zero_point = expressed != "f16" and not storage.startswith("f")
    text, arguments, x, w, y = inputs(form, storage, expressed, with_zero_point)
    got = np.asarray(runtime.compile(text, sum_order="any").main(*arguments))
    xs, ws = x.astype(np.float64), w.astype(np.float64)
    exact = (y.reshape(len(xs), len(ws)) + xs @ ws.T).reshape(y.shape)
    size = (np.abs(y).reshape(len(xs), len(ws)) + np.abs(xs) @ np.abs(ws).T).reshape(y.shape)
    steps = SIZES["k"] + 1
    assert np.all(np.abs(got - exact) <= size * steps * 2.0**-24 / (1 - steps * 2.0**-24))


def test_vectors_err_less(monkeypatch):
    """Many partial sums stay small: a long sum in vectors is nearer to f64 than one in order."""
    monkeypatch.setitem(SIZES, "k", 4096)
    text, arguments, x, w, y = inputs("matvec", "i4", "f32", False)
    got = np.asarray(runtime.compile(text, sum_order="any").main(*arguments))
    exact = y + w.astype(np.float64) @ x[0].astype(np.float64)
    assert np.abs(got - exact).sum() <= np.abs(add_in_order(x, w, y) - exact).sum()


@pytest.mark.parametrize("options", [{}, {"sum_order": "any"}], ids=["in order", "any order"])
def test_special_values(options):
    """An infinity and a NaN of x reach the sums that they belong to; a code of 0 times infinity is NaN."""
    text, (w, s, x, y), *_ = inputs("matmul_transposed", "i4", "f32", False)
    w = w.copy()
    w[0], w[1] = 3, 0
    x[0, 5], x[1, 7] = np.inf, np.nan
    got = np.asarray(runtime.compile(text, **options).main(w, s, x, y))
    assert got[0, 0] == np.inf and np.isnan(got[0, 1])
    assert np.isnan(got[1]).all() and np.isfinite(got[2]).all()


def hard_factors(random, m, k, n, block):
    """Scales of blocks of [K, N], and x, with -0, subnormals, large numbers, infinity and NaN."""
    s = random.uniform(0.01, 2, (-(-k // block), n)).astype(np.float32)
    x = random.standard_normal((m, k)).astype(np.float32)
    x[0, :4] = [-0.0, 1e-45, 1e38, -1e38]
    x[-1, 5:7] = [np.inf, np.nan] if m > 1 else [1e-40, -0.0]
    s[0, :3] = [1e-45, 2.0**-140, 3e38]
    return s, x


def check_ordered_sums(text, w, codes, s, x, y, block):
    """y + x times the weight has the bits of NumPy's sums, term by term."""
    k = len(codes)
    with np.errstate(all="ignore"):
        weight = codes.astype(np.float32) * np.repeat(s, block, axis=0)[:k]
        expected = y.copy()
        for i in range(k):
            expected += np.outer(x[:, i], weight[i])
    got = np.asarray(runtime.compile(text).main(w, s, x, y))
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), nan)
    np.testing.assert_array_equal(got[~nan].view(np.uint32), expected[~nan].view(np.uint32))


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("m, n", [(1, 300), (3, 64), (9, 37), (17, 7)])
@pytest.mark.parametrize("packed", [False, True], ids=["i8", "gptq"])
def test_columns_as_lanes(packed, m, n, dynamic):
    """Weights in rows [K, N]: full vectors, parts of one, rows left over; the order stays, and so do -0, subnormals, NaN."""
    k, block = 64, 32
    random = np.random.default_rng(m)
    s, x = hard_factors(random, m, k, n, block)
    rows, columns = ("?", "?") if dynamic else (m, n)
    xs, ys, ss = tensor((rows, k), "f32"), tensor((rows, columns), "f32"), tensor((k // block, columns), "f32")  # fmt: skip
    ws = tensor((k, columns), "i4" if packed else "i8")
    if packed:
        w = random.integers(-(2**31), 2**31, (k // 8, n)).astype(np.int32)
        fields = w.view(np.uint32)[:, None] >> 4 * np.arange(8, dtype=np.uint32)[:, None] & 15
        codes = fields.reshape(k, n).astype(np.int32) - 8
        containers = tensor((k // 8, columns), "i32")
        unpack = f"%q = qdq.unpack %w packing <gptq-v2> : ({containers}) -> {ws}"
    else:
        w = codes = random.integers(-128, 128, (k, n)).astype(np.int8)
        containers, unpack = ws, ""
    text = f"""
    func.func @main(%w: {containers}, %s: {ss}, %x: {xs}, %y: {ys}) -> {ys} {{
      {unpack}
      %d = qdq.dequantize {"%q" if packed else "%w"} scale %s block_shape [{block}, 1] : ({ws}, {ss}) -> {tensor((k, columns), "f32")}
      %r = linalg.matmul ins(%x, %d : {xs}, {tensor((k, columns), "f32")}) outs(%y : {ys}) -> {ys}
      return %r : {ys}
    }}"""
    y = random.standard_normal((m, n)).astype(np.float32)
    check_ordered_sums(text, w, codes, s, x, y, block)


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    "m, k, n", [(1, 64, 300), (3, 64, 64), (9, 70, 38), (17, 64, 8), (2, 65, 37)]
)
@pytest.mark.parametrize("storage", ["i4", "ui2", "f4E2M1FN", "awq"])
def test_columns_in_slots(storage, m, k, n, dynamic):
    """Weights [K, N] packed along N: bytes whose codes are neighboring columns; tiles, parts of one, columns and rows left over, blocks cut off."""
    block = 32
    if storage == "awq":
        n = -(-n // 8) * 8  # words of eight codes
    random = np.random.default_rng(n)
    s, x = hard_factors(random, m, k, n, block)
    if storage == "awq":
        w = random.integers(-(2**31), 2**31, (k, n // 8)).astype(np.int32)
        codes, element = formats.unpack_awq_gemm(w), "ui4"
    else:
        w, element = random_codes((k, n), storage), storage
        codes = w.astype(np.float32)
    rows, columns = ("?", "?") if dynamic else (m, n)
    xs, ys, ss = tensor((rows, k), "f32"), tensor((rows, columns), "f32"), tensor((len(s), columns), "f32")  # fmt: skip
    ws = given = tensor((k, columns), element)
    unpack = ""
    if storage == "awq":
        given = tensor((k, "?" if dynamic else n // 8), "i32")
        unpack = f"%q = qdq.unpack %w packing <awq-gemm> : ({given}) -> {ws}"
    text = f"""
    func.func @main(%w: {given}, %s: {ss}, %x: {xs}, %y: {ys}) -> {ys} {{
      {unpack}
      %d = qdq.dequantize {"%q" if unpack else "%w"} scale %s block_shape [{block}, 1] : ({ws}, {ss}) -> {tensor((k, columns), "f32")}
      %r = linalg.matmul ins(%x, %d : {xs}, {tensor((k, columns), "f32")}) outs(%y : {ys}) -> {ys}
      return %r : {ys}
    }}"""
    y = random.standard_normal((m, n)).astype(np.float32)
    check_ordered_sums(text, w, codes, s, x, y, block)


def hard_floats(random, shape):
    values = random.standard_normal(shape).astype(np.float32)
    values.flat[: min(5, values.size)] = [-0.0, np.inf, 1e-45, np.nan, 0.0][: values.size]
    return values


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("m, k, n", [(8, 5, 33), (17, 9, 100), (40, 64, 37), (33, 0, 70), (19, 3, 7)])  # fmt: skip
def test_panels(m, k, n, batch, dynamic):
    """Products of many rows, which share copies of columns: the sums of NumPy, term by term; whole panels, parts of one, rows left over."""
    random = np.random.default_rng(n)
    lead = () if batch is None else (batch,)
    x, w, y = (hard_floats(random, (*lead, *shape)) for shape in ((m, k), (k, n), (m, n)))
    xs, ws, ys = (tensor(("?",) * a.ndim if dynamic else a.shape, "f32") for a in (x, w, y))
    op = "matmul" if batch is None else "batch_matmul"
    text = f"""
    func.func @main(%x: {xs}, %w: {ws}, %y: {ys}) -> {ys} {{
      %r = linalg.{op} ins(%x, %w : {xs}, {ws}) outs(%y : {ys}) -> {ys}
      return %r : {ys}
    }}"""
    expected = y.copy()
    with np.errstate(invalid="ignore"):
        for i in range(k):
            expected += x[..., i, None] * w[..., i, None, :]
    assert same(np.asarray(runtime.compile(text).main(x, w, y)), expected).all()


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("m, k, n", [(1, 7, 20), (5, 9, 33), (40, 64, 37), (8, 0, 5)])
def test_rows_of_weights(m, k, n, steps, dynamic):
    """Weights [N, K] that are arguments, transposed where rows or iterations repay it: the sums of NumPy, term by term."""
    random = np.random.default_rng(n)
    x, w, y = (hard_floats(random, shape) for shape in ((m, k), (n, k), (m, n)))
    xs, ws, ys = (tensor(("?", "?") if dynamic else a.shape, "f32") for a in (x, w, y))
    maps = ", ".join(f"affine_map<(m, n, k) -> {of}>" for of in ("(m, k)", "(n, k)", "(m, n)"))
    text = f"""
    func.func @main(%x: {xs}, %w: {ws}, %y: {ys}) -> {ys} {{
      %first = arith.constant 0 : index
      %next = arith.constant 1 : index
      %count = arith.constant {steps} : index
      %r = scf.for %i = %first to %count step %next iter_args(%sum = %y) -> {ys} {{
        %s = linalg.matmul indexing_maps = [{maps}] ins(%x, %w : {xs}, {ws}) outs(%sum : {ys}) -> {ys}
        scf.yield %s : {ys}
      }}
      return %r : {ys}
    }}"""
    expected = y.copy()
    with np.errstate(invalid="ignore"):
        for _ in range(steps):
            for i in range(k):
                expected += x[:, i, None] * w[:, i]
    assert same(np.asarray(runtime.compile(text).main(x, w, y)), expected).all()


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize(
    "layout, dtype",
    [("nchw_max", np.int8), ("nhwc_max", np.int8), ("nhwc_max_unsigned", np.uint8), ("nhwc_min_unsigned", np.uint8), ("nchw_max", np.float32)],
)  # fmt: skip
@pytest.mark.parametrize("width", [2, 7, 37])
def test_pools(layout, dtype, stride, width, dynamic):
    """The greatest and the least of a window, of codes and of floats: bytes are lanes too."""
    random = np.random.default_rng(width)
    height, channels, window = 4, 3, 3
    spatial = [stride * (n - 1) + window for n in (height, width)]
    is_last = layout.startswith("nhwc")
    element = "f32" if dtype == np.float32 else "i8"
    if element == "f32":
        x = hard_floats(random, (2, channels, *spatial))
        x[(x == 0) & ~np.signbit(x)] = 1  # NumPy does not say which zero wins
    else:
        limits = np.iinfo(dtype)
        x = random.integers(limits.min, limits.max + 1, (2, channels, *spatial)).astype(dtype)
    init = x[:, :, :height, :width].copy()
    windows = [
        x[:, :, i::stride, j::stride][:, :, :height, :width]
        for i in range(window)
        for j in range(window)
    ]
    best = np.minimum if "min" in layout else np.maximum
    expected = init
    for each in windows:
        expected = best(expected, each)
    if is_last:
        x, init, expected = (np.moveaxis(a, 1, -1).copy() for a in (x, init, expected))
    xs, ys = (tensor(("?",) * 4 if dynamic else a.shape, element) for a in (x, init))
    text = f"""
    func.func @main(%x: {xs}, %y: {ys}) -> {ys} {{
      %w = tensor.empty() : tensor<{window}x{window}x{element}>
      %r = linalg.pooling_{layout} {{strides = dense<{stride}> : tensor<2xi64>}}
        ins(%x, %w : {xs}, tensor<{window}x{window}x{element}>) outs(%y : {ys}) -> {ys}
      return %r : {ys}
    }}"""
    got = np.asarray(
        runtime.compile(text).main(
            x.view(np.int8) if element == "i8" else x,
            init.view(np.int8) if element == "i8" else init,
        )
    )
    if element == "f32":
        assert same(got, expected).all()
    else:
        np.testing.assert_array_equal(got.view(dtype), expected)


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("filters", [3, 19])
@pytest.mark.parametrize("batch, height, width", [(1, 7, 7), (2, 5, 9), (1, 1, 40), (2, 1, 1)])
def test_pixels(batch, height, width, filters, dynamic):
    """A convolution of one pixel, its bias and a residual: the lines of a picture become lanes; the sums of NumPy."""
    channels = 5
    random = np.random.default_rng(width)
    x = hard_floats(random, (batch, channels, height, width))
    w, bias = (hard_floats(random, shape) for shape in ((filters, channels, 1, 1), (filters, 1, 1)))
    y = hard_floats(random, (batch, filters, height, width))
    open_sizes = ("?", channels, "?", "?"), ("?", filters, "?", "?")
    xs, ys = (tensor(sizes if dynamic else a.shape, "f32") for sizes, a in zip(open_sizes, (x, y)))
    ws, bs = tensor(w.shape, "f32"), tensor(bias.shape, "f32")
    maps = "[affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (c, 0, 0)>, affine_map<(n, c, y, x) -> (n, c, y, x)>]"
    text = f"""
    func.func @main(%x: {xs}, %w: {ws}, %b: {bs}, %y: {ys}) -> {ys} {{
      %r = linalg.conv_2d_nchw_fchw ins(%x, %w : {xs}, {ws}) outs(%y : {ys}) -> {ys}
      %s = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
        ins(%r, %b : {ys}, {bs}) outs(%y : {ys}) {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.addf %p, %q : f32
        %u = arith.addf %t, %o : f32
        linalg.yield %u : f32
      }} -> {ys}
      return %s : {ys}
    }}"""
    expected = y.copy()
    with np.errstate(invalid="ignore"):
        for c in range(channels):
            expected += w[:, c] * x[:, c, None]
        expected = expected + bias + y
    assert same(np.asarray(runtime.compile(text).main(x, w, bias, y)), expected).all()


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("width", [3, 21, 64])
def test_sums_of_64_bits(width, stride, dynamic):
    """Codes of 16 bits by codes of 8, whose sums are beyond 32 bits."""
    random = np.random.default_rng(width)
    size = stride * (width - 1) + 3
    x = random.integers(60000, 2**16, (1, 37, size, size)).astype(np.uint16)
    w = np.broadcast_to(
        np.int8([-128, 127, 126, -127, 9]).reshape(5, 1, 1, 1), (5, 37, 3, 3)
    ).copy()
    y = random.integers(-9, 9, (1, 5, width, width))
    xs = "tensor<?x37x?x?xi16>" if dynamic else tensor(x.shape, "i16")
    ys = "tensor<?x5x?x?xi64>" if dynamic else tensor(y.shape, "i64")
    maps = f"[affine_map<(n, f, y, x, c, i, j) -> (n, c, y * {stride} + i, x * {stride} + j)>, affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>, affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>]"
    kinds = ", ".join(['"parallel"'] * 4 + ['"reduction"'] * 3)
    text = f"""
    func.func @main(%x: {xs}, %w: tensor<5x37x3x3xi8>, %y: {ys}) -> {ys} {{
      %r = linalg.generic {{indexing_maps = {maps}, iterator_types = [{kinds}]}}
        ins(%x, %w : {xs}, tensor<5x37x3x3xi8>) outs(%y : {ys}) {{
      ^bb0(%p: i16, %q: i8, %o: i64):
        %s = arith.extui %p : i16 to i64
        %t = arith.extsi %q : i8 to i64
        %u = arith.muli %s, %t : i64
        %v = arith.addi %o, %u : i64
        linalg.yield %v : i64
      }} -> {ys}
      return %r : {ys}
    }}"""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int64), (3, 3), (2, 3))
    windows = windows[:, :, ::stride, ::stride]
    expected = y + np.einsum("ncyxij,fcij->nfyx", windows, w.astype(np.int64))
    assert np.abs(expected).max() > 2**31
    np.testing.assert_array_equal(runtime.compile(text).main(x.view(np.int16), w, y), expected)


@pytest.mark.parametrize("order", ["sequential", "lanes"])
@pytest.mark.parametrize("beyond", [(0, 0), (2, 0), (0, 3), (1, 2)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_pixels_of_a_larger_picture(dynamic, beyond, order):
    """What no pixel of the result reads may follow the lines, and each line."""
    random = np.random.default_rng(3)
    x = random.integers(-8, 8, (1, 5, 7 + beyond[0], 6 + beyond[1])).astype(np.float32)
    w = random.integers(-8, 8, (16, 5, 1, 1)).astype(np.float32)
    y = random.integers(-8, 8, (1, 16, 7, 6)).astype(np.float32)
    open_sizes = (1, 5, "?", "?"), (1, 16, "?", "?")
    xs, ys = (tensor(sizes if dynamic else a.shape, "f32") for sizes, a in zip(open_sizes, (x, y)))
    ws = tensor(w.shape, "f32")
    text = f"""
    func.func @main(%x: {xs}, %w: {ws}, %y: {ys}) -> {ys} {{
      %r = linalg.conv_2d_nchw_fchw ins(%x, %w : {xs}, {ws}) outs(%y : {ys}) -> {ys}
      return %r : {ys}
    }}"""
    expected = y + np.einsum("nchw,fc->nfhw", x[:, :, :7, :6], w[:, :, 0, 0])
    main = runtime.compile(text, sum_order=order).main
    np.testing.assert_array_equal(main(x, w, y), expected)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("height, width", [(5, 40), (6, 7), (3, 2)])
@pytest.mark.parametrize("filters", [6, 21])
def test_convolution_of_floats(filters, stride, height, width):
    """A named convolution: the sums of NumPy, channel by channel, row by row, column by column; starting from +0 and -0."""
    channels = 3
    random = np.random.default_rng(width)
    shape = (1, channels, stride * (height - 1) + 3, stride * (width - 1) + 3)
    x = random.standard_normal(shape).astype(np.float32)
    x[0, 0, 0, :4] = [np.nan, -0.0, np.inf, 1e-45]
    w = random.standard_normal((filters, channels, 3, 3)).astype(np.float32)
    w[0], w[1, :, 0, 0] = -0.0, 1e-40
    for start in (0.0, -0.0):
        out = tensor((1, filters, height, width), "f32")
        text = f"""
        func.func @main(%x: {tensor(shape, "f32")}, %w: {tensor(w.shape, "f32")}) -> {out} {{
          %z = arith.constant {start} : f32
          %e = tensor.empty() : {out}
          %i = linalg.fill ins(%z : f32) outs(%e : {out}) -> {out}
          %r = linalg.conv_2d_nchw_fchw {{dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}}
            ins(%x, %w : {tensor(shape, "f32")}, {tensor(w.shape, "f32")}) outs(%i : {out}) -> {out}
          return %r : {out}
        }}"""
        expected = np.full((filters, height, width), start, np.float32)
        with np.errstate(invalid="ignore"):
            for c in range(channels):
                for i in range(3):
                    for j in range(3):
                        window = x[0, c, i::stride, j::stride][:height, :width]
                        expected += w[:, c, i, j, None, None] * window
        assert same(np.asarray(runtime.compile(text).main(x, w))[0], expected).all()
