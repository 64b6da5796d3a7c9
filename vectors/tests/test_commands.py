# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m qdq_vectors, the pytest plugin, and what a C compiler makes of the headers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

import qdq_vectors as vectors
from qdq_vectors.__main__ import main

HERE = Path(__file__).parent
CC = shutil.which("cc") or shutil.which("clang") or shutil.which("clang-22")
needs_compiler = pytest.mark.skipif(CC is None, reason="no C compiler")

#: The classical cast by an addition that rounds: right, unless RULE is changed.
C_CAST = """
#include <stddef.h>
#include <stdint.h>
#include <string.h>
uint8_t one(float value) {
  uint32_t bits, half;
  memcpy(&bits, &value, 4);
  uint8_t sign = bits >> 24 & 0x80;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return 0x7f;
  if (bits >= 0x43e00000)
    return sign | 0x7e;
  if (bits < 0x3c800000) {
    float magnitude, magic = 16384.0f;  // its unit is 2^-9
    memcpy(&magnitude, &bits, 4);
    volatile float sum = magnitude + magic;
    float rounded = sum;
    memcpy(&half, &rounded, 4);
    return sign | (uint8_t)(half & 0xff);
  }
  bits += TIE + (bits >> 20 & 1) * EVEN;
  return sign | (uint8_t)((bits >> 20) - (120 << 3));
}
void many(const float *x, uint8_t *y, size_t count) {
  for (size_t i = 0; i < count; ++i)
    y[i] = one(x[i]);
}
"""


def build(tmp_path: Path, source: str, *flags: str) -> Path:
    (tmp_path / "code.c").write_text(source)
    library = tmp_path / "libcode.so"
    command = [CC, "-O2", "-Wall", "-Werror", *flags, "-shared", "-fPIC", "-I", tmp_path]
    subprocess.run([*command, tmp_path / "code.c", "-o", library], check=True)
    return library


@needs_compiler
def test_library(tmp_path, capsys):
    arguments = ["check", "cast_f32_e4m3fn", "--library"]
    library = build(tmp_path, C_CAST, "-DTIE=0x7ffff", "-DEVEN=1")
    assert main([*arguments, str(library), "--symbol", "many"]) == 0
    assert main([*arguments, str(library), "--symbol", "one", "--scalar"]) == 0
    part = ["--all", "--from", "0x3a000000", "--to", "0x3d000000"]
    assert main([*arguments, str(library), "--symbol", "many", *part]) == 0
    capsys.readouterr()
    folder = tmp_path / "up"
    folder.mkdir()
    library = build(folder, C_CAST, "-DTIE=0x80000", "-DEVEN=0")
    assert main([*arguments, str(library), "--symbol", "many", *part]) == 1
    output = capsys.readouterr().out
    # 2^-6 * (1 + 1/16): the first tie of the normal numbers whose lower neighbour is even.
    assert (
        "x = 0x3c880000 (0.016601562) gives 0x09 (0.017578125), expected 0x08 (0.015625)" in output
    )
    assert "Q1.1: rounding" in output


@needs_compiler
def test_c_header(tmp_path):
    for name in (
        "cast_f32_e4m3fn",
        "cast_f16_e5m2",
        "cast_bf16_i4",
        "cast_f32_i8-floor-wrap-zero",
        "cast_e8m0fnu_f16",
    ):
        case = vectors.case(name)
        header = tmp_path / f"{case.function}.h"
        assert main(["header", name, "-o", str(header)]) == 0
        f = case.function
        checked = f"{f}_same({f}_y[i], {f}_y[i])"
        if f"{f}_expected" in header.read_text():
            checked += f" && {f}_expected({f}_x[i]) == {f}_y[i]"
        source = (
            f'#include "{header.name}"\nint wrong(void) {{\n  int n = 0;\n'
            f"  for (int i = 0; i < {f}_count; ++i) {{\n    n += !({checked});\n  }}\n"
            f"  return n;\n}}\nunsigned count(void) {{ return {f}_count; }}\n"
        )
        import ctypes

        for language in ("c", "c++"):
            folder = tmp_path / f"{f}-{language}"
            folder.mkdir()
            library = ctypes.CDLL(str(build(
                folder, f'extern "C" {{\n{source}}}' if language == "c++" else source,
                "-x", language, "-I", str(tmp_path), "-Wno-unused-function",
            )))  # fmt: skip
            assert library.wrong() == 0 and library.count() == len(case.patterns)


def test_memh(capsys):
    case = vectors.case("cast_f32_e2m1fn", rounding="toward-zero")
    assert main(["header", "cast_f32_e2m1fn", "--rounding", "toward-zero", "--form", "memh"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("//")]
    words = [(int(line[:8], 16), int(line[8:], 16)) for line in lines]
    assert words == list(zip(case.patterns.tolist(), case.expected.tolist()))


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "qdq_vectors", *arguments]
    return subprocess.run(command, cwd=HERE, capture_output=True, **options)


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE.parent))


def test_callable(capsys, monkeypatch):
    monkeypatch.chdir(HERE)
    assert main(["check", "cast_f32_e4m3fn", "wrong_casts:to_e4m3"]) == 0
    assert main(["check", "cast_f16_e4m3fn", "wrong_casts:to_e4m3", "--all"]) == 0
    assert "all 65536 inputs equal" in capsys.readouterr().out
    assert main(["check", "cast_f32_e4m3fn", "wrong_casts:to_e4m3", "--rounding", "ceil"]) == 1
    assert "it follows cast_f32_e4m3fn-nearest-even-saturate" in capsys.readouterr().out
    assert main(["identify", "cast_f16_e4m3fn", "wrong_casts:to_e4m3"]) == 0
    assert capsys.readouterr().out == "cast_f16_e4m3fn-nearest-even-saturate\n"


def test_pipes():
    cast = vectors.case("cast_f16_e5m2")
    outputs = cast.span(0, 1 << 16)
    assert run("check", "--all", "cast_f16_e5m2", "-", input=outputs.tobytes()).returncode == 0
    short = run("check", "--all", "cast_f16_e5m2", "-", input=outputs[:100].tobytes())
    assert short.returncode == 2 and b"outputs end at input 0x64" in short.stderr
    given = outputs.copy()
    given[0x3E00] ^= 1
    wrong = run("check", "--all", "cast_f16_e5m2", "-", input=given.tobytes())
    assert wrong.returncode == 1 and b"1 of 65536 inputs differ" in wrong.stdout
    program = f"{sys.executable} -c 'import numpy as np, sys, wrong_casts as w; x = np.frombuffer(sys.stdin.buffer.read(), np.float16); sys.stdout.buffer.write(w.to_e4m3(x).tobytes())'"
    assert run("check", "--all", "cast_f16_e4m3fn", "--program", program).returncode == 0
    inputs = np.frombuffer(run("inputs", "cast_f16_e5m2").stdout, np.uint16)
    assert (inputs == np.arange(1 << 16)).all()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["check", "cast_f32_e4m3fn"], "expected MODULE:FUNCTION, -, --library or --program"),
        (["check", "cast_f32_e4m3fn", "-"], "add --all"),
        (["check", "cast_f32_e4m3fn", "nowhere:f"], "No module named 'nowhere'"),
        (["header", "cast_f32_e4"], "unknown type 'e4'"),
        (["check", "--all", "cast_f64_e4m3fn", "wrong_casts:to_e4m3"], "2^64 inputs"),
    ],
)
def test_wrong_use(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_plugin(pytester, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    pytester.makepyfile("""
        import pytest
        import qdq_vectors as vectors
        import wrong_casts

        @pytest.mark.qdq_vectors("cast", source="f32", to="e4m3fn", rounding="nearest-even")
        def test_marked(case):
            case.check(wrong_casts.to_e4m3)

        test_made = vectors.as_test(
            wrong_casts.rounds_twice, "cast", source="f32", to="e4m3fn", rounding="nearest-even",
            float_overflow="saturate",
        )
    """)
    points = entry_points(group="pytest11", name="qdq_vectors")
    result = pytester.runpytest_inprocess(
        *([] if points else ["-p", "qdq_vectors.pytest_plugin"]), "-p", "no:xdist"
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*cast_f32_e4m3fn-nearest-even-ieee: * inputs differ",
            "*cast_f32_e4m3fn-nearest-even-saturate: * inputs differ",
            "  x = 0x3a800001 (0.0009765626) gives 0x00 (0), expected 0x01 (0.001953125)",
            "  between 0 and 0.001953125; rounding = nearest-even, float_overflow = saturate",
            "  Q1.1: rounding: *",
        ]
    )
    assert "Traceback" not in result.stdout.str()
