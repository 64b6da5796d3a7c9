# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN Graph's quantization ops, compiled, against its documents and against oneDNN itself.

The statement below is the documents' formulas, with what they leave to the implementation as oneDNN does it: the reciprocal of the scale, the zero point
added before rounding to even, saturation, all in f32; to f8 by way of f16, without saturation. `data/onednn` holds graphs that oneDNN 3.13.2 dumped and what it computed on CPU, written by
tools/record-vectors/onednn_graphs.py.
"""

import functools
import itertools
import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from kernels import same

from mlir_qdq import runtime
from mlir_qdq.importers import onednn

DATA = Path(__file__).parent / "data" / "onednn"
SHAPE = (8, 32)
DTYPES = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "i32": np.int32, "i8": np.int8, "ui8": np.uint8,
    "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip
F8 = ("f8E4M3FN", "f8E5M2")
BOUNDS = {"i8": (-128, 127), "ui8": (0, 255), "i4": (-8, 7), "ui4": (0, 15), "i32": (-70000, 70000)}

#: Attributes and shape of the scales, by how many elements share one.
PLACES = {
    "tensor": [("", (1,))],
    "axis": [('qtype = "per_channel"', (32,)), ('qtype = "per_channel", axis = -2 : i64', (8,))],
    "block": [
        ('qtype = "per_group", group_shape = array<i64: 1, 8>', (8, 4)),
        ('qtype = "per_group", group_shape = array<i64: 4, 1>', (2, 32)),
        ('qtype = "per_group", group_shape = array<i64: 2, 16>', (4, 2)),
    ],
}


def spread(parameter: np.ndarray) -> np.ndarray:
    """One value for every element of SHAPE."""
    if parameter.shape == (8,):
        parameter = parameter[:, None]
    while parameter.ndim < 2:
        parameter = parameter[None]
    return np.kron(
        parameter, np.ones([n // m for n, m in zip(SHAPE, parameter.shape)], parameter.dtype)
    )


def quantize(x, scales, zps, storage):
    """dst = round(src / scales + zps), as oneDNN computes it."""
    if storage in F8:
        with np.errstate(all="ignore"):
            return (x * (np.float32(1) / scales)).astype(np.float16).astype(DTYPES[storage])
    low, high = BOUNDS[storage]
    with np.errstate(all="ignore"):
        real = x * (np.float32(1) / scales) + zps.astype(np.float32)
        codes = np.where(np.isnan(real), low, np.clip(np.rint(real), low, high))
    return codes.astype(DTYPES[storage])


def dequantize(q, scales, zps, expressed):
    """dst = (src - zps) * scales, in f32."""
    with np.errstate(all="ignore"):
        real = (q.astype(np.float32) - zps.astype(np.float32)) * scales.astype(np.float32)
        return real.astype(DTYPES[expressed])


def drawn(random, element: str, shape) -> np.ndarray:
    if element in BOUNDS:
        low, high = BOUNDS[element]
        return random.integers(low, high + 1, shape).astype(DTYPES[element])
    if element in F8:
        return random.integers(0, 256, shape, np.uint8).view(DTYPES[element])
    return random.uniform(0.01, 3, shape).astype(DTYPES[element])


def reals(random) -> np.ndarray:
    x = random.integers(0, 2**32, SHAPE, np.uint32).view(np.float32)
    x = np.where(random.random(SHAPE) < 0.8, random.integers(-600, 600, SHAPE) / np.float32(4), x)
    x = x.astype(np.float32)
    x.ravel()[:9] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 0.49999997, 2.0**31, 8388607.5]
    return x


def tensor(shape, element: str, dynamic=False) -> str:
    return f"tensor<{''.join(('?' if dynamic else str(size)) + 'x' for size in shape)}{element}>"


class Kernels:
    """Functions of one op and storage type in one module: all combinations of the other types at each granularity, shapes static and dynamic in turn."""

    def __init__(self, op: str, storage: str, expressed, granularities):
        self.op, self.storage, self.functions, texts = op, storage, {}, []
        turn = itertools.cycle((False, True))
        for granularity in granularities:
            places = itertools.cycle(PLACES[granularity])
            for real, zero in itertools.product(expressed, (None, *zero_points(storage))):
                self.add(texts, granularity, real, zero, *next(places), next(turn))
            # An odd number, so that the next granularity has the other form of each.
            self.add(texts, granularity, real, zero, *next(places), next(turn))
        self.compiled = runtime.compile("".join(texts))

    def add(self, texts, granularity, real, zero, place, shape, dynamic):
        name, storage = f"f{len(texts)}", self.storage
        source, target = (real, storage) if self.op.endswith("_quantize") else (storage, real)
        types = [tensor(SHAPE, source, dynamic), tensor(shape, real, dynamic and len(shape) > 1)]
        if zero:
            types.append(tensor(shape, zero, dynamic and len(shape) > 1))
        result, names = tensor(SHAPE, target, dynamic), ("%x", "%s", "%z")[: len(types)]
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
        texts.append(
            f"func.func @{name}({arguments}) -> {result} {{\n"
            f'  %y = "onednn_graph.{self.op}"({", ".join(names)}) {{{place}}} : ({", ".join(types)}) -> {result}\n'
            f"  return %y : {result}\n}}\n"
        )
        self.functions[name] = (granularity, real, zero, shape)

    def check(self, granularity):
        random, storage, checked = np.random.default_rng(11), self.storage, 0
        for name, (of, real, zero, shape) in self.functions.items():
            if of != granularity:
                continue
            checked += 1
            scales = drawn(random, real, shape)
            z = drawn(random, zero, shape) if zero else np.zeros(shape, np.int32)
            if self.op.endswith("_quantize"):
                x = reals(random)
                expected = quantize(x, spread(scales), spread(z.astype(np.int32)), storage)
            else:
                x = drawn(random, storage, SHAPE)
                expected = dequantize(x, spread(scales), spread(z.astype(np.int32)), real)
            got = self.compiled[name](*((x, scales, z) if zero else (x, scales)))
            assert same(got, expected).all(), (
                f"{self.op} {storage} {granularity} {real} {zero} {shape}"
            )
        assert checked


def zero_points(storage: str) -> tuple[str, ...]:
    return ("i4", "ui4", "i32") if storage.endswith("i4") else ("i8", "ui8", "i32")


@functools.cache
def kernels(op: str, storage: str) -> Kernels:
    if op == "dynamic_quantize":
        return Kernels(op, storage, ("f32",), ("tensor", "axis"))
    return Kernels(op, storage, ("f32", "f16", "bf16"), tuple(PLACES))


STATEMENT = "NumPy statement of the document"


@pytest.mark.proves("oneDNN Graph", "DynamicDequantize", against=STATEMENT)
@pytest.mark.parametrize("granularity", ["tensor", "axis", "block"])
@pytest.mark.parametrize("storage", ["i8", "ui8", "i4", "ui4"])
def test_dynamic_dequantize(storage, granularity):
    kernels("dynamic_dequantize", storage).check(granularity)


@pytest.mark.proves("oneDNN Graph", "DynamicQuantize", against=STATEMENT)
@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize("storage", ["i8", "ui8"])
def test_dynamic_quantize(storage, granularity):
    kernels("dynamic_quantize", storage).check(granularity)


STATIC_SCALES = {"tensor": [0.3], "axis": [0.07 + 0.031 * i for i in range(32)]}


@functools.cache
def static_kernels():
    texts = []
    for op, storage, (granularity, scales), sizes in itertools.product(
        ("quantize", "dequantize"), ("i8", "ui8", *F8), STATIC_SCALES.items(), ("8x32", "?x?", "*")
    ):
        source, target = ("f32", storage) if op == "quantize" else (storage, "f32")
        listed = ", ".join(f"{scale:e}" for scale in scales)
        zps = ", ".join(str(z) for z in static_zps(storage, granularity))
        name = f"{op}_{storage}_{granularity}_{('8x32', '?x?', '*').index(sizes)}"
        types = f"(tensor<{sizes}x{source}>) -> tensor<{sizes}x{target}>"
        qtype = {"tensor": "per_tensor", "axis": "per_channel"}[granularity]
        texts.append(
            f"func.func @{name}{types.replace('(', '(%x: ')} {{\n"
            f'  %y = "onednn_graph.{op}"(%x) {{qtype = "{qtype}", scales = array<f32: {listed}>, zps = array<i64: {zps}>}} : {types}\n'
            f"  return %y : {types.split(' -> ')[1]}\n}}\n"
        )
    return runtime.compile("".join(texts))


def static_zps(storage, granularity):
    if storage in F8:
        return np.zeros(len(STATIC_SCALES[granularity]), np.int32)
    low, high = BOUNDS[storage]
    return np.linspace(low, high, len(STATIC_SCALES[granularity])).astype(np.int32)


@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize("storage", ["i8", "ui8", *F8])
@pytest.mark.parametrize(
    "op",
    [
        pytest.param(op, marks=pytest.mark.proves("oneDNN Graph", op.title(), against=STATEMENT))
        for op in ("quantize", "dequantize")
    ],
)
def test_static(op, storage, granularity):
    random = np.random.default_rng(12)
    scales = np.float32(STATIC_SCALES[granularity])
    zps = static_zps(storage, granularity)
    x = reals(random) if op == "quantize" else drawn(random, storage, SHAPE)
    expected = (
        quantize(x, scales, zps, storage) if op == "quantize" else dequantize(x, scales, zps, "f32")
    )
    for form in range(3):
        got = static_kernels()[f"{op}_{storage}_{granularity}_{form}"](x)
        assert same(got, expected).all(), form


# Against oneDNN.


def recorded(kind: str, storage: str, granularity: str):
    """The ops of a dumped graph with these codes, imported, and what oneDNN and our code computed for them."""
    file = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind).lstrip("_")
    names = {"per_tensor": "tensor", "per_channel": "axis", "per_group": "block"}
    whole, arrays = json.loads((DATA / f"{file}.json").read_text()), np.load(DATA / f"{file}.npz")

    def element(tensor: dict) -> str:
        return onednn.ELEMENT_TYPES[tensor["dtype"]]

    def array(tensor: dict) -> np.ndarray:
        held, type = arrays[str(tensor["id"])], element(tensor)
        return held.view(DTYPES[type]) if type in ("bf16", *F8) else held.astype(DTYPES[type])

    ops = []
    for op in whole["graph"]:
        codes = op["outputs" if kind.endswith("Quantize") else "inputs"][0]
        if (element(codes), names[op["attrs"]["qtype"]["value"]]) == (storage, granularity):
            ops.append(op)
    compiled = runtime.compile(onednn.import_graph({"graph": ops}))
    results = compiled.main_graph(*(array(tensor) for op in ops for tensor in op["inputs"]))
    results = results if isinstance(results, tuple) else (results,)
    return [(op, got, array(op["outputs"][0])) for op, got in zip(ops, results, strict=True)]


RECORDED = [
    (kind, storage, granularity)
    for kind in ("Quantize", "Dequantize", "DynamicQuantize", "DynamicDequantize")
    for storage in {
        "DynamicQuantize": ("i8", "ui8"),
        "DynamicDequantize": ("i8", "ui8", "i4", "ui4"),
    }.get(kind, ("i8", "ui8", *F8))
    for granularity in (
        ("tensor", "axis", "block") if kind == "DynamicDequantize" else ("tensor", "axis")
    )
    if (storage, granularity) not in (("i4", "tensor"), ("ui4", "tensor"))  # oneDNN aborts
]


@pytest.mark.parametrize(
    "kind, storage, granularity",
    [
        pytest.param(
            *case,
            marks=pytest.mark.proves(
                "oneDNN Graph", f"{case[0]}, imported", against="oneDNN 3.13.2 on CPU"
            ),
        )
        for case in RECORDED
    ],
)
def test_recorded(kind, storage, granularity):
    """The JSON that oneDNN dumped, imported, compiled and run: oneDNN's bits."""
    compared = recorded(kind, storage, granularity)
    assert compared
    for op, got, expected in compared:
        assert same(got, expected).all(), op
