# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, warnings and remarks of lib/ and tools/ that no test expects, one a line.

A message counts as expected if one of its texts of three words or more, or its longest text, is in a
file under test/, or holds a text that a test expects. Reasons why a pattern does not apply (notifyMatchFailure) reach no user.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import tree_sitter
import tree_sitter_cpp

TREE = Path(__file__).resolve().parents[2]
_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
_REPORTS = re.compile(
    r"(.*[.>:])?(emit(Op)?(Error|Remark|Warning)|emit\w+Failure|emitSilenceableError|refuse\w*|report\w*|fail)$"
)
#: Messages that no test expects, by a part of the text: why.
UNTESTED = {
    "cannot be renamed": "uses that cannot be found are refused before: is not registered and has a region",
    "is a sum that does not become a linalg.generic": "upstream generalizes each op that is tried",
    "has a body that cannot be a function": "upstream outlines each region of one block",
    "whose storage is no integer": "storage of floats: MLIR 23",
    "which convert-tfl-to-qdq converts": "the pass skips such ops; a driver with its patterns alone does not",
    "has a pad, stride or dilation that is no constant": "ops of MLIR 23",
    "expected static numbers of rows and indices": "ops of MLIR 23",
    "has a tensor that is not ranked": "ops of MLIR 23",
    "is of no block-scaled type": "MLIR 22 has no such type",
    "has an input without a grid": "upstream's verifier wants the grid",
    "has too many or open channels": "constants that differ for more than 65536 channels",
    "the reals between have another type": "the type of a dequantized product is that of its scales, but for f64",
    "merged with the dequantize before it": "a remark of max-code-diff, whose text is made of parts",
    "when lowered": "no lowering of ours changes the count",
    "was not lowered": "quant-to-llvm lowers or refuses each public function",
    "a zero point is no integer of up to 32 bits": "for callers of the library: ours check before",
    "stochastic rounding has no exact code": "for callers of the library: ours refuse it before",
}
_STATEMENTS = ("expression_statement", "return_statement", "declaration")


def messages(node) -> Iterator[tuple[int, list[str]]]:
    """Line and texts, the longest first, of each statement that reports something."""
    if node.type in _STATEMENTS and _reports(node):
        texts = sorted(_texts(node), key=lambda text: -len(text[1]))
        if texts and len(texts[0][1].split()) > 1:
            long = [text for _, text in texts[1:] if len(text.split()) > 2]
            yield texts[0][0], [texts[0][1], *long]
    for child in node.children:
        yield from messages(child)


def _reports(node) -> bool:
    if node.type == "lambda_expression":
        return False
    if node.type == "call_expression":
        if _REPORTS.match(node.child_by_field_name("function").text.decode()):
            return True
    return any(_reports(child) for child in node.children)


def _texts(node) -> Iterator[tuple[int, str]]:
    if node.type in ("concatenated_string", "string_literal"):
        parts = node.children if node.type == "concatenated_string" else [node]
        content = "".join(
            c.text.decode()
            for part in parts
            for c in part.children
            if c.type in ("string_content", "escape_sequence")
        )
        text = content.replace('\\"', '"').replace("\\n", " ")
        yield node.start_point[0] + 1, " ".join(text.split()).strip(" :,'`\"()")
    elif node.type != "lambda_expression":
        for child in node.children:
            yield from _texts(child)


def expected() -> str:
    """The text of the tests, without line breaks, escapes, and the ends of split strings."""
    tests = []
    for folder in ("test", "vectors"):
        for path in sorted((TREE / folder).rglob("*")):
            if path.suffix in (".mlir", ".test", ".py"):
                text = re.sub(r"\n *//[ \w-]*?(?:CHECK[\w-]*: *)?", " ", path.read_text())
                text = re.sub(r"[\"']\s*\n\s*[rf]*[\"']", "", text).replace("\\", "")
                tests.append(" ".join(text.split()))
    return "\n".join(tests)


def parts(tests: str) -> set[str]:
    """The texts that tests expect, as far as they have two words."""
    found = re.findall(r"expected-(?:error|remark|warning|note)[^{]*\{\{(.*?)\}\}", tests)
    return {text.strip(" :,'`\"()") for text in found if len(text.split()) > 1}


def untested() -> tuple[list[str], int]:
    """Place and longest text of each message that no test expects, and how many messages there are."""
    tests, found, count = expected(), [], 0
    wanted = parts(tests)
    for folder in ("lib", "tools"):
        for path in sorted((TREE / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h"):
                continue
            for line, texts in messages(_PARSER.parse(path.read_bytes()).root_node):
                count += 1
                if not any(t in tests or any(w in t for w in wanted) for t in texts):
                    found.append(f"{path.relative_to(TREE)}:{line}: {texts[0]}")
    return found, count


def main() -> int:
    found, count = untested()
    print(*found, sep="\n")
    print(f"{len(found)} of {count} messages are expected by no test")
    return 0


if __name__ == "__main__":
    sys.exit(main())
