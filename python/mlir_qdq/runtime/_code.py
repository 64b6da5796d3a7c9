# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of compilation: object files, and the facts that callers need of their functions."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from .._mlir_libs import _qdq, _qdq_runtime
from .._mlir_libs._qdq.code import LoadedCode
from ._boundary import Boundary
from ._elements import Element
from ._function import Function, Prototype
from ._results import Passing


@dataclass(frozen=True)
class FunctionRecord:
    """A public function, and its companion as qdq-results-to-destinations describes it."""

    prototype: Prototype
    passings: tuple[Passing, ...]
    assertions: tuple[str, ...]
    companion: str | None

    def to_json(self) -> dict:
        prototype = self.prototype
        return {
            "name": prototype.name,
            "arguments": list(map(_boundary_to_json, prototype.arguments)),
            "results": list(map(_boundary_to_json, prototype.results)),
            "argument_types": prototype.argument_types,
            "result_types": prototype.result_types,
            "passings": [passing.value for passing in self.passings],
            "assertions": self.assertions,
            "companion": self.companion,
        }

    @classmethod
    def from_json(cls, fields: dict) -> FunctionRecord:
        prototype = Prototype(
            fields["name"],
            tuple(map(_boundary_from_json, fields["arguments"])),
            tuple(map(_boundary_from_json, fields["results"])),
            tuple(fields["argument_types"]),
            tuple(fields["result_types"]),
        )
        passings = tuple(map(Passing, fields["passings"]))
        return cls(prototype, passings, tuple(fields["assertions"]), fields["companion"])


def _boundary_to_json(boundary: Boundary | None) -> list | None:
    if boundary is None:
        return None
    return [
        boundary.type,
        boundary.element.name,
        boundary.is_tensor,
        boundary.shape,
        boundary.is_written,
    ]


def _boundary_from_json(fields: list | None) -> Boundary | None:
    if fields is None:
        return None
    type, element, is_tensor, shape, is_written = fields
    sizes = None if shape is None else tuple(shape)
    return Boundary(type, Element.parse(element), is_tensor, sizes, is_written)


@dataclass(frozen=True)
class Code:
    """Object files with the records of their functions, and with the resources of the module that
    they read: names of symbols and resources."""

    functions: tuple[FunctionRecord, ...]
    objects: tuple[bytes, ...]
    resources: tuple[tuple[str, str], ...]

    def to_bytes(self) -> bytes:
        """The functions and the resources as JSON, and the objects."""
        functions = [function.to_json() for function in self.functions]
        return join([json.dumps([functions, self.resources]).encode(), *self.objects])

    @classmethod
    def from_bytes(cls, data: bytes) -> Code:
        text, *objects = split(data)
        functions, resources = json.loads(text)
        records = tuple(map(FunctionRecord.from_json, functions))
        return cls(records, tuple(objects), tuple(map(tuple, resources)))


def join(parts: Sequence[bytes]) -> bytes:
    """The count of the parts, their lengths, and the parts."""
    return struct.pack(f"<{len(parts) + 1}Q", len(parts), *map(len, parts)) + b"".join(parts)


def split(data: bytes) -> list[bytes]:
    """The parts that `join` joined."""
    (count,) = struct.unpack_from("<Q", data)
    parts, at = [], 8 * (count + 1)
    for size in struct.unpack_from(f"<{count}Q", data, 8):
        parts.append(data[at : at + size])
        at += size
    return parts


class Engine:
    """Code in memory, which the functions share. It reads large resources where `source` has them."""

    def __init__(self, code: Code, libraries: list[str], source: ir.Module):
        self._records = code.functions
        self._context = source.context if code.resources else None  # owns the resources
        places = {name: address for name, address, _ in _qdq.code.resources(source)}
        symbols = [(symbol, places[name]) for symbol, name in code.resources]
        symbols += _qdq_runtime.assertion_symbols()
        self._loaded = LoadedCode(list(code.objects), libraries, symbols)

    def functions(self) -> dict[str, Function]:
        return {record.prototype.name: self._bind(record) for record in self._records}

    def _bind(self, record: FunctionRecord) -> Function:
        call = self._look_up(record.prototype.name)
        companion = self._look_up(record.companion) if record.companion else 0
        return Function(record.prototype, record.passings, record.assertions, call, companion, self)

    def _look_up(self, name: str) -> int:
        return self._loaded.lookup("_mlir__mlir_ciface_" + name)
