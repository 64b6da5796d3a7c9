# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over a cache of keys and values, and rotary embeddings, as operators of ONNX.

Large language models of onnxruntime-genai and Olive hold them. In comments, b is the batch, s the
new steps, t the slots of the cache, n the heads, k those of keys and values, g = n / k, d the width
of a head.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from onnx import TensorProto

from ._onnx_fused_codes import CacheElements
from ._onnx_fused_node import FusedNode, Kept

#: The place of a slot without a key: behind every step.
_NOWHERE = 1 << 40
#: The attributes that `expand_group_query_attention` follows, and values that change nothing.
_FOLLOWED = frozenset(
    "causal do_rotary k_quant_type kv_cache_bit_width kv_num_heads local_window_size num_heads"
    " rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type".split()
)
_NEUTRAL = {"qk_output": 0}
#: Operands, and how many there are.
_BIAS, _SINK, _K_SCALE, _V_SCALE, _COUNT = 10, 11, 12, 13, 14


@dataclass
class _Steps:
    """The new steps. `count`: s, `is_prompt`: there are no old ones, both [1], `lengths`: slots with a key in the end,
    `start`: in the beginning, both [b, 1]; `places`: of each step among all, [b, s]."""

    count: str
    is_prompt: str
    lengths: str
    start: str
    places: str


@dataclass
class _Slots:
    """What steps see. `count`: t, `places`: of each slot among all, [t] or [b, 1, 1, 1, t]."""

    count: str
    places: str
    keys: str
    values: str
    cached: list[str]


def expand_group_query_attention(fused: FusedNode) -> None:
    """Inputs: Q, K, V (or all in Q), past keys and values, number of valid slots less one [b], of all
    slots, tables of cosines and sines, positions, bias of the scores, sink of each head, scales of
    the cached keys and values."""
    attributes = fused.attributes
    for name, value in attributes.items():
        if name not in _FOLLOWED and _NEUTRAL.get(name) != value:
            raise Kept
    if fused.makes(3) or any(fused.has(i) for i in range(_COUNT, len(fused.operands))):
        raise Kept
    heads, groups = attributes["num_heads"], attributes["kv_num_heads"]
    if heads % groups or fused.has(1) != fused.has(2) or fused.has(3) != fused.has(4):
        raise Kept
    depth = fused.last_size(fused.operands[0]) // (heads if fused.has(1) else heads + 2 * groups)
    q, *new = _heads(fused, heads, groups)
    steps = _steps(fused)
    if attributes.get("do_rotary", 0):
        q, new[0] = _rotate(fused, [q, new[0]], steps, depth)
    caches = [
        CacheElements(fused, 3, "k_quant_type", _K_SCALE),
        CacheElements(fused, 4, "v_quant_type", _V_SCALE),
    ]
    new = [cache.encode(rows) for cache, rows in zip(caches, new)]
    is_windowed = attributes.get("sliding_window_cache", 0)
    zeros = [cache.zero for cache in caches]
    slots = (_windowed if is_windowed else _growing)(fused, new, zeros, steps)
    keys, values = (cache.decode(seen) for cache, seen in zip(caches, (slots.keys, slots.values)))
    # [b, s, n, d] to [b, k, g * s, d]
    q = fused.reshape(q, 0, 0, groups, -1, depth)
    q = fused.reshape(fused.make("Transpose", q, perm=[0, 2, 3, 1, 4]), 0, 0, -1, depth)
    scores = fused.make("MatMul", q, fused.make("Transpose", keys, perm=[0, 1, 3, 2]))
    scale = attributes.get("scale", 0.0) or depth**-0.5
    scores = fused.make("Mul", scores, fused.number(scale, fused.operands[0]))
    scores = fused.reshape(scores, 0, 0, heads // groups, steps.count, slots.count)
    weights = _softmax(fused, _masked(fused, scores, steps, slots), slots)
    mixed = fused.make("MatMul", fused.reshape(weights, 0, 0, -1, slots.count), values)
    mixed = fused.reshape(mixed, 0, 0, heads // groups, steps.count, depth)
    mixed = fused.make("Transpose", mixed, perm=[0, 3, 1, 2, 4])
    fused.finish(fused.reshape(mixed, 0, 0, heads * depth))
    for result, cached in enumerate(slots.cached, 1):
        if fused.makes(result):
            fused.finish(cached, result)


def _heads(fused: FusedNode, heads: int, groups: int) -> list[str]:
    """Q, K and V as [b, s, heads, d]."""
    if fused.has(1):
        counts = (heads, groups, groups)
        return [fused.reshape(fused.operands[i], 0, 0, n, -1) for i, n in enumerate(counts)]
    packed = fused.reshape(fused.operands[0], 0, 0, heads + 2 * groups, -1)
    return fused.make_list("Split", 3, packed, fused.integers(heads, groups, groups), axis=2)


def _total(fused: FusedNode) -> str:
    return fused.reshape(fused.make("Cast", fused.operands[6], to=TensorProto.INT64), 1)


def _steps(fused: FusedNode) -> _Steps:
    count = fused.size(fused.operands[0], 1)
    last = fused.make("Cast", fused.operands[5], to=TensorProto.INT64)
    lengths = fused.unsqueeze(fused.make("Add", last, fused.integers(1)), 1)
    is_prompt = fused.make("Equal", count, _total(fused))
    before = fused.make("Sub", lengths, count)
    start = fused.make("Where", is_prompt, fused.integers(0), before)
    places = fused.make("Add", start, fused.range(count))
    return _Steps(count, is_prompt, lengths, start, places)


def _rows(fused: FusedNode, places: str, steps: _Steps, first: str, old: str) -> str:
    """Where the slots at `places` [b, t] lie in the old rows, of which there are `old` and `first` [b, 1]
    is the place of, and the new rows behind them: [b, 1, t, 1]."""
    own = fused.make("Sub", places, first)
    last = fused.make("Sub", steps.count, fused.integers(1))
    step = fused.make("Max", fused.make("Sub", places, steps.start), fused.integers(0))
    new = fused.make("Add", fused.make("Min", step, last), old)
    rows = fused.make("Where", fused.make("Less", places, steps.start), own, new)
    return fused.unsqueeze(rows, 1, 3)


def _taken(fused: FusedNode, values: str, rows: str) -> str:
    """The rows of [b, k, rows, d]."""
    groups = fused.attributes["kv_num_heads"]
    rows = fused.make("Expand", rows, fused.integers(1, groups, 1, 1))
    return fused.make("GatherND", values, rows, batch_dims=2)


def _by_group(fused: FusedNode, rows: str) -> str:
    """[b, s, k, d] as [b, k, s, d]."""
    return fused.make("Transpose", rows, perm=[0, 2, 1, 3])


def _growing(fused: FusedNode, new: list[str], zeros: list[str], steps: _Steps) -> _Slots:
    """Slots are places. The new steps follow the old ones, and zeros follow them."""
    values = [_by_group(fused, rows) for rows in new]
    if not fused.has(3):
        return _Slots(steps.count, fused.range(steps.count), *values, values)
    old = fused.size(fused.operands[3], 2)
    more = fused.make("Max", fused.make("Sub", _total(fused), old), fused.integers(0))
    is_old = fused.unsqueeze(fused.make("Less", fused.range(old), steps.start), 1, 3)
    sizes = [fused.size(fused.operands[3], dim) for dim in range(4)]
    ends = fused.make("Concat", *sizes[:2], more, sizes[3], axis=0)
    places = fused.unsqueeze(steps.places, 1, 3)
    cached = []
    for operand, (rows, zero) in enumerate(zip(values, zeros), 3):
        kept = fused.make("Where", is_old, fused.operands[operand], zero)
        kept = fused.make("Concat", kept, fused.make("Expand", zero, ends), axis=2)
        own = fused.make("Expand", places, fused.make("Shape", rows))
        cached.append(fused.make("ScatterElements", kept, own, rows, axis=2))
    count = fused.size(cached[0], 2)
    return _Slots(count, fused.range(count), *cached, cached)


def _windowed(fused: FusedNode, new: list[str], zeros: list[str], steps: _Steps) -> _Slots:
    """A cache of c slots holds the last places, at least a window of w: of T, T - g * ceil((T - c) / g),
    where g = c - w + 1, and steps see those and themselves."""
    window = fused.attributes.get("local_window_size", -1)
    if not fused.has(3) or fused.has(_BIAS) or window <= 0:
        raise Kept
    capacity = fused.size(fused.operands[3], 2)
    slack = fused.make("Sub", capacity, fused.integers(window))
    stride = fused.make("Add", slack, fused.integers(1))

    def begin(total: str) -> str:
        """The first place that the cache holds, [b, 1]."""
        over = fused.make("Add", fused.make("Sub", total, capacity), slack)
        over = fused.make("Max", over, fused.integers(0))
        return fused.make("Mul", fused.make("Div", over, stride), stride)

    slots = fused.range(capacity)
    first = begin(steps.start)
    held = fused.make("Add", slots, first)
    is_held = fused.make("Less", held, steps.start)
    places = fused.make("Where", is_held, held, fused.integers(_NOWHERE))
    places = fused.unsqueeze(fused.make("Concat", places, steps.places, axis=1), 1, 2, 3)
    is_held = fused.unsqueeze(is_held, 1, 3)
    later = fused.make("Add", slots, begin(steps.lengths))
    rows = _rows(fused, later, steps, first, capacity)
    seen, cached = [], []
    for operand, (values, zero) in enumerate(zip(new, zeros), 3):
        old = fused.make("Where", is_held, fused.operands[operand], zero)
        seen.append(fused.make("Concat", old, _by_group(fused, values), axis=2))
        cached.append(_taken(fused, seen[-1], rows))
    return _Slots(fused.make("Add", capacity, steps.count), places, *seen, cached)


def _masked(fused: FusedNode, scores: str, steps: _Steps, slots: _Slots) -> str:
    """The scores [b, k, g, s, t] of slots with a key up to the place of each step, at most a window
    of them."""
    attributes, like = fused.attributes, fused.operands[0]
    if softcap := attributes.get("softcap", 0.0):
        cap = fused.number(softcap, like)
        scores = fused.make("Mul", fused.make("Tanh", fused.make("Div", scores, cap)), cap)
    if fused.has(_BIAS):
        bias, heads = fused.operands[_BIAS], attributes["num_heads"]
        bias = fused.make("Expand", bias, fused.integers(1, heads, 1, 1))
        own = attributes["kv_num_heads"], heads // attributes["kv_num_heads"]
        bias = fused.reshape(bias, 0, *own, fused.size(bias, 2), -1)
        scores = fused.make("Add", scores, bias)
    step = fused.unsqueeze(steps.places, 1, 2, 4)
    end = fused.unsqueeze(steps.lengths, 1, 2, 3)
    is_seen = fused.make("Less", slots.places, end)
    if attributes.get("causal", 1):
        is_before = fused.make("LessOrEqual", slots.places, step)
        is_seen = fused.make("And", is_seen, is_before)
    window = attributes.get("local_window_size", -1)
    if window > 0:
        begin = fused.make("Sub", step, fused.integers(window))
        is_seen = fused.make("And", is_seen, fused.make("Greater", slots.places, begin))
    return fused.make("Where", is_seen, scores, fused.number(-math.inf, like))


def _softmax(fused: FusedNode, scores: str, slots: _Slots) -> str:
    if not fused.has(_SINK) and not fused.attributes.get("smooth_softmax", 0):
        return fused.make("Softmax", scores, axis=-1)
    # One more slot, without a value.
    sink = fused.number(0, fused.operands[0])
    if fused.has(_SINK):
        sink = fused.reshape(fused.operands[_SINK], 1, fused.attributes["kv_num_heads"], -1, 1, 1)
    shape = [*(fused.size(scores, dim) for dim in range(4)), fused.integers(1)]
    sink = fused.make("Expand", sink, fused.make("Concat", *shape, axis=0))
    weights = fused.make("Softmax", fused.make("Concat", scores, sink, axis=-1), axis=-1)
    return fused.make("Slice", weights, fused.integers(0), slots.count, fused.integers(-1))


def _rotate(fused: FusedNode, values: list[str], steps: _Steps, depth: int) -> list[str]:
    """[b, s, heads, d], of which the first elements of each head turn, twice as many as a table has."""
    half = fused.last_size(fused.operands[7])
    positions = steps.places
    if fused.has(9):
        # The kernel counts the steps of a prompt from the very first position on.
        first = fused.make(
            "Gather", fused.reshape(fused.operands[9], -1), fused.integers(0), axis=0
        )
        counted = fused.make("Add", first, fused.range(steps.count))
        positions = fused.make("Where", steps.is_prompt, counted, fused.operands[9])
    tables = _angles(fused, 7, positions, 0, 0, 1, half)
    interleaved = fused.attributes.get("rotary_interleaved", 0)
    return [_turn(fused, x, *tables, depth, half, interleaved) for x in values]


def _angles(fused: FusedNode, table: int, positions: str, *shape: int) -> list[str]:
    """Cosines and sines at the positions. `table`: the operand of the cosines, before the sines."""
    rows = (fused.make("Gather", fused.operands[table + i], positions, axis=0) for i in (0, 1))
    return [fused.reshape(row, *shape) for row in rows]


def _turn(
    fused: FusedNode, x: str, cos: str, sin: str, depth: int, half: int, interleaved: int
) -> str:
    if depth < 2 * half:
        raise Kept
    pairs, rest = x, []
    if depth > 2 * half:
        sizes = fused.integers(2 * half, depth - 2 * half)
        pairs, *rest = fused.make_list("Split", 2, x, sizes, axis=-1)
    if interleaved:
        pairs = fused.reshape(pairs, 0, 0, 0, half, 2)
        first, second = fused.make_list("Split", 2, pairs, fused.integers(1, 1), axis=-1)
        first, second = (fused.reshape(part, 0, 0, 0, half) for part in (first, second))
    else:
        first, second = fused.make_list("Split", 2, pairs, fused.integers(half, half), axis=-1)

    def product(lhs: str, rhs: str) -> str:
        return fused.make("Mul", lhs, rhs)

    turned = [
        fused.make("Sub", product(first, cos), product(second, sin)),
        fused.make("Add", product(second, cos), product(first, sin)),
    ]
    if interleaved:
        turned = [fused.reshape(part, 0, 0, 0, half, 1) for part in turned]
        both = fused.make("Concat", *turned, axis=-1)
        turned = [fused.reshape(both, 0, 0, 0, 2 * half)]
    return fused.make("Concat", *turned, *rest, axis=-1)


def expand_rotary_embedding(fused: FusedNode) -> None:
    """Inputs: x [b, s, n * d] or [b, n, s, d], positions [b, s] or the first one [1], tables."""
    attributes, x = fused.attributes, fused.operands[0]
    if attributes.get("is_packed_batching", 0) or attributes.get("scale", 1.0) != 1:
        raise Kept
    rank, half = fused.rank(x), fused.last_size(fused.operands[2])
    if rank == 4:
        steps = fused.make("Transpose", x, perm=[0, 2, 1, 3])
        depth = fused.last_size(x)
    elif rank == 3:
        heads = attributes.get("num_heads", 0)
        depth = fused.last_size(x) // heads if heads else 2 * half
        steps = fused.reshape(x, 0, 0, -1, depth)
    else:
        raise Kept
    positions = fused.operands[1]
    if fused.types.sizes(positions) == [1]:
        positions = fused.make("Add", positions, fused.range(fused.size(steps, 1)))
        shape = (1, -1, 1, half)
    elif fused.rank(positions) == 2:
        shape = (0, 0, 1, half)
    else:
        raise Kept
    cos, sin = _angles(fused, 2, positions, *shape)
    turned = _turn(fused, steps, cos, sin, depth, half, attributes.get("interleaved", 0))
    if rank == 4:
        fused.finish(fused.make("Transpose", turned, perm=[0, 2, 1, 3]))
    else:
        fused.finish(fused.reshape(turned, 0, 0, fused.last_size(x)))
