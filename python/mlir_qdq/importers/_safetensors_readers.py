# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers that several formats share: each makes the weight of one module from its tensors."""

from __future__ import annotations

import numpy as np

from ._safetensors_weight import Weight
from ._weights import FLOATS, Value


def scale_of(f: Weight, field: str, *elements: str) -> Value:
    """A scale a tensor, channel, group or block, of rank 2; or a zero point."""
    scale = f.read(field, None, *elements)
    shape = scale.shape
    if len(shape) == 4 and shape[1::2] == (1, 1):  # ModelOpt keeps the dimensions of a block
        shape = shape[::2]
    if len(shape) < 2:
        shape = (shape[0] if shape else 1, 1)
    if len(shape) != 2:
        raise f.error(field, f"has the shape {list(shape)}, expected rank 2")
    return f.reshape(scale, shape)


# --- integers ------------------------------------------------------------------------


def _word_block(f: Weight, bits: int, count: int, found: int, field: str) -> str:
    """How `count` codes lie in `found` words: without gaps, or as many as fit whole into each."""
    each, version = 32 // bits, f.arguments.get("version")
    dense, whole = -(-count * bits // 32), -(-count // each)
    if found not in (dense, whole):
        raise f.error(
            field,
            f"has {found} words for {count} codes of {bits} bits, expected {dense} or {whole}",
        )
    if dense != whole:
        is_dense = found == dense
    elif whole == 1 or not 32 % bits:
        is_dense = True
    else:  # Only the version tells.
        numbers = str(version).split(".")[:2]
        if not all(number.isascii() and number.isdigit() for number in numbers):
            raise f.error(
                field,
                f"has {count} codes of {bits} bits in {found} words: packed by compressed-tensors from 0.18 on, or "
                f"before? The configuration's version is {version!r}",
            )
        is_dense = [int(number) for number in numbers] >= [0, 18]
    return "" if is_dense else f", block = {each}, record = 1"


def _word_bits(f: Weight, count: int, found: int) -> int:
    """Of a file without a configuration: the only bits that fill so many words."""
    fitting = {
        bits for bits in range(1, 9) if found in (-(-count * bits // 32), -(-count // (32 // bits)))
    }
    if len(fitting) != 1:
        raise f.error("weight_packed", f"has {found} words of {count} codes: the bits are unknown")
    return fitting.pop()


def packed_integers(f: Weight) -> Value:
    """Codes plus 2^(bits - 1) in words of i32."""
    shape = tuple(int(size) for size in f.array("weight_shape", 1))
    packed = f.read("weight_packed", 2, "i32")
    if len(shape) != 2 or packed.shape[0] != shape[0] or not 0 < shape[1] <= 32 * packed.shape[1]:
        raise f.error("weight_packed", f"has the shape {list(packed.shape)} for {list(shape)}")
    bits = f.arguments.get("num_bits") or _word_bits(f, shape[1], packed.shape[1])
    offset = f"bits = {bits}, offset = {1 << (bits - 1)}"
    layout = _word_block(f, bits, shape[1], packed.shape[1], "weight_packed")
    codes = f.unpack(packed, f"{offset}, axis = 1{layout}", shape[1], f"i{bits}")
    scale = scale_of(f, "weight_scale", *FLOATS)
    block = f.block("weight_scale", scale.shape, shape)
    zeros = None
    if f.has("weight_zero_point"):
        zeros = scale_of(f, "weight_zero_point", "i8", "i32")
        if zeros.element == "i32":
            layout = _word_block(f, bits, scale.shape[0], zeros.shape[0], "weight_zero_point")
            rows = (scale.shape[0], zeros.shape[1])
            zeros = f.unpack(zeros, f"{offset}, axis = 0{layout}", rows, f"i{bits}")
        zeros = f.first("weight_zero_point", zeros, scale.shape)
    f.convention = (
        f"compressed-tensors pack-quantized: {bits} bits (from {f.source}), signed codes stored with "
        f"{1 << (bits - 1)} added"
    )
    if not f.has("weight_g_idx"):
        if f.arguments.get("actorder") in ("group", "dynamic", True):
            raise f.error("weight_g_idx", "is missing, actorder says that there is one")
        return f.dequantize(codes, scale, zero_point=zeros, block=block)
    index = f.array("weight_g_idx", 1)
    is_index = index.dtype.kind in "iu" and index.size == shape[1]
    if not is_index or index.min() < 0 or index.max() >= scale.shape[1]:
        raise f.error(
            "weight_g_idx", f"does not give one of {scale.shape[1]} groups for each input"
        )
    order = f.table(index.astype(np.int32), "i32")
    scale = f.transpose(f.lookup(f.transpose(scale), order))
    if zeros is not None:
        zeros = f.transpose(f.lookup(f.transpose(zeros), order))
    f.convention += ", groups by weight_g_idx"
    return f.dequantize(codes, scale, zero_point=zeros, block=(block[0], 1))


def modelopt_pairs(f: Weight) -> Value:
    """ModelOpt's INT4: two outputs in a byte, the even one in the low nibble."""
    packed = f.read("weight", 2, "i8")
    codes = f.unpack(packed, "bits = 4, axis = 0", (2 * packed.shape[0], packed.shape[1]), "i4")
    scale = scale_of(f, "weight_scale", *FLOATS)
    block = f.block("weight_scale", scale.shape, codes.shape)
    f.convention = f"ModelOpt INT4: groups of {block[1]}, pairs of outputs in a byte"
    if f.has("weight_scale_2"):
        f.convention += "; weight_scale_2, for the product in FP8, is not applied"
    return f.dequantize(codes, scale, block=block)


# --- integers and floats of eight bits -----------------------------------------------


_PLAIN = ("weight", "weight_scale", "weight_zero_point")


def plain_codes(f: Weight, *elements: str, names: tuple[str, str, str] = _PLAIN) -> Value:
    weight, weight_scale, weight_zero_point = names
    codes = f.read(weight, 2, *elements)
    scale = scale_of(f, weight_scale, *FLOATS)
    block = f.block(weight_scale, scale.shape, codes.shape)
    zeros = None
    if f.has(weight_zero_point):
        zeros = f.read(weight_zero_point, None, "i8", "i16", "i32", "i64")
        if codes.element != "i8" or int(np.prod(zeros.shape)) != int(np.prod(scale.shape)):
            raise f.error(
                weight_zero_point,
                f"has the shape {list(zeros.shape)} beside codes of {codes.element} and scales {list(scale.shape)}",
            )
        zeros = f.reshape(zeros, scale.shape)
    f.convention = f"codes of {codes.element} times {weight_scale} {list(scale.shape)}"
    return f.dequantize(codes, scale, zero_point=zeros, block=block)


def inverse_blocks(f: Weight) -> Value:
    """DeepSeek's FP8: blocks of a weight, of 128 by 128 where the configuration is silent."""
    codes = f.read("weight", 2, "f8E4M3FN")
    scale = scale_of(f, "weight_scale_inv", *FLOATS, "f8E8M0FNU")
    block, source = f.arguments.get("block_structure"), "weight_block_size"
    if block is None:
        block, source = (128, 128), "default"
        if scale.shape == (1, 1):
            block, source = codes.shape, "one scale"
    expected = tuple(-(-size // b) for size, b in zip(codes.shape, block))
    if scale.shape != expected:
        raise f.error(
            "weight_scale_inv",
            f"has the shape {list(scale.shape)}, expected {list(expected)} for blocks of {list(block)}",
        )
    f.convention = f"FP8: weight_scale_inv multiplies, blocks of {list(block)} ({source})"
    return f.dequantize(codes, scale, block=tuple(block))


# --- floats of four, six and eight bits in blocks ------------------------------------


def small_floats(f: Weight, field: str, element: str, bits: int, is_packed=True) -> Value:
    if bits == 8:
        return f.read(field, 2, element)
    packed = f.read(field, 2, "i8")
    if not is_packed:
        layout = f"bits = {bits}, axis = 1, block = 1, record = 1"
        return f.unpack(packed, layout, packed.shape[1], element)
    if packed.shape[1] * 8 % bits:
        raise f.error(field, f"has rows of {packed.shape[1]} bytes, no elements of {bits} bits")
    return f.unpack(packed, f"bits = {bits}, axis = 1", packed.shape[1] * 8 // bits, element)


def block_scales(f: Weight, field: str, shape, *elements: str) -> Value:
    """Scales of blocks; torchao has them also in tiles of 128 by 4, in the order of cuBLAS."""
    scale = f.read(field, 2, *elements)
    if not f.arguments.get("is_swizzled_scales"):
        return scale
    rows, columns = (-(-size // tile) for size, tile in zip(shape, (128, 4)))
    if int(np.prod(scale.shape)) != 512 * rows * columns:
        raise f.error(
            field,
            f"has the shape {list(scale.shape)}, expected {rows * columns} tiles of 128 by 4 for {list(shape)}",
        )
    tiles = f.permute(scale, (rows, columns, 32, 4, 4), (0, 3, 2, 1, 4))
    return f.part(f.reshape(tiles, (128 * rows, 4 * columns)), shape)


def powers(
    f: Weight, field: str, element: str, bits: int, scales="weight_scale", is_packed=True
) -> Value:
    """OCP's MX formats: a power of two for 32 elements."""
    codes = small_floats(f, field, element, bits, is_packed)
    expected = (codes.shape[0], -(-codes.shape[1] // 32))
    scale = block_scales(f, scales, expected, "i8", "f8E8M0FNU")
    if scale.element == "i8":
        scale = f.unpack(scale, "bits = 8, axis = 1", scale.shape[1], "f8E8M0FNU")
    if scale.shape != expected:
        raise f.error(
            scales,
            f"has the shape {list(scale.shape)} for {list(codes.shape)} of {element}, expected {list(expected)}",
        )
    f.convention = f"{element} times 2^({scales} - 127), blocks of 32"
    return f.dequantize(codes, scale, block=(1, 32))


def two_scales(f: Weight, field: str, second: str, divides: bool) -> Value:
    """NVFP4: a scale of f8E4M3FN for 16 elements, and one of f32 for all."""
    codes = small_floats(f, field, "f4E2M1FN", 4)
    scale = scale_of(f, "weight_scale", "f8E4M3FN")
    block = f.block("weight_scale", scale.shape, codes.shape)
    factor = f.read_one(second)
    f.convention = (
        f"NVFP4: {second} {'divides' if divides else 'multiplies'} the scales, blocks of {block[1]}"
    )
    if not divides:
        return f.dequantize(codes, f.dequantize(scale, factor), block=block)
    wide = f.cast("extf", scale, "f32")
    return f.dequantize(codes, f.binary("divf", wide, f.spread(factor, wide.shape)), block=block)


def stored(f: Weight) -> Value:
    """A weight that is quantized when it is used: its scales are not."""
    return f.read_floats("weight")
