# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions to the least and the greatest value, whose lanes are terms, against NumPy: term by term, in the written order."""

import numpy as np
import pytest
from kernels import same

from mlir_qdq import runtime

#: The combiner and its start, by element type: `%x` is the term, `%b` the best so far.
COMPARE = "%c = arith.cmpf {0}, %x, %b : {1}\n      %r = arith.select %c, %x, %b : {1}"
KINDS = {
    "least": (lambda x, b: np.where(x < b, x, b), COMPARE.format("olt", "{0}"), 0.0),
    "greatest": (lambda x, b: np.where(x > b, x, b), COMPARE.format("ogt", "{0}"), -0.0),
    "below": (lambda x, b: np.where(x < b, x, b), COMPARE.format("olt", "{0}"), -1.0),
    # The first of several zeros stays: not vectors.
    "first": (lambda x, b: np.where(x < b, x, b), COMPARE.format("olt", "{0}"), 0.5),
    "maximumf": (None, "%r = arith.maximumf %b, %x : {0}", -np.inf),
    "minimumf": (None, "%r = arith.minimumf %x, %b : {0}", np.inf),
    # A NaN is no term. Which of two zeros stays is open.
    "maxnumf": (np.fmax, "%r = arith.maxnumf %x, %b : {0}", np.nan),
    "minnumf": (np.fmin, "%r = arith.minnumf %b, %x : {0}", np.nan),
    "maxnumf from a number": (np.fmax, "%r = arith.maxnumf %b, %x : {0}", -1.0),
}
FLOATS = {"f32": np.float32, "f16": np.float16}


def ieee(kind: str, x, best):
    """`maximumf` and `minimumf`: a NaN stays, -0 is below +0."""
    sign = 1 if kind == "maximumf" else -1
    order = np.where(x == 0, np.where(np.signbit(x), -1e-30, 1e-30), x).astype(np.float64)
    other = np.where(best == 0, np.where(np.signbit(best), -1e-30, 1e-30), best).astype(np.float64)
    chosen = np.where(sign * order > sign * other, x, best)
    return np.where(np.isnan(x) | np.isnan(best), np.nan, chosen).astype(x.dtype)


def shaped(sizes, element) -> str:
    return f"tensor<{'x'.join(map(str, [*sizes, element]))}>"


def program(body: str, element: str, start: str, sizes, kept: int, is_dynamic: bool) -> str:
    """The last dimensions are reduced; the first `kept` are not."""
    rank = len(sizes)
    loops = ", ".join(f"d{i}" for i in range(rank))
    result = ", ".join(f"d{i}" for i in range(kept))
    kinds = ", ".join(['"parallel"'] * kept + ['"reduction"'] * (rank - kept))
    xs = shaped(["?"] * rank if is_dynamic else sizes, element)
    ys = shaped(["?"] * kept if is_dynamic else sizes[:kept], element)
    dims = "".join(
        f"%i{i} = arith.constant {i} : index\n    %n{i} = tensor.dim %a, %i{i} : {xs}\n    "
        for i in range(kept if is_dynamic else 0)
    )
    open_sizes = ", ".join(f"%n{i}" for i in range(kept if is_dynamic else 0))
    return f"""
  func.func @main(%a: {xs}) -> {ys} {{
    {dims}%s = arith.constant {start} : {element}
    %e = tensor.empty({open_sizes}) : {ys}
    %f = linalg.fill ins(%s : {element}) outs(%e : {ys}) -> {ys}
    %y = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({result})>], iterator_types = [{kinds}]}}
      ins(%a : {xs}) outs(%f : {ys}) {{
    ^bb0(%x: {element}, %b: {element}):
      {body}
      linalg.yield %r : {element}
    }} -> {ys}
    return %y : {ys}
  }}"""


def check(text, x, kept, combine, start, has_open_zeros=False):
    terms = x.reshape(*x.shape[:kept], -1)
    expected = np.full(x.shape[:kept], start, x.dtype)
    for k in range(terms.shape[-1]):
        expected = combine(terms[..., k], expected)
    got = np.asarray(runtime.compile(text).main(x))
    if has_open_zeros:
        got, expected = got + 0, expected + 0
    assert same(got, expected.astype(x.dtype)).all()


SHAPES = [((1,), 0), ((3,), 0), ((100,), 0), ((5, 32), 1), ((3, 17), 1), ((2, 3, 129), 1), ((7, 4), 1), ((2, 9, 40), 2), ((4, 33), 0), ((3, 0), 1)]  # fmt: skip


@pytest.mark.every_pair
@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("sizes, kept", SHAPES)
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_floats(kind, element, sizes, kept, is_dynamic):
    """Zeros of both signs, NaN, infinities and subnormals in every place."""
    combine, body, start = KINDS[kind]
    random = np.random.default_rng(len(kind) + sum(sizes))
    x = random.standard_normal(sizes).astype(FLOATS[element])
    hard = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 6e-8, -6e-8, 1.0], x.dtype)
    places = random.random(sizes) < 0.5
    x[places] = random.choice(hard, places.sum())
    spelled = str(start) if np.isfinite(start) else hex(np.array(start, x.dtype).view(f"u{x.itemsize}"))  # fmt: skip
    text = program(body.format(element), element, spelled, sizes, kept, is_dynamic)
    check(text, x, kept, combine or (lambda a, b: ieee(kind, a, b)), start, "num" in kind)


@pytest.mark.every_pair
@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("sizes, kept", SHAPES)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "u1", "u4"])
@pytest.mark.parametrize("op", ["min", "max"])
def test_integers(op, dtype, sizes, kept, is_dynamic):
    """Bytes, shorts and words, with signs and without; the start is a term as well."""
    limits = np.iinfo(dtype)
    random = np.random.default_rng(sum(sizes))
    x = random.integers(limits.min, limits.max, sizes, dtype=dtype, endpoint=True)
    signed = f"i{dtype[1]}"
    element, sign = f"i{8 * int(dtype[1])}", "s" if dtype[0] == "i" else "u"
    text = program(f"%r = arith.{op}{sign}i %x, %b : {element}", element, "3", sizes, kept, is_dynamic)  # fmt: skip
    best = np.minimum if op == "min" else np.maximum
    if dtype[0] == "i":
        check(text, x, kept, best, 3)
    else:
        check(text, x.view(signed), kept, lambda a, b: best(a.view(dtype), b.view(dtype)).view(signed), 3)  # fmt: skip
