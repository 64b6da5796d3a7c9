# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and embeddings of ONNX Runtime's transformer optimizer, as operators of ONNX."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from ._onnx_fused_node import FusedNode, Kept

#: Since this operator set, ReduceSum reads its axes.
_AXES_ARE_READ = 13
_FILTER = -10000.0


def expand_attention(fused: FusedNode) -> None:
    """Inputs: data, weights of Q, K and V side by side, bias, mask, past, bias of the scores."""
    if fused.has(4) or fused.has(6):
        raise Kept
    product = fused.make("MatMul", *fused.operands[:2])
    if fused.has(2):
        product = fused.make("Add", product, fused.operands[2])
    _attend(fused, product, fused.operands[1], 3, 5)


def expand_quantized_attention(fused: FusedNode) -> None:
    """Inputs: data, weights, bias, their scales, mask, their zero points, past."""
    if fused.has(8):
        raise Kept
    x, weight, bias, x_scale, weight_scale = fused.operands[:5]
    points = [fused.operands[i] if fused.has(i) else "" for i in (6, 7)]
    operands = [x, weight, x_scale, weight_scale, *points, bias]
    product = fused.make("MatMulIntegerToFloat", *operands, domain="com.microsoft")
    _attend(fused, product, bias, 5, None)


def _attend(fused: FusedNode, product: str, like: str, mask: int, bias: int | None) -> None:
    """`product`: Q, K and V side by side, of the type of `like`. `mask`, `bias`: their operands."""
    unknown = ("unidirectional", "do_rotary", "past_present_share_buffer")
    if fused.makes(1) or any(fused.attributes.get(name, 0) for name in unknown):
        raise Kept
    heads = fused.attributes["num_heads"]
    total = fused.shape(fused.operands[1])[-1]
    sizes = list(fused.attributes.get("qkv_hidden_sizes", ())) or [total // 3] * 3
    if sum(sizes) != total or sizes[0] != sizes[1] or any(size % heads for size in sizes):
        raise Kept
    bounds = [fused.constant(np.array(sizes, np.int64))]
    given = {}
    if fused.opset < _AXES_ARE_READ:
        bounds, given = [], {"split": sizes}
    parts = fused.make_list("Split", 3, product, *bounds, axis=-1, **given)
    perms = [0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]
    q, k, v = (
        fused.make("Transpose", _reshape(fused, part, [0, 0, heads, size // heads]), perm=perm)
        for part, size, perm in zip(parts, sizes, perms)
    )
    scale = fused.attributes.get("scale", 0.0) or (sizes[0] // heads) ** -0.5
    scores = fused.make("Mul", fused.make("MatMul", q, k), fused.number(scale, like))
    if fused.has(mask):
        scores = fused.make("Add", scores, _mask(fused, fused.operands[mask], like))
    if bias is not None and fused.has(bias):
        scores = fused.make("Add", scores, fused.operands[bias])
    mixed = fused.make("MatMul", fused.make("Softmax", scores, axis=-1), v)
    mixed = fused.make("Transpose", mixed, perm=[0, 2, 1, 3])
    fused.finish(_reshape(fused, mixed, [0, 0, sizes[2]]))


def _reshape(fused: FusedNode, value: str, shape: list[int]) -> str:
    return fused.make("Reshape", value, fused.constant(np.array(shape, np.int64)))


def _mask(fused: FusedNode, mask: str, like: str) -> str:
    """What the scores add: 0 where the mask is positive, or before the end of each sequence."""
    rank = fused.rank(mask)
    if rank == 1:  # twice as long: starts, too
        batch, steps = fused.shape(fused.operands[0])[:2]
        if fused.shape(mask) != [batch]:
            raise Kept
        places = fused.constant(np.arange(steps, dtype=np.int32))
        ends = _reshape(fused, mask, [-1, 1, 1, 1])
        inside = fused.make("Less", places, ends)
    elif rank in (2, 3):
        zero = fused.constant(np.array(0, np.int32))
        shape = [0, 1, 1, -1] if rank == 2 else [0, 1, *fused.shape(mask)[1:]]
        inside = fused.make("Greater", _reshape(fused, mask, shape), zero)
    else:
        raise Kept
    lowest = fused.attributes.get("mask_filter_value", _FILTER)
    return fused.make("Where", inside, fused.number(0, like), fused.number(lowest, like))


def expand_embedding(fused: FusedNode) -> None:
    """Inputs: words, segments, tables of words, positions and segments, weights of the
    normalization, mask, positions."""
    positions = fused.operands[8] if fused.has(8) else None
    _embed(fused, [*fused.operands, ""][2:5], fused.operands[5:7], positions)


def expand_quantized_embedding(fused: FusedNode) -> None:
    """The same with codes; their scales and zero points follow the mask."""
    tables = [
        fused.make("DequantizeLinear", *(fused.operands[i] for i in (code, code + 6, code + 11)))
        if fused.has(code)
        else ""
        for code in range(2, 7)
    ]
    _embed(fused, tables[:3], tables[3:], None)


def _embed(fused: FusedNode, tables: list[str], weights: list[str], positions: str | None) -> None:
    ids = fused.operands[0]
    batch, steps = fused.shape(ids)
    if positions is None:
        places = np.arange(steps, dtype=np.int64)
        positions = fused.constant(places)
    total = fused.make("Gather", tables[0], ids, axis=0)
    total = fused.make("Add", total, fused.make("Gather", tables[1], positions, axis=0))
    if fused.has(1) and tables[2]:
        segments = fused.make("Gather", tables[2], fused.operands[1], axis=0)
        total = fused.make("Add", total, segments)
    epsilon = fused.attributes.get("epsilon", 1e-12)
    value = fused.make("LayerNormalization", total, *weights, axis=-1, epsilon=epsilon)
    fused.finish(value)
    if fused.makes(1):
        fused.finish(_ends(fused, [batch, steps]), 1)
    if fused.makes(2):
        fused.finish(total, 2)


def _ends(fused: FusedNode, shape: list[int]) -> str:
    """The number of ones in each row of the mask; 0 without one."""
    if not fused.has(7):
        return fused.make("Identity", fused.constant(np.zeros(shape[:1], np.int32)))
    one = fused.constant(np.array(1, np.int32))
    ones = fused.make("Cast", fused.make("Equal", fused.operands[7], one), to=TensorProto.INT32)
    if fused.opset < _AXES_ARE_READ:
        return fused.make("ReduceSum", ones, axes=[1], keepdims=0)
    axes = fused.constant(np.array([1], np.int64))
    return fused.make("ReduceSum", ones, axes, keepdims=0)
