# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of importers: names in messages, and files beside a model, read only from the model's own folder."""

from __future__ import annotations

import json
import os
from pathlib import Path


def called(name: str) -> str:
    """A name of a file in a message: a damaged one may be as long as the file."""
    return f"'{name}'" if len(name) <= 200 else f"'{name[:197]}...'"


def shown(path: str | os.PathLike) -> str:
    """A path in a location, which is UTF-8, as names of files need not be."""
    return os.fspath(path).encode(errors="replace").decode()


def beside(folder: Path, name: str, model: Path | None = None) -> Path:
    """The file `name` of a model's folder; ValueError where it lies outside.

    Symbolic links are followed first. What `model` itself is a link into is its folder too: download caches keep all
    files of a model in one folder, and links to them in another.
    """
    try:
        found = (folder / name).resolve()
        homes = {folder.resolve(), *([model.resolve().parent] if model else [])}
    except (OSError, RuntimeError):
        raise ValueError("is a symbolic link in a circle") from None
    if not any(found.is_relative_to(home) for home in homes):
        raise ValueError(f"lies outside the folder of the model, at {found}")
    return found


def size_of(path: Path) -> int:
    """In bytes; ValueError for a pipe or a device, which has none."""
    if path.exists() and not path.is_file():
        raise ValueError("is no regular file")
    return path.stat().st_size


def read_json(path: Path, limit: int):
    """The content of a file; FileNotFoundError where there is none, ValueError where it is no JSON."""
    if not path.exists():
        raise FileNotFoundError(f"no file {path}")
    size = size_of(path)
    if size > limit:
        raise ValueError(f"has {size} bytes, expected at most {limit}")
    try:
        return json.loads(path.read_bytes())
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as problem:
        raise ValueError(f"is no JSON: {problem}") from None
