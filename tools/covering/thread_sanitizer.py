# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""build-tsan: the package of `build`, with the C++ of python/ under ThreadSanitizer.

libMLIR and lib/ are not instrumented: lib/ keeps no variables (test_static_state.py).
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
BUILD, OUTPUT = TREE / "build", TREE / "build-tsan"
PACKAGES = "python_packages/"


def main() -> int:
    shutil.rmtree(OUTPUT, ignore_errors=True)
    shutil.copytree(BUILD / PACKAGES, OUTPUT / PACKAGES, symlinks=True)
    for other in ("bin", "test"):
        (OUTPUT / other).symlink_to(BUILD / other)
    for target in ("_qdq_runtime", "_qdq"):
        lines = subprocess.run(
            ["ninja", "-C", BUILD, "-t", "commands", target],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        objects = {}
        for line in lines[:-1]:
            words = shlex.split(line)
            at = words.index("-o") + 1 if "-c" in words else 0
            # Objects by their target: a unity build compiles files that it wrote itself.
            if words[at].startswith(f"python/CMakeFiles/{target}.dir/"):
                objects[words[at]] = str(OUTPUT / words[at])
                Path(objects[words[at]]).parent.mkdir(parents=True, exist_ok=True)
                words = ["-O1" if word == "-O3" else objects.get(word, word) for word in words]
                subprocess.run([*words, "-g", "-fsanitize=thread"], cwd=BUILD, check=True)
        words = [
            objects.get(word, word) for word in shlex.split(lines[-1]) if word not in (":", "&&")
        ]
        words = [str(OUTPUT / w) if w.startswith(PACKAGES) else w for w in words if w != "-Wl,-s"]
        subprocess.run([*words, "-fsanitize=thread"], cwd=BUILD, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
