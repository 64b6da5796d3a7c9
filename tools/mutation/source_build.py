# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binaries that hold all mutants: files of lib/ with mistakes, linked in place of those of a build of its own."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .source_mistakes import TREE, Mistake

MUTANTS = TREE / "build-mutants"
BUILD = MUTANTS / "build"
TOOLS = ("quant-opt", "qdq-drivers", "qdq-consumers")


def build(chosen: list[Mistake], jobs: int) -> list[Mistake]:
    """The mistakes that compile. Mutant `i` is the `i`-th of them."""
    _build_originals()
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    commands = {entry["file"]: entry["command"] for entry in entries}
    _run(_changed(commands[str(TREE / "lib/Numerics/Semantics.cpp")], MUTANTS / "runtime.o",
                  TREE / "tools/mutation/runtime.cpp"))  # fmt: skip

    numbers = {mistake.key: number for number, mistake in enumerate(chosen)}
    of_file = defaultdict(list)
    for mistake in chosen:
        of_file[mistake.file].append(mistake)
    with ThreadPoolExecutor(jobs) as pool:
        kept = pool.map(
            lambda item: _compile(item[0], item[1], numbers, commands[str(TREE / item[0])]),
            of_file.items(),
        )
        chosen = [mistake for mistakes in kept for mistake in mistakes]
    objects = [str(_object(file)) for file in of_file] + [str(MUTANTS / "runtime.o")]
    _link(objects)
    (MUTANTS / "numbers.json").write_text(
        json.dumps({mistake.key: numbers[mistake.key] for mistake in chosen})
    )
    return chosen


def _build_originals() -> None:
    """An object for each file, which a mutant can replace, compiled as fast as can be."""
    options = ["-DCMAKE_UNITY_BUILD=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"]
    _run(["cmake", "--preset", "default", "-B", str(BUILD), *options], TREE)
    _run(["ninja", "-C", str(BUILD), *TOOLS, "QDQPython"])


def _object(file: str) -> Path:
    return MUTANTS / "objects" / (file.replace("/", "_") + ".o")


def _changed(command: str, output: Path, source: Path) -> list[str]:
    """The command of the build with another output and source."""
    words = shlex.split(command)
    original = Path(words[words.index("-c") + 1])
    words[words.index("-o") + 1] = str(output)
    words[words.index("-c") + 1] = str(source)
    words[1:1] = ["-iquote", str(original.parent), "-w", "-fno-color-diagnostics"]
    return words


def _run(command: list[str], directory: Path = BUILD) -> None:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[-8:])}: {done.stderr[-3000:]}")


def _compile(file: str, mistakes: list[Mistake], numbers: dict, command: str) -> list[Mistake]:
    """Compiles one file; leaves out mistakes on lines that do not compile."""
    source = MUTANTS / "source" / file
    source.parent.mkdir(parents=True, exist_ok=True)
    target = _object(file)
    target.parent.mkdir(exist_ok=True)
    while True:
        text = _mutated(file, mistakes, numbers)
        if source.exists() and source.read_text() == text and target.exists():
            return mistakes
        target.unlink(missing_ok=True)
        source.write_text(text)
        done = subprocess.run(
            _changed(command, target, source), cwd=BUILD, capture_output=True, text=True
        )
        if done.returncode == 0:
            return mistakes
        lines = re.findall(rf"{re.escape(str(source))}:(\d+):\d+:", done.stderr)
        bad = {int(line) for line in lines}
        rest = [m for m in mistakes if not bad & set(range(m.line, m.line + m.height))]
        if len(rest) == len(mistakes):  # the error can be in what follows an expression
            rest = [m for m in mistakes if m.line + m.height not in bad]
        if len(rest) == len(mistakes):
            sys.exit(f"{file} does not compile:\n{done.stderr[-3000:]}")
        mistakes = rest


def _mutated(file: str, mistakes: list[Mistake], numbers: dict) -> str:
    text = (TREE / file).read_bytes()
    for m in reversed(mistakes):
        code = m.code.replace("QDQ_MUTANT", f"qdqMutant({numbers[m.key]})")
        text = text[: m.start] + code.encode() + text[m.end :]
    return "bool qdqMutant(int mutant); " + text.decode()


def _link(objects: list[str]) -> None:
    (MUTANTS / "bin").mkdir(exist_ok=True)
    for tool in TOOLS:
        words = _link_command(tool)
        at = words.index("-o")
        words[at + 1] = str(MUTANTS / "bin" / tool)
        _run(words[: at + 2] + objects + words[at + 2 :])
    for other in (BUILD / "bin").iterdir():
        if other.name not in TOOLS:
            # Other names of one program, and scripts.
            target = other.readlink() if other.is_symlink() else other
            _replace(MUTANTS / "bin" / other.name, target)
    _replace(MUTANTS / "lib", BUILD / "lib")
    packages = MUTANTS / "python_packages"
    shutil.rmtree(packages, ignore_errors=True)
    shutil.copytree(BUILD / "python_packages", packages, symlinks=True)
    words = _link_command("_qdq")
    at = words.index("-o")
    words[at + 1] = str(MUTANTS / words[at + 1])
    _run(words[: at + 2] + objects + words[at + 2 :])


def _link_command(target: str) -> list[str]:
    lines = subprocess.run(
        ["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True
    )
    # Other commands come before and behind the linker's.
    commands = lines.stdout.splitlines()[-1].split(" && ")
    return next(words for words in map(shlex.split, commands) if "-o" in words)


def _replace(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)
