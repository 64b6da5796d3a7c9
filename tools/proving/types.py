# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR types and constants: widths, formats, shapes, and the elements of attributes."""

from __future__ import annotations

import hashlib
import re
import struct
from functools import cache
from math import prod

import ml_dtypes
import numpy as np
from mlir import ir

from . import softfloat
from .softfloat import BF16, F16, F32, F64, Format

IEEE = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


#: Data of dense_resource attributes of the modules that run, by names that say the data.
RESOURCES: dict[str, bytes] = {}
_DATA = re.compile(r'"?([\w.$-]+)"?: "0x([0-9A-Fa-f]+)"')
_REFERENCE = re.compile(r'dense_resource<"?([^">]+)"?>')


def name_resources(module: str) -> str:
    """The text of a module with other names of resources: modules of one context, in which a parser
    numbers equal names, and passes that add a resource, may not share one."""
    names = {}
    for name, data in _DATA.findall(module):
        names[name] = f"{name}.{hashlib.sha256(data.encode()).hexdigest()[:16]}"
        # Their alignment comes first.
        RESOURCES[names[name]] = bytes.fromhex(data)[4:]
    module = _DATA.sub(lambda m: f'{names[m[1]]}: "0x{m[2]}"', module)
    return _REFERENCE.sub(lambda m: f"dense_resource<{names.get(m[1], m[1])}>", module)


def without_numbers(text: str) -> str:
    """The text of an op with the names of resources that `name_resources` has given."""
    return re.sub(r'(dense_resource<[^">]+\.\w+?)_\d+>', r"\1>", text)


def _resource(name: str) -> bytes:
    known = re.sub(r"_\d+$", "", name)
    if known not in RESOURCES:
        raise Unsupported("a resource without its data")
    return RESOURCES[known]


class Unsupported(Exception):
    """Something without a definition here. The text names it."""


@cache
def _width_of(text: str) -> int:
    if text == "index":
        return 64
    if found := re.fullmatch(r"(?:si|ui|i)(\d+)", text):
        return int(found[1])
    if text in IEEE:
        return IEEE[text].width
    if found := re.fullmatch(r"f([468])E\w+", text):
        return int(found[1])
    raise Unsupported(f"type {text}")


def width_of(element: ir.Type) -> int:
    return _width_of(str(element))


def format_of(element: ir.Type) -> Format:
    """Of a float with IEEE's encoding that the theory has."""
    name = str(element)
    if name not in IEEE:
        raise Unsupported(f"arithmetic in {name}")
    return IEEE[name]


def is_float(element: ir.Type) -> bool:
    return str(element).startswith(("f", "bf"))


def element_of(type: ir.Type) -> ir.Type:
    return ir.ShapedType(type).element_type if is_shaped(type) else type


def is_shaped(type: ir.Type) -> bool:
    return isinstance(type, ir.ShapedType)


def shape_of(type: ir.Type) -> tuple[int | None, ...]:
    """None for a size that the type does not say."""
    if not is_shaped(type):
        return ()
    shaped = ir.ShapedType(type)
    if not shaped.has_rank:
        raise Unsupported("unranked type")
    if isinstance(type, ir.VectorType) and type.scalable:
        raise Unsupported("scalable vector")
    return tuple(
        None if shaped.is_dynamic_dim(i) else shaped.get_dim_size(i) for i in range(shaped.rank)
    )


def has_rank(type: ir.Type) -> bool:
    return not is_shaped(type) or ir.ShapedType(type).has_rank


def argument_shape(type: ir.Type) -> tuple[int | None, ...]:
    """Of an argument. One of unknown rank has two dimensions."""
    return shape_of(type) if has_rank(type) else (None, None)


def check_fits(name: str, shape: tuple[int, ...], type: ir.Type) -> None:
    """Refuses a type that contradicts the sizes of a value."""
    if has_rank(type):
        own = shape_of(type)
        if len(own) != len(shape) or any(n not in (None, m) for n, m in zip(own, shape)):
            raise Unsupported(f"{name} to a size that does not fit")


def static_shape(type: ir.Type) -> tuple[int, ...]:
    shape = shape_of(type)
    if None in shape:
        raise Unsupported(f"dynamic size in {type}")
    return shape


# --- attributes --------------------------------------------------------------------------


def _literal(text: str, element: ir.Type) -> int:
    """The bits of a number as MLIR prints it."""
    width = width_of(element)
    if text in ("true", "false"):
        return int(text == "true")
    if text.startswith("0x"):
        return int(text, 16)
    if not is_float(element):
        return int(text) & (1 << width) - 1
    return float_bits(float(text), str(element))


def float_bits(value: float, element: str) -> int:
    """A double, which the type holds or rounds."""
    double = int.from_bytes(struct.pack(">d", value), "big")
    if element in IEEE:
        return softfloat.convert(IEEE[element], F64, "RNE", double)
    name = re.sub(r"^f(\d)(E\dM\d)(\w*)$", r"float\1_\2\3", element).lower()
    return int(np.array(value).astype(np.dtype(getattr(ml_dtypes, name))).view(np.uint8))


def attribute_bits(attribute: ir.Attribute) -> list[int]:
    """The elements of a constant, a splat as often as its type says."""
    text = str(attribute)
    if isinstance(attribute, ir.BoolAttr) or text in ("true", "false"):
        return [int(text == "true")]
    type = attribute.type
    if not is_shaped(type):
        return [_literal(text.split(" : ")[0], type)]
    if found := re.fullmatch(r'dense_resource<"?([^">]+)"?> : .*', text):
        data = _resource(found[1])
        return _raw_elements(data, width_of(element_of(type)), prod(static_shape(type)))
    if not text.startswith("dense<"):
        raise Unsupported(f"constant {text[:40]}")
    element = element_of(type)
    count = prod(static_shape(type))
    body = text[len("dense<") : text.rindex("> : ")]
    if body.startswith('"0x'):
        return _raw_elements(bytes.fromhex(body[3:-1]), width_of(element), count)
    found = [_literal(t, element) for t in re.findall(r"[^\s\[\],]+", body)]
    return found * count if len(found) == 1 and count != 1 else found


def _raw_elements(data: bytes, width: int, count: int) -> list[int]:
    if width == 1:
        flags = [data[i // 8] >> (i % 8) & 1 for i in range(8 * len(data))]
        return flags[:1] * count if len(data) == 1 and data in (b"\xff", b"\0") else flags[:count]
    size = (width + 7) // 8
    found = [
        int.from_bytes(data[i : i + size], "little") & (1 << width) - 1
        for i in range(0, len(data), size)
    ]
    if len(found) not in (1, count):
        raise Unsupported("a resource of packed bits")
    return found * count if len(found) == 1 else found
