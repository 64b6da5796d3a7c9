# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the vectors. vectors/README.md is the format of the corpus, test/conformance/README.md that of profiles."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from .case import Case, Operand, dtype_of, is_float
from .choose_params import ChooseParams
from .conversions import Conversion
from .requantize import Requantize
from ..reference import PROFILES

#: `corpus` of vectors/ and `profiles` of test/conformance, which the build links here and a wheel holds.
VECTORS = Path(__file__).with_name("vectors")

#: Groups that implementations may offer, with vectors and scores of their own, and the kind of case of each.
GROUPS: dict[str, type[Case]] = {
    "conversions": Conversion,
    "choose-params": ChooseParams,
    "requantize": Requantize,
}


def folder_of(group: str) -> str:
    """Where the manifests of a group's topics are."""
    return "corpus" if group == "conversions" else f"corpus/{group}"


def topics(group: str = "conversions") -> list[str]:
    """Of the corpus."""
    return sorted(path.stem for path in (VECTORS / folder_of(group)).glob("*.json"))


def recorded() -> list[str]:
    """The profiles whose runtimes have been recorded."""
    return sorted(path.stem for path in (VECTORS / "profiles").glob("*.json"))


def load(manifest: str) -> list[Case]:
    """The cases of one manifest, by its path below `VECTORS`; files become operands."""
    path = VECTORS / manifest
    cases = []
    for entry in json.loads(path.read_text())["cases"]:
        kind = next(k for k in GROUPS.values() if entry["operation"] in k.OPERATIONS)
        for role in (*kind.OPERANDS, *kind.RESULTS):
            if role in entry:
                element, file = entry[role]["type"], entry[role]["file"]
                entry[role] = Operand(element, _typed(np.load(path.parent / file), element))
        cases.append(kind.of_entry(entry, path.stem))
    return cases


def _typed(array: np.ndarray, element: str) -> np.ndarray:
    """From what the file holds: integers as their value, floats unknown to NumPy as their bits."""
    dtype = dtype_of(element)
    if array.dtype == dtype or array.dtype.kind == "i" or not is_float(element):
        return array.astype(dtype)
    return array.view(dtype)


def corpus(profile: str | None = None, group: str = "conversions") -> list[Case]:
    """Every case of a group: each with all its choices, and results by exact rationals. With a profile: its
    different inputs, each once, and what that profile makes of them."""
    if group not in GROUPS:
        raise ValueError(f"unknown group '{group}': expected one of {', '.join(GROUPS)}")
    manifests = [f"{folder_of(group)}/{topic}.json" for topic in topics(group)]
    cases = [case for manifest in manifests for case in load(manifest)]
    if profile is None:
        return cases
    if profile not in PROFILES:
        raise ValueError(f"unknown profile '{profile}': expected one of {', '.join(PROFILES)}")
    chosen: dict = {}
    for case in cases:
        arrays = ((o.type, o.array.shape, o.array.tobytes()) for o in case.operands)
        chosen.setdefault((*case.asked, *arrays), case)
    return [case.under(profile) for case in chosen.values()]
