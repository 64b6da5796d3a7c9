# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/upstream: each reproducer still shows its fault, and each workaround names its folder."""

import re
import shutil

import pytest
from build_tree import LLVM_TOOLS, SOURCE, run_tool

UPSTREAM = SOURCE / "docs" / "upstream"
FOLDERS = sorted(entry for entry in UPSTREAM.iterdir() if entry.is_dir())
#: Where the tree may name a folder.
CODE = [
    file
    for folder in ("include", "lib", "python", "test", "tools")
    for file in (SOURCE / folder).rglob("*")
    if file.suffix in (".cpp", ".h", ".td", ".py", ".mlir")
]
SUBSTITUTIONS = {"%mlir_c_runner_utils": LLVM_TOOLS.parent / "lib" / "libmlir_c_runner_utils.so"}


def commands_of(folder):
    (reproducer,) = folder.glob("reproduce.*")
    lines = re.findall(r"(?m)^(?://|;) RUN: (.*)$", reproducer.read_text())
    assert lines, f"{reproducer}: no RUN line"
    return reproducer, lines


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_shows_its_fault(folder, tmp_path):
    reproducer, lines = commands_of(folder)
    values = SUBSTITUTIONS | {"%s": reproducer, "%t": tmp_path / "t"}
    for line in lines:
        tool = re.match(r"(?:not (?:--crash )?)?(\S+)", line)[1]
        if not (LLVM_TOOLS / tool).exists() and not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
        command = re.sub("%mlir_c_runner_utils|%s|%t", lambda found: str(values[found[0]]), line)
        done = run_tool("bash", "-o", "pipefail", "-c", command, check=False)
        assert done.returncode == 0, (
            f"{folder.name}: {tool} of {LLVM_TOOLS} shows something else; if the fault is fixed there,"
            f" remove the folder, and the workaround\n{command}\n{done.stderr}"
        )


def test_index_lists_each_folder_once():
    index = re.findall(
        r"(?m)^\| \[([\w-]+)\]\(\1/README\.md\) \|", (UPSTREAM / "README.md").read_text()
    )
    assert sorted(index) == [folder.name for folder in FOLDERS]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_page_says_what_it_must(folder):
    page = (folder / "README.md").read_text()
    parts = ("What happens", "What should happen", "The value that shows it")
    assert [part for part in parts if f"**{part}.**" not in page] == []
    for path in re.findall(r"`((?:include|lib|python|test|tools)/[^`]+)`", page):
        assert (SOURCE / path).exists(), path


def test_workarounds_name_their_folder():
    for file in sorted((SOURCE / "lib" / "CodeGen" / "Workarounds").glob("*.cpp")):
        assert "docs/upstream/" in file.read_text(), file


def test_named_folders_exist():
    for file in CODE:
        for name in re.findall(r"\bdocs/upstream/([\w-]+)", file.read_text(errors="replace")):
            assert (UPSTREAM / name).is_dir(), f"{file}: docs/upstream/{name}"
