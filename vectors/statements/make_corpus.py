# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the corpus: inputs that separate conventions, and results computed over exact rationals (exact.py).

    python statements/make_corpus.py [folder]

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
from exact import Conversion, choose_params, requantize

DATA = Path(__file__).resolve().parents[1] / "qdq_vectors" / "data" / "corpus"
#: The rules of docs/Semantics.md that each topic tests.
CLAUSES = {
    "roundings": ["Q1.1", "Q1.2", "Q2.4"],
    "divisions": ["Q1.3", "Q1.8", "Q2.3", "Q2.4"],
    "special-values": ["Q2.5", "Q1.7", "Q2.6"],
    "saturation": ["Q2.6", "Q1.6"],
    "compute-types": ["Q1.4", "Q2.1", "Q2.3"],
    "integers-and-biases": ["Q2.1", "Q2.2", "Q3.3"],
    "dequantize": ["Q3.1", "Q1.5", "Q3.2", "Q3.4"],
    "granularity": ["Q2.4", "Q3.1"],
    "scales-of-powers": ["Q2.3", "Q3.2", "Q8.2"],
    "float-storage": ["Q6.1", "Q6.2", "Q6.3", "Q6.4", "Q6.5"],
    "asymmetric": ["Q10.1", "Q10.2"],
    "symmetric": ["Q10.1", "Q10.2"],
    "dynamic": ["Q10.1", "Q10.2", "Q2.4"],
    "blocks": ["Q10.1", "Q10.3", "Q10.2"],
    "rescales": ["Q4.1", "Q4.2", "Q4.3", "Q4.4"],
    "orders": ["Q4.3", "Q1.2"],
    "wraps": ["Q4.3", "Q1.6"],
    "mx": ["Q10.1", "Q10.3", "Q6.1", "Q6.2", "Q6.3"],
    "nvfp4": ["V3", "V4", "Q10.1", "Q6.1"],
    "weights": ["V5"],
    "more-weights": ["V5"],
    "ggml-fields": ["V5"],
    "mx-halves": ["Q10.1", "Q10.3", "Q6.1", "Q6.2", "Q6.3"],
    "nvfp4-halves": ["V3", "Q6.1"],
}
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
    """Scale and zero point of each row, and the codes that they give of a dynamic quantize."""
    x, (rows, width) = case["x"], case["x"].shape
    groups = [x.values[row * width : (row + 1) * width] for row in range(rows)]
    scale_type = case.get("scale_type", x.type)
    chosen = [
        choose_params(
            group, case["storage"], case["mode"], x.type, scale_type, case.get("power_of_two")
        )
        for group in groups
    ]
    scales, zero_points = zip(*chosen)
    arrays = {"scale": Array.of(scale_type, rows, scales)}
    if zero_points[0] is not None:
        arrays["zero_point"] = Array.of(case["storage"], rows, zero_points)
    if case["operation"] == "choose_params":
        return arrays
    conversion = Conversion(storage=case["storage"], compute=scale_type)
    codes = [conversion.quantize(v, s, z) for group, (s, z) in zip(groups, chosen) for v in group]
    return {"codes": Array.of(case["storage"], x.shape, codes), **arrays}


def requantized(case: dict) -> Array:
    (channels, count), z = case["acc"].shape, case["zero_point"]
    codes = [
        requantize(
            acc, case["sa"].values[0], case["sb"].values[index // count], case["sy"].values[0], z and z.values[0],
            case["storage"], case["rescale"], **case["semantics"],
        )
        for index, acc in enumerate(case["acc"].values)
    ]  # fmt: skip
    return Array.of(case["storage"], (channels, count), codes)


def conversion_entry(case: dict) -> tuple[dict, dict[str, Array]]:
    names = ("name", "operation", "axis", "block_shape", "clamp", "domain")
    entry = {name: case[name] for name in names if name in case}
    entry["semantics"] = {name: case["semantics"][name] for name in FIELDS}
    arrays = {name: case[name] for name in ("x", "scale", "zero_point") if case.get(name)}
    return entry, arrays | {"result": results(case)}


class Writer:
    """Cases of one topic: a manifest, and arrays that cases share where they are equal."""

    def __init__(self, folder: Path, topic: str, script: str = "make_corpus.py"):
        self.folder, self.topic, self.script = folder, topic, script
        self.files: dict[Array, str] = {}
        self.cases: list[dict] = []

    def add(self, case: dict) -> None:
        if "result" in case:
            entry, arrays = conversion_entry(case)
        else:
            arrays = {name: case[name] for name in case if isinstance(case[name], Array)}
            entry = {
                name: case[name] for name in case if name not in arrays and case[name] is not None
            }
            if case["operation"] == "requantize":
                arrays |= {"result": requantized(case)}
            else:
                arrays |= chosen_parameters(case)
        self.cases.append(entry | self._entries(case["name"], arrays))

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
            {
                "source": {"script": f"statements/{self.script}"},
                "clauses": CLAUSES[self.topic],
                "cases": self.cases,
            },
            indent=1,
        )
        (self.folder / f"{self.topic}.json").write_text(text + "\n")


def write(folder: Path) -> None:
    for group, chosen in topics.all_topics().items():
        (folder / group).mkdir(parents=True, exist_ok=True)
        for topic, cases in chosen:
            writer = Writer(folder / group, topic)
            for case in cases:
                writer.add(case)
            writer.save()
            print(f"{topic}: {len(writer.cases)} cases, {len(writer.files)} arrays")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
