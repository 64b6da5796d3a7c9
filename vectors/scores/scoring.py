# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks one system, in the environment that has it, and records where it leaves the vectors.

    python scoring.py ml_dtypes        writes results/ml_dtypes.json

A system is a module in systems/: PACKAGES, version() and operations(). Of each operation the rules
with the fewest differing results are found; what remains is a difference from every rule.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import qdq_vectors as vectors  # noqa: E402
from qdq_vectors.arrays import bits_of  # noqa: E402
from qdq_vectors.case import Case  # noqa: E402
from qdq_vectors.casts import Cast  # noqa: E402
from qdq_vectors.formats import SOURCES, TYPES  # noqa: E402

RESULTS = HERE / "results"


@dataclass(frozen=True)
class Operation:
    """`convert` is what a case takes: from an array of inputs to codes, or from a case of arrays to its results."""

    name: str
    convert: Callable
    cases: tuple[Case, ...]


def cast(source: str, to: str, convert: Callable, note: str = "") -> Operation:
    """Inputs are of float32 or float16; of bf16 and of codes they are bits."""
    name = f"{source} to {to}" + f", {note}" * bool(note)
    return Operation(name, convert, tuple(vectors.cases("cast", source=source, to=to)))


def arrays(name: str, operation: str, convert: Callable, **choices) -> Operation:
    return Operation(name, convert, tuple(vectors.cases(operation, **choices)))


def by_rows(convert: Callable) -> Callable:
    """A case whose rows have a scale and a zero point each; `convert` takes one row, these, and the type of the
    codes."""

    def of_case(case):
        codes = case.x if case.operation == "dequantize" else case.result
        zeros = case.zero_point.array if case.zero_point else np.zeros(len(case.scale.array), int)
        rows = zip(case.x.array, case.scale.array, zeros)
        return np.stack([convert(x, s, int(z), codes.type) for x, s, z in rows])

    return of_case


def zero_points(
    quantize: Callable,
    dequantize: Callable,
    types: Iterable[str] = ("i8", "ui8"),
    note: str = "",
) -> Iterator[Operation]:
    """Quantize and dequantize of f32 with integer zero points, by topic."""
    for topic, storage in itertools.product(("roundings", "divisions", "special-values"), types):
        found = [
            case
            for case in vectors.cases(
                "quantize",
                topic=topic,
                x="f32",
                scale="f32",
                zero_point=storage,
                storage=storage,
            )
            if not case.choices.get("clamp")
        ]
        # One set of inputs under each rule.
        first = found and found[0].x.array.tobytes()
        same = tuple(case for case in found if case.x.array.tobytes() == first)
        if same:
            name = f"quantize f32 to {storage}, {topic}" + f", {note}" * bool(note)
            yield Operation(name, by_rows(quantize), same)
    for storage in types:
        found = vectors.cases(
            "dequantize",
            topic="dequantize",
            x=storage,
            scale="f32",
            zero_point=storage,
            result="f32",
        )
        name = f"dequantize {storage} to f32" + f", {note}" * bool(note)
        yield Operation(name, by_rows(dequantize), tuple(found))


def requantizes(
    convert: Callable,
    types: Iterable[str] = ("i8", "ui8"),
    note: str = "",
    topics: Iterable[str] = ("rescales", "orders"),
) -> Iterator[Operation]:
    """Accumulators to codes: convert(acc, sa, sb, sy, zero_point, type), with a scale sb for each accumulator.
    `orders` has no fixed-point kinds."""
    known: dict[tuple, np.ndarray] = {}

    def of_case(case):
        acc, sa, sb, sy = (getattr(case, name).array for name in ("acc", "sa", "sb", "sy"))
        z, storage = int(case.zero_point.array), case.result.type
        key = acc.tobytes(), sa.tobytes(), sb.tobytes(), sy.tobytes(), z, storage
        if key not in known:
            spread_sb = np.repeat(sb, acc.shape[1])
            found = convert(acc.ravel(), np.float32(sa), spread_sb, np.float32(sy), z, storage)
            known[key] = np.asarray(found).reshape(acc.shape)
        return known[key]

    for topic, storage in itertools.product(topics, types):
        cases = tuple(
            case
            for case in vectors.cases("requantize", topic=topic, storage=storage, acc="i32")
            if case.zero_point
        )
        if cases:
            name = f"requantize i32 to {storage}, {topic}" + f", {note}" * bool(note)
            yield Operation(name, of_case, cases)


def versions(*packages: str) -> str:
    return ", ".join(f"{name} {metadata.version(name)}" for name in packages)


def through_dtypes(
    convert: Callable,
    storages: dict[str, object],
    sources: dict[str, object],
    note: str = "",
) -> Iterator[Operation]:
    """Casts both ways of a library whose arrays NumPy can view; convert(x, from, to) takes its names of types."""
    for (source, a), (to, b) in itertools.product(sources.items(), storages.items()):
        yield cast(source, to, lambda x, a=a, b=b: convert(x, a, b), note)
        if to.startswith("f"):
            yield cast(to, source, lambda x, a=a, b=b: convert(x, b, a), note)


def codes_of(storage: str, values: np.ndarray) -> np.ndarray:
    """The codes of values of f32 that a type holds, for systems that show values only."""
    type = TYPES[storage]
    if not type.is_float:
        return values.astype(np.int64).astype(np.uint8)
    table = {}
    for code in reversed(range(1 << type.bits)):
        value = np.float32(type.value(code))
        table["nan" if np.isnan(value) else value.tobytes()] = code
    keys = ("nan" if np.isnan(v) else v.tobytes() for v in values.astype(np.float32))
    return np.array([table[key] for key in keys], np.uint8)


# --- scores -------------------------------------------------------------------------------


@dataclass
class Compared:
    """Results of one case. `kinds` names the kind of input of each differing result."""

    case: Case
    size: int
    kinds: Counter
    explain: Callable[[str], str]


def compare_cast(case: Cast, results: np.ndarray) -> Compared:
    """`results` are canonical."""
    wrong = case.patterns[results != case.expected]
    given = results[results != case.expected]
    kinds = np.array([kind_of(case, int(pattern)) for pattern in wrong])

    def explain(kind: str) -> str:
        return case.compare(wrong[kinds == kind], given[kinds == kind]).shortest

    return Compared(case, len(case.patterns), Counter(kinds.tolist()), explain)


def kind_of(case: Cast, pattern: int) -> str:
    value = case.source_type.value(pattern)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "infinity"
    if case.type.is_float and value and math.isfinite(value):
        largest = case.type.value(case.type.largest)
        if not case.type.signed and value < 0:
            return "negative"
        if case.to not in SOURCES and abs(value) > largest:
            return "beyond the largest"
    if not case.type.is_float and not case.type.lowest <= value <= case.type.highest:
        return "beyond the codes"
    return "value" if value else "zero"


def compare_arrays(case, returned) -> Compared:
    if not isinstance(returned, dict):
        returned = dict(zip(case.results, returned if isinstance(returned, tuple) else (returned,)))
    masks = {}
    for name, expected in case.results.items():
        given = returned[name] = np.asarray(returned[name])
        if given.shape != expected.array.shape:
            raise ValueError(f"{name} of shape {given.shape}, expected {expected.array.shape}")
        masks[name] = bits_of(given, expected.type) != bits_of(expected.array, expected.type)
    inputs = kinds_of_inputs(case)
    kinds: Counter = Counter()
    for mask in masks.values():
        kinds.update(np.broadcast_to(spread(inputs, mask), mask.shape)[mask].tolist())

    def explain(kind: str) -> str:
        masked = {}
        for name, expected in case.results.items():
            mask = masks[name] & (spread(inputs, masks[name]) == kind)
            width = expected.array.dtype
            given = returned[name]
            given = given.view(width) if given.itemsize == width.itemsize else given.astype(width)
            masked[name] = np.where(mask, given, expected.array)
        text = case.difference(lambda _: masked).shortest
        return f"{text}\n  of a block with {kind}" if inputs.ndim == 1 and kind in SPECIAL else text

    size = sum(mask.size for mask in masks.values())
    return Compared(case, size, kinds, explain)


SPECIAL = ("NaN", "infinity", "zeros alone")


def kinds_of_inputs(case) -> np.ndarray:
    """Of quantize what each element is; of an operation on blocks what is in each row."""
    shape = next(iter(case.results.values())).array.shape
    if case.operation not in ("quantize", "block_quantize", "choose_params"):
        return np.full(shape[0], "value")
    x = case.x.array.astype(np.float64)
    found = [np.isnan(x), np.isinf(x)]
    if case.operation == "quantize":
        return np.select(found, SPECIAL[:2], "value")
    return np.select([*(each.any(1) for each in found), (x == 0).all(1)], SPECIAL, "value")


def spread(inputs: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Kinds of rows beside a result of more dimensions."""
    return inputs.reshape(inputs.shape + (1,) * (mask.ndim - inputs.ndim))


def by_rules(operation: Operation) -> Iterator[tuple[dict, list[Compared]]]:
    """The rules of its cases, and what each of these cases found."""
    if all(isinstance(case, Cast) for case in operation.cases):
        first = operation.cases[0]
        results = operation.convert(first.x.copy())
        results = first.canonical(results, len(first.patterns))
        # Counts first: kinds are asked for where they matter.
        counts = [np.count_nonzero(results != case.expected) for case in operation.cases]
        for case, count in zip(operation.cases, counts):
            if count == min(counts):
                yield case.fields, [compare_cast(case, results)]
        return
    groups: dict[str, tuple[dict, list]] = {}
    for case, rules in zip(operation.cases, varying([case.choices for case in operation.cases])):
        found = groups.setdefault(json.dumps(rules, sort_keys=True), (rules, []))
        found[1].append(compare_arrays(case, operation.convert(case)))
    yield from groups.values()


def varying(choices: list[dict]) -> list[dict]:
    """Of each the choices that are not the same in all."""
    keys = dict.fromkeys(key for each in choices for key in each)
    keys = [key for key in keys if len({str(each.get(key)) for each in choices}) > 1]
    return [{key: each[key] for key in keys if key in each} for each in choices]


#: What `Difference` says: the operands, what was given and what was expected.
_CAST = re.compile(r"  x = (\S+ \(.*?\)) gives (.*?), expected (.*)")
_ARRAY = re.compile(r"  (\w+\[.*?\]) is (.*?), expected (.*)")


def shorten(operand: str) -> str:
    """The different values of a row, in the place of all."""
    name, _, row = operand.partition(" = [")
    values = dict.fromkeys(row.rstrip("]").split(", "))
    return f"{name} of {', '.join(values)}" if row else operand


def spell(text: str) -> dict:
    clauses = re.findall(r"(?m)^  ([QV][\d.]+):", text)
    found = _CAST.search(text)
    if found:
        words = {"input": found[1], "gives": found[2], "expected": found[3]}
    else:
        found = _ARRAY.search(text)
        operands = [shorten(line.strip()) for line in text[: found.start()].splitlines() if line]
        block = re.search(r"(?m)^  of (a block with .*)", text)
        operands += [f"in {block[1]}"] if block else []
        words = {
            "input": ", ".join(operands),
            "gives": f"{found[1].split('[')[0]} {found[2]}",
            "expected": found[3],
        }
    return words | {"clauses": clauses}


def score(operation: Operation) -> dict:
    """The rules with the fewest differing results, numbers before others, and the shortest input of each kind
    that differs."""
    best, agreeing = None, 0
    for rules, found in by_rules(operation):
        kinds = sum((each.kinds for each in found), Counter())
        differing = kinds.total()
        agreeing += differing == 0
        order = differing - kinds["NaN"] - kinds["infinity"], differing
        if best is None or order < best[0]:
            best = order, rules, found, kinds
    _, rules, found, kinds = best
    row = {
        "operation": operation.name,
        "rules": rules,
        "compared": sum(each.size for each in found),
        "differing": kinds.total(),
    }
    if agreeing > 1:
        row["rules_that_agree"] = agreeing
    row["differences"] = [
        {"kind": kind, "differing": kinds[kind]}
        | spell(next(each for each in found if each.kinds[kind]).explain(kind))
        for kind in sorted(kinds)
    ]
    return row


def ask(operations: Iterable[Operation]) -> Iterator[dict]:
    for operation in operations:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                row = score(operation)
        except Exception as error:
            print(
                f"  {operation.name}: {type(error).__name__}: {error}"[:300],
                file=sys.stderr,
            )
            continue
        print(
            f"  {row['operation']}: {row['differing']} of {row['compared']}",
            file=sys.stderr,
        )
        yield row


def main(names: list[str]) -> None:
    for name in names:
        system = importlib.import_module(f"systems.{name}")
        print(f"{name}: {system.version()}", file=sys.stderr)
        rows = list(ask(system.operations()))
        record = {"system": name, "version": system.version(), "rows": rows}
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(
            json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
