# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks systems one after the other, each in an environment of its own that is deleted after.

python run.py FOLDER [system ...]     records into results/; without names, every system
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYSTEMS = HERE / "systems"


def packages_of(file: Path) -> list[str]:
    """PACKAGES of a system, which only its environment can import; none of what systems share."""
    for statement in ast.parse(file.read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "PACKAGES":
            return list(ast.literal_eval(statement.value))
    return []


def main(folder: str, names: list[str]) -> int:
    files = [file for file in sorted(SYSTEMS.glob("*.py")) if packages_of(file)]
    failed = []
    for file in files:
        if names and file.stem not in names:
            continue
        environment = Path(folder) / file.stem
        venv.create(environment, clear=True, with_pip=True)
        python = environment / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", *packages_of(file)]
        done = subprocess.run(install).returncode == 0
        done = done and subprocess.run([python, HERE / "scoring.py", file.stem]).returncode == 0
        failed += [] if done else [file.stem]
        shutil.rmtree(environment)
    print(f"failed: {', '.join(failed)}" if failed else "all were asked")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
