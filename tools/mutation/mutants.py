# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutants: mistakes that implementations of quantization make, one each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from . import edits
from .edits import Edit


@dataclass(frozen=True)
class Mutant:
    """`options` go to lower-quant with override-semantics; `edit` changes the lowered text; `boundary` changes
    the arrays that go in and come out."""

    name: str
    mistake: str
    options: dict = field(default_factory=dict)
    edit: Edit | None = None
    boundary: Callable[[np.ndarray], np.ndarray] | None = None


def _field(mistake: str, **option: str) -> Mutant:
    (item,) = option.items()
    return Mutant(f"{item[0].replace('_', '-')}={item[1]}", mistake, options=option)


SEMANTICS = [
    _field("half away from zero for half to even", rounding="nearest-away"),
    _field("half up", rounding="nearest-up"),
    _field("half down", rounding="nearest-down"),
    _field("truncation", rounding="toward-zero"),
    _field("floor", rounding="floor"),
    _field("ceiling", rounding="ceil"),
    _field("away from zero", rounding="away-from-zero"),
    _field("to odd", rounding="to-odd"),
    _field("every rounding as half to even", rounding="nearest-even"),
    _field("zero point added before rounding", order="add-then-round"),
    _field("zero point added after rounding", order="round-then-add"),
    _field("reciprocal for division", division="reciprocal"),
    _field("division for reciprocal", division="exact"),
    _field("quotient in f16", compute="f16"),
    _field("quotient in bf16", compute="bf16"),
    _field("quotient in f32, whatever was asked", compute="f32"),
    _field("quotient in f64, whatever was asked", compute="f64"),
    _field("difference of floats", subtract="float"),
    _field("difference in the type of the result", subtract="output"),
    _field("difference modulo 2^32", subtract="wrap32"),
    _field("difference always exact", subtract="wide"),
    _field("codes wrap", overflow="wrap"),
    _field("codes never wrap", overflow="saturate"),
    _field("NaN to the highest code", nan="highest"),
    _field("NaN to code 0", nan="zero"),
    _field("NaN to the zero point", nan="zero-point"),
    _field("NaN always to the lowest code", nan="lowest"),
    _field("sum fused", fusion="fma"),
    _field("sum never fused", fusion="none"),
    _field("float codes beyond the range become Inf or NaN", float_overflow="ieee"),
    _field("float codes always saturate", float_overflow="saturate"),
]

REWRITES = [
    Mutant("late-clamp", "no clamp before the conversion to integer", edit=edits.select("f", "first")),
    Mutant("unsigned-clamp", "bounds compared as unsigned numbers",
           edit=lambda t: edits.rename("arith.maxsi", "arith.maxui")(edits.rename("arith.minsi", "arith.minui")(t))),
    Mutant("swapped-bounds", "lower bound as upper and upper as lower", edit=edits.exchange("arith.maxsi", "arith.minsi")),
    Mutant("no-lower-bound", "sum not clamped from below", edit=edits.first_operand("arith.maxsi")),
    Mutant("no-upper-bound", "sum not clamped from above", edit=edits.first_operand("arith.minsi")),
    Mutant("upper-bound-short", "highest code never reached",
           edit=edits.constants(lambda v: v - 1, lambda v: v in (127, 255, 32767, 65535, 7, 15))),
    Mutant("lower-bound-symmetric", "lowest code of signed storage never reached",
           edit=edits.constants(lambda v: v + 1, lambda v: v in (-128, -32768, -8, -2))),
    Mutant("bounds-of-a-byte", "4-bit codes clamped as 8-bit ones",
           edit=edits.constants(lambda v: {7: 127, -8: -128, 15: 255}[v], lambda v: v in (7, -8, 15))),
    Mutant("unsigned-code", "sign of a code or zero point lost", edit=edits.rename("arith.extsi", "arith.extui")),
    Mutant("signed-code", "unsigned code or zero point sign-extended", edit=edits.rename("arith.extui", "arith.extsi")),
    Mutant("unsigned-conversion", "rounded value converted as unsigned", edit=edits.convert_as_unsigned),
    Mutant("unsigned-difference", "code or difference read as unsigned", edit=edits.rename("arith.sitofp", "arith.uitofp")),
    Mutant("signed-to-real", "unsigned code read as signed", edit=edits.rename("arith.uitofp", "arith.sitofp")),
    Mutant("zero-point-subtracted", "zero point subtracted in quantize", edit=edits.rename("arith.addi", "arith.subi")),
    Mutant("zero-point-dropped", "zero point ignored in quantize", edit=edits.first_operand("arith.addi")),
    Mutant("zero-point-twice", "zero point added twice",
           edit=edits.rewrite("arith.addi", "{fresh} = arith.addi {a}, {b} : {type}\n      {result} = arith.addi {fresh}, {b} : {type}")),
    Mutant("zero-point-added-back", "zero point added in dequantize", edit=edits.rename("arith.subi", "arith.addi")),
    Mutant("difference-reversed", "zero point minus code", edit=edits.rewrite("arith.subi", "{result} = arith.subi {b}, {a} : {type}")),
    Mutant("difference-dropped", "zero point ignored in dequantize", edit=edits.first_operand("arith.subi")),
    Mutant("bias-sign", "float zero point with the other sign", edit=edits.exchange("arith.addf", "arith.subf")),
    Mutant("product-for-quotient", "multiplied by the scale in quantize", edit=edits.rename("arith.divf", "arith.mulf")),
    Mutant("quotient-for-product", "divided by the scale in dequantize", edit=edits.rename("arith.mulf", "arith.divf")),
    Mutant("scale-dropped", "dequantize without its scale", edit=edits.first_operand("arith.mulf")),
    Mutant("nan-above", "NaN compares above instead of below",
           edit=edits.rename("arith.cmpf ogt", "arith.cmpf ugt")),
    Mutant("nan-below", "NaN compares below instead of above", edit=edits.rename("arith.cmpf olt", "arith.cmpf ult")),
    Mutant("reach-halved", "quotients clamped before the zero point has moved them", edit=edits.halve_float_bounds),
    Mutant("through-i32", "32-bit codes and sums through an i32", edit=edits.convert_through_i32),
    Mutant("subnormals-flushed", "a subnormal input counts as 0", edit=edits.flush_subnormals),
    Mutant("float-storage-truncated", "float storage rounds toward zero",
           edit=edits.truncf_to_small("{result} = arith.truncf {a} toward_zero : {source} to {target}")),
    Mutant("negative-zero-lost", "-0 becomes +0 in float storage",
           edit=edits.truncf_to_small(
               "{fresh}_z = arith.constant 0.0 : {source}\n      {fresh} = arith.addf {a}, {fresh}_z : {source}\n"
               "      {result} = arith.truncf {fresh} : {source} to {target}")),
    Mutant("exponent-shifted", "f8E8M0 by its bits alone: 0 and infinity for 2^-127 and NaN", edit=edits.shift_exponent),
    Mutant("no-nan-select", "NaN keeps what the conversion made of it", edit=edits.select("i", "second")),
    Mutant("bf16-truncated", "upper half of an f32 for a bf16", edit=edits.truncate_to_bf16),
    Mutant("block-too-long", "block index by one element too many a block", edit=edits.block_size(lambda b: b + 1)),
    Mutant("position-in-block", "position within the block for its index", edit=edits.parameter_map("d0, d2", "d0, d3")),
    Mutant("wrong-axis", "scales along the second axis for those of the first", edit=edits.parameter_map("d0", "d1")),
    Mutant("other-axis", "scales along the first axis for those of the second", edit=edits.parameter_map("d1", "d0")),
    Mutant("nibble-order", "high half of a byte first", boundary=edits.swap_nibbles),
]  # fmt: skip

RESCALINGS = [
    Mutant("product-in-32-bits", "product of accumulator and multiplier wraps at 32 bits", edit=edits.multiply_in(32)),
    Mutant("product-in-64-bits", "product of 95 bits wraps at 64", edit=edits.multiply_in(64)),
    Mutant("logical-shift", "negative products shifted as unsigned ones", edit=edits.rename("arith.shrsi", "arith.shrui")),
    Mutant("ties-up-twice", "ties of the second shift up for away from zero", edit=edits.rename("arith.cmpi slt", "arith.cmpi ult")),
    Mutant("one-rounding-for-two", "all of the shift in one rounding",
           edit=edits.constants(lambda v: 62, lambda v: v == 31)),
    Mutant("first-shift-short", "first of two shifts by 30", edit=edits.constants(lambda v: 30, lambda v: v == 31)),
    Mutant("threshold-inclusive", "rests at the threshold go up", edit=edits.rename("arith.cmpi sgt", "arith.cmpi sge")),
    Mutant("parity-lost", "ties to odd for ties to even", edit=edits.first_operand("arith.xori")),
    Mutant("magnitude-not-cut", "no places of the magnitude are cut", edit=edits.shift_by_nothing),
    Mutant("product-in-f32", "f64 product in f32", edit=edits.multiply_f64_in_f32),
    Mutant("accumulator-in-f32", "accumulator rounded to f32 before it is an f64", edit=edits.convert_through("f32", "f64")),
    Mutant("converted-twice", "64-bit accumulator rounded to f64, then to f32", edit=edits.convert_long_twice),
]  # fmt: skip

MUTANTS = SEMANTICS + REWRITES + RESCALINGS
