# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grammar of the six commands: kinds of misuse, each answered in one line that names the program."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
import typing
from pathlib import Path

import mlir_qdq
import numpy as np
import onnx
import pytest
from build_tree import BUILD, ENVIRONMENT, SOURCE
from mlir_qdq import runtime
from mlir_qdq._passes_gen import QuantToLLVMOptions
from mlir_qdq.command import quant_import, quant_report, quant_run
from mlir_qdq.command._output import replaced
from onnx import TensorProto, helper, numpy_helper

#: Those in Python are called in this process.
IN_PYTHON = {"quant-import": quant_import, "quant-report": quant_report, "quant-run": quant_run}
COMMANDS = ["quant-opt", "quant-compile", "quant-lsp-server", *IN_PYTHON]

FUNCTION = """func.func @f(%x: tensor<?xf32>, %s: f32) -> tensor<?xi8> {
  %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>
  return %q : tensor<?xi8>
}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "folder").mkdir()
    for name, text in {
        "f.mlir": FUNCTION,
        "two.mlir": FUNCTION + FUNCTION.replace("@f", "@g"),
        "pair.mlir": "func.func @p(%x: f32) -> (f32, f32) { return %x, %x : f32, f32 }",
        "none.mlir": "func.func private @f() { return }",
        "foreign.mlir": 'func.func @f(%x: f32) -> f32 {\n  %y = "foo.bar"(%x) : (f32) -> f32\n  return %y : f32\n}',
        "undefined.mlir": "func.func private @g(f32) -> f32\nfunc.func @f(%x: f32) -> f32 {\n  %y = call @g(%x) : (f32) -> f32\n  return %y : f32\n}",
        "empty.npy": "",
        "text.npy": "no array",
        "text.npz": "no arrays",
        "empty.onnx": "",
        "text.onnx": "no model",
        "text.gguf": "no weights",
        "text.safetensors": "no weights",
        "text.tflite": "no model",
        "text.json": "no graph",
        "file.xyz": "",
    }.items():
        (folder / name).write_text(text)
    (folder / "wrong.json").write_text(json.dumps({"version": "1"}))
    (folder / "binary").write_bytes(bytes(range(9)) * 100)
    np.save(folder / "x.npy", np.float32([0.5, 1.5, -300]))
    np.save(folder / "large.npy", np.float32([1e20]))
    np.save(folder / "doubles.npy", np.float64([1]))
    header = (
        (folder / "doubles.npy")
        .read_bytes()
        .replace(b"(1,), }" + b" " * 20, b"(1000000000000000000,), }" + b"  ")
    )
    (folder / "exabytes.npy").write_bytes(header)
    np.save(folder / "objects.npy", np.array([None]), allow_pickle=True)
    (folder / "short.npy").write_bytes((folder / "x.npy").read_bytes()[:-4])
    np.savez(folder / "other.npz", other=np.float32([1]))
    np.savez(folder / "objects.npz", x=np.array([None]))
    np.savez(folder / "long.npz", x=np.float32([[1, 2, 3, 4]]))
    np.save(folder / "big-endian.npy", np.array([0.5, 1.5, -300], ">f4"))
    nodes = [helper.make_node("QuantizeLinear", ["x", "s"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
    y = helper.make_tensor_value_info("y", TensorProto.UINT8, [3])
    scale = numpy_helper.from_array(np.float32(0.5), "s")
    for name, node, output in (
        ("m.onnx", nodes, y),
        ("relu.onnx", [helper.make_node("Relu", ["x"], ["y"])], helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])),
    ):  # fmt: skip
        graph = helper.make_graph(node, "g", [x], [output], [scale])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.save(model, folder / name)
    return folder


def run(command: str, arguments: list[str], data: bytes = b"") -> tuple[int, bytes, str]:
    """Exit code, standard output and standard error."""
    if command not in IN_PYTHON:
        done = subprocess.run([BUILD / "bin" / command, *arguments], input=data, capture_output=True, env=ENVIRONMENT)  # fmt: skip
        return done.returncode, done.stdout, done.stderr.decode()
    out, err, given = io.TextIOWrapper(io.BytesIO()), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = IN_PYTHON[command].main(arguments)
            except SystemExit as end:
                code = end.code
    finally:
        sys.stdin = given
    out.flush()
    return code, out.buffer.getvalue(), err.getvalue()


# --- misuse that all have in common ------------------------------------------------------

#: Valid arguments of each command; an option that needs a value, with a right one and a
#: wrong one near it; one with a number; one without a value.
USAGE = {
    "quant-opt": (["f.mlir"], ("--mlir-timing-display", "tree", "tre"), ("--bytecode-producer-version", ""), "--show-dialects"),
    "quant-compile": (["f.mlir", "-o", "x.o"], ("--emit", "asm", "as"), ("-O", ""), None),
    "quant-lsp-server": ([], ("--log", "info", "inf"), None, "--pretty"),
    "quant-import": (["m.onnx"], ("--format", "onnx", "onx"), None, "--commands"),
    "quant-report": (["m.onnx"], ("--policy", "rounding=floor", "rounding=flor"), ("--details", "0 or more"), None),
    "quant-run": (["f.mlir", "x.npy", "0.5"], ("--rounding", "floor", "flor"), ("--time", "1 or more"), "--list"),
}  # fmt: skip


def in_common(command: str):
    """Words, and what is said of them."""
    good, (option, right, wrong), number, flag = USAGE[command]
    yield [*good, "--xyzzy-plugh"], "unknown option '--xyzzy-plugh': see --help"
    yield ["--xyzzy-plugh=1", *good], "unknown option '--xyzzy-plugh=1'"
    yield [*good, "-Q"], "unknown option '-Q'"
    misspelled = option[:3] + option[4:]
    yield [*good, f"{misspelled}={right}"], f"unknown option '{misspelled}={right}': did you mean '{option}'?"  # fmt: skip
    yield [misspelled, right, *good], f"did you mean '{option}'?"
    yield [*good, "--versoin"], "did you mean '--version'?"
    yield [*good, "--hepl"], "did you mean '--help'?"
    yield [*good, option], f"{option} needs a value"
    yield [option, "--version", *good], f"{option} needs a value"
    yield [*good, f"{option}={wrong}"], f"did you mean '{right.rpartition('=')[2]}'?"
    yield [f"{option}={wrong}", *good], f"did you mean '{right.rpartition('=')[2]}'?"
    yield [option, wrong, *good], f"did you mean '{right.rpartition('=')[2]}'?"
    yield [*good, f"{option}="], ""
    yield [*good, f"{option}=xyzzy"], "xyzzy"
    if command != "quant-report":
        yield [option, right, *good, option, right], f"{option} is given twice"
    if number:
        for text in ("many", "1.5", "-3", "", "1e3", "0x"):
            yield [*good, f"{number[0]}{'' if number[0] == '-O' else '='}{text}"], number[1]
    if flag:
        yield [*good, f"{flag}=maybe"], flag
        yield [*good, flag, flag], f"{flag} is given twice"
    if command == "quant-lsp-server":
        return
    rest = good[1:]
    yield ["missing.mlir", *rest], "missing.mlir"
    yield ["folder", *rest], "folder"
    yield ["", *rest], "''"
    yield ["missing/f.mlir", *rest], "missing/f.mlir"
    yield ["f.mlir/f.mlir", *rest], "f.mlir/f.mlir"
    good = good[: good.index("-o")] if "-o" in good else good
    yield [*good, "-o"], "-o needs a value"
    yield ["-o", "x", *good, "-o", "y"], "-o is given twice"
    yield [*good, "-o", "folder"], "folder"
    yield [*good, "-o", "missing/x.npz"], "missing/x.npz"
    yield [*good, "-o", "f.mlir/x.npz"], "f.mlir/x.npz"
    yield [*good, "-o", ""], "''"
    if command != "quant-run":
        yield [*good, good[0], "-o", "x.o"], "one input at most"


# --- misuse of one -----------------------------------------------------------------------

OWN = {
    "quant-opt": [
        (["--lower-quantt", "f.mlir"], "did you mean '--lower-quant'?"),
        (["--lower-quant=profile=ort", "rounding=floor", "f.mlir"], '--lower-quant="profile=ort rounding=floor"'),
        (["--lower-quant", "profile=ort", "f.mlir"], '--lower-quant="profile=ort"'),
        (["f.mlir", "--lower-quant=profile=ort", "rounding=floor"], '--lower-quant="profile=ort rounding=floor"'),
        (["--lower-quant=profle=ort", "f.mlir"], "'profle' is not an option: did you mean 'profile'?"),
        (["--lower-quant=xyzzy=1", "f.mlir"], "'xyzzy' is not an option: expected one of activations,"),
        (["--lower-quant=profile=ortt", "f.mlir"], "did you mean 'ort'?"),
        (["--lower-quant=profile=", "f.mlir"], "--lower-quant: profile has no value"),
        (["--lower-quant=profile=ort rounding=", "f.mlir"], "--lower-quant: rounding has no value"),
        (["--lower-quant=seed=1 seed=2", "f.mlir"], "--lower-quant: seed is given twice"),
        ([f"--lower-quant=seed={1 << 64}", "f.mlir"], "0 or more, of 64 bits"),
        (["--lower-quant", "f.mlir", "-o", "/dev/full"], "cannot write '/dev/full': No space left on device"),
        (["--lower-quant", "f.mlir", "-o", ""], "cannot write '': a name is needed"),
        (["--lower-quant", "f.mlir", "-o", "f.mlir/x"], "cannot write 'f.mlir/x': Not a directory"),
        (["--lower-quant=target=vecto", "f.mlir"], "'vecto' is not a value of 'target': expected one of linalg, vector; did you mean 'vector'?"),
        (["--lower-quant=vector-bits=100", "f.mlir"], "vector-bits is 100: expected a power of two, at least 64"),
        (["--quant-to-llvm=vector-bits=many", "f.mlir"], "--vector-bits: 'many': expected a whole number"),
        (["--quant-to-llvm=threads=-1", "f.mlir"], "--threads: '-1': expected a whole number, 0 or more"),
        (["--lower-quant=runtime-checks=maybe", "f.mlir"], "--runtime-checks: 'maybe' is not true or false"),
        (["--qdq-expand-math=x=1", "f.mlir"], "'x' is not an option: there is none"),
        (["--canonicalize=x=1", "f.mlir"], "'x' is not an option: expected one of"),
        (["--pass-pipeline=builtin.module(lower-quantt)", "f.mlir"], "'lower-quantt' is no pass: did you mean 'lower-quant'?"),
        (["--pass-pipeline=builtin.module(lower-quant", "f.mlir"], "expected pass pipeline to be wrapped"),
        (["--pass-pipeline=builtin.module(func.func(lower-quant))", "f.mlir"], "'lower-quant' runs on 'builtin.module'"),
        (["--pass-pipeline=builtin.module(lower-quant{rounding=flor})", "f.mlir"], "did you mean 'floor'?"),
        (["--lower-quant", "--pass-pipeline=builtin.module(cse)", "f.mlir"], "can't be used with individual pass options"),
        (["m.onnx"], "no MLIR; quant-import reads it: quant-import m.onnx | quant-opt"),
        (["text.gguf"], "quant-import text.gguf | quant-opt"),
        (["text.safetensors"], "quant-import reads it"),
        (["text.tflite"], "quant-import reads it"),
        (["x.npy"], "arrays are for quant-run"),
        (["binary"], "cannot read 'binary': neither text nor bytecode of MLIR"),
        (["@missing.txt"], "cannot read 'missing.txt': No such file or directory"),
        (["--lower-quant", "--rounding=floor", "f.mlir"], 'write --lower-quant="rounding=floor"'),
        (["--lower-quant=profile=ort", "--rounding=floor", "f.mlir"], 'write --lower-quant="profile=ort rounding=floor"'),
        (["--target-cpu=native", "f.mlir"], 'write --quant-to-llvm="target-cpu=native"'),
        (["--lower-quant=ort", "f.mlir"], "'ort' is not an option: did you mean 'profile=ort'?"),
        (["--lower-quant=map", "f.mlir"], "did you mean 'block-form=map'?"),
        (["--lower-quant=rounding=floor,profile=ort", "f.mlir"], "; spaces separate options"),
        (["--lower-quant=rounding = floor", "f.mlir"], "'=' has no option before it"),
        (["--pass-pipeline=builtin.module(lower-quant,)", "f.mlir"], "'' is no pass\n"),
        (["--qdq-simplify=max-code-diff=-1", "f.mlir"], "max-code-diff is -1: expected 0 or more\n"),
        (["--load-pass-plugin=missing.so", "f.mlir"], "Could not load library 'missing.so': missing.so: cannot open"),
        (["--load-pass-plugin", "missing.so", "f.mlir"], "Could not load library 'missing.so'"),
        (["--load-dialect-plugin=f.mlir", "f.mlir"], "Could not load library 'f.mlir'"),
        (["--quant-to-llvm=stream-bytes=-5", "f.mlir"], "stream-bytes is -5: expected 0 or more\n"),
    ],
    "quant-compile": [
        (["f.mlir"], "-o is missing"),
        ([], "-o is missing"),
        (["f.mlir", "-o", "x.o", "--emit=exe"], "'exe' is not a value of 'emit': expected one of obj, asm, llvm, bitcode"),
        (["f.mlir", "-o", "x.o", "-O9"], "-O9: expected 0 to 3"),
        (["f.mlir", "-o", "x.o", "--header", "missing/x.h"], "missing/x.h"),
        (["f.mlir", "-o", "x.o", "--header", "x.o"], "the same file"),
        (["f.mlir", "-o", "x.o", "--header", ""], "cannot write '': a name is needed"),
        (["f.mlir", "-o", "f.mlir"], "-o names the input"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=ronding=floor"], "'ronding' is not an option: did you mean 'rounding'?"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=rounding=flor"], "did you mean 'floor'?"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=rounding=floor", "threads=2"], '--pipeline-options="rounding=floor threads=2"'),
        (["f.mlir", "-o", "x.o", "--pipeline-options=vector-bits=100"], "vector-bits is 100"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=target=vecto"], "did you mean 'vector'?"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=threads=-1"], "0 or more"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=threads=2 threads=3"], "--pipeline-options: threads is given twice"),
        (["f.mlir", "-o", "x.o", "--pipeline-options", "rounding= threads=3"], "--pipeline-options: rounding has no value"),
        (["f.mlir", "-o", "x.o", "--mcpu=abacus"], "'abacus' is not a processor"),
        (["f.mlir", "-o", "x.o", "--mattr=+abacus"], "'+abacus' is not + or - and a feature"),
        (["f.mlir", "-o", "x.o", "--mtriple=abacus"], "abacus"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=stop-after=linalg"], "code needs the last stage, 'llvm'"),
        (["f.mlir", "-o", "x.o", "--pipeline-options=floor"], "did you mean 'rounding=floor'?"),
        (["f.mlir", "-o", "x.o", "--rounding=floor"], 'write --pipeline-options="rounding=floor"'),
        (["f.mlir", "-o", "x.o", "--threads", "2"], 'write --pipeline-options="threads=..."'),
        (["none.mlir", "-o", "x.o"], "no public function with a body to compile"),
        (["m.onnx", "-o", "x.o"], "quant-import m.onnx | quant-compile"),
        (["x.npy", "-o", "x.o"], "arrays are for quant-run"),
        (["binary", "-o", "x.o"], "cannot read 'binary': neither text nor bytecode of MLIR"),
        (["f.mlir", "-o", "x.o", "-O2", "-O3"], "-O is given twice\n"),
        (["f.mlir", "-o", "x.o", "--prefix", "1-"], "--prefix: '1-' begins no name in C: expected letters, digits and _, and no digit first\n"),
        (["f.mlir", "-o", "x.o", "--prefix="], "--prefix needs a value\n"),
        (["f.mlir", "-o", "x.o", "--mcpu="], "--mcpu needs a value\n"),
        (["f.mlir", "-o", "x.o", "--mcpu=x86-64", "--pipeline-options=target-cpu=native"], "--mcpu is 'x86-64', and --pipeline-options says 'native'\n"),
        (["f.mlir", "-o", "x.o", "--mtriple=x86_64-linux-gnu", "--pipeline-options=target-triple=aarch64-linux-gnu"], "--mtriple is 'x86_64-linux-gnu', and"),
    ],
    "quant-lsp-server": [
        (["f.mlir"], "'f.mlir' is no option"),
        (["-"], "'-' is no option"),
        (["f.mlir", "f.mlir"], "'f.mlir' is no option"),
        (["missing.mlir"], "'missing.mlir' is no option"),
        (["--stdio"], "unknown option '--stdio'"),
        (["--lower-quant"], "unknown option '--lower-quant'"),
        (["--log=3"], "expected one of error, info, verbose"),
        (["--log=Info"], "did you mean 'info'?"),
        (["--input-style=delimted"], "did you mean 'delimited'?"),
        (["--input-style"], "--input-style needs a value"),
        (["--input-style=x"], "expected one of standard, delimited"),
        (["--input-style=standard", "--input-style=standard"], "--input-style is given twice"),
        (["--lit-test=maybe"], "--lit-test: 'maybe' is not true or false"),
        (["--lit-test", "--lit-test"], "--lit-test is given twice"),
        (["--lit-tests"], "did you mean '--lit-test'?"),
        (["--prety"], "did you mean '--pretty'?"),
        (["--pretty=1.5"], "--pretty: '1.5' is not true or false"),
        (["-p"], "unknown option '-p'"),
        (["-o", "x"], "unknown option '-o'"),
        (["--port=80"], "unknown option '--port=80'"),
        (["--log", "--pretty"], "--log needs a value"),
        (["--", "f.mlir"], "'f.mlir' is no option"),
        (["--log", "info", "f.mlir"], "'f.mlir' is no option"),
        (["--threads=2"], "unknown option '--threads=2'"),
        (["--color"], "unknown option '--color'"),
        (["---pretty-"], "unknown option"),
    ],
    "quant-import": [
        ([], "FILE is missing"),
        (["file.xyz"], "the suffix tells no format"),
        (["-"], "the suffix tells no format"),
        (["f.mlir"], "is MLIR already"),
        (["m.onnx", "-o", "x.txt"], "x.txt: expected the suffix .mlir or .mlirbc"),
        (["m.onnx", "--tensor", "w"], "--tensor and --dtype are for weight files"),
        (["m.onnx", "--dtype", "f16"], "--tensor and --dtype are for weight files"),
        (["text.gguf", "--dtype", "bf61"], "did you mean 'bf16'?"),
        (["text.onnx"], "text.onnx"),
        (["empty.onnx"], "empty.onnx"),
        (["text.gguf"], "text.gguf"),
        (["text.safetensors"], "text.safetensors"),
        (["text.tflite"], "text.tflite"),
        (["text.json"], "text.json"),
        (["wrong.json"], "wrong.json"),
        (["m.onnx", "--format", "gguf"], "m.onnx"),
        (["m.onnx", "--lower-quant", "profile=ort"], "belong to --whole"),
        (["m.onnx", "--extras", "folder"], "belong to --whole"),
        (["m.onnx", "--whole"], "--whole needs -o with the suffix .vmfb (IREE) or .mlir (linalg)"),
        (["m.onnx", "--whole", "-o", "x.o"], "--whole needs -o with the suffix"),
        (["m.onnx", "--whole", "-o", "x.vmfb", "--extras", "nodir"], "--extras nodir: has no folder bin"),
        (["m.onnx", "--whole", "-o", "x.vmfb", "--extras", "f.mlir"], "--extras f.mlir: has no folder bin"),
        (["m.onnx", "--whole", "-o", "x.vmfb", "--keep", "f.mlir"], "--keep f.mlir: is a file"),
        (["m.onnx", "--profile", "ort"], "unknown option '--profile': see --help"),
        (["m.onnx", "--whole", "-o", "x.vmfb", "--lower-quant", "profile=otr"], "did you mean 'ort'?"),
        (["--lower-quant", "profile=ort", "rounding=floor", "m.onnx"], '--lower-quant="profile=ort rounding=floor"'),
        (["text.gguf", "--whole", "-o", "x.vmfb"], "--whole takes an ONNX model"),
        (["m.safetensors.index.json"], "is an index: import the .safetensors files that it names"),
    ],
    "quant-report": [
        ([], "MODEL is missing"),
        (["text.onnx"], "text.onnx: is no valid ONNX model"),
        (["empty.onnx"], "empty.onnx: is no valid ONNX model"),
        (["f.mlir"], "f.mlir: is no valid ONNX model"),
        (["relu.onnx"], "has no QuantizeLinear and no DequantizeLinear node"),
        (["m.onnx", "--policy", "floor"], "did you mean 'rounding=floor'?"),
        (["--policy", "profile=ort", "rounding=floor", "m.onnx"], '--policy="profile=ort rounding=floor"'),
        (["m.onnx", "--policy", ""], "expected options of lower-quant"),
        (["m.onnx", "--policy", "ronding=floor"], "did you mean 'rounding'?"),
        (["m.onnx", "--policy", "rounding"], "rounding needs a value"),
        (["m.onnx", "--policy", "vector-bits=many"], "'many': expected a whole number"),
        (["m.onnx", "--policy", "runtime-checks=maybe"], "'maybe' is not true or false"),
        (["m.onnx", "--inputs", "missing.npz"], "missing.npz: No such file or directory"),
        (["m.onnx", "--inputs", "folder"], "folder: Is a directory"),
        (["m.onnx", "--inputs", "text.npz"], "text.npz: is no .npz file: no array, or one of Python's objects\n"),
        (["m.onnx", "--inputs", "objects.npz"], "objects.npz: is no .npz file: no array, or one of Python's objects\n"),
        (["m.onnx", "--policy", "start-at=llvm"], "--policy 'start-at=llvm': start-at changes no code"),
        (["m.onnx", "-o", "x.html/"], "'x.html/' is the name of a directory"),
        (["m.onnx", "--inputs", "x.npy"], "x.npy: is no .npz file, but one array"),
        (["m.onnx", "--inputs", "other.npz"], "other.npz: has no array x, only other"),
        (["-", "--inputs", "-"], "-: standard input is one file only"),
        (["m.onnx", "--inputs", "long.npz"], "long.npz: x has the shape [1, 4]; the model wants [3]"),
        (["m.onnx", "-o", "page.pdf"], "page.pdf: expected the suffix .html or .htm"),
        (["m.onnx", "--png", "f.mlir"], "--png f.mlir: is a file"),
        (["m.onnx", "--png", "f.mlir/x"], "f.mlir is a file, not a directory"),
        (["m.onnx", "--inputs"], "--inputs needs a value"),
        (["m.onnx", "--png", ""], "''"),
        (["m.onnx", "--policy", "profile=ort profile=onnx"], "profile is given twice\n"),
        (["m.onnx", "--details", str(10**20)], f"'{10**20}': expected at most"),
    ],
    "quant-run": [
        ([], "FILE is missing"),
        (["f.mlir"], "0 inputs for f(float32 array of shape (?,), float32 scalar) -> int8 array of shape (?,)"),
        (["f.mlir", "x.npy"], "1 input for f("),
        (["f.mlir", "x.npy", "0.5", "1"], "3 inputs for f("),
        (["f.mlir", "x.npy", "half"], "'half' is no .npy or .npz file, and no number"),
        (["f.mlir", "x.npy", "0.5", "rounding=floor"], "did you mean '--rounding=floor'?"),
        (["f.mlir", "f", "x.npy", "0.5"], "; a function is named by --function f"),
        (["f.mlir", "x.npy", "0.5", "--profile", "ORT"], "did you mean 'ort'?"),
        (["f.mlir", "x.npy", "0.5", "--threads", "4294967296"], "0 or more, of 32 bits"),
        (["f.mlir", "x.npy", "0.5", "--stop-after", "linalg"], "stop-after is 'linalg': code needs the last stage"),
        (["f.mlir", "missing.npy", "1"], "missing.npy: No such file or directory"),
        (["f.mlir", "empty.npy", "1"], "empty.npy: No data left in file"),
        (["f.mlir", "text.npy", "1"], "text.npy: "),
        (["f.mlir", "short.npy", "1"], "short.npy: "),
        (["f.mlir", "objects.npy", "1"], "objects.npy: "),
        (["f.mlir", "text.npz"], "text.npz: "),
        (["f.mlir", "objects.npz"], "objects.npz: no array, or one of Python's objects\n"),
        (["f.mlir", "x.npy", "0.5", "-o", "x.npy/"], "'x.npy/' is the name of a directory"),
        (["foreign.mlir", "0.5"], "foreign.mlir:2:8: not lowered: 1 foo.bar\n"),
        (["m.onnx", "x.npy", "--start-at", "llvm"], "error: m.onnx:s: 'onnx.Constant' op reaches the stage 'llvm' of quant-to-llvm: tensors are memrefs there\n"),
        (["undefined.mlir", "0.5"], "Symbols not found: [ _mlir_ciface_g ]\n"),
        (["f.mlir", "doubles.npy", "1"], "argument 0: expected float32 array of shape (?,), got float64"),
        (["two.mlir", "x.npy", "1"], "which function? --function is one of f, g"),
        (["two.mlir", "--function", "h", "x.npy", "1"], "no function 'h': --function is one of f, g"),
        (["none.mlir"], "none.mlir: no public function with a body\n"),
        (["f.mlir", "x.npy", "0.5", "-o", "y.txt"], "y.txt: expected the suffix .npy or .npz"),
        (["pair.mlir", "0.5", "-o", "y.npy"], "y.npy: 2 results need the suffix .npz"),
        (["f.mlir", "--list", "x.npy"], "--list calls no function"),
        (["f.mlir", "--list", "--function", "f"], "--list calls no function"),
        (["f.mlir", "x.npy", "0.5", "--runtime-checks", "false"], "a flag's value stands behind =: --runtime-checks=false"),
        (["x.npy", "f.mlir"], "x.npy: is an array; the module stands before its inputs"),
        (["binary"], "binary: neither text nor bytecode of MLIR, nor named .onnx or .tflite"),
        (["f.mlir", "x.npy", "0.5", "--threads", "-1"], "'-1': expected a whole number, 0 or more"),
        (["f.mlir", "x.npy", "0.5", "--seed", str(1 << 64)], "of 64 bits"),
        (["-", "-"], "-: standard input is one file only"),
        (["text.onnx"], "text.onnx"),
        (["text.gguf"], "quant-import text.gguf | quant-run -"),
        (["f.mlir", "x.npy", "0.5", "--vector-bits", "100"], "options of compile: vector-bits is 100: expected a power of two, at least 64\n"),
        (["f.mlir", "x.npy", "0.5", "--threads", "many"], "'many': expected a whole number"),
        (["f.mlir", "x.npy", "0.5", "--runtime-checks=maybe"], "'maybe' is not true or false"),
        (["f.mlir", "x.npy", "0.5", "--target-cpu", "abacus"], "'abacus' is not a processor"),
        (["f.mlir", "x.npy", "0.5", "--time", str(10**20)], f"--time: '{10**20}': expected at most 10000000\n"),
        (["f.mlir", "x.npy", "1e400"], "'1e400' is no number of 64 bits: write inf for infinity\n"),
        (["f.mlir", "exabytes.npy", "1"], "exabytes.npy: "),
    ],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_misuse(files, command, monkeypatch):
    """Forty kinds at least; exit code 1, one line, nothing on standard output, and no file."""
    monkeypatch.chdir(files)
    before = {path: path.stat().st_mtime_ns for path in files.rglob("*")}
    wrong = []
    kinds = [*in_common(command), *OWN[command]]
    assert len({tuple(words) for words, _ in kinds}) >= 40
    for words, said in kinds:
        code, out, err = run(command, words)
        one_line = err.count("\n") == 1 and err.endswith("\n")
        names = err.startswith((f"{command}: error: ", "f.mlir:0:0: error: ", "none.mlir:0:0: error: "))  # fmt: skip
        if code not in (1, 2) or out or not one_line or not names or said not in err:
            wrong.append(f"{words} -> {code}, {len(out)} bytes\n  {err}  expected: {said}")
        after = {path: path.stat().st_mtime_ns for path in files.rglob("*")}
        assert after == before, words
    assert not wrong, "\n".join(wrong)


# --- the rest of the grammar ---------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_version(command):
    """An example, each option with its default or values, and the version."""
    code, out, err = run(command, ["--help"])
    assert (code, err) == (0, "")
    said = out.decode()
    assert f"{command} " in said and "--version" in said
    assert "docs/Passes.md" in said or command in ("quant-opt", "quant-lsp-server")
    for words in (["--version"], [*USAGE[command][0], "--version"]):
        code, out, err = run(command, words)
        assert (code, out.splitlines()[0], err) == (0, f"mlir-qdq version {mlir_qdq.__version__}".encode(), "")  # fmt: skip


def test_every_option_of_the_pipeline_is_listed():
    said = run("quant-run", ["--help"])[1].decode()
    for name in typing.get_type_hints(QuantToLLVMOptions):
        assert f"--{name.replace('_', '-')} " in said or name == "caller_allocates"


def test_options_stand_anywhere(files, monkeypatch):
    """Before and after inputs, with and without =; a flag without a value; -inf is a number."""
    monkeypatch.chdir(files)
    words = [["--rounding=floor"], ["--runtime-checks"], ["--nan", "lowest"]]
    inputs = ["f.mlir", "x.npy", "0.5"]
    expected = run("quant-run", [*inputs, *sum(words, [])])
    assert expected[0] == 0 and b"-128" in expected[1]
    for at in range(len(inputs) + 1):
        for word in words:
            rest = sum((other for other in words if other is not word), [])
            line = [*inputs[:at], *word, *inputs[at:], *rest]
            assert run("quant-run", line) == expected, line
    for number, code in {"-inf": 0, "-1e30": 0, "-2": 0, "nan": -128, ".5": 127}.items():
        out = run("quant-run", ["f.mlir", "large.npy", number, "-o", "-"])[1]
        found = np.load(io.BytesIO(out))[0]
        with np.errstate(all="ignore"):
            quotient = np.rint(np.float32(1e20) / np.float32(number))
        assert found == (code if code else max(quotient, -128)), number


def test_dash_is_standard_input_and_output(files, monkeypatch):
    monkeypatch.chdir(files)
    text = (files / "f.mlir").read_bytes()
    assert run("quant-opt", ["-", "-o", "-"], text) == run("quant-opt", ["f.mlir"])
    objects = [run("quant-compile", [name, "-o", "-", "--emit=asm"], text) for name in ("-", "f.mlir")]  # fmt: skip
    assert objects[0][0] == 0 and objects[0][1].count(b"ret") == objects[1][1].count(b"ret") > 0
    model = (files / "m.onnx").read_bytes()
    module = run("quant-import", ["-", "--format", "onnx", "-o", "-"], model)
    assert module[0] == 0 and b"onnx.QuantizeLinear" in module[1]
    assert module == run("quant-import", ["m.onnx"])
    assert run("quant-run", ["f.mlir", "big-endian.npy", "0.5"]) == run("quant-run", ["f.mlir", "x.npy", "0.5"])  # fmt: skip
    assert run("quant-run", ["-", "x.npy", "0.5"], text) == run("quant-run", ["f.mlir", "x.npy", "0.5"])  # fmt: skip
    x = (files / "x.npy").read_bytes()
    code, out, _ = run("quant-run", ["f.mlir", "-", "0.5", "-o", "-"], x)
    np.testing.assert_array_equal(np.load(io.BytesIO(out)), np.int8([1, 3, -128]))
    code, out, err = run("quant-report", ["-", "-o", "-", "--policy", "rounding=floor"], model)
    assert code == 0 and err == "" and out.startswith(b"<!doctype html>")


#: Packages that a command loads where it needs them, the extra of each.
PACKAGES = [
    ("quant-import", ["text.tflite"], "tflite", "tflite"),
    ("quant-import", ["m.onnx"], "onnx", "onnx"),
    ("quant-run", ["text.tflite"], "tflite", "tflite"),
    ("quant-report", ["m.onnx"], "matplotlib", "report"),
    ("quant-report", ["m.onnx"], "onnxruntime", "report"),
]


@pytest.mark.parametrize("command, words, package, extra", PACKAGES)
def test_missing_packages(files, monkeypatch, command, words, package, extra):
    """One line that says what to install. Modules that loaded it before are loaded again."""
    monkeypatch.chdir(files)
    for name in list(sys.modules):
        if name.startswith(("mlir_qdq.importers.", "mlir_qdq.command._onnx", "mlir_qdq.command._report")):  # fmt: skip
            monkeypatch.delitem(sys.modules, name)
            owner, _, attribute = name.rpartition(".")
            monkeypatch.delattr(sys.modules.get(owner), attribute, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    code, out, err = run(command, words)
    assert (code, out, err.count("\n")) == (1, b"", 1) and err.startswith(f"{command}: error: ")
    assert f"needs the package '{package}': pip install 'mlir-qdq[{extra}]'\n" in err


def test_list_compiles_nothing(files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setattr(runtime, "compile", None)
    assert run("quant-run", ["f.mlir", "--list"]) == (
        0, b"f(float32 array of shape (?,), float32 scalar) -> int8 array of shape (?,)\n", "",
    )  # fmt: skip


def test_failure_keeps_the_file_of_a_former_run(tmp_path):
    """Which may be the input itself. A new one has the rights of new files."""
    path, new = tmp_path / "f.mlir", tmp_path / "new.mlir"
    path.write_text('"onnx.QuantizeLinear"() : () -> ()')
    before = path.read_text()
    assert run("quant-opt", ["--lower-quant", str(path), "-o", str(path)])[0] == 1
    assert path.read_text() == before and list(tmp_path.iterdir()) == [path]
    path.write_text(FUNCTION)
    assert run("quant-opt", [str(path), "-o", str(new)]) == (0, b"", "")
    assert b"qdq.quantize" in new.read_bytes()
    assert new.stat().st_mode == path.stat().st_mode
    assert run("quant-opt", [str(path), "-o", "/dev/null"]) == (0, b"", "")


def test_a_device_is_not_replaced(tmp_path):
    """`-o /dev/full` once made a file of the device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="pipe"), replaced(pipe) as written:
        assert written == pipe
        raise OSError(errno.ENOSPC, "No space left on device")
    assert pipe.is_fifo()


def test_check_ecosystem_refuses_unknown_checks():
    """A misspelled name once passed, without a check."""
    script = SOURCE / "tools" / "check-ecosystem"
    done = subprocess.run([script, "sanitisers"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "sanitisers is no check, expected one of conformance coverage" in done.stderr
    shown = subprocess.run([script, "--help"], capture_output=True, text=True, check=True)
    assert "sanitizers" in shown.stdout


@pytest.mark.parametrize("name", ["quickstart", "note", "models", "ecosystem/scores"])
def test_script_explains_itself(name):
    """Before it installs or builds anything."""
    shown = subprocess.run(
        [SOURCE / "tools" / name, "--help"], capture_output=True, text=True, check=True
    )
    assert f"tools/{name}" in shown.stdout.splitlines()[0]
