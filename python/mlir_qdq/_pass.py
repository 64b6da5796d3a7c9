# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of all passes: options, pipeline text, running, and the error of a failed run."""

from __future__ import annotations

import dataclasses
import enum
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from mlir import ir
from mlir.passmanager import PassManager

import mlir_qdq


class PassError(RuntimeError):
    """A pass failed. The text holds everything below.

    `pipeline`     what ran, as text
    `diagnostics`  what it said, as `mlir.ir.DiagnosticInfo`: severity, message, location, notes;
                   errors first
    `reproducer`   path of a file with the module as it was before the run
    `command`      a `quant-opt` command line that fails in the same way; it reads that file
    """

    def __init__(
        self,
        pipeline: str,
        diagnostics: list[ir.DiagnosticInfo],
        reproducer: Path,
        command: str,
    ):
        said = "".join("\n" + _format(diagnostic) for diagnostic in diagnostics)
        super().__init__(f"{pipeline} failed{said}\nto reproduce: {command}")
        self.pipeline = pipeline
        self.diagnostics = diagnostics
        self.reproducer = reproducer
        self.command = command


def option(argument: str, kind: type) -> Any:
    """A field for the option that is spelled `argument` in a pipeline: a flag, number or enumeration."""
    return dataclasses.field(default=None, metadata={"argument": argument, "kind": kind})


class Pass:
    """A pass or pipeline with its options. `str` is its text inside a pipeline:

    PassManager.parse(f"builtin.module({LowerQuant(rounding='floor')},cse)")
    """

    #: The name in a pipeline and on the command line.
    argument: ClassVar[str]
    #: The operation that the pass runs on: `builtin.module`, or `any`.
    anchor: ClassVar[str]

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                object.__setattr__(self, field.name, _check(field, value))

    def _given(self) -> list[tuple[dataclasses.Field, Any]]:
        values = [(field, getattr(self, field.name)) for field in dataclasses.fields(self)]
        return [(field, value) for field, value in values if value is not None]

    def __repr__(self) -> str:
        options = ", ".join(f"{field.name}={_spell(value)!r}" for field, value in self._given())
        return f"{type(self).__name__}({options})"

    def __str__(self) -> str:
        options = [f"{field.metadata['argument']}={_text(value)}" for field, value in self._given()]
        return self.argument + ("{" + " ".join(options) + "}" if options else "")

    @property
    def pipeline(self) -> str:
        """The text that `PassManager.parse` and `--pass-pipeline=` take."""
        return f"{self.anchor}({self})"

    def run(
        self,
        module: ir.Module | ir.Operation | ir.OpView,
        *,
        reproducer: str | os.PathLike | None = None,
    ) -> list[ir.DiagnosticInfo]:
        """Change a module in place, in its own context, which is registered first.

        A pass that is anchored on `any` takes other operations, too.
        Returns the warnings and remarks, which the context's handlers get as well.
        Raises `PassError` where the pass fails; the module may then be changed in part. In this
        case only, the module as it was is written to `reproducer`, or to a new temporary file.
        """
        if not isinstance(module, (ir.Module, ir.Operation, ir.OpView)):
            kind = type(module)
            raise TypeError(
                f"{self.argument} changes modules of the package 'mlir', not "
                f"{kind.__module__}.{kind.__qualname__}: mlir_qdq.importers.mlir.import_module "
                "makes one of it"
            )
        operation = module.operation
        if self.anchor not in ("any", operation.name):
            raise ValueError(f"{self.argument} runs on '{self.anchor}', not on '{operation.name}'")
        mlir_qdq.register(operation.context)
        manager = PassManager.parse(self.pipeline, operation.context)
        before = operation.clone(ip=False).operation
        said = []

        def listen(diagnostic: ir.Diagnostic) -> bool:
            said.append(ir.DiagnosticInfo(diagnostic))
            return False  # the next handler sees it, too

        handler = operation.context.attach_diagnostic_handler(listen)
        try:
            manager.run(operation)
        except ir.MLIRError as error:
            failure = error
        else:
            return said
        finally:
            handler.detach()
        diagnostics = failure.error_diagnostics + said
        raise self._error(before, diagnostics, reproducer) from failure

    def _error(self, before, diagnostics, reproducer) -> PassError:
        pipeline = self.pipeline
        if before.name != "builtin.module":
            pipeline = f"builtin.module({before.name}({self}))"
            whole = ir.Module.create(before.location)
            whole.body.append(before)
            before = whole.operation
        path, command = write_reproducer(before, pipeline, self.argument, reproducer)
        return PassError(self.pipeline, diagnostics, path, command)


def write_reproducer(
    module: ir.Operation, pipeline: str, name: str, path: str | os.PathLike | None = None
) -> tuple[Path, str]:
    """Writes a module to `path`, or to a new temporary file called after `name`.

    Returns the path, and a `quant-opt` command line that runs the pipeline on it.
    """
    if path is None:
        handle, path = tempfile.mkstemp(prefix=f"{name}-", suffix=".mlir")
        os.close(handle)
    Path(path).write_text(module.get_asm(enable_debug_info=True))
    return Path(path), shlex.join([_tool(), f"--pass-pipeline={pipeline}", os.fspath(path)])


def _check(field: dataclasses.Field, value: Any) -> Any:
    """An option's value in its own type; strings and foreign enumerations become its enumeration."""
    kind = field.metadata["kind"]
    if issubclass(kind, enum.Enum):
        try:
            return kind(str(value))
        except ValueError:
            allowed = ", ".join(kind)
            raise ValueError(
                f"'{value}' is not a value of '{field.name}': expected one of {allowed}"
            ) from None
    if type(value) is not kind:
        raise TypeError(f"'{field.name}' takes {kind.__name__}, not {type(value).__name__}")
    return value


def _spell(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(_spell(value))


def _format(diagnostic: ir.DiagnosticInfo, indent: str = "  ") -> str:
    severity = diagnostic.severity.name.lower()
    lines = [f"{indent}{severity}: {diagnostic.location}: {diagnostic.message}"]
    return "\n".join(lines + [_format(note, indent + "  ") for note in diagnostic.notes])


def _tool() -> str:
    """How to call quant-opt: by name, or, where only this environment has it, by path."""
    beside = shutil.which("quant-opt", path=os.path.dirname(sys.executable))
    return beside if beside and not shutil.which("quant-opt") else "quant-opt"
