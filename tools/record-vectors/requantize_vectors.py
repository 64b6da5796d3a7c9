# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accumulators and scales on which the kinds of rescaling differ, and files of what a runtime made of them.

Needs NumPy only, so that it runs beside any runtime.
"""

from __future__ import annotations

import json
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "conformance" / "requantize"
COUNT = 400


def scales():
    """sa, the scales sb of some channels, sy: powers of two and others, far apart."""
    sa, sy = np.float32(0.0234), np.float32(0.0617)
    M = [
        0.5,
        0.25,
        2.0**-7,
        1 / 3,
        1 / 6,
        0.0016187,
        0.99999,
        1e-4,
        3e-6,
        1e-9,
        0.0123,
        0.77,
        0.1,
        0.05,
    ]
    sb = (np.array(M) * np.float64(sy) / np.float64(sa)).astype(np.float32)
    return sa, sb, sy


def accumulators(M: float, storage: str, element: str, seed: int) -> np.ndarray:
    """Near ties of the codes, small ones, the ends of 32 bits, and random ones of every length."""
    random = np.random.default_rng(seed)
    reach = 2**15 if storage == "i16" else 140
    ties = np.rint((random.integers(-reach, reach, 150) + 0.5) / float(M))
    # LiteRT's product of a 64-bit accumulator passes through 32 bits, and wraps there.
    most = min(2**40, int(2**31 / float(M) * 0.99))
    low, high = (-(2**31), 2**31 - 1) if element == "i32" else (-most, most)
    named = [
        0,
        1,
        -1,
        2,
        -2,
        3,
        -3,
        low,
        high,
        low + 1,
        high - 1,
        2**24 + 1,
        -(2**24) - 1,
        2**30,
        -(2**30),
    ]
    drawn = random.integers(low, high, COUNT) >> random.integers(0, 31, COUNT)
    every = np.concatenate([ties + d for d in (-1, 0, 1)])[: COUNT * 3 // 4]
    return np.clip(np.concatenate([named, every, drawn])[:COUNT], low, high).astype(np.int64)


class Recording:
    """The cases of one runtime: acc [channels, n], sa, sb [channels], sy, zero point, codes like acc."""

    def __init__(self, runtime: str, script: str, packages: tuple[str, ...]):
        self.runtime, self.cases = runtime, []
        versions = {name: metadata.version(name) for name in packages}
        self.source = {"script": f"tools/record-vectors/{script}", "versions": versions}
        self.source |= {"machine": platform.machine()}

    def add(self, name, rescale, acc, sa, sb, sy, zero_point, codes, *, profile, how) -> None:
        """Each operand is an array; `acc` and `codes` are (type, array)."""
        OUTPUT.mkdir(parents=True, exist_ok=True)
        arrays = {"acc": acc[1].astype(np.int64), "sb": sb, "codes": codes[1]}
        np.savez_compressed(OUTPUT / f"{self.runtime}-{name}.npz", **arrays)
        case = {
            "name": name,
            "rescale": rescale,
            "profile": profile,
            "acc": acc[0],
            "codes": codes[0],
        }
        # Hexadecimal text holds the bits.
        case |= {
            "sa": float(sa).hex(),
            "sy": float(sy).hex(),
            "zero_point": int(zero_point),
            "how": how,
        }
        self.cases.append(case)

    def save(self) -> None:
        text = json.dumps({"source": self.source, "cases": self.cases}, indent=1)
        (OUTPUT / f"{self.runtime}.json").write_text(text + "\n")
        print(f"{self.runtime}: {len(self.cases)} cases")
