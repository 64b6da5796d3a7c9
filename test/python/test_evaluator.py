# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The APFloat evaluator, seen through the exact folders, against the NumPy reference."""

import itertools
import re

import ml_dtypes
import numpy as np
import pytest
from mlir.ir import Attribute, Context, Module, Type
from mlir.passmanager import PassManager

import float_values
import mlir_qdq
from kernels import same
from mlir_qdq import reference
from mlir_qdq._mlir_libs._qdq import evaluator
from mlir_qdq.reference.types import FLOAT_STORAGE

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
ROUNDINGS = [
    "nearest-even", "nearest-away", "nearest-up", "nearest-down", "toward-zero",
    "floor", "ceil", "away-from-zero", "to-odd",
]  # fmt: skip
STORAGES = ["i2", "ui3", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32"]
DEFAULT = dict(
    rounding="nearest-even", order="round-then-add", division="exact", compute="f32", subtract="wide",
    overflow="saturate", nan="lowest", fusion="none", float_overflow="saturate",
)  # fmt: skip


def interesting(dtype, count: int, seed: int) -> np.ndarray:
    """Ties, near ties, signed zeros, infinities, NaNs, subnormals, storage bounds, and random bit patterns."""
    info = ml_dtypes.finfo(dtype)
    halves = np.arange(-9, 10) / 2
    bounds = np.array(
        [2.0**k + d for k in (2, 3, 4, 7, 8, 15, 16, 31, 32) for d in (-1, -0.5, 0, 0.5)]
    )
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        info.max,
        info.min,
        info.tiny,
        info.smallest_subnormal,
    ]
    with np.errstate(over="ignore"):
        named = np.concatenate([halves, bounds, -bounds, special]).astype(dtype)
    bits = np.random.default_rng(seed).integers(
        0, 256, (count - named.size) * named.itemsize, np.uint8
    )
    return np.concatenate([named, bits.view(dtype)])


def bounds_of(storage: str) -> tuple[int, int]:
    bits = int(storage.lstrip("ui"))
    return (
        (0, 2**bits - 1) if storage.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )


def literals(values, element: str) -> list[str]:
    """The elements as MLIR spells them; floats by their bits."""
    if element not in FLOATS:
        return [str(int(v)) for v in np.ravel(values)]
    dtype = np.dtype(FLOATS[element])
    raw = np.ravel(np.asarray(values, dtype)).view(f"u{dtype.itemsize}")
    return [f"0x{v:0{2 * dtype.itemsize}X}" for v in raw.tolist()]


def constant(name: str, values, element: str) -> str:
    """An `arith.constant`: rank 1 for arrays, rank 0 for scalars."""
    texts = literals(values, element)
    if np.ndim(values) == 0:
        return f"  %{name} = arith.constant dense<{texts[0]}> : tensor<{element}>\n"
    return (
        f"  %{name} = arith.constant dense<[{', '.join(texts)}]> : tensor<{len(texts)}x{element}>\n"
    )


def zero_point(zero, element: str | None, domain: str):
    """Its value, its constant, its place in the op, and its type."""
    if zero is None:
        return None, "", "", ""
    value = np.asarray(zero, FLOATS[element]) if element in FLOATS else integer(zero, element)
    place = " zero_point %z" + (" in <expressed>" if domain == "expressed" else "")
    return value, constant("z", value, element), place, f", tensor<{element}>"


class Cases:
    """Functions that return one folded constant each, in one module."""

    def __init__(self):
        self.functions, self.expected, self.defined, self.names = [], [], [], []

    def add(self, name: str, constants: str, op: str, expected, defined=None):
        self.names.append(name)
        result = op.rsplit("-> ", 1)[1]
        self.functions.append(
            f"func.func @f{len(self.functions)}() -> {result} {{\n{constants}\n  %r = {op}\n  return %r : {result}\n}}"
        )
        self.expected.append(expected)
        self.defined.append(defined)

    def check(self):
        with Context() as ctx:
            mlir_qdq.register(ctx)
            module = Module.parse("\n".join(self.functions))
            PassManager.parse("builtin.module(canonicalize)").run(module.operation)
            for function, name, expected, defined in zip(
                module.body, self.names, self.expected, self.defined
            ):
                returned = (
                    function.entry_block.operations[len(function.entry_block.operations) - 1]
                    .operands[0]
                    .owner
                )
                if defined is not None and not defined.all():
                    assert returned.name == "qdq.quantize", f"{name}: folded although undefined"
                    continue
                assert returned.name == "arith.constant", f"{name}: not folded"
                actual = bits_of(str(returned.attributes["value"]), expected.size)
                np.testing.assert_array_equal(
                    actual, expected_bits(expected, element_of(returned)), name
                )


def element_of(op) -> str:
    return str(op.results[0].type).rsplit("x", 1)[-1].rstrip(">")


def expected_bits(expected: np.ndarray, element: str) -> np.ndarray:
    """Bit patterns, NaNs made one: which NaN an operation gives is not part of the semantics."""
    if element in FLOATS:
        nan = np.array(np.nan, expected.dtype)
        return (
            np.where(np.isnan(expected), nan, expected)
            .astype(expected.dtype)
            .view(f"u{expected.itemsize}")
            .astype(np.uint64)
        )
    return expected.astype(np.int64).view(np.uint64) & np.uint64(
        2 ** int(element.lstrip("siu")) - 1
    )


def bits_of(text: str, count: int) -> np.ndarray:
    """The elements of a printed `dense` attribute: one value, a list, or a string of bytes."""
    body, element = re.fullmatch(r"dense<(.*)> : tensor<(?:\d+x)?(\w+)>", text).groups()
    if body.startswith('"'):
        size = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}.get(element) or next(
            s for s in (1, 2, 4) if int(element.lstrip("siu")) <= 8 * s
        )
        raw = np.frombuffer(bytes.fromhex(body[3:-1]), f"<u{size}")
        if element in FLOATS:
            return expected_bits(raw.view(FLOATS[element]), element)
        return expected_bits(raw.astype(np.int64), element)
    values = [v.strip() for v in body.strip("[]").split(",")]
    if len(values) == 1:
        values *= count
    if element not in FLOATS:
        return expected_bits(np.array([int(v) for v in values]), element)
    dtype = np.dtype(FLOATS[element])
    parsed = [
        np.array(int(v, 16), f"u{dtype.itemsize}").view(dtype)
        if v.startswith("0x")
        else np.array(float(v), dtype)
        for v in values
    ]
    return expected_bits(np.array(parsed, dtype), element)


def semantics_text(fields: dict) -> str:
    return "semantics <" + ", ".join(f"{k} = {v}" for k, v in fields.items()) + ">"


def integer(value: int, element: str):
    bits = int(element.lstrip("ui"))
    if bits in (2, 4):
        return np.asarray(value, getattr(ml_dtypes, f"{'u' if element[0] == 'u' else ''}int{bits}"))
    size = next(s for s in (8, 16, 32) if bits <= s)
    return np.asarray(value, f"{'u' if element[0] == 'u' else ''}int{size}")


def quantize_case(
    cases,
    fields,
    storage,
    element,
    scale,
    zero,
    x,
    zero_type=None,
    clamp=None,
    domain="stored",
    seed=None,
):
    scale = np.asarray(scale, FLOATS[element])
    value, zero_constant, place, operand = zero_point(zero, zero_type or storage, domain)
    with np.errstate(all="ignore"):
        expected, defined = reference.quantize(
            x, scale, value, storage=storage, semantics=fields, clamp=clamp, zero_point_domain=domain,
            return_defined=True, seed=seed or 0,
        )  # fmt: skip
    seed_text = f" {{seed = {seed} : i64}}" if seed is not None else ""
    clamp_text = f" clamp [{clamp[0]}, {clamp[1]}]" if clamp else ""
    cases.add(
        f"{storage} {element} s={scale} z={zero} {fields} {clamp}",
        constant("x", x, element) + constant("s", scale, element) + zero_constant,
        f"qdq.quantize %x scale %s{place}{clamp_text} {semantics_text(fields)}{seed_text}"
        f" : (tensor<{x.size}x{element}>, tensor<{element}>{operand}) -> tensor<{x.size}x{storage}>",
        expected,
        defined,
    )


@pytest.mark.every_value
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_quantize_rounding(element, rounding):
    cases = Cases()
    x = interesting(FLOATS[element], 300, 1)
    for order, division, storage in itertools.product(
        ["round-then-add", "add-then-round"], ["exact", "reciprocal"], ["i4", "ui8", "i16", "i32"]
    ):
        fields = DEFAULT | dict(rounding=rounding, order=order, division=division, compute=element)
        low, high = bounds_of(storage)
        for scale, zero in [(1.0, None), (0.5, 1), (0.3, high), (3.0, low)]:
            quantize_case(cases, fields, storage, element, scale, zero, x)
    cases.check()


@pytest.mark.parametrize("element", FLOATS)
def test_quantize_stochastic(element):
    cases = Cases()
    x = interesting(FLOATS[element], 400, 5)
    x = np.concatenate([x, np.linspace(-3, 3, 500).astype(FLOATS[element])])
    for seed, storage, order in itertools.product(
        [0, 1, 2**63 - 1], ["i8", "ui16"], ["round-then-add", "add-then-round"]
    ):
        fields = DEFAULT | dict(rounding="stochastic", order=order, compute=element)
        quantize_case(cases, fields, storage, element, 0.3, 1, x, seed=seed)
    cases.check()


@pytest.mark.every_value
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("overflow", ["saturate", "wrap", "undefined"])
def test_quantize_overflow_and_nan(storage, overflow):
    cases = Cases()
    low, high = bounds_of(storage)
    for element, nan, order in itertools.product(
        ["f16", "f32"],
        ["lowest", "zero-point", "highest", "zero", "undefined"],
        ["round-then-add", "add-then-round"],
    ):
        if overflow == "undefined":
            x = np.array(
                [0.0, -0.0, 0.5, 1.0, 1.5, min(float(high // 4), 30000.0)], FLOATS[element]
            )
            x = np.concatenate([x, [np.nan]]).astype(FLOATS[element]) if nan != "undefined" else x
        else:
            x = interesting(FLOATS[element], 200, 2)
            if nan == "undefined" and overflow == "wrap":
                x = x[np.isfinite(x)]
        fields = DEFAULT | dict(overflow=overflow, nan=nan, order=order, compute=element)
        quantize_case(cases, fields, storage, element, 1.0, None, x)
        quantize_case(cases, fields, storage, element, 1.0, 1, x)
        quantize_case(
            cases, fields, storage, element, 1.0, max(low, 0), x, clamp=(max(low, 0), high - 1)
        )
        if nan != "undefined" and overflow != "undefined":
            quantize_case(cases, fields, storage, element, 0.25, 1.5, x, zero_type=element)
            quantize_case(
                cases, fields, storage, element, 0.25, 1.5, x, zero_type=element, domain="expressed"
            )
    cases.check()


@pytest.mark.parametrize("compute", FLOATS)
def test_quantize_compute_and_fusion(compute):
    cases = Cases()
    for element, fusion in itertools.product(FLOATS, ["none", "fma"]):
        x = interesting(FLOATS[element], 300, 3)
        fields = DEFAULT | dict(
            compute=compute, fusion=fusion, order="add-then-round", division="reciprocal"
        )
        for storage, scale, zero in [
            ("ui16", 0.1, 65535),
            ("i8", 0.007, -3),
            ("i32", 1e-3, 2**31 - 1),
        ]:
            quantize_case(cases, fields, storage, element, scale, zero, x)
    cases.check()


@pytest.mark.every_value
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("compute", FLOATS)
def test_dequantize(storage, compute):
    cases = Cases()
    low, high = bounds_of(storage)
    random = np.random.default_rng(4)
    codes = np.unique(np.concatenate([[low, high, 0], random.integers(low, high + 1, 200)]))
    q = codes.astype(integer(0, storage).dtype)
    for subtract, result, scale_type, fusion in itertools.product(
        ["wide", "wrap32", "float"], FLOATS, ["f16", "f32"], ["none", "fma"]
    ):
        fields = DEFAULT | dict(subtract=subtract, compute=compute, fusion=fusion)
        scale = np.asarray(0.1, FLOATS[scale_type])
        for zero, zero_type, domain in [
            (None, None, "stored"), (high, storage, "stored"), (low, storage, "stored"),
            (0.75, "f16", "stored"), (0.75, "f32", "expressed"),
        ]:  # fmt: skip
            value, zero_constant, place, operand = zero_point(zero, zero_type, domain)
            with np.errstate(all="ignore"):
                expected = reference.dequantize(
                    q,
                    scale,
                    value,
                    storage=storage,
                    expressed=FLOATS[result],
                    semantics=fields,
                    zero_point_domain=domain,
                )
            cases.add(
                f"{storage} {result} s:{scale_type} z={zero}:{zero_type} {domain} {fields}",
                constant("q", codes, storage) + constant("s", scale, scale_type) + zero_constant,
                f"qdq.dequantize %q scale %s{place} {semantics_text(fields)}"
                f" : (tensor<{codes.size}x{storage}>, tensor<{scale_type}>{operand}) -> tensor<{codes.size}x{result}>",
                expected,
            )
    cases.check()


# --- float storage, through the binding --------------------------------------------------


def evaluate(
    function,
    fields: dict,
    storage: str,
    element: str,
    x: np.ndarray,
    scale,
    result: np.ndarray,
    *rest,
    **options,
):
    """One call of the evaluator on arrays, without a zero point."""

    def bytes_of(array):
        return np.ascontiguousarray(array).reshape(-1).view(np.uint8)

    with Context() as ctx:
        mlir_qdq.register(ctx)
        text = ", ".join(f"{k} = {v}" for k, v in fields.items())
        types = [Type.parse(storage), Type.parse(element), Type.parse(element), None]
        none = np.empty(0, np.uint8)
        function(
            Attribute.parse(f"#qdq.semantics<{text}>"), *types, bytes_of(x), bytes_of(scale), none, bytes_of(result), *rest, **options
        )  # fmt: skip


@pytest.mark.every_value
@pytest.mark.parametrize("element", ["f16", "f32", "f64"])
@pytest.mark.parametrize("storage", FLOAT_STORAGE)
def test_quantize_float_storage(storage, element):
    """What lies around each value of the format, and for f32 also some of every f16 and bf16, under every rounding."""
    dtype = np.dtype(FLOATS[element])
    x = float_values.edges(storage, np.float32 if element == "f16" else dtype, 200)
    with np.errstate(over="ignore"):
        x = x.astype(dtype)
    if element == "f32":
        x = np.concatenate(
            [x, *(float_values.every(e)[::31].astype(np.float32) for e in ("f16", "bf16"))]
        )
    for rounding, float_overflow in itertools.product(
        [*ROUNDINGS, "stochastic"], ["saturate", "ieee"]
    ):
        fields = DEFAULT | dict(rounding=rounding, float_overflow=float_overflow, compute=element)
        scale = dtype.type(1)
        codes = np.empty(x.shape, FLOAT_STORAGE[storage].dtype)
        evaluate(
            evaluator.quantize, fields, storage, element, x, scale, codes, np.empty(x.size, np.uint8), seed=9, first_index=0
        )  # fmt: skip
        expected = reference.quantize(x, scale, storage=storage, semantics=fields, seed=9)
        agree = same(codes, expected)
        assert agree.all(), (fields, x[~agree][:3], codes[~agree][:3], expected[~agree][:3])


@pytest.mark.parametrize("storage", FLOAT_STORAGE)
def test_dequantize_float_storage(storage):
    dtype = FLOAT_STORAGE[storage].dtype
    q = (
        float_values.every_code(dtype)
        if dtype.itemsize == 1
        else np.arange(0, 65536, 17, np.uint16).view(dtype)
    )
    for element, scale in itertools.product(FLOATS, [1.0, 0.3]):
        scale = np.asarray(scale, FLOATS[element])
        reals = np.empty(q.shape, FLOATS[element])
        fields = DEFAULT | dict(compute=element)
        evaluate(evaluator.dequantize, fields, storage, element, q, scale, reals)
        expected = reference.dequantize(q, scale, expressed=FLOATS[element], semantics=fields)
        assert same(reals, expected).all(), (element, scale)
