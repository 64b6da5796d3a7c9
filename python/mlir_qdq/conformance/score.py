# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an implementation makes of the vectors, and the shortest input on which it makes something else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .cases import Case, Operand, Unsupported, corpus, differs, is_float, load, promised, recorded
from .implementations import Implementation


@dataclass(frozen=True)
class Difference:
    """One element that comes out otherwise; `case` converts it alone if that shows the same."""

    implementation: str
    kind: str
    operation: str
    types: str
    x: str
    scale: str
    zero_point: str
    result: str
    expected: str
    semantics: str
    case: str

    @property
    def length(self) -> tuple[int, str]:
        words = (self.x, self.scale, self.zero_point, self.types, self.semantics)
        return sum(map(len, words)), self.case


#: What an implementation without a profile is held to.
EVERY_FIELD = "every field"


class Failed(Exception):
    """An implementation raised what is no refusal."""


@dataclass
class Tally:
    cases: int = 0
    taken: int = 0
    equal: int = 0
    values: int = 0
    differing: int = 0

    def add(self, different: np.ndarray, compared: int) -> None:
        self.taken += 1
        self.equal += not different.any()
        self.values += compared
        self.differing += int(different.sum())


@dataclass
class Score:
    implementation: str
    version: str
    held_to: str
    total: Tally = field(default_factory=Tally)
    topics: dict[str, Tally] = field(default_factory=dict)
    #: Reason: cases.
    refused: dict[str, int] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    #: Profile: in how many of the inputs of `convention_case` another code comes out.
    conventions: dict[str, int] = field(default_factory=dict)


def score(
    implementation: Implementation, *, profile: str | None = None, vectors: str = "corpus", topics=()
) -> Score:  # fmt: skip
    """Runs all cases. `profile`: hold it to that one, instead of what the implementation names; `vectors`: "corpus",
    or a profile whose runtime was recorded."""
    if vectors == "corpus":
        profile = profile or implementation.profile
        cases, held_to = corpus(profile), profile or EVERY_FIELD
    elif vectors in recorded():
        cases, held_to = load(f"profiles/{vectors}.json"), f"recorded {vectors}"
    else:
        expected = ", ".join(["corpus", *recorded()])
        raise ValueError(f"unknown vectors '{vectors}': expected one of {expected}")
    known = sorted({case.topic for case in cases})
    if unknown := sorted(set(topics) - set(known)):
        raise ValueError(f"unknown topic '{unknown[0]}': expected one of {', '.join(known)}")
    cases = [case for case in cases if not topics or case.topic in topics]
    result = Score(implementation.name, implementation.version, held_to)
    shortest: dict[tuple, Difference] = {}
    try:
        implementation.prepare(cases)
    except Exception as error:
        raise Failed(f"{implementation.name}: {type(error).__name__}: {error}") from error
    for case in cases:
        tallies = [result.total, result.topics.setdefault(case.topic, Tally())]
        for tally in tallies:
            tally.cases += 1
        try:
            actual = np.asarray(implementation.convert(case))
        except (Unsupported, NotImplementedError) as reason:
            result.refused[str(reason)] = result.refused.get(str(reason), 0) + 1
            continue
        except Exception as error:
            where = f"{implementation.name} on {case.topic}/{case.name}"
            raise Failed(f"{where}: {type(error).__name__}: {error}") from error
        compared = promised(case)
        if case.defined is not None:
            compared = compared & case.defined
        different = differs(actual, case) & compared
        for tally in tallies:
            tally.add(different, int(compared.sum()))
        for found in _differences(implementation, case, actual, different):
            key = (found.operation, is_float(case.storage), found.kind)
            if key not in shortest or found.length < shortest[key].length:
                shortest[key] = found
    result.differences = sorted(shortest.values(), key=lambda d: (d.operation, d.length))
    return result


def convention_case() -> Case:
    """Quantize f32 to i8, near ties that separate division, order and fusion: ten pairs of parameters."""
    (case,) = [c for c in load("profiles/onnx.json") if c.name == "quantize-i8-f32"]

    def first(operand: Operand) -> Operand:
        return Operand(operand.type, operand.array[:10])

    cut = {role: first(getattr(case, role)) for role in ("x", "scale", "zero_point", "result")}
    return replace(case, semantics={}, **cut)


def conventions(implementation: Implementation, profiles) -> dict[str, int]:
    """For each profile, how many codes an implementation gives otherwise where x / s is below 2^31. Empty if it
    refuses the inputs, or takes every field."""
    if implementation.profile is None:
        return {}
    case = convention_case()
    own = case.under(implementation.profile)
    try:
        implementation.prepare([own])
        actual = np.asarray(implementation.convert(own))
    except (Unsupported, NotImplementedError):
        return {}
    where = promised(case)
    return {
        profile: int((differs(actual, case.under(profile)) & where).sum()) for profile in profiles
    }


# --- one element ------------------------------------------------------------------------


def _differences(implementation, case: Case, actual, different):
    """For each kind of input, the shortest element that differs."""
    chosen: dict[str, tuple] = {}
    owners = case.owners
    for at in map(tuple, np.argwhere(different)):
        single = _single(case, at, owners[at])
        kind = _kind(single)
        length = sum(len(_spelled(o.array, o.type)) for o in single.operands)
        if kind not in chosen or length < chosen[kind][0]:
            chosen[kind] = (length, single, actual[at])
    for kind, (_, single, value) in chosen.items():
        alone = _alone(implementation, single)
        yield _difference(implementation.name, kind, single, value if alone is None else alone)


def _single(case: Case, at, owner) -> Case:
    """The conversion of one element by its parameters."""

    def pick(operand: Operand, index) -> Operand:
        return Operand(operand.type, operand.array[index].reshape(1))

    def parameter(operand: Operand) -> Operand:
        return Operand(operand.type, np.ravel(operand.array)[owner].reshape(()))

    return replace(
        case, x=pick(case.x, at), result=pick(case.result, at), scale=parameter(case.scale),
        zero_point=parameter(case.zero_point) if case.zero_point else None, axis=None, block_shape=None, defined=None,
    )  # fmt: skip


def _alone(implementation, single: Case):
    """What it makes of the element without its neighbours, if that differs too."""
    try:
        implementation.prepare([single])
        actual = np.asarray(implementation.convert(single))
        return actual[0] if differs(actual, single).any() else None
    except (Unsupported, NotImplementedError, ValueError):
        return None


def _kind(single: Case) -> str:
    """What is special about the input."""
    x, s = (float(o.array.astype(np.float64).reshape(())) for o in (single.x, single.scale))
    if single.operation == "dequantize":
        if not np.isfinite(s):
            return "special scale"
        if is_float(single.storage):
            return "codes of floats"
        return "codes of 32 bits" if single.storage.endswith("32") else "codes"
    with np.errstate(all="ignore"):
        r = np.float64(x) / np.float64(s)
    if np.isnan(x) or np.isnan(s):
        return "NaN"
    if np.isinf(x):
        return "infinity"
    if x == 0:
        return "zero"
    if not abs(r) < 2**31:
        return "quotient of 2^31 or more"
    if 0 < abs(x) < 2.0**-126 or 0 < abs(s) < 2.0**-126:
        return "subnormal"
    if is_float(single.storage):
        return "float codes"
    z = float(single.zero_point.array.astype(np.float64)) if single.zero_point else 0.0
    bits = int(single.storage.lstrip("sui"))
    low = 0 if single.storage.startswith("u") else -(2 ** (bits - 1))
    high = low + 2**bits - 1
    return "beyond the codes" if not low - 0.5 <= r + z <= high + 0.5 else "rounding"


def _difference(name: str, kind: str, single: Case, value) -> Difference:
    z = single.zero_point
    fields = single.fields
    return Difference(
        name, kind, single.operation,
        f"{single.x.type} to {single.result.type}" + ("" if single.scale.type == single.real else f" by {single.scale.type}"),
        _spelled(single.x.array, single.x.type), _spelled(single.scale.array, single.scale.type),
        _spelled(z.array, z.type) if z else "", _spelled(np.asarray(value), single.result.type),
        _spelled(single.result.array, single.result.type),
        ", ".join(f"{field} = {fields[field]}" for field in single.matters), f"{single.topic}/{single.name}",
    )  # fmt: skip


def _spelled(array: np.ndarray, element: str) -> str:
    """One value: the fewest digits that tell it apart in f32 and f64, exact in narrower types."""
    value = array.reshape(())[()]
    if not is_float(element):
        return str(int(value))
    if element == "f8E8M0FNU" and not np.isnan(value):
        return f"2^{int(np.log2(float(value)))}"
    text = str(value) if element in ("f32", "f64") else repr(float(value))
    return text.removesuffix(".0").replace("e+", "e")
