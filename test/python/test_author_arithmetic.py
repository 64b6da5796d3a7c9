# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of arith and math that an author wrote, compiled: zeros of both signs, NaN, infinities, subnormals and extremes, against NumPy and exact integers."""

import dataclasses
import itertools
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from kernels import same, specials

from mlir_qdq import runtime

REALS = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
SMALL = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
SIGNED = {f"i{width}": np.dtype(f"i{width // 8}") for width in (8, 16, 32, 64)}
ELEMENTS = {np.dtype(t): name for name, t in (REALS | SMALL | SIGNED).items()}


@dataclasses.dataclass
class Case:
    """An op on %a, %b, ..., which are tensors, and what it gives where that is defined."""

    op: str
    operands: list
    expected: np.ndarray
    defined: np.ndarray | bool = True

    def text(self, name: str) -> str:
        def tensor(array):
            return f"tensor<{array.size}x{ELEMENTS[array.dtype]}>"

        names = "abc"[: len(self.operands)]
        types = [tensor(x) for x in self.operands]
        arguments = ", ".join(f"%{n}: {t}" for n, t in zip(names, types))
        result = tensor(self.expected)
        op = self.op.format(a=types[0], r=result, n=self.expected.size)
        return (
            f"func.func @{name}({arguments}) -> {result} {{\n  {op}\n  return %r : {result}\n}}\n"
        )


def check(cases: dict[str, Case], target: str) -> None:
    text = "".join(case.text(name) for name, case in cases.items())
    compiled = runtime.compile(text, target=target)
    wrong = []
    for name, case in cases.items():
        got = compiled[name](*case.operands)
        agree = same(got, case.expected, case.defined)
        if not agree.all():
            at = np.argwhere(~agree)[0, 0]
            of = [x[at] for x in case.operands]
            wrong.append(
                f"{name} of {of}: {got[at]!r}, not {case.expected[at]!r}; {(~agree).sum()} of {agree.size}"
            )
    assert not wrong, "\n".join(wrong)


on_targets = pytest.mark.parametrize("target", ["vector", "linalg"])


def rounded(x: np.ndarray, dtype) -> np.ndarray:
    """To nearest even, once; subnormals and overflow as IEEE has them."""
    info = ml_dtypes.finfo(dtype)
    with np.errstate(all="ignore"):
        step = np.maximum(np.frexp(x)[1] - info.nmant - 1, info.minexp - info.nmant)
        near = np.ldexp(np.rint(np.ldexp(x, -step)), step)
        near = np.where(np.isfinite(x), near, x)
        near = np.where(np.abs(near) > float(info.max), np.copysign(np.inf, x), near)
        return near.astype(dtype)


def reals(dtype) -> np.ndarray:
    """Specials and random bits."""
    bits = np.random.default_rng(7).integers(0, 256, 30 * np.dtype(dtype).itemsize, np.uint8)
    return np.concatenate([specials(dtype), bits.view(dtype)])


def pairs(x: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(side.ravel()) for side in np.meshgrid(x, x)]


def binary(name: str, f):
    """An op in all four types: f64 has room for the exact result of the others, or rounds it where that is no matter."""

    def case(dtype):
        a, b = pairs(reals(dtype))
        with np.errstate(all="ignore"):
            wide = f(a.astype(np.float64), b.astype(np.float64))
            return Case(f"%r = {name} %a, %b : {{a}}", [a, b], rounded(wide, dtype))

    return case


def larger(a, b):
    """NaN of any operand; of two zeros the positive one."""
    return np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b))


def smaller(a, b):
    return np.where(a == b, np.where(np.signbit(a), a, b), np.minimum(a, b))


BINARY = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
    "arith.remf": np.fmod, "arith.maximumf": larger, "arith.minimumf": smaller, "math.copysign": np.copysign,
}  # fmt: skip
UNARY = {
    "arith.negf": np.negative, "math.absf": np.abs, "math.ceil": np.ceil, "math.floor": np.floor, "math.trunc": np.trunc,
    "math.roundeven": np.rint, "math.round": lambda x: np.copysign(np.trunc(np.abs(x) + (np.abs(x) % 1 >= 0.5)), x),
    "math.sqrt": np.sqrt,
}  # fmt: skip


@on_targets
@pytest.mark.parametrize("element", list(REALS))
def test_reals(element, target):
    dtype, cases = REALS[element], {}
    for op, f in BINARY.items():
        cases[op.replace(".", "_")] = binary(op, f)(dtype)
    x = reals(dtype)
    with np.errstate(all="ignore"):
        for op, f in UNARY.items():
            expected = rounded(f(x.astype(np.float64)), dtype)
            cases[op.replace(".", "_")] = Case(f"%r = {op} %a : {{a}}", [x], expected)
    a, b = pairs(x)
    for op, f in {"maxnumf": np.fmax, "minnumf": np.fmin}.items():
        # Of two zeros either.
        cases[op] = Case(f"%r = arith.{op} %a, %b : {{a}}", [a, b], f(a, b), (a != 0) | (b != 0))
    check(cases, target)


def exponent(x: Fraction) -> int:
    """2^e <= |x| < 2^(e + 1)."""
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e if abs(x) >= Fraction(2) ** e else e - 1


@on_targets
@pytest.mark.parametrize("element", list(REALS))
def test_fma(element, target):
    """One rounding: the product and the sum as fractions."""
    dtype = REALS[element]
    x = reals(dtype)
    x = x[np.isfinite(x)][:14]
    # 7 * part is halfway between two numbers: a small sum decides.
    first = 2 ** (ml_dtypes.finfo(dtype).nmant + 1) + 1
    part = next(n for n in range(first, first + 14, 2) if n % 7 == 0) // 7
    x = np.concatenate([x, np.array([7, part, 2.0**-14, -(2.0**-14)]).astype(dtype)])
    a, b, c = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(x, x, x))
    info = ml_dtypes.finfo(dtype)

    def one(p, q, r):
        exact = Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r))
        if exact == 0:
            with np.errstate(all="ignore"):
                return np.float64(p) * np.float64(q) + np.float64(r)
        unit = Fraction(2) ** (max(exponent(exact), info.minexp) - info.nmant)
        near = round(exact / unit) * unit
        return (
            float(near)
            if abs(near) <= Fraction(float(info.max))
            else np.copysign(np.inf, 1 if exact > 0 else -1)
        )

    expected = np.array([one(*v) for v in zip(a, b, c)]).astype(dtype)
    defined = expected != 0  # the sign of a zero that is a product below all numbers
    check({"fma": Case("%r = math.fma %a, %b, %c : {a}", [a, b, c], expected, defined)}, target)


@on_targets
@pytest.mark.parametrize("element", list(REALS))
@pytest.mark.parametrize("op, f", [("maximumf", larger), ("minimumf", smaller)])
def test_reductions(element, op, f, target):
    """Of rows of two numbers."""
    x = reals(REALS[element])
    a, b = pairs(x)
    rows = np.stack([a, b, a, b], axis=1)
    start = dict(maximumf=-np.inf, minimumf=np.inf)[op]
    with np.errstate(all="ignore"):
        expected = f(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
    m = len(rows)
    text = f"""func.func @main(%a: tensor<{m}x4x{element}>, %s: tensor<{m}x{element}>) -> tensor<{m}x{element}> {{
  %r = linalg.reduce {{ arith.{op} }} ins(%a : tensor<{m}x4x{element}>) outs(%s : tensor<{m}x{element}>) dimensions = [1]
  return %r : tensor<{m}x{element}>
}}"""
    got = runtime.compile(text, target=target).main(rows, np.full(m, start, a.dtype))
    assert same(np.asarray(got), expected).all()


@on_targets
@pytest.mark.parametrize("element", list(REALS))
def test_sign_bits(element, target):
    """Of a bitcast, nothing else of which is used."""
    x = reals(REALS[element])
    width = 8 * x.itemsize
    bits = f"tensor<{{n}}xi{width}>"
    op = f"""%i = arith.bitcast %a : {{a}} to {bits}
  %m = arith.constant dense<{-(2 ** (width - 1))}> : {bits}
  %r = arith.andi %i, %m : {bits}"""
    whole = x.view(f"i{x.itemsize}")
    check({"sign": Case(op, [x], whole & np.iinfo(whole.dtype).min)}, target)


@on_targets
@pytest.mark.parametrize("low, high, shape, type", [
    ([2], [0], (0,), "0"), ([2], [0], (0,), "?"), ([0], [0], (0,), "0"), ([1, 0], [0, 0], (0, 4), "0x4"),
    ([0, 1], [0, 0], (2, 0), "2x0"), ([1, 3], [0, 0], (2, 0), "?x?"), ([1, 2], [1, 2], (0, 0), "0x?"),
])  # fmt: skip
def test_pad_of_empty(low, high, shape, type, target):
    x = np.zeros(shape, np.int8)
    expected = np.pad(x, list(zip(low, high)), constant_values=7)
    sizes = type.split("x")
    padded = "x".join(t if t == "?" else str(n) for t, n in zip(sizes, expected.shape))
    indices = ", ".join(f"%i{i}: index" for i in range(len(low)))
    text = f"""func.func @main(%a: tensor<{type}xi8>) -> tensor<{padded}xi8> {{
  %c7 = arith.constant 7 : i8
  %r = tensor.pad %a low{low} high{high} {{
  ^bb0({indices}):
    tensor.yield %c7 : i8
  }} : tensor<{type}xi8> to tensor<{padded}xi8>
  return %r : tensor<{padded}xi8>
}}"""
    np.testing.assert_array_equal(runtime.compile(text, target=target).main(x), expected)


PREDICATES = {
    "eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal, "ne": np.not_equal
}  # fmt: skip


@on_targets
@pytest.mark.parametrize("element", list(REALS))
def test_comparisons(element, target):
    a, b = pairs(reals(REALS[element]))
    unordered = np.isnan(a) | np.isnan(b)
    truths = {"ord": ~unordered, "uno": unordered}
    for name, f in PREDICATES.items():
        truths[f"o{name}"] = f(a, b) & ~unordered
        truths[f"u{name}"] = f(a, b) | unordered
    text = "%t = arith.cmpf {}, %a, %b : {{a}}\n  %r = arith.extui %t : tensor<{{n}}xi1> to {{r}}"
    cases = {
        name: Case(text.format(name), [a, b], truth.astype(np.int8))
        for name, truth in truths.items()
    }
    check(cases, target)


@on_targets
def test_casts_of_reals(target):
    """Each way between formats, with one rounding."""
    cases = {}
    for (wide, from_type), (narrow, to_type) in itertools.permutations((REALS | SMALL).items(), 2):
        bits = [np.dtype(t).itemsize for t in (from_type, to_type)]
        if bits[0] > bits[1] and narrow in REALS:
            x = reals(from_type)
            below = np.arange(0, 2**7 * 90, 97).astype(f"u{bits[1]}").view(to_type) * to_type(1.5)
            below = np.concatenate([below[np.isfinite(below)], reals(to_type)[:10]])
            with np.errstate(all="ignore"):
                above = np.nextafter(below, to_type(np.inf)).astype(from_type)
                middles = (below.astype(from_type) + above) / from_type(2)
                middles = np.concatenate([middles, np.nextafter(middles, from_type(np.inf))])
            with np.errstate(all="ignore"):
                x = np.concatenate(
                    [
                        x,
                        middles,
                        np.nextafter(middles, from_type(0)),
                        middles * from_type(1 + 2.0**-9),
                    ]
                )
            cases[f"{wide}_{narrow}"] = Case(
                "%r = arith.truncf %a : {a} to {r}", [x], rounded(x.astype(np.float64), to_type)
            )
        elif bits[0] < bits[1]:
            x = np.arange(256, dtype=np.uint8).view(from_type) if bits[0] == 1 else reals(from_type)
            with np.errstate(all="ignore"):
                cases[f"{wide}_{narrow}"] = Case(
                    "%r = arith.extf %a : {a} to {r}", [x], x.astype(to_type)
                )
    check(cases, target)


def integers(width: int) -> np.ndarray:
    """Extremes, small numbers, and random bits, as the narrowest type of whole bytes."""
    ends = [-(2 ** (width - 1)), 2 ** (width - 1) - 1]
    named = [
        *ends,
        ends[0] + 1,
        ends[1] - 1,
        0,
        1,
        -1,
        2,
        -2,
        3,
        -3,
        7,
        -7,
        ends[0] // 2,
        ends[1] // 2,
    ]
    bits = np.random.default_rng(8).integers(ends[0], ends[1], 12, endpoint=True)
    return np.unique(np.array([*named, *bits], np.int64)).astype(f"i{max(width, 8) // 8}")


def truncated(a, b):
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


#: Of signed or unsigned numbers; `/` where a divisor of zero, and a quotient beyond the type, are undefined.
INTEGER = {
    "addi": ("s", lambda a, b: a + b), "subi": ("s", lambda a, b: a - b), "muli": ("s", lambda a, b: a * b),
    "divsi": ("s/", truncated), "divui": ("u/", lambda a, b: a // b), "remui": ("u/", lambda a, b: a % b),
    "remsi": ("s/", lambda a, b: a - b * truncated(a, b)),
    "ceildivsi": ("s/", lambda a, b: -(-a // b)), "ceildivui": ("u/", lambda a, b: -(-a // b)),
    "floordivsi": ("s/", lambda a, b: a // b),
    "andi": ("s", lambda a, b: a & b), "ori": ("s", lambda a, b: a | b), "xori": ("s", lambda a, b: a ^ b),
    "maxsi": ("s", max), "minsi": ("s", min), "maxui": ("u", max), "minui": ("u", min),
    "shli": ("u<", lambda a, b: a << b), "shrui": ("u<", lambda a, b: a >> b), "shrsi": ("s<", lambda a, b: a >> b),
}  # fmt: skip


@on_targets
@pytest.mark.parametrize("width", [4, 8, 16, 32, 64])
def test_integers(width, target):
    """Two operands: Python's integers modulo 2^width."""
    x, cases = integers(width), {}
    all_a, all_b = pairs(x)
    mask = 2**width - 1

    def signed(v: int) -> int:
        return (v & mask) - 2**width if v & (mask // 2 + 1) else v & mask

    for name, (kind, f) in INTEGER.items():
        chosen = np.ones(all_a.size, bool)
        if "/" in kind:
            chosen = (all_b != 0) & ~((all_a == x.min()) & (all_b == -1))
        if "<" in kind:
            chosen = (all_b >= 0) & (all_b < width)
        a, b = all_a[chosen], all_b[chosen]
        numbers = [[int(v) if kind[0] == "s" else int(v) & mask for v in side] for side in (a, b)]
        expected = np.array([signed(f(p, q)) for p, q in zip(*numbers)], np.int64).astype(x.dtype)
        op = f"%r = arith.{name} %a, %b : {{a}}"
        if width < 8:
            t = f"tensor<{{n}}xi{width}>"
            op = f"""%p = arith.trunci %a : {{a}} to {t}
  %q = arith.trunci %b : {{a}} to {t}
  %s = arith.{name} %p, %q : {t}
  %r = arith.extsi %s : {t} to {{r}}"""
        cases[name] = Case(op, [a, b], expected)
    check(cases, target)


@on_targets
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_integers_of_one_operand(width, target):
    """And the second results of two."""
    x = integers(width)
    numbers = [int(v) & (2**width - 1) for v in x]
    bits = [f"{v:0{width}b}" for v in numbers]
    one = "%r = math.{} %a : {{a}}"
    cases = {
        "absi": Case(one.format("absi"), [x], np.abs(x), x != x.min()),
        "ctpop": Case(one.format("ctpop"), [x], np.array([b.count("1") for b in bits], x.dtype)),
        "ctlz": Case(one.format("ctlz"), [x], np.array([len(b) - len(b.lstrip("0")) for b in bits], x.dtype)),
        "cttz": Case(one.format("cttz"), [x], np.array([len(b) - len(b.rstrip("0")) for b in bits], x.dtype)),
    }  # fmt: skip
    a, b = pairs(x)
    unsigned = [[int(v) & (2**width - 1) for v in side] for side in (a, b)]

    def high(p, q):
        half = 2 ** (width - 1)
        products = [(int(i) * int(j)) >> width for i, j in zip(p, q)]
        return np.array([(v + half) % (2 * half) - half for v in products]).astype(x.dtype)

    cases["mulsi_extended"] = Case("%l, %r = arith.mulsi_extended %a, %b : {a}", [a, b], high(a, b))
    cases["mului_extended"] = Case(
        "%l, %r = arith.mului_extended %a, %b : {a}", [a, b], high(*unsigned)
    )
    carry = [p + q >> width for p, q in zip(*unsigned)]
    cases["addui_extended"] = Case(
        "%l, %o = arith.addui_extended %a, %b : {a}, tensor<{n}xi1>\n  %r = arith.extui %o : tensor<{n}xi1> to {r}",
        [a, b], np.array(carry, np.int8),
    )  # fmt: skip
    check(cases, target)


@on_targets
def test_casts_of_integers(target):
    """To reals with one rounding, and back what is in range."""
    cases = {}
    for width, (element, dtype) in itertools.product([8, 16, 32, 64], REALS.items()):
        x = integers(width)
        for sign, numbers in (("s", x), ("u", x.view(f"u{width // 8}"))):
            expected = rounded(numbers.astype(np.longdouble), dtype)
            cases[f"{sign}i{width}_{element}"] = Case(
                f"%r = arith.{sign}itofp %a : {{a}} to {{r}}", [x], expected
            )
            low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if sign == "s" else (0, 2**width)
            y = np.concatenate([reals(dtype), expected]).astype(np.float64)
            y = y[(np.trunc(y) >= low) & (np.trunc(y) < high)].astype(dtype)
            whole = np.array([int(v) for v in y.astype(np.float64)], object)
            whole = np.where(whole >= 2 ** (width - 1), whole - 2**width, whole).astype(np.int64)
            cases[f"{element}_{sign}i{width}"] = Case(
                f"%r = arith.fpto{sign}i %a : {{a}} to {{r}}", [y], whole.astype(x.dtype)
            )
    check(cases, target)


@pytest.mark.parametrize("size", [3, 5, 9, 17, 33])
@pytest.mark.parametrize("name", ["minimumf", "maximumf"])
def test_bf16_beside_a_power_of_two(name, size):
    """LLVM cuts off one element, which it cannot extend: docs/upstream/x86-bf16-vectors."""
    random = np.random.default_rng(size)
    x, y = random.standard_normal((2, size)).astype(ml_dtypes.bfloat16)
    kind = f"tensor<{size}xbf16>"
    main = runtime.compile(
        f"""
    func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{
      %r = arith.{name} %x, %y : {kind}
      return %r : {kind}
    }}"""
    ).main
    expected = (np.minimum if name == "minimumf" else np.maximum)(x, y)
    np.testing.assert_array_equal(np.asarray(main(x, y)), expected)
