# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPTQ and AWQ: codes in words of i32 or i16, as each kernel's layout has them."""

from __future__ import annotations

import numpy as np

from ._safetensors_weight import Weight
from ._weights import Value


def _order(f: Weight, inputs: int, groups: int) -> tuple[Value | None, int]:
    """The group of each input where they are not in order, else None; and the size of a group."""
    given = f.arguments.get("group_size")
    size = inputs if given == -1 else given or -(-inputs // groups)
    if size <= 0 or groups != -(-inputs // size):
        raise f.error("scales", f"has {groups} groups for {inputs} inputs, expected of {size}")
    if not f.has("g_idx"):
        if f.arguments.get("desc_act") or (given is None and inputs % groups):
            raise f.error("g_idx", "is missing, it says which inputs are of which group")
        return None, size
    index = f.array("g_idx", 1)
    if index.size != inputs or index.dtype.kind not in "iu":
        raise f.error("g_idx", f"has {index.size} elements of {index.dtype} for {inputs} inputs")
    if np.array_equal(index, np.arange(inputs) // size):
        return None, size
    # AutoGPTQ counts from the end where an index is negative, as PyTorch does.
    if index.min() < -groups or index.max() >= groups:
        raise f.error("g_idx", f"holds {index.min()} to {index.max()}, there are {groups} groups")
    return f.table((index % groups).astype(np.int32), "i32"), size


def _gather_rows(f: Weight, table: Value, index: Value) -> Value:
    if not table.element.startswith("ui"):  # a body has no types with a sign
        return f.lookup(table, index)
    wide = f.cast_bits(table, table.element[1:])
    return f.cast_bits(f.lookup(wide, index), table.element)


def _ones(bits: int) -> int:
    """A 1 in each field of a word."""
    return 0xFFFFFFFF // ((1 << bits) - 1)


def _has_borrows(words: np.ndarray, bits: int) -> bool:
    """Whether some z - 1 is stored that is negative.

    GPTQModel subtracts the ones of all fields of a word at once, and adds them so: a zero point of 0
    borrows from the next field. AutoGPTQ has no zero points of 0, with which its own `pack` fails.
    """
    most = (1 << bits) - 1
    return any(np.any(words >> shift & most == most) for shift in range(0, 32, bits))


def gptq(f: Weight, preset: str) -> Value:
    packed, zeros = f.read("qweight", 2, "i32"), f.read("qzeros", 2, "i32")
    scale = f.read_floats("scales", 2)
    groups, outputs = scale.shape
    bits, source = f.arguments.get("bits"), f.source
    if bits is None and f.has("g_idx"):
        bits = 32 * packed.shape[0] / f.array("g_idx", 1).size
        source = "qweight and g_idx"
    if bits is None:
        raise f.error(
            "qweight", "nothing tells its bits: expected a config.json beside the file, or a g_idx"
        )
    if bits not in (2, 3, 4, 8):
        raise f.error("qweight", f"has {bits} bits (from {source}), expected 2, 3, 4 or 8")
    bits = int(bits)
    inputs = packed.shape[0] * 32 // bits
    if packed.shape[1] != outputs or zeros.shape != (groups, -(-outputs * bits // 32)):
        raise f.error(
            "qzeros",
            f"has the shape {list(zeros.shape)} beside qweight {list(packed.shape)} and "
            f"scales {list(scale.shape)} of {bits} bits",
        )
    order, size = _order(f, inputs, groups)
    codes = f.unpack(packed, preset, (inputs, outputs), f"ui{bits}")
    padded = zeros.shape[1] * 32 // bits
    layout = preset
    if preset == "gptq-v1" and bits != 3 and _has_borrows(f.array("qzeros"), bits):
        zeros, layout = f.binary("addi", zeros, _ones(bits)), "gptq-v2"
    zeros = f.unpack(zeros, f"{layout}, part = zero-point", (groups, padded), f"ui{bits}")
    zeros = f.part(zeros, (groups, outputs))
    if order is not None:
        scale, zeros = _gather_rows(f, scale, order), _gather_rows(f, zeros, order)
        size = 1
    f.convention = (
        f"GPTQ: {bits} bits (from {source}), zero points stored as {'z' if preset == 'gptq-v2' else 'z - 1'}, "
        f"{'rows of groups by g_idx' if order else f'groups of {size}'}"
    )
    return f.transpose(f.dequantize(codes, scale, zero_point=zeros, block=(size, 1)))


def awq_gemm(f: Weight) -> Value:
    packed, zeros = f.read("qweight", 2, "i32"), f.read("qzeros", 2, "i32")
    scale = f.read_floats("scales", 2)
    codes = f.unpack(packed, "awq-gemm", packed.shape[1] * 8, "ui4")
    zeros = f.unpack(zeros, "awq-gemm, part = zero-point", zeros.shape[1] * 8, "ui4")
    groups, outputs = scale.shape
    if codes.shape[1] != outputs or zeros.shape != scale.shape:
        raise f.error(
            "scales", f"has the shape {list(scale.shape)} beside codes {list(codes.shape)}"
        )
    _, size = _order(f, codes.shape[0], groups)
    f.convention = f"AWQ gemm: 4 bits, groups of {size}"
    return f.transpose(f.dequantize(codes, scale, zero_point=zeros, block=(size, 1)))


def _group(f: Weight, inputs: int) -> int:
    """The size of a group of a layout whose parameters are filled up to whole words."""
    size = f.arguments.get("group_size")
    size = inputs if size == -1 else size
    if size is None or size <= 0 or inputs % size:
        raise f.error("qweight", f"has groups of {size} for {inputs} inputs")
    return size


def awq_gemv(f: Weight) -> Value:
    packed, zeros = f.read("qweight", 2, "i32"), f.read("qzeros", 2, "i32")
    scale = f.read_floats("scales", 2)
    codes = f.unpack(packed, "awq-gemv", packed.shape[1] * 8, "ui4")
    zeros = f.unpack(zeros, "awq-gemv, part = zero-point", zeros.shape[1] * 8, "ui4")
    size = _group(f, codes.shape[1])
    shape = (codes.shape[0], codes.shape[1] // size)
    f.convention = f"AWQ gemv: 4 bits, groups of {size}"
    return f.dequantize(
        codes,
        f.first("scales", scale, shape),
        zero_point=f.first("qzeros", zeros, shape),
        block=(1, size),
    )


def awq_gemv_fast(f: Weight) -> Value:
    """Four rows of 64 inputs in 64 words of i16; qzeros holds -z s as a float."""
    packed, zeros = f.read("qweight", 2, "i16"), f.read_floats("qzeros", 2)
    scale = f.read_floats("scales", 2)
    (rows, inputs), element = packed.shape, scale.element
    size = _group(f, inputs)
    if inputs % 64 or zeros.element != element:
        raise f.error("qweight", f"has {inputs} inputs, expected a multiple of 64")
    codes = f.unpack(packed, "bits = 4, axis = 1", 4 * inputs, "ui4")
    # The digits of an input below 64 are 32, 2, 1, 4, 16 and 8 in the order of the file.
    codes = f.permute(codes, (rows, inputs // 64, 4, 2, 4, 2, 4), (0, 2, 1, 3, 6, 4, 5))
    codes = f.reshape(codes, (4 * rows, inputs))
    shape = (inputs // size, 4 * rows)
    scale = f.transpose(f.first("scales", scale, shape))
    bias = f.transpose(f.first("qzeros", zeros, shape))
    if element != "f32":
        bias = f.cast("extf", bias, "f32")
    f.convention = f"AWQ gemv_fast: 4 bits, groups of {size}, q s + qzeros"
    return f.dequantize(codes, scale, bias=bias, block=(1, size))


def marlin(f: Weight, codes: str, scales: str) -> Value:
    """Tiles of 16 inputs and 64 outputs, in the order of a warp's registers; codes plus 8, no zero points."""
    packed, scale = f.read(codes, 2, "i32"), f.read_floats(scales, 2)
    inputs, (groups, outputs) = 16 * packed.shape[0], scale.shape
    if packed.shape[1] != 2 * outputs or outputs % 64:
        raise f.error(
            codes, f"has the shape {list(packed.shape)} beside {scales} {list(scale.shape)}"
        )
    _, size = _order(f, inputs, groups)
    values = f.unpack(packed, "bits = 4, axis = 1, offset = 8", 16 * outputs, "i4")
    tiles = (inputs // 16, outputs // 64, 8, 4, 4, 2, 2, 2)
    values = f.permute(values, tiles, (1, 4, 6, 2, 0, 7, 3, 5))
    values = f.reshape(values, (outputs, inputs))
    if groups > 1:
        scale = f.permute(scale, (groups, outputs // 64, 8, 8), (0, 1, 3, 2))
    else:
        scale = f.permute(scale, (groups, outputs // 32, 4, 4, 2), (0, 1, 3, 2, 4))
    scale = f.transpose(f.reshape(scale, (groups, outputs)))
    f.convention = f"Marlin: 4 bits, groups of {size}, codes stored with 8 added"
    return f.dequantize(values, scale, block=(1, size))
