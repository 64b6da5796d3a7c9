# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unusual files, names and streams of the six commands: each works, or is answered in one clear line."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import numpy as np
import pytest
from build_tree import BUILD, ENVIRONMENT
from test_commands import COMMANDS, FUNCTION, files, run

__all__ = ["files"]  # a fixture

LONG = 250 * "n"
NOT_UTF8 = os.fsdecode(b"n\xff")
BYTE_ORDER_MARK = "begins with a byte order mark, which MLIR does not read"


@pytest.fixture(scope="module")
def unusual(files) -> Path:
    text = FUNCTION.encode()
    for name, data in {
        "crlf.mlir": text.replace(b"\n", b"\r\n"),
        "mark.mlir": b"\xef\xbb\xbf" + text,
        "utf16.mlir": FUNCTION.encode("utf-16"),
        "two words.mlir": text,
        "two\nlines.mlir": text,
        f"{NOT_UTF8}.mlir": text,
        f"{LONG}.mlir": text,
        "suffix": text,
        "F.MLIR": text,
        "-o": text,
        "empty.mlir": b"",
        "model.pt": b"PK\3\4",
        "model.pt2": b"PK\3\4",
        "model.h5": b"\x89HDF",
        "model.keras": b"PK\3\4",
        "model.ort": b"",
        "model.onnx.gz": b"\x1f\x8b",
        "M.ONNX": (files / "m.onnx").read_bytes(),
        "onnx.mlir": (files / "m.onnx").read_bytes(),
        "cut.onnx": (files / "m.onnx").read_bytes()[:60],
        "empty.tflite": b"",
        "empty.gguf": b"",
        "empty.safetensors": b"",
        "list.json": b"[]",
        "empty.npz": b"",
        "X.NPY": (files / "x.npy").read_bytes(),
    }.items():
        (files / name).write_bytes(data)
    for name, array in {
        "complex.npy": np.complex64([1]),
        "text_array.npy": np.array(["a"]),
        "record.npy": np.zeros(2, [("a", "f4")]),
        "days.npy": np.array(["2020-01-01"], "M8[D]"),
        "bool.npy": np.array([True]),
        "rank0.npy": np.float32(3),
        "rank2.npy": np.ones((1, 1), np.float32),
        "half.npy": np.float16([1]),
    }.items():
        np.save(files / name, array)
    np.savez(files / "none.npz")
    os.mknod(files / "socket.mlir", stat.S_IFSOCK | 0o600)
    return files


#: Two commands that read MLIR, and what stands behind the file's name.
READERS = [("quant-opt", []), ("quant-run", ["--list"]), ("quant-compile", ["-o", "-", "--emit=asm"])]  # fmt: skip
GOOD_NAMES = [
    "crlf.mlir", "two words.mlir", "two\nlines.mlir", f"{NOT_UTF8}.mlir", f"{LONG}.mlir", "suffix", "F.MLIR",
]  # fmt: skip


@pytest.mark.parametrize("command, rest", READERS)
def test_unusual_names_and_line_ends(unusual, monkeypatch, command, rest):
    monkeypatch.chdir(unusual)
    for name in [*GOOD_NAMES, *(["--", "-o"],) * (command == "quant-opt")]:
        words = [*rest, *([name] if isinstance(name, str) else name)]
        code, out, err = run(command, words)
        assert (code, err) == (0, "") and b"f" in out, words


def test_options_behind_two_dashes_are_files(unusual, monkeypatch):
    monkeypatch.chdir(unusual)
    assert run("quant-run", ["--list", "--", "-o"])[0] == 0
    assert run("quant-run", ["f.mlir", "x.npy", "--", "-0.5"]) == run("quant-run", ["f.mlir", "x.npy", "-0.5"])  # fmt: skip


@pytest.mark.parametrize("suffix", [".mlir", ""])
def test_the_longest_names_and_those_without_utf8_are_written(unusual, tmp_path, monkeypatch, suffix):  # fmt: skip
    monkeypatch.chdir(unusual)
    for name in (LONG, NOT_UTF8):
        path = tmp_path / f"{name}{suffix}"
        assert run("quant-opt", ["f.mlir", "-o", str(path)]) == (0, b"", "")
        assert b"qdq.quantize" in path.read_bytes()
        assert run("quant-compile", ["f.mlir", "-o", str(path)]) == (0, b"", "")
        path = path.with_name(f"{name}.mlir")
        assert run("quant-import", ["m.onnx", "-o", str(path)]) == (0, b"", "")
        assert b"onnx.QuantizeLinear" in path.read_bytes()
        path = path.with_name(f"{name}.npy")
        assert run("quant-run", ["f.mlir", "X.NPY", "0.5", "-o", str(path)]) == (0, b"", "")
        np.testing.assert_array_equal(np.load(path), np.int8([1, 3, -128]))


WRONG_ARRAYS = {
    "complex.npy": "got complex64", "text_array.npy": "got <U1", "record.npy": "expected float32 array of shape (?,)",
    "days.npy": "got datetime64[D]", "bool.npy": "got bool", "rank0.npy": "of shape ()", "rank2.npy": "of shape (1, 1)",
    "half.npy": "got float16", "empty.npz": "No data left in file", "none.npz": "1 input for f(",
}  # fmt: skip
UNREAD = {
    "model.pt": "is a file of PyTorch: torch.onnx.export writes .onnx",
    "model.pt2": "is a file of PyTorch: torch.onnx.export writes .onnx",
    "model.h5": "is a file of Keras: tf.lite.TFLiteConverter writes .tflite",
    "model.keras": "is a file of Keras: tf.lite.TFLiteConverter writes .tflite",
    "model.ort": "is a file of ONNX Runtime alone: give the .onnx file that it is made of",
    "model.onnx.gz": "is compressed: unpack it first",
}

MISUSE = [
    *(("quant-run", ["f.mlir", name, "0.5"], said) for name, said in WRONG_ARRAYS.items()),
    *((c, [name], f"{name}: {said}") for c in ("quant-run", "quant-import", "quant-report") for name, said in UNREAD.items()),
    *((c, [*rest, "mark.mlir"], BYTE_ORDER_MARK) for c, rest in READERS),
    *((c, [*rest, "utf16.mlir"], "neither text nor bytecode of MLIR") for c, rest in READERS),
    *((c, [*rest, "onnx.mlir"], "neither text nor bytecode of MLIR") for c, rest in READERS),
    ("quant-opt", ["socket.mlir"], "cannot read 'socket.mlir': Is a socket"),
    ("quant-run", ["socket.mlir", "x.npy"], "socket.mlir: No such device or address"),
    ("quant-opt", ["M.ONNX"], "quant-import reads it: quant-import M.ONNX | quant-opt"),
    ("quant-opt", ["f.mlir", "-o", "/proc/x"], "cannot write '/proc/x': No such file or directory"),
    ("quant-opt", ["f.mlir", "-o", 300 * "n"], ": File name too long"),
    ("quant-compile", ["f.mlir", "-o", "/proc/x"], "cannot write '/proc/x': No such file or directory"),
    ("quant-compile", ["f.mlir", "-o", "x.o", "--header", "/proc/x"], "cannot write '/proc/x': No such file"),
    ("quant-compile", ["f.mlir", "-o", "./f.mlir"], "-o names the input, 'f.mlir'"),
    ("quant-compile", ["f.mlir", "-o", "x.o", "--header", "./x.o"], "the same file"),
    ("quant-compile", ["f.mlir", "-o", "x.o", "--header", "folder/../f.mlir"], "--header names the input"),
    ("quant-compile", ["empty.mlir", "-o", "x.o"], "no public function with a body to compile"),
    ("quant-import", ["m.onnx", "-o", "/proc/x.mlir"], "/proc/x.mlir: No such file or directory"),
    ("quant-import", ["m.onnx", "-o", f"{300 * 'n'}.mlir"], "n.mlir: File name too long"),
    ("quant-import", ["--", "-p"], "-p: the suffix tells no format"),
    ("quant-import", ["cut.onnx"], "cut.onnx: not a readable ONNX model"),
    ("quant-import", ["empty.tflite"], "it has less than 8 bytes"),
    ("quant-import", ["empty.gguf"], "header: the file is empty"),
    ("quant-import", ["empty.safetensors"], "the file has 0 bytes, expected at least 8"),
    ("quant-import", ["list.json"], "expected an object with a 'graph', not []"),
    ("quant-run", ["f.mlir", "x.npy", "0.5", "-o", "/proc/x.npy"], "/proc/x.npy: No such file or directory"),
    ("quant-run", ["f.mlir", "x.npy", "0.5", "-o", ".npy"], ".npy: expected the suffix .npy or .npz"),
    ("quant-run", ["f.mlir", "x.npy", "0x10"], "'0x10' is no .npy or .npz file, and no number"),
    ("quant-run", ["f.mlir", "0.5", "x.npy"], "argument 0: expected float32 array of shape (?,)"),
    ("quant-report", ["m.onnx", "--inputs", "none.npz"], "none.npz: has no array x: it is empty"),
    ("quant-report", ["m.onnx", "--png", "/proc/x"], "/proc/x: No such file or directory"),
    ("quant-report", ["m.onnx", "-o", "/proc/x.html"], "/proc/x.html: No such file or directory"),
]  # fmt: skip


def test_misuse(unusual, monkeypatch):
    """Exit code 1, one line, nothing on standard output, and no file."""
    monkeypatch.chdir(unusual)
    before = {path: path.stat().st_mtime_ns for path in unusual.rglob("*")}
    wrong = []
    for command, words, said in MISUSE:
        code, out, err = run(command, words)
        names = err.startswith((f"{command}: error: ", "empty.mlir:0:0: error: "))
        if code != 1 or out or err.count("\n") != 1 or not names or said not in err:
            wrong.append(
                f"{command} {words} -> {code}, {len(out)} bytes\n  {err}  expected: {said}"
            )
    assert not wrong, "\n".join(wrong)
    assert {path: path.stat().st_mtime_ns for path in unusual.rglob("*")} == before


# --- standard streams ----------------------------------------------------------------------

WRITERS = {
    "quant-opt": ["f.mlir"], "quant-compile": ["f.mlir", "-o", "-"], "quant-import": ["m.onnx"],
    "quant-run": ["f.mlir", "x.npy", "0.5"], "quant-report": ["m.onnx", "-o", "-"],
}  # fmt: skip
STANDARD_INPUT = {
    "quant-opt": ["-"], "quant-compile": ["-", "-o", "x.o"], "quant-import": ["-", "--format", "onnx"],
    "quant-run": ["f.mlir", "-", "0.5"], "quant-report": ["-"],
}  # fmt: skip


def by_shell(folder: Path, command: str, words: list[str], redirection: str):
    # Buffered, as users have it: what is left in a buffer must not be said twice.
    line = f'unset PYTHONUNBUFFERED; exec "$0" "$@" {redirection}'
    done = subprocess.run(
        ["sh", "-c", line, BUILD / "bin" / command, *words],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("redirection, reason", [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")])  # fmt: skip
def test_standard_output_that_takes_nothing(files, command, redirection, reason):
    code, said = by_shell(files, command, WRITERS[command], redirection)
    assert code == 1 and said.startswith(f"{command}: error: ") and said.endswith(f"{reason}\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize("command", STANDARD_INPUT)
def test_standard_input_that_is_closed(files, command):
    code, said = by_shell(files, command, STANDARD_INPUT[command], "<&-")
    assert code == 1 and said.startswith(f"{command}: error: ") and "Bad file descriptor" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_help_without_room(files, command):
    code, said = by_shell(files, command, ["--help"], ">/dev/full")
    assert code == 1 and said.startswith(f"{command}: error: ") and "No space left" in said
    assert said.count("\n") == 1
