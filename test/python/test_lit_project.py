# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/lit-project, copied as its README says, with the FileCheck of LLVM and with that of PyPI."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from build_tree import BUILD, LLVM_TOOLS, SOURCE

EXAMPLE = SOURCE / "examples" / "lit-project"
VENV = os.path.dirname(sys.executable)


@pytest.fixture
def project(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("Output"))
    (tmp_path / "bin").mkdir()
    return tmp_path / "project"


def run_lit(project, *tools):
    """`lit -v test`, with these programs on PATH and nothing else of ours."""
    (command,) = re.findall(r"^(lit .*)$", (project / "README.md").read_text(), re.M)
    for tool in tools:
        (project.parent / "bin" / tool.name).symlink_to(tool)
    path = os.pathsep.join([str(project.parent / "bin"), "/usr/bin", "/bin"])
    return subprocess.run(
        [os.path.join(VENV, "lit"), *command.split()[1:]],
        cwd=project,
        env={"PATH": path, "HOME": str(project)},
        capture_output=True,
        text=True,
    )


QUANT_OPT = BUILD / "bin" / "quant-opt"
FILE_CHECKS = {"LLVM": LLVM_TOOLS / "FileCheck", "PyPI": Path(VENV) / "filecheck"}


@pytest.mark.parametrize("file_check", FILE_CHECKS)
def test_passes(project, file_check):
    done = run_lit(project, QUANT_OPT, FILE_CHECKS[file_check])
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(list(project.glob("test/*.mlir")))
    assert count >= 3 and re.search(rf"Passed: {count} ", done.stdout), done.stdout


@pytest.mark.parametrize("file_check", FILE_CHECKS)
def test_fails_on_another_code(project, file_check):
    test = project / "test" / "value.mlir"
    test.write_text(test.read_text().replace("dense<[2, 4,", "dense<[2, 3,"))
    done = run_lit(project, QUANT_OPT, FILE_CHECKS[file_check])
    assert done.returncode == 1 and "Failed: 1 " in done.stdout


@pytest.mark.parametrize("lacking", ["quant-opt", "filecheck"])
def test_says_what_is_missing(project, lacking):
    tools = {"quant-opt": QUANT_OPT, "filecheck": LLVM_TOOLS / "FileCheck"}
    del tools[lacking]
    done = run_lit(project, *tools.values())
    assert done.returncode != 0 and f"{lacking} is" in done.stdout + done.stderr
