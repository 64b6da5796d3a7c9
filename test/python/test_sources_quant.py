# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's quant dialect, compiled, against the text of quant.qcast and quant.dcast stated in NumPy.

The text leaves the rounding open; here it is to even, with saturation, and a NaN is the lowest code. All arithmetic is in the expressed type.
"""

import functools
import itertools

import ml_dtypes
import numpy as np
import pytest
from kernels import same, specials
from mlir.ir import Context, Module

import mlir_qdq
from mlir_qdq import runtime

SHAPE = (4, 3, 6)
EXPRESSED = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}
#: The type of the codes, as quant spells it, with its lowest and highest code.
STORAGE = {
    "i8": ("i8", np.int8, -128, 127), "ui8": ("u8", np.uint8, 0, 255), "i4": ("i4", ml_dtypes.int4, -8, 7),
    "ui4": ("u4", ml_dtypes.uint4, 0, 15), "i16": ("i16", np.int16, -32768, 32767), "ui16": ("u16", np.uint16, 0, 65535),
    "i32": ("i32", np.int32, -(2**31), 2**31 - 1), "i8<-100:99>": ("i8<-100:99>", np.int8, -100, 99),
    "ui8<3:250>": ("u8<3:250>", np.uint8, 3, 250),
}  # fmt: skip
#: Types whose codes have no bytes of their own.
SUB_BYTE = {
    "ui3": ("u3", np.uint8, 0, 7), "i2": ("i2", np.int8, -2, 1), "i4": ("i4", np.int8, -8, 7), "ui4": ("u4", np.uint8, 0, 15)
}  # fmt: skip
#: How the type says which elements share a scale, and the shape of the scales beside that of the values.
PLACES = {
    "tensor": [("", (1, 1, 1))],
    "axis": [(":1", (1, 3, 1)), (":0", (4, 1, 1)), (":2", (1, 1, 6))],
    "block": [
        (":{0:2, 2:3}", (2, 1, 2)), (":{0:1, 1:1, 2:3}", (4, 3, 2)), (":{2:2}", (1, 1, 3)), (":{0:1, 1:3}", (4, 1, 1)),
        (":{0:4, 1:1, 2:6}", (1, 3, 1)),
    ],
}  # fmt: skip


def qcast(x, scale, zero_point, dtype, low, high):
    """clamp(round(x / scale + zero_point)), in the type of x."""
    with np.errstate(all="ignore"):
        real = (x / scale + zero_point.astype(x.dtype)).astype(np.float64)
        codes = np.clip(np.rint(real), low, high)
    return np.where(np.isnan(real), low, codes).astype(np.int64).astype(dtype)


def dcast(q, scale, zero_point):
    """(float(q) - float(zero_point)) * scale."""
    with np.errstate(all="ignore"):
        return (q.astype(np.int64).astype(scale.dtype) - zero_point.astype(scale.dtype)) * scale


class Case:
    """A quantized type with its parameters, and one function each way."""

    def __init__(self, random, storage, expressed, granularity, place, dynamic, types=STORAGE):
        spelling, self.dtype, self.low, self.high = types[storage]
        text, shape = place
        # Eight bits: values of every expressed type.
        self.scale = (random.integers(1, 256, shape) / 128).astype(EXPRESSED[expressed])
        self.zero_point = random.integers(self.low, self.high, shape, endpoint=True)
        self.granularity, self.expressed = granularity, expressed
        pairs = [f"{float(s)}:{z}" for s, z in zip(self.scale.ravel(), self.zero_point.ravel())]
        parameters = pairs[0]
        if granularity == "axis":
            parameters = "{" + ", ".join(pairs) + "}"
        elif granularity == "block":
            for size in reversed(shape):
                pairs = [
                    "{" + ", ".join(pairs[i : i + size]) + "}" for i in range(0, len(pairs), size)
                ]
            (parameters,) = pairs
        self.type = f"!quant.uniform<{spelling}:{expressed}{text}, {parameters}>"
        self.sizes = "?x?x?x" if dynamic else "4x3x6x"

    def text(self, name: str) -> str:
        real, codes = f"tensor<{self.sizes}{self.expressed}>", f"tensor<{self.sizes}{self.type}>"
        return (
            f"func.func @q{name}(%x: {real}) -> {codes} {{\n  %q = quant.qcast %x : {real} to {codes}\n  return %q : {codes}\n}}\n"
            f"func.func @d{name}(%q: {codes}) -> {real} {{\n  %x = quant.dcast %q : {codes} to {real}\n  return %x : {real}\n}}\n"
        )

    @property
    def parameters(self):
        return [
            np.kron(p.astype(np.float64), np.ones([n // m for n, m in zip(SHAPE, p.shape)])).astype(
                p.dtype
            )
            for p in (self.scale, self.zero_point)
        ]

    def reals(self, random) -> np.ndarray:
        """Ties and their neighbours, all magnitudes, specials."""
        dtype, (scale, zero_point) = self.scale.dtype, self.parameters
        codes = random.integers(self.low, self.high, SHAPE, endpoint=True)
        with np.errstate(all="ignore"):
            x = (
                (codes - zero_point + random.integers(-3, 4, SHAPE) / 2) * scale.astype(np.float64)
            ).astype(dtype)
            bits = (
                random.integers(0, 256, x.size * dtype.itemsize, np.uint8)
                .view(dtype)
                .reshape(SHAPE)
            )
        x = np.where(random.random(SHAPE) < 0.7, x, bits)
        named = specials(dtype)
        x.ravel()[random.permutation(x.size)[: named.size // 2]] = named[: named.size // 2]
        return x


@functools.cache
def cases(storage: str):
    """Static and dynamic in f32, in turn in the other types."""
    random, forms, made = np.random.default_rng(21), itertools.cycle((False, True)), []
    for granularity, places in PLACES.items():
        turn = itertools.cycle(places)
        for expressed in ("f32", "f32", "f16", "bf16", "f64"):
            made.append(Case(random, storage, expressed, granularity, next(turn), next(forms)))
    return made, runtime.compile("".join(case.text(f"{i}") for i, case in enumerate(made)))


STATEMENT = "NumPy statement of the dialect's text"


def of(storage, granularity):
    made, compiled = cases(storage)
    chosen = [(i, case) for i, case in enumerate(made) if case.granularity == granularity]
    assert chosen
    return chosen, compiled


@pytest.mark.proves("MLIR quant", "qcast", against=STATEMENT)
@pytest.mark.parametrize("granularity", list(PLACES))
@pytest.mark.parametrize("storage", list(STORAGE))
def test_qcast(storage, granularity):
    random = np.random.default_rng(22)
    chosen, compiled = of(storage, granularity)
    for i, case in chosen:
        x = case.reals(random)
        expected = qcast(x, *case.parameters, case.dtype, case.low, case.high)
        agree = same(compiled[f"q{i}"](x), expected)
        assert agree.all(), f"{case.type} {x[~agree]} {expected[~agree]}"


@pytest.mark.proves("MLIR quant", "dcast", against=STATEMENT)
@pytest.mark.parametrize("granularity", list(PLACES))
@pytest.mark.parametrize("storage", list(STORAGE))
def test_dcast(storage, granularity):
    random = np.random.default_rng(23)
    chosen, compiled = of(storage, granularity)
    for i, case in chosen:
        q = random.integers(case.low, case.high, SHAPE, endpoint=True).astype(case.dtype)
        assert same(compiled[f"d{i}"](q), dcast(q, *case.parameters)).all(), case.type


def module_of(text: str) -> Module:
    context = Context()
    mlir_qdq.register(context)
    return Module.parse(text, context)


def test_scalars_and_unranked():
    """The shapes that only per-layer types have."""
    q = "!quant.uniform<u8:f32, 0.25:200>"
    compiled = runtime.compile(f"""
        func.func @scalar(%x: f32) -> {q} {{
          %q = quant.qcast %x : f32 to {q}
          return %q : {q}
        }}
        func.func @rank0(%x: tensor<{q}>) -> tensor<f32> {{
          %y = quant.dcast %x : tensor<{q}> to tensor<f32>
          return %y : tensor<f32>
        }}
        func.func @unranked(%x: tensor<*xf32>) -> tensor<*x{q}> {{
          %q = quant.qcast %x : tensor<*xf32> to tensor<*x{q}>
          return %q : tensor<*x{q}>
        }}
        """)
    assert compiled.scalar(np.float32(-0.375)) == 198  # the tie 198.5, to even
    assert compiled.rank0(np.uint8(3)[None][0].reshape(())) == np.float32(-49.25)
    x = np.float32([[[-50.0, -50.125]], [[13.75, 14.0]]])
    np.testing.assert_array_equal(compiled.unranked(x), np.uint8([[[0, 0]], [[255, 255]]]))


@pytest.mark.parametrize("granularity", ["tensor", "axis"])  # the dialect ranks sub-channel types
@pytest.mark.parametrize("storage", list(SUB_BYTE))
def test_unranked_sub_byte(storage, granularity):
    """qcast, dcast and scast between tensors without a rank, whose codes begin and end as bytes."""
    random = np.random.default_rng(24)
    case = Case(random, storage, "f32", granularity, PLACES[granularity][0], False, SUB_BYTE)
    element = storage.removeprefix("u")
    codes, extend = f"tensor<*x{element}>", "extui" if storage[0] == "u" else "extsi"
    quantized, ranked = f"tensor<*x{case.type}>", f"tensor<4x3x6x{element}>"
    compiled = runtime.compile(f"""
        func.func @q(%x: tensor<*xf32>) -> tensor<4x3x6xi8> {{
          %q = quant.qcast %x : tensor<*xf32> to {quantized}
          %s = quant.scast %q : {quantized} to {codes}
          %r = tensor.cast %s : {codes} to {ranked}
          %b = arith.{extend} %r : {ranked} to tensor<4x3x6xi8>
          return %b : tensor<4x3x6xi8>
        }}
        func.func @d(%b: tensor<4x3x6xi8>) -> tensor<*xf32> {{
          %r = arith.trunci %b : tensor<4x3x6xi8> to {ranked}
          %s = tensor.cast %r : {ranked} to {codes}
          %q = quant.scast %s : {codes} to {quantized}
          %y = quant.dcast %q : {quantized} to tensor<*xf32>
          return %y : tensor<*xf32>
        }}
        func.func @both(%x: tensor<*xf32>) -> (index, tensor<*xf32>) {{
          %q = quant.qcast %x : tensor<*xf32> to {quantized}
          %rank = tensor.rank %q : {quantized}
          %y = quant.dcast %q : {quantized} to tensor<*xf32>
          return %rank, %y : index, tensor<*xf32>
        }}""")
    x = case.reals(random)
    want = qcast(x, *case.parameters, case.dtype, case.low, case.high)
    real = dcast(want, *case.parameters)
    np.testing.assert_array_equal(compiled.q(x), want.view(np.int8))
    assert same(compiled.d(want.view(np.int8)), real).all()
    rank, both = compiled.both(x)
    assert rank == 3
    assert same(both, real).all()


NORMALIZABLE = [
    "i8:f32:{0:1, 1:6}, {{0.5:3}, {2.0:-7}, {0.25:0}, {1.0:127}}",
    "u8:f32:{0:4, 1:1}, {{0.5:3, 2.0:7, 0.25:0, 1.0:127, 0.125:1, 3.0:2}}",
    "i8:f32:{0:4, 1:6}, {{0.5:-3}}",
    "i8:f32:{0:2, 1:3}, {{0.5:3, 2.0:-7}, {0.25:0, 1.0:127}}",
]


@pytest.mark.parametrize("parameters", NORMALIZABLE)
def test_normalized(parameters):
    """A sub-channel type that is a simpler one in disguise means the same before and after upstream's normalize-quant-types."""
    from mlir.passmanager import PassManager

    t = f"tensor<4x6x!quant.uniform<{parameters}>>"
    # In two functions: the pass would fold a pair away.
    text = f"""
        func.func @q(%x: tensor<4x6xf32>) -> {t} {{
          %q = quant.qcast %x : tensor<4x6xf32> to {t}
          return %q : {t}
        }}
        func.func @d(%q: {t}) -> tensor<4x6xf32> {{
          %y = quant.dcast %q : {t} to tensor<4x6xf32>
          return %y : tensor<4x6xf32>
        }}"""
    plain, module = runtime.compile(text), module_of(text)
    with module.context:
        PassManager.parse("builtin.module(func.func(normalize-quant-types))").run(module.operation)
    assert (str(module) != str(module_of(text))) == (not parameters.startswith("i8:f32:{0:2"))
    normalized = runtime.compile(module)
    x = np.linspace(-70, 90, 24, dtype=np.float32).reshape(4, 6)
    codes = plain.q(x)
    np.testing.assert_array_equal(normalized.q(x), codes)
    np.testing.assert_array_equal(normalized.d(codes), plain.d(codes))


def test_wherever_a_type_may_stand():
    """Quantized values through calls, function values, branches, scf, select, slices and a global, against the same in integers."""
    t, coarse = (
        "tensor<4x!quant.uniform<u8:f32, 0.5:200>>",
        "tensor<4x!quant.uniform<i8:f32, 1.75:-9>>",
    )
    compiled = runtime.compile(f"""
        func.func private @same(%q: {t}) -> {t} {{
          return %q : {t}
        }}
        func.func @through(%c: i1, %n: index, %x: tensor<4xf32>, %other: {t}) -> ({t}, tensor<4xf32>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %q = quant.qcast %x : tensor<4xf32> to {t}
          %called = func.call @same(%q) : ({t}) -> {t}
          %if = scf.if %c -> {t} {{
            scf.yield %called : {t}
          }} else {{
            scf.yield %other : {t}
          }}
          %for = scf.for %i = %c0 to %n step %c1 iter_args(%a = %if) -> {t} {{
            %real = quant.dcast %a : {t} to tensor<4xf32>
            %coarse = quant.qcast %real : tensor<4xf32> to {coarse}
            %less = quant.dcast %coarse : {coarse} to tensor<4xf32>
            %code = quant.qcast %less : tensor<4xf32> to {t}
            scf.yield %code : {t}
          }}
          cf.cond_br %c, ^end(%for : {t}), ^end(%other : {t})
        ^end(%b: {t}):
          %first = tensor.extract_slice %b[0] [2] [1] : {t} to {t.replace("4x", "2x")}
          %joined = tensor.insert_slice %first into %other[2] [2] [1] : {t.replace("4x", "2x")} into {t}
          %chosen = arith.select %c, %joined, %b : {t}
          %y = quant.dcast %chosen : {t} to tensor<4xf32>
          return %chosen, %y : {t}, tensor<4xf32>
        }}""")
    x, other = np.float32([1.2, -3.7, 40.0, -200.0]), np.uint8([1, 2, 3, 4])

    def code(real):
        return qcast(real, np.float32(0.5), np.int64(200), np.uint8, 0, 255)

    def real(q):
        return dcast(q, np.float32([0.5]), np.int64([200]))

    for condition, turns in itertools.product((True, False), (0, 2)):
        q = code(x) if condition else other
        for _ in range(turns):
            less = qcast(real(q), np.float32(1.75), np.int64(-9), np.int8, -128, 127)
            q = code(dcast(less, np.float32([1.75]), np.int64([-9])))
        b = q if condition else other
        chosen = np.concatenate([other[:2], b[:2]]) if condition else b
        got, y = compiled.through(condition, turns, x, other)
        np.testing.assert_array_equal(got, chosen)
        np.testing.assert_array_equal(y, real(chosen))


@pytest.mark.parametrize(
    "kind, sizes", [(":1, {0.5, 2.0}", (3, 3)), (":{0:2, 1:1}, {{0.5, 2.0}}", (4, 2))]
)
def test_dimension_that_does_not_fit(kind, sizes):
    """The number of scales is fixed by the type, the dimension by the data."""
    t = f"tensor<?x?x!quant.uniform<i8:f32{kind}>>"
    compiled = runtime.compile(
        f"func.func @q(%x: tensor<?x?xf32>) -> {t} {{\n  %q = quant.qcast %x : tensor<?x?xf32> to {t}\n  return %q : {t}\n}}"
    )
    assert compiled.q(np.ones((2, 2), np.float32)).tolist() == [[2, 0], [2, 0]]
    with pytest.raises(ValueError):
        compiled.q(np.ones(sizes, np.float32))
