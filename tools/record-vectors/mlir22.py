# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records what upstream MLIR 22 makes of quant.qcast and quant.dcast with `lower-quant-ops`, for the profile `mlir22`.

apt-get install mlir-22-tools clang-22; pip install numpy
python tools/record-vectors/mlir22.py [/usr/lib/llvm-22/bin]
"""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from vectors import BOUNDS, Recording, dequantize_rows, quantize_rows

TOOLS = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/lib/llvm-22/bin")
PASSES = (
    "--lower-quant-ops", "--canonicalize", "--convert-arith-to-llvm", "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
)  # fmt: skip


def run(command, text: bytes) -> bytes:
    return subprocess.run(
        [str(part) for part in command], input=text, capture_output=True, check=True
    ).stdout


class Library:
    """Scalar functions f<row>, compiled without optimization: nothing is gained from poison."""

    def __init__(self, functions: list[str]):
        lowered = run([TOOLS / "mlir-opt", *PASSES], "\n".join(functions).encode())
        llvm = run([TOOLS / "mlir-translate", "--mlir-to-llvmir"], lowered)
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "f.so"
            run([TOOLS / "clang", "-O0", "-shared", "-fPIC", "-x", "ir", "-", "-o", library], llvm)
            self.library = ctypes.CDLL(str(library))

    def call(self, row: int, values: np.ndarray, argument, result) -> list:
        function = self.library[f"f{row}"]
        function.argtypes, function.restype = [argument], result
        return [function(value) for value in values.tolist()]


def quantized(storage: str, scale, zero_point, narrowed, element="f32") -> str:
    spelled = storage.replace("ui", "u") + (f"<{narrowed[0]}:{narrowed[1]}>" if narrowed else "")
    return f"!quant.uniform<{spelled}:{element}, {float(scale)!r}:{int(zero_point)}>"


def integer_type(storage: str):
    return getattr(ctypes, "c_" + storage.replace("i", "int"))


#: Reals cross the boundary as their bits.
BITS = {
    "f32": ("i32", ctypes.c_uint32, np.float32, np.uint32),
    "f16": ("i16", ctypes.c_uint16, np.float16, np.uint16),
}


def quantize(x, scale, zero_point, storage, narrowed=None, element="f32"):
    functions = []
    signless = storage.lstrip("u")
    bits, argument, _, view = BITS[element]
    for row, (s, z) in enumerate(zip(scale, zero_point)):
        type = quantized(storage, s, z, narrowed, element)
        functions.append(
            f"func.func @f{row}(%b: {bits}) -> {signless} {{\n  %x = arith.bitcast %b : {bits} to {element}\n"
            f"  %q = quant.qcast %x : {element} to {type}\n"
            f"  %c = quant.scast %q : {type} to {signless}\n  return %c : {signless}\n}}"
        )
    library = Library(functions)
    kind = integer_type(storage)
    return np.array(
        [library.call(row, values, argument, kind) for row, values in enumerate(x.view(view))]
    )


def dequantize(q, scale, zero_point, storage, element="f32"):
    functions = []
    signless = storage.lstrip("u")
    bits, result, dtype, view = BITS[element]
    for row, (s, z) in enumerate(zip(scale, zero_point)):
        type = quantized(storage, s, z, None, element)
        functions.append(
            f"func.func @f{row}(%c: {signless}) -> {bits} {{\n  %q = quant.scast %c : {signless} to {type}\n"
            f"  %x = quant.dcast %q : {type} to {element}\n  %b = arith.bitcast %x : {element} to {bits}\n"
            f"  return %b : {bits}\n}}"
        )
    library = Library(functions)
    kind = integer_type(storage)
    return np.array(
        [library.call(row, values, kind, result) for row, values in enumerate(q)], view
    ).view(dtype)


def within(x, scale, zero_point, storage):
    """x, with what lands outside of the storage replaced: those codes are poison."""
    low, high = BOUNDS[storage]
    with np.errstate(all="ignore"):
        code = np.trunc(x / scale[:, None] + zero_point[:, None].astype(x.dtype))
    return np.where((code >= low) & (code <= high), x, 0).astype(x.dtype)


def main():
    tool = run([TOOLS / "mlir-opt", "--version"], b"").decode()
    version = next(line.strip() for line in tool.splitlines() if "LLVM version" in line)
    recording = Recording("mlir22", "mlir22.py", (), tool=version)
    for storage in ("i8", "ui8", "i16"):
        x, s, z = quantize_rows(storage)
        x = within(x, s, z, storage)
        recording.add(
            f"quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, quantize(x, s, z, storage)),
            agrees="everywhere", how="quant.qcast of a scalar through mlir-opt --lower-quant-ops, compiled by clang -O0",
        )  # fmt: skip
    for storage in ("i8", "ui8"):
        x, s, z = quantize_rows(storage, "f16", "f16")
        x = within(x, s, z, storage)
        recording.add(
            f"quantize-{storage}-f16", "quantize", ("f16", x), ("f16", s), (storage, z),
            (storage, quantize(x, s, z, storage, element="f16")), agrees="everywhere", how="quant.qcast of a scalar",
        )  # fmt: skip
    x, s, z = quantize_rows("i8")
    z = np.clip(z, -100, 100)
    x = within(x, s, z, "i8")
    q = quantize(x, s, z, "i8", (-100, 100))
    recording.add(
        "quantize-i8-narrow", "quantize", ("f32", x), ("f32", s), ("i8", z), ("i8", q), clamp=[-100, 100],
        agrees="everywhere", how="quant.qcast to i8<-100:100>",
    )  # fmt: skip
    for storage in ("i8", "ui8", "i16", "i32"):
        q, s, z = dequantize_rows(storage)
        recording.add(
            f"dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z),
            ("f32", dequantize(q, s, z, storage)), agrees="everywhere", how="quant.dcast of a scalar",
        )  # fmt: skip
    for storage in ("i8", "ui16"):
        q, s, z = dequantize_rows(storage, "f16")
        recording.add(
            f"dequantize-{storage}-f16", "dequantize", (storage, q), ("f16", s), (storage, z),
            ("f16", dequantize(q, s, z, storage, "f16")), agrees="everywhere", how="quant.dcast of a scalar",
        )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
