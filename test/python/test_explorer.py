# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/explorer/semantics.js, run by V8: beside mlir_qdq.reference, and on the corpus of exact rationals."""

import json
import runpy
from functools import cache

import numpy as np
import pytest
from build_tree import SOURCE
from kernels import ROUNDINGS

from mlir_qdq import conformance, reference
from mlir_qdq.conformance import Conversion, Operand
from mlir_qdq.conformance.case import dtype_of, is_float
from mlir_qdq.reference.semantics import FIELD_VALUES
from mlir_qdq.reference.types import FLOAT_STORAGE

EXPLORER = SOURCE / "docs" / "explorer"
MAKE = runpy.run_path(str(EXPLORER / "make.py"))

#: Runs one case. Numbers cross as the words of float64, since JSON has no NaN, infinity and -0.
RUN = """
const bytes = new DataView(new ArrayBuffer(8));
function number(high, low) {
  bytes.setUint32(0, high); bytes.setUint32(4, low);
  return bytes.getFloat64(0);
}
function numbers(words) {
  return Array.from({length: words.length / 2}, (_, i) => number(words[2 * i], words[2 * i + 1]));
}
function words(value) {
  bytes.setFloat64(0, value);
  return [bytes.getUint32(0), bytes.getUint32(4)];
}
function run(text) {
  const job = JSON.parse(text);
  const [x, scale, zero] = [numbers(job.x), numbers(job.scale), job.zero && numbers(job.zero)];
  const rules = Semantics.resolve(job.semantics, job.profile);
  return JSON.stringify(x.map((value, index) => {
    const owner = job.owners[index];
    const op = {
      ...job.op, ...rules, x: value, code: value, scale: scale[owner], zero: zero ? zero[owner] : null, index,
    };
    const {code, value: real, defined} = Semantics[job.operation](op);
    return [...words(job.operation === "quantize" ? code : real), defined === false ? 0 : 1];
  }));
}
"""


@cache
def engine():
    from py_mini_racer import MiniRacer

    context = MiniRacer()
    context.eval(MAKE["script"]() + RUN)
    return context


def words(array: np.ndarray) -> list[int]:
    with np.errstate(all="ignore"):
        values = np.ascontiguousarray(array).astype(">f8")
    return values.reshape(-1).view(">u4").tolist()


def by_script(case: Conversion, seed: int = 0):
    """The result, and where it is defined."""
    z = case.zero_point
    op = {
        "xType": case.x.type, "scaleType": case.scale.type, "storage": case.storage, "resultType": case.real,
        "zeroIsFloat": bool(z) and is_float(z.type), "domain": case.domain, "clamp": case.clamp, "seed": str(seed),
    }  # fmt: skip
    job = {
        "operation": case.operation, "op": op, "x": words(case.x.array), "scale": words(case.scale.array),
        "zero": words(z.array) if z else None, "owners": case.owners.reshape(-1).tolist(),
        "semantics": case.semantics, "profile": case.profile,
    }  # fmt: skip
    found = np.array(json.loads(engine().call("run", json.dumps(job))), np.uint32).reshape(-1, 3)
    values = found[:, :2].astype(">u4").reshape(-1).view(">f8").astype(np.float64)
    shape = case.x.array.shape
    result = values.reshape(shape).astype(dtype_of(case.result.type))
    return result, found[:, 2].astype(bool).reshape(shape)


def check(case: Conversion) -> None:
    actual, defined = by_script(case)
    wrong = conformance.differs(actual, case)
    assert not wrong.any(), (case.name, np.argwhere(wrong)[0], actual[wrong][0])
    if case.defined is not None:
        np.testing.assert_array_equal(defined, case.defined)


@pytest.mark.parametrize("topic", conformance.topics())
def test_corpus(topic):
    for case in conformance.load(f"corpus/{topic}.json"):
        check(case)


def of_reference(
    operation, x, scale, zero_point, storage, real, semantics, profile=None
) -> Conversion:
    """A case per tensor, whose result is that of the reference."""

    def operand(element, values):
        return Operand(element, np.asarray(values).astype(dtype_of(element)))

    result = Operand(storage if operation == "quantize" else real, np.zeros(0))
    z = operand(storage, zero_point) if zero_point is not None else None
    case = Conversion(
        "", operation, x, operand("f32", scale), result, z, semantics=semantics, profile=profile
    )
    common = dict(storage=storage, semantics=semantics, profile=profile)
    z = z.array if z else None
    if operation == "dequantize":
        values = reference.dequantize(x.array, case.scale.array, z, expressed=real, **common)
        return Conversion(**{**vars(case), "result": Operand(real, values)})
    values, defined = reference.quantize(
        x.array, case.scale.array, z, return_defined=True, **common
    )
    return Conversion(**{**vars(case), "result": Operand(storage, values), "defined": defined})


def halves(element: str) -> Operand:
    """Every value of f16, or every 7th of bf16."""
    bits = np.arange(0, 2**16, 1 if element == "f16" else 7, dtype=np.uint16)
    return Operand(element, bits.view(dtype_of(element)))


def reals() -> Operand:
    """f32: ties and what lies beside them, random bits, specials."""
    random = np.random.default_rng(5)
    ties = (np.arange(-600, 600) / 2 * np.float32(0.1)).astype(np.float32)
    near = [np.nextafter(ties, np.float32(d)) for d in (np.inf, -np.inf)]
    bits = random.integers(0, 2**32, 3000, np.uint32).view(np.float32)
    special = np.float32([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, 3.4e38, 2**31, 2**33])
    return Operand("f32", np.concatenate([ties, *near, bits, special]))


@pytest.mark.parametrize("profile", reference.PROFILES)
def test_profiles(profile):
    for storage, z in (("i8", 3), ("ui8", 128), ("i4", None), ("i16", -77), ("ui16", 65535)):
        for x in (reals(), halves("f16")) if storage == "i8" else (reals(),):
            check(of_reference("quantize", x, 0.1, z, storage, x.type, {}, profile))


@pytest.mark.parametrize("rounding", [*ROUNDINGS, "stochastic"])
def test_roundings(rounding):
    for order in FIELD_VALUES["order"]:
        fields = {"rounding": rounding, "order": order}
        for x in (reals(), halves("bf16")):
            check(of_reference("quantize", x, 0.1, -7, "i8", x.type, fields))
    for storage in ("f8E4M3FN", "f8E5M2FNUZ", "f4E2M1FN"):
        check(of_reference("quantize", reals(), 0.1, None, storage, "f32", {"rounding": rounding}))


@pytest.mark.parametrize("step", [127, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("storage", [f"{u}i{bits}" for bits in (2, 3, 4, 8, 16) for u in ("", "u")])
def test_every_code_back(storage, step):
    """Every day, not every one of 16 bits."""
    type = reference.storage_type(storage)
    codes = np.arange(type.lowest, type.highest + 1)
    q = Operand(storage, codes[:: step if type.bits == 16 else 1].astype(type.dtype))
    for subtract in FIELD_VALUES["subtract"]:
        for real in ("f32", "f16", "bf16"):
            fields = {"subtract": subtract}
            check(of_reference("dequantize", q, 0.3, type.highest, storage, real, fields))
    for profile in reference.PROFILES:
        check(of_reference("dequantize", q, 0.3, type.lowest, storage, "f32", {}, profile))


@pytest.mark.parametrize("storage", [s for s in FLOAT_STORAGE if s not in ("f16", "bf16")])
def test_every_float_code(storage):
    """The table of values that the page shows, and every value there and back."""
    values = [float(v) for v in MAKE["codes"](storage)]
    codes = np.arange(len(values), dtype=np.uint8).view(dtype_of(storage))
    np.testing.assert_array_equal(codes.astype(np.float64), values)
    numbers = ~np.isnan(values)
    signs = np.signbit(codes.astype(np.float64)), np.signbit(values)
    np.testing.assert_array_equal(*(sign[numbers] for sign in signs))
    check(of_reference("dequantize", Operand(storage, codes), 0.3, None, storage, "f32", {}))
    for overflow in FIELD_VALUES["float_overflow"]:
        fields = {"float_overflow": overflow}
        check(of_reference("quantize", reals(), 0.5, None, storage, "f32", fields))


def test_seeds_of_draws():
    """A seed of 64 bits."""
    x = Operand("f32", np.full(200, 0.5, np.float32))
    case = of_reference("quantize", x, 1.0, None, "i8", "f32", {"rounding": "stochastic"})
    seed = 0xDEADBEEFCAFEF00D
    codes = reference.quantize(
        x.array, case.scale.array, storage="i8", semantics=case.semantics, seed=seed
    )
    np.testing.assert_array_equal(by_script(case, seed)[0], codes)


def test_page_is_up_to_date():
    made = MAKE["page"]()
    assert (SOURCE / "docs" / "Explorer.html").read_text() == made, (
        "run: python docs/explorer/make.py"
    )


def test_page_fetches_nothing():
    made = MAKE["page"]()
    for word in ("http:", "https:", "src=", "<link", "@import", "url(", "fetch(", "import("):
        assert word not in made.replace("http://www.w3.org/2000/svg", ""), word
