# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-run: a function of a module, on arrays of files."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import sys
import time
from pathlib import Path

import numpy as np
from mlir import ir

from mlir_qdq import runtime
from mlir_qdq.passes import QuantToLLVM
from mlir_qdq.runtime._function import Prototype

from ._arrays import reading
from ._frame import (
    CommandError,
    Parser,
    at_least,
    check_exported,
    check_input,
    check_output,
    file_name,
    nearest,
    run,
)
from ._output import replaced
from ._pipeline import add_options, given_options

_EXAMPLES = """\
examples:
  quant-run model.mlir x.npy                       the one public function, its results as text
  quant-run model.onnx x.npy --profile ort -o y.npy
  quant-run model.mlir --function quantize x.npy 0.5 --rounding floor
  quant-run model.mlir x.npy --time 100 --threads 2
  quant-import model.onnx | quant-run - x.npy

An argument is a .npy file (- for one on standard input), a .npz file (one argument for each of its
arrays, in their order), or a number for a scalar, -inf and nan too. Types narrower than NumPy knows
(bf16, f8E4M3FN, i4, ...) are read from files of ml_dtypes arrays, which .npy stores as bytes, and from
whole numbers for integers.
"""


def _parser() -> Parser:
    parser = Parser("quant-run", "Compiles a module for this machine and calls a function.", _EXAMPLES)  # fmt: skip
    parser.add_argument("file", metavar="FILE", type=file_name, help="MLIR, text or bytecode, or an ONNX or TFLite model; - for MLIR on standard input")  # fmt: skip
    parser.add_argument("inputs", metavar="INPUT", nargs="*")
    parser.add_argument("--function", metavar="NAME", help="needed where the module has more than one")  # fmt: skip
    parser.add_argument("-o", dest="output", metavar="OUT", type=file_name, help="results as .npy, or .npz for several; - for standard output; as text by default")  # fmt: skip
    parser.add_argument("--time", metavar="N", type=at_least(1, most=10**7), help="call it N times, and say how long it took")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="only list the functions, without compiling")  # fmt: skip
    add_options(parser, QuantToLLVM, without=("caller-allocates",))
    return parser


def _import(path: Path) -> ir.Module:
    if path.suffix.lower() == ".onnx":
        from mlir_qdq.importers import onnx as importer
    elif path.suffix.lower() == ".tflite":
        from mlir_qdq.importers import tflite as importer
    else:
        from mlir_qdq.importers import mlir

        return mlir.import_module(sys.stdin.buffer.read() if str(path) == "-" else path)
    return importer.import_model(path)


def _choose(functions: list[Prototype], name: str | None) -> Prototype:
    if name is None and len(functions) == 1:
        return functions[0]
    names = [function.name for function in functions]
    if name in names:
        return functions[names.index(name)]
    if name is None:
        raise CommandError(f"which function? --function is one of {', '.join(names)}")
    raise CommandError(f"no function '{name}': --function is one of {', '.join(names)}{nearest(name, names)}")  # fmt: skip


def _read(text: str) -> list:
    if text == "-":
        with reading("standard input"):
            return [np.load(io.BytesIO(sys.stdin.buffer.read()))]
    if text.lower().endswith(".npz"):
        with reading(text), np.load(text) as arrays:
            return [arrays[name] for name in arrays.files]
    if text.lower().endswith(".npy"):
        with reading(text):
            return [np.load(text)]
    for number in (int, float):
        with contextlib.suppress(ValueError):
            value = number(text)
            if math.isinf(value) and "inf" not in text.lower():
                raise CommandError(f"'{text}' is no number of 64 bits: write inf for infinity")
            return [value]
    name = text.partition("=")[0]
    is_option = any(f.metadata["argument"] == name for f in dataclasses.fields(QuantToLLVM))
    hint = f"; did you mean '--{text}'?" if is_option else ""
    if text in ("true", "false"):
        hint = f"; a flag's value stands behind =: --runtime-checks={text}"
    elif text.isidentifier() and not is_option and not Path(text).exists():
        hint = f"; a function is named by --function {text}"
    raise CommandError(f"'{text}' is no .npy or .npz file, and no number{hint}")


def _as_argument(value, boundary):
    """Bytes that .npy keeps of a type of ml_dtypes, as that type."""
    dtype = np.dtype(boundary.element.dtype)
    if isinstance(value, np.ndarray) and value.dtype.kind == "V" and not value.dtype.names and dtype.itemsize == value.dtype.itemsize:  # fmt: skip
        return value.view(dtype)
    if isinstance(value, np.ndarray) and not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    if isinstance(value, np.ndarray) and not value.ndim and not boundary.is_tensor:
        return value[()]
    if isinstance(value, int) and not isinstance(value, bool) and dtype == np.bool_:
        return bool(value) if value in (0, 1) else value
    return value


def _show(results: list) -> None:
    for index, result in enumerate(results):
        array = np.asarray(result)
        shape = "x".join(map(str, array.shape))
        text = np.array2string(array, threshold=64, edgeitems=4, separator=", ")
        print(f"result {index}: {shape + 'x' if shape else ''}{array.dtype}\n{text}")


def _write(stream, is_several: bool, results: list) -> None:
    if is_several:
        np.savez(stream, *results)
    else:
        np.save(stream, results[0])


def _save(path: Path, results: list) -> None:
    if str(path) == "-":
        data = io.BytesIO()
        _write(data, len(results) != 1, results)
        sys.stdout.buffer.write(data.getvalue())
        sys.stdout.buffer.flush()
        return
    with replaced(path) as temporary, open(temporary, "wb") as stream:
        _write(stream, path.suffix == ".npz", results)


def _measure(call, count: int) -> str:
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    low, middle, high = (1e6 * np.percentile(times, p) for p in (0, 50, 100))
    return f"{count} calls: median {middle:.2f} us, least {low:.2f}, most {high:.2f}"


def _check_module(path: Path) -> None:
    """By its first bytes, as tools/CheckedFiles.cpp. A pipe is not opened."""
    if str(path) == "-" or not path.is_file():
        return
    with open(path, "rb") as file:
        begin = file.read(512)
    if begin.startswith(b"\xef\xbb\xbf"):
        raise CommandError(f"{path}: begins with a byte order mark, which MLIR does not read")
    if b"\0" in begin and not begin.startswith(b"ML\xefR"):
        raise CommandError(f"{path}: neither text nor bytecode of MLIR, nor named .onnx or .tflite")


def _check_files(options) -> None:
    names = [str(options.file), *options.inputs]
    if names.count("-") > 1:
        raise CommandError("-: standard input is one file only")
    check_input(options.file)
    check_exported(options.file)
    suffix = options.file.suffix.lower()
    if suffix in (".npy", ".npz"):
        raise CommandError(f"{options.file}: is an array; the module stands before its inputs")
    if suffix in (".gguf", ".safetensors", ".pb", ".json"):
        raise CommandError(
            f"{options.file}: quant-import reads it: quant-import {options.file} | quant-run -"
        )
    if suffix not in (".onnx", ".tflite"):
        _check_module(options.file)
    check_output(options.output, (".npy", ".npz"))
    for name in options.inputs:
        if name.lower().endswith((".npy", ".npz")):
            check_input(Path(name))


def _work(arguments: list[str] | None) -> None:
    options = _parser().parse(arguments)
    pipeline = given_options(options, QuantToLLVM)
    _check_files(options)
    if options.list:
        if options.inputs or options.output or options.function:
            raise CommandError("--list calls no function: leave out inputs, -o and --function")
        for function in Prototype.of_source(_import(options.file)):
            print(function)
        return
    values = [value for text in options.inputs for value in _read(text)]
    module = _import(options.file)
    functions = Prototype.of_source(module)
    if not functions:
        raise CommandError(f"{options.file}: no public function with a body")
    signature = _choose(functions, options.function)
    if len(values) != len(signature.arguments):
        inputs = f"{len(values)} input{'s' * (len(values) != 1)}"
        raise CommandError(f"{inputs} for {signature}")
    count = len(signature.results)
    if options.output and options.output.suffix == ".npy" and count != 1:
        raise CommandError(f"{options.output}: {count} results need the suffix .npz")
    start = time.perf_counter()
    function = runtime.compile(module, **pipeline)[signature.name]
    seconds = time.perf_counter() - start
    function._prototype.check_supported()
    values = [_as_argument(v, b) for v, b in zip(values, function._prototype.arguments)]
    results = function(*values)
    results = list(results) if isinstance(results, tuple) else [] if results is None else [results]
    if options.output:
        _save(options.output, results)
    else:
        _show(results)
    if options.time:
        print(f"compiled in {seconds:.2f} s; {_measure(lambda: function(*values), options.time)}", file=sys.stderr)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    return run("quant-run", lambda: _work(arguments))


if __name__ == "__main__":
    sys.exit(main())
