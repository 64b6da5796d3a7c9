# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors as a C header (C, C++, CUDA, HIP) and as a file for $readmemh."""

from __future__ import annotations

import numpy as np

from .casts import Cast
from .clauses import cite
from .explain import clauses


def _array(type: str, name: str, values, digits: int) -> list[str]:
    words = [f"0x{int(value):0{digits}x}" for value in values]
    per_line = 78 // (digits + 4)
    lines = [
        "    " + ", ".join(words[i : i + per_line]) + "," for i in range(0, len(words), per_line)
    ]
    return [f"static const {type} {name}[{len(words)}] = {{", *lines, "};"]


def _comment(cast: Cast) -> list[str]:
    rules = ", ".join(f"{key} = {value}" for key, value in cast.fields.items())
    cited = sorted({c for pattern in cast.patterns.tolist() for c in clauses(cast, pattern)})
    return [
        "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        f"{cast.name}, from qdq-vectors: {len(cast.patterns)} inputs and their codes",
        *([rules] if rules else []),
        *(cite(identifier) for identifier in cited),
    ]


def c_header(cast: Cast) -> str:
    """Arrays NAME_x and NAME_y of bits, NAME_count, and NAME_expected(bits) for any input."""
    name, bits, out = cast.function, cast.source_type.bits, max(8, cast.type.bits)
    x_type, y_type = f"uint{max(8, bits)}_t", f"uint{out}_t"
    lines = [f"// {line}" for line in _comment(cast)]
    lines += [
        "#pragma once", "#include <stddef.h>", "#include <stdint.h>", "",
        f"// Inputs and codes as bits. A NaN stands for any NaN: compare with {name}_same.",
        f"enum {{ {name}_count = {len(cast.patterns)} }};",
    ]  # fmt: skip
    lines += _array(x_type, f"{name}_x", cast.patterns, -(-bits // 4))
    lines += _array(y_type, f"{name}_y", cast.expected, -(-cast.type.bits // 4))
    lines += ["", *_same(cast, name, y_type)]
    found = cast._runs
    if found is not None:
        size = len(found.starts)
        lines += ["", "// All inputs: the first of each run, its code."]
        lines += _array(x_type, f"{name}_run_x", found.starts, bits // 4)
        lines += _array(y_type, f"{name}_run_y", found.codes, 2)
        lines += [
            "",
            "// The code of any input.",
            f"static inline {y_type} {name}_expected({x_type} bits) {{",
            f"  size_t low = 0, high = {size};",
            "  while (high - low > 1) {",
            "    size_t middle = (low + high) / 2;",
            f"    if ({name}_run_x[middle] <= bits)",
            "      low = middle;",
            "    else",
            "      high = middle;",
            "  }",
            f"  return {name}_run_y[low];",
            "}",
        ]
    return "\n".join(lines) + "\n"


def _same(cast: Cast, name: str, y_type: str) -> list[str]:
    type = cast.type
    mask = (1 << type.bits) - 1
    is_nan = "0"
    if type.is_float and type.nan == "ieee":
        magnitude = mask & ~type.sign_bit
        is_nan = f"(a & 0x{magnitude:x}) > 0x{type.infinity:x} && (b & 0x{magnitude:x}) > 0x{type.infinity:x}"
    elif type.is_float and type.nan == "all-ones" and type.signed:
        is_nan = f"(a & 0x{type.nan_code:x}) == 0x{type.nan_code:x} && (b & 0x{type.nan_code:x}) == 0x{type.nan_code:x}"
    return [
        f"static inline int {name}_same({y_type} a, {y_type} b) {{",
        f"  return ((a ^ b) & 0x{mask:x}) == 0" + (f" || ({is_nan});" if is_nan != "0" else ";"),
        "}",
    ]


def memh(cast: Cast) -> str:
    """A word a line, the input in the high digits, the code in the low ones."""
    digits = -(-cast.source_type.bits // 4), -(-cast.type.bits // 4)
    lines = [f"// {line}" for line in _comment(cast)]
    lines.append(
        f"// logic [{4 * sum(digits) - 1}:0] words [{len(cast.patterns)}];"
        f" input in [{4 * sum(digits) - 1}:{4 * digits[1]}], code in [{4 * digits[1] - 1}:0]"
    )
    pairs = zip(cast.patterns.tolist(), np.asarray(cast.expected).tolist())
    lines += [f"{x:0{digits[0]}x}{y:0{digits[1]}x}" for x, y in pairs]
    return "\n".join(lines) + "\n"
