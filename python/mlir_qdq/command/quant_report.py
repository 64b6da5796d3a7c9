# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-report: a page about what rounding policies and profiles do to a model's own tensors."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np

from mlir_qdq.passes import QuantToLLVM

from ._arrays import reading
from ._frame import CommandError, Parser, at_least, check_exported, check_input, check_output, file_name, folder_name, run  # fmt: skip
from ._output import Progress, replaced
from ._pipeline import parse_options

#: Options that are compared by default: systems, then roundings.
POLICIES = (
    "profile=ort", "profile=onnx", "profile=tflite", "profile=torch", "profile=torch-decomposed",
    "profile=onednn", "profile=quant", "profile=mlir22",
    "rounding=nearest-away", "rounding=floor", "rounding=toward-zero", "division=reciprocal",
)  # fmt: skip
_SEED = 0
_SHOWN = 4  # changed elements of a node and policy
_OPEN_SIZE = 1  # of a dimension that the model leaves open, for random inputs

_EXAMPLES = """\
examples:
  quant-report model.onnx --inputs sample.npz -o report.html
  quant-report model.onnx --policy profile=torch --policy "rounding=nearest-away division=reciprocal"
  quant-report model.onnx --png pictures

--inputs holds an array for each input of the model, by its name. Without it, inputs are random
normal numbers, and the page says so. Needs pip install 'mlir-qdq[report]'.
"""


def _parser() -> Parser:
    parser = Parser("quant-report", "What each rounding policy and profile does to the tensors of a model.", _EXAMPLES)  # fmt: skip
    parser.add_argument("model", metavar="MODEL", type=file_name, help="an ONNX model with QuantizeLinear or DequantizeLinear nodes; - for standard input")  # fmt: skip
    parser.add_argument(
        "--inputs",
        metavar="NPZ",
        type=file_name,
        help="an array for each input of the model; random numbers by default",
    )
    parser.add_argument("-o", dest="output", metavar="HTML", type=file_name, default=Path("report.html"), help="page to write (report.html); - for standard output")  # fmt: skip
    parser.add_argument("--png", metavar="DIR", type=folder_name, help="the pictures as files, too")
    parser.add_argument("--policy", metavar="OPTIONS", action="append", help=f"options of quant-to-llvm (docs/Passes.md); may be repeated. By default: {', '.join(POLICIES)}")  # fmt: skip
    parser.add_argument("--details", metavar="N", type=at_least(0), default=12, help="nodes shown one by one (12)")  # fmt: skip
    return parser


def _policies(given: list[str]) -> dict[str, dict]:
    policies = {text: parse_options(QuantToLLVM, text, f"--policy '{text}'") for text in given}
    if {} in policies.values():
        raise CommandError("--policy '': expected options of lower-quant")
    for text, options in policies.items():
        for stage in {"start_at", "stop_after"} & set(options):
            raise CommandError(f"--policy '{text}': {stage.replace('_', '-')} changes no code")
    return policies


def _shape(info) -> list[int]:
    return [d.dim_value or _OPEN_SIZE for d in info.type.tensor_type.shape.dim]


def _arrays(file: Path):
    arrays = np.load(io.BytesIO(sys.stdin.buffer.read()) if str(file) == "-" else file)
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise CommandError(f"{file}: is no .npz file, but one array, which has no name")
    return arrays


def _feeds(model, file: Path | None) -> tuple[dict[str, np.ndarray], str]:
    """The inputs of the model, and what the page says of them."""
    import onnx

    constants = {t.name for t in model.graph.initializer}
    wanted = [info for info in model.graph.input if info.name not in constants]
    types = {i.name: onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type) for i in wanted}  # fmt: skip
    if file is None:
        random = np.random.default_rng(_SEED)
        feeds = {i.name: random.normal(size=_shape(i)).astype(types[i.name]) for i in wanted}
        return feeds, (
            "The inputs of the model are random normal numbers. Give real ones with --inputs: both "
            "histograms and changes depend on them."
        )
    with reading(str(file), "is no .npz file: "), _arrays(file) as arrays:
        missing = [name for name in types if name not in arrays.files]
        if missing:
            raise CommandError(f"{file}: has no array {', '.join(missing)}{', only ' if arrays.files else ': it is empty'}{', '.join(arrays.files)}")  # fmt: skip
        feeds = {name: arrays[name] for name in types}
    sizes = {
        info.name: [d.dim_value or "?" for d in info.type.tensor_type.shape.dim] for info in wanted
    }
    for name, array in feeds.items():
        fits = [size in ("?", given) for size, given in zip(sizes[name], array.shape)]
        if len(sizes[name]) != array.ndim or not all(fits):
            raise CommandError(f"{file}: {name} has the shape {list(array.shape)}; the model wants [{', '.join(map(str, sizes[name]))}]")  # fmt: skip
        if array.dtype != types[name]:
            raise CommandError(f"{file}: {name} is {array.dtype}; the model wants {types[name]}")
    return feeds, f"The inputs are those of {file.name}."


def _model(path: Path):
    import onnx

    from mlir_qdq.importers._onnx_model import OnnxImportError, load

    try:
        # A path, where external data lies beside it.
        model = onnx.load(io.BytesIO(sys.stdin.buffer.read()) if str(path) == "-" else path)
        load(model)  # names what the checker does not
        onnx.checker.check_model(model)
    except OnnxImportError as error:
        node = f"node {error.node}: " if error.node else "is no valid ONNX model: "
        raise CommandError(f"{path}: {node}{error.reason}") from None
    except Exception as error:  # protobuf's and onnx's have no common class
        raise CommandError(f"{path}: is no valid ONNX model: {error}") from None
    return model


def _check_files(options) -> None:
    if str(options.model) == str(options.inputs) == "-":
        raise CommandError("-: standard input is one file only")
    check_input(options.model)
    check_exported(options.model)
    if options.inputs:
        check_input(options.inputs)
    check_output(options.output, (".html", ".htm"))
    if options.png:
        there = next(p for p in (options.png, *options.png.absolute().parents) if p.exists())
        if not there.is_dir():
            raise CommandError(f"--png {options.png}: {'' if there == options.png else f'{there} '}is a file, not a directory")  # fmt: skip


def _work(arguments: list[str] | None, progress: Progress) -> None:
    options = _parser().parse(arguments)
    policies = _policies(options.policy or list(POLICIES))
    _check_files(options)
    import matplotlib  # noqa: F401  before minutes of work

    from ._onnx_nodes import RUNTIME_ERRORS
    from ._report_data import make_report
    from ._report_page import make_page

    model = _model(options.model)
    feeds, said = _feeds(model, options.inputs)
    try:
        report = make_report(
            model,
            options.model.name,
            feeds,
            said,
            options.inputs is None,
            policies,
            _SHOWN,
            progress,
        )
    except RUNTIME_ERRORS as error:
        raise CommandError(f"{options.model}: ONNX Runtime does not run it: {error}") from None
    page, pictures = make_page(report, options.details)
    if options.png:
        options.png.mkdir(parents=True, exist_ok=True)
    if str(options.output) == "-":
        sys.stdout.write(page)
    else:
        with replaced(options.output) as temporary:
            temporary.write_text(page, encoding="utf-8")
        print(report.nearest())
    if options.png:
        for name, data in pictures.items():
            (options.png / name).write_bytes(data)


def main(arguments: list[str] | None = None) -> int:
    progress = Progress()
    return run("quant-report", lambda: _work(arguments, progress), progress.clear)


if __name__ == "__main__":
    sys.exit(main())
