# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels beside C by hand, ONNX Runtime, oneDNN and NumPy, interleaved in one process: GB/s, bytes read and written.

.venv/bin/python benchmarks/kernels.py [rows columns] [--threads=N] [--only=TEXT]

One thread: the process is bound to one CPU, and the figure is that of the smallest CPU time. More: the smallest wall time of ours, ONNX Runtime and oneDNN.

- "in caches" is ours without stores past the caches, "loops" is `target=linalg`, which LLVM vectorizes.
- "C" is kernels.cpp, where the processor has AVX-512: the faster of its two kinds of stores, less an empty call.
- "copy" reads and writes as many bytes, line by line, and computes nothing: the faster of two kinds of stores.
- ONNX Runtime's input and result are bound. oneDNN is there if QDQ_BENCH_ONEDNN says so, which tools/bench sees to.

The bits of all but NumPy are compared first. oneDNN multiplies by a reciprocal: its codes may be the neighbors.
"""

import argparse
import os
import time

import numpy as np

from mlir_qdq import runtime
from measure import aligned, aligned_copy, sample, smallest
from onednn import OneDNN
from peers import build_c, c_way, onnxruntime_way
from record import record
from rows import Kernels, Row

#: The default of `stream_bytes`: below, "in caches" is the same code as ours.
STREAM_BYTES = 32 << 20


def bytes_of(argument) -> int:
    return np.asarray(argument.data if isinstance(argument, runtime.Packed) else argument).nbytes


def compare(row: Row, way: str, expected: np.ndarray, result: bytes) -> None:
    """The same bits; of oneDNN the same numbers, or codes that are neighbors."""
    theirs = np.frombuffer(result, np.uint8)
    if way != "oneDNN":
        same = theirs == expected
    elif row.onednn[0][1] == "f32":
        same = theirs.view(np.float32) == expected.view(np.float32)
    else:
        same = np.abs(theirs.view(np.int8).astype(int) - expected.view(np.int8)) <= 1
        if row.onednn[0][1].startswith("f8"):  # 0 and -0
            same |= (theirs | expected) == 0x80
    if not same.all():
        raise SystemExit(f"{row.name}: {way} and ours differ in {np.sum(~same)} of {same.size}")


def ours(row: Row, arguments: list, threads: int):
    """Ways, the bytes of the result, and where all write it: with places of their own, the same code differs by a fifth."""
    kinds = {"ours": {}, "in caches": dict(without="stream-stores"), "loops": dict(target="linalg")}
    ways, expected, out = {}, None, None
    for way, options in kinds.items():
        if threads > 1 and way != "ours":
            break
        run = runtime.compile(row.text, profile="ort", threads=threads, **options).f
        result = np.asarray(run(*arguments))
        if expected is None:
            expected, out = result.reshape(-1).view(np.uint8).copy(), aligned_copy(result)
        compare(row, way, expected, result.tobytes())
        moved = out.nbytes + sum(map(bytes_of, arguments))
        if way != "in caches" or moved >= STREAM_BYTES:
            ways[way] = lambda f=run: f(*arguments, out=out)
    return ways, expected, out.reshape(-1).view(np.uint8)


def peers(
    row: Row, arguments: list, expected: np.ndarray, out: np.ndarray, library, onednn, threads: int
) -> dict:
    ways, x = {}, arguments[0]
    places = {id(a): place for a, place in zip(row.arguments, arguments, strict=True)}
    if library and row.c and threads == 1:
        name, arrays, sizes = row.c
        arrays = [None if a is None else places.get(id(a), aligned_copy(a)) for a in arrays]
        for stream in (False, True):
            ways[f"C {stream:d}"] = way = c_way(library, name, [*arrays, out], sizes, stream)
            out[:] = ~expected
            way()
            compare(row, "C", expected, out.tobytes())
    if row.onnx:
        way, result = onnxruntime_way(row.onnx(), x, out, threads)
        ways["ONNX Runtime"] = way
        out[:] = ~expected
        way()
        compare(row, "ONNX Runtime", expected, result())
    if onednn and row.onednn:
        kinds, shape, parameters = row.onednn
        try:
            ways["oneDNN"] = way = onednn.reorder(x, kinds, shape, out, **parameters)
            out[:] = ~expected
            way()
            compare(row, "oneDNN", expected, out.tobytes())
        except NotImplementedError as error:
            print(f"  {row.name}: {error}")
    if row.numpy and threads == 1:
        ways["NumPy"] = row.numpy
    return ways


def measure(row: Row, library, onednn, threads: int) -> dict[str, float]:
    """GB/s of each way."""
    arguments = [aligned_copy(a) if isinstance(a, np.ndarray) and a.ndim else a for a in row.arguments]  # fmt: skip
    ways, expected, out = ours(row, arguments, threads)
    reads = sum(map(bytes_of, row.arguments))
    ways |= peers(row, arguments, expected, out, library, onednn, threads)
    if library and threads == 1:
        source = aligned(reads)
        for stream in (False, True):
            sizes = (source.size, out.size)
            ways[f"copy {stream:d}"] = c_way(library, "copy_lines", [source, out], sizes, stream)
        ways["call"] = c_way(library, "nothing", [source, source, out], sizes, False)
    clock = time.process_time if threads == 1 else time.perf_counter
    times = smallest(sample(ways, clock))
    call = times.pop("call", 0)
    for way in ("C", "copy"):
        if f"{way} 0" in times:
            times[way] = min(times.pop(f"{way} {stream}") for stream in (0, 1)) - call
    names = ("ours", "in caches", "loops", "C", "copy", "ONNX Runtime", "oneDNN", "NumPy")
    rates = {w: (reads + expected.size) / times[w] / 1e9 for w in names if w in times}
    if "C" in rates:
        rates["ratio"] = rates["ours"] / rates["C"]
    return rates


def main(rows: int, columns: int, threads: int, only: str) -> None:
    if threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    library = build_c()
    onednn = OneDNN() if "QDQ_BENCH_ONEDNN" in os.environ else None
    for group, made in Kernels(rows, columns).groups().items():
        title = f"{group}, {rows} x {columns}, {threads} thread{'s' if threads > 1 else ''}"
        for row in made:
            if only in row.name:
                record(title, "GB/s", row.name, measure(row, library, onednn, threads))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=256)
    parser.add_argument("columns", nargs="?", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="rows whose name has this text")
    main(**vars(parser.parse_args()))
