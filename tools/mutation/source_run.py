# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which test kills a mutant of the passes: of the tests that reach it, lit's first, quick ones first, then pytest's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict

from .source_build import BUILD, MUTANTS
from .source_mistakes import TREE

TRACE = MUTANTS / "trace"
#: The tests in Python that compare bits of compiled functions, without those that start other programs.
PYTEST = (
    "backend", "block_floating_point", "byte_products", "choose_params", "contraction_proof", "contractions", "dequantize_constants",
    "elementary_functions", "expand_divisions", "expand_floats", "float_storage", "hoist_loop_invariants",
    "integer_contractions", "integer_contractions_blocks", "integer_contractions_rescale", "lay_out_constants", "lookup_tables", "motion",
    "native_casts", "packed_rows", "packing", "partial_reduction", "reduction_words", "requantize", "routes",
    "runtime_calls", "saturating_packs", "short_blocks", "simplify", "stream_stores", "sub_byte", "sum_order", "threads", "tiling",
)  # fmt: skip
#: Tests in one run of lit.
_CHUNK = 6
#: Codes of pytest: interrupted, an error of its own, wrong usage.
_NO_RUN = (2, 3, 4)
#: Tests that load the plugin of `build`, or run all patterns for minutes.
_LEFT_OUT = "plugin|populate"

_FORMAT = """
import sys
sys.path.append({tools!r})
from mutation.lit_format import WithMutant
config.test_format = WithMutant(execute_external=False)
"""


def prepare() -> None:
    """The lit suite, on the binaries with mutants."""
    site = (BUILD / "test" / "lit.site.cfg.py").read_text()
    site = site.replace(f'"{BUILD}"', f'"{MUTANTS}"') + _FORMAT.format(tools=str(TREE / "tools"))
    (MUTANTS / "test").mkdir(exist_ok=True)
    (MUTANTS / "test" / "lit.site.cfg.py").write_text(site)


def _environment(**more: str) -> dict[str, str]:
    paths = [MUTANTS / "python_packages", TREE / "tools"]
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))} | more


def trace(jobs: int) -> None:
    """Runs lit without a mistake, and notes which mutants each test reaches, and its seconds."""
    (TRACE / "lit").mkdir(parents=True, exist_ok=True)
    for old in (TRACE / "lit").iterdir():
        old.unlink()
    environment = _environment(QDQ_MUTANT_TRACE=str(TRACE / "lit"))
    report = TRACE / "lit.json"
    lit = ["lit", "-q", f"-j{jobs}", "--filter-out", _LEFT_OUT, "-o", report, MUTANTS / "test"]
    if subprocess.run(lit, env=environment).returncode:
        sys.exit("the tests fail without a mistake")


def reached() -> dict[int, list[str]]:
    """The tests of lit that reach each mutant, quick ones first."""
    seconds = {
        "@".join(test["name"].split(" :: ", 1)[1].split("/")): test["elapsed"]
        for test in json.loads((TRACE / "lit.json").read_text())["tests"]
    }
    found: dict[int, list] = defaultdict(list)
    for path in (TRACE / "lit").iterdir():
        for number in set(path.read_text().split()):
            found[int(number)].append((seconds.get(path.name, 0.0), path.name.replace("@", "/")))
    return {number: [name for _, name in sorted(tests)] for number, tests in found.items()}


def killer_of_lit(number: int, tests: list[str]) -> str | None:
    """The first test of lit that fails with this mutant."""
    environment = _environment(QDQ_MUTANT=str(number))
    for start in range(0, len(tests), _CHUNK):
        files = [str(MUTANTS / "test" / name) for name in tests[start : start + _CHUNK]]
        lit = ["lit", "-q", "-j1", "--timeout", "120", "--max-failures", "1", *files]
        done = subprocess.run(lit, env=environment, capture_output=True, text=True)
        if failed := re.search(r"mlir-qdq :: (\S+)", done.stdout):
            return failed[1]
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
    return None


def killers_of_pytest(alive: list[int]) -> dict[int, str]:
    """Of mutants, the tests of pytest that fail. A mutant that stops the process is killed, too."""
    log = MUTANTS / "pytest.jsonl"
    log.write_text(json.dumps({"alive": alive}) + "\n")
    files = [f"test/python/test_{name}.py" for name in PYTEST]
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "mutation.source_pytest",
    ]
    environment = _environment(QDQ_MUTANTS=str(log))
    pytest += ["-p", "no:faulthandler", "--timeout=0"]
    events = [{"test": None}]
    while "test" in events[-1] and "verdict" not in events[-1]:
        if subprocess.run([*pytest, *files], env=environment, cwd=TREE).returncode in _NO_RUN:
            sys.exit("pytest does not run")
        events = [json.loads(line) for line in log.read_text().splitlines()]
    return {e["mutant"]: e["test"] for e in events if e.get("verdict") == "killed"}
