# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why steps are not proven, in classes. A step of no class is unexplained, and is an error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from . import registry
from .decide import UNDECIDED
from .obligations import UNSUPPORTED, Result

UNEXPLAINED = "unexplained"
_UNANSWERED = "no answer of the solvers in time: tests that registry.py names"

#: A class, and the texts that belong to it.
_CLASSES = {
    "other bits on purpose, with their own tests": (
        "|".join(map(re.escape, registry.reasons())),
        r".*fastmath flags .*",
    ),
    "too large": (
        r"more than \d+ (elements of an argument|steps)",
        r"a choice among too many elements",
        r"too many branches that depend on data",
    ),
    "control or sizes that depend on data": (
        r"control, size or position that depends on data",
        r"scf\.while whose end depends on data",
        r"(tensor|memref)\.reshape to sizes that depend on data",
        r"a choice by data between buffers or shapes",
    ),
    "no sizes of the drawn ones fit": (
        r"undefined for every input of these sizes",
        r"no sizes on which both sides run",
        r".*(does|do) not fit.*",
        r".* of another size",
    ),
    "the pass adds assertions, or changes the signature": (
        r"calls or assertions that differ",
        r"\d+ results become \d+",
        r"an argument that becomes another",
        r"a stage with (more|fewer) arguments",
    ),
    "no definition: ops and types of other systems": (
        rf"({'|'.join(registry.FOREIGN_DIALECTS)})\.[\w.]+.*",
        r"type .*",
    ),
    "no definition: instructions and vectors of other processors": (
        rf"({'|'.join(registry.PROCESSOR_DIALECTS)})\.[\w.]+.*",
        r"llvm\.(aarch64|x86)\.[\w.]+",
        r"scalable vector",
    ),
    "no statement: choose_params, stochastic rounding, some casts of small floats": (
        r"qdq\.choose_params",
        r"qdq\.unpack to an open size",
        r"stochastic rounding",
        r"f\dE\w+ to f\dE\w+",
        r"(arithmetic|rounding) (in|to) .*",
        r"arith\.scaling_(ext|trunc)f by .*",
    ),
    "no definition: unranked memory, addresses, and ops that upstream expands": (
        r"unranked type",
        r"layout of .*",
        rf"({'|'.join(map(re.escape, registry.UPSTREAM_OPS))})( .*)?",
    ),
    "a form of an op that the model does not have": (
        r"[a-z]\w*\.\w+ (with|of|across|by|whose|without) .*",
        r"a resource (without its data|of packed bits)",
        r"memory that becomes a tensor",
        r"recursion",
    ),
    "the pass refuses the input": (r"the pass refuses the input",),
    "upstream's parser refuses the output of its printer": (r"a module that does not parse again",),
}
_PATTERNS = {name: re.compile("|".join(texts)) for name, texts in _CLASSES.items()}


def is_unexplained(result: Result) -> bool:
    return result.status in (UNDECIDED, UNSUPPORTED) and class_of(result) == UNEXPLAINED


def class_of(result: Result) -> str:
    """Of a step that is not proven."""
    if result.status == UNDECIDED:
        return _UNANSWERED if registry.covers(result.name) else UNEXPLAINED
    text = result.detail.removeprefix("before it: ")
    return next((name for name, p in _PATTERNS.items() if p.fullmatch(text)), UNEXPLAINED)


def table(results: Sequence[Result]) -> str:
    """A row for each class; docs/Verification.md sums them up."""
    open_ = [result for result in results if result.status in (UNDECIDED, UNSUPPORTED)]
    counts = Counter(map(class_of, open_))
    ours = Counter(class_of(result) for result in open_ if "qdq" in result.group)
    counts.setdefault(UNEXPLAINED, 0)
    lines = ["| reason | steps | of these, ours |", "|---|---|---|"]
    lines += [f"| {name} | {count} | {ours[name]} |" for name, count in counts.most_common()]
    return "\n".join(lines)
