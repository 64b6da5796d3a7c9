# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in the C++ of the passes: which places of a file could be wrong, and how."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
#: The rooms of lib/ whose mistakes change compiled code.
ROOMS = ("CodeGen", "Transforms", "Conversion/QDQToLinalg")

_SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_SWAPPED |= {"&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*", "%": "/"}
_ASSIGNED = {"+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|="}
_PREDICATES = {
    "slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult", "ugt": "uge",
    "uge": "ugt", "eq": "ne", "ne": "eq", "olt": "ult", "ogt": "ugt", "oge": "ogt", "ole": "olt",
    "oeq": "une", "une": "oeq", "ord": "uno", "uno": "ord", "EQ": "NE",
}  # fmt: skip
_OPS = [
    ("AddIOp", "SubIOp"), ("AddFOp", "SubFOp"), ("MulFOp", "DivFOp"), ("MaxSIOp", "MinSIOp"),
    ("MaxUIOp", "MinUIOp"), ("ExtSIOp", "ExtUIOp"), ("ShRSIOp", "ShRUIOp"), ("AndIOp", "OrIOp"),
    ("SIToFPOp", "UIToFPOp"), ("FPToSIOp", "FPToUIOp"), ("MaximumFOp", "MaxNumFOp"), ("DivSIOp", "DivUIOp"),
    ("MinimumFOp", "MinNumFOp"), ("FloorOp", "CeilOp"), ("ShLIOp", "ShRUIOp"), ("XOrIOp", "OrIOp"),
]  # fmt: skip
_OTHER_OP = {a: b for pair in _OPS for a, b in (pair, pair[::-1])}
_ORDERED = ("SubIOp", "SubFOp", "DivFOp", "ShLIOp", "ShRSIOp", "ShRUIOp", "SelectOp", "DivSIOp")
_ORDERED += ("CmpIOp", "CmpFOp", "RemSIOp", "FMAOp", "ShuffleOp", "InterleaveOp")
_CALLS = {"std::min": "std::max", "std::max": "std::min"}
_CALLS |= {"llvm::all_of": "llvm::any_of", "llvm::any_of": "llvm::all_of"}

#: Whose inside makes no code: constants of the compiler, texts, and what a release leaves out.
_NO_CODE = {"template_argument_list", "enumerator", "static_assert_declaration", "array_declarator"}
_NO_CODE |= {"preproc_def", "preproc_include", "attribute_declaration", "template_parameter_list"}
_TEXTS = re.compile(
    r"(assert|LLVM_DEBUG|llvm_unreachable|.*\b(emit(Op)?(Error|Remark|Warning)|notifyMatchFailure))$"
)


@dataclass(frozen=True)
class Mistake:
    """Bytes `start` to `end` of `file`. `code` computes `mutated` in their place if QDQ_MUTANT is true. It has as
    many lines, so errors of the compiler name the line."""

    key: str
    file: str
    line: int
    kind: str
    original: str
    mutated: str
    start: int
    end: int
    code: str
    #: Lines of `original`.
    height: int


@cache
def _parser():
    import tree_sitter
    import tree_sitter_cpp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def mistakes(file: str, source: bytes) -> list[Mistake]:
    """All of one file, in order, with keys that other lines do not change."""
    lines = source.decode().splitlines()
    seen, found = Counter(), []
    for node, kind, mutated, code in _walk(_parser().parse(source).root_node):
        line = node.start_point[0]
        original = node.text.decode()
        words = f"{file}|{lines[line].strip()}|{kind}|{original}|{mutated}"
        seen[words] += 1
        key = hashlib.sha256(f"{words}|{seen[words]}".encode()).hexdigest()[:12]
        found.append(
            Mistake(
                key, file, line + 1, kind, _one_line(original), _one_line(mutated),
                node.start_byte, node.end_byte, code, original.count("\n") + 1,
            )
        )  # fmt: skip
    return found


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(?m)//.*$", "", text))


def drawn(every: int, part: int = 0) -> list[Mistake]:
    """Each `every`-th mistake by its key, without those within others."""
    chosen = []
    for room in ROOMS:
        for path in sorted((TREE / "lib" / room).rglob("*.cpp")):
            end = 0
            for mistake in mistakes(str(path.relative_to(TREE)), path.read_bytes()):
                if int(mistake.key, 16) % every == part and mistake.start >= end:
                    chosen.append(mistake)
                    end = mistake.end
    return chosen


def _walk(node) -> Iterator[tuple]:
    """Node, kind, what it becomes, and the code that chooses."""
    if node.type in _NO_CODE or _is_constexpr(node) or _is_text(node):
        return
    text = node.text.decode()
    for kind, mutated in _wrong(node, text):
        yield node, kind, mutated, f"(QDQ_MUTANT ? ({_one_line(mutated)}) : ({text}))"
    for kind, mutated, code in _wrong_whole(node, text):
        yield node, kind, mutated, code
    for child in node.children:
        if not (node.type == "case_statement" and child == node.child_by_field_name("value")):
            yield from _walk(child)


def _is_constexpr(node) -> bool:
    return node.type == "declaration" and any(c.text == b"constexpr" for c in node.children)


def _is_text(node) -> bool:
    if node.type == "binary_expression" and b'"' in node.text:
        return node.child_by_field_name("operator").text == b"<<"
    return node.type == "call_expression" and bool(_TEXTS.match(_function(node)))


def _function(call) -> str:
    return call.child_by_field_name("function").text.decode()


def _wrong(node, text: str) -> Iterator[tuple[str, str]]:
    """Expressions of the same type."""
    parts = {name: node.child_by_field_name(name) for name in ("left", "operator", "right")}
    if node.type == "binary_expression" and '"' not in text:
        other = _SWAPPED.get(parts["operator"].text.decode())
        if other:
            left, right = (parts[side].text.decode() for side in ("left", "right"))
            yield (
                "operator",
                f"({left}) {other} {right}" if other == "&&" else f"{left} {other} {right}",
            )
    elif node.type == "unary_expression" and text.startswith("!"):
        yield "negation", f"!!({text[1:]})"
    elif node.type in ("true", "false"):
        yield "flag", "false" if node.type == "true" else "true"
    elif node.type == "number_literal" and text.isdigit():
        yield "number", str(int(text) + 1)
    elif node.type == "qualified_identifier":
        name = re.fullmatch(r"(.*Predicate::)(\w+)", text)
        if name and name[2] in _PREDICATES:
            yield "predicate", name[1] + _PREDICATES[name[2]]
    elif node.type == "call_expression":
        yield from _wrong_call(node, text)


def _wrong_call(node, text: str) -> Iterator[tuple[str, str]]:
    function, arguments = _function(node), node.child_by_field_name("arguments")
    if function in _CALLS:
        yield "call", _CALLS[function] + arguments.text.decode()
    op = re.fullmatch(r"\w+::(\w+)::create", function)
    values = [a.text.decode() for a in arguments.named_children if a.type != "comment"]
    if op and op[1] in _ORDERED and len(values) > 3:
        yield "operands", f"{function}({', '.join([*values[:-2], values[-1], values[-2]])})"


def _wrong_whole(node, text: str) -> Iterator[tuple[str, str, str]]:
    """A mistake that needs code of its own around it."""
    if node.type == "call_expression":
        function = _function(node)
        op = re.fullmatch(r"(\w+::)(\w+)(::create)", function)
        if op and op[2] in _OTHER_OP:
            mutated = op[1] + _OTHER_OP[op[2]] + op[3] + text[len(function) :]
            wrong = _one_line(mutated)
            yield "op", mutated, f"(QDQ_MUTANT ? ::mlir::Value({wrong}) : ::mlir::Value({text}))"
    elif node.parent and node.parent.type == "condition_clause" and _is_guard(node):
        yield "guard", "false", f"(!QDQ_MUTANT && ({text}))"
    elif node.type == "conditional_expression":
        condition = node.child_by_field_name("condition").text.decode()
        rest = text[len(condition) :]
        yield "choice", f"!({condition}){rest}", f"((QDQ_MUTANT != bool({condition})){rest})"
    elif node.type == "expression_statement" and node.named_children:
        inner = node.named_children[0]
        if inner.type == "call_expression" and not _is_text(inner) and ">>" not in text:
            yield "statement", ";", f"{{ if (!QDQ_MUTANT) {text} }}"
        elif inner.type == "assignment_expression":
            operator = inner.child_by_field_name("operator").text.decode()
            if operator in _ASSIGNED:
                left, right = (
                    inner.child_by_field_name(s).text.decode() for s in ("left", "right")
                )
                mutated = f"{left} {_ASSIGNED[operator]} {right};"
                yield (
                    "assignment",
                    mutated,
                    f"{{ if (QDQ_MUTANT) {_one_line(mutated)} else {text} }}",
                )


def _is_guard(node) -> bool:
    """The condition of an `if` that leaves a function or a round of a loop."""
    clause = node.parent
    statement = clause.parent
    if statement.type != "if_statement" or node != clause.child_by_field_name("value"):
        return False
    if any(child.text == b"constexpr" for child in statement.children):
        return False
    if node.type == "declaration":
        return False
    body = statement.child_by_field_name("consequence")
    if body.type == "compound_statement":
        body = body.named_children[0] if len(body.named_children) == 1 else body
    return body.type in ("return_statement", "continue_statement", "break_statement")
