# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed codes in blocks: vectors of slots beside loops that LLVM vectorizes, and beside plain C, interleaved in one process.

.venv/bin/python benchmarks/packed.py [rows columns]

Prints medians in GB/s, bytes read and written. Results of both targets are compared bit for bit before anything is
timed, and with C's where there is a C function: i4 in blocks of 32 and 128, built here by `cc -O3 -march=native`.
"""

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from mlir_qdq import runtime
from record import record

REPEATS = 41
SECONDS = 0.002

C_SOURCE = r"""
#include <stdint.h>
void dequantize(const uint8_t *restrict x, const float *restrict s, float *restrict y, long blocks, int block) {
  for (long b = 0; b < blocks; ++b)
    for (int i = 0; i < block / 2; ++i) {
      uint8_t byte = x[b * block / 2 + i];
      y[b * block + 2 * i] = (float)((int8_t)(byte << 4) >> 4) * s[b];
      y[b * block + 2 * i + 1] = (float)((int8_t)byte >> 4) * s[b];
    }
}
"""


def tensor(*shape_and_type) -> str:
    return f"tensor<{'x'.join(map(str, shape_and_type))}>"


def dequantize(source: str, target: str, scale: str, block: int, constant: str = "") -> str:
    argument = "" if constant else f", %s: {scale}"
    return (
        f"func.func @f(%x: {source}{argument}) -> {target} {{\n{constant}"
        f"  %0 = qdq.dequantize %x scale %s block_shape [1, {block}] : ({source}, {scale}) -> {target}\n"
        f"  return %0 : {target}\n}}"
    )


def quantize_packed(reals: str, codes: str, scale: str, block: int, size: int) -> str:
    containers = tensor(size, "ui8")
    return (
        f"func.func @f(%x: {reals}, %s: {scale}) -> {containers} {{\n"
        f"  %q = qdq.quantize %x scale %s block_shape [1, {block}] : ({reals}, {scale}) -> {codes}\n"
        f"  %0 = qdq.pack %q packing <onnx> : ({codes}) -> {containers}\n"
        f"  return %0 : {containers}\n}}"
    )


def unpacked(
    packing: str, containers: str, elements: str, scale: str, target: str, block: str
) -> str:
    return (
        f"func.func @f(%c: {containers}, %s: {scale}) -> {target} {{\n"
        f"  %q = qdq.unpack %c packing <{packing}> : ({containers}) -> {elements}\n"
        f"  %0 = qdq.dequantize %q scale %s block_shape {block} : ({elements}, {scale}) -> {target}\n"
        f"  return %0 : {target}\n}}"
    )


def packed_bytes(count: int, bits: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, count * bits // 8, np.uint8)


def cases(rows: int, columns: int):
    """Name, module, arguments and the block that C is told, 0 for none."""
    random = np.random.default_rng(0)
    for storage, bits, block, real in (
        ("i4", 4, 32, "f32"),
        ("i4", 4, 128, "f32"),
        ("i4", 4, 16, "f32"),
        ("i4", 4, 32, "f16"),
        ("i2", 2, 32, "f32"),
        ("f4E2M1FN", 4, 32, "f32"),
        ("f6E3M2FN", 6, 32, "f32"),
        ("f6E2M3FN", 6, 32, "f32"),
        ("i3", 3, 32, "f32"),
    ):
        codes, scale = tensor(rows, columns, storage), tensor(rows, columns // block, "f32")
        s = random.uniform(0.1, 2, (rows, columns // block)).astype(np.float32)
        reals = tensor(rows, columns, real)
        x = packed_bytes(rows * columns, bits)
        c_block = block if (storage, real) == ("i4", "f32") else 0
        name = f"{storage} -> {real}, block {block}"
        yield name, dequantize(codes, reals, scale, block), (x, s), c_block
        if (storage, block, real) == ("i4", 32, "f32"):
            values = ", ".join(str(row.tolist()) for row in s)
            constant = f"  %s = arith.constant dense<[{values}]> : {scale}\n"
            text = dequantize(codes, reals, scale, block, constant)
            yield name + ", constant scales", text, (x,), 0
        v = random.normal(0, 3, (rows, columns)).astype(dict(f32=np.float32, f16=np.float16)[real])
        yield (
            f"{real} -> {storage}, block {block}",
            quantize_packed(reals, codes, scale, block, x.size),
            (v, s),
            0,
        )
    s = random.uniform(0.1, 2, (rows, columns // 32)).astype(np.float32)
    reals, scale = tensor(rows, columns, "f32"), tensor(rows, columns // 32, "f32")
    x = packed_bytes(rows * columns // 32 * 36, 4).reshape(rows, -1)
    text = unpacked(
        "ggml-q4_0", tensor(rows, x.shape[1], "ui8"), tensor(rows, columns, "i4"), scale, reals, "[1, 32]"
    )  # fmt: skip
    yield "ggml-q4_0 -> f32", text, (x, s), 0
    s = random.uniform(0.1, 2, (rows // 128, columns)).astype(np.float32)
    scale = tensor(rows // 128, columns, "f32")
    for packing, shape in (("gptq-v2", (rows // 8, columns)), ("awq-gemm", (rows, columns // 8))):
        x = packed_bytes(rows * columns, 4).view(np.int32).reshape(shape)
        text = unpacked(
            packing, tensor(*shape, "i32"), tensor(rows, columns, "ui4"), scale, reals, "[128, 1]"
        )
        yield f"{packing} -> f32, block 128", text, (x, s), 0


def build_c():
    folder = Path(tempfile.mkdtemp())
    source, library = folder / "c.c", folder / "c.so"
    source.write_text(C_SOURCE)
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library)).dequantize


def ways(text: str, arguments, c_block: int, c_function):
    """Name to a function without arguments, and the bytes that each moves."""
    result, outs = {}, []
    for target in ("vector", "linalg"):
        compiled = runtime.compile(text, target=target).f
        out = np.asarray(compiled(*arguments)).reshape(-1).view(np.uint8)
        outs.append(out)
        given = np.empty_like(np.asarray(compiled(*arguments)))
        result[target] = lambda f=compiled, o=given: f(*arguments, out=o)
    if outs[0].tobytes() != outs[1].tobytes():
        raise SystemExit(f"the targets differ:\n{text}")
    if c_block:
        x, s = arguments
        y = np.empty(outs[0].size // 4, np.float32)
        given = (
            *(ctypes.c_void_p(a.ctypes.data) for a in (x, s, y)),
            ctypes.c_long(s.size),
            c_block,
        )
        c_function(*given)
        if y.tobytes() != outs[0].tobytes():
            raise SystemExit(f"C differs:\n{text}")
        result["C"] = lambda keep=y: c_function(*given)
    return result, sum(a.nbytes for a in arguments) + outs[0].size


def main():
    rows, columns = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (128, 1024)
    c_function = build_c()
    for name, text, arguments, c_block in cases(rows, columns):
        functions, moved = ways(text, arguments, c_block, c_function)
        times = {way: [] for way in functions}
        for _ in range(REPEATS):
            for way, call in functions.items():
                start, count = time.perf_counter(), 0
                while (elapsed := time.perf_counter() - start) < SECONDS:
                    call()
                    count += 1
                times[way].append(elapsed / count)
        rates = {way: moved / statistics.median(t) / 1e9 for way, t in times.items()}
        record(f"{rows} x {columns}, packed, one thread", "GB/s", name, rates)


if __name__ == "__main__":
    main()
