# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-simplify against NumPy over all inputs, and its results compiled beside what was before."""

import itertools
import re

import numpy as np
import pytest
from mlir.ir import Context, Module

import mlir_qdq
from kernels import EXPRESSED, ROUNDINGS, Kernel, same
from mlir_qdq import passes, runtime

SEMANTICS = (
    "#all = #qdq.semantics<rounding = nearest-even, order = {order}, division = exact, compute = f32, "
    "subtract = {subtract}, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>\n"
)
EVERY_HALF = np.arange(2**16, dtype=np.uint16).view(np.float16)


def simplified(text: str, **options) -> tuple[str, dict[int, str]]:
    """The module after the pass, and its remarks by their line. At most one for each line."""
    remarks = {}

    def keep(diagnostic) -> bool:
        line = diagnostic.location.start_line
        assert line not in remarks
        remarks[line] = diagnostic.message
        return True

    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        with ctx.attach_diagnostic_handler(keep):
            passes.Simplify(**options).run(module)
        return str(module), remarks


def floats_text(scales) -> str:
    """A function `f<i>` for each scale: f16 or f32 to i8."""
    text = SEMANTICS.format(order="round-then-add", subtract="wide")
    for i, (element, scale) in enumerate(scales):
        bits = int(np.float32(scale).view(np.uint32))
        text += (
            f"func.func @f{i}(%x: tensor<?x{element}>) -> tensor<?xi8> {{\n  %s = arith.constant {bits:#x} : f32\n"
            f"  %q = qdq.quantize %x scale %s semantics #all : (tensor<?x{element}>, f32) -> tensor<?xi8>\n"
            f"  return %q : tensor<?xi8>\n}}\n"
        )
    return text


def code_difference(x: np.ndarray, scale: np.float32) -> int:
    """The worst over `x` of round(x / s) and round(x * (1 / s)) in i8, in f32 arithmetic."""
    x = x[~np.isnan(x)].astype(np.float32)
    with np.errstate(over="ignore"):
        divided, multiplied = x / scale, x * (np.float32(1) / scale)
    codes = [np.clip(np.rint(v), -128, 127).astype(int) for v in (divided, multiplied)]
    return int(np.abs(codes[0] - codes[1]).max())


def near_ties(scale: np.float32) -> np.ndarray:
    """Every f32 within 8 of its neighbours beside each (k + 1/2) * s: codes step nowhere else."""
    ties = ((np.arange(-130, 130) + 0.5) * np.float64(scale)).astype(np.float32)
    bits = ties.view(np.int32)[:, None] + np.arange(-8, 9, dtype=np.int32)
    return bits.view(np.float32).ravel()


@pytest.mark.parametrize("element", ["f16", "f32"])
def test_division_is_replaced_where_and_only_where_codes_stay(element):
    random = np.random.default_rng(4)
    scales = [
        *random.uniform(0.001, 2, 60),
        *(2.0 ** random.integers(-9, 4, 4)),
        0.75,
        1.5,
        3.0,
        0.1,
        0.3,
        1 / 3,
    ]
    scales = [np.float32(s) for s in scales]
    inputs = {"f16": lambda s: EVERY_HALF, "f32": near_ties}[element]
    worst = [code_difference(inputs(s), s) for s in scales]
    assert 0 in worst and 1 in worst, "the scales show both cases"
    text = floats_text([(element, s) for s in scales])

    after, remarks = simplified(text)
    divisions = re.findall(r"division = ([a-z]+)", after)
    assert divisions == ["exact" if w else "reciprocal" for w in worst]
    assert not remarks

    after, remarks = simplified(text, max_code_diff=1)
    assert "division = exact" not in after
    said = [
        int(re.search(r"codes differ by at most (\d+), over every input of type", r)[1])
        for r in remarks.values()
    ]
    assert sorted(said) == sorted(w for w in worst if w)


def requantize_text(cases) -> str:
    text = SEMANTICS.format(order="round-then-add", subtract="wide")
    text += SEMANTICS.format(order="add-then-round", subtract="float").replace("#all", "#other")
    for i, (source, s1, z1, target, s2, z2, name) in enumerate(cases):

        def constant(value, kind):
            return (
                f"arith.constant {value!r} : f32"
                if kind == "f32"
                else f"arith.constant dense<{value}> : tensor<{kind}>"
            )

        text += (
            f"func.func @f{i}(%q: tensor<?x{source}>) -> tensor<?x{target}> {{\n"
            f"  %s1 = {constant(s1, 'f32')}\n  %z1 = {constant(z1, source)}\n"
            f"  %s2 = {constant(s2, 'f32')}\n  %z2 = {constant(z2, target)}\n"
            f"  %x = qdq.dequantize %q scale %s1 zero_point %z1 semantics #{name}"
            f" : (tensor<?x{source}>, f32, tensor<{source}>) -> tensor<?xf32>\n"
            f"  %p = qdq.quantize %x scale %s2 zero_point %z2 semantics #{name}"
            f" : (tensor<?xf32>, f32, tensor<{target}>) -> tensor<?x{target}>\n  return %p : tensor<?x{target}>\n}}\n"
        )
    return text


RANGES = {
    "i8": (np.int8, -128, 127),
    "ui8": (np.uint8, 0, 255),
    "i16": (np.int16, -(2**15), 2**15 - 1),
}


def requantize_cases():
    """Equal, simple and odd quotients of scales, zero points on either side or both; few of 16 bits, which cost 65536 codes."""
    random = np.random.default_rng(6)
    pairs = [*itertools.product(("i8", "ui8"), repeat=2)] * 4 + [
        ("i16", "i8"),
        ("ui8", "i16"),
        ("i16", "i16"),
    ]
    cases = []
    for (source, target), name in itertools.product(pairs, ("all", "other")):
        z1 = int(random.integers(RANGES[source][1], RANGES[source][2], endpoint=True)) * int(
            random.integers(2)
        )
        z2 = int(random.integers(RANGES[target][1], RANGES[target][2], endpoint=True)) * int(
            random.integers(2)
        )
        s1 = float(np.float32(random.uniform(0.01, 1)))
        ratio = random.choice([1.0, 2.0, 0.5, float(random.uniform(0.3, 3)), 1.01])
        cases.append((source, s1, z1, target, float(np.float32(s1 * ratio)), z2, name))
    return cases


def all_codes(element) -> np.ndarray:
    dtype, low, high = RANGES[element]
    return np.arange(low, high + 1).astype(dtype)


def round_trip(case) -> np.ndarray:
    """What the two ops say, in NumPy's f32."""
    source, s1, z1, target, s2, z2, name = case
    q = all_codes(source).astype(np.int64)
    x = (q - z1).astype(np.float32) * np.float32(s1)  # 16 bits: no step but the product rounds
    r = x / np.float32(s2)
    v = np.rint(r) + z2 if name == "all" else np.rint(r + np.float32(z2))
    dtype, low, high = RANGES[target]
    return np.clip(v, low, high).astype(dtype)


def test_requantized_codes_stay():
    """Every code of each pair, compiled before and after; the pass merges or removes many of the pairs."""
    cases = requantize_cases()
    text = requantize_text(cases)
    after, remarks = simplified(text)
    assert not remarks
    bodies = after.split("func.func")[1:]
    changed = ["dequantize" not in body for body in bodies]
    assert sum(changed) > len(cases) / 3
    compiled = runtime.compile(after)
    for i, case in enumerate(cases):
        np.testing.assert_array_equal(
            compiled[f"f{i}"](all_codes(case[0])), round_trip(case), str(case)
        )


def test_requantized_codes_stay_within_the_bound_that_is_reported():
    cases = requantize_cases()
    text = requantize_text(cases)
    exactly, _ = simplified(text)
    after, remarks = simplified(text, max_code_diff=1)
    assert after.count("dequantize") < exactly.count("dequantize")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if "qdq.quantize" in line]
    bodies = after.split("func.func")[1:]
    compiled = runtime.compile(after)
    for i, (case, line, body) in enumerate(zip(cases, lines, bodies, strict=True)):
        got, expected = compiled[f"f{i}"](all_codes(case[0])), round_trip(case)
        worst = int(np.abs(got.astype(int) - expected.astype(int)).max())
        said = re.search(
            r"at most (\d+), over every (code|input)",
            remarks.get(line, "at most 0, over every code"),
        )
        # A division that became a multiplication is measured over all f32, of which the codes give a few.
        assert worst == int(said[1]) if said[2] == "code" else worst <= int(said[1]), case
        assert ("dequantize" in body) == (said[2] == "input") or int(said[1]) == 0
    assert sum("merged" in r or "removed" in r for r in remarks.values()) > 3


@pytest.mark.parametrize("zero", [0, 17, 255])
def test_round_trip_goes_where_every_code_returns(zero):
    """An independent count of the codes that do not return decides; scales near overflow and underflow among them."""
    scales = [np.float32(s) for s in (0.3, 1e-3, 1e37, 2e36, 1e-44, 3e-45, 1e-38, 5.0)]
    text = requantize_text([("ui8", float(s), zero, "ui8", float(s), zero, "all") for s in scales])
    after, _ = simplified(text)
    for scale, body in zip(scales, after.split("func.func")[1:]):
        q = np.arange(256)
        with np.errstate(all="ignore"):
            x = (q - zero).astype(np.float32) * scale
            back = np.clip(np.rint(x / scale) + zero, 0, 255)
        returns = bool((np.where(np.isnan(back), 0, back) == q).all())
        assert ("qdq" not in body) == returns, scale


FIELDS = {
    "rounding": ROUNDINGS,
    "order": ("round-then-add", "add-then-round"),
    "division": ("exact", "reciprocal"),
    "compute": ("f16", "bf16", "f32", "f64", "auto"),
    "subtract": ("wide", "wrap32", "float"),
    "overflow": ("saturate", "saturate", "wrap", "undefined"),
    "nan": ("lowest", "zero-point", "highest", "zero"),
    "fusion": ("none", "fma"),
    "float_overflow": ("saturate", "ieee"),
}


def random_kernel(random) -> Kernel:
    """Any operation, granularity and complete semantics."""
    storage = str(random.choice(["i8", "ui8", "i4", "ui3", "i16", "ui16", "i2", "i32", "ui32"]))
    zero_point = random.choice([None, storage, "f32"])
    place = [{}, {"axis": int(random.integers(2))}, {"block_shape": (2, 17)}][random.integers(3)]
    return Kernel(
        str(random.choice(["quantize", "dequantize"])), storage, *map(str, random.choice(EXPRESSED, 2)), (6, 34),
        zero_point, domain="expressed" if zero_point == "f32" and random.random() < 0.5 else "stored",
        semantics={name: str(random.choice(values)) for name, values in FIELDS.items()}, **place,
    )  # fmt: skip


def with_constants(text: str, **parameters) -> str:
    """The function with constants in the place of its parameters; the bytes are the array's own."""
    for name, (array, element) in parameters.items():
        shape = "".join(f"{size}x" for size in array.shape)
        text = re.sub(rf", %{name}: [^,)]*(?=[,)])", "", text)
        text = text.replace(
            "{\n",
            f'{{\n  %{name} = arith.constant dense<"0x{array.tobytes().hex()}"> : tensor<{shape}{element}>\n',
            1,
        )
    return text


def test_any_op_with_constants_keeps_its_results():
    """Random ops with constant parameters, many of them powers of two and zeros, simplified and compiled."""
    random = np.random.default_rng(12)
    kernels, text = [], ""
    for index in range(40):
        kernel = random_kernel(random)
        x, scale, zero_point = kernel.arguments(random)
        if random.random() < 0.5:
            scale = np.asarray(2.0 ** random.integers(-12, 5, scale.shape)).astype(scale.dtype)
        parameters = {"s": (scale, kernel.scale)}
        if zero_point is not None:
            zero_point = zero_point * zero_point.dtype.type(random.integers(2))
            parameters["z"] = (np.asarray(zero_point), kernel.zero_point)
        kernels.append((kernel, x, [array for array, _ in parameters.values()]))
        # Tensors of one element for the scalars.
        function = kernel.text(f"f{index}")
        for array, element in parameters.values():
            if array.shape == ():
                function = re.sub(
                    rf"(\(tensor<[^>]*>.*), {element}(?=[,)].*->)",
                    rf"\1, tensor<{element}>",
                    function,
                )
        text += with_constants(function, **parameters)
    after, _ = simplified(text)
    assert after.count("zero_point %") < text.count("zero_point %")
    assert after.count("division = exact") < text.count("division = exact")
    compiled = runtime.compile(after)
    for index, (kernel, x, parameters) in enumerate(kernels):
        expected, defined = kernel.expected(x, *parameters)
        assert same(compiled[f"f{index}"](x), expected, defined).all(), kernel
