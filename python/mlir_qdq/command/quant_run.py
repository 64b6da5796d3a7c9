# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-run: a function of a module, on arrays of files."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from ._frame import CommandError, Parser, run
from ._output import replaced

_EXAMPLES = """\
examples:
  quant-run model.mlir x.npy                       the one public function, its results as text
  quant-run model.onnx x.npy --profile ort -o y.npy
  quant-run model.mlir --function quantize x.npy 0.5 --rounding floor
  quant-run model.mlir x.npy --time 100 --threads 2

An argument is a .npy file, a .npz file (one argument for each of its arrays, in their order), or a
number for a scalar. Types narrower than NumPy knows (bf16, f8E4M3FN, i4, ...) are read from files of
ml_dtypes arrays, which .npy stores as bytes, and from whole numbers for integers.
"""


def _parser() -> Parser:
    parser = Parser("quant-run", "Compiles a module for this machine and calls a function.", _EXAMPLES)  # fmt: skip
    parser.add_argument("file", metavar="FILE", type=Path, help="MLIR, text or bytecode, or an ONNX or TFLite model")  # fmt: skip
    parser.add_argument("inputs", metavar="INPUT", nargs="*")
    parser.add_argument("--function", metavar="NAME", help="needed where the module has more than one")  # fmt: skip
    parser.add_argument("-o", dest="output", metavar="OUT", type=Path, help="results as .npy, or .npz for several")  # fmt: skip
    parser.add_argument("--time", metavar="N", type=int, help="call it N times, and say how long it took")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="only list the functions")
    return parser


def _options(parser: Parser, given: list[str]) -> dict[str, str | int]:
    """Those of quant-to-llvm: `--float-overflow=ieee` and `--float-overflow ieee`."""
    options: dict[str, str | int] = {}
    rest = iter(given)
    for word in rest:
        if not word.startswith("--"):
            parser.error(f"'{word}': inputs stand before options of the pipeline")
        name, equals, value = word[2:].partition("=")
        if not equals:
            value = next(rest, None)
            if value is None:
                parser.error(f"--{name} needs a value")
        options[name.replace("-", "_")] = int(value) if value.isdigit() else value
    return options


def _compile(path: Path, options: dict):
    from mlir_qdq import runtime

    if path.suffix == ".onnx":
        from mlir_qdq.importers import onnx as importer
    elif path.suffix == ".tflite":
        from mlir_qdq.importers import tflite as importer
    else:
        return runtime.compile(path, **options)
    return runtime.compile(importer.import_model(path), **options)


def _choose(compiled, name: str | None):
    names = list(compiled)
    if name is None and len(names) == 1:
        return compiled[names[0]]
    if name in names:
        return compiled[name]
    wrong = f"no function '{name}'" if name else "which function?"
    raise CommandError(f"{wrong} --function is one of {', '.join(names)}")


def _read(text: str) -> list:
    if text.endswith(".npz"):
        with np.load(text) as arrays:
            return [arrays[name] for name in arrays.files]
    if text.endswith(".npy"):
        return [np.load(text)]
    for number in (int, float):
        try:
            return [number(text)]
        except ValueError:
            continue
    raise CommandError(f"'{text}' is no .npy or .npz file, and no number")


def _as_argument(value, boundary):
    """Bytes that .npy keeps of a type of ml_dtypes, as that type."""
    dtype = np.dtype(boundary.element.dtype)
    if isinstance(value, np.ndarray) and value.dtype.kind == "V" and dtype.itemsize == value.dtype.itemsize:  # fmt: skip
        return value.view(dtype)
    if isinstance(value, np.ndarray) and not value.ndim and not boundary.is_tensor:
        return value[()]
    return value


def _show(results: list) -> None:
    for index, result in enumerate(results):
        array = np.asarray(result)
        shape = "x".join(map(str, array.shape))
        text = np.array2string(array, threshold=64, edgeitems=4, separator=", ")
        print(f"result {index}: {shape + 'x' if shape else ''}{array.dtype}\n{text}")


def _save(path: Path, results: list) -> None:
    if path.suffix == ".npy" and len(results) != 1:
        raise CommandError(f"{path}: {len(results)} results need the suffix .npz")
    with replaced(path) as temporary, open(temporary, "wb") as stream:
        if path.suffix == ".npz":
            np.savez(stream, *results)
        else:
            np.save(stream, results[0])


def _measure(call, count: int) -> str:
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    low, middle, high = (1e6 * np.percentile(times, p) for p in (0, 50, 100))
    return f"{count} calls: median {middle:.2f} us, least {low:.2f}, most {high:.2f}"


def _work(arguments: list[str] | None) -> None:
    parser = _parser()
    options, unknown = parser.parse_known_intermixed_args(arguments)
    if options.output and options.output.suffix not in (".npy", ".npz"):
        parser.error(f"{options.output}: expected the suffix .npy or .npz")
    if options.time is not None and options.time < 1:
        parser.error(f"--time {options.time}: expected 1 or more")
    pipeline = _options(parser, unknown)
    with open(options.file, "rb"):
        pass
    start = time.perf_counter()
    compiled = _compile(options.file, pipeline)
    seconds = time.perf_counter() - start
    if options.list:
        for name in compiled:
            print(compiled[name].__doc__)
        return
    function = _choose(compiled, options.function)
    values = [value for text in options.inputs for value in _read(text)]
    boundaries = function._prototype.arguments
    if len(values) != len(boundaries):
        raise CommandError(f"{len(values)} inputs for {function.__doc__}")
    values = [_as_argument(value, b) for value, b in zip(values, boundaries)]
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
