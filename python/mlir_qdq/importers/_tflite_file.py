# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contents of a .tflite file, checked as it is read. The bytes of tensors are views of the mapped file."""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import re
import struct
from dataclasses import dataclass, field

import numpy as np

from ._files import called

try:
    import tflite
    from flatbuffers.number_types import Int32Flags
except ImportError as error:
    raise ImportError(
        "the TFLite importer needs the package 'tflite': pip install 'mlir-qdq[tflite]'"
    ) from error

#: Exceptions of the package for a damaged file.
_DAMAGE = (
    struct.error, IndexError, KeyError, ValueError, TypeError, OverflowError, AttributeError,
    AssertionError, UnicodeDecodeError, NotImplementedError,
)  # fmt: skip

#: MLIR's element type, and the width in bits.
ELEMENTS = {
    "FLOAT64": ("f64", 64), "FLOAT32": ("f32", 32), "FLOAT16": ("f16", 16), "BFLOAT16": ("bf16", 16),
    "INT64": ("i64", 64), "INT32": ("i32", 32), "INT16": ("i16", 16), "INT8": ("i8", 8),
    "INT4": ("i4", 4), "UINT64": ("ui64", 64), "UINT32": ("ui32", 32), "UINT16": ("ui16", 16),
    "UINT8": ("ui8", 8), "BOOL": ("i1", 8),
}  # fmt: skip
#: Elements that a quantized type of MLIR may store: 64 bits are none.
_STORAGE = ("INT32", "INT16", "INT8", "INT4", "UINT32", "UINT16", "UINT8")
RESOURCE = "RESOURCE"
_MAX_RANK = 64  #: NumPy's
#: Vectors and buffers may be shared. A file that says more than this, in entries and bytes, is damaged.
_MOST_SAID = (64, 1 << 24)  #: times its size, and more
#: Operands and results of the operators that the importer itself understands.
_COUNTS = {"VAR_HANDLE": (0, 1), "READ_VARIABLE": (1, 1), "ASSIGN_VARIABLE": (2, 0)}


class TFLiteImportError(ValueError):
    """A file that is damaged, or has what is not supported: file, place and reason."""


@dataclass
class Tensor:
    name: str
    kind: str  #: of `tflite.TensorType`
    shape: tuple[int | None, ...]  #: None: open
    scales: tuple[float, ...] = ()  #: f32; empty where it is not quantized
    zero_points: tuple[int, ...] = ()
    axis: int | None = None  #: of more than one scale
    data: np.ndarray | None = None  #: a constant: one element each, as many as the shape says


@dataclass
class Op:
    name: str  #: of `tflite.BuiltinOperator`, or that of a custom operator
    is_custom: bool
    inputs: list[int]  #: -1: left out
    outputs: list[int]
    options: dict[str, object] = field(default_factory=dict)


@dataclass
class Graph:
    name: str
    tensors: list[Tensor]
    inputs: list[int]
    outputs: list[int]
    ops: list[Op]


@dataclass
class File:
    path: str
    graphs: list[Graph]


def read(path) -> File:
    """The graphs of a file."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < 8:
            raise TFLiteImportError(f"{path}: is no .tflite file: it has less than 8 bytes")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _Reader(path, content).file()


class _Reader:
    def __init__(self, path: str, content: mmap.mmap):
        self.path, self.content = path, content
        self.place = "header"
        self.bytes = np.frombuffer(content, np.uint8)
        self.halves: dict[int, np.ndarray] = {}  #: of buffers, whose tensors may share them
        times, more = _MOST_SAID
        self.left = times * len(self.bytes) + more

    def error(self, reason: str) -> TFLiteImportError:
        return TFLiteImportError(f"{self.path}: {self.place}: {reason}")

    @contextlib.contextmanager
    def at(self, place: str):
        """Everything inside is at `place`, which errors name."""
        outer, self.place = self.place, place
        try:
            yield
        except TFLiteImportError:
            raise
        except _DAMAGE as error:
            raise self.error(f"the file is damaged: {error}") from error
        self.place = outer

    def file(self) -> File:
        with self.at("header"):
            if self.content[4:8] != b"TFL3":
                raise self.error(
                    f"the bytes 4 to 7 are {bytes(self.content[4:8])!r}: expected b'TFL3'"
                )
            self.model = tflite.Model.GetRootAs(self.content, 0)
            if self.model.Version() != 3:
                raise self.error(f"the schema has version {self.model.Version()}: expected 3")
            count = self.model.SubgraphsLength()
            self.counted(count, "subgraphs")
        graphs = []
        for index in range(count):
            with self.at(f"subgraph {index}"):
                graphs.append(self.graph(self.model.Subgraphs(index), index))
        if not graphs:
            raise self.error("has no subgraph")
        return File(self.path, graphs)

    def counted(self, count: int, what: str) -> int:
        """Every entry of a vector has a byte or more; tables may share a vector, and do not without end."""
        self.left -= count
        if count > len(self.bytes) or self.left < 0:
            raise self.error(f"has {count} {what}, in a file of {len(self.bytes)} bytes")
        return count

    def graph(self, graph, index: int) -> Graph:
        tensors = []
        for i in range(self.counted(graph.TensorsLength(), "tensors")):
            with self.at(f"subgraph {index}, tensor {i}"):
                tensors.append(self.tensor(graph.Tensors(i)))
        places = self.places
        ops = []
        for i in range(self.counted(graph.OperatorsLength(), "operators")):
            with self.at(f"subgraph {index}, operator {i}"):
                ops.append(self.op(graph.Operators(i), len(tensors)))
        return Graph(
            self.text(graph.Name()) or f"subgraph_{index}",
            tensors,
            places(graph.InputsAsNumpy(), len(tensors), "input", False),
            places(graph.OutputsAsNumpy(), len(tensors), "output", False),
            ops,
        )

    def text(self, value: bytes | None) -> str:
        self.counted(len(value or b""), "letters in a name")
        return value.decode() if value else ""

    def places(self, indices, count: int, what: str, may_be_absent: bool) -> list[int]:
        if isinstance(indices, int):  # the package's word for an absent vector
            return []
        self.counted(len(indices), f"{what}s")
        lowest = -1 if may_be_absent else 0
        for index in indices:
            if not lowest <= index < count:
                raise self.error(f"{what} {index} is no tensor: there are {count}")
        return [int(index) for index in indices]

    # --- tensors -----------------------------------------------------------------

    def tensor(self, tensor) -> Tensor:
        name = self.text(tensor.Name())
        self.place += f" {called(name)}"
        kind = _name_of(tflite.TensorType, tensor.Type())
        if kind is None or (kind not in ELEMENTS and kind != RESOURCE):
            raise self.error(
                f"has elements of type {kind or tensor.Type()}, which is not supported"
            )
        if tensor.Sparsity() is not None:
            raise self.error("is sparse, which is not supported")
        result = Tensor(name, kind, self.shape(tensor))
        if kind in _STORAGE and tensor.Quantization() is not None:
            self.quantization(tensor.Quantization(), result)
        if kind != RESOURCE:
            result.data = self.data(tensor.Buffer(), result)
        return result

    def shape(self, tensor) -> tuple[int | None, ...]:
        sizes = tensor.ShapeAsNumpy()
        if not tensor.ShapeSignatureIsNone() and tensor.ShapeSignatureLength():
            sizes = tensor.ShapeSignatureAsNumpy()
        if isinstance(sizes, int):
            return ()
        if len(sizes) > _MAX_RANK:
            raise self.error(f"has {len(sizes)} dimensions: expected at most {_MAX_RANK}")
        if any(size < -1 for size in sizes):
            raise self.error(f"has the shape {list(sizes)}")
        return tuple(None if size < 0 else int(size) for size in sizes)

    def quantization(self, quantization, tensor: Tensor) -> None:
        count = self.counted(quantization.ScaleLength(), "scales")
        if count == 0:
            return
        if quantization.DetailsType() not in (0, getattr(tflite.QuantizationDetails, "NONE", 0)):
            raise self.error("has quantization details of its own, which are not supported")
        zeros = quantization.ZeroPointAsNumpy()
        zeros = np.zeros(count, np.int64) if isinstance(zeros, int) else zeros
        scales = quantization.ScaleAsNumpy()
        if len(zeros) not in (1, count):
            raise self.error(f"has {count} scales and {len(zeros)} zero points")
        if count == 1 and scales[0] == 0:
            return  # LiteRT's word for not quantized
        for scale in scales:
            if not (scale > 0 and math.isfinite(scale)):
                raise self.error(f"has the scale {scale}: expected a positive, finite number")
        lo, hi = _bounds(tensor.kind)
        for zero in zeros:
            if not lo <= zero <= hi:
                raise self.error(f"has the zero point {zero}, outside of {lo} to {hi}")
        tensor.scales = tuple(float(scale) for scale in scales)
        tensor.zero_points = tuple(int(zero) for zero in np.broadcast_to(zeros, count))
        if count > 1:
            axis = quantization.QuantizedDimension()
            if not 0 <= axis < len(tensor.shape) or tensor.shape[axis] != count:
                raise self.error(
                    f"has {count} scales along dimension {axis} of the shape {list(tensor.shape)}"
                )
            tensor.axis = axis

    def data(self, index: int, tensor: Tensor) -> np.ndarray | None:
        if not 0 <= index < self.model.BuffersLength():
            raise self.error(f"buffer {index} is none of the {self.model.BuffersLength()}")
        buffer = self.model.Buffers(index)
        raw = buffer.DataAsNumpy()
        if buffer.Offset() > 1:  # behind the flatbuffer, in files of more than 2 GB
            begin, end = buffer.Offset(), buffer.Offset() + buffer.Size()
            if end > len(self.bytes):
                raise self.error(
                    f"buffer {index} ends at byte {end} of {len(self.bytes)}: the file is cut short"
                )
            raw = self.bytes[begin:end]
        if isinstance(raw, int) or (len(raw) == 0 and 0 not in tensor.shape):
            return None
        self.counted(len(raw), "bytes of data")
        if None in tensor.shape:
            raise self.error(f"is constant, and has the open shape {list(tensor.shape)}")
        element, bits = ELEMENTS[tensor.kind]
        count = math.prod(tensor.shape)
        expected = -(-count * bits // 8)
        if len(raw) != expected:
            raise self.error(
                f"has {len(raw)} bytes in buffer {index}: expected {expected} for the shape "
                f"{list(tensor.shape)} of {element}"
            )
        if bits == 4:  # the low half of a byte first
            halves = self.halves.get(index)
            if halves is None:
                halves = self.halves[index] = np.stack([raw & 15, raw >> 4], 1).reshape(-1)
            return halves[:count].reshape(tensor.shape)
        dtype = np.bool_ if element == "i1" else np.dtype(f"u{bits // 8}")
        return raw.view(dtype).reshape(tensor.shape)

    # --- operators ---------------------------------------------------------------

    def op(self, op, count: int) -> Op:
        index = op.OpcodeIndex()
        if not 0 <= index < self.model.OperatorCodesLength():
            raise self.error(f"operator code {index} is not there")
        code = self.model.OperatorCodes(index)
        builtin = max(_builtin_code(code), code.DeprecatedBuiltinCode())
        name = _name_of(tflite.BuiltinOperator, builtin)
        if name is None:
            raise self.error(f"operator {builtin} is unknown")
        is_custom = name == "CUSTOM"
        if is_custom:
            name = self.text(code.CustomCode())
        self.place += f" {name[:200]}"
        may_be_absent = name not in _COUNTS
        result = Op(
            name,
            is_custom,
            self.places(op.InputsAsNumpy(), count, "input", may_be_absent),
            self.places(op.OutputsAsNumpy(), count, "output", False),
            {} if is_custom else self.options(op),
        )
        found = (len(result.inputs), len(result.outputs))
        if found != _COUNTS.get(name, found):
            inputs, outputs = _COUNTS[name]
            raise self.error(
                f"has {found[0]} inputs and {found[1]} outputs: expected {inputs} and {outputs}"
            )
        if name == "VAR_HANDLE" and "shared_name" not in result.options:
            raise self.error("has no shared_name, which tells the variable")
        return result

    def options(self, op) -> dict[str, object]:
        """The scalar fields of the operator's table, in snake case."""
        kind = _name_of(tflite.BuiltinOptions, op.BuiltinOptionsType())
        table = op.BuiltinOptions()
        if kind in (None, "NONE") or table is None:
            return {}
        options = getattr(tflite, kind)()
        options.Init(table.Bytes, table.Pos)
        result: dict[str, object] = {}
        for method in dir(options):
            if not method[0].isupper() or method == "Init" or method.startswith("GetRoot"):
                continue
            if method.endswith(("BufferHasIdentifier", "Length", "AsNumpy", "IsNone")):
                continue
            if hasattr(options, method + "Length"):
                continue  # a vector: no operator with a translation has one that counts
            value = getattr(options, method)()
            if isinstance(value, bytes):
                value = value.decode()
            if isinstance(value, (bool, int, float, str)):
                result[
                    re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", method).lower()
                ] = value
        return result


def _builtin_code(code) -> int:
    """The field `builtin_code` as it is: the package gives the deprecated one where that is small."""
    offset = code._tab.Offset(10)
    return code._tab.Get(Int32Flags, code._tab.Pos + offset) if offset else 0


def _bounds(kind: str) -> tuple[int, int]:
    bits = ELEMENTS[kind][1]
    return (0, 2**bits - 1) if kind.startswith("U") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _name_of(enumeration, value: int) -> str | None:
    for name, number in vars(enumeration).items():
        if number == value and name[0].isupper():
            return name
    return None
