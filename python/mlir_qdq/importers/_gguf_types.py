# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GGUF's block types in `qdq.unpack` and `qdq.dequantize`: each function reads the blocks of one type.

A block is a row of bytes (`tensor<blocks x bytes x i8>`) and becomes a row of values (f32). The layouts are those of
ggml's `block_*` structs. d is a block's scale, m its minimum, q a code; the formula stands at each function.
"""

from __future__ import annotations

from ._weights import Function, Value

#: Name, elements and bytes of a block, and the reader; by the number in the file.
TYPES: dict[int, tuple[str, int, int, object]] = {}


def _block_type(number: int, name: str, elements: int, size: int):
    def register(reader):
        TYPES[number] = (name, elements, size, reader)
        return reader

    return register


class Block(Function):
    """A function that reads fields of blocks: `at` is a field's first byte."""

    def begin(self, data: Value) -> None:
        self.blocks = data
        self.count, self.size = data.shape

    def field(self, at: int, bits: int, count: int, element: str, order=None) -> Value:
        """`count` elements of `bits`, which fill their bytes; `order`: the element in each slot."""
        text = f"bits = {bits}, axis = 1, block = {count}, record = {self.size}, at = {at}"
        if order is not None:
            text += f", order = {list(order)}"
        return self.unpack(self.blocks, text, count, element)

    def half(self, at: int) -> Value:
        return self.field(at, 16, 1, "f16")

    def bytes(self, at: int, count: int) -> Value:
        return self.columns(self.blocks, at, count)

    def nibbles(self, at: int, count: int, element: str = "ui4", run: int = 16) -> Value:
        """The low nibbles of `run` bytes, then their high ones, and so on."""
        return self.interleaved(at, 4, count, element, run)

    def pairs(self, at: int, count: int, element: str = "ui2", run: int = 32) -> Value:
        """Two bits of each of `run` bytes, then the next two, and so on."""
        return self.interleaved(at, 2, count, element, run)

    def interleaved(self, at: int, bits: int, count: int, element: str, run: int) -> Value:
        """One field of each of `run` bytes, then the next of them, and so on."""
        fields = 8 // bits
        order, period = interleaved(run, fields, count), run * fields
        if period == count:
            return self.field(at, bits, count, element, order)
        # The bytes alone: each `run` of them is a block.
        words = f"bits = {bits}, axis = 1, block = {period}, order = {order[:period]}"
        return self.unpack(self.bytes(at, count // fields), words, count, element)

    def negated(self, value: Value) -> Value:
        return self.emit(value.shape, value.element, f"arith.negf {value.name} : {{type}}")

    def number(self, value: int, element: str = "i8") -> Value:
        return self.splat(value, (), element)


def interleaved(run: int, fields: int, count: int) -> list[int]:
    """Slot s of `count` holds which element, if `run` bytes hold one field of each, then the next."""
    order = []
    for slot in range(count):
        byte, field = divmod(slot, fields)
        group, position = divmod(byte, run)
        order.append((group * fields + field) * run + position)
    return order


# --- blocks of 32 ----------------------------------------------------------------


@_block_type(2, "Q4_0", 32, 18)
def _q4_0(f: Block) -> Value:
    """d (q - 8)"""
    codes = f.nibbles(2, 32)
    return f.dequantize(codes, f.half(0), zero_point=f.number(8, "ui4"))


@_block_type(3, "Q4_1", 32, 20)
def _q4_1(f: Block) -> Value:
    """d q + m"""
    return f.dequantize(f.nibbles(4, 32), f.half(0), bias=f.half(2))


def _five_bits(f: Block, high: int, low: int) -> Value:
    """A fifth bit from four bytes, as bits 0 to 31 of a word."""
    return f.join([(f.nibbles(low, 32, "i4"), 0), (f.field(high, 1, 32, "i1"), 4)])


@_block_type(6, "Q5_0", 32, 22)
def _q5_0(f: Block) -> Value:
    """d (q - 16)"""
    return f.dequantize(_five_bits(f, 2, 6), f.half(0), zero_point=f.number(16))


@_block_type(7, "Q5_1", 32, 24)
def _q5_1(f: Block) -> Value:
    """d q + m"""
    return f.dequantize(_five_bits(f, 4, 8), f.half(0), bias=f.half(2))


@_block_type(8, "Q8_0", 32, 34)
def _q8_0(f: Block) -> Value:
    """d q"""
    return f.dequantize(f.field(2, 8, 32, "i8"), f.half(0))


@_block_type(41, "Q1_0", 128, 18)
def _q1_0(f: Block) -> Value:
    """d (2 q - 1)"""
    codes = f.join([(f.field(2, 1, 128, "i1"), 1)])
    return f.dequantize(codes, f.half(0), zero_point=f.number(1))


@_block_type(42, "Q2_0", 64, 18)
def _q2_0(f: Block) -> Value:
    """d (q - 1)"""
    return f.dequantize(f.field(2, 2, 64, "ui2"), f.half(0), zero_point=f.number(1, "ui2"))


# --- blocks of 256, with codes as scales -----------------------------------------


@_block_type(10, "Q2_K", 256, 84)
def _q2_k(f: Block) -> Value:
    """(d sc) q - (m mn): a byte holds the codes of a scale and of a minimum for 16 values."""
    both = f.bytes(0, 16)
    scale = f.dequantize(f.binary("andi", both, 15), f.half(80))
    bias = f.dequantize(f.binary("shrui", both, 4), f.negated(f.half(82)))
    return f.dequantize(f.pairs(16, 256), scale, bias=bias)


@_block_type(11, "Q3_K", 256, 110)
def _q3_k(f: Block) -> Value:
    """(d (sc - 32)) (q - 4): the third bit of q lies apart, and so do two bits of sc."""
    low = f.field(96, 4, 16, "i4", interleaved(8, 2, 16))
    high = f.field(104, 2, 16, "i2", interleaved(4, 4, 16))
    scale = f.dequantize(f.join([(low, 0), (high, 4)]), f.half(108), zero_point=f.number(32))
    third = f.field(0, 1, 256, "i1", interleaved(32, 8, 256))
    codes = f.join([(f.pairs(32, 256, "i2"), 0), (third, 2)])
    return f.dequantize(codes, scale, zero_point=f.number(4))


def _scales_and_minima(f: Block, at: int) -> tuple[Value, Value]:
    """Eight codes of 6 bits each in 12 bytes: four of each lie whole in 8 bytes, whose upper bits are
    those of the other four.
    """
    scales, minima, rest = (f.bytes(at + offset, 4) for offset in (0, 4, 8))

    def whole(value: Value) -> Value:
        return f.binary("andi", value, 63)

    def upper(value: Value) -> Value:
        return f.binary("andi", f.binary("shrui", value, 2), 48)

    low = f.binary("andi", rest, 15)
    high = f.binary("shrui", rest, 4)
    return (
        f.halves(whole(scales), f.binary("ori", low, upper(scales))),
        f.halves(whole(minima), f.binary("ori", high, upper(minima))),
    )


def _with_minima(f: Block, codes: Value) -> Value:
    """(d sc) q - (m mn), from the first 16 bytes."""
    scales, minima = _scales_and_minima(f, 4)
    scale, bias = f.dequantize(scales, f.half(0)), f.dequantize(minima, f.negated(f.half(2)))
    return f.dequantize(codes, scale, bias=bias)


@_block_type(12, "Q4_K", 256, 144)
def _q4_k(f: Block) -> Value:
    return _with_minima(f, f.nibbles(16, 256, run=32))


@_block_type(13, "Q5_K", 256, 176)
def _q5_k(f: Block) -> Value:
    fifth = f.field(16, 1, 256, "i1", interleaved(32, 8, 256))
    return _with_minima(f, f.join([(f.nibbles(48, 256, "i4", run=32), 0), (fifth, 4)]))


@_block_type(14, "Q6_K", 256, 210)
def _q6_k(f: Block) -> Value:
    """(d sc) (q - 32): four bits of q, and two apart; sc is an i8."""
    codes = f.join([(f.nibbles(0, 256, "i4", run=64), 0), (f.pairs(128, 256, "i2"), 4)])
    scale = f.dequantize(f.field(192, 8, 16, "i8"), f.half(208))
    return f.dequantize(codes, scale, zero_point=f.number(32))


# --- three values ----------------------------------------------------------------


@_block_type(35, "TQ2_0", 256, 66)
def _tq2_0(f: Block) -> Value:
    """d (q - 1)"""
    return f.dequantize(f.pairs(0, 256), f.half(64), zero_point=f.number(1, "ui2"))


# --- plain ------------------------------------------------------------------------

#: Elements without blocks: name and MLIR's type, by the number in the file.
PLAIN = {
    0: ("F32", "f32"), 1: ("F16", "f16"), 30: ("BF16", "bf16"), 28: ("F64", "f64"),
    24: ("I8", "i8"), 25: ("I16", "i16"), 26: ("I32", "i32"), 27: ("I64", "i64"),
}  # fmt: skip
