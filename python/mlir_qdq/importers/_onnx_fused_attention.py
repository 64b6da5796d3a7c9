# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and embeddings of ONNX Runtime's transformer optimizer, as operators of ONNX."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from ._onnx_fused_node import AXES_ARE_READ, FusedNode, Kept

_FILTER = -10000.0


def expand_attention(fused: FusedNode) -> None:
    """Inputs: data, weights of Q, K and V side by side, bias, mask, past, bias of the scores."""
    if fused.has(6):
        raise Kept
    product = fused.make("MatMul", *fused.operands[:2])
    if fused.has(2):
        product = fused.make("Add", product, fused.operands[2])
    _attend_packed(fused, product, fused.operands[1], mask=3, past=4, bias=5)


def expand_quantized_attention(fused: FusedNode) -> None:
    """Inputs: data, weights, bias, their scales, mask, their zero points, past."""
    x, weight, bias, x_scale, weight_scale = fused.operands[:5]
    points = [fused.operands[i] if fused.has(i) else "" for i in (6, 7)]
    operands = [x, weight, x_scale, weight_scale, *points, bias]
    product = fused.make("MatMulIntegerToFloat", *operands, domain="com.microsoft")
    _attend_packed(fused, product, bias, mask=5, past=8, bias=None)


def expand_multi_head_attention(fused: FusedNode) -> None:
    """Inputs: Q, K, V, their bias, mask of keys, bias of the scores, past keys, past values."""
    attributes, like = fused.attributes, fused.operands[0]
    if fused.makes(3) or any(fused.has(i) for i in range(8, len(fused.operands))):
        raise Kept
    if fused.has(6) != fused.has(7) or not (fused.has(1) and fused.has(2)):
        raise Kept
    heads, ranks = attributes["num_heads"], [fused.rank(name) for name in fused.operands[:3]]
    biases = [""] * 3
    if fused.has(3):
        if ranks != [3, 3, 3]:
            raise Kept
        widths = [fused.last_size(name) for name in fused.operands[:3]]
        biases = _split(fused, fused.operands[3], widths)
    parts = []
    for value, bias, rank in zip(fused.operands, biases, ranks):
        if rank == 4:  # [b, n, t, d]
            parts.append(value)
            continue
        if rank != 3:
            raise Kept
        value = fused.make("Add", value, bias) if bias else value
        parts.append(_by_head(fused, value, heads))
    cached = parts[1:]
    if fused.has(6):
        cached = [fused.make("Concat", fused.operands[6 + i], part, axis=2) for i, part in enumerate(cached)]  # fmt: skip
    depth = fused.last_size(fused.operands[0]) // heads
    mixed = _attend(fused, [parts[0], *cached], like, depth, mask=4, bias=5)
    fused.finish(mixed)
    for result, cache in enumerate(cached, 1):
        if fused.makes(result):
            fused.finish(cache, result)


def _split(fused: FusedNode, value: str, sizes: list[int]) -> list[str]:
    if fused.opset < AXES_ARE_READ:
        return fused.make_list("Split", 3, value, axis=-1, split=sizes)
    return fused.make_list("Split", 3, value, fused.integers(*sizes), axis=-1)


def _by_head(fused: FusedNode, value: str, heads: int) -> str:
    """[b, s, n * d] as [b, n, s, d]."""
    return fused.make("Transpose", fused.reshape(value, 0, 0, heads, -1), perm=[0, 2, 1, 3])


def _attend_packed(
    fused: FusedNode, product: str, like: str, mask: int, past: int, bias: int | None
) -> None:
    """`product`: Q, K and V side by side, of the type of `like`. `mask`, `past`, `bias`: operands."""
    unknown = ("do_rotary", "past_present_share_buffer")
    if any(fused.attributes.get(name, 0) for name in unknown):
        raise Kept
    heads = fused.attributes["num_heads"]
    total = fused.last_size(fused.operands[1])
    sizes = list(fused.attributes.get("qkv_hidden_sizes", ())) or [total // 3] * 3
    if sum(sizes) != total or sizes[0] != sizes[1] or any(size % heads for size in sizes):
        raise Kept
    parts = [_by_head(fused, part, heads) for part in _split(fused, product, sizes)]
    has_cache = fused.has(past) or fused.makes(1)
    if has_cache and (sizes[0] != sizes[2] or fused.opset < AXES_ARE_READ):
        raise Kept
    if fused.has(past):
        old = fused.make_list("Split", 2, fused.operands[past], fused.integers(1, 1), axis=0)
        for i, part in enumerate(old, 1):
            part = fused.make("Squeeze", part, fused.integers(0))
            parts[i] = fused.make("Concat", part, parts[i], axis=2)
    present = parts[1:]
    fused.finish(_attend(fused, parts, like, sizes[0] // heads, mask, bias))
    if fused.makes(1):
        pair = [fused.make("Unsqueeze", part, fused.integers(0)) for part in present]
        fused.finish(fused.make("Concat", *pair, axis=0), 1)


def _attend(
    fused: FusedNode, parts: list[str], like: str, depth: int, mask: int, bias: int | None
) -> str:
    """Of Q [b, n, s, d], K and V [b, n, t, d]: [b, s, n * d]. `mask`, `bias`: operands."""
    q, k, v = parts
    scale = fused.attributes.get("scale", 0.0) or depth**-0.5
    transposed = fused.make("Transpose", k, perm=[0, 1, 3, 2])
    scores = fused.make("Mul", fused.make("MatMul", q, transposed), fused.number(scale, like))
    if fused.has(mask):
        scores = fused.make("Add", scores, _mask(fused, fused.operands[mask], k, like))
    if bias is not None and fused.has(bias):
        scores = fused.make("Add", scores, fused.operands[bias])
    if fused.attributes.get("unidirectional", 0):
        places = [fused.range(fused.size(part, 2)) for part in (q, k)]
        behind = fused.make("Sub", fused.size(k, 2), fused.size(q, 2))
        last = fused.unsqueeze(fused.make("Add", places[0], behind), 1)
        is_seen = fused.make("LessOrEqual", places[1], last)
        scores = fused.make("Where", is_seen, scores, fused.number(-math.inf, like))
    mixed = fused.make("MatMul", fused.make("Softmax", scores, axis=-1), v)
    return fused.reshape(fused.make("Transpose", mixed, perm=[0, 2, 1, 3]), 0, 0, -1)


def _mask(fused: FusedNode, mask: str, keys: str, like: str) -> str:
    """What the scores add: 0 where the mask is positive, or before the end of each sequence."""
    rank = fused.rank(mask)
    if rank == 1:  # twice as long: starts, too
        batch, length = (fused.types.sizes(name)[0] for name in (fused.operands[0], mask))
        if batch != length:
            raise Kept
        places = fused.make("Cast", fused.range(fused.size(keys, 2)), to=TensorProto.INT32)
        inside = fused.make("Less", places, fused.unsqueeze(mask, 1, 2, 3))
    elif rank in (2, 3):
        zero = fused.constant(np.array(0, np.int32))
        axes = [1, 2] if rank == 2 else [1]
        inside = fused.make("Greater", fused.unsqueeze(mask, *axes), zero)
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
    if positions is None:
        positions = fused.range(fused.size(ids, 1))
    total = fused.make("Gather", tables[0], ids, axis=0)
    total = fused.make("Add", total, fused.make("Gather", tables[1], positions, axis=0))
    if fused.has(1) and tables[2]:
        segments = fused.make("Gather", tables[2], fused.operands[1], axis=0)
        total = fused.make("Add", total, segments)
    epsilon = fused.attributes.get("epsilon", 1e-12)
    value = fused.make("LayerNormalization", total, *weights, axis=-1, epsilon=epsilon)
    fused.finish(value)
    if fused.makes(1):
        fused.finish(_ends(fused, ids), 1)
    if fused.makes(2):
        fused.finish(total, 2)


def _ends(fused: FusedNode, ids: str) -> str:
    """The number of ones in each row of the mask; 0 without one."""
    if not fused.has(7):
        return fused.make("Expand", fused.constant(np.zeros(1, np.int32)), fused.size(ids, 0))
    one = fused.constant(np.array(1, np.int32))
    ones = fused.make("Cast", fused.make("Equal", fused.operands[7], one), to=TensorProto.INT32)
    if fused.opset < AXES_ARE_READ:
        return fused.make("ReduceSum", ones, axes=[1], keepdims=0)
    axes = fused.constant(np.array([1], np.int64))
    return fused.make("ReduceSum", ones, axes, keepdims=0)
