# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports modules of other MLIR packages: torch-mlir, IREE, JAX, another build of MLIR, xDSL.

    from mlir_qdq.importers import mlir
    module = mlir.import_module(torch_module)         # torch_mlir.ir.Module
    module = mlir.import_module(data)                 # text or bytecode, as str or bytes
    module = mlir.import_module(pathlib.Path("a.mlirbc"))

Bytecode of other dialects has to be of version 4, `write_bytecode(file, desired_version=4)`: later
ones leave out the names of an op's properties, which only its dialect knows.

Each package has an MLIR of its own, with contexts that no other can use, so that a module comes as
text: in generic form, which needs none of its dialects, and with locations. The way back is
`module.operation.get_asm()`, or `write_bytecode(file)`, which the other package parses.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any

import mlir_qdq
from mlir import ir

from ._context import importer_context

__all__ = ["import_module"]

#: Readers of files that hold no MLIR, by their suffixes.
_READERS = {
    ".onnx": "onnx.import_model", ".tflite": "tflite.import_model",
    ".gguf": "gguf.import_file", ".safetensors": "safetensors.import_file",
}  # fmt: skip
#: A word that is the name of a file, and no text of MLIR.
_NAME = re.compile(rf"\S+({'|'.join(map(re.escape, (*_READERS, '.mlir', '.mlirbc')))})")
#: results = "name"(operands)[successors] <"properties">, where <{...}> has names.
_NAMELESS_PROPERTIES = re.compile(r'[^"]*"[^"]*"\([^)]*\)(\[[^\]]*\])? <(?!\{)')


def import_module(module: Any, context: ir.Context | None = None) -> ir.Module:
    """A module of the `mlir` package.

    module: text or bytecode, a path to a file of either, a module or operation of another MLIR's
        Python bindings (what has `get_asm`), or an operation of xDSL. An `mlir.ir.Module` of the
        same context is returned as it is.
    context: becomes registered, and accepts unregistered dialects. Without it the current one is taken, or that
        of an `mlir.ir.Module`, or a new one.

    Raises `mlir.ir.MLIRError` with the parser's diagnostics, OSError for a path that leads to no
    file, ValueError for properties without names, files that other importers read, and a path that
    is a str, and TypeError for other objects.
    """
    if isinstance(module, ir.Module):
        context = context or ir.Context.current or module.context
        if context == module.context:
            return module
    context = importer_context(context)
    mlir_qdq.register(context)
    with context, ir.Location.unknown():
        if isinstance(module, os.PathLike):
            return _checked(_parse_file(os.fspath(module)))
        if isinstance(module, str) and (name := _NAME.fullmatch(module)):
            reader = _READERS.get(name[1])
            call = f"mlir_qdq.importers.{reader}" if reader else "pathlib.Path"
            raise ValueError(f"a str is text of MLIR: write {call}('{module}')")
        if isinstance(module, (str, bytes)):
            return _checked(ir.Module.parse(module))
        text = _print(module)
        try:
            return ir.Module.parse(text)
        except ir.MLIRError as error:
            kind = type(module)
            error.add_note(f"parsing what {kind.__module__}.{kind.__qualname__} printed")
            raise


def _parse_file(path: str) -> ir.Module:
    os.stat(path)  # raises with the name
    if reader := _READERS.get(os.path.splitext(path)[1].lower()):
        raise ValueError(f"{path}: no MLIR: mlir_qdq.importers.{reader} reads it")
    try:
        path.encode()
    except UnicodeEncodeError:  # a name that is no UTF-8, which locations have to be
        with open(path, "rb") as file:
            return ir.Module.parse(file.read())
    return ir.Module.parseFile(path)


def _checked(module: ir.Module) -> ir.Module:
    """Raises if an op has properties that are no dictionary."""
    refused = []

    def check(op: ir.Operation) -> ir.WalkResult:
        if module.context.is_registered_operation(op.name):
            return ir.WalkResult.ADVANCE
        text = op.get_asm(
            print_generic_op_form=True,
            skip_regions=True,
            large_elements_limit=1,
            large_resource_limit=1,
        )
        if _NAMELESS_PROPERTIES.match(text):
            refused.append(op)
        return ir.WalkResult.INTERRUPT if refused else ir.WalkResult.ADVANCE

    module.operation.walk(check)
    if refused:
        raise ValueError(
            f"{refused[0].location}: the bytecode has properties of '{refused[0].name}' without "
            "their names: expected text, or write_bytecode(file, desired_version=4)"
        )
    return module


def _print(module: Any) -> str:
    """The module of another package as it prints it, in generic form."""
    operation = getattr(module, "operation", module)
    if hasattr(operation, "get_asm"):
        return operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    kind = type(module)
    if kind.__module__.partition(".")[0] == "xdsl":
        stream = io.StringIO()
        # It made the operation, so that it is loaded.
        printer = sys.modules["xdsl.printer"].Printer
        printer(stream, print_generic_format=True, print_debuginfo=True).print_op(module)
        return stream.getvalue()
    raise TypeError(
        "expected a module, text, bytecode, a path, or what has 'get_asm' or is of xDSL, "
        f"not {kind.__module__}.{kind.__qualname__}"
    )
