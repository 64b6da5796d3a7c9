# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that separate the conventions of quantization, and files of what a runtime made of them.

Needs NumPy only, so that it runs beside any runtime. The format is that of test/conformance/README.md.
"""

from __future__ import annotations

import json
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "conformance" / "profiles"

BOUNDS = {
    "i4": (-8, 7), "ui4": (0, 15), "i8": (-128, 127), "ui8": (0, 255), "i16": (-32768, 32767),
    "ui16": (0, 65535), "i32": (-(2**31), 2**31 - 1), "ui32": (0, 2**32 - 1),
}  # fmt: skip
INTEGER_DTYPES = {
    "i4": np.int8, "ui4": np.uint8, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16,
    "i32": np.int32, "ui32": np.uint32, "i64": np.int64,
}  # fmt: skip
#: A power of two; scales whose reciprocal is inexact; one below the usual, one above.
SCALES = (0.5, 0.1, 0.3, 0.007874016, 1 / 3, 3.0, 1.7e-4, 127.3, 0.0999, 0.021)
#: By type: near the smallest normal number; with a subnormal reciprocal; subnormal; with an infinite reciprocal.
ENDS = {
    "f32": (1.2e-38, 2e38, 5e-39, 1e-40), "bf16": (1.2e-38, 2e38, 5e-39, 1e-40), "f16": (6.2e-5, 6e4, 3e-5, 1e-6)
}  # fmt: skip


def round_bf16(values) -> np.ndarray:
    """To the nearest bfloat16, kept in float32. For finite values."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return (((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32)).view(np.float32)


def narrow(values, element: str) -> np.ndarray:
    """Values of `element`: float16 or float32 arrays; bfloat16 is kept in float32."""
    with np.errstate(over="ignore"):
        if element == "f16":
            return np.asarray(values).astype(np.float16)
        values = np.asarray(values).astype(np.float32)
    if element != "bf16":
        return values
    # The upper half of a NaN may be an infinity.
    values = np.where(np.isnan(values), np.float32(np.nan), values)
    return np.where(np.isfinite(values), round_bf16(values), values)


def scales(element: str = "f32", ends: bool = True) -> np.ndarray:
    """The four of `ENDS` come last."""
    return narrow([*SCALES, *(ENDS[element] if ends else ())], element)


def zero_points(rows: int, storage: str, seed: int = 0) -> np.ndarray:
    """Zero, one, both ends, and others."""
    low, high = BOUNDS[storage]
    named = [0, 1, low, high, high // 2, low // 2 + 3]
    drawn = np.random.default_rng(seed).integers(low, high, rows, endpoint=True)
    return np.array([*named, *drawn][:rows], INTEGER_DTYPES[storage])


def special(element: str) -> np.ndarray:
    largest, tiny, subnormal = {
        "f32": (3.4028235e38, 1.1754944e-38, 1e-45),
        "bf16": (3.3895314e38, 1.1754944e-38, 9.2e-41),
        "f16": (65504.0, 6.104e-5, 6e-8),
    }[element]
    values = [
        0.0,
        -0.0,
        np.nan,
        np.inf,
        -np.inf,
        largest,
        -largest,
        tiny,
        -tiny,
        subnormal,
        -subnormal,
    ]
    return np.array(values, np.float32)


def reals(
    scale: float, zero_point: int, storage: str, count: int, element: str, seed: int
) -> np.ndarray:
    """`count` inputs for one pair of parameters, specials first."""
    random = np.random.default_rng(seed)
    low, high = BOUNDS[storage]
    s = np.float32(scale)
    spread = min(high - low, 2**22)
    k = np.concatenate([random.integers(-12, 12, 12), random.integers(-spread, spread, 20)])
    k = np.concatenate(
        [k, [low - zero_point - 1, low - zero_point, high - zero_point, high - zero_point - 1]]
    )
    ties = narrow((k + 0.5) * float(s), element)
    near = [
        ties,
        nudge(ties, 1, element),
        nudge(ties, -1, element),
        narrow(k[::3] * float(s), element),
    ]
    beyond = np.array([2.0**e for e in (24, 30, 31, 33, 63)])
    beyond = narrow(np.concatenate([beyond, -beyond]) * float(s), element)
    parts = [
        narrow(special(element), element),
        separating(s, zero_point, low, high, element, random),
        *near,
        beyond,
    ]
    x = np.concatenate(parts)[:count]
    rest = random.uniform(
        low - zero_point - spread / 8, high - zero_point + spread / 8, count - x.size
    )
    return np.concatenate([x, narrow(rest * float(s), element)]).astype(x.dtype)


def nudge(values: np.ndarray, steps: int, element: str) -> np.ndarray:
    """The next value of `element`, in magnitude."""
    if element == "f16":
        return (values.view(np.uint16) + np.uint16(steps % 2**16)).view(np.float16)
    unit = 2**16 if element == "bf16" else 1
    return (values.view(np.uint32) + np.uint32(steps * unit % 2**32)).view(np.float32)


def separating(s, zero_point: int, low: int, high: int, element: str, random) -> np.ndarray:
    """Inputs on which two conventions give two codes: division or reciprocal, the sum fused or
    not, zero point before or after. At most 24 of each."""
    s, z = np.float32(s), np.float32(zero_point)
    reach = min(high - low, 2**22)
    k = random.integers(-reach, reach, 20000)
    x = narrow((k + 0.5) * float(s), element)
    x = random.permutation(
        np.unique(np.concatenate([x, nudge(x, 1, element), nudge(x, -1, element)]))
    )
    with np.errstate(all="ignore"):
        wide = x.astype(np.float32)
        exact, product = wide / s, wide * (np.float32(1) / s)
        fused = (wide.astype(np.float64) * np.float64(np.float32(1) / s) + np.float64(z)).astype(
            np.float32
        )
    codes = {
        "exact": np.rint(exact) + z, "reciprocal": np.rint(product) + z, "before": np.rint(exact + z),
        "reciprocal before": np.rint(product + z), "fused": np.rint(fused),
    }  # fmt: skip
    codes = {name: np.clip(code.astype(np.float64), low, high) for name, code in codes.items()}
    chosen = []
    for one, other in (
        ("exact", "reciprocal"), ("reciprocal before", "fused"), ("exact", "before"),
        ("reciprocal", "reciprocal before"), ("before", "reciprocal before"),
    ):  # fmt: skip
        chosen.append(x[codes[one] != codes[other]][:24])
    return np.concatenate(chosen)


def codes(storage: str, count: int, seed: int) -> np.ndarray:
    """All codes where they fit, else the ends and random ones."""
    low, high = BOUNDS[storage]
    if high - low < count:
        return np.resize(np.arange(low, high + 1), count).astype(INTEGER_DTYPES[storage])
    drawn = np.random.default_rng(seed).integers(low, high, count, endpoint=True)
    named = [low, low + 1, high - 1, high, 0, 1, min(high, 2**24 + 1)]
    return np.array([*named, *drawn][:count], INTEGER_DTYPES[storage])


class Recording:
    """The cases of one profile. Row r of x goes with scale r and zero point r (`axis` 0)."""

    def __init__(self, profile: str, script: str, packages: tuple[str, ...], **facts):
        self.profile = profile
        self.cases: list[dict] = []
        versions = {name: metadata.version(name) for name in packages}
        self.source = {"script": f"tools/record-vectors/{script}", "versions": versions}
        self.source |= {"machine": platform.machine(), **facts}

    def add(
        self,
        name: str,
        operation: str,
        x,
        scale,
        zero_point,
        result,
        *,
        agrees: str,
        how: str,
        **fields,
    ) -> None:
        """Each operand is (type, array). `agrees` is "everywhere", "finite": what the profile
        promises, or "differs": a difference that test/conformance/README.md lists; `how` says which call made the result; `fields` are others of the format."""
        case = {
            "name": name,
            "operation": operation,
            "profile": self.profile,
            "axis": 0,
            "agrees": agrees,
            "how": how,
        } | fields
        operands = {"x": x, "scale": scale, "zero_point": zero_point, "result": result}
        for role, operand in operands.items():
            if operand is None:
                continue
            element, array = operand
            path = f"{self.profile}/{name}.{role}.npy"
            case[role] = {"type": element, "file": path}
            (OUTPUT / self.profile).mkdir(parents=True, exist_ok=True)
            np.save(OUTPUT / path, stored(np.asarray(array), element))
        self.cases.append(case)

    def save(self) -> None:
        text = json.dumps({"source": self.source, "cases": self.cases}, indent=1)
        (OUTPUT / f"{self.profile}.json").write_text(text + "\n")
        print(f"{self.profile}: {len(self.cases)} cases")


def stored(array: np.ndarray, element: str) -> np.ndarray:
    """As the files hold it: bfloat16 (given in float32) as its 16 bits, integers in their dtype."""
    if element == "bf16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if element in INTEGER_DTYPES:
        return array.astype(INTEGER_DTYPES[element])
    return array.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[element])


def quantize_rows(
    storage: str,
    element: str = "f32",
    scale: str = "f32",
    ends: bool = True,
    count: int = 256,
    seed: int = 0,
):
    """x [rows, count] of type `element`, scale [rows] of type `scale`, zero point [rows]."""
    s = scales(scale, ends)
    z = zero_points(len(s), storage, seed)
    x = [reals(s[r], int(z[r]), storage, count, element, seed + r) for r in range(len(s))]
    return np.stack(x), s, z


def dequantize_rows(
    storage: str, scale: str = "f32", ends: bool = True, count: int = 256, seed: int = 0
):
    """Codes [rows, count], scale [rows] of type `scale`, zero point [rows]."""
    s = scales(scale, ends)
    z = zero_points(len(s), storage, seed)
    return np.stack([codes(storage, count, seed + r) for r in range(len(s))]), s, z
