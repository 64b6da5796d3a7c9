# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that a model names or brings along: read in bounded memory, and only from the model's own folder."""

from __future__ import annotations

import json
from pathlib import Path


def beside(model: Path, name: str) -> Path:
    """The file `name` of the folder of `model`; ValueError where it lies outside.

    Symbolic links are followed first. The folder is the model's own, or the one that the model itself is a link into:
    download caches keep all files of a model in one folder, and links to them in another.
    """
    try:
        found = (model.parent / name).resolve()
        homes = {model.parent.resolve(), model.resolve().parent}
    except RuntimeError:
        raise ValueError("is a symbolic link to itself") from None
    if not any(found.is_relative_to(home) for home in homes):
        raise ValueError(f"lies outside the folder of the model, at {found}")
    return found


def read_json(path: Path, limit: int):
    """The content of a file; FileNotFoundError where there is none, ValueError where it is no JSON."""
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}")
    size = path.stat().st_size
    if size > limit:
        raise ValueError(f"has {size} bytes, expected at most {limit}")
    try:
        return json.loads(path.read_bytes())
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as problem:
        raise ValueError(f"is no JSON: {problem}") from None
