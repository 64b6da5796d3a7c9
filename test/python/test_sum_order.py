# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sum-order=lanes`: the bits of Q12.1 to Q12.4 in docs/Semantics.md, on every path (Q12.2, Q12.3)."""

import platform

import ml_dtypes
import numpy as np
import pytest
from test_sub_byte import random_codes

from mlir_qdq import reference, runtime

REALS = dict(f16=np.float16, bf16=ml_dtypes.bfloat16, f32=np.float32, f64=np.float64)


def tensor(shape, element: str, dynamic="") -> str:
    """`dynamic` names the dimensions, of `shape`'s keys, that are not static."""
    return (
        f"tensor<{'x'.join('?' if d in dynamic else str(n) for d, n in shape.items())}x{element}>"
    )


class Product:
    """y[m, n] + sum over k of x[m, k] * w, with w[n, k] or w[k, n], dequantized in blocks of k."""

    def __init__(
        self, m, n, k, weight="nk", storage="f32", block=None, expressed="f32", dynamic=""
    ):
        self.sizes = dict(m=m, n=n, k=k)
        self.storage, self.weight, self.expressed = storage, weight, expressed
        shape = {d: self.sizes[d] for d in weight}
        xs, ws, ys = (
            tensor({d: self.sizes[d] for d in dims}, expressed, dynamic)
            for dims in ("mk", weight, "mn")
        )
        maps = ", ".join(f"affine_map<(m, n, k) -> ({d[0]}, {d[1]})>" for d in ("mk", weight, "mn"))
        arguments, dequantize, factor = f"%w: {ws}", "", "%w"
        random = np.random.default_rng(m * 1000 + n * 100 + k)
        real = REALS[expressed]
        if storage == expressed:
            self.given = [random.standard_normal(tuple(shape.values())).astype(real)]
            dequantized = self.given[0]
        else:
            blocks = {d: (block or k) if d == "k" else 1 for d in weight}
            parameters = {d: -(-shape[d] // blocks[d]) for d in weight}
            codes, scales = tensor(shape, storage, dynamic), tensor(parameters, expressed, dynamic)
            arguments, factor = f"%w: {codes}, %s: {scales}", "%d"
            lengths = list(blocks.values())
            dequantize = f"%d = qdq.dequantize %w scale %s block_shape {lengths} : ({codes}, {scales}) -> {ws}"
            w = random_codes(tuple(shape.values()), storage)
            s = random.uniform(0.1, 3, tuple(parameters.values())).astype(real)
            self.given = [w, s]
            dequantized = reference.dequantize(
                w, s, block_shape=lengths, storage=storage, expressed=real
            )
        self.given.append(random.standard_normal((m, k)).astype(real))
        self.given.append(random.standard_normal((m, n)).astype(real))
        self.text = f"""
        func.func @main({arguments}, %x: {xs}, %y: {ys}) -> {ys} {{
          {dequantize}
          %r = linalg.matmul indexing_maps = [{maps}] ins(%x, {factor} : {xs}, {ws}) outs(%y : {ys}) -> {ys}
          return %r : {ys}
        }}"""
        self.w = dequantized if weight == "nk" else dequantized.T

    def expected(self):
        x, y = self.given[-2:]
        return reference.add_products(y, x[:, None, :], self.w[None, :, :], "lanes")

    def check(self, **options):
        got = np.asarray(runtime.compile(self.text, sum_order="lanes", **options).main(*self.given))
        same_bits(got, self.expected())


def same_bits(got, expected):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype
    unsigned = f"u{got.dtype.itemsize}"
    with np.errstate(invalid="ignore"):
        nan = np.isnan(expected.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float64)), nan)
    np.testing.assert_array_equal(
        np.where(nan, 0, got.view(unsigned)), np.where(nan, 0, expected.view(unsigned))
    )


@pytest.mark.every_pair
@pytest.mark.parametrize("options", [
    {}, {"vector_bits": 128}, {"vector_bits": 256}, {"target": "linalg"}, {"threads": 2},
    {"target_cpu": "x86-64"}, {"target_cpu": "x86-64-v3"}, {"target_cpu": "native"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("storage", ["f32", "i8", "i4", "ui2", "f8E4M3FN", "f4E2M1FN"])
@pytest.mark.parametrize("weight", ["nk", "kn"])
@pytest.mark.parametrize("m, n, k, block", [
    (1, 40, 256, 32), (4, 24, 256, 128), (3, 10, 128, 16), (17, 37, 96, 32), (2, 70, 96, 24), (5, 9, 104, 104),
])  # fmt: skip
def test_products(m, n, k, block, weight, storage, options):
    if options.get("target_cpu", "").startswith("x86"):
        if platform.machine() != "x86_64":
            pytest.skip("names x86")
    Product(m, n, k, weight, storage, block).check(**options)


@pytest.mark.every_pair
@pytest.mark.parametrize("options", [{}, {"target": "linalg"}], ids=str)
@pytest.mark.parametrize("weight", ["nk", "kn"])
@pytest.mark.parametrize("k", [1, 2, 3, 20, 31, 32, 33, 63, 64, 100, 1000])
def test_lengths(k, weight, options):
    """Shorter than the partial sums, and no multiple of them."""
    Product(3, 21, k, weight).check(**options)
    Product(1, 16, k, weight, "i8").check(**options)


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", ["m", "n", "k", "mnk"])
@pytest.mark.parametrize("weight", ["nk", "kn"])
@pytest.mark.parametrize("storage, block", [("f32", None), ("i8", 32), ("i8", 24), ("i4", 32)])
def test_dynamic(storage, block, weight, dynamic):
    for m, n, k in ((5, 24, 96), (1, 33, 72), (9, 6, 32)):
        k -= k % (block or 1)
        Product(m, n, k, weight, storage, block, dynamic=dynamic).check()


@pytest.mark.parametrize("expressed", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("weight", ["nk", "kn"])
def test_types(weight, expressed):
    """16 bits round product and sum, f64 rounds once."""
    for options in ({}, {"target": "linalg"}, {"target_cpu": "x86-64"}):
        Product(3, 18, 80, weight, expressed, expressed=expressed).check(**options)


SPECIALS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, 1e-30], np.float32)


@pytest.mark.parametrize("options", [{}, {"target": "linalg"}, {"target_cpu": "x86-64"}], ids=str)
@pytest.mark.parametrize("weight", ["nk", "kn"])
def test_special_values(weight, options):
    """Signed zeros, subnormal and overflowing products, NaN and infinities, in terms and in the initial value."""
    product = Product(9, 17, 65, weight)
    random = np.random.default_rng(5)
    for specials in (SPECIALS[:2], SPECIALS[[0, 1, 5, 6, 8]], SPECIALS):
        product.given = [random.choice(specials, a.shape).astype(np.float32) for a in product.given]
        product.w = product.given[0] if weight == "nk" else product.given[0].T
        product.check(**options)


#: Maps of three factors' loops: x, w, y, and the iterators.
FORMS = {
    "rank 0": ("k", "k", "", dict(k=77)),
    "two reductions": ("mkj", "nkj", "mn", dict(m=3, n=5, k=6, j=16)),
    "a reduction of three": ("mkj", "nkj", "mn", dict(m=3, n=20, k=40, j=3)),
    "columns and a reduction of three": ("mkj", "kjn", "mn", dict(m=3, n=20, k=40, j=3)),
    "transposed": ("km", "kn", "nm", dict(m=6, n=20, k=64)),
    "batches": ("bmk", "bnk", "bmn", dict(b=3, m=2, n=4, k=96)),
    "batches of columns": ("bmk", "bkn", "mbn", dict(b=3, m=2, n=20, k=96)),
    "one term": ("mk", "kn", "mn", dict(m=2, n=20, k=1)),
    "no term": ("mk", "nk", "mn", dict(m=2, n=20, k=0)),
    "no result": ("mk", "nk", "mn", dict(m=0, n=20, k=64)),
}


@pytest.mark.every_value
@pytest.mark.parametrize("options", [{}, {"target": "linalg"}, {"threads": 2}], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_forms(form, options):
    """The reductions in the order of the loops."""
    x, w, y, sizes = FORMS[form]
    loops = "".join(d for d in "bmnkj" if d in sizes)
    maps = ", ".join(
        f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>" for dims in (x, w, y)
    )
    types = [tensor({d: sizes[d] for d in dims}, "f32").replace("<x", "<") for dims in (x, w, y)]
    text = f"""
    func.func @main(%x: {types[0]}, %w: {types[1]}, %y: {types[2]}) -> {types[2]} {{
      %r = linalg.contract indexing_maps = [{maps}] ins(%x, %w : {types[0]}, {types[1]}) outs(%y : {types[2]}) -> {types[2]}
      return %r : {types[2]}
    }}"""
    random = np.random.default_rng(6)
    given = [
        random.standard_normal([sizes[d] for d in dims]).astype(np.float32) for dims in (x, w, y)
    ]
    terms = [d for d in loops if d not in y]
    order = "".join(y) + "".join(terms)
    number = int(np.prod([sizes[d] for d in terms]))

    def flat(array, dims):
        """As [results..., terms]."""
        aligned = np.einsum(f"{dims}->{''.join(d for d in order if d in dims)}", array)
        shape = [sizes[d] if d in dims else 1 for d in order]
        full = np.broadcast_to(aligned.reshape(shape), [sizes[d] for d in order])
        return full.reshape([sizes[d] for d in y] + [number])

    expected = reference.add_products(given[2], flat(given[0], x), flat(given[1], w), "lanes")
    got = runtime.compile(text, sum_order="lanes", **options).main(*given)
    same_bits(np.asarray(got), expected)


#: The term of `%a` in a sum that is no contraction.
TERMS = {
    "element": ("%t = arith.bitcast %a : {0} to {0}", lambda x: x),
    "square": ("%t = arith.mulf %a, %a : {0}", lambda x: (x * x).astype(x.dtype)),
    "magnitude": ("%t = math.absf %a : {0}", abs),
}

#: Shapes, and the dimensions that are added up.
SUMS = [
    ((5, 70), (1,)), ((70,), (0,)), ((4, 33), (1,)), ((3, 4, 64), (1, 2)), ((3, 4, 65), (1, 2)),
    ((64, 40), (0,)), ((3, 33, 20), (1,)), ((6, 5, 7, 9), (1, 3)), ((6, 1), (1,)), ((0, 8), (1,)),
    ((8, 0), (1,)), ((17, 512), (1,)), ((40, 33), (1,)), ((3, 20, 5, 18), (2, 3)), ((20, 3, 18), (0, 2)),
]  # fmt: skip


@pytest.mark.every_pair
@pytest.mark.parametrize("options", [{}, {"target": "linalg"}, {"threads": 2}], ids=str)
@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("element", REALS)
@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("shape, summed", SUMS)
def test_sums(shape, summed, term, element, is_dynamic, options):
    """Sums of a mean, a variance or a softmax: terms that round by themselves."""
    real = REALS[element]
    kept = [i for i in range(len(shape)) if i not in summed]
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    kinds = ", ".join('"reduction"' if i in summed else '"parallel"' for i in range(len(shape)))
    names = "abcd" if is_dynamic else ""
    xs = tensor(dict(zip("abcd", shape)), element, names)
    ys = tensor({"abcd"[i]: shape[i] for i in kept}, element, names).replace("<x", "<")
    body, compute = TERMS[term]
    text = f"""
    func.func @main(%x: {xs}, %y: {ys}) -> {ys} {{
      %r = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({", ".join(f"d{i}" for i in kept)})>],
          iterator_types = [{kinds}]}} ins(%x : {xs}) outs(%y : {ys}) {{
      ^bb0(%a: {element}, %o: {element}):
        {body.format(element)}
        %s = arith.addf %o, %t : {element}
        linalg.yield %s : {element}
      }} -> {ys}
      return %r : {ys}
    }}"""
    random = np.random.default_rng(len(shape) + sum(shape))
    x = random.standard_normal(shape).astype(real)
    x[random.random(shape) < 0.1] = -0.0
    y = random.standard_normal([shape[i] for i in kept]).astype(real)
    number = int(np.prod([shape[i] for i in summed]))
    terms = np.transpose(x, kept + list(summed)).reshape([shape[i] for i in kept] + [number])
    for order in ("sequential", "lanes"):
        got = runtime.compile(text, sum_order=order, **options).main(x, y)
        same_bits(got, reference.add_terms(y, compute(terms), order))
    total = runtime.compile(text, sum_order="any", **options).main(x, y)
    terms = compute(terms).astype(np.float64)
    error = np.abs(np.asarray(total).astype(np.float64) - (y.astype(np.float64) + terms.sum(-1)))
    steps = (number + 1) * float(ml_dtypes.finfo(real).eps)
    assert (error <= steps * (np.abs(y.astype(np.float64)) + np.abs(terms).sum(-1))).all()


@pytest.mark.parametrize("order", ["sequential", "lanes"])
def test_an_open_result_of_known_columns(order):
    """The size that another operand knows is no dimension of the result's type."""
    main = runtime.compile(
        """
    func.func @main(%x: tensor<?x31xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<?x31xf32>) outs(%y : tensor<?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %o, %a : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }""",
        sum_order=order,
    ).main
    random = np.random.default_rng(1)
    x, y = (random.standard_normal(n).astype(np.float32) for n in ((70, 31), 31))
    same_bits(main(x, y), reference.add_terms(y, x.T, order))


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("terms", [16, 37, "?"])
def test_hard_rows(terms, element):
    """Rows in lanes: of -0.0 alone, with NaN and infinities in each place, and sums that overflow."""
    real, number = REALS[element], 37 if terms == "?" else terms
    x = np.full((40, number), -0.0, real)
    largest = np.finfo(real).max
    for row, value in enumerate((np.nan, np.inf, -np.inf, largest), start=1):
        for place in range(0, number, 5):
            x[8 * row + place // 5 % 8, place] = value
    x[39] = largest
    x[7, -1] = -np.inf
    y = np.full(40, -0.0, real)
    xs = f"tensor<40x{terms}x{element}>"
    main = runtime.compile(
        f"""
    func.func @main(%x: {xs}, %y: tensor<40x{element}>) -> tensor<40x{element}> {{
      %r = linalg.reduce ins(%x : {xs}) outs(%y : tensor<40x{element}>) dimensions = [1]
        (%a: {element}, %o: {element}) {{
          %s = arith.addf %o, %a : {element}
          linalg.yield %s : {element}
        }}
      return %r : tensor<40x{element}>
    }}"""
    ).main
    same_bits(main(x, y), reference.add_terms(y, x))


def test_consumers_and_convolutions():
    """A bias and a relu behind the sum; a convolution keeps the written order."""
    text = """
    func.func @main(%x: tensor<6x64xf32>, %w: tensor<64x40xf32>, %b: tensor<40xf32>, %s: tensor<5xf32>) -> (tensor<6x40xf32>, tensor<36xf32>) {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<6x40xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x40xf32>) -> tensor<6x40xf32>
      %m = linalg.matmul ins(%x, %w : tensor<6x64xf32>, tensor<64x40xf32>) outs(%f : tensor<6x40xf32>) -> tensor<6x40xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%m, %b : tensor<6x40xf32>, tensor<40xf32>) outs(%e : tensor<6x40xf32>) {
      ^bb0(%v: f32, %c: f32, %o: f32):
        %0 = arith.addf %v, %c : f32
        %1 = arith.maximumf %0, %zero : f32
        linalg.yield %1 : f32
      } -> tensor<6x40xf32>
      %i = tensor.empty() : tensor<36xf32>
      %j = linalg.fill ins(%zero : f32) outs(%i : tensor<36xf32>) -> tensor<36xf32>
      %c = linalg.conv_1d ins(%b, %s : tensor<40xf32>, tensor<5xf32>) outs(%j : tensor<36xf32>) -> tensor<36xf32>
      return %r, %c : tensor<6x40xf32>, tensor<36xf32>
    }"""
    random = np.random.default_rng(8)
    x, w, b, s = (random.standard_normal(n).astype(np.float32) for n in ((6, 64), (64, 40), 40, 5))
    zeros = np.zeros((6, 40), np.float32)
    product = reference.add_products(zeros, x[:, None], w.T[None], "lanes")
    windows = np.lib.stride_tricks.sliding_window_view(b, 5)
    convolution = reference.add_products(np.zeros(36, np.float32), windows, s[None])
    for options in ({}, {"threads": 2}, {"target": "linalg"}):
        got = runtime.compile(text, sum_order="lanes", **options).main(x, w, b, s)
        same_bits(got[0], np.maximum(product + b, np.float32(0)))
        same_bits(got[1], convolution)


def test_results_side_by_side_of_an_argument():
    """Sums are added to an argument, line by line of a tile; what uses them has another result."""
    random = np.random.default_rng(1)
    x, w = (random.integers(-8, 8, shape).astype(np.float32) for shape in ((8, 8), (7, 8)))
    y = random.integers(-8, 8, (8, 40, 8)).astype(np.float32)
    xs, ws, ys = (f"tensor<{'x'.join(map(str, a.shape))}xf32>" for a in (x, w, y))
    main = runtime.compile(
        f"""
    func.func @main(%x: {xs}, %w: {ws}, %y: {ys}) -> {ys} {{
      %r = linalg.generic {{indexing_maps = [affine_map<(b, k, m, n) -> (m, b)>, affine_map<(b, k, m, n) -> (k, b)>, affine_map<(b, k, m, n) -> (b, n, m)>],
          iterator_types = ["parallel", "reduction", "parallel", "parallel"]}} ins(%x, %w : {xs}, {ws}) outs(%y : {ys}) {{
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      }} -> {ys}
      %n = arith.negf %r : {ys}
      return %n : {ys}
    }}""",
        sum_order="lanes",
    ).main
    np.testing.assert_array_equal(main(x, w, y), -(y + np.einsum("mb,kb->bm", x, w)[:, None]))


@pytest.mark.parametrize("target", ["vector", "linalg"])
def test_a_line_written_to_an_argument(target):
    """The other lines stay."""
    x, v = np.arange(16, dtype=np.float32).reshape(1, 4, 4), np.full(4, -1, np.float32)
    main = runtime.compile(
        """
    func.func @main(%x: tensor<1x4x4xf32>, %v: tensor<4xf32>) -> tensor<1x4x4xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %line = vector.transfer_read %v[%c0], %zero {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
      %r = vector.transfer_write %line, %x[%c0, %c0, %c0] {in_bounds = [true]} : vector<4xf32>, tensor<1x4x4xf32>
      return %r : tensor<1x4x4xf32>
    }""",
        target=target,
    ).main
    expected = x.copy()
    expected[0, 0] = v
    np.testing.assert_array_equal(main(x, v), expected)
