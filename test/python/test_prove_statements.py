# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements of tools/verify --prove, evaluated, against the NumPy reference."""

import random
import sys

import ml_dtypes
import numpy as np
import pytest
from build_tree import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))

from mlir_qdq import reference  # noqa: E402
from mlir_qdq.reference.types import SCALES, storage_type  # noqa: E402
from proving import bodies, decide, small_floats, terms  # noqa: E402
from proving import floats as fl  # noqa: E402
from proving.softfloat import F16, F32, F64  # noqa: E402
from proving.statements.operands import Operand  # noqa: E402
from proving.types import IEEE  # noqa: E402

INPUTS = 12


def dtype_of(element: str) -> np.dtype:
    if element in SCALES:
        return SCALES[element].dtype
    if element in ("i64", "si64"):
        return np.dtype(np.int64)
    return storage_type(element).dtype


def width_of(element: str) -> int:
    digits = element.lstrip("siubf").split("E")[0]
    return int(digits)


def operand(name: str, element: str) -> Operand:
    return Operand(terms.symbol(name, width_of(element)), element)


def some(rng: random.Random, element: str) -> int:
    """Bits of an operand; a float is often near one, or special."""
    width = width_of(element)
    if element in IEEE and rng.random() < 0.7:
        f = IEEE[element]
        one, unit = f.bias << (f.significand - 1), 1 << (f.significand - 1)
        near = (
            one + rng.randrange(-4, 9) * unit + rng.choice([0, 1, unit >> 1, unit >> 2, unit >> 3])
        )
        special = rng.choice([0, 1, unit, f.infinity - 1, f.infinity, f.nan])
        return (near if rng.random() < 0.7 else special) | rng.getrandbits(1) << (f.width - 1)
    return rng.getrandbits(width)


def array(bits: list[int], element: str) -> np.ndarray:
    """Operands as the reference takes them."""
    dtype = dtype_of(element)
    unsigned = np.array(bits, np.uint64)
    if element.startswith(("i", "u", "s")):
        width = width_of(element)
        signed = [b - (1 << width) if element[0] != "u" and b >> (width - 1) else b for b in bits]
        return np.array(signed, object).astype(np.int64).astype(dtype)
    return unsigned.astype(f"u{dtype.itemsize}").view(dtype)


def bits_of(values: np.ndarray, element: str) -> list[int]:
    """Codes; one and the same for every NaN."""
    mask = (1 << width_of(element)) - 1
    if element.startswith(("i", "u", "s")):
        return [int(v) & mask for v in values.astype(np.int64)]
    is_nan = np.isnan(values.astype(np.float64))
    raw = values.view(f"u{values.itemsize}")
    return [-1 if n else int(v) & mask for v, n in zip(raw, is_nan)]


def evaluated(term: terms.Term, rows: list[dict], element: str) -> list[int]:
    found = terms.evaluate_rows([term], rows)[term]
    if element.startswith(("i", "u", "s")):
        return found
    if element in IEEE:
        f = IEEE[element]
        return [-1 if (v & f.sign_bit - 1) > f.infinity else v for v in found]
    code = terms.symbol("code", width_of(element))
    is_nan = small_floats.is_nan_code(code, element)
    return [-1 if terms.evaluate([is_nan], {code: v})[0] else v for v in found]


def check(name: str, expected: list[int], found: list[int], defined, rows) -> None:
    for e, f, d, row in zip(expected, found, defined, rows):
        if d:
            values = {s.data[0]: hex(v) for s, v in row.items()}
            assert e == f, f"{name}: {values}: reference {e:#x}, statement {f:#x}"


@pytest.mark.parametrize("operation", ["quantize", "dequantize"])
def test_conversions(operation):
    for seed, body in enumerate(b for b in bodies.obligations(False) if b.operation == operation):
        choice, rng = dict(body.choice), random.Random(seed)
        if operation == "dequantize" and choice["x"] in ("i64", "f8E8M0FNU"):
            continue  # no storage types of the reference
        terms.forget()
        operands = [operand(name, element) for _, name, element in body.operands()]
        rows = [{o.bits: some(rng, o.type) for o in operands} for _ in range(INPUTS)]
        columns = [array([row[o.bits] for row in rows], o.type) for o in operands]
        # An element each: the scale and the zero point along axis 0.
        given = dict(
            axis=0, semantics=bodies.semantics_of(choice), zero_point_domain=choice["z"][1]
        )
        target, defined = choice["to"], np.ones(INPUTS, bool)
        if operation == "quantize":
            expected, defined = reference.quantize(
                *columns,
                storage=target,
                clamp=bodies.clamp_of(choice),
                return_defined=True,
                **given,
            )
        else:
            expected = reference.dequantize(
                *columns, storage=choice["x"], expressed=target, **given
            )
        term, _ = body.statement(operands)
        check(body.name, bits_of(expected, target), evaluated(term, rows, target), defined, rows)


def test_requantize():
    for seed, body in enumerate(
        b for b in bodies.obligations(False) if b.operation == "requantize"
    ):
        choice, rng = dict(body.choice), random.Random(seed)
        terms.forget()
        operands = [operand(name, element) for _, name, element in body.operands()]
        rows = [{o.bits: some(rng, o.type) for o in operands} for _ in range(INPUTS)]
        given: dict[str, list] = {}
        for (word, _, element), o in zip(body.operands(), operands):
            given.setdefault(word, []).append(array([row[o.bits] for row in rows], element))
        semantics = bodies.semantics_of(choice)
        expected, defined = reference.requantize(
            given[""][0], tuple(given["multiplier"]), *(given.get(w, [None])[0] for w in ("shift", "zero_point")),
            rescale=choice["kind"][0], storage=choice["to"], axis=0, fraction=given.get("fraction", [None])[0],
            limit=choice["limit"], clamp=bodies.clamp_of(choice), semantics=semantics, return_defined=True,
        )  # fmt: skip
        term, _ = body.statement(operands)
        check(
            body.name,
            bits_of(expected, choice["to"]),
            evaluated(term, rows, choice["to"]),
            defined,
            rows,
        )


@pytest.mark.parametrize("source", [F16, F32, F64])
@pytest.mark.parametrize("name", [n for n in small_floats.ENCODINGS if n not in ("f16", "bf16")])
def test_casts_to_small_floats_are_those_of_ml_dtypes(source, name):
    """To nearest even, overflow as IEEE has it."""
    dtype = np.dtype(small_floats._DTYPES[name])
    x = terms.symbol("x", source.width)
    code = small_floats.encode(fl.to_float(x, source), name, "nearest-even", saturates=False)
    rng = random.Random(0)
    element = {F16: "f16", F32: "f32", F64: "f64"}[source]
    rows = [{x: some(rng, element)} for _ in range(300)]
    values = array([row[x] for row in rows], element)
    with np.errstate(all="ignore"):
        expected = values.astype(dtype)
    # ml_dtypes goes from f64 through f32, and gives the code of -0 for a NaN where there is none.
    with np.errstate(all="ignore"):
        compared = values.astype(np.float32).astype(np.float64) == values
    if small_floats.ENCODINGS[name].nan is not None:
        compared |= np.isnan(values)
    check(name, bits_of(expected, name), evaluated(code, rows, name), compared, rows)


def test_decoding_is_that_of_ml_dtypes():
    for name, dtype in small_floats._DTYPES.items():
        width = 8 * ml_dtypes.finfo(dtype).bits // 8
        code = terms.symbol("code", width)
        real = small_floats.decode(code, name, F64)
        for value in range(1 << width):
            expected = float(np.array(value, np.uint8).view(dtype))
            bits = terms.evaluate([fl.to_bits(real)], {code: value})[0]
            assert np.array(bits, np.uint64).view(np.float64) == expected or np.isnan(expected)


def test_long_integers_become_bf16_by_one_rounding():
    """Found by a proof: f64 rounds 56 bits to a tie of bf16."""
    choice = {"x": "i64", "s": "f8E4M3FN", "z": (None, "stored"), "to": "f64", "compute": "bf16"}
    claim, _ = bodies.Body("dequantize", tuple(choice.items())).claim()
    decider = decide.Decider(20)
    for goal in claim.goals:
        decider.start()
        assert decider(goal).status == decide.PROVEN, goal.what
