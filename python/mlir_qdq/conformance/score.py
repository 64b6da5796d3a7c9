# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An implementation's results on the vectors, and the shortest input with another result."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..reference import PROFILES, RESCALES
from .case import Case, Operand, Unsupported, is_float, spaced, spelled
from .conversions import Conversion
from .files import corpus, load, recorded
from .requantize import Requantize
from .implementations import Implementation


@dataclass(frozen=True)
class Difference:
    """One element of one result that comes out otherwise; `case` has it, and `operands` are those of a case that
    shows it alone, where one does."""

    implementation: str
    kind: str
    operation: str
    types: str
    operands: dict[str, str]
    #: Which result, where a case may have several.
    of: str
    result: str
    expected: str
    semantics: str
    case: str

    @property
    def length(self) -> tuple[int, str]:
        words = (*self.operands.values(), self.types, self.semantics)
        return sum(map(len, words)), self.case


#: The choices that an implementation without a profile is held to.
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

    def add(self, different: dict[str, np.ndarray], compared: int) -> None:
        self.taken += 1
        self.values += compared
        differing = sum(int(where.sum()) for where in different.values())
        self.equal += not differing
        self.differing += differing


@dataclass
class Score:
    implementation: str
    version: str
    held_to: str
    group: str = "conversions"
    total: Tally = field(default_factory=Tally)
    topics: dict[str, Tally] = field(default_factory=dict)
    #: Reason: cases.
    refused: dict[str, int] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    #: Profile, or kind of rescaling: in how many of the inputs of `convention_case` another code comes out.
    conventions: dict[str, int] = field(default_factory=dict)


def score(
    implementation: Implementation, *, profile: str | None = None, vectors: str = "corpus", topics=()
) -> Score:  # fmt: skip
    """Runs all cases. `profile`: hold it to that one, instead of what the implementation names; `vectors`: "corpus",
    or a profile whose runtime was recorded."""
    if vectors == "corpus":
        profile = profile or implementation.profile
        cases, held_to = corpus(profile, implementation.group), profile or EVERY_FIELD
    elif vectors in recorded():
        cases, held_to = load(f"profiles/{vectors}.json"), f"recorded {vectors}"
    else:
        expected = ", ".join(["corpus", *recorded()])
        raise ValueError(f"unknown vectors '{vectors}': expected one of {expected}")
    if vectors != "corpus" and implementation.group != "conversions":
        raise ValueError(f"what runtimes gave is of conversions, not of {implementation.group}")
    known = sorted({case.topic for case in cases})
    if unknown := sorted(set(topics) - set(known)):
        raise ValueError(f"unknown topic '{unknown[0]}': expected one of {', '.join(known)}")
    cases = [case for case in cases if not topics or case.topic in topics]
    result = Score(implementation.name, implementation.version, held_to, implementation.group)
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
            actual = _arrays(implementation, case)
        except (Unsupported, NotImplementedError) as reason:
            result.refused[str(reason)] = result.refused.get(str(reason), 0) + 1
            continue
        except Exception as error:
            where = f"{implementation.name} on {case.where}"
            raise Failed(f"{where}: {type(error).__name__}: {error}") from error
        different, values = _different(case, actual), case.compared()
        for tally in tallies:
            tally.add(different, sum(int(where.sum()) for where in values.values()))
        for found in _differences(implementation, case, actual, different):
            key = (found.operation, found.of, is_float(case.storage), found.kind)
            if key not in shortest or found.length < shortest[key].length:
                shortest[key] = found
    result.differences = sorted(shortest.values(), key=lambda d: (d.operation, d.of, d.length))
    return result


def _arrays(implementation: Implementation, case: Case) -> dict[str, np.ndarray]:
    """By the names of the results."""
    actual = implementation.convert(case)
    arrays = actual if isinstance(actual, tuple) else (actual,)
    arrays = tuple(np.asarray(array) for array in arrays)
    case.different(arrays)  # says what has another type or shape
    return dict(zip(case.results, arrays))


def _different(case: Case, actual: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of the elements that count."""
    compared = case.compared()
    different = case.different(tuple(actual.values()))
    return {name: where & compared[name] for name, where in different.items()}


def convention_case() -> Conversion:
    """Quantize f32 to i8, near ties that separate division, order and fusion: ten pairs of parameters."""
    (case,) = [c for c in load("profiles/onnx.json") if c.name == "quantize-i8-f32"]

    def first(operand: Operand) -> Operand:
        return Operand(operand.type, operand.array[:10])

    cut = {role: first(getattr(case, role)) for role in ("x", "scale", "zero_point", "result")}
    return replace(case, semantics={}, **cut)


def rescale_case(storage: str) -> Requantize:
    """Sums of 64 products of codes, which every system can be given. Codes of i8 and ui8 are 128 apart."""
    cases = load("corpus/requantize/rescales.json")
    return next(case for case in cases if case.name == f"exact-{storage}-sums")


def conventions(implementation: Implementation) -> dict[str, int]:
    """For each profile (of a requantize: for each kind), how many codes an implementation gives otherwise, where
    x / s is below 2^31. Empty if it refuses the inputs, or takes every field."""
    if implementation.profile is None or implementation.group == "choose-params":
        return {}
    if implementation.group == "conversions":
        case = convention_case()
        return _otherwise(implementation, case, {name: case.under(name) for name in PROFILES})
    for storage in ("i8", "ui8"):
        sums = rescale_case(storage)
        if found := _otherwise(
            implementation, sums, {name: sums.as_rescale(name) for name in RESCALES}
        ):
            return found
    return {}


def _otherwise(implementation: Implementation, case: Case, others) -> dict[str, int]:
    own = case.under(implementation.profile)
    try:
        implementation.prepare([own])
        actual = _arrays(implementation, own)["result"]
    except (Unsupported, NotImplementedError):
        return {}
    where = case.compared()["result"]
    return {
        name: int((other.different(actual)["result"] & other.compared()["result"] & where).sum())
        for name, other in others.items()
    }


# --- one element ------------------------------------------------------------------------


def _differences(implementation, case: Case, actual, different):
    """For each result and kind of input, the shortest element that differs."""
    chosen: dict[tuple[str, str], tuple] = {}
    for name, where in case.causes(different).items():
        for at in map(tuple, np.argwhere(where)):
            single = case.single(name, at)
            key, value = (name, single.kind), actual[name][at]
            if key not in chosen or single.length < chosen[key][0]:
                chosen[key] = (single.length, single, value, case.results[name].array[at])
    for (name, kind), (_, single, value, expected) in chosen.items():
        alone = _alone(implementation, single, name)
        if alone:
            single, value, expected = _shortest(implementation, single, name, alone)
        yield _difference(implementation.name, kind, single, name, value, expected)


def _alone(implementation, single: Case, name: str):
    """(single, given, expected): what it makes of a case without its neighbours, if that differs too."""
    try:
        implementation.prepare([single])
        actual = _arrays(implementation, single)
        places = np.argwhere(single.causes(_different(single, actual))[name])
        if not len(places):
            return None
        at = tuple(places[0])
        return single, actual[name][at], single.results[name].array[at]
    except (Unsupported, NotImplementedError, ValueError):
        return None


def _shortest(implementation, single: Case, name: str, found):
    """The same kind of difference from fewer inputs, as long as leaving one out keeps it."""
    for shorter in single.shorter():
        if shorter.kind == single.kind and (alone := _alone(implementation, shorter, name)):
            return _shortest(implementation, shorter, name, alone)
    return found


def _difference(name: str, kind: str, single: Case, of: str, value, expected) -> Difference:
    element = single.results[of].type
    return Difference(
        name, kind, single.operation, single.types, single.spelled(), spaced(of),
        *(spelled(np.asarray(v), element) for v in (value, expected)), single.stated_as, single.where,
    )  # fmt: skip
