# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-import: models and weight files as MLIR."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

from mlir_qdq.passes import LowerQuant

from ._frame import CommandError, Parser, check_exported, check_input, check_output, file_name, folder_name, one_of, run  # fmt: skip
from ._output import Progress, replaced, write_module
from ._pipeline import parse_options
from ._whole import LOWERING, LOWERING_OF_TORCH, Commands

_EXAMPLES = """\
what FILE may be, by its suffix:
  .onnx, .pb, .onnxtxt, .textproto   an ONNX model; external data lies beside it
  .json                a graph that oneDNN Graph dumped
  .gguf                weights: one function a tensor, which returns it dequantized
  .safetensors         the same, by the configuration beside the file
  .tflite              a TFLite model, in the tfl dialect
  .mlir, .mlirbc       with --whole: a model in the torch dialect
  -                    standard input, with --format

examples:
  quant-import model.onnx -o model.mlir
  quant-import model.onnx | quant-opt --lower-quant=profile=ort
  quant-import weights.gguf --tensor blk.0.attn_q.weight -o attention.mlirbc
  quant-import model.safetensors --dtype bf16 -o weights.mlirbc
  quant-import --whole model.onnx -o model.vmfb       IREE compiles it, with our numerics
  quant-import --whole model.onnx -o model.mlir       linalg, for mlir_qdq.runtime
"""

#: The kinds of files, by suffix.
_KINDS = {
    ".onnx": "onnx", ".pb": "onnx", ".onnxtxt": "onnx", ".textproto": "onnx", ".prototxt": "onnx",
    ".json": "onednn", ".gguf": "gguf", ".safetensors": "safetensors", ".tflite": "tflite",
    ".mlir": "torch", ".mlirbc": "torch",
}  # fmt: skip
_WEIGHTS = ("gguf", "safetensors")


def _parser() -> Parser:
    parser = Parser("quant-import", "Models and weight files as MLIR that lower-quant understands.", _EXAMPLES)  # fmt: skip
    parser.add_argument("file", metavar="FILE", type=file_name)
    parser.add_argument("-o", dest="output", metavar="OUT", type=file_name, help="file to write: text, or bytecode for .mlirbc; standard output by default")  # fmt: skip
    parser.add_argument("--format", metavar="KIND", type=one_of(sorted(set(_KINDS.values()))), help=f"of FILE, whatever its suffix: {', '.join(sorted(set(_KINDS.values())))}")  # fmt: skip
    weights = parser.add_argument_group("weight files")
    weights.add_argument("--tensor", metavar="NAME", action="append", help="only this tensor; may be repeated")  # fmt: skip
    weights.add_argument("--dtype", metavar="TYPE", type=one_of(("f32", "f16", "bf16", "f64")), help="what the functions return: f32 (the default), f16, bf16 or f64")  # fmt: skip
    whole = parser.add_argument_group("whole models, with the packages of docs/Models.md")
    whole.add_argument("--whole", action="store_true", help="import with IREE, lower, and compile to OUT: .vmfb by IREE, or .mlir by torch-mlir")  # fmt: skip
    whole.add_argument("--lower-quant", metavar="OPTIONS", default=None, help=f"of the pass (docs/Passes.md); by default '{LOWERING}'; no profile for PyTorch's own operators")  # fmt: skip
    whole.add_argument("--extras", metavar="DIR", type=folder_name, help="environment that has iree-compile and torch-mlir-opt in bin; PATH by default")  # fmt: skip
    whole.add_argument("--keep", metavar="DIR", type=folder_name, help="directory for the files between, which errors name; they are deleted by default")  # fmt: skip
    whole.add_argument("--commands", action="store_true", help="print each command")
    return parser


def _kind(options) -> str:
    if options.file.name.endswith(".safetensors.index.json"):
        raise CommandError(
            f"{options.file}: is an index: import the .safetensors files that it names"
        )
    kind = options.format or _KINDS.get(options.file.suffix.lower())
    if kind is None:
        check_exported(options.file)
        raise CommandError(
            f"{options.file}: the suffix tells no format: expected one of {' '.join(_KINDS)}, or --format"
        )
    if kind not in _WEIGHTS and (options.tensor or options.dtype):
        raise CommandError("--tensor and --dtype are for weight files: .gguf, .safetensors")
    if options.whole:
        if kind not in ("onnx", "torch"):
            raise CommandError(
                f"--whole takes an ONNX model or a module of the torch dialect, not {kind}"
            )
        if options.output is None or options.output.suffix not in (".vmfb", ".mlir"):
            raise CommandError("--whole needs -o with the suffix .vmfb (IREE) or .mlir (linalg)")
    elif kind == "torch":
        raise CommandError(
            f"{options.file}: is MLIR already; --whole compiles a model of the torch dialect"
        )
    elif options.lower_quant is not None or options.extras or options.keep or options.commands:
        raise CommandError("--lower-quant, --extras, --keep and --commands belong to --whole")
    return kind


def _import(kind: str, options, progress: Progress):
    # Packages of an importer are loaded where they are used.
    if kind == "onnx":
        from mlir_qdq.importers import onnx

        return onnx.import_model(options.file)
    if kind == "onednn":
        from mlir_qdq.importers import onednn

        return onednn.import_graph(options.file)
    if kind == "tflite":
        from mlir_qdq.importers import tflite

        return tflite.import_model(options.file)
    if kind == "gguf":
        from mlir_qdq.importers import gguf as importer
    else:
        from mlir_qdq.importers import safetensors as importer
    return importer.import_file(
        options.file,
        options.tensor,
        options.dtype or "f32",
        progress=lambda done, total: progress.show("importing", done, total),
    )


def _folder(kept: Path | None):
    """The files between two commands."""
    if kept is None:
        return tempfile.TemporaryDirectory()
    kept.mkdir(exist_ok=True)
    return contextlib.nullcontext(kept)


def _compile(kind: str, options, progress: Progress) -> None:
    """The route of docs/Models.md, through files that are gone at its end."""
    commands = Commands(options.extras, options.commands)
    steps = 4 if kind == "onnx" else 3
    with _folder(options.keep) as folder:
        torch, generic = Path(folder, "torch.mlir"), Path(folder, "generic.mlir")
        lowered = Path(folder, "lowered.mlir")
        progress.show("importing", 0, steps)
        if kind == "onnx":
            commands.import_onnx(options.file, torch, generic)
        else:
            commands.to_generic(options.file, generic)
        progress.show("lowering", steps - 2, steps)
        # A function of ONNX's operators says so; others are PyTorch's own.
        is_onnx = b"torch.onnx_meta.opset_version" in generic.read_bytes()
        source, lowering = ("onnx", LOWERING) if is_onnx else ("torch", LOWERING_OF_TORCH)
        given = lowering if options.lower_quant is None else options.lower_quant
        commands.lower(generic, lowered, given)
        progress.show("compiling", steps - 1, steps)
        with replaced(options.output) as temporary:
            if options.output.suffix == ".vmfb":
                commands.compile_iree(lowered, temporary, input_type=source)
            else:
                commands.to_linalg(lowered, temporary, source)


def _check_whole(kind: str, options) -> None:
    if options.extras and not (options.extras / "bin").is_dir():
        raise CommandError(f"--extras {options.extras}: has no folder bin with commands")
    if options.keep and not options.keep.parent.is_dir():
        raise CommandError(f"--keep {options.keep}: {options.keep.parent} is no directory")
    if options.keep and options.keep.exists() and not options.keep.is_dir():
        raise CommandError(f"--keep {options.keep}: is a file, not a directory")
    if options.lower_quant is not None:
        parse_options(LowerQuant, options.lower_quant, "--lower-quant")
    Commands(options.extras).check(kind, options.output.suffix)


def _say_missing(file: Path, module, progress: Progress) -> None:
    from ._missing import missing_operators

    if missing := missing_operators(module):
        progress.clear()
        said = f"{file}: imported, and cannot be compiled: no pass converts {'; '.join(missing)}"
        print(f"quant-import: warning: {said}", file=sys.stderr)


@contextlib.contextmanager
def _as_file(path: Path):
    """Standard input as a file, which importers map and seek in."""
    if str(path) != "-":
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "standard-input")
        file.write_bytes(sys.stdin.buffer.read())
        try:
            yield file
        except ValueError as error:
            raise CommandError(str(error).replace(str(file), "standard input")) from error


def _work(arguments: list[str] | None, progress: Progress) -> None:
    options = _parser().parse(arguments)
    kind = _kind(options)
    check_input(options.file)
    check_output(options.output, () if options.whole else (".mlir", ".mlirbc"))
    if options.whole:
        _check_whole(kind, options)
    if options.output is not None and str(options.output) == "-":
        options.output = None
    with _as_file(options.file) as options.file:
        if options.whole:
            return _compile(kind, options, progress)
        module = _import(kind, options, progress)
        if kind == "tflite":
            _say_missing(options.file, module, progress)
        write_module(module, options.output, options.file.stat().st_size, progress)


def main(arguments: list[str] | None = None) -> int:
    progress = Progress()
    return run("quant-import", lambda: _work(arguments, progress), progress.clear)


if __name__ == "__main__":
    sys.exit(main())
