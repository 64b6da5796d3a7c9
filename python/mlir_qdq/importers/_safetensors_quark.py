# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD Quark: the configuration names the type of the codes and the granularity of the scales."""

from __future__ import annotations

from ._safetensors_readers import plain_codes, powers, scale_of
from ._safetensors_weight import Weight
from ._weights import FLOATS, Value

#: Floats of blocks of 32 with powers of two: the element, and its bits.
_BLOCKS = {"fp4": ("f4E2M1FN", 4), "fp6_e2m3": ("f6E2M3FN", 6), "fp6_e3m2": ("f6E3M2FN", 6)}
#: Integers: the element of the file, that of a code, and its bits.
_INTEGERS = {
    "int4": ("i32", "i4", 4), "uint4": ("i32", "ui4", 4), "int8": ("i8", "i8", 8), "uint8": ("ui8", "ui8", 8),
}  # fmt: skip


def _unpacked(f: Weight, field: str, rank: int, count: int | None = None) -> Value:
    """Codes of each row, eight of 4 bits in a word; filled up to `count` at least."""
    stored, element, bits = _INTEGERS[f.arguments["dtype"]]
    value = f.read(field, rank, stored)
    if bits == 8 or not value.shape:
        return value
    if rank == 1:
        value = f.reshape(value, (1, *value.shape))
    order = (
        ", block = 8, order = [0, 2, 4, 6, 1, 3, 5, 7]"
        if f.arguments["pack_method"] == "reorder"
        else ""
    )
    layout = f"bits = 4, axis = 1{order}"
    value = f.unpack(value, layout, 8 * value.shape[1], element)
    if rank == 1:
        value = f.reshape(value, (value.shape[1],))
    return value if count is None else f.first(field, value, (*value.shape[:-1], count))


def _integers(f: Weight) -> Value:
    is_grouped = f.arguments["strategy"] == "group"
    scale = scale_of(f, "weight_scale", *FLOATS)
    outputs = scale.shape[1] if is_grouped else None
    codes, zeros = _unpacked(f, "weight", 2, outputs), None
    if is_grouped:  # stored as [inputs, outputs]
        codes, scale = f.transpose(codes), f.transpose(scale)
    block = f.block("weight_scale", scale.shape, codes.shape)
    if f.has("weight_zero_point"):
        count = None if scale.shape == (1, 1) else scale.shape[0]
        rank = len(f.array("weight_zero_point").shape)
        zeros = _unpacked(f, "weight_zero_point", rank, count)
        zeros = f.transpose(zeros) if is_grouped else f.reshape(zeros, scale.shape)
    return f.dequantize(codes, scale, zero_point=zeros, block=block)


def quark(f: Weight) -> Value:
    kind = f.arguments["dtype"]
    if kind in _BLOCKS:
        return powers(f, "weight", *_BLOCKS[kind])
    if kind.startswith("fp8"):
        return plain_codes(f, "f8E4M3FN" if kind == "fp8_e4m3" else "f8E5M2")
    value = _integers(f)
    f.convention = (
        f"Quark {kind}: {f.arguments['strategy']} scales, pack_method {f.arguments['pack_method']}"
    )
    return value
