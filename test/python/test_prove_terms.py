# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terms of tools/verify --prove: constants against NumPy, simplified against plain, both solvers against them."""

import functools
import random
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from build_tree import SOURCE

from mlir_qdq import runtime

sys.path.insert(0, str(SOURCE / "tools"))

from proving import bits as bv  # noqa: E402
from proving import floats as fl  # noqa: E402
from proving import claims, decide, fused, rebuilding, rings, softfloat, solvers, terms  # noqa: E402
from proving.softfloat import BF16, F16, F32, F64, Format  # noqa: E402

DTYPES = {F16: np.float16, F32: np.float32, F64: np.float64}


def some_float(rng: random.Random, f: Format) -> int:
    """Any bits; often the ends of the format, or a number near one."""
    one, unit = f.bias << (f.significand - 1), 1 << (f.significand - 1)
    special = [0, 1, unit - 1, unit, one, f.infinity - 1, f.infinity, f.nan]
    kind = rng.random()
    if kind < 0.3:
        magnitude = rng.choice(special)
    elif kind < 0.6:
        magnitude = one + rng.randrange(-12, 12) * unit + rng.choice([0, 1, unit // 2])
    else:
        magnitude = rng.getrandbits(f.width - 1)
    return magnitude | rng.getrandbits(1) << (f.width - 1)


def in_numpy(f: Format, bits: int):
    return np.array([bits], f"u{f.width // 8}").view(DTYPES[f])[0]


def of_numpy(f: Format, value) -> int:
    value = np.asarray(value).astype(DTYPES[f]).reshape(1)
    return f.nan if np.isnan(value[0]) else int(value.view(f"u{f.width // 8}")[0])


@pytest.mark.parametrize("f", [F16, BF16], ids=["f16", "bf16"])
def test_a_narrow_fma_rounds_to_odd(f):
    """The lemma, against exact integers; sums that cancel, and that lie beside a tie, among them."""
    a, b, c = (fl.to_float(terms.symbol(name, f.width), f) for name in "abc")
    lemma = fused.by_odd_rounding(a, b, c)
    rng = random.Random(0)
    for _ in range(4000):
        x, y, z = (some_float(rng, f) for _ in range(3))
        if rng.random() < 0.5:  # an addend near the product, or half a unit beside it
            product = softfloat.mul(f, "RNE", x, y)
            z = (product + rng.randrange(-2, 3)) % (1 << f.width) ^ 1 << (f.width - 1)
        if rng.random() < 0.2:
            z = rng.choice([1, f.infinity - 1, 1 << (f.significand - 1)]) | rng.getrandbits(1) << (
                f.width - 1
            )
        values = dict(zip((a.args[0], b.args[0], c.args[0]), (x, y, z)))
        (found,) = terms.evaluate([lemma], values)
        assert found == softfloat.fma(f, "RNE", x, y, z), [hex(v) for v in (x, y, z)]


def test_constants_are_those_of_numpy():
    rng = random.Random(0)
    rounded = {"RNE": np.rint, "RTZ": np.trunc, "RTN": np.floor, "RTP": np.ceil}
    with np.errstate(all="ignore"):
        for _ in range(4000):
            f = rng.choice([F16, F32, F64])
            a, b = some_float(rng, f), some_float(rng, f)
            x, y = in_numpy(f, a), in_numpy(f, b)
            for name, value in (("add", x + y), ("sub", x - y), ("mul", x * y), ("div", x / y)):
                assert getattr(softfloat, name)(f, "RNE", a, b) == of_numpy(f, value), (name, x, y)
            assert softfloat.sqrt(f, "RNE", a) == of_numpy(f, np.sqrt(x))
            for mode, function in rounded.items():
                assert softfloat.round_to_integral(f, mode, a) == of_numpy(f, function(x))
            for to in DTYPES:
                assert softfloat.convert(to, f, "RNE", a) == of_numpy(to, x)
            order = softfloat.compare(f, a, b)
            assert [order == -1, order == 0, order == 1] == [x < y, x == y, x > y]


def test_fma_rounds_once():
    """f16: the product and the sum are exact in f64 where the exponents are near."""
    rng = random.Random(1)
    for _ in range(2000):
        a, b, c = (rng.randrange(10 << 10, 20 << 10) | rng.getrandbits(1) << 15 for _ in range(3))
        x, y, z = (float(in_numpy(F16, v)) for v in (a, b, c))
        assert softfloat.fma(F16, "RNE", a, b, c) == of_numpy(F16, x * y + z)


# --- simplified against plain ------------------------------------------------------------


class Builder:
    """Random terms, each built twice: by the functions that simplify, and as it is."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.pairs: list[tuple[terms.Term, terms.Term]] = []
        for i, width in enumerate((1, 1, 8, 8, 16, 32)):
            symbol = terms.symbol(f"x{i}", width)
            self.pairs.append((symbol, symbol))

    def pick(self, is_sort) -> tuple[terms.Term, terms.Term]:
        found = [pair for pair in self.pairs if is_sort(pair[0].sort)]
        return self.rng.choice(found[-12:] if self.rng.random() < 0.8 else found)

    def constant(self, width: int) -> terms.Term:
        value = self.rng.choice(
            [0, 1, -1, 0xF, 0xF0, 0x80, 1 << (width - 1), self.rng.getrandbits(width)]
        )
        return terms.constant(value, width)

    def step(self) -> None:
        rng, kind = self.rng, self.rng.random()
        a, plain_a = self.pick(lambda s: isinstance(s, int))
        b, plain_b = self.pick(lambda s: s == a.sort)
        if rng.random() < 0.4:
            b = plain_b = self.constant(a.sort)
        if kind < 0.45:
            op = rng.choice(
                ["and", "or", "xor", "add", "sub", "mul", "shl", "lshr", "ashr", "eq", "ult", "slt"]
                + ["udiv", "urem", "sdiv", "srem"]
            )
            function = {"and": bv.and_, "or": bv.or_}.get(op) or getattr(bv, op)
            sort = 1 if op in ("eq", "ult", "slt") else a.sort
            self.add(function(a, b), terms.raw(op, (plain_a, plain_b), (), sort))
        elif kind < 0.55:
            self.add(bv.not_(a), terms.raw("not", (plain_a,), (), a.sort))
        elif kind < 0.65:
            low = rng.randrange(a.sort)
            width = rng.randrange(1, a.sort - low + 1)
            self.add(bv.extract(a, low, width), terms.raw("extract", (plain_a,), (low,), width))
        elif kind < 0.75 and a.sort < 40:
            other, plain_other = self.pick(lambda s: isinstance(s, int) and s < 40)
            plain = terms.raw("concat", (plain_a, plain_other), (), a.sort + other.sort)
            self.add(bv.concat(a, other), plain)
        elif kind < 0.8 and a.sort < 40:
            width = a.sort + rng.randrange(1, 20)
            self.add(bv.sext(a, width), terms.raw("sext", (plain_a,), (), width))
        elif kind < 0.9:
            c, plain_c = self.pick(lambda s: s == 1)
            self.add(bv.ite(c, a, b), terms.raw("ite", (plain_c, plain_a, plain_b), (), a.sort))
        else:
            self.float_step()

    def float_step(self) -> None:
        rng = self.rng
        a, plain_a = self.pick(lambda s: s == 16)
        b, plain_b = self.pick(lambda s: s == 16)

        def plain(op, *args, data=(), sort=16):
            args = tuple(terms.raw("float", (arg,), (), F16) for arg in args)
            result = terms.raw(op, args, data, F16 if sort == 16 else sort)
            return terms.raw("bits", (result,), (), 16) if sort == 16 else result

        x, y = fl.to_float(a, F16), fl.to_float(b, F16)
        op = rng.choice(
            ["fadd", "fmul", "flt", "fle", "feq", "fsame", "isnan", "fround", "fabs", "fneg"]
        )
        if op in ("fadd", "fmul"):
            result = {"fadd": fl.add, "fmul": fl.mul}[op](x, y)
            self.add(
                fl.to_bits(result),
                plain(op, a, b, data=("RNE",)),
                plain(op, plain_a, plain_b, data=("RNE",)),
            )
        elif op == "fround":
            result = fl.round_to_integral(x, "RTN")
            self.add(fl.to_bits(result), plain("fround", plain_a, data=("RTN",)))
        elif op in ("fabs", "fneg"):
            result = fl.absolute(x) if op == "fabs" else fl.negate(x)
            self.add(fl.to_bits(result), plain(op, plain_a))
        elif op == "isnan":
            self.add(fl.is_nan(x), plain(op, plain_a, sort=1))
        else:
            function = {"flt": fl.less, "fle": fl.less_equal, "feq": fl.equal, "fsame": fl.same}[op]
            self.add(function(x, y), plain(op, plain_a, plain_b, sort=1))

    def add(self, simplified: terms.Term, *plain: terms.Term) -> None:
        assert simplified.sort == plain[-1].sort
        self.pairs.append((simplified, plain[-1]))


def some_values(rng: random.Random) -> dict[terms.Term, int]:
    values = {}
    for i, width in enumerate((1, 1, 8, 8, 16, 32)):
        value = some_float(rng, F16) if width == 16 else rng.getrandbits(width)
        values[terms.symbol(f"x{i}", width)] = value
    return values


def has_nan_bits(pair, values) -> bool:
    """Bits of a NaN are not specified: simplified terms may keep those of the operand."""
    for root in pair:
        for term in terms.below([root]):
            if term.op == "float" and softfloat.is_nan(
                F16, terms.evaluate(list(term.args), values)[0]
            ):
                return True
    return False


def test_simplified_terms_have_the_value_of_plain_ones():
    compared = 0
    for seed in range(150):
        terms.forget()
        rng = random.Random(seed)
        builder = Builder(rng)
        for _ in range(30):
            builder.step()
        for _ in range(6):
            values = some_values(rng)
            for pair in builder.pairs:
                first, second = terms.evaluate(list(pair), values)
                if first != second and has_nan_bits(pair, values):
                    continue
                assert first == second, f"seed {seed}\n{pair[0]}\n{pair[1]}\n{values}"
                compared += 1
    assert compared > 20000


def test_normal_forms_have_the_value_of_their_terms():
    """Small widths and few symbols: terms that are equal as polynomials meet."""
    merged = 0
    for seed in range(400):
        terms.forget()
        rng = random.Random(seed)
        x, y = terms.symbol("x", 4), terms.symbol("y", 4)
        pool = [x, y, bv.xor(x, terms.constant(8, 4)), terms.constant(rng.getrandbits(4), 4)]
        for _ in range(30):
            a = rng.choice(pool)
            b = rng.choice([t for t in pool if t.sort == a.sort])
            kind = rng.randrange(8)
            if kind < 5:
                pool.append([bv.add, bv.sub, bv.mul, bv.add, bv.xor][kind](a, b))
            elif kind == 5 and a.sort < 12:
                pool.append(rng.choice([bv.sext, bv.zext])(a, a.sort + rng.randrange(1, 5)))
            elif kind == 6:
                pool.append(bv.extract(a, 0, rng.randrange(1, a.sort + 1)))
            elif a.sort < 12:
                pool.append(bv.concat(a, terms.constant(0, rng.randrange(1, 4))))
        ring = rings.Ring()
        found = [ring.normalized(term, rebuilding.again) for term in pool]
        merged += sum(a is not b for a, b in zip(pool, found))
        for _ in range(12):
            values = {x: rng.getrandbits(4), y: rng.getrandbits(4)}
            assert terms.evaluate(pool, values) == terms.evaluate(found, values), seed
    assert merged > 100


@pytest.mark.parametrize("name", solvers.SOLVERS)
def test_solvers_agree_with_the_evaluator(name):
    if solvers.missing():
        pytest.skip(solvers.missing())
    for seed in range(25):
        terms.forget()
        rng = random.Random(1000 + seed)
        builder = Builder(rng)
        for _ in range(14):
            builder.step()
        values = some_values(rng)
        given = bv.and_(*(bv.eq(s, terms.constant(v, s.sort)) for s, v in values.items()))
        for pair in builder.pairs[-5:]:
            value = terms.evaluate([pair[1]], values)[0]
            if has_nan_bits(pair, values):
                continue
            for term in pair:
                differs = bv.ne(term, terms.constant(value, term.sort))
                answer = solvers.SOLVERS[name](bv.and_(given, differs), [], 20)
                assert answer.holds is False, f"seed {seed}\n{term}\n{values}"


def test_a_solver_finds_values():
    if solvers.missing():
        pytest.skip(solvers.missing())
    x = terms.symbol("x", 32)
    tie = fl.equal(fl.to_float(x, F32), fl.number(2.5, F32))
    for ask in solvers.SOLVERS.values():
        assert ask(tie, [x], 20).values == {x: 0x40200000}


def test_a_solver_is_not_that_of_llvm():
    """In a process that shows the symbols of the libMLIR that it uses to all."""
    if solvers.missing():
        pytest.skip(solvers.missing())
    program = """
import ctypes, sys
import mlir.ir
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libMLIR" in line or "libLLVM" in line}
assert libraries
for library in libraries:
    ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
from proving import floats, solvers, terms
from proving.softfloat import F32
x = terms.symbol("x", 32)
tie = floats.equal(floats.to_float(x, F32), floats.number(2.5, F32))
assert solvers.ask_z3(tie, [x], 20).values == {x: 0x40200000}
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=SOURCE / "tools")


def test_a_wider_bf16_keeps_its_bits():
    """Of a NaN, too: the definition, which makes two ways to write it one term, and the machine."""
    x = terms.symbol("x", 16)
    wide = fl.to_bits(fl.convert(fl.to_float(x, BF16), F32))
    assert wide is bv.concat(x, terms.constant(0, 16))
    assert fl.to_float(wide, F32) is fl.convert(fl.to_float(x, BF16), F32)
    module = """
    func.func @f(%x: tensor<65536xbf16>) -> tensor<65536xf32> {
      %y = arith.extf %x : tensor<65536xbf16> to tensor<65536xf32>
      return %y : tensor<65536xf32>
    }"""
    codes = np.arange(1 << 16, dtype=np.uint32)
    for target in ("linalg", "vector"):
        compiled = runtime.compile(module, target=target)["f"]
        actual = compiled(codes.astype(np.uint16).view(ml_dtypes.bfloat16))
        np.testing.assert_array_equal(actual.view(np.uint32), codes << 16)


def chosen(code: terms.Term, values: list[terms.Term]) -> terms.Term:
    """A look-up, as the interpreter spells it."""
    found = values[0]
    for i, value in enumerate(values[1:], 1):
        found = bv.ite(bv.eq(terms.constant(i, code.sort), code), value, found)
    return found


def is_equal_by_cases(first: terms.Term, second: terms.Term) -> bool:
    """Without a solver."""
    fails = bv.not_(fl.same(first, second))
    verdict = decide.Decider(0)(claims.Goal("", fails, (first, second)))
    return verdict.status == decide.PROVEN


def test_functions_of_a_code_are_compared_by_their_values():
    byte, x = terms.symbol("byte", 8), fl.to_float(terms.symbol("x", 32), F32)
    code = bv.extract(byte, 4, 4)
    numbers = [fl.number(i if i < 8 else i - 16, F32) for i in range(16)]
    wrong = [*numbers[:9], numbers[8], *numbers[10:]]
    converted = fl.from_integer(code, F32, True)
    for values, expected in ((numbers, True), (wrong, False)):
        assert is_equal_by_cases(converted, chosen(code, values)) is expected
        products = chosen(code, [fl.mul(x, value) for value in values])
        assert is_equal_by_cases(fl.mul(converted, x), products) is expected
        # A sum, of which no case decides all.
        assert is_equal_by_cases(fl.add(fl.mul(converted, x), x), fl.add(products, x)) is expected


def test_sums_of_small_integers_are_those_of_their_floats():
    a, b = (terms.symbol(name, 8) for name in "ab")
    x, y = (fl.from_integer(v, F32, True) for v in (a, b))
    wide = bv.sub(bv.sext(a, 32), bv.sext(b, 32))
    assert is_equal_by_cases(fl.sub(x, y), fl.from_integer(wide, F32, True))
    rng = random.Random(0)
    for f, width in ((F32, 24), (F16, 11), (BF16, 8)):
        a, b = (terms.symbol(name, width) for name in "ab")
        for operation in (fl.add, fl.sub):
            found = operation(*(fl.from_integer(v, f, True) for v in (a, b)))
            assert found.op == "from_signed"
            for _ in range(200):
                values = {
                    v: rng.choice([0, 1 << (width - 1), rng.getrandbits(width)]) for v in (a, b)
                }
                x, y = (
                    softfloat.from_integer(f, "RNE", terms.signed(v, width))
                    for v in values.values()
                )
                exact = (softfloat.add if operation is fl.add else softfloat.sub)(f, "RNE", x, y)
                assert terms.evaluate([found], values) == [exact]
        wide = [fl.from_integer(terms.symbol(name, width + 1), f, True) for name in "ab"]
        assert fl.add(*wide).op == "fadd"


def test_minus_zero_is_added_to_anything():
    x = fl.to_float(terms.symbol("x", 32), F32)
    assert fl.add(x, terms.constant(F32.sign_bit, F32)) is x
    assert fl.add(x, fl.number(0, F32)) is not x


def test_the_order_of_extremes_and_conditions_does_not_matter():
    a, b, c = (terms.symbol(name, 8) for name in "abc")
    for is_signed in (True, False):
        for function, other in ((bv.max_, bv.min_), (bv.min_, bv.max_)):
            first = function(function(a, b, is_signed), c, is_signed)
            again = function(a, function(function(c, b, is_signed), a, is_signed), is_signed)
            ring = rings.Ring()
            normal = [ring.normalized(term, rebuilding.again) for term in (first, again)]
            assert normal[0] is normal[1]
            assert ring.normalized(other(a, b, is_signed), rebuilding.again) is not normal[0]
    x, y, z = (terms.symbol(name, 1) for name in "xyz")
    ring = rings.Ring()
    for function in (bv.and_, bv.or_):
        normal = [
            ring.normalized(t, rebuilding.again)
            for t in (function(x, y, z), function(z, function(y, x)))
        ]
        assert normal[0] is normal[1]


def is_equal_in_a_ring(first: terms.Term, second: terms.Term) -> bool:
    ring = rings.Ring()
    return ring.normalized(bv.eq(first, second), rebuilding.again).value == 1


def test_the_width_of_a_sum_that_fits_does_not_matter():
    a, b, c = (terms.symbol(name, 8) for name in "abc")
    for shift, expected in ((4, True), (5, True), (6, False)):
        # The sum of two shifted codes has 14 bits, or one more.
        narrow = bv.add(*(bv.shl(bv.zext(x, 14), terms.constant(shift, 14)) for x in (a, b)))
        wide = bv.add(*(bv.shl(bv.zext(x, 32), terms.constant(shift, 32)) for x in (a, b)))
        assert is_equal_in_a_ring(bv.zext(narrow, 32), wide) is expected
    wide = [bv.zext(x, 18) for x in (a, b, c)]
    five = terms.constant(5, 18)
    total = bv.sub(bv.add(bv.mul(wide[0], five), wide[1]), bv.mul(wide[2], five))
    for most, expected in ((1530, 1), (1529, None), (-1275, 0), (-1274, None)):
        # From -1275 to 1530.
        below_it = bv.slt(total, terms.constant(most + 1 if expected == 1 else most, 18))
        found = rings.Ring().normalized(below_it, rebuilding.again).value
        assert found == expected, most


def test_trials_see_another_order_of_a_long_sum():
    """Of any bits, one of many floats is a NaN, and so is the sum in any order."""
    names = [terms.symbol(f"x{i}", 32) for i in range(64)]
    floats = [fl.to_float(name, F32) for name in names]
    first, second = (functools.reduce(fl.add, order) for order in (floats, floats[::-1]))
    verdict = decide.Decider(0)(claims.Goal("", bv.not_(fl.same(first, second)), (first, second)))
    assert verdict.status == decide.REFUTED and verdict.by == "trial"
