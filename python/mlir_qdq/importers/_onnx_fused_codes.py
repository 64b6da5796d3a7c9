# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The elements of a cache of keys or values: floats, or codes of 8 or 4 bits with a scale.

ONNX Runtime multiplies by the reciprocal of the scale, rounds to the nearest even code and
saturates. Two codes of 4 bits are a byte, the first one in its low half, and 8 stands for 0.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from ._onnx_fused_node import FusedNode, Kept

_PER_BYTE, _HALF_BYTE, _ZERO = 2, 16, 8
#: By the attribute `kv_cache_bit_width`.
_ELEMENTS = {8: (np.int8, TensorProto.INT8), 4: (np.uint8, TensorProto.UINT8)}


class CacheElements:
    """Between floats and what the cache holds.

    `past`: the operand that is the cache; `quantization`: its attribute; `scale`: its operand, [1] or,
    for each channel, [1, k, 1, d].
    """

    def __init__(self, fused: FusedNode, past: int, quantization: str, scale: int):
        self.fused, self.groups = fused, fused.attributes["kv_num_heads"]
        kind = fused.attributes.get(quantization, b"NONE")
        self.is_float = kind == b"NONE"
        if self.is_float:
            self.zero = fused.number(0, fused.operands[0])
            return
        if (
            kind not in (b"PER_TENSOR", b"PER_CHANNEL")
            or not fused.has(past)
            or not fused.has(scale)
        ):
            raise Kept
        element, expected = _ELEMENTS.get(
            fused.attributes.get("kv_cache_bit_width", 0), (None, None)
        )
        if element is None or fused.types.element(fused.operands[past]) != expected:
            raise Kept
        self.is_packed = element == np.uint8
        self.scale, self.is_per_channel = fused.operands[scale], kind == b"PER_CHANNEL"
        self.zero = fused.constant(element(0))
        self.zero_point = fused.constant(element(_ZERO if self.is_packed else 0))

    def _scales(self, is_step_major: bool) -> str:
        """[k, 1, d] or, of floats [b, s, k, d], [k, d]; one number for the whole tensor."""
        if not self.is_per_channel:
            return self.fused.reshape(self.scale)
        sizes = (self.groups, -1) if is_step_major else (self.groups, 1, -1)
        return self.fused.reshape(self.scale, *sizes)

    def encode(self, floats: str) -> str:
        """`floats`: [b, s, k, d]."""
        if self.is_float:
            return floats
        fused = self.fused
        factor = fused.make("Reciprocal", self._scales(is_step_major=True))
        one = fused.constant(np.float32(1))
        scaled = fused.make("Mul", floats, factor)
        if self.is_packed:
            bounds = fused.constant(np.float32(-_ZERO)), fused.constant(np.float32(_ZERO - 1))
            scaled = fused.make("Clip", scaled, *bounds)
        codes = fused.make("QuantizeLinear", scaled, one, self.zero_point)
        if not self.is_packed:
            return codes
        pairs = fused.reshape(codes, 0, 0, 0, -1, _PER_BYTE)
        low, high = fused.make_list("Split", 2, pairs, fused.integers(1, 1), axis=-1)
        high = fused.make("Mul", high, fused.constant(np.uint8(_HALF_BYTE)))
        return fused.reshape(fused.make("Add", low, high), 0, 0, 0, -1)

    def decode(self, cache: str) -> str:
        """`cache`: [b, k, t, d or bytes]."""
        if self.is_float:
            return cache
        fused = self.fused
        if self.is_packed:
            half = fused.constant(np.uint8(_HALF_BYTE))
            cells = fused.reshape(cache, 0, 0, 0, -1, 1)
            parts = [fused.make(name, cells, half) for name in ("Mod", "Div")]
            cache = fused.reshape(fused.make("Concat", *parts, axis=-1), 0, 0, 0, -1)
        one = fused.constant(np.float32(1))
        codes = fused.make("DequantizeLinear", cache, one, self.zero_point)
        return fused.make("Mul", codes, self._scales(is_step_major=False))
