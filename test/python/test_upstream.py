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


VERSION = re.search(r"version (\S+)", run_tool(LLVM_TOOLS / "mlir-opt", "--version").stdout)[1]


def commands_of(folder):
    (reproducer,) = folder.glob("reproduce.*")
    lines = re.findall(r"(?m)^(?://|;) RUN: (.*)$", reproducer.read_text())
    assert lines, f"{reproducer}: no RUN line"
    return reproducer, lines


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_shows_its_fault(folder, tmp_path):
    reproducer, lines = commands_of(folder)
    seen = re.search(r"(?m)^- seen in: (.*)$", (folder / "README.md").read_text())
    found = re.search(rf"(not in )?\b{VERSION.split('.')[0]}\.", seen[1])
    # What is not LLVM's has versions of its own.
    expected = True if "-mlir" in seen[1] else found and not found[1]
    failed = []
    values = SUBSTITUTIONS | {"%s": reproducer, "%t": tmp_path / "t"}
    for line in lines:
        tool = re.match(r"(?:not (?:--crash )?)?(\S+)", line)[1]
        if not (LLVM_TOOLS / tool).exists() and not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
        command = re.sub("%mlir_c_runner_utils|%s|%t", lambda found: str(values[found[0]]), line)
        done = run_tool("bash", "-o", "pipefail", "-c", command, check=False)
        if done.returncode:
            failed.append(f"{command}\n{done.stderr}")
    if expected is None:
        pytest.skip(f"the page does not name LLVM {VERSION}; {'gone' if failed else 'seen'} there")
    assert expected == (not failed), (
        f"{folder.name}: its page says {seen[1]}, but in {LLVM_TOOLS}, {VERSION}, the fault is"
        f" {'gone' if failed else 'there'}\n{''.join(failed)}"
    )


def test_index_lists_each_folder_once():
    index = re.findall(
        r"(?m)^\| \[([\w-]+)\]\(\1/README\.md\) \|", (UPSTREAM / "README.md").read_text()
    )
    assert sorted(index) == [folder.name for folder in FOLDERS]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_page_says_what_it_must(folder):
    page = (folder / "README.md").read_text()
    parts = ("Fault", "Expected", "Example")
    assert [part for part in parts if f"**{part}.**" not in page] == []
    for path in re.findall(r"`((?:include|lib|python|test|tools)/[^`]+)`", page):
        assert (SOURCE / path).exists(), path


PROPOSALS = sorted(UPSTREAM.glob("*/proposal.diff"))


@pytest.mark.parametrize("diff", PROPOSALS, ids=lambda diff: diff.parent.name)
def test_proposal_is_a_patch(diff):
    """Whole hunks of files of MLIR, with a lit test; tools/ecosystem/upstream-patches compiles it."""
    text, page = diff.read_text(), (diff.parent / "README.md").read_text()
    files = re.findall(r"(?m)^\+\+\+ b/(.*)$", text)
    assert all(file.startswith("mlir/") for file in files)
    assert any(re.fullmatch(r"mlir/test/.*\.mlir", file) for file in files)
    assert "- proposal: [proposal.diff](proposal.diff): " in page
    assert f"[yes]({diff.parent.name}/proposal.diff)" in (UPSTREAM / "README.md").read_text()
    assert not re.search(r"not in 23", page), "a release has the fix"
    hunks = re.split(r"(?m)^@@ -(?:\d+)(?:,(\d+))? \+(?:\d+)(?:,(\d+))? @@.*\n", text)
    for old, new, body in zip(hunks[1::3], hunks[2::3], hunks[3::3]):
        lines = re.split(r"(?m)^diff --git", body)[0].splitlines()
        counts = [sum(line[:1] in (sign, " ") for line in lines) for sign in "-+"]
        assert counts == [int(old or 1), int(new or 1)], lines[0]
        # No more of the file than a patch needs.
        assert max(map(len, re.findall(r"(?:^ .*\n)+", body, re.M)), default=0) < 7 * 81


def test_every_proposal_is_there():
    listed = re.findall(r"\(([\w-]+)/proposal\.diff\)", (UPSTREAM / "README.md").read_text())
    assert sorted(listed) == [diff.parent.name for diff in PROPOSALS] and len(listed) >= 12


def test_workarounds_name_their_folder():
    for file in sorted((SOURCE / "lib" / "CodeGen" / "Workarounds").glob("*.cpp")):
        assert "docs/upstream/" in file.read_text(), file


def test_named_folders_exist():
    for file in CODE:
        for name in re.findall(r"\bdocs/upstream/([\w-]+)", file.read_text(errors="replace")):
            assert (UPSTREAM / name).is_dir(), f"{file}: docs/upstream/{name}"
