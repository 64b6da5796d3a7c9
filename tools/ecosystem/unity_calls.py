# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each file of lib/ alone, and says where it fails, or where a function calls others than in its directory's unit.

In a unit, a call can find a function of another file: one that hides a static function, or an overload that fits
better. Two compilations differ in how they number lambdas and in destructors that end in `terminate`; those are
left out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD = Path(__file__).parents[2] / "build"
OWN = re.compile(r"_ZL|3qdq|_GLOBAL__N")
UNNUMBERED = re.compile(r"D[012]Ev$|\$_|_GLOBAL__sub|global_var_init")


def callees(command: str, source: str) -> dict[str, list[set[str]]] | str:
    """For each function its callees of this project; several if names are only told apart by numbers."""
    words = command[: command.index(" -o ")]
    done = subprocess.run(
        f"{words} -w -Xclang -disable-llvm-passes -S -emit-llvm -o - -c {source}",
        shell=True, cwd=BUILD, capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return done.stderr
    functions: dict[str, list[set[str]]] = {}
    inside = None
    for line in done.stdout.splitlines():
        if line.startswith("define"):
            inside = set()
            name = re.search(r'@("[^"]+"|[\w.$]+)\(', line)[1]
            functions.setdefault(re.sub(r"\.\d+$", "", name), []).append(inside)
        elif line == "}":
            inside = None
        elif inside is not None and (
            call := re.search(r'\b(?:call|invoke)\b.*?@("[^"]+"|[\w.$]+)\(', line)
        ):
            name = re.sub(r"\.\d+$", "", call[1])
            if OWN.search(name) and not UNNUMBERED.search(name):
                inside.add(name)
    return functions


def compare(unit: dict) -> list[str]:
    together = callees(unit["command"], unit["file"])
    files = re.findall(r'#include "(.*)"', Path(unit["file"]).read_text())
    faults = []
    for file in files:
        alone = callees(unit["command"], file)
        if isinstance(alone, str) or isinstance(together, str):
            faults.append(
                f"{file} does not compile alone:\n{alone if isinstance(alone, str) else together}"
            )
            continue
        for name, calls in alone.items():
            if UNNUMBERED.search(name):
                continue
            known = together.get(name, [])
            faults += [f"{file}: {name} calls {sorted(c)} alone, {[sorted(k - c) for k in known]} in its unit"
                       for c in calls if c not in known]  # fmt: skip
    return faults


def main() -> int:
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    units = [c for c in commands if "/lib/" in c["file"] and "/unity_" in c["file"]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for found in pool.map(compare, units) for fault in found]
    print(
        "\n".join(faults)
        or f"{len(units)} units: every function calls the same as in its file alone"
    )
    return 1 if faults or not units else 0


if __name__ == "__main__":
    sys.exit(main())
