# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a page of the text that mlir-tblgen writes: short lists, lines of 100 columns.

python docs/generated.py BODY.md PAGE.md [TITLE]
"""

from __future__ import annotations

import html
import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

LICENSE = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n"
COLUMNS = 98
#: An option that so many passes have with the same text is described once, and so is a row that so
#: many ops have.
SHARED = 2
#: Shared options that passes have together are listed together, under this name.
NUMERIC = "numeric options"
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
#: Constraints in upstream's words, and shorter ones.
WORDS = {
    "64-bit signless integer attribute": "integer",
    "i64 dense array attribute": "list of integers",
    "any type attribute": "type",
    "string attribute": "string",
    "unit attribute": "flag",
    # As the description of the dialect says.
    ": scalar, vector or tensor without encoding of ": " of ",
    "tensor without encoding of": "tensor of",
}
#: Values of options that a page explains.
LISTS = {
    "onnx, ort, quant, mlir22, stablehlo, onednn, quark, pmx, torch, torch-decomposed, tflite, "
    "xnnpack": "[Profiles.md](Profiles.md)",
    "none (casts stay), sm_89, sm_100a (NVIDIA), gfx942, gfx950, gfx1200 (AMD), avx10.2 (x86), fp8 "
    "(AArch64), zvfofp8min (RISC-V)": "[Targets.md](Targets.md#casts-by-target)",
    "sources, qdq, linalg, fused, boundary, planned, vectors, buffers, memory, target, llvm": (
        "[CodeGeneration.md](CodeGeneration.md)"
    ),
    "exact, qdq, f32, f64, separate, fixed31-double, fixed31-single, fixed15": (
        "[kinds](Semantics.md#requantizeacc-multipliers-z)"
    ),
}
_VALUES = re.compile(r"[\w-]+(?:, [\w-]+)+")
_LIST_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")


def items(rows: list[tuple[str, ...]]) -> str:
    """A list: all cells but the last name what the last explains."""
    return "".join(f"- {' '.join(names)}: {meaning}\n" for *names, meaning in rows)


def together(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Rows of one kind and meaning as one: `- operands `a`, `b`: index`."""
    groups = {}
    for kind, name, meaning in rows:
        groups.setdefault((kind, meaning), []).append(name)
    return [
        (f"{kind}s" if len(names) > 1 else kind, ", ".join(names), meaning)
        for (kind, meaning), names in groups.items()
    ]


# Ops.


_PARTS = re.compile(r"^#### (?:Attributes|Operands|Results):\n(?:(?!^###? ).*\n)*", re.M)


def _rows(text: str) -> list[tuple[str, ...]]:
    """Attributes, operands and results of an op, without their types in C++."""
    rows = []
    for part in re.split(r"^#### ", text, flags=re.M)[1:]:
        kind = part.partition("s:")[0].lower()
        if "<table>" in part:
            found = re.findall(r"<code>(.*?)</code></td><td>.*?</td><td>(.*?)</td>", part)
        else:
            found = re.findall(r"^\| `(.*?)` \| (.*) \|$", part, re.M)
        rows += [(kind, f"`{name}`", _meaning(html.unescape(text))) for name, text in found]
    # The syntax and the text of an op tell its integers and types.
    return [row for row in rows if row[2] not in ("integer", "list of integers", "type")]


def operands_and_attributes(text: str) -> str:
    """One list for each op; rows of many ops in a list behind all ops."""
    count = Counter(row for part in _PARTS.findall(text) for row in _rows(part))
    shared = [row for row, times in count.items() if times >= SHARED]

    def rows_of(match: re.Match) -> str:
        rows = _rows(match[0])
        own = [row for row in rows if row not in shared]
        parts = [items(together(own))] if own else []
        if common := [row[1] for row in rows if row in shared]:
            parts.append(
                f"{'Also' if own else 'See'} [{', '.join(common)}](#shared-operands-and-attributes).\n"
            )
        return "\n".join(parts) + "\n"

    text = _PARTS.sub(rows_of, text)
    if not shared:
        return text
    listed = f"### Shared operands and attributes\n\n{items(shared)}\n"
    ops, behind, rest = text.partition("## Attributes\n")
    return ops + listed + behind + rest if behind else f"{text.rstrip()}\n\n{listed}"


def _meaning(text: str) -> str:
    for long, short in WORDS.items():
        text = text.replace(long, short)
    return text


def ops(text: str) -> str:
    # An op's interfaces are stated once, in the description of the dialect.
    text = re.sub(r"^(?:Traits|Interfaces|Effects): .*\n+", "", text, flags=re.M)
    # The example shows a syntax without optional parts.
    text = re.sub(
        r"^Syntax:\n\n```\n(operation ::= .*?)```\n+",
        lambda match: match[0] if ")?" in match[1] else "",
        text,
        flags=re.M | re.S,
    )
    return operands_and_attributes(text)


# Attributes and enumerations.


def without_enumerations(text: str) -> str:
    """Drops "## Enums", whose values Semantics.md and the attributes define, and attributes that only hold one."""
    text = re.sub(r"^#### Parameters:\n(?:(?!^##).*\n)*", "", text, flags=re.M)
    text = re.sub(r"^### \w+\n(?:(?!^##).*\n)*?Enum cases:\n(?:(?!^##).*\n)*", "", text, flags=re.M)
    return text.partition("## Enums\n")[0]


# Passes.

_OPTIONS = re.compile(r"^#### Options\n\n```\n(.*?)^```\n", re.M | re.S)


def _options(block: str) -> list[tuple[str, str]]:
    for values, page in LISTS.items():
        block = block.replace(values, page)
    return re.findall(r"^-([\w-]+)\s*: (.*)$", block, re.M)


def _by_name(options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Sorted, with all meanings of a name in one row."""
    meanings = {}
    for name, meaning in sorted(options):
        meanings.setdefault(name, []).append(meaning)
    return [(name, "; ".join(listed)) for name, listed in meanings.items()]


def _fields_together(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The rows of names and values alone as one: they are fields of the semantics."""
    fields = [name for name, meaning in rows if _VALUES.fullmatch(meaning)]
    if len(fields) < SHARED:
        return rows
    fields_of = "the fields of [Semantics.md](Semantics.md#the-fields-of-qdqsemantics)"
    return [(", ".join(fields), fields_of)] + [row for row in rows if row[0] not in fields]


def passes(text: str) -> str:
    """Options as lists, those of many passes in sections of their own."""
    blocks = [_options(block) for block in _OPTIONS.findall(text)]
    count = Counter(option for block in blocks for option in block)
    shared = [option for option, times in count.items() if times >= SHARED]
    owners = {
        option: frozenset(n for n, block in enumerate(blocks) if option in block)
        for option in shared
    }
    most = Counter(owners.values()).most_common(1)
    numeric = [option for option in shared if most[0][1] > 1 and owners[option] == most[0][0]]

    def options(match: re.Match) -> str:
        listed = _options(match[1])
        own = [(f"`{name}`", meaning) for name, meaning in listed if (name, meaning) not in shared]
        said = []
        if set(numeric) & set(listed):
            said.append(f"[numeric](#{NUMERIC.replace(' ', '-')})")
        if others := [f"`{o[0]}`" for o in listed if o in shared and o not in numeric]:
            said.append(f"[shared](#shared-options) {', '.join(others)}")
        parts = [f"Options:\n\n{items(own)}"] if own else []
        if said:
            parts.append(f"{'Also' if own else 'Options:'} {', '.join(said)}.\n")
        return "\n".join(parts)

    text = _OPTIONS.sub(options, text)
    for title, listed in (
        (NUMERIC.capitalize(), numeric),
        ("Shared options", [option for option in shared if option not in numeric]),
    ):
        if listed:
            rows = [(f"`{name}`", meaning) for name, meaning in _by_name(listed)]
            text += f"\n## {title}\n\n{items(_fields_together(rows))}"
    return text


# Lines.


def _paragraph(lines: list[str]) -> str:
    item = _LIST_ITEM.match(lines[0])
    first = item[0] if item else ""
    words = " ".join(line.strip() for line in lines)[len(first.strip()) :].strip()
    # Code and the targets of links stay whole.
    words = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda m: m[0].replace(" ", "\0"), words)
    filled = textwrap.fill(
        words,
        COLUMNS,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\0", " ")


def filled(text: str) -> str:
    """The prose of a page in lines of 100 columns; code, tables and headings as they are."""
    out, paragraph, fenced = [], [], False

    def flush():
        if paragraph:
            out.append(_paragraph(paragraph))
            paragraph.clear()

    for line in text.splitlines():
        fence = line.startswith("```")
        if fenced or fence or not line.strip() or line.startswith(("#", "|", "<", "[TOC]")):
            flush()
            out.append(line)
            fenced ^= fence
        else:
            if _LIST_ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def page(title: str, body: str) -> str:
    heading = f"# {title}\n\n" if title else ""
    license = "" if body.startswith("<!-- SPDX") else LICENSE
    return filled(license + heading + passes(without_enumerations(ops(body))))


if __name__ == "__main__":
    body, made, *title = sys.argv[1:]
    Path(made).write_text(page(" ".join(title), Path(body).read_text()))
