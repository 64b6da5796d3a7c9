# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fields of `#qdq.semantics` and the profiles that name bundles of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from types import MappingProxyType

from .rounding import ROUNDING_MODES
from .types import EXPRESSED, F32, F64, FloatType

# The values of each field, the default first.
FIELD_VALUES = MappingProxyType(
    {
        "rounding": ROUNDING_MODES,
        "order": ("round-then-add", "add-then-round"),
        "division": ("exact", "reciprocal"),
        "compute": ("auto", "f16", "bf16", "f32", "f64"),
        "subtract": ("wide", "wrap32", "float", "output"),
        "overflow": ("saturate", "wrap", "undefined"),
        "nan": ("lowest", "zero-point", "highest", "zero", "undefined"),
        "fusion": ("none", "fma"),
        "float_overflow": ("saturate", "ieee"),
    }
)


@dataclass(frozen=True)
class Semantics:
    """Choices of a conversion. None is a field left open, for a profile or the default to fill."""

    rounding: str | None = None
    order: str | None = None
    division: str | None = None
    compute: str | None = None
    subtract: str | None = None
    overflow: str | None = None
    nan: str | None = None
    fusion: str | None = None
    float_overflow: str | None = None

    def __post_init__(self):
        for name, values in FIELD_VALUES.items():
            given = getattr(self, name)
            if given is None:
                continue
            # Generated enumerations print their spelling, others have it as value.
            value = str(given)
            if isinstance(given, Enum) and value not in values:
                value = str(given.value)
            value = value.replace("_", "-")
            if value not in values:
                raise ValueError(f"{name} = {given}: expected one of {', '.join(values)}")
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, semantics) -> Semantics:
        """From None, a `Semantics`, a mapping, or anything that prints as `#qdq.semantics<...>`."""
        if semantics is None:
            return cls()
        if isinstance(semantics, cls):
            return semantics
        stated = semantics if isinstance(semantics, Mapping) else _parse(str(semantics))
        stated = {str(key).replace("-", "_"): value for key, value in stated.items()}
        unknown = [key for key in stated if key not in FIELD_VALUES]
        if unknown:
            raise ValueError(
                f"unknown semantics field {unknown[0]}: expected one of {', '.join(FIELD_VALUES)}"
            )
        return cls(**stated)

    def over(self, base: Semantics) -> Semantics:
        """These fields, and those of `base` where this leaves them open."""
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        return Semantics(
            **{
                name: getattr(base, name) if value is None else value
                for name, value in mine.items()
            }
        )


def _parse(text: str) -> dict[str, str]:
    """The stated fields of `#qdq.semantics<rounding = floor, nan = zero>`."""
    attribute = re.fullmatch(r"\s*#qdq\.semantics\s*(?:<([^<>]*)>)?\s*", text)
    if not attribute:
        raise ValueError(f"'{text}' is not a #qdq.semantics<...> attribute")
    stated = {}
    for entry in filter(None, (part.strip() for part in (attribute[1] or "").split(","))):
        field = re.fullmatch(r'([\w-]+)\s*=\s*"?([\w-]+)"?', entry)
        if not field:
            raise ValueError(f"'{entry}' in '{text}' is not `field = value`")
        stated[field[1]] = field[2]
    return stated


DEFAULT = Semantics(**{name: values[0] for name, values in FIELD_VALUES.items()})


@dataclass(frozen=True)
class Profile:
    """The convention of one system. The compute rules are `auto`, a type, `expressed` (of x or of
    the result), `wide-expressed` (the same, at least f32) or `scale`; ONNX `precision` is an explicit `compute` on top."""

    semantics: Semantics
    quantize_compute: str = "auto"
    dequantize_compute: str = "auto"


def _profile(quantize_compute, dequantize_compute=None, **stated) -> Profile:
    return Profile(
        Semantics(**stated).over(DEFAULT), quantize_compute, dequantize_compute or quantize_compute
    )


# Rows of the profile table. A column that a row leaves open has the default.
PROFILES = MappingProxyType(
    {
        "onnx": _profile("auto"),
        "ort": _profile("f32", subtract="wrap32"),
        "quant": _profile("expressed", order="add-then-round", subtract="float"),
        "mlir22": _profile(
            "expressed",
            order="add-then-round",
            rounding="toward-zero",
            subtract="float",
            overflow="undefined",
            nan="undefined",
        ),
        "stablehlo": _profile("f32", order="add-then-round", subtract="wrap32"),
        "onednn": _profile(
            "f32",
            order="add-then-round",
            division="reciprocal",
            subtract="float",
            float_overflow="ieee",
        ),
        "quark": _profile("f32"),
        "pmx": _profile("scale", order="add-then-round", overflow="wrap"),
        "torch": _profile(
            "f32",
            order="add-then-round",
            division="reciprocal",
            fusion="fma",
            subtract="wrap32",
            nan="highest",
        ),
        "torch-decomposed": _profile(
            "f32", "wide-expressed", division="reciprocal", subtract="output", nan="zero"
        ),
        "tflite": _profile("f32", rounding="nearest-away"),
        "xnnpack": _profile("f32", division="reciprocal", nan="highest"),
    }
)


def resolve(semantics, profile: str | None) -> tuple[Semantics, str, str]:
    """Every field filled (explicit, then profile, then default), and the compute rules
    of quantize and of dequantize."""
    stated = Semantics.of(semantics)
    if profile is None:
        base = Profile(DEFAULT)
    elif profile in PROFILES:
        base = PROFILES[profile]
    else:
        raise ValueError(f"unknown profile '{profile}': expected one of {', '.join(PROFILES)}")
    rules = (base.quantize_compute, base.dequantize_compute)
    if stated.compute is not None:
        rules = (stated.compute, stated.compute)
    return stated.over(base.semantics), *rules


def quantize_compute_type(rule: str, x: FloatType | None, scale: FloatType | None) -> FloatType:
    """`x` is None for an integer input, `scale` is None for a float of 8 bits or fewer."""
    expressed = x or F32
    if rule in EXPRESSED:
        return EXPRESSED[rule]
    return expressed if rule == "expressed" else scale or expressed


def dequantize_compute_type(rule: str, scale: FloatType | None, result: FloatType) -> FloatType:
    """`scale` is None for a float of 8 bits or fewer. choose_params has the same rule `auto`."""
    if rule in EXPRESSED:
        return EXPRESSED[rule]
    if rule == "expressed":
        return result
    if rule == "wide-expressed":
        return F64 if result == F64 else F32
    if rule == "scale":
        return scale or result
    return F64 if F64 in (scale, result) else F32
