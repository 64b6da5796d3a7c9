# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways through the pipelines that may not change a bit."""

from __future__ import annotations

import functools
import random
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import mlir_qdq
import numpy as np
from mlir import ir
from mlir.passmanager import PassManager
from mlir_qdq import runtime
from mlir_qdq.runtime import Function, _compile

from . import isolated
from .guard import before_guard_page
from .program import Program
from .values import same

#: Every strategy of include/qdq/CodeGen/TargetInfo.h.
STRATEGIES = "byte-dots,lookup-tables,reciprocals,saturating-packs,stream-stores,through-f16"
#: Processors that this machine may not be. Their code is only made.
PROCESSORS = (
    "x86-64", "x86-64-v3", "skylake-avx512", "cooperlake", "sapphirerapids", "graniterapids", "sierraforest",
    "arrowlake", "diamondrapids", "znver4", "znver5",
)  # fmt: skip
#: Processors before this machine, by an instruction that they need: their code runs, too.
OLDER = {"x86-64": "sse2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}
QUANT_COMPILE = Path(__file__).resolve().parents[2] / "build" / "bin" / "quant-compile"


@dataclass(frozen=True)
class Route:
    name: str
    options: dict = field(default_factory=dict)
    #: Passes before the pipeline.
    before: str = ""
    #: LLVM's optimization level.
    level: int = 0
    #: Whether MLIR verifies after each pass.
    verify: bool = True
    #: How arrays lie in memory: in rows, before a page that cannot be read or written; and arguments
    #: with gaps, or beside their alignment.
    layout: str = "rows"
    #: If set, only the object file for that processor is made.
    processor: str = ""

    def __str__(self) -> str:
        parts = [f"{k}={v}" for k, v in self.options.items()]
        parts += [f"before={self.before}"] if self.before else []
        parts += [f"layout={self.layout}"] if self.layout != "rows" else []
        parts += ["verify"] if self.verify else []
        return f"{self.name} ({', '.join([*parts, f'-O{self.level}'])})"


PLAIN = Route("plain", {"target_cpu": "", "target": "linalg", "without": STRATEGIES})
#: One way in so many is optimized by LLVM, and one is verified by MLIR after each pass: both take
#: about as long as all else.
RARELY = 8


@functools.cache
def _instructions() -> frozenset[str]:
    """Names of what this machine executes, as Linux lists them."""
    path = Path("/proc/cpuinfo")
    return frozenset(path.read_text().split()) if path.exists() else frozenset()


def draw_routes(rng: random.Random) -> list[Route]:
    """Code without an optimization, and five drawn ways."""
    bits = rng.choice((64, 128, 256, 512, 1024))
    vector = {"target": "vector", "vector_bits": bits}
    without = ",".join(s for s in STRATEGIES.split(",") if rng.random() < 0.3)
    drawn = {"without": without} if without else {}
    rewrites = rng.choice(("qdq-simplify", "qdq-motion", "qdq-simplify,qdq-motion"))
    extras = {
        "runtime_checks": rng.random() < 0.5,
        "contraction_proof": rng.random() < 0.3,
        "dequantize_constants": rng.random() < 0.3,
    }
    older = rng.choice(("", *OLDER))
    if OLDER.get(older) in _instructions():
        extras["target_cpu"] = older
    routes = [
        Route("vectors", vector, layout=rng.choice(("rows", "gaps", "unaligned", "guarded"))),
        Route("threads", {"target": rng.choice(("linalg", "vector")), "threads": 2, **drawn}),
        Route("rewrites", {**vector, **drawn}, before=rewrites),
        Route("forms", {"target": rng.choice(("linalg", "vector", "vector")), **extras, **drawn}),
        Route("processor", {"target": "vector"}, processor=rng.choice(PROCESSORS)),
    ]
    levels = [0 if rng.randrange(RARELY) else 3 for _ in routes]
    routes = [PLAIN, *(replace(route, level=level) for route, level in zip(routes, levels))]
    return [replace(route, verify=rng.randrange(RARELY) == 0) for route in routes]


@functools.cache
def context() -> ir.Context:
    """One for all programs, without threads: a fork has none of them."""
    made = ir.Context()
    made.enable_multithreading(False)
    mlir_qdq.register(made)
    return made


def warm_up() -> None:
    """Does once what the first compilation of a process does: forks inherit it."""
    text = """
      func.func @program(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
        %q = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
        return %q : tensor<4xi8>
      }"""
    with context():
        runtime.compile(ir.Module.parse(text))


def placed(array: np.ndarray, layout: str) -> np.ndarray:
    """A copy that lies as `layout` says."""
    if layout == "gaps" and array.ndim:
        wide = np.zeros([2 * n for n in array.shape], array.dtype)
        view = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    elif layout == "unaligned":
        raw = np.zeros(array.nbytes + 1, np.uint8)
        view = raw[1:].view(array.dtype).reshape(array.shape)
    elif layout == "guarded":
        view = before_guard_page(array.nbytes).view(array.dtype).reshape(array.shape)
    else:
        return array.copy()
    view[...] = array
    return view


def functions(programs: Sequence[Program]) -> dict[str, str]:
    """Text of a function for each program, by name."""
    names = [f"program{number}" for number in range(len(programs))]
    return {name: program.text(name) for name, program in zip(names, programs)}


def run(programs: Sequence[Program], route: Route) -> list[str | None]:
    """Compiles programs of one order of sums as one module, and says what is wrong with each."""
    sum_order = programs[0].sum_order
    if route.processor:
        _compile_for(functions(programs), sum_order, route)
        return [None] * len(programs)
    _compile.OPT_LEVEL, _compile.VERIFY_EACH = route.level, route.verify
    with context():
        module = ir.Module.parse("".join(functions(programs).values()))
        if route.before:
            PassManager.parse(f"builtin.module({route.before})").run(module.operation)
        compiled = runtime.compile(module, sum_order=sum_order, **route.options)
    return [
        isolated.outcome(lambda: _call(compiled[name], program, route))
        for name, program in zip(functions(programs), programs)
    ]


def _call(function: Function, program: Program, route: Route) -> str | None:
    inputs = [placed(array, route.layout) for array in program.inputs()]
    copies = [array.copy() for array in inputs]
    out_layout = "guarded" if route.layout == "guarded" else "rows"
    outs = tuple(placed(np.zeros_like(array), out_layout) for array in program.expected())
    options = {"out": outs} if outs and route.layout != "rows" else {}
    actual = function(*inputs, **options)
    actual = actual if isinstance(actual, tuple) else () if actual is None else (actual,)
    for number, (array, copy) in enumerate(zip(inputs, copies)):
        if array.tobytes() != copy.tobytes():
            return f"argument {number} was written to"
    for number, (array, expected) in enumerate(zip(actual, program.expected(), strict=True)):
        wrong = _difference(np.asarray(array), expected)
        if wrong:
            return f"result {number}: {wrong}"
    return None


def _difference(actual: np.ndarray, expected: np.ndarray) -> str | None:
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"{actual.dtype} {actual.shape}, expected {expected.dtype} {expected.shape}"
    different = ~same(actual, expected)
    if not different.any():
        return None
    at = tuple(np.argwhere(different)[0])
    return (
        f"{different.sum()} of {different.size} differ, first {tuple(map(int, at))}: "
        f"{actual[at]!r}, expected {expected[at]!r}"
    )


def _compile_for(texts: Mapping[str, str], sum_order: str, route: Route) -> None:
    """Makes an object file for another processor."""
    target = route.options["target"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "main.mlir")
        path.write_text("".join(texts.values()))
        command = [
            QUANT_COMPILE,
            path,
            "-o",
            Path(folder, "main.o"),
            f"-mcpu={route.processor}",
            f"-O{route.level}",
        ]
        done = subprocess.run(
            [*command, f"--pipeline-options=target={target} sum-order={sum_order}"],
            capture_output=True,
            text=True,
        )
    if done.returncode == 0:
        return
    # C callers allocate results, whose sizes they must know.
    refused = set(re.findall(r"function '(\w+)' .* its size depends on data", done.stderr))
    if not refused:
        raise RuntimeError(f"{route.processor}: {done.returncode}: {done.stderr[-2000:]}")
    if rest := {name: text for name, text in texts.items() if name not in refused}:
        _compile_for(rest, sum_order, route)
