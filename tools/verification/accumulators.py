# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requantize on every accumulator of 16 or 32 bits.

Those of 16 bits are compared one by one. Those of 32 bits form runs of equal codes, as in
`intervals`: every kind composes monotone steps (conversion, product with a positive scale,
rounding, sum, bounds), so evaluator and reference are asked at both ends of each run, and within.
For `exact` with multipliers made of scales, the code of the real number is asked there, too.
"""

from __future__ import annotations

import numpy as np
from mlir.ir import Attribute, Type

from mlir_qdq import reference, runtime
from mlir_qdq._mlir_libs._qdq import evaluator
from mlir_qdq.reference.types import storage_type

from .pointwise import Mismatch
from .rescales import Rescale
from .statements import _bytes, _context

CHUNK = 1 << 18
_INSIDE = 2048


def _dtype(storage: str) -> np.dtype:
    bits = storage_type(storage).bits
    width = next(w for w in (8, 16, 32) if bits <= w)
    return np.dtype(f"{'u' if storage[0] == 'u' else ''}int{width}")


_TYPES = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32", np.dtype(np.int64): "i64"}


def _kernel(case: Rescale, name: str) -> str:
    """A function of accumulators, all parameters constants; codes of less than a byte leave in one."""
    given = case.parameters()
    lines, types, operands = [], [], []

    def constant(value: str, element: str) -> str:
        lines.append(f"  %p{len(lines)} = arith.constant {value} : {element}\n")
        types.append(element)
        return f"%p{len(lines) - 1}"

    for multiplier in given["multipliers"]:
        element = _TYPES[multiplier.dtype]
        bits = f"0x{multiplier.view(np.uint32):08X}" if element == "f32" else str(int(multiplier))
        operands.append(constant(bits, element))
    text = f"rescale <{case.rescale}> multiplier {', '.join(operands)}"
    for word in ("shift", "fraction"):
        if given[word] is not None:
            text += f" {word} {constant(str(given[word]), 'i8')}"
    text += (
        f" zero_point {constant(str(case.zero_point), 'i64' if case.storage == 'ui32' else 'i32')}"
    )
    if given["limit"] is not None:
        text += f" limit {given['limit']}"
    fields = ", ".join(f"{key} = {choice}" for key, choice in case.semantics)
    container = f"i{8 * _dtype(case.storage).itemsize}"
    code = f"i{storage_type(case.storage).bits}"
    q = f"tensor<?x{case.storage}>"
    result = f"tensor<?x{container}>"
    body = "".join(lines) + (
        f"  %q = qdq.requantize %x {text} semantics <{fields}> : (tensor<?x{case.input}>, {', '.join(types)}) -> {q}\n"
    )
    value = "%q"
    if case.storage != code:
        body += f"  %b = tensor.bitcast %q : {q} to tensor<?x{code}>\n"
        value = "%b"
    if code != container:
        extend = "arith.extui" if case.storage[0] == "u" else "arith.extsi"
        body += (
            f"  %c0 = arith.constant 0 : index\n  %n = tensor.dim %x, %c0 : tensor<?x{case.input}>\n"
            f"  %e = tensor.empty(%n) : {result}\n  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>,"
            f' affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} ins({value} : tensor<?x{code}>) outs(%e : {result}) {{\n'
            f"  ^bb0(%v: {code}, %o: {container}):\n    %w = {extend} %v : {code} to {container}\n    linalg.yield %w : {container}\n"
            f"  }} -> {result}\n"
        )
        value = "%r"
    return f"func.func @{name}(%x: tensor<?x{case.input}>) -> {result} {{\n{body}  return {value} : {result}\n}}\n"


class Emitted:
    """The cases, compiled in one module."""

    def __init__(self, cases: list[Rescale]):
        text = "".join(_kernel(case, f"f{i}") for i, case in enumerate(cases))
        self._functions = runtime.compile(text, runtime_checks=False)
        self._names = {case: f"f{i}" for i, case in enumerate(cases)}

    def __call__(self, case: Rescale, x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        return self._functions[self._names[case]](x, out=out).view(_dtype(case.storage))


def _evaluate(case: Rescale, x: np.ndarray) -> np.ndarray:
    given = case.parameters()
    with _context():
        fields = ", ".join(f"{key} = {choice}" for key, choice in case.semantics)
        semantics = Attribute.parse(f"#qdq.semantics<{fields}>")
        storage, element = Type.parse(case.storage), Type.parse(case.input)
        multipliers = [(Type.parse(_TYPES[m.dtype]), _bytes(m)) for m in given["multipliers"]]
    codes, defined = np.zeros(x.size, _dtype(case.storage)), np.ones(x.size, np.uint8)
    evaluator.requantize(
        case.rescale, semantics, storage, element, multipliers, given["shift"], given["fraction"], given["limit"],
        case.zero_point, _bytes(x), _bytes(codes), defined,
    )  # fmt: skip
    return codes


def _refer(case: Rescale, x: np.ndarray) -> np.ndarray:
    given = case.parameters()
    shift, fraction = (
        None if given[w] is None else np.int32(given[w]) for w in ("shift", "fraction")
    )
    codes = reference.requantize(
        x, given["multipliers"], shift, np.int64(case.zero_point), rescale=case.rescale,
        storage=case.storage, fraction=fraction, limit=given["limit"], semantics=dict(case.semantics),
    )  # fmt: skip
    return codes.astype(_dtype(case.storage))


def _real(case: Rescale, x: np.ndarray) -> np.ndarray:
    """The codes of real numbers: the scales as rationals, no multiplier in between."""
    from mlir_qdq.reference._requantize import round_fraction

    storage, real, fields = storage_type(case.storage), case.real(), dict(case.semantics)
    first = case.zero_point if fields["order"] == "add-then-round" else 0
    codes = [
        round_fraction(int(a) * real + first, fields["rounding"]) + case.zero_point - first
        for a in x
    ]
    return np.clip(np.array(codes, object), storage.lowest, storage.highest).astype(
        _dtype(case.storage)
    )


def compare(case: Rescale, x: np.ndarray, emitted: np.ndarray) -> None:
    statements = {"evaluator": _evaluate, "reference": _refer}
    if case.rescale == "exact":
        statements["real number"] = _real
    for name, statement in statements.items():
        codes = statement(case, x)
        if (codes != emitted).any():
            at = int(np.argmax(codes != emitted))
            raise Mismatch(
                f"{case.key}\n  {case.parameters()}\n  acc = {x[at]}\n  emitted {emitted[at]}, {name} {codes[at]}"
            )


def verify(case: Rescale, emitted: Emitted) -> int:
    """The number of accumulators."""
    if case.input == "i16":
        x = np.arange(-(2**15), 2**15, dtype=np.int16)
        compare(case, x, emitted(case, x))
        return x.size
    starts, codes, last = [], [], None
    x = np.arange(-(2**31), -(2**31) + CHUNK, dtype=np.int64).astype(np.int32)
    out = np.empty(CHUNK, f"i{_dtype(case.storage).itemsize}")
    for start in range(-(2**31), 2**31, CHUNK):
        found = emitted(case, x, out)
        changes = np.flatnonzero(found[1:] != found[:-1]) + 1
        if found[0] != last:
            changes = np.concatenate([[0], changes])
        starts.append(start + changes)
        codes.append(found[changes])
        last = found[-1]
        if start + CHUNK < 2**31:
            x += np.int32(CHUNK)
    starts, codes = np.concatenate(starts), np.concatenate(codes)
    ends = np.append(starts[1:], 2**31) - 1
    inside = np.random.default_rng(0).integers(-(2**31), 2**31, _INSIDE)
    at = np.concatenate([starts, ends, inside])
    expected = np.concatenate([codes, codes, codes[np.searchsorted(starts, inside, "right") - 1]])
    compare(case, at.astype(np.int32), expected)
    return 1 << 32
