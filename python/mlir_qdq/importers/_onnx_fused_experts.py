# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MoE and QMoE: mixtures of experts, as ONNX Runtime's CPU kernels compute them. Constant 8-bit weights
in blocks give other results there than the same weights as arguments, by up to 1e-2; here they give those.

Each expert computes all tokens; those that a token's router did not choose add nothing to it.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from ._onnx_fused_node import AXES_ARE_READ, FusedNode, Kept

#: Operands of QMoE.
_FC3, _ZERO_POINTS, _ROUTER_WEIGHTS, _FLOAT_SCALES = (8, 9, 10, 13), 11, 14, range(15, 21)
_BITS_PER_BYTE = 8
#: 3 bits cross the borders of bytes.
_WIDTHS = (2, 4, 8)
_INTERLEAVED = 1


def expand_experts(fused: FusedNode) -> None:
    """Inputs: tokens, router, then weights and bias of each of two layers [experts, outputs, inputs]."""
    weights, biases = (2, 4), (3, 5)
    if not fused.has(4) or fused.has(6) or fused.has(7):
        raise Kept
    scores = _Chosen(fused)
    if fused.attributes.get("normalize_routing_weights", 0):
        shares = fused.make("Softmax", scores.values, axis=-1)
    else:
        whole = fused.make("Softmax", fused.operands[1], axis=-1)
        shares = fused.make("GatherElements", whole, scores.places, axis=1)
    layers = [
        (fused.operands[weight], fused.operands[bias] if fused.has(bias) else "")
        for weight, bias in zip(weights, biases)
    ]
    _mix(fused, layers, scores.places, shares)


def expand_quantized_experts(fused: FusedNode) -> None:
    """The same with codes, and their scales behind the weights; a softmax of the chosen scores alone."""
    given = fused.attributes
    if (
        any(fused.has(operand) for operand in (*_FC3, *_FLOAT_SCALES))
        or given.get("quant_type", b"int") != b"int"
        or given.get("weights_prepacked", -1) == 1
    ):
        raise Kept
    layers = []
    for layer, (weight, scale, bias) in enumerate([(2, 3, 4), (5, 6, 7)]):
        own = given.get(f"fc{layer + 1}_expert_weight_bits", given.get("expert_weight_bits", 4))
        values = _dequantize(fused, weight, scale, _ZERO_POINTS + layer, own)
        layers.append((values, fused.operands[bias] if fused.has(bias) else ""))
    scores = _Chosen(fused)
    if fused.has(_ROUTER_WEIGHTS):
        router = fused.operands[_ROUTER_WEIGHTS]
        shares = fused.make("GatherElements", router, scores.places, axis=1)
        if given.get("normalize_routing_weights", 0):
            total = fused.make("ReduceSum", shares, fused.integers(1), keepdims=1)
            shares = fused.make("Div", shares, total)
    else:
        shares = fused.make("Softmax", scores.values, axis=-1)
    _mix(fused, layers, scores.places, shares)


class _Chosen:
    """The best scores of each token and their experts; of equal ones, the last experts."""

    def __init__(self, fused: FusedNode):
        given = fused.attributes
        if (
            fused.opset < AXES_ARE_READ
            or fused.types.element(fused.operands[0]) != TensorProto.FLOAT
            or given.get("use_sparse_mixer", 0)
        ):
            raise Kept
        count = (fused.types.sizes(fused.operands[2]) or [None])[0]
        if count is None:
            raise Kept
        # TopK prefers the first ones.
        turned = fused.integers(*reversed(range(count)))
        router = fused.make("Gather", fused.operands[1], turned, axis=1)
        chosen = fused.integers(given.get("k", 1))
        self.values, places = fused.make_list("TopK", 2, router, chosen, axis=1)
        self.places = fused.make("Sub", fused.integers(count - 1), places)


def _unpack(fused: FusedNode, packed: str, bits: int, count: int) -> str:
    """The first `count` codes of each row, of which a byte holds the first one in its low bits."""
    if bits == _BITS_PER_BYTE:
        return packed
    cells = fused.reshape(packed, 0, 0, -1, 1)
    base = fused.constant(np.uint8(1 << bits))
    parts = []
    for low in range(0, _BITS_PER_BYTE, bits):
        shifted = fused.make("Div", cells, fused.constant(np.uint8(1 << low))) if low else cells
        parts.append(fused.make("Mod", shifted, base))
    codes = fused.reshape(fused.make("Concat", *parts, axis=-1), 0, 0, -1)
    ends = fused.integers(0), fused.integers(count), fused.integers(2)
    return fused.make("Slice", codes, *ends)


def _dequantize(fused: FusedNode, weight: int, scale: int, zero_point: int, bits: int) -> str:
    """(code - zero point) * scale in f32, by blocks of the inputs."""
    if not fused.has(weight) or not fused.has(scale):
        raise Kept
    packed, sizes = fused.operands[weight], fused.types.sizes(fused.operands[weight])
    scales = fused.types.sizes(fused.operands[scale])
    if bits not in _WIDTHS or len(sizes) != 3 or None in sizes or len(scales) not in (2, 3):
        raise Kept
    experts, outputs, inputs = sizes[0], sizes[1], sizes[2] * (_BITS_PER_BYTE // bits)
    blocks = scales[2] if len(scales) == 3 else 1
    if (
        not blocks
        or inputs % blocks
        or fused.types.element(fused.operands[scale]) != TensorProto.FLOAT
    ):
        raise Kept
    one, middle = fused.constant(np.float32(1)), fused.constant(np.uint8(1 << bits - 1))
    codes = _unpack(fused, packed, bits, inputs)
    values = fused.make("DequantizeLinear", codes, one, fused.constant(np.uint8(0)))
    values = fused.reshape(values, experts, outputs, blocks, -1)
    zero = fused.make("DequantizeLinear", middle, one, fused.constant(np.uint8(0)))
    if fused.has(zero_point):
        # Without blocks, the outputs of an expert are packed as one row.
        rows = (experts, outputs) if len(scales) == 3 else (1, experts)
        zero = fused.reshape(fused.operands[zero_point], *rows, -1)
        zero = _unpack(fused, zero, bits, blocks if len(scales) == 3 else outputs)
        zero = fused.make("DequantizeLinear", zero, one, fused.constant(np.uint8(0)))
        zero = fused.reshape(zero, experts, outputs, blocks, 1)
    factors = fused.reshape(fused.operands[scale], experts, outputs, blocks, 1)
    values = fused.make("Mul", fused.make("Sub", values, zero), factors)
    return fused.reshape(values, experts, outputs, inputs)


def _activate(fused: FusedNode, value: str) -> str:
    given, like = fused.attributes, fused.operands[0]
    kind = given.get("activation_type", b"relu")
    if kind == b"identity":
        return value
    if kind == b"relu":
        return fused.make("Relu", value)
    if kind == b"gelu":
        return fused.make("Gelu", value, approximate="tanh")
    if kind == b"silu":
        return fused.make("Mul", value, fused.make("Sigmoid", value))
    if (
        kind != b"swiglu"
        or given.get("swiglu_fusion", 0) != _INTERLEAVED
        or given.get("swiglu_limit_after_activation", 0)
    ):
        raise Kept
    pairs = fused.reshape(value, 0, 0, -1, 2)
    halves = fused.make_list("Split", 2, pairs, fused.integers(1, 1), axis=-1)
    gate, linear = (fused.reshape(half, 0, 0, -1) for half in halves)
    limit = given.get("swiglu_limit", np.inf)
    if np.isfinite(limit):
        most, least = fused.number(limit, like), fused.number(-limit, like)
        gate = fused.make("Min", gate, most)
        linear = fused.make("Clip", linear, least, most)
    alpha = fused.number(given.get("activation_alpha", 1.0), like)
    beta = fused.number(given.get("activation_beta", 0.0), like)
    swish = fused.make("Mul", gate, fused.make("Sigmoid", fused.make("Mul", alpha, gate)))
    return fused.make("Mul", swish, fused.make("Add", linear, beta))


def _layer(fused: FusedNode, tokens: str, weight: str, bias: str) -> str:
    value = fused.make("MatMul", tokens, fused.make("Transpose", weight, perm=[0, 2, 1]))
    return fused.make("Add", value, fused.unsqueeze(bias, 1)) if bias else value


def _mix(fused: FusedNode, layers, places: str, shares: str) -> None:
    """`layers`: floats [experts, outputs, inputs], and a bias or "".

    `shares`: [tokens, k], of the experts at `places`.
    """
    tokens, router = fused.operands[:2]
    width = fused.size(tokens, -1)
    rows = fused.unsqueeze(fused.reshape(tokens, fused.integers(-1), width), 0)
    hidden = _activate(fused, _layer(fused, rows, *layers[0]))
    results = _layer(fused, hidden, *layers[1])
    # [tokens, experts]
    zeros = fused.make("Expand", fused.number(0, tokens), fused.make("Shape", router))
    ones = fused.make("Expand", fused.number(1, tokens), fused.make("Shape", places))
    chosen, weights = (
        fused.make("ScatterElements", zeros, places, values, axis=1) for values in (ones, shares)
    )
    chosen, weights = (
        fused.unsqueeze(fused.make("Transpose", table, perm=[1, 0]), 2)
        for table in (chosen, weights)
    )
    zero = fused.number(0, tokens)
    # An expert that nobody asked may have overflowed.
    parts = fused.make(
        "Where", fused.make("Greater", chosen, zero), fused.make("Mul", results, weights), zero
    )
    total = fused.make("ReduceSum", parts, fused.integers(0), keepdims=0)
    fused.finish(fused.make("Reshape", total, fused.make("Shape", tokens)))
