# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile: a module to callable functions."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import os
from pathlib import Path
from typing import Any, Unpack

from mlir import ir
from mlir.passmanager import PassManager

import mlir_qdq

from .._mlir_libs import _qdq
from .._pass import write_reproducer
from .._passes_gen import QuantToLLVMOptions
from ..importers.mlir import import_module
from ..passes import LowerQuant, QuantToLLVM
from . import _cache
from ._boundary import Boundary, Signature, public_signatures
from ._cache import Layer
from ._code import Code, Engine, FunctionRecord, join, split
from ._foreign import NotLowered, describe_foreign
from ._function import Compiled, Prototype
from ._libraries import mapped_libraries, shared_libraries
from ._results import Passing

#: Bytes from which on code reads a resource where it is, instead of a copy of its own.
LARGE_RESOURCE = 1 << 16

#: LLVM's optimization level. Tests lower it, where they are about our passes alone.
OPT_LEVEL = 3

#: Whether MLIR verifies the module after each pass, which takes as long as the passes.
VERIFY_EACH = True


def compile(module: Any, **given: Unpack[QuantToLLVMOptions]) -> Compiled:
    """The public functions of a module, compiled for this machine.

    module: an `mlir.ir.Module`, which stays as it is, or what `importers.mlir.import_module` takes:
        text, bytecode, a path to either, a module of another package.
    given: options, those of the pipeline `quant-to-llvm`, with underscores (`float_overflow="ieee"`).
        None means the default, which is that of the pipeline except for `runtime_checks=True` and
        `target_cpu="native"`.
        `threads=2` shares large ops between two threads, `threads=0` among the CPUs of the
        process (or as OMP_NUM_THREADS says). Results do not depend on it, but for float sums
        under `sum_order="any"`.

    Raises what MLIR raises if a pass fails, with its diagnostics and a note that says how to
    reproduce it with `quant-opt`, on a new temporary file with the module; ValueError for an
    option that does not exist or an operation that nothing lowers, and RuntimeError if
    there is no OpenMP runtime for the threads. Operations of other compilers are
    named with their numbers: "not lowered: 6 onnx.Loop, 1 onnx.Unique".
    """
    options = {"runtime_checks": True, "target_cpu": "native", **given}
    if options.get("stop_after") not in (None, "llvm"):
        raise ValueError(
            f"stop-after is '{options['stop_after']}': code needs the last stage, 'llvm'"
        )
    for field in dataclasses.fields(QuantToLLVM):
        _check_value(field, options.get(field.name))
    pipeline = f"builtin.module(quant-to-llvm{{caller-allocates=true {_spell(options)}}})"
    source = module if isinstance(module, ir.Module) else _imported(module)
    with source.context, ir.Location.unknown():
        mlir_qdq.register(source.context)
        try:
            passes = PassManager.parse(pipeline)
        except ValueError as error:
            said = str(error).partition("failed to add")[0].strip() or error
            raise ValueError(f"options of compile: {said}") from None
        passes.enable_verifier(VERIFY_EACH)
        mapped = mapped_libraries()
        key = _cache.key_of(source, f"{pipeline} -O{OPT_LEVEL}", mapped)
        engine = _cache.engines.get(key)
        if engine is None:
            kept = _cache.load(key, Layer.SOURCE)
            if kept is not None:
                code = Code.from_bytes(kept)
            else:
                said = []
                with _diagnostics(source.context, said), _reproducer(source, pipeline):
                    code = _generate(source, passes, options, mapped)
                if not said:  # what is not run again says nothing
                    _cache.store(key, Layer.SOURCE, code.to_bytes())
            engine = _cache.engines[key] = Engine(
                code, shared_libraries(options.get("threads"), mapped), source
            )
        return Compiled(engine.functions())


@contextlib.contextmanager
def _diagnostics(context: ir.Context, said: list[str]):
    """Lists what is reported meanwhile, to whoever else."""

    def note(diagnostic) -> bool:
        said.append(diagnostic.message)
        return False

    handler = context.attach_diagnostic_handler(note)
    try:
        yield
    finally:
        handler.detach()


@contextlib.contextmanager
def _reproducer(source: ir.Module, pipeline: str):
    """Adds to an error of MLIR how to reproduce it."""
    try:
        yield
    except ir.MLIRError as error:
        _, command = write_reproducer(source.operation, pipeline, "quant-to-llvm")
        error.add_note(f"to reproduce: {command}")
        raise


def _generate(source: ir.Module, passes: PassManager, options: dict, mapped: list[Path]) -> Code:
    signatures = public_signatures(source)
    lowered = _clone(source)
    try:
        passes.run(lowered.operation)
    except ir.MLIRError as error:
        first = error.error_diagnostics[0] if error.error_diagnostics else None
        if first and first.message.startswith("not lowered: "):
            raise NotLowered(first.message, first.location) from error
        foreign, explains_itself = describe_foreign(source, _spell_shared(options))
        if foreign and not explains_itself:
            raise foreign from error
        if foreign:
            error.add_note(foreign.message)
        raise
    _check_lowered(lowered, source, options)
    resources = _qdq.code.declare_resources(lowered, source, LARGE_RESOURCE)
    _make_internal(lowered)
    functions = {op.operation.attributes["sym_name"].value: op.operation for op in lowered.body}
    records = [_record(s, functions) for s in signatures if s.name in functions]
    return Code(tuple(records), tuple(_objects(lowered, mapped)), tuple(resources))


def _objects(lowered: ir.Module, mapped: list[Path]) -> list[bytes]:
    """Object files, generated or from a file that an equal module left."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    options = {"threads": threads, "level": OPT_LEVEL}
    if not _cache.is_used(Layer.LOWERED):
        return _qdq.code.compile(lowered, **options)
    key = _cache.key_of_lowered(lowered, str(options), mapped)
    kept = _cache.load(key, Layer.LOWERED)
    if kept is not None:
        return split(kept)
    objects = _qdq.code.compile(lowered, **options)
    _cache.store(key, Layer.LOWERED, join(objects))
    return objects


def _spell(options: dict) -> str:
    words = []
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, bool):
            value = str(value).lower()
        elif isinstance(value, enum.Enum) and str(value).startswith(type(value).__name__ + "."):
            value = value.value
        text = str(value)
        if not all(c.isalnum() or c in "-_.+," for c in text):
            raise ValueError(f"options of compile: {name}={value!r} is not a word or a number")
        words.append(f"{name.replace('_', '-')}={text}")
    return " ".join(words)


def _check_value(field: dataclasses.Field, value) -> None:
    """MLIR would print to standard error that it is none of an enumeration."""
    kind = field.metadata["kind"]
    if isinstance(value, str) and issubclass(kind, enum.Enum) and value not in list(kind):
        said = f"'{value}' is not a value of '{field.metadata['argument']}'"
        raise ValueError(f"options of compile: {said}: expected one of {', '.join(kind)}")


def _spell_shared(options: dict) -> str:
    """The options that lower-quant has, too."""
    known = {field.name for field in dataclasses.fields(LowerQuant)}
    return _spell({name: value for name, value in options.items() if name in known})


def _imported(module) -> ir.Module:
    # By default a context loads each upstream dialect, which takes longer than the passes on a
    # small module. The parser and the passes load what they need.
    with ir.Context(load_on_create_dialects=[]) as context:
        return import_module(module, context)


def _clone(module: ir.Module) -> ir.Module:
    """The bindings clone operations, not modules."""
    clone = ir.Module.create()
    copied = module.operation.clone()
    for name in copied.attributes:
        clone.operation.attributes[name] = copied.attributes[name]
    for op in list(copied.regions[0].blocks[0].operations):
        op.operation.detach_from_parent()
        clone.body.append(op)
    return clone


def _check_lowered(module: ir.Module, source: ir.Module, options: dict) -> None:
    left = {}

    def visit(op):
        dialect = op.name.partition(".")[0]
        if dialect not in ("builtin", "llvm", "omp"):
            left.setdefault(op.name, op.location)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if left:
        foreign, _ = describe_foreign(source, _spell_shared(options))
        if foreign:
            raise foreign
        listed = ", ".join(f"'{name}'" for name in left)
        raise NotLowered(f"nothing lowers {listed}", next(iter(left.values())))


def _make_internal(module: ir.Module) -> None:
    """Leaves each function to its C interface alone, so that LLVM compiles one body and not two."""
    functions = {ir.StringAttr(op.attributes["sym_name"]).value: op.operation for op in module.body}
    internal = ir.Attribute.parse("#llvm.linkage<internal>", module.context)
    for name, op in functions.items():
        if f"_mlir_ciface_{name}" in functions and any(op.regions[0].blocks):
            op.attributes["linkage"] = internal


def _record(signature: Signature, functions: dict) -> FunctionRecord:
    """One function with its companion, as qdq-results-to-destinations describes them."""
    attributes = functions[signature.name].attributes
    physical = ir.FunctionType(ir.TypeAttr(attributes["qdq.tensor_type"]).value)
    logical = physical
    if "qdq.unpacked_type" in attributes:
        logical = ir.FunctionType(ir.TypeAttr(attributes["qdq.unpacked_type"]).value)
    passings = [Passing(ir.StringAttr(a).value) for a in ir.ArrayAttr(attributes["qdq.results"])]

    companion, assertions = None, ()
    if "qdq.shape_function" in attributes:
        companion = ir.FlatSymbolRefAttr(attributes["qdq.shape_function"]).value
        messages = ir.ArrayAttr(functions[companion].attributes["qdq.assertions"])
        assertions = tuple(ir.StringAttr(message).value for message in messages)

    prototype = Prototype(
        signature.name,
        _boundaries(logical.inputs, signature.unsigned_arguments),
        _boundaries(logical.results, signature.unsigned_results),
        tuple(map(str, logical.inputs)),
        tuple(map(str, logical.results)),
    )
    return FunctionRecord(prototype, tuple(passings), assertions, companion)


def _boundaries(types, unsigned) -> tuple[Boundary | None, ...]:
    types = list(types)
    if len(types) != len(unsigned):  # a lowering changed the signature
        unsigned = [False] * len(types)
    return tuple(map(Boundary.of, types, unsigned))
