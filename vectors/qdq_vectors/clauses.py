# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clauses that vectors cite: Q... of docs/Semantics.md of mlir-qdq, V... of README.md."""

TEXT = {
    "Q1.1": "rounding: which neighbour a value between two codes becomes, and which one a tie",
    "Q1.2": "order: an integer zero point is added after the rounding, or before it in the compute type",
    "Q1.3": "division: x / s, or x times 1 / s rounded once",
    "Q1.4": "compute: the type of the division, or of the product",
    "Q1.5": "subtract: exact, modulo 2^32, or in a float type",
    "Q1.6": "overflow: saturate clamps to the ends of the type, wrap takes codes modulo 2^bits",
    "Q1.7": "nan: the code of a NaN in integer storage",
    "Q1.8": "fusion: a product and the sum beside it are rounded twice, or once",
    "Q1.9": "float_overflow: saturate gives the largest finite value, ieee infinity or NaN",
    "Q2.1": "x and s are cast to the compute type first, each rounded once",
    "Q2.2": "a zero point in expressed units is subtracted from x",
    "Q2.3": "the quotient x / s is rounded once in the compute type; reciprocal rounds 1 / s first",
    "Q2.4": "a value becomes an integer by one rounding, and an integer zero point is added exactly",
    "Q2.5": "a NaN becomes the code that `nan` names; under wrap an infinity does, too",
    "Q2.6": "saturate clamps as if the value were an exact integer, infinities included; wrap is modulo 2^bits",
    "Q3.1": "a code becomes a real; the zero point is subtracted as `subtract` says",
    "Q3.2": "codes times scales are rounded once in the compute type",
    "Q3.3": "a zero point in expressed units is added to the product",
    "Q3.4": "the last cast of dequantize rounds once to nearest even, and overflows to infinity",
    "Q4.1": "requantize multiplies accumulators by scales as floats",
    "Q4.2": "requantize multiplies accumulators by an integer and shifts",
    "Q4.3": "requantize: the zero point is added exactly, then overflow and bounds",
    "Q4.4": "requantize: the multiplier from three scales, with its roundings",
    "Q6.1": "a value that lies between two codes is rounded in the last bit of the significand, subnormals included",
    "Q6.2": "a NaN stays NaN where the format has one; without one it becomes the largest value",
    "Q6.3": "a value that rounds beyond the largest finite one, and an infinity, follow float_overflow; rounding toward zero stays finite",
    "Q6.4": "formats without a negative zero turn -0 into +0, the others keep the sign of a zero",
    "Q6.5": "every code of a float storage has one value",
    "Q7.1": "stochastic: the upper neighbour if u < frac, where u is 24 bits of Philox4x32-10 of the position and the seed",
    "Q8.2": "f8E8M0FNU holds powers of two: magnitudes round to one, a tie to the larger; +0 is 2^-127; -0 and negative values are NaN",
    "Q10.1": "choose_params: the range of a group, and its zero point",
    "Q10.2": "choose_params: the scale is the range divided by the steps, rounded at once",
    "Q10.3": "choose_params: a power of two from the range, by floor, rceil, ceil, even or fit",
    "V1": "f8E5M3FNU: no sign, bias 15, 0xFF is NaN; -0 and what rounds to it are 0; negative values are 0 under saturate, NaN under ieee",
    "V3": "NVFP4: the block scale from amax, 6 and the scale of the tensor; the order of the two products of scales",
    "V4": "four over six: of the block scales for 6 and for 4 the one with the smaller error",
    "V5": "packed weights: which bits are which code, offsets of zero points, and one rounding to f32",
    "V6": "the upper neighbour has the probability (x - lower) / (upper - lower), the lower one the rest",
    "V2": "f8E8M0FNU under saturate: negative values and -0 are 2^-127, what is beyond 2^127 is 2^127",
}  # fmt: skip


def cite(identifier: str) -> str:
    return f"{identifier}: {TEXT[identifier]}"
