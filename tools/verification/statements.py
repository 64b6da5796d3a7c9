# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three statements of a case, each from arrays of bit patterns to arrays of bit patterns."""

from __future__ import annotations

from functools import cache

import numpy as np
from mlir.ir import Attribute, Context, Type

import mlir_qdq
from mlir_qdq import reference, runtime
from mlir_qdq._mlir_libs._qdq import evaluator
from mlir_qdq.reference.types import scale_type, storage_type

from .cases import SEED, TRUNCF_MODES, Case


def _is_float(element: str) -> bool:
    return element.startswith(("f", "bf"))


def dtype_of(element: str) -> np.dtype:
    if element == "f8E8M0FNU" or element in ("f32", "f64"):
        return scale_type(element).dtype
    return storage_type(element).dtype


def bits_of(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


def operands(case: Case, index: int) -> list[np.ndarray]:
    """Scale and, if there is one, zero point number `index`, rank 0."""
    scale, zero_point = case.parameters[index]
    scale = np.array(scale).astype(dtype_of(case.scale))
    if case.zero_point is None:
        return [scale]
    return [scale, np.array(zero_point).astype(dtype_of(case.zero_point))]


# --- emitted code ----------------------------------------------------------------------


def _width(element: str) -> int:
    if not _is_float(element):
        return storage_type(element).bits
    narrow = {"f6": 6, "f4": 4}
    return narrow.get(element[:2], 8 * dtype_of(element).itemsize)


class _Body:
    """The loop body of a kernel, and the value that it holds so far."""

    def __init__(self, element: str):
        self.lines, self.value, self.first, self.element = [], "%v", element, element

    def cast(self, op: str, element: str) -> None:
        if element != self.element:
            self.add(f"{op} {self.value} : {self.element} to {element}", element)

    def add(self, op: str, element: str) -> None:
        name = f"%{len(self.lines)}"
        self.lines.append(f"    {name} = {op}\n")
        self.value, self.element = name, element


def _kernel(case: Case, name: str) -> str:
    """A function of (x or codes, scale[, zero point]). Codes cross its boundary in integers of whole bytes."""
    width, quantizes = _width(case.storage), case.operation != "dequantize"
    code, container = f"i{width}", f"i{max(8, width)}"
    x_type, result = (case.value, container) if quantizes else (container, case.value)
    source, target = (case.value, case.storage) if quantizes else (case.storage, case.value)
    # Between a code and the integer of its width: the bits of a float, or a change of signedness.
    recast = "arith.bitcast" if _is_float(case.storage) else "builtin.unrealized_conversion_cast"
    zero_point = [] if case.zero_point is None else [case.zero_point]
    fields = ", ".join(f"{key} = {choice}" for key, choice in case.semantics)

    def op(value: str, shape: str, attributes: str = "") -> str:
        types = [shape.format(source), case.scale, *zero_point]
        return (
            f"qdq.{case.operation} {value} scale %s{' zero_point %z' * len(zero_point)} semantics <{fields}> {attributes}"
            f": ({', '.join(types)}) -> {shape.format(target)}"
        )

    # A draw belongs to a position in a tensor: there the op is on the tensor, elsewhere on the scalars in the loop.
    draws = case.rounding == "stochastic"
    before, looped = "", "%x"
    body = _Body(x_type)
    if draws:
        before = f"  %t = {op('%x', 'tensor<?x{}>', f'{{seed = {SEED} : i64}} ')}\n"
        looped, body = "%t", _Body(target)
        if target.startswith("ui"):
            before += f"  %b = tensor.bitcast %t : tensor<?x{target}> to tensor<?x{code}>\n"
            looped, body = "%b", _Body(code)
    elif case.operation == "cast":
        mode = TRUNCF_MODES[case.rounding]
        body.add(f"arith.truncf {body.value} {mode} : {case.value} to {target}", target)
    elif quantizes:
        body.add(op(body.value, "{}"), target)
    else:
        body.cast("arith.trunci", code)
        body.cast(recast, case.storage)
        body.add(op(body.value, "{}"), target)
    looped_type = body.first
    if quantizes:
        body.cast(recast, code)
        body.cast("arith.extsi" if case.storage.startswith("i") else "arith.extui", container)

    z = "".join(f", %z: {element}" for element in zero_point)
    return f"""
func.func @{name}(%x: tensor<?x{x_type}>, %s: {case.scale}{z}) -> tensor<?x{result}> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x{x_type}>
  %e = tensor.empty(%n) : tensor<?x{result}>
{before}  %r = linalg.generic {{
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
  }} ins({looped} : tensor<?x{looped_type}>) outs(%e : tensor<?x{result}>) {{
  ^bb0(%v: {looped_type}, %o: {result}):
{"".join(body.lines)}    linalg.yield {body.value} : {result}
  }} -> tensor<?x{result}>
  return %r : tensor<?x{result}>
}}
"""


class Emitted:
    """The cases, compiled in one module."""

    def __init__(self, cases: list[Case]):
        text = "".join(_kernel(case, f"f{i}") for i, case in enumerate(cases))
        self._functions = runtime.compile(text, runtime_checks=False)
        self._names = {case: f"f{i}" for i, case in enumerate(cases)}

    def __call__(self, case: Case, x: np.ndarray, index: int, out: np.ndarray | None = None):
        """Bits of the results. `x` holds elements of the type of x, or codes as `reference` takes them."""
        function = self._functions[self._names[case]]
        if case.operation == "dequantize":
            x = bits_of(x).view(f"i{x.itemsize}")
        result = function(x, *operands(case, index), out=out)
        return bits_of(result)


# --- evaluator -------------------------------------------------------------------------


@cache
def _context() -> Context:
    context = Context()
    mlir_qdq.register(context)
    return context


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def evaluate(
    case: Case, x: np.ndarray, index: int, first: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Bits of the results, and where they are defined. `first` is the position of x[0]."""
    if case.storage == "f8E8M0FNU":
        return _round_to_power_of_two(case.rounding, x), np.ones(x.size, bool)
    with _context():
        fields = ", ".join(f"{key} = {choice}" for key, choice in case.semantics)
        names = (case.storage, case.value, case.scale)
        types = [Type.parse(name) for name in names]
        types.append(Type.parse(case.zero_point) if case.zero_point else None)
        semantics = Attribute.parse(f"#qdq.semantics<{fields}>")
    parameters = [_bytes(p) for p in operands(case, index)]
    parameters += [np.empty(0, np.uint8)] * (2 - len(parameters))
    defined = np.ones(x.size, np.uint8)
    if case.operation != "dequantize":
        codes = np.zeros(x.size, dtype_of(case.storage))
        evaluator.quantize(
            semantics,
            *types,
            _bytes(x),
            *parameters,
            _bytes(codes),
            defined,
            seed=SEED,
            first_index=first,
        )
        return bits_of(codes), defined.view(bool)
    reals = np.zeros(x.size, dtype_of(case.value))
    evaluator.dequantize(semantics, *types, _bytes(x), *parameters, _bytes(reals))
    return bits_of(reals), defined.view(bool)


# --- reference -------------------------------------------------------------------------


def refer(case: Case, x: np.ndarray, index: int) -> tuple[np.ndarray, np.ndarray]:
    """Bits of the results, and where they are defined."""
    if case.storage == "f8E8M0FNU":
        return _round_to_power_of_two(case.rounding, x), np.ones(x.size, bool)
    parameters = operands(case, index)
    if case.operation == "dequantize":
        reals = reference.dequantize(
            x,
            *parameters,
            storage=case.storage,
            expressed=case.value,
            semantics=dict(case.semantics),
        )
        return bits_of(reals), np.ones(x.size, bool)
    codes, defined = reference.quantize(
        x,
        *parameters,
        storage=case.storage,
        semantics=dict(case.semantics),
        seed=SEED,
        return_defined=True,
    )
    return bits_of(codes), defined


def _round_to_power_of_two(rounding: str, x: np.ndarray) -> np.ndarray:
    """f8E8M0FNU codes, as docs/Semantics.md has them: no storage type, so neither evaluator nor reference has it."""
    with np.errstate(invalid="ignore"):
        x = x.astype(np.float64)
    fraction, exponent = np.frexp(np.abs(x))
    up = {
        "nearest-even": fraction >= 0.75,
        "nearest-away": fraction >= 0.75,
        "toward-zero": False,
        "floor": False,  # negative values are NaN whatever the mode
        "ceil": fraction > 0.5,
    }[rounding]
    code = np.maximum(exponent - 1 + up + 127, 0)
    is_nan = ~np.isfinite(x) | (code > 254) | np.signbit(x)
    return np.where(is_nan, 255, np.where(x == 0, 0, code)).astype(np.uint8)


# --- comparison ------------------------------------------------------------------------


@cache
def _nan_table(element: str) -> np.ndarray | None:
    """For results of one or two bytes: which bit patterns are NaN."""
    dtype = dtype_of(element)
    if not _is_float(element) or dtype.itemsize > 2:
        return None
    patterns = np.arange(1 << (8 * dtype.itemsize)).astype(f"u{dtype.itemsize}")
    with np.errstate(all="ignore"):
        return np.isnan(patterns.view(dtype).astype(np.float32))


def result_type(case: Case) -> str:
    return case.value if case.operation == "dequantize" else case.storage


def canonical(bits: np.ndarray, element: str) -> np.ndarray:
    """The same bits for every NaN, whose sign and payload are not specified; those of a narrow code without what fills its byte."""
    if _width(element) < 8:
        bits = bits & ((1 << _width(element)) - 1)
    table = _nan_table(element)
    if table is not None:
        nan = table[bits]
    elif element in ("f32", "f64"):
        nan = np.isnan(bits.view(dtype_of(element)))
    else:
        return bits
    if not nan.any():
        return bits
    return np.where(nan, np.array(np.iinfo(bits.dtype).max, bits.dtype), bits)
