# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes to the text of one lowered function. Each keeps the types; where it finds nothing it changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

Edit = Callable[[str], str]

_BINARY = r"(?P<result>%\S+) = (?P<op>{op}) (?P<a>%[\w#]+), (?P<b>%[\w#]+) : (?P<type>\S+)"


def rename(old: str, new: str) -> Edit:
    """Another operation, or predicate, in place of one."""
    return lambda text: re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, text)


def exchange(one: str, other: str) -> Edit:
    """Each of two operations in place of the other."""
    swap = {one: other, other: one}
    pattern = rf"(?<![\w.])({re.escape(one)}|{re.escape(other)})(?![\w.])"
    return lambda text: re.sub(pattern, lambda match: swap[match[1]], text)


def rewrite(op: str, new: str) -> Edit:
    """`new` in place of a binary operation: a template over result, a, b, type, and a fresh name."""

    def replace(match: re.Match) -> str:
        return new.format(fresh=f"%fresh_{match['result'][1:]}", **match.groupdict())

    return lambda text: re.sub(_BINARY.format(op=re.escape(op)), replace, text)


def first_operand(op: str) -> Edit:
    """The operation left out: its result is its first operand."""
    identity = "maxnumf" if op.endswith("f") else "ori"
    return rewrite(op, f"{{result}} = arith.{identity} {{a}}, {{a}} : {{type}}")


def select(kind: str, keep: str) -> Edit:
    """Of selects of float ("f") or integer ("i") type, always the `first` or the `second` value."""
    operand = {"first": 2, "second": 3}[keep]

    def edit(text: str) -> str:
        pattern = rf"= arith\.select (%[\w#]+), (%[\w#]+), (%[\w#]+) : ({kind}\d+)"
        return re.sub(
            pattern, lambda m: f"= arith.select {m[1]}, {m[operand]}, {m[operand]} : {m[4]}", text
        )

    return edit


def block_size(change: Callable[[int], int]) -> Edit:
    """Another constant divisor in every division of indices."""

    def edit(text: str) -> str:
        divisors = set(re.findall(r"arith\.divui %\w+, (%\w+) : index", text))

        def replace(match: re.Match) -> str:
            value = change(int(match[2])) if match[1] in divisors else int(match[2])
            return f"{match[1]} = arith.constant {value} : index"

        return re.sub(r"(%\w+) = arith\.constant (\d+) : index", replace, text)

    return edit


def parameter_map(old: str, new: str) -> Edit:
    """Another dimension in an indexing map."""
    return lambda text: text.replace(f"-> ({old})>", f"-> ({new})>")


def constants(change: Callable[[int], int], of: Callable[[int], bool]) -> Edit:
    """Other integer constants."""

    def edit(text: str) -> str:
        def replace(match: re.Match) -> str:
            value = int(match[1])
            return f"arith.constant {change(value) if of(value) else value} : i{match[2]}"

        return re.sub(r"arith\.constant (-?\d+) : i(\d+)", replace, text)

    return edit


def convert_as_unsigned(text: str) -> str:
    """Values below 0 become 0: `arith.fptoui` of them is poison, which some targets convert well."""
    pattern = r"%(?P<name>\S+) = arith\.fptosi (?P<a>%[\w#]+) : (?P<source>\S+) to (?P<target>\S+)"
    return re.sub(
        pattern,
        r"""%zero_\g<name> = arith.constant 0.0 : \g<source>
      %positive_\g<name> = arith.maximumf \g<a>, %zero_\g<name> : \g<source>
      %\g<name> = arith.fptosi %positive_\g<name> : \g<source> to \g<target>""",
        text,
    )


def truncate_to_bf16(text: str) -> str:
    """The upper half of an f32 in place of its rounding to bf16."""
    pattern = r"%(\S+) = arith\.truncf (%[\w#]+) : f32 to bf16"
    return re.sub(
        pattern,
        r"""%word_\1 = arith.bitcast \2 : f32 to i32
      %count_\1 = arith.constant 16 : i32
      %upper_\1 = arith.shrui %word_\1, %count_\1 : i32
      %half_\1 = arith.trunci %upper_\1 : i32 to i16
      %\1 = arith.bitcast %half_\1 : i16 to bf16""",
        text,
    )


def truncf_to_small(new: str) -> Edit:
    """Casts to float storage: a template over result, a, source, target, and a fresh name."""
    pattern = r"%(?P<name>\S+) = arith\.truncf (?P<a>%[\w#]+) : (?P<source>f\d+) to (?P<target>f[468]E\w+)"
    return lambda text: re.sub(
        pattern,
        lambda m: new.format(fresh=f"%fresh_{m['name']}", result=f"%{m['name']}", **m.groupdict()),
        text,
    )


def halve_float_bounds(text: str) -> str:
    """Bounds that are powers of two, one power lower."""

    def replace(match: re.Match) -> str:
        value = np.float32(match[1])
        is_power = np.isfinite(value) and abs(value) >= 4 and np.frexp(abs(value))[0] == 0.5
        return f"arith.constant {float(value) / 2:e} : {match[2]}" if is_power else match[0]

    return re.sub(r"arith\.constant (-?\d+\.\d+[eE]\+?\d+) : (f32|f64)", replace, text)


def convert_through_i32(text: str) -> str:
    """An i32 on the way to an i64."""
    pattern = r"%(\S+) = arith\.fptosi (%[\w#]+) : (f\d+) to i64"
    return re.sub(
        pattern,
        r"%narrow_\1 = arith.fptosi \2 : \3 to i32\n      %\1 = arith.extsi %narrow_\1 : i32 to i64",
        text,
    )


def shift_exponent(text: str) -> str:
    """f8E8M0 by its bits alone: code 0 gives 0, and 255 infinity."""
    return re.sub(
        r"%(\S+) = arith\.extf (%[\w#]+) : f8E8M0FNU to f32",
        r"""%code_\1 = arith.bitcast \2 : f8E8M0FNU to i8
      %wide_\1 = arith.extui %code_\1 : i8 to i32
      %count_\1 = arith.constant 23 : i32
      %bits_\1 = arith.shli %wide_\1, %count_\1 : i32
      %\1 = arith.bitcast %bits_\1 : i32 to f32""",
        text,
    )


def flush_subnormals(text: str) -> str:
    """A subnormal f32 is 0 before it is divided."""
    return re.sub(
        r"%(\S+) = arith\.divf (%[\w#]+), (%[\w#]+) : f32",
        r"""%least_\1 = arith.constant 0x00800000 : f32
      %zero_\1 = arith.constant 0.0 : f32
      %size_\1 = math.absf \2 : f32
      %small_\1 = arith.cmpf olt, %size_\1, %least_\1 : f32
      %kept_\1 = arith.select %small_\1, %zero_\1, \2 : f32
      %\1 = arith.divf %kept_\1, \3 : f32""",
        text,
    )


def swap_nibbles(array: np.ndarray) -> np.ndarray:
    """4-bit elements as they come out where the high half of a byte is taken first."""
    if array.dtype.name != "int4":
        return array
    flat = np.append(array.ravel(), np.zeros(array.size % 2, array.dtype))
    return flat.reshape(-1, 2)[:, ::-1].ravel()[: array.size].reshape(array.shape)


def multiply_in(bits: int) -> Edit:
    """Products of twice as many bits, of the lower `bits` of their factors, and cut to those."""

    def edit(text: str) -> str:
        return re.sub(
            rf"%(\S+) = arith\.muli (%[\w#]+), (%[\w#]+) : i{2 * bits}\b",
            rf"""%l_\1 = arith.trunci \2 : i{2 * bits} to i{bits}
      %r_\1 = arith.trunci \3 : i{2 * bits} to i{bits}
      %p_\1 = arith.muli %l_\1, %r_\1 : i{bits}
      %\1 = arith.extsi %p_\1 : i{bits} to i{2 * bits}""",
            text,
        )

    return edit


def shift_by_nothing(text: str) -> str:
    """The magnitude, a product less its sign, shifted by 0 and the fraction by all: the places that are cut stay."""
    return re.sub(
        r"(%\S+) = arith\.shrsi (%[\w#]+), (%[\w#]+) : (i\d+)(\s+%\S+ = arith\.xori \1)",
        r"\1 = arith.ori \2, \2 : \4\5",
        text,
    )


def multiply_f64_in_f32(text: str) -> str:
    """f32 factors and product in place of f64."""
    return re.sub(
        r"%(\S+) = arith\.mulf (%[\w#]+), (%[\w#]+) : f64",
        r"""%l_\1 = arith.truncf \2 : f64 to f32
      %r_\1 = arith.truncf \3 : f64 to f32
      %p_\1 = arith.mulf %l_\1, %r_\1 : f32
      %\1 = arith.extf %p_\1 : f32 to f64""",
        text,
    )


def convert_through(middle: str, to: str) -> Edit:
    """An integer becomes `middle` before it becomes `to`."""
    return lambda text: re.sub(
        rf"%(\S+) = arith\.sitofp (%[\w#]+) : (i32|i64) to {to}",
        rf"%n_\1 = arith.sitofp \2 : \3 to {middle}\n      %\1 = arith.extf %n_\1 : {middle} to {to}",
        text,
    )


def convert_long_twice(text: str) -> str:
    """An i64 becomes an f64, and that an f32. The two casts would fold to one without an op between them."""
    return re.sub(
        r"%(\S+) = arith\.sitofp (%[\w#]+) : i64 to f32",
        r"""%n_\1 = arith.sitofp \2 : i64 to f64
      %s_\1 = math.copysign %n_\1, %n_\1 : f64
      %\1 = arith.truncf %s_\1 : f64 to f32""",
        text,
    )
