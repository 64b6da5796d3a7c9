# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The implementations that can be asked for by name, and a user's own by `module:attribute`."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import __version__, reference
from .cases import Case


@dataclass(frozen=True)
class Implementation:
    """`convert` makes an array of a case, or raises `Unsupported`. `profile` is what it is held to; None if it
    takes every field. `prepare` gets all cases before the first is converted."""

    name: str
    convert: Callable[[Case], np.ndarray]
    version: str = ""
    profile: str | None = None
    prepare: Callable[[list[Case]], None] = lambda cases: None


#: Name: what it is, and the package that it takes.
KNOWN = {
    "compiled": ("our lowering, compiled for this machine", "mlir"),
    "evaluator": ("our evaluator of constants", "mlir"),
    "reference": ("our NumPy reference", "numpy"),
    "onnx-reference": ("ONNX's reference evaluator", "onnx"),
    "onnxruntime": ("ONNX Runtime on CPU", "onnxruntime"),
    "lower-quant-ops": ("MLIR's own lowering of the quant dialect", "mlir"),
    "torch": ("PyTorch's quantized tensors", "torch"),
    "torch-decomposed": ("PyTorch's quantized_decomposed operations", "torch"),
    "litert": ("LiteRT with its default delegate, XNNPACK", "ai_edge_litert"),
    "litert-reference": ("LiteRT's reference kernels", "ai_edge_litert"),
    "iree": ("IREE on CPU, from StableHLO", "iree.compiler"),
}
_OURS = ("compiled", "evaluator", "reference")


class NotFound(Exception):
    """No such implementation, or it does not import here."""


def implementation(name: str) -> Implementation:
    """By its name, or `module:attribute`."""
    if ":" in name:
        return _users(name)
    if name not in KNOWN:
        near = difflib.get_close_matches(name, KNOWN, 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise NotFound(
            f"unknown implementation '{name}'{meant}: expected module:attribute or one of "
            f"{', '.join(KNOWN)}"
        )
    try:
        if KNOWN[name][1] == "mlir":
            importlib.import_module("mlir.ir")
        if name in _OURS:
            return _ours(name)
        module = importlib.import_module(f".systems.{name.replace('-', '_')}", __package__)
    except ImportError as error:
        raise NotFound(f"{name} needs the package {KNOWN[name][1]}: {error}") from None
    prepare = getattr(module, "prepare", lambda cases: None)
    return Implementation(name, module.convert, module.VERSION, module.PROFILE, prepare)


def available() -> list[str]:
    """Names whose packages import."""
    names = []
    for name in KNOWN:
        try:
            implementation(name)
        except NotFound:
            continue
        names.append(name)
    return names


def _ours(name: str) -> Implementation:
    from . import ours

    version = f"mlir-qdq {__version__}"
    if name == "compiled":
        compiled = ours.Compiled()
        return Implementation(name, compiled, version, prepare=compiled.prepare)
    return Implementation(name, getattr(ours, f"by_{name}"), version)


def _users(name: str) -> Implementation:
    module_name, _, attribute = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        target = importlib.import_module(module_name)
    except Exception as error:  # whatever the module does when it is imported
        raise NotFound(f"{name}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(os.getcwd())
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise NotFound(f"{name}: {module_name} has no {attribute}")
        target = getattr(target, part)
    if isinstance(target, type):
        target = target()
    if not callable(target):
        raise NotFound(f"{name}: {attribute} is not callable")
    profile = getattr(target, "profile", None)
    if profile is not None and profile not in reference.PROFILES:
        raise NotFound(f"{name}: unknown profile '{profile}'")
    prepare = getattr(target, "prepare", lambda cases: None)
    return Implementation(
        name, target, str(getattr(target, "version", "")), profile, prepare
    )  # fmt: skip
