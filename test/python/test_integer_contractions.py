# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-integer-contractions: sums as exact integers, dequantized, and in blocks (Q5.1)."""

import ml_dtypes
import numpy as np
import pytest
from integer_products import Operand, Product, compiled, rewritten, run_together
from mlir import ir

import mlir_qdq
from mlir_qdq import passes, runtime

#: Name: op, maps or not, dimensions of a, b and the result.
FORMS = {
    "matmul": ("matmul", False, "mk", "kn", "mn"),
    "matmul_transposed_a": ("matmul", True, "km", "kn", "mn"),
    "matmul_transposed_b": ("matmul", True, "mk", "nk", "mn"),
    "matvec": ("matvec", False, "mk", "k", "m"),
    "vecmat": ("vecmat", False, "k", "kn", "n"),
    "dot": ("dot", False, "k", "k", ""),
    "batch_matmul": ("batch_matmul", False, "bmk", "bkn", "bmn"),
    "batch_matmul_transposed": ("batch_matmul", True, "bmk", "bnk", "bmn"),
    "batch_broadcast": ("batch_matmul", True, "bmk", "kn", "bmn"),
    "contract": ("contract", True, "bmk", "nk", "bmn"),
    "generic": (None, True, "mk", "kn", "mn"),
    "generic_result_permuted": (None, True, "bmk", "kbn", "nmb"),
    "generic_two_sums": (None, True, "mkl", "lnk", "nm"),
}
SIZES = dict(b=2, m=3, n=5, k=17, l=4)
#: Storages, zero points and scales of a and b.
KINDS = {
    "i8": ("i8", "none", "", "i8", "none", ""),
    "i8_asymmetric": ("i8", "", "", "i8", "none", ""),
    "ui8_255": ("ui8", "", "", "ui8", "", ""),
    "ui8_i8": ("ui8", "", "", "i8", "none", "n"),
    "rows_columns": ("i8", "m", "m", "ui8", "n", "n"),
    "rows": ("ui8", "m", "m", "i8", "", ""),
    "i8_i4": ("i8", "", "", "i4", "n", "n"),
    "i16": ("i16", "", "", "ui16", "", ""),
}
CONSTANTS = [(), ("zero",), ("codes", "zero"), ("codes",)]


def make(form: str, kind: str, sizes=SIZES, constants=((), ()), **options) -> Product | None:
    """Nothing where the form lacks a dimension that a parameter follows."""
    op, maps, a, b, result = FORMS[form]
    sa, za, ra, sb, zb, rb = KINDS[kind]
    for followed, dims in ((za, a), (ra, a), (zb, b), (rb, b)):
        if followed.replace("none", "") not in dims:
            return None
    lhs, rhs = (
        Operand(dims, storage, zero, scale, held)
        for dims, storage, zero, scale, held in (
            (a, sa, za, ra, constants[0]),
            (b, sb, zb, rb, constants[1]),
        )
    )
    return Product(lhs, rhs, result, sizes, op, maps, **options)


def check_sums(products: dict) -> list[str]:
    """f32 of the exact sum, times sa * sb in f32: bit for bit. Returns the functions after the pass."""
    programs = [product.program() for product in products.values()]
    texts, functions = run_together([text for text, _ in programs])
    for text, function, (_, arguments), (name, product) in zip(
        texts, functions, programs, products.items()
    ):
        assert text.count("qdq.dequantize") == 1, name
        expected = product.sums().astype(np.float32) * product.scale()
        np.testing.assert_array_equal(np.asarray(function(*arguments)), expected, str(name))
    return texts


@pytest.mark.every_value
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("form", FORMS)
def test_sums(form, dynamic):
    products = {kind: make(form, kind, dynamic=dynamic) for kind in KINDS}
    check_sums({kind: product for kind, product in products.items() if product})


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("form", ["matmul", "batch_broadcast", "generic_result_permuted"])
def test_constants(form, step):
    """What is known folds, and changes nothing. Every day each form has some of the products, from another one on."""
    products = {}
    for kind in KINDS:
        for constants in CONSTANTS:
            for held in ((constants, ()), ((), constants), (("zero",), constants)):
                if product := make(form, kind, constants=held):
                    products[kind, held] = product
    products = dict(list(products.items())[len(form) % step :: step])
    texts = check_sums(products)
    for text, ((_, held), product) in zip(texts, products.items()):
        if "codes" in held[1] and product.b.zeros is None:
            # The sums over the constant are a constant: one contraction is left.
            assert sum("reduction" in line for line in text.splitlines()) <= 1


@pytest.mark.parametrize("empty", ["m", "n", "k", "mk"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("constant", [(), ("codes", "zero")], ids=["", "constant"])
def test_empty(empty, dynamic, constant):
    if dynamic and constant:
        return
    sizes = {**SIZES, **dict.fromkeys(empty, 0)}
    check_sums({empty: make("matmul", "rows_columns", sizes, ((), constant), dynamic=dynamic)})


@pytest.mark.parametrize(
    "kind, k, wide",
    [
        ("i8", 131071, False),
        ("i8", 131072, True),
        ("ui8_255", 33025, False),
        ("ui8_255", 33026, True),
    ],
)
def test_accumulator_width(kind, k, wide):
    """2^31 - 1 holds 131071 products of -128 and -128, or 33025 of 255 and 255, and not one more."""
    product = make("dot", kind, {"k": k})
    text, arguments = product.program()
    for operand in (product.a, product.b):
        operand.codes[...] = -128 if kind == "i8" else 0
    text = rewritten(text)
    assert ("tensor<i64>" in text) == wide
    expected = product.sums().astype(np.float32) * product.scale()
    np.testing.assert_array_equal(np.asarray(compiled(text)(*arguments)), expected)


#: Op: dimensions of the image, the filter and the result.
CONVOLUTIONS = {
    "conv_1d_ncw_fcw": ("ncw", "fcW", "nfw"),
    "conv_1d_nwc_wcf": ("nwc", "Wcf", "nwf"),
    "conv_2d": ("hw", "HW", "hw"),
    "conv_2d_nchw_fchw": ("nchw", "fcHW", "nfhw"),
    "conv_2d_nhwc_hwcf": ("nhwc", "HWcf", "nhwf"),
    "conv_2d_nhwc_fhwc": ("nhwc", "fHWc", "nhwf"),
    "conv_2d_ngchw_fgchw": ("ngchw", "fgcHW", "ngfhw"),
    "conv_2d_ngchw_gfchw": ("ngchw", "gfcHW", "ngfhw"),
    "conv_2d_nhwgc_gfhwc": ("nhwgc", "gfHWc", "nhwgf"),
    "conv_3d_ndhwc_dhwcf": ("ndhwc", "DHWcf", "ndhwf"),
    "conv_3d_ncdhw_fcdhw": ("ncdhw", "fcDHW", "nfdhw"),
    "depthwise_conv_1d_nwc_wc": ("nwc", "Wc", "nwc"),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc", "HWc", "nhwc"),
    "depthwise_conv_2d_nchw_chw": ("nchw", "cHW", "nchw"),
    "depthwise_conv_2d_nhwc_hwcm": ("nhwc", "HWcm", "nhwcm"),
    "depthwise_conv_3d_ndhwc_dhwc": ("ndhwc", "DHWc", "ndhwc"),
}
#: Storages, zero points; whether filters have their own; steps, dilations, padding.
CONVOLUTION_KINDS = [
    ("i8", "none", "i8", "none", False, 1, 1, (0, 0)),
    ("ui8", "", "i8", "none", True, 1, 1, (1, 1)),
    ("ui8", "", "ui8", "f", True, 2, 1, (0, 2)),
    ("i8", "", "i4", "", False, 1, 2, (2, 1)),
]


@pytest.mark.every_value
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("op", CONVOLUTIONS)
def test_convolutions(op, dynamic):
    image, window, result = CONVOLUTIONS[op]
    sizes = dict(n=2, c=3, f=4, g=2, m=2, d=3, h=4, w=5, D=2, H=3, W=2)
    products = {}
    for sa, za, sb, zb, per_filter, stride, dilation, pads in CONVOLUTION_KINDS:
        own = next((d for d in "fmc" if d in window and d in result), "") if per_filter else ""
        zb = own if zb == "f" else zb
        a, b = Operand(image, sa, za), Operand(window, sb, zb, own)
        product = Product(a, b, result, sizes, op, dynamic=dynamic)
        count = len([d for d in image if d.upper() in window])
        if op == "conv_2d":
            stride = dilation = 1
        product.strides, product.dilations = (stride,) * count, (dilation,) * count
        product.pads = (pads,) * count
        products[sa, sb, stride, dilation, pads] = product
    check_sums(products)


@pytest.mark.parametrize("form, axis", [("mk,kn", 0), ("mk,nk", 1), ("bmk,bkn", 1)])
@pytest.mark.parametrize("k, block", [(64, 32), (40, 16), (7, 8), (5, 2)])
@pytest.mark.parametrize("both", [False, True])
def test_blocks(form, axis, k, block, both):
    """One sum a block, dequantized, and added in f32 in the order of the blocks, to what the sums begin with."""
    random = np.random.default_rng(1)
    a, b = form.split(",")
    sizes = dict(b=2, m=3, n=4, k=k)
    result = ("b" if "b" in a else "") + "mn"
    shapes = {d: tuple(sizes[x] for x in d) for d in (a, b, result)}

    def blocked(dims, storage):
        shape = shapes[dims]
        blocks = [block if d == "k" else 1 for d in dims]
        grid = tuple(-(-n // x) for n, x in zip(shape, blocks))
        low, high = {"ui8": (0, 256), "i4": (-8, 8)}[storage]
        dtype = np.uint8 if storage == "ui8" else np.int8
        q = random.integers(low, high, shape).astype(dtype)
        z = random.integers(low, high, grid).astype(dtype)
        s = random.uniform(0.01, 1, grid).astype(np.float32)
        return q, s, z, blocks, grid

    def whole(dims, storage):
        q, *_ = blocked(dims, storage)
        return q, np.float32(0.37), np.array(200, np.uint8), None, ()

    qa, sa, za, blocks_a, grid_a = (blocked if both else whole)(a, "ui8")
    qb, sb, zb, blocks_b, grid_b = blocked(b, "i4")
    y = random.standard_normal(shapes[result]).astype(np.float32)

    def kind(shape, element):
        return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"

    op = "batch_matmul" if "b" in a else "matmul"
    loops = ", ".join(result + "k")
    maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(d)})>" for d in (a, b, result))
    where_a = f" block_shape {blocks_a}" if both else ""
    ta, tb, ty = kind(shapes[a], "f32"), kind(shapes[b], "f32"), kind(shapes[result], "f32")
    text = f"""
    func.func @main(%a: {kind(shapes[a], "ui8")}, %as: {kind(grid_a, "f32")}, %az: {kind(grid_a, "ui8")},
                    %b: {kind(shapes[b], "i4")}, %bs: {kind(grid_b, "f32")}, %bz: {kind(grid_b, "i4")}, %y: {ty}) -> {ty} {{
      %ad = qdq.dequantize %a scale %as zero_point %az{where_a} : ({kind(shapes[a], "ui8")}, {kind(grid_a, "f32")}, {kind(grid_a, "ui8")}) -> {ta}
      %bd = qdq.dequantize %b scale %bs zero_point %bz block_shape {blocks_b} : ({kind(shapes[b], "i4")}, {kind(grid_b, "f32")}, {kind(grid_b, "i4")}) -> {tb}
      %r = linalg.{op} indexing_maps = [{maps}] ins(%ad, %bd : {ta}, {tb}) outs(%y : {ty}) -> {ty}
      return %r : {ty}
    }}"""
    text = rewritten(text)
    got = np.asarray(
        compiled(text)(
            qa, np.asarray(sa), za, qb.astype(ml_dtypes.int4), sb, zb.astype(ml_dtypes.int4), y
        )
    )

    expected = y.copy()
    for i in range(-(-k // block)):

        def part(q, z, s, dims, is_blocked):
            at = tuple(slice(i * block, (i + 1) * block) if d == "k" else slice(None) for d in dims)
            one = tuple(slice(i, i + 1) if d == "k" else slice(None) for d in dims)
            z, s = (z[one], s[one]) if is_blocked else (z, s)
            q = q[at].astype(np.int64) - np.asarray(z).astype(np.int64)
            if is_blocked:
                others = [d for d in dims if d != "k"]
                s = s.reshape([sizes[d] for d in others])
                s = s.reshape([sizes[d] if d in others else 1 for d in result])
            return q, s

        pa, ra = part(qa, za, sa, a, both)
        pb, rb = part(qb, zb, sb, b, True)
        sums = np.einsum(f"{a},{b}->{result}", pa, pb).astype(np.float32)
        expected = expected + sums * (ra * rb).astype(np.float32)
    np.testing.assert_array_equal(got, expected)


def test_relu_of_channels():
    """Scales are powers of two: NumPy's quotients are exact."""
    rng = np.random.default_rng(0)
    x = rng.integers(-128, 128, (5, 24)).astype(np.int8)
    w = rng.integers(-128, 128, (24, 3)).astype(np.int8)
    text = """
    func.func @f(%x: tensor<5x24xi8>, %w: tensor<24x3xi8>) -> tensor<5x3xi8> {
      %s = arith.constant 0.5 : f32
      %sy = arith.constant dense<[64.0, 128.0, 512.0]> : tensor<3xf32>
      %zy = arith.constant dense<-7> : tensor<3xi8>
      %zero = arith.constant dense<0.0> : tensor<5x3xf32>
      %a = qdq.dequantize %x scale %s : (tensor<5x24xi8>, f32) -> tensor<5x24xf32>
      %b = qdq.dequantize %w scale %s : (tensor<24x3xi8>, f32) -> tensor<24x3xf32>
      %r = linalg.matmul ins(%a, %b : tensor<5x24xf32>, tensor<24x3xf32>) outs(%zero : tensor<5x3xf32>) -> tensor<5x3xf32>
      %relu = arith.maximumf %r, %zero : tensor<5x3xf32>
      %y = qdq.quantize %relu scale %sy zero_point %zy axis 1 : (tensor<5x3xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<5x3xi8>
      return %y : tensor<5x3xi8>
    }"""
    with ir.Context() as context:
        mlir_qdq.register(context)
        module = ir.Module.parse(text)
        passes.IntegerContractions(rescale="f32").run(module)
        assert "maximumf" not in str(module)
        found = runtime.compile(module).f(x, w)
    real = np.maximum(x.astype(np.int64) @ w / 4 / [64, 128, 512], 0)
    np.testing.assert_array_equal(found, np.clip(np.rint(real) - 7, -128, 127))
