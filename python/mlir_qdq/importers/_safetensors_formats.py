# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How quantizers spell a weight in tensors of a checkpoint: each reader makes the weight of one module.

`m` is the module's name; weights are [outputs, inputs], as of `torch.nn.Linear`. Each reader says in `convention`
what it took for what, and from where.
"""

from __future__ import annotations

import numpy as np

from ._safetensors_file import Checkpoint, element_of
from ._weights import Function, Value

_F8 = ("f8E4M3FN", "f8E5M2")


class Weight(Function):
    """A function that reads tensors of one module."""

    def begin(self, checkpoint: Checkpoint, module: str) -> None:
        self.checkpoint, self.module = checkpoint, module

    def has(self, field: str) -> bool:
        return f"{self.module}.{field}" in self.checkpoint.arrays

    def array(self, field: str, rank: int | None = None) -> np.ndarray:
        array = self.checkpoint.get(f"{self.module}.{field}")
        if array.size == 0 or rank not in (None, array.ndim):
            expected = "elements" if array.size == 0 else f"rank {rank}"
            raise self.error(field, f"has the shape {list(array.shape)}, expected {expected}")
        return array

    def error(self, field: str, message: str):
        return self.checkpoint.error(f"{self.module}.{field}", message)

    def read(self, field: str, rank: int | None = None, element: str | None = None) -> Value:
        array = self.array(field, rank)
        own = element_of(array)
        if element and own.lstrip("u") != element:
            raise self.error(field, f"has elements of {own}, expected {element}")
        return self.data(array, element or own)

    def block(self, field: str, parts, whole, given=None) -> tuple[int, ...]:
        """The sizes of `parts` of `whole`; `given` are those of the configuration, None where even."""
        sizes = []
        for count, size, block in zip(parts, whole, given or (None, None)):
            block = block if block and count > 1 else -(-size // count)
            if type(block) is not int or block <= 0 or -(-size // block) != count:
                raise self.error(
                    field,
                    f"has the shape {list(parts)} for a weight of {list(whole)}, blocks of {given}",
                )
            sizes.append(block)
        if given is None and any(size % count for size, count in zip(whole, parts)):
            raise self.error(field, f"{list(parts)} does not divide a weight of {list(whole)}")
        return tuple(sizes)


# --- GPTQ, AWQ -----------------------------------------------------------------------


def _groups(f: Weight, inputs: int, groups: int) -> tuple[Value | None, int]:
    """The group of each input where they are not in order, else None; and the size of a group."""
    size = -(-inputs // groups)
    if not f.has("g_idx"):
        return None, size
    index = f.array("g_idx", 1)
    if index.size != inputs:
        raise f.error("g_idx", f"has {index.size} elements for {inputs} inputs")
    if np.array_equal(index, np.arange(inputs) // size):
        return None, size
    # AutoGPTQ counts from the end where an index is negative, as PyTorch does.
    if index.min() < -groups or index.max() >= groups:
        raise f.error("g_idx", f"holds {index.min()} to {index.max()}, there are {groups} groups")
    return f.table((index % groups).astype(np.int32), "i32"), size


def _gather_rows(f: Weight, table: Value, index: Value) -> Value:
    if table.element.startswith("ui"):  # a body has no types with a sign
        wide = f.emit(
            table.shape,
            table.element[1:],
            f"tensor.bitcast {table.name} : {table.type} to {{type}}",
        )
        rows = f.lookup(wide, index)
        return f.emit(
            rows.shape, table.element, f"tensor.bitcast {rows.name} : {rows.type} to {{type}}"
        )
    return f.lookup(table, index)


def gptq(f: Weight) -> Value:
    configuration = f.checkpoint.configuration
    packed, zeros = f.read("qweight", 2, "i32"), f.read("qzeros", 2, "i32")
    scale = f.read("scales", 2)
    groups, outputs = scale.shape
    bits, source = configuration.get("bits"), f"bits of {f.checkpoint.configured_by}"
    if bits is None and f.has("g_idx"):
        bits = 32 * packed.shape[0] / f.array("g_idx", 1).size
        source = "qweight and g_idx"
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
    layout = configuration.get("checkpoint_format", "gptq")
    if layout not in ("gptq", "gptq_v2"):
        raise f.error("qweight", f"has the checkpoint_format {layout!r}, expected gptq or gptq_v2")
    preset = "gptq-v2" if layout == "gptq_v2" else "gptq-v1"
    codes = f.unpack(packed, preset, (inputs, outputs), f"ui{bits}")
    padded = zeros.shape[1] * 32 // bits
    zeros = f.unpack(zeros, f"{preset}, part = zero-point", (groups, padded), f"ui{bits}")
    zeros = f.part(zeros, (groups, outputs))
    order, size = _groups(f, inputs, groups)
    if order is not None:
        scale, zeros = _gather_rows(f, scale, order), _gather_rows(f, zeros, order)
        size = 1
    f.convention = (
        f"GPTQ: {bits} bits (from {source}), zero points stored {'as z' if preset == 'gptq-v2' else 'as z - 1'} "
        f"(checkpoint_format {layout}), {'rows of groups by g_idx' if order else f'groups of {size}'}"
    )
    return f.transpose(f.dequantize(codes, scale, zero_point=zeros, block=(size, 1)))


def awq(f: Weight) -> Value:
    configuration = f.checkpoint.configuration
    bits = configuration.get("bits", configuration.get("w_bit", 4))
    version = str(configuration.get("version", "gemm")).lower()
    if bits != 4 or version not in ("gemm", "gemv"):
        raise f.error(
            "qweight", f"is AWQ of {bits} bits, version {version}: expected 4, gemm or gemv"
        )
    packed, zeros = f.read("qweight", 2, "i32"), f.read("qzeros", 2, "i32")
    scale = f.read("scales", 2)
    f.convention = f"AWQ {version}: 4 bits, version of {f.checkpoint.configured_by or 'none given'}"
    codes = f.unpack(packed, f"awq-{version}", packed.shape[1] * 8, "ui4")
    zeros = f.unpack(zeros, f"awq-{version}, part = zero-point", zeros.shape[1] * 8, "ui4")
    if version == "gemm":
        groups, outputs = scale.shape
        if codes.shape[1] != outputs or zeros.shape != scale.shape or codes.shape[0] % groups:
            raise f.error(
                "scales", f"has the shape {list(scale.shape)} beside codes {list(codes.shape)}"
            )
        return f.transpose(f.dequantize(codes, scale, zero_point=zeros))
    size = configuration.get("group_size", configuration.get("q_group_size"))
    if not isinstance(size, int) or size <= 0 or codes.shape[1] % size:
        raise f.error("qweight", f"is AWQ gemv with groups of {size} along {codes.shape[1]}")
    shape = (codes.shape[0], codes.shape[1] // size)  # the file's rows are filled up
    if any(a < b for value in (scale, zeros) for a, b in zip(value.shape, shape)):
        raise f.error(
            "scales", f"has the shape {list(scale.shape)}, expected at least {list(shape)}"
        )
    return f.dequantize(codes, f.part(scale, shape), zero_point=f.part(zeros, shape))


def packed_words(f: Weight) -> Value:
    """GPTQ or AWQ, by the configuration."""
    method = str(f.checkpoint.configuration.get("quant_method", "")).lower()
    is_awq = method == "awq" or "w_bit" in f.checkpoint.configuration
    if method not in ("", "gptq", "awq"):
        raise f.error("qweight", f"is of the unknown quant_method {method!r}")
    return awq(f) if is_awq else gptq(f)


# --- compressed-tensors, ModelOpt, DeepSeek ------------------------------------------


def _weights_arguments(f: Weight) -> dict:
    """`weights` of the first group of compressed-tensors' configuration that names a type of this weight."""
    groups = f.checkpoint.configuration.get("config_groups")
    if not isinstance(groups, dict):
        return {}
    for group in groups.values():
        targets = group.get("targets", []) if isinstance(group, dict) else []
        if "Linear" in targets or any(
            f.module.endswith(str(t).removeprefix("re:.*")) for t in targets
        ):
            weights = group.get("weights")
            return weights if isinstance(weights, dict) else {}
    return {}


def _scale(f: Weight, field: str, shape) -> Value:
    """A scale a tensor, channel, group or block, as its shape says."""
    scale = f.read(field)
    if not scale.element.startswith(("f", "bf")):
        raise f.error(field, f"has elements of {scale.element}, expected floats")
    if len(scale.shape) < 2:
        count = scale.shape[0] if scale.shape else 1
        scale = f.reshape(scale, (count, 1))
    if len(scale.shape) != 2:
        raise f.error(field, f"has the shape {list(scale.shape)}")
    return scale


def packed_integers(f: Weight) -> Value:
    """compressed-tensors, pack-quantized: codes plus 2^(bits - 1) in words of i32."""
    arguments = _weights_arguments(f)
    bits = arguments.get("num_bits", 4)
    if bits not in range(2, 9):
        raise f.error("weight_packed", f"has num_bits {bits}, expected 2 to 8")
    shape = [int(size) for size in f.array("weight_shape", 1)]
    packed = f.read("weight_packed", 2, "i32")
    each = 32 // bits
    if len(shape) != 2 or min(shape) <= 0 or packed.shape != (shape[0], -(-shape[1] // each)):
        raise f.error(
            "weight_packed", f"has the shape {list(packed.shape)} for {shape} of {bits} bits"
        )
    layout = f"bits = {bits}, block = {each}, record = 1, offset = {1 << (bits - 1)}"
    codes = f.unpack(packed, f"{layout}, axis = 1", packed.shape[1] * each, f"i{bits}")
    codes = f.part(codes, shape)
    scale = _scale(f, "weight_scale", shape)
    zeros = None
    if f.has("weight_zero_point"):
        zeros = f.read("weight_zero_point", 2)
        if zeros.element == "i32":
            rows = (zeros.shape[0] * each, zeros.shape[1])
            zeros = f.unpack(zeros, f"{layout}, axis = 0", rows, f"i{bits}")
            if any(a < b for a, b in zip(zeros.shape, scale.shape)):
                raise f.error("weight_zero_point", f"has {list(zeros.shape)} zero points")
            zeros = f.part(zeros, scale.shape)
    f.convention = f"compressed-tensors pack-quantized: {bits} bits (num_bits), signed codes stored with {1 << (bits - 1)} added"
    group = arguments.get("group_size")
    block = f.block("weight_scale", scale.shape, shape, (None, group) if group else None)
    if not f.has("weight_g_idx"):
        return f.dequantize(codes, scale, zero_point=zeros, block=block)
    index = f.array("weight_g_idx", 1)
    if index.size != shape[1] or index.min() < 0 or index.max() >= scale.shape[1]:
        raise f.error(
            "weight_g_idx", f"does not give one of {scale.shape[1]} groups for each input"
        )
    order = f.table(index.astype(np.int32), "i32")
    scale = f.transpose(f.lookup(f.transpose(scale), order))
    if zeros is not None:
        zeros = f.transpose(f.lookup(f.transpose(zeros), order))
    f.convention += ", groups by weight_g_idx"
    return f.dequantize(codes, scale, zero_point=zeros, block=(block[0], 1))


def _small_floats(f: Weight, field: str) -> Value:
    """f4E2M1FN, two in a byte, the first in the low nibble."""
    packed = f.read(field, 2, "i8")
    return f.unpack(packed, "bits = 4, axis = 1", packed.shape[1] * 2, "f4E2M1FN")


def packed_floats(f: Weight) -> Value:
    """compressed-tensors, nvfp4-pack-quantized and mxfp4-pack-quantized."""
    codes = _small_floats(f, "weight_packed")
    if f.has("weight_global_scale"):
        scale = _scale(f, "weight_scale", codes.shape)
        second = f.read("weight_global_scale")
        if int(np.prod(second.shape)) != 1 or second.element != "f32":
            raise f.error("weight_global_scale", "is not one f32")
        divisor = f.reshape(second, ())
        f.convention = (
            "compressed-tensors nvfp4-pack-quantized: weight_global_scale divides the scales"
        )
        f.block("weight_scale", scale.shape, codes.shape)
        wide = f.cast("extf", scale, "f32") if scale.element != "f32" else scale
        return f.dequantize(codes, f.binary("divf", wide, _spread(f, divisor, wide)))
    scale = f.read("weight_scale", 2)
    if scale.element == "ui8":
        scale = f.unpack(
            f.data(f.array("weight_scale"), "i8"), "bits = 8, axis = 1", scale.shape[1], "f8E8M0FNU"
        )
    f.block("weight_scale", scale.shape, codes.shape)
    f.convention = "compressed-tensors mxfp4-pack-quantized: scales are powers of two (f8E8M0)"
    return f.dequantize(codes, scale)


def _spread(f: Weight, single: Value, like: Value) -> Value:
    """One element as a tensor of the shape of `like`."""
    empty = f.emit(like.shape, single.element, "tensor.empty() : {type}")
    dimensions = list(range(len(like.shape)))
    return f.emit(
        like.shape,
        single.element,
        f"linalg.broadcast ins({single.name} : {single.type}) outs({empty.name} : {empty.type}) "
        f"dimensions = {dimensions}",
    )


def modelopt_floats(f: Weight) -> Value:
    """ModelOpt's NVFP4: the second scale multiplies."""
    codes = _small_floats(f, "weight")
    scale = _scale(f, "weight_scale", codes.shape)
    second = f.read("weight_scale_2")
    if int(np.prod(second.shape)) != 1 or second.element != "f32" or scale.element != "f8E4M3FN":
        raise f.error("weight_scale_2", "is not one f32 beside scales of F8_E4M3")
    f.block("weight_scale", scale.shape, codes.shape)
    f.convention = "ModelOpt NVFP4: weight_scale_2 multiplies the scales"
    return f.dequantize(codes, f.dequantize(scale, f.reshape(second, ())))


def blocks_inverse(f: Weight) -> Value:
    """DeepSeek's FP8: blocks of a weight, usually 128 by 128."""
    codes = f.read("weight", 2)
    scale = f.read("weight_scale_inv", 2)
    block = f.checkpoint.configuration.get("weight_block_size", [128, 128])
    source = "weight_block_size" if "weight_block_size" in f.checkpoint.configuration else "default"
    if (
        not isinstance(block, list)
        or len(block) != 2
        or not all(type(size) is int and 0 < size < 1 << 31 for size in block)
    ):
        raise f.error("weight_scale_inv", f"has the weight_block_size {block}")
    expected = tuple(-(-size // b) for size, b in zip(codes.shape, block))
    if scale.shape != expected:
        raise f.error(
            "weight_scale_inv",
            f"has the shape {list(scale.shape)}, expected {list(expected)} for blocks of {block}",
        )
    f.convention = f"DeepSeek FP8: weight_scale_inv multiplies, blocks of {block} ({source})"
    return f.dequantize(codes, scale, block=tuple(block))


def plain_codes(f: Weight) -> Value:
    """compressed-tensors int-quantized, float-quantized and naive-quantized; ModelOpt's FP8."""
    codes = f.read("weight", 2)
    if codes.element not in ("i8", *_F8):
        raise f.error("weight", f"has elements of {codes.element} beside weight_scale")
    scale = _scale(f, "weight_scale", codes.shape)
    structure = _weights_arguments(f).get("block_structure")
    block = f.block("weight_scale", scale.shape, codes.shape, structure)
    zeros = None
    if f.has("weight_zero_point"):
        zeros = f.read("weight_zero_point")
        if int(np.prod(zeros.shape)) != int(np.prod(scale.shape)):
            raise f.error("weight_zero_point", f"has the shape {list(zeros.shape)}")
        zeros = f.reshape(zeros, scale.shape)
    f.convention = f"codes of {codes.element} times weight_scale {list(scale.shape)}"
    return f.dequantize(codes, scale, zero_point=zeros, block=block)
