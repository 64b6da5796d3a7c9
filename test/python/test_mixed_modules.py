# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users have beside their casts, through quant-to-llvm: compiled, and held against NumPy.

In every body, tensors of f32 (`%x`) have been quantized and dequantized before, with the scale
1/4: `small` gives values that this keeps, so that NumPy need not do it.
"""

import math
import re

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime

RANDOM = np.random.default_rng(8)


def module(arguments, results, body, before=""):
    """A function @f whose f32 tensors pass a pair of casts first."""
    names, types = zip(*(a.split(": ", 1) for a in arguments))
    casts = []
    for name, type in zip(names, types):
        if not re.fullmatch(r"tensor<.*f32>", type):
            continue
        quantized = re.sub(r"f32>$", "!quant.uniform<i8:f32, 0.25>>", type)
        casts.append(f"%q{name[1:]} = quant.qcast %raw{name[1:]} : {type} to {quantized}")
        casts.append(f"{name} = quant.dcast %q{name[1:]} : {quantized} to {type}")
    raw = [
        f"%raw{n[1:]}: {t}" if re.fullmatch(r"tensor<.*f32>", t) else f"{n}: {t}"
        for n, t in zip(names, types)
    ]
    lines = "\n".join(casts)
    return f"{before}\nfunc.func @f({', '.join(raw)}) -> ({results}) {{\n{lines}\n{body}\n}}\n"


def run(arguments, results, body, *values, before="", **options):
    compiled = runtime.compile(module(arguments, results, body, before), **options)
    return compiled.f(*values)


def small(*shape):
    """Values that the casts keep, and of which sums and products are exact."""
    return (RANDOM.integers(-30, 31, shape) / 4).astype(np.float32)


# Elementwise ops on tensors.


@pytest.mark.every_value
@pytest.mark.parametrize(
    "op, function",
    [
        ("arith.addf %x, %y", np.add),
        ("arith.subf %x, %y", np.subtract),
        ("arith.mulf %x, %y", np.multiply),
        ("arith.divf %x, %y", np.divide),
        ("arith.maximumf %x, %y", np.maximum),
        ("arith.minimumf %x, %y", np.minimum),
        ("arith.maxnumf %x, %y", np.fmax),
        ("arith.minnumf %x, %y", np.fmin),
        ("math.atan2 %x, %y", np.arctan2),
        ("math.copysign %x, %y", np.copysign),
        ("math.powf %x, %y", lambda x, y: np.power(x.astype(np.float32), y)),
        ("arith.remf %x, %y", np.fmod),
    ],
)
@pytest.mark.parametrize("shape", [(5, 7), (64,), ()])
def test_binary_float(op, function, shape):
    text = "x".join(map(str, shape)) + "x" * bool(shape) + "f32"
    x, y = small(*shape), small(*shape)
    with np.errstate(all="ignore"):
        expected = function(x, y)
    result = run(
        [f"%x: tensor<{text}>", f"%y: tensor<{text}>"],
        f"tensor<{text}>",
        f"%r = {op} : tensor<{text}>\nreturn %r : tensor<{text}>",
        x,
        y,
    )
    np.testing.assert_allclose(result, expected, rtol=1e-6)


UNARY = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.log": np.log,
    "math.log2": np.log2,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.cbrt": np.cbrt,
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.tan": np.tan,
    "math.asin": np.arcsin,
    "math.acos": np.arccos,
    "math.atan": np.arctan,
    "math.sinh": np.sinh,
    "math.cosh": np.cosh,
    "math.tanh": np.tanh,
    "math.asinh": np.arcsinh,
    "math.acosh": np.arccosh,
    "math.atanh": np.arctanh,
    "math.erf": np.vectorize(math.erf),
    "math.erfc": np.vectorize(math.erfc),
}


@pytest.mark.parametrize(
    "type, dtype, rtol",
    [
        ("f32", np.float32, 2e-6),
        ("f64", np.float64, 1e-14),
        ("f16", np.float16, 2e-3),
        ("bf16", ml_dtypes.bfloat16, 2e-2),
    ],
)
def test_unary_float(type, dtype, rtol):
    """One function for each op, in one module: compiling costs more than running."""
    x = np.arange(1, 30).reshape(1, 29).astype(np.float32) / 32
    functions = []
    for op in UNARY:
        name = op.replace(".", "_")
        functions.append(f"""
func.func @{name}(%raw: tensor<1x29xf32>) -> tensor<1x29x{type}> {{
  %q = quant.qcast %raw : tensor<1x29xf32> to tensor<1x29x!quant.uniform<i8:f32, 0.03125>>
  %d = quant.dcast %q : tensor<1x29x!quant.uniform<i8:f32, 0.03125>> to tensor<1x29xf32>
  %x = {"arith.addf %d, %d" if type == "f32" else f"arith.{'extf' if type == 'f64' else 'truncf'} %d"}
    : tensor<1x29xf32>{"" if type == "f32" else f" to tensor<1x29x{type}>"}
  %r = {op} %x : tensor<1x29x{type}>
  return %r : tensor<1x29x{type}>
}}""")
    compiled = runtime.compile("\n".join(functions))
    value = (x + x if type == "f32" else x).astype(dtype).astype(np.float64)
    for op, function in UNARY.items():
        result = compiled[op.replace(".", "_")](x)
        assert result.dtype == dtype
        with np.errstate(all="ignore"):
            expected = function(value)
            np.testing.assert_allclose(
                result.astype(np.float64), expected, rtol=rtol, atol=rtol / 100, err_msg=op
            )


def test_half_arithmetic_rounds_every_op():
    """f16 and bf16: each op in its own type."""
    x, y = small(64), small(64)
    for type, dtype in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        result = run(
            ["%x: tensor<64xf32>", "%y: tensor<64xf32>"],
            f"tensor<64x{type}>",
            f"""
            %a = arith.truncf %x : tensor<64xf32> to tensor<64x{type}>
            %b = arith.truncf %y : tensor<64xf32> to tensor<64x{type}>
            %c = arith.constant dense<3.0> : tensor<64x{type}>
            %p = arith.mulf %a, %b : tensor<64x{type}>
            %d = arith.divf %p, %c : tensor<64x{type}>
            %r = arith.addf %d, %a : tensor<64x{type}>
            return %r : tensor<64x{type}>""",
            x,
            y,
        )
        a, b = x.astype(dtype), y.astype(dtype)
        p = (a * b).astype(dtype)
        d = (p / dtype(3)).astype(dtype)
        np.testing.assert_array_equal(result.view(np.uint16), (d + a).astype(dtype).view(np.uint16))


INTEGER = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": lambda x, y: -(-x // y),
    "arith.divsi": lambda x, y: np.trunc(x / y).astype(np.int32),
    "arith.remsi": np.fmod,
}


def test_integers():
    functions = "\n".join(
        f"""
func.func @{op.replace(".", "_")}(%raw: tensor<3x40xf32>, %y: tensor<3x40xi32>) -> tensor<3x40xi32> {{
  %q = quant.qcast %raw : tensor<3x40xf32> to tensor<3x40x!quant.uniform<i8:f32, 1.0>>
  %i = quant.scast %q : tensor<3x40x!quant.uniform<i8:f32, 1.0>> to tensor<3x40xi8>
  %x = arith.extsi %i : tensor<3x40xi8> to tensor<3x40xi32>
  %r = {op} %x, %y : tensor<3x40xi32>
  return %r : tensor<3x40xi32>
}}"""
        for op in INTEGER
    )
    x = RANDOM.integers(-128, 128, (3, 40)).astype(np.float32)
    y = RANDOM.integers(1, 100, (3, 40)).astype(np.int32)
    compiled = runtime.compile(functions)
    for op, function in INTEGER.items():
        expected = function(x.astype(np.int32), y)
        np.testing.assert_array_equal(compiled[op.replace(".", "_")](x, y), expected, err_msg=op)


#: Ops that take more than tensors of one type: body and NumPy.
ELEMENTWISE = {
    "relu": (
        """%c = arith.constant dense<0.0> : tensor<4x9xf32>
        %r = arith.maximumf %x, %c : tensor<4x9xf32>""",
        lambda x: np.maximum(x, 0),
    ),
    "leaky relu by comparison and select": (
        """%c = arith.constant dense<0.0> : tensor<4x9xf32>
        %h = arith.constant dense<0.5> : tensor<4x9xf32>
        %b = arith.cmpf ogt, %x, %c : tensor<4x9xf32>
        %m = arith.mulf %x, %h : tensor<4x9xf32>
        %r = arith.select %b, %x, %m : tensor<4x9xi1>, tensor<4x9xf32>""",
        lambda x: np.where(x > 0, x, x / 2),
    ),
    "select of tensors by a scalar": (
        """%t = arith.constant true
        %h = arith.constant dense<0.5> : tensor<4x9xf32>
        %e = tensor.extract %x[%zero, %zero] : tensor<4x9xf32>
        %c = arith.constant 0.0 : f32
        %b = arith.cmpf oge, %e, %c : f32
        %r = arith.select %b, %x, %h : tensor<4x9xf32>""",
        lambda x: x if x[0, 0] >= 0 else np.full_like(x, 0.5),
    ),
    "fma": (
        "%r = math.fma %x, %x, %x : tensor<4x9xf32>",
        lambda x: x * x + x,
    ),
    "powers": (
        """%two = arith.constant dense<3> : tensor<4x9xi32>
        %r = math.fpowi %x, %two : tensor<4x9xf32>, tensor<4x9xi32>""",
        lambda x: x * x * x,
    ),
    "integer powers, bits and absolute values": (
        """%i = arith.fptosi %x : tensor<4x9xf32> to tensor<4x9xi32>
        %k = arith.constant dense<3> : tensor<4x9xi32>
        %p = math.ipowi %i, %k : tensor<4x9xi32>
        %a = math.absi %p : tensor<4x9xi32>
        %z = math.ctpop %a : tensor<4x9xi32>
        %l = math.ctlz %a : tensor<4x9xi32>
        %t = math.cttz %a : tensor<4x9xi32>
        %s = arith.addi %z, %l : tensor<4x9xi32>
        %u = arith.addi %s, %t : tensor<4x9xi32>
        %r = arith.sitofp %u : tensor<4x9xi32> to tensor<4x9xf32>""",
        lambda x: np.vectorize(
            lambda v: (
                bin(abs(int(v)) ** 3).count("1")
                + 32
                - (abs(int(v)) ** 3).bit_length()
                + (32 if int(v) == 0 else ((int(v) ** 3) & -(int(v) ** 3)).bit_length() - 1)
            )
        )(x).astype(np.float32),
    ),
    "classification": (
        """%n = math.isnan %x : tensor<4x9xf32>
        %f = math.isfinite %x : tensor<4x9xf32>
        %c = arith.xori %n, %f : tensor<4x9xi1>
        %r = arith.uitofp %c : tensor<4x9xi1> to tensor<4x9xf32>""",
        np.ones_like,
    ),
    "sigmoid": (
        """%one = arith.constant dense<1.0> : tensor<4x9xf32>
        %n = arith.negf %x : tensor<4x9xf32>
        %e = math.exp %n : tensor<4x9xf32>
        %d = arith.addf %one, %e : tensor<4x9xf32>
        %r = arith.divf %one, %d : tensor<4x9xf32>""",
        lambda x: 1 / (1 + np.exp(-x)),
    ),
    "bitcast": (
        """%i = tensor.bitcast %x : tensor<4x9xf32> to tensor<4x9xi32>
        %m = arith.constant dense<2147483647> : tensor<4x9xi32>
        %a = arith.andi %i, %m : tensor<4x9xi32>
        %r = arith.bitcast %a : tensor<4x9xi32> to tensor<4x9xf32>""",
        np.abs,
    ),
    "to an f8 and back": (
        """%n = arith.truncf %x : tensor<4x9xf32> to tensor<4x9xf8E4M3FN>
        %r = arith.extf %n : tensor<4x9xf8E4M3FN> to tensor<4x9xf32>""",
        lambda x: x.astype(ml_dtypes.float8_e4m3fn).astype(np.float32),
    ),
    "indices": (
        """%i = arith.fptosi %x : tensor<4x9xf32> to tensor<4x9xi64>
        %n = arith.index_cast %i : tensor<4x9xi64> to tensor<4x9xindex>
        %m = arith.addi %n, %n : tensor<4x9xindex>
        %o = arith.index_cast %m : tensor<4x9xindex> to tensor<4x9xi32>
        %r = arith.sitofp %o : tensor<4x9xi32> to tensor<4x9xf32>""",
        lambda x: np.trunc(x) * 2,
    ),
    "complex": (
        """%c = complex.create %fx, %fx : complex<f32>
        %a = complex.abs %c : complex<f32>
        %re = complex.re %c : complex<f32>
        %t = tensor.splat %re : tensor<4x9xf32>
        %r = arith.addf %x, %t : tensor<4x9xf32>""",
        lambda x: x + x[0, 0],
    ),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    body, function = ELEMENTWISE[name]
    x = small(4, 9)
    result = run(
        ["%x: tensor<4x9xf32>"],
        "tensor<4x9xf32>",
        f"""%zero = arith.constant 0 : index
        %fx = tensor.extract %x[%zero, %zero] : tensor<4x9xf32>
        {body}
        return %r : tensor<4x9xf32>""",
        x,
    )
    np.testing.assert_allclose(result, function(x), rtol=1e-6)


def test_dynamic_shapes():
    x, y = small(5, 3), small(5, 3)
    result = run(
        ["%x: tensor<?x?xf32>", "%y: tensor<?x?xf32>"],
        "tensor<?x?xf32>",
        """%s = arith.addf %x, %y : tensor<?x?xf32>
        %r = math.absf %s : tensor<?x?xf32>
        return %r : tensor<?x?xf32>""",
        x,
        y,
    )
    np.testing.assert_array_equal(result, np.abs(x + y))


# Products, convolutions, pooling, reductions.

INIT = "%zero = arith.constant 0.0 : f32\n"


def filled(type, name="%o", value="%zero"):
    return (
        f"%e{name[1:]} = tensor.empty() : {type}\n"
        f"{name} = linalg.fill ins({value} : f32) outs(%e{name[1:]} : {type}) -> {type}\n"
    )


def windows(x, kernel, stride=1):
    """N, OH, OW, C, KH, KW of NHWC."""
    view = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(1, 2))
    return view[:, ::stride, ::stride]


def named(inputs, result, op, ins, fill="%zero", attrs=""):
    types = ", ".join(t for _, t in ins)
    names = ", ".join(n for n, _ in ins)
    return (
        inputs,
        result,
        INIT
        + "%lowest = arith.constant 0xFF800000 : f32\n"
        + filled(result, value=fill)
        + f"%r = {op} {attrs} ins({names} : {types}) outs(%o : {result}) -> {result}\n"
        + f"return %r : {result}",
    )


def shape_of(type):
    return [int(size) for size in re.findall(r"(\d+)x", type)]


LINALG = {
    "matmul": (
        named(
            ["%x: tensor<5x7xf32>", "%y: tensor<7x6xf32>"],
            "tensor<5x6xf32>",
            "linalg.matmul",
            [("%x", "tensor<5x7xf32>"), ("%y", "tensor<7x6xf32>")],
        ),
        np.matmul,
    ),
    "batch_matmul": (
        named(
            ["%x: tensor<2x5x7xf32>", "%y: tensor<2x7x6xf32>"],
            "tensor<2x5x6xf32>",
            "linalg.batch_matmul",
            [("%x", "tensor<2x5x7xf32>"), ("%y", "tensor<2x7x6xf32>")],
        ),
        np.matmul,
    ),
    "matvec": (
        named(
            ["%x: tensor<5x7xf32>", "%y: tensor<7xf32>"],
            "tensor<5xf32>",
            "linalg.matvec",
            [("%x", "tensor<5x7xf32>"), ("%y", "tensor<7xf32>")],
        ),
        np.matmul,
    ),
    "convolution": (
        named(
            ["%x: tensor<1x8x8x3xf32>", "%y: tensor<3x3x3x4xf32>"],
            "tensor<1x3x3x4xf32>",
            "linalg.conv_2d_nhwc_hwcf",
            [("%x", "tensor<1x8x8x3xf32>"), ("%y", "tensor<3x3x3x4xf32>")],
            attrs="{strides = dense<2> : tensor<2xi64>}",
        ),
        lambda x, y: np.einsum("nhwckl,klcf->nhwf", windows(x, (3, 3), 2), y),
    ),
    "depthwise convolution": (
        named(
            ["%x: tensor<1x8x8x3xf32>", "%y: tensor<3x3x3xf32>"],
            "tensor<1x6x6x3xf32>",
            "linalg.depthwise_conv_2d_nhwc_hwc",
            [("%x", "tensor<1x8x8x3xf32>"), ("%y", "tensor<3x3x3xf32>")],
        ),
        lambda x, y: np.einsum("nhwckl,klc->nhwc", windows(x, (3, 3)), y),
    ),
    "maximum pooling": (
        (
            ["%x: tensor<1x8x8x3xf32>"],
            "tensor<1x4x4x3xf32>",
            "%lowest = arith.constant 0xFF800000 : f32\n"
            + filled("tensor<1x4x4x3xf32>", value="%lowest")
            + """%w = tensor.empty() : tensor<2x2xf32>
            %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
              ins(%x, %w : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%o : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
            return %r : tensor<1x4x4x3xf32>""",
        ),
        lambda x: windows(x, (2, 2), 2).max((4, 5)),
    ),
    "average pooling": (
        (
            ["%x: tensor<1x8x8x3xf32>"],
            "tensor<1x4x4x3xf32>",
            INIT
            + filled("tensor<1x4x4x3xf32>")
            + """%w = tensor.empty() : tensor<2x2xf32>
            %s = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>}
              ins(%x, %w : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%o : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
            %n = arith.constant dense<0.25> : tensor<1x4x4x3xf32>
            %r = arith.mulf %s, %n : tensor<1x4x4x3xf32>
            return %r : tensor<1x4x4x3xf32>""",
        ),
        lambda x: windows(x, (2, 2), 2).sum((4, 5)) / 4,
    ),
    "reduction": (
        (
            ["%x: tensor<5x9xf32>"],
            "tensor<5xf32>",
            INIT
            + filled("tensor<5xf32>")
            + """%r = linalg.reduce { arith.addf } ins(%x : tensor<5x9xf32>) outs(%o : tensor<5xf32>) dimensions = [1]
            return %r : tensor<5xf32>""",
        ),
        lambda x: x.sum(1),
    ),
    "transpose and broadcast": (
        (
            ["%x: tensor<5x9xf32>"],
            "tensor<9x3x5xf32>",
            """%t = tensor.empty() : tensor<9x5xf32>
            %p = linalg.transpose ins(%x : tensor<5x9xf32>) outs(%t : tensor<9x5xf32>) permutation = [1, 0]
            %o = tensor.empty() : tensor<9x3x5xf32>
            %r = linalg.broadcast ins(%p : tensor<9x5xf32>) outs(%o : tensor<9x3x5xf32>) dimensions = [1]
            return %r : tensor<9x3x5xf32>""",
        ),
        lambda x: np.broadcast_to(x.T[:, None], (9, 3, 5)),
    ),
    "map": (
        (
            ["%x: tensor<5x9xf32>"],
            "tensor<5x9xf32>",
            """%o = tensor.empty() : tensor<5x9xf32>
            %r = linalg.map { math.absf } ins(%x : tensor<5x9xf32>) outs(%o : tensor<5x9xf32>)
            return %r : tensor<5x9xf32>""",
        ),
        np.abs,
    ),
    "elementwise": (
        (
            ["%x: tensor<5x9xf32>"],
            "tensor<5x9xf32>",
            """%o = tensor.empty() : tensor<5x9xf32>
            %r = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%x : tensor<5x9xf32>) outs(%o : tensor<5x9xf32>) -> tensor<5x9xf32>
            return %r : tensor<5x9xf32>""",
        ),
        np.exp,
    ),
    "contract": (
        (
            ["%x: tensor<5x7xf32>", "%y: tensor<6x7xf32>"],
            "tensor<5x6xf32>",
            INIT
            + filled("tensor<5x6xf32>")
            + """%r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
              ins(%x, %y : tensor<5x7xf32>, tensor<6x7xf32>) outs(%o : tensor<5x6xf32>) -> tensor<5x6xf32>
            return %r : tensor<5x6xf32>""",
        ),
        lambda x, y: x @ y.T,
    ),
    "softmax": (
        (
            ["%x: tensor<5x9xf32>"],
            "tensor<5x9xf32>",
            """%o = tensor.empty() : tensor<5x9xf32>
            %r = linalg.softmax dimension(1) ins(%x : tensor<5x9xf32>) outs(%o : tensor<5x9xf32>) -> tensor<5x9xf32>
            return %r : tensor<5x9xf32>""",
        ),
        lambda x: (
            np.exp(x - x.max(1, keepdims=True))
            / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)
        ),
    ),
    "winograd": (
        (
            ["%x: tensor<1x6x6x2xf32>", "%y: tensor<3x3x3x2xf32>"],
            "tensor<1x4x4x3xf32>",
            INIT
            + """%ef = tensor.empty() : tensor<6x6x2x3xf32>
            %f = linalg.winograd_filter_transform fmr(F_4_3) ins(%y : tensor<3x3x3x2xf32>) outs(%ef : tensor<6x6x2x3xf32>) -> tensor<6x6x2x3xf32>
            %ei = tensor.empty() : tensor<6x6x1x1x1x2xf32>
            %i = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<1x6x6x2xf32>) outs(%ei : tensor<6x6x1x1x1x2xf32>) -> tensor<6x6x1x1x1x2xf32>
            %cf = tensor.collapse_shape %f [[0, 1], [2], [3]] : tensor<6x6x2x3xf32> into tensor<36x2x3xf32>
            %ci = tensor.collapse_shape %i [[0, 1], [2, 3, 4], [5]] : tensor<6x6x1x1x1x2xf32> into tensor<36x1x2xf32>
            """
            + filled("tensor<36x1x3xf32>")
            + """%m = linalg.batch_matmul ins(%ci, %cf : tensor<36x1x2xf32>, tensor<36x2x3xf32>) outs(%o : tensor<36x1x3xf32>) -> tensor<36x1x3xf32>
            %em = tensor.expand_shape %m [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 1, 1, 1, 3] : tensor<36x1x3xf32> into tensor<6x6x1x1x1x3xf32>
            """
            + filled("tensor<1x4x4x3xf32>", "%d")
            + """%r = linalg.winograd_output_transform fmr(F_4_3) ins(%em : tensor<6x6x1x1x1x3xf32>) outs(%d : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
            return %r : tensor<1x4x4x3xf32>""",
        ),
        lambda x, y: np.einsum("nhwckl,fklc->nhwf", windows(x, (3, 3)), y),
    ),
}


@pytest.mark.parametrize("name", LINALG)
def test_linalg(name):
    (arguments, result_type, body), function = LINALG[name]
    values = [small(*shape_of(a.split(": ")[1])) for a in arguments]
    result = run(arguments, result_type, body, *values)
    exact = name not in ("softmax", "elementwise", "winograd")
    tolerance = {"rtol": 0 if exact else 1e-5, "atol": 1e-3 if name == "winograd" else 0}
    np.testing.assert_allclose(result, function(*values), **tolerance)


# Movement of elements.

TENSOR = {
    "pad": (
        "tensor<8x11xf32>",
        """%c = arith.constant 1.5 : f32
        %r = tensor.pad %x low[1, 0] high[2, 4] {
        ^bb0(%i: index, %j: index):
          tensor.yield %c : f32
        } : tensor<5x7xf32> to tensor<8x11xf32>""",
        lambda x: np.pad(x, ((1, 2), (0, 4)), constant_values=1.5),
    ),
    "pad by a computed value": (
        "tensor<6x7xf32>",
        """%r = tensor.pad %x low[1, 0] high[0, 0] {
        ^bb0(%i: index, %j: index):
          %k = arith.index_cast %j : index to i32
          %f = arith.sitofp %k : i32 to f32
          tensor.yield %f : f32
        } : tensor<5x7xf32> to tensor<6x7xf32>""",
        lambda x: np.concatenate([np.arange(7, dtype=np.float32)[None], x]),
    ),
    "concat": (
        "tensor<5x14xf32>",
        """%n = arith.negf %x : tensor<5x7xf32>
        %r = tensor.concat dim(1) %x, %n : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x14xf32>""",
        lambda x: np.concatenate([x, -x], 1),
    ),
    "slice": (
        "tensor<2x3xf32>",
        "%r = tensor.extract_slice %x[1, 0] [2, 3] [2, 3] : tensor<5x7xf32> to tensor<2x3xf32>",
        lambda x: x[1:5:2, 0:9:3],
    ),
    "insertion of a slice": (
        "tensor<5x7xf32>",
        """%s = tensor.extract_slice %x[0, 0] [2, 3] [1, 1] : tensor<5x7xf32> to tensor<2x3xf32>
        %r = tensor.insert_slice %s into %x[3, 4] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<5x7xf32>""",
        lambda x: np.block([[x[:3]], [np.hstack([x[3:, :4], x[:2, :3]])]]),
    ),
    "generate": (
        "tensor<7x5xf32>",
        """%r = tensor.generate {
        ^bb0(%i: index, %j: index):
          %e = tensor.extract %x[%j, %i] : tensor<5x7xf32>
          tensor.yield %e : f32
        } : tensor<7x5xf32>""",
        lambda x: x.T,
    ),
    "from_elements and splat": (
        "tensor<2x2xf32>",
        """%z = arith.constant 0 : index
        %a = tensor.extract %x[%z, %z] : tensor<5x7xf32>
        %f = tensor.from_elements %a, %a, %a, %a : tensor<2x2xf32>
        %s = tensor.splat %a : tensor<2x2xf32>
        %r = arith.addf %f, %s : tensor<2x2xf32>""",
        lambda x: np.full((2, 2), 2 * x[0, 0]),
    ),
    "insert": (
        "tensor<5x7xf32>",
        """%z = arith.constant 0 : index
        %c = arith.constant 9.0 : f32
        %r = tensor.insert %c into %x[%z, %z] : tensor<5x7xf32>""",
        lambda x: np.concatenate([[9], x.reshape(-1)[1:]]).reshape(5, 7),
    ),
    "reshapes": (
        "tensor<7x5xf32>",
        """%f = tensor.collapse_shape %x [[0, 1]] : tensor<5x7xf32> into tensor<35xf32>
        %s = arith.constant dense<[7, 5]> : tensor<2xi64>
        %r = tensor.reshape %f(%s) : (tensor<35xf32>, tensor<2xi64>) -> tensor<7x5xf32>""",
        lambda x: x.reshape(7, 5),
    ),
    "gather as a generic": (
        "tensor<3x7xf32>",
        """%i = arith.constant dense<[4, 0, 2]> : tensor<3xindex>
        %o = tensor.empty() : tensor<3x7xf32>
        %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
                             iterator_types = ["parallel", "parallel"]}
            ins(%i : tensor<3xindex>) outs(%o : tensor<3x7xf32>) {
        ^bb0(%row: index, %unused: f32):
          %j = linalg.index 1 : index
          %e = tensor.extract %x[%row, %j] : tensor<5x7xf32>
          linalg.yield %e : f32
        } -> tensor<3x7xf32>""",
        lambda x: x[[4, 0, 2]],
    ),
    "pack and unpack": (
        "tensor<5x7xf32>",
        """%p = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<3x2x2x4xf32>
        %k = linalg.pack %x padding_value(%p : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<5x7xf32> -> tensor<3x2x2x4xf32>
        %n = arith.negf %k : tensor<3x2x2x4xf32>
        %o = tensor.empty() : tensor<5x7xf32>
        %r = linalg.unpack %n inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %o : tensor<3x2x2x4xf32> -> tensor<5x7xf32>""",
        lambda x: -x,
    ),
}


@pytest.mark.parametrize("name", TENSOR)
def test_tensor(name):
    result_type, body, function = TENSOR[name]
    x = small(5, 7)
    result = run(["%x: tensor<5x7xf32>"], result_type, f"{body}\nreturn %r : {result_type}", x)
    np.testing.assert_array_equal(result, function(x))


def test_dynamic_result_of_a_chain():
    """Its size is known before the call, through every op: `out` is filled."""
    x = small(5, 3)
    compiled = runtime.compile(
        module(
            ["%x: tensor<?x?xf32>"],
            "tensor<?x?x!quant.uniform<i8:f32, 0.25>>",
            """%s = shape.shape_of %x : tensor<?x?xf32> -> tensor<2xindex>
            %c1 = arith.constant 1 : index
            %n = shape.get_extent %s, %c1 : tensor<2xindex>, index -> index
            %i = arith.index_cast %n : index to i32
            %f = arith.sitofp %i : i32 to f32
            %c0 = arith.constant 0 : index
            %m = tensor.dim %x, %c0 : tensor<?x?xf32>
            %t = tensor.splat %f[%m, %n] : tensor<?x?xf32>
            %a = arith.addf %x, %t : tensor<?x?xf32>
            %q = quant.qcast %a : tensor<?x?xf32> to tensor<?x?x!quant.uniform<i8:f32, 0.25>>
            return %q : tensor<?x?x!quant.uniform<i8:f32, 0.25>>""",
        )
    )
    out = np.empty((5, 3), np.int8)
    assert compiled.f(x, out=out) is out
    np.testing.assert_array_equal(out, (x + 3) * 4)
    assert "returned" not in str(compiled.f._plans)


def test_a_division_behind_an_assertion():
    """The caller's process does not divide by zero: SIGFPE."""
    compiled = runtime.compile("""
func.func @f(%n: index, %d: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi ne, %d, %c0 : index
  cf.assert %ok, "division by zero"
  %q = arith.divui %n, %d : index
  %r = arith.remui %q, %d : index
  %s = arith.addi %q, %r : index
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c[%s] : tensor<?xf32>
  return %t : tensor<?xf32>
}""")
    np.testing.assert_array_equal(compiled.f(9, 2), np.ones(4, np.float32))
    with pytest.raises(ValueError, match="division by zero"):
        compiled.f(9, 0)


def test_two_dynamic_sizes_of_one_group():
    """Upstream's expand-strided-metadata crashes there."""
    x = small(24)
    body = """
        %r = tensor.expand_shape %x [[0, 1, 2]] output_shape [%a, %b, 4] : tensor<?xf32> into tensor<?x?x4xf32>
        return %r : tensor<?x?x4xf32>"""
    arguments = ["%x: tensor<?xf32>", "%a: index", "%b: index"]
    result = run(arguments, "tensor<?x?x4xf32>", body, x, 2, 3)
    np.testing.assert_array_equal(result, x.reshape(2, 3, 4))


# Control flow.

CONTROL = {
    "scf.for": (
        """%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<5x7xf32> {
          %b = arith.addf %a, %x : tensor<5x7xf32>
          scf.yield %b : tensor<5x7xf32>
        }""",
        lambda x: 4 * x,
    ),
    "scf.while": (
        """%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %n, %r = scf.while (%i = %c0, %a = %x) : (index, tensor<5x7xf32>) -> (index, tensor<5x7xf32>) {
          %go = arith.cmpi slt, %i, %c3 : index
          scf.condition(%go) %i, %a : index, tensor<5x7xf32>
        } do {
        ^bb0(%i: index, %a: tensor<5x7xf32>):
          %j = arith.addi %i, %c1 : index
          %b = arith.addf %a, %x : tensor<5x7xf32>
          scf.yield %j, %b : index, tensor<5x7xf32>
        }""",
        lambda x: 4 * x,
    ),
    "scf.if": (
        """%c0 = arith.constant 0 : index
        %e = tensor.extract %x[%c0, %c0] : tensor<5x7xf32>
        %z = arith.constant 0.0 : f32
        %c = arith.cmpf ogt, %e, %z : f32
        %r = scf.if %c -> tensor<5x7xf32> {
          %n = arith.negf %x : tensor<5x7xf32>
          scf.yield %n : tensor<5x7xf32>
        } else {
          scf.yield %x : tensor<5x7xf32>
        }""",
        lambda x: -x if x[0, 0] > 0 else x,
    ),
    "scf.forall": (
        """%o = tensor.empty() : tensor<5x7xf32>
        %r = scf.forall (%i) in (5) shared_outs(%t = %o) -> tensor<5x7xf32> {
          %s = tensor.extract_slice %x[%i, 0] [1, 7] [1, 1] : tensor<5x7xf32> to tensor<1x7xf32>
          %n = arith.negf %s : tensor<1x7xf32>
          scf.forall.in_parallel {
            tensor.parallel_insert_slice %n into %t[%i, 0] [1, 7] [1, 1] : tensor<1x7xf32> into tensor<5x7xf32>
          }
        }""",
        np.negative,
    ),
    "scf.parallel": (
        """%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c5 = arith.constant 5 : index
        %z = arith.constant 0.0 : f32
        %s = scf.parallel (%i) = (%c0) to (%c5) step (%c1) init (%z) -> f32 {
          %e = tensor.extract %x[%i, %c0] : tensor<5x7xf32>
          scf.reduce(%e : f32) {
          ^bb0(%a: f32, %b: f32):
            %t = arith.addf %a, %b : f32
            scf.reduce.return %t : f32
          }
        }
        %r = tensor.splat %s : tensor<5x7xf32>""",
        lambda x: np.full_like(x, x[:, 0].sum()),
    ),
    "scf.index_switch": (
        """%c1 = arith.constant 1 : index
        %d = tensor.dim %x, %c1 : tensor<5x7xf32>
        %r = scf.index_switch %k -> tensor<5x7xf32>
        case 7 {
          %n = arith.negf %x : tensor<5x7xf32>
          scf.yield %n : tensor<5x7xf32>
        }
        default {
          scf.yield %x : tensor<5x7xf32>
        }""",
        np.negative,
    ),
    "scf.execute_region": (
        """%r = scf.execute_region -> tensor<5x7xf32> {
          %n = arith.negf %x : tensor<5x7xf32>
          scf.yield %n : tensor<5x7xf32>
        }""",
        np.negative,
    ),
    "affine.for": (
        """%r = affine.for %i = 0 to 3 iter_args(%a = %x) -> tensor<5x7xf32> {
          %b = arith.addf %a, %x : tensor<5x7xf32>
          affine.yield %b : tensor<5x7xf32>
        }""",
        lambda x: 4 * x,
    ),
    "affine.if and affine.apply": (
        """%i = affine.apply affine_map<(d0)[s0] -> ((d0 * 2 + s0) floordiv 3)>(%k)[%k]
        %r = affine.if affine_set<(d0) : (d0 - 7 >= 0)>(%i) -> tensor<5x7xf32> {
          %n = arith.negf %x : tensor<5x7xf32>
          affine.yield %n : tensor<5x7xf32>
        } else {
          affine.yield %x : tensor<5x7xf32>
        }""",
        np.negative,
    ),
    "cf": (
        """%c7 = arith.constant 7 : index
        %c = arith.cmpi eq, %k, %c7 : index
        %n = arith.negf %x : tensor<5x7xf32>
        cf.cond_br %c, ^bb1(%n : tensor<5x7xf32>), ^bb1(%x : tensor<5x7xf32>)
      ^bb1(%r: tensor<5x7xf32>):""",
        np.negative,
    ),
    "a call": (
        "%r = call @negate(%x) : (tensor<5x7xf32>) -> tensor<5x7xf32>",
        np.negative,
    ),
    "index arithmetic": (
        """%i = index.constant 3
        %j = index.add %k, %i
        %l = index.ceildivs %j, %i
        %m = index.maxu %l, %j
        %n = index.casts %m : index to i32
        %f = arith.sitofp %n : i32 to f32
        %r = tensor.splat %f : tensor<5x7xf32>""",
        lambda x: np.full_like(x, 10),
    ),
    "shape": (
        """%s = shape.shape_of %y : tensor<?x7xf32> -> tensor<2xindex>
        %n = shape.num_elements %s : tensor<2xindex> -> index
        %i = arith.index_cast %n : index to i32
        %f = arith.sitofp %i : i32 to f32
        %r = tensor.splat %f : tensor<5x7xf32>""",
        lambda x: np.full_like(x, 35),
    ),
    "shape constraints": (
        """%s = shape.shape_of %x : tensor<5x7xf32> -> tensor<2xindex>
        %t = shape.shape_of %y : tensor<?x7xf32> -> tensor<2xindex>
        %w = shape.cstr_broadcastable %s, %t : tensor<2xindex>, tensor<2xindex>
        %r = shape.assuming %w -> tensor<5x7xf32> {
          %n = arith.negf %x : tensor<5x7xf32>
          shape.assuming_yield %n : tensor<5x7xf32>
        }""",
        np.negative,
    ),
    "complex": (
        """%z = arith.constant 0 : index
        %e = tensor.extract %x[%z, %z] : tensor<5x7xf32>
        %c = complex.create %e, %e : complex<f32>
        %d = complex.mul %c, %c : complex<f32>
        %f = complex.im %d : complex<f32>
        %r = tensor.splat %f : tensor<5x7xf32>""",
        lambda x: np.full_like(x, 2 * x[0, 0] ** 2),
    ),
    "vectors": (
        """%z = arith.constant 0 : index
        %p = arith.constant 0.0 : f32
        %v = vector.transfer_read %x[%z, %z], %p {in_bounds = [true, true]} : tensor<5x7xf32>, vector<5x7xf32>
        %t = vector.transpose %v, [1, 0] : vector<5x7xf32> to vector<7x5xf32>
        %a = arith.constant dense<0.0> : vector<5x5xf32>
        %m = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
            iterator_types = ["parallel", "parallel", "reduction"]} %v, %t, %a : vector<5x7xf32>, vector<7x5xf32> into vector<5x5xf32>
        %b = arith.constant dense<0.0> : vector<5xf32>
        %s = vector.multi_reduction <add>, %m, %b [1] : vector<5x5xf32> to vector<5xf32>
        %l = vector.reduction <add>, %s : vector<5xf32> into f32
        %w = vector.broadcast %l : f32 to vector<5x7xf32>
        %o = tensor.empty() : tensor<5x7xf32>
        %r = vector.transfer_write %w, %o[%z, %z] {in_bounds = [true, true]} : vector<5x7xf32>, tensor<5x7xf32>""",
        lambda x: np.full_like(x, (x @ x.T).sum()),
    ),
    "more vectors": (
        """%z = arith.constant 0 : index
        %p = arith.constant 0.0 : f32
        %v = vector.transfer_read %x[%z, %z], %p {in_bounds = [true, true]} : tensor<5x7xf32>, vector<5x7xf32>
        %f = vector.shape_cast %v : vector<5x7xf32> to vector<35xf32>
        %g = vector.shuffle %f, %f [34, 33, 0, 1] : vector<35xf32>, vector<35xf32>
        %q = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 2], strides = [1, 1]} : vector<5x7xf32> to vector<2x2xf32>
        %h = vector.shape_cast %q : vector<2x2xf32> to vector<4xf32>
        %d = arith.addf %g, %h : vector<4xf32>
        %e = math.exp %q : vector<2x2xf32>
        %i = vector.insert_strided_slice %e, %v {offsets = [0, 0], strides = [1, 1]} : vector<2x2xf32> into vector<5x7xf32>
        %k2 = vector.insert_strided_slice %d, %i {offsets = [4, 0], strides = [1]} : vector<4xf32> into vector<5x7xf32>
        %o = tensor.empty() : tensor<5x7xf32>
        %r = vector.transfer_write %k2, %o[%z, %z] {in_bounds = [true, true]} : vector<5x7xf32>, tensor<5x7xf32>""",
        None,
    ),
    "buffers": (
        """%z = arith.constant 0 : index
        %m = memref.alloc() : memref<5x7xf32>
        bufferization.materialize_in_destination %x in writable %m : (tensor<5x7xf32>, memref<5x7xf32>) -> ()
        %c = arith.constant 9.0 : f32
        %old = memref.atomic_rmw addf %c, %m[%z, %z] : (f32, memref<5x7xf32>) -> f32
        %l = memref.load %m[%z, %z] : memref<5x7xf32>
        %r = tensor.splat %l : tensor<5x7xf32>""",
        lambda x: np.full_like(x, x[0, 0] + 9),
    ),
}


@pytest.mark.parametrize("name", CONTROL)
def test_control(name):
    body, function = CONTROL[name]
    x = small(5, 7)
    if function is None:

        def function(x):
            y = x.copy()
            y[:2, :2] = np.exp(x[1:3, 2:4])
            y[4, :4] = x.reshape(-1)[[34, 33, 0, 1]] + x[1:3, 2:4].reshape(-1)
            return y

    result = run(
        ["%x: tensor<5x7xf32>", "%y: tensor<?x7xf32>", "%k: index"],
        "tensor<5x7xf32>",
        f"{body}\nreturn %r : tensor<5x7xf32>",
        x,
        x,
        7,
        before="""
        func.func private @negate(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
          %n = arith.negf %x : tensor<5x7xf32>
          return %n : tensor<5x7xf32>
        }""",
    )
    np.testing.assert_allclose(result, function(x), rtol=1e-6)


def test_quantized_convolution_block():
    """Weights and activations from codes, convolution, bias, relu, and codes again."""
    compiled = runtime.compile("""
#nhwc = affine_map<(n, h, w, c) -> (n, h, w, c)>
#c = affine_map<(n, h, w, c) -> (c)>
func.func @f(%x: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>,
             %w: tensor<3x3x3x4x!quant.uniform<i8:f32:3, {0.25, 0.5, 1.0, 2.0}>>,
             %b: tensor<4x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x6x6x4x!quant.uniform<u8:f32, 4.0:3>> {
  %xf = quant.dcast %x : tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>> to tensor<1x8x8x3xf32>
  %wf = quant.dcast %w : tensor<3x3x3x4x!quant.uniform<i8:f32:3, {0.25, 0.5, 1.0, 2.0}>> to tensor<3x3x3x4xf32>
  %bf = quant.dcast %b : tensor<4x!quant.uniform<i32:f32, 0.125>> to tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %o = linalg.broadcast ins(%bf : tensor<4xf32>) outs(%e : tensor<1x6x6x4xf32>) dimensions = [0, 1, 2]
  %y = linalg.conv_2d_nhwc_hwcf ins(%xf, %wf : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %z = arith.constant dense<0.0> : tensor<1x6x6x4xf32>
  %r = arith.maximumf %y, %z : tensor<1x6x6x4xf32>
  %q = quant.qcast %r : tensor<1x6x6x4xf32> to tensor<1x6x6x4x!quant.uniform<u8:f32, 4.0:3>>
  return %q : tensor<1x6x6x4x!quant.uniform<u8:f32, 4.0:3>>
}""")
    x = RANDOM.integers(100, 150, (1, 8, 8, 3)).astype(np.uint8)
    w = RANDOM.integers(-20, 21, (3, 3, 3, 4)).astype(np.int8)
    b = RANDOM.integers(-100, 101, 4).astype(np.int32)
    xf = (x.astype(np.float32) - 128) / 2
    wf = w * np.array([0.25, 0.5, 1, 2], np.float32)
    y = np.einsum("nhwckl,klcf->nhwf", windows(xf, (3, 3)), wf) + b / np.float32(8)
    expected = np.clip(np.rint(np.maximum(y, 0) / 4 + 3), 0, 255).astype(np.uint8)
    np.testing.assert_array_equal(compiled.f(x, w, b), expected)
