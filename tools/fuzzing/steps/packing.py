# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pack and unpack: one stream of bits, lowest first, for the whole tensor or along an axis."""

from __future__ import annotations

import numpy as np

from mlir_qdq.reference.types import FLOAT_STORAGE, storage_type

from ..builder import Builder
from ..values import INTEGERS, _width, random_array, random_shape

CONTAINERS = ("i8", "i16", "i32", "i64")


def bits_of(element: str) -> int:
    return _width(element) if element in FLOAT_STORAGE else storage_type(element).bits


def pack_bits(codes: np.ndarray, element: str, container: str, axis: int | None, unused: int):
    """Containers of the codes; bits without a code are `unused`."""
    bits, width = bits_of(element), int(container[1:])
    rows = codes.reshape(1, -1) if axis is None else np.moveaxis(codes, axis, -1)
    raw = rows.view(f"u{rows.dtype.itemsize}") if element in FLOAT_STORAGE else rows
    numbers = raw.astype(np.int64).astype(np.uint64)
    stream = (numbers[..., None] >> np.arange(bits, dtype=np.uint64)) & np.uint64(1)
    stream = stream.astype(np.uint8).reshape(*rows.shape[:-1], rows.shape[-1] * bits)
    padding = -stream.shape[-1] % width
    ends = [(0, 0)] * (stream.ndim - 1) + [(0, padding)]
    stream = np.pad(stream, ends, constant_values=unused)
    packed = np.packbits(stream, axis=-1, bitorder="little")
    count = packed.shape[-1] * 8 // width
    packed = np.ascontiguousarray(packed).reshape(-1).view(f"int{width}")
    packed = packed.reshape(*rows.shape[:-1], count)
    return packed[0] if axis is None else np.ascontiguousarray(np.moveaxis(packed, -1, axis))


def draw_layout(b: Builder, element: str, rank: int) -> tuple[str, int | None, str]:
    """Container, axis, and the attribute."""
    bits = bits_of(element)
    if bits in (2, 4, 8) and b.chance(0.3):
        return "i8", None, "<onnx>"
    container = b.rng.choice(CONTAINERS)
    axis = b.rng.randrange(rank) if rank and b.chance(0.6) else None
    at = "" if axis is None else f", axis = {axis}"
    return container, axis, f"<bits = {bits}, container = {container}{at}>"


def _packed_dynamic(dynamic, axis):
    if axis is None:
        return (any(dynamic),)
    return dynamic


def is_element(element: str) -> bool:
    """Of at most 32 bits; floats of up to 16."""
    return element in FLOAT_STORAGE or element in INTEGERS


def pack(b: Builder):
    codes = b.pick(lambda v: is_element(v.element))
    # Arithmetic chooses the sign and the payload of a NaN.
    if codes is None or (codes.array != codes.array).any():
        return None
    container, axis, packing = draw_layout(b, codes.element, codes.rank)
    packed = pack_bits(codes.array, codes.element, container, axis, 0)
    return b.make(
        "pack", [codes], container, packed, _packed_dynamic(codes.dynamic, axis),
        lambda r, o, t: f"{r} = qdq.pack {o[0]} packing {packing} : ({codes.type}) -> {t}",
    )  # fmt: skip


def unpack(b: Builder):
    element = b.rng.choice(INTEGERS if b.chance(0.7) else [*FLOAT_STORAGE])
    codes = random_array(b.rng, element, random_shape(b.rng))
    container, axis, packing = draw_layout(b, element, codes.ndim)
    packed = pack_bits(codes, element, container, axis, b.rng.randrange(2))
    containers = b.argument(container, packed)
    if axis is None:
        dynamic = tuple(containers.dynamic[0] and b.chance(0.5) for _ in codes.shape)
    else:
        dynamic = containers.dynamic
    sizes = [b.size(size) for size, is_open in zip(codes.shape, dynamic) if is_open]

    def write(r, o, t):
        given = f" sizes({', '.join(o[1:])})" if sizes else ""
        types = ", ".join([containers.type, *("index" for _ in sizes)])
        return f"{r} = qdq.unpack {o[0]} packing {packing}{given} : ({types}) -> {t}"

    return b.make("unpack", [containers, *sizes], element, codes, dynamic, write)


STEPS = [(pack, 2), (unpack, 3)]
