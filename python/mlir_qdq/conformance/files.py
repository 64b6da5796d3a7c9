# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the vectors. vectors/README.md is the format of the corpus, test/conformance/README.md that of profiles."""

from __future__ import annotations

import functools
import io
import json
import tarfile
from pathlib import Path

import numpy as np

from .case import Case, Operand, dtype_of, is_float
from .choose_params import ChooseParams
from .conversions import Conversion
from .requantize import Requantize
from ..reference import PROFILES

#: `corpus` of vectors/ and `profiles` of test/conformance: links in a build, corpus.tar.xz and profiles.tar.xz in a wheel.
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
    return _manifests(folder_of(group))


def recorded() -> list[str]:
    """The profiles whose runtimes have been recorded."""
    return _manifests("profiles")


@functools.cache
def _archive(path: Path) -> dict[str, bytes]:
    """The files of an archive of a wheel, by their path in it."""
    with tarfile.open(path) as archive:
        return {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}


def _archive_of(path: str) -> dict[str, bytes] | None:
    """The archive that holds a path below `VECTORS`; None in a build, which has the folder itself."""
    root = path.partition("/")[0]
    return None if (VECTORS / root).is_dir() else _archive(VECTORS / f"{root}.tar.xz")


def _manifests(folder: str) -> list[str]:
    archive = _archive_of(folder)
    files = (
        [f"{folder}/{f.name}" for f in (VECTORS / folder).iterdir()] if archive is None else archive
    )
    return sorted(p.stem for p in map(Path, files) if p.match(f"{folder}/*.json"))


def _read(path: str) -> bytes:
    archive = _archive_of(path)
    return (VECTORS / path).read_bytes() if archive is None else archive[path]


def load(manifest: str) -> list[Case]:
    """The cases of one manifest, by its path below `VECTORS`; files become operands."""
    path = Path(manifest)
    cases = []
    for entry in json.loads(_read(manifest))["cases"]:
        kind = next(k for k in GROUPS.values() if entry["operation"] in k.OPERATIONS)
        for role in (*kind.OPERANDS, *kind.RESULTS):
            if role in entry:
                element, file = entry[role]["type"], entry[role]["file"]
                entry[role] = Operand(
                    element, _typed(np.load(io.BytesIO(_read(f"{path.parent}/{file}"))), element)
                )
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
