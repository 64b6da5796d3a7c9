# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the corpus: inputs that separate conventions, and results computed over exact rationals (exact.py).

    python test/conformance/generate.py [folder]

Needs NumPy, and nothing of this project. test/python/test_conformance.py regenerates and compares.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path

import numpy as np
import topics
from arrays import Array, key_of
from exact import Conversion, choose_params

FIELDS = (
    "rounding",
    "order",
    "division",
    "compute",
    "subtract",
    "overflow",
    "nan",
    "fusion",
    "float_overflow",
)


def parameter_index(shape, axis, block_shape):
    """For each element in row-major order, the linear index of its scale."""
    if axis is None and block_shape is None:
        return [0] * math.prod(shape)
    blocks = block_shape or [1 if d == axis % len(shape) else 0 for d in range(len(shape))]
    counts = [-(-size // block) if block else 1 for size, block in zip(shape, blocks)]
    indices = []
    for position in itertools.product(*map(range, shape)):
        linear = 0
        for p, block, count in zip(position, blocks, counts):
            linear = linear * count + (p // block if block else 0)
        indices.append(linear)
    return indices


def results(case: dict) -> Array:
    x, scale, zero_point = case["x"], case["scale"], case.get("zero_point")
    quantizes = case["operation"] == "quantize"
    conversion = Conversion(
        storage=case["result"] if quantizes else x.type,
        domain=case.get("domain", "stored"),
        clamp=tuple(case["clamp"]) if "clamp" in case else None,
        **case["semantics"],
    )
    values = []
    for value, index in zip(
        x.values, parameter_index(x.shape, case.get("axis"), case.get("block_shape"))
    ):
        z = zero_point.values[index] if zero_point else None
        if quantizes:
            values.append(conversion.quantize(value, scale.values[index], z))
        else:
            values.append(conversion.dequantize(value, scale.values[index], z, case["result"]))
    return Array.of(case["result"], x.shape, values)


def chosen_parameters(case: dict) -> dict[str, Array]:
    """Scale and zero point of each row."""
    x, (rows, width) = case["x"], case["x"].shape
    groups = [x.values[row * width : (row + 1) * width] for row in range(rows)]
    chosen = [choose_params(group, case["storage"], case["mode"], x.type) for group in groups]
    scales, zero_points = zip(*chosen)
    return {
        "scale": Array.of(x.type, rows, scales),
        "zero_point": Array.of(case["storage"], rows, zero_points),
    }


class Writer:
    """Cases of one topic: a manifest, and arrays that cases share where they are equal."""

    def __init__(self, folder: Path, topic: str):
        self.folder, self.topic = folder, topic
        self.files: dict[Array, str] = {}
        self.cases: list[dict] = []

    def add(self, case: dict) -> None:
        if case["operation"] == "choose_params":
            entry = {name: case[name] for name in ("name", "operation", "axis", "storage", "mode")}
            arrays = {"x": case["x"]} | chosen_parameters(case)
            self.cases.append(entry | self._entries(case["name"], arrays))
            return
        entry = {
            name: case[name]
            for name in ("name", "operation", "axis", "block_shape", "clamp", "domain")
            if name in case
        }
        entry["semantics"] = {name: case["semantics"][name] for name in FIELDS}
        arrays = {name: case[name] for name in ("x", "scale", "zero_point") if case.get(name)}
        self.cases.append(entry | self._entries(case["name"], arrays | {"result": results(case)}))

    def _entries(self, name: str, arrays: dict[str, Array]) -> dict:
        return {
            role: {"type": array.type, "file": self._file(array, f"{name}.{role}")}
            for role, array in arrays.items()
        }

    def _file(self, array: Array, name: str) -> str:
        key = Array(
            array.type,
            array.shape,
            tuple(key_of(v) if isinstance(v, float) else v for v in array.values),
        )
        if key not in self.files:
            self.files[key] = f"{self.topic}/{name}.npy"
            path = self.folder / self.files[key]
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, array.stored())
        return self.files[key]

    def save(self) -> None:
        text = json.dumps(
            {"source": {"script": "test/conformance/generate.py"}, "cases": self.cases}, indent=1
        )
        (self.folder / f"{self.topic}.json").write_text(text + "\n")


def write(folder: Path) -> None:
    for topic, cases in topics.all_topics():
        writer = Writer(folder, topic)
        for case in cases:
            writer.add(case)
        writer.save()
        print(f"{topic}: {len(writer.cases)} cases, {len(writer.files)} arrays")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("corpus"))
