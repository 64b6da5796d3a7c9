# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels on one and two threads beside plain C on one and two pthreads, interleaved in one process.

.venv/bin/python benchmarks/threads.py [threads]

Prints medians in GB/s, bytes read and written; for 8 elements, µs a call. The C code is built here, by `cc -O3
-march=native`. Its bits are compared with ours before anything is timed.
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

REPEATS = 21

C_SOURCE = r"""
#include <math.h>
#include <pthread.h>
#include <stdint.h>
typedef struct { const void *x; float s; void *y; long begin, end; } Part;
static void *dequantize(void *given) {
  Part p = *(Part *)given;
  const int8_t *x = p.x;
  float *restrict y = p.y;
  for (long i = p.begin; i < p.end; ++i) y[i] = (float)x[i] * p.s;
  return 0;
}
static void *quantize(void *given) {
  Part p = *(Part *)given;
  const float *x = p.x;
  int8_t *restrict y = p.y;
  for (long i = p.begin; i < p.end; ++i) {
    float v = rintf(x[i] / p.s);
    v = v > -128.f ? v : -128.f; /* NaN is the lowest code */
    v = v < 127.f ? v : 127.f;
    y[i] = (int8_t)(int32_t)v;
  }
  return 0;
}
static void *dequantize_i4(void *given) { /* bytes of two codes, a scale for 32 codes */
  Part p = *(Part *)given;
  const uint8_t *x = ((const void **)p.x)[0];
  const float *s = ((const void **)p.x)[1];
  float *restrict y = p.y;
  for (long block = p.begin / 16; block < p.end / 16; ++block)
    for (int i = 0; i < 16; ++i) {
      uint8_t byte = x[16 * block + i];
      y[32 * block + 2 * i] = (float)((int8_t)(byte << 4) >> 4) * s[block];
      y[32 * block + 2 * i + 1] = (float)((int8_t)byte >> 4) * s[block];
    }
  return 0;
}
/* Workers that wait at a barrier, so that no call pays for starting a thread. */
static pthread_barrier_t begin_barrier, end_barrier;
static void *(*job)(void *);
static Part parts[64];
static int workers = 1;
static void *work(void *part) {
  for (;;) {
    pthread_barrier_wait(&begin_barrier);
    job(part);
    pthread_barrier_wait(&end_barrier);
  }
}
void c_start(int threads) {
  pthread_t id;
  workers = threads;
  pthread_barrier_init(&begin_barrier, 0, threads);
  pthread_barrier_init(&end_barrier, 0, threads);
  for (int t = 1; t < threads; ++t) pthread_create(&id, 0, work, &parts[t]);
}
static void run(void *(*kernel)(void *), const void *x, float s, void *y, long n, int threads) {
  for (int t = 0; t < workers; ++t)
    parts[t] = t >= threads ? (Part){x, s, y, 0, 0} : (Part){x, s, y, n / 16 * t / threads * 16,
        t + 1 == threads ? n : n / 16 * (t + 1) / threads * 16};
  job = kernel;
  if (threads == 1) {
    kernel(&parts[0]);
    return;
  }
  pthread_barrier_wait(&begin_barrier);
  kernel(&parts[0]);
  pthread_barrier_wait(&end_barrier);
}
void c_dequantize(const void *x, const float *s, void *y, long n, int threads) { run(dequantize, x, *s, y, n, threads); }
void c_quantize(const void *x, const float *s, void *y, long n, int threads) { run(quantize, x, *s, y, n, threads); }
void c_dequantize_i4(const void *x, const float *s, void *y, long n, int threads) {
  const void *both[2] = {x, s};
  run(dequantize_i4, both, 0, y, n / 2, threads);
}
"""

MODEL = """
func.func @dequantize(%x: tensor<{0}xi8>, %s: f32) -> tensor<{0}xf32> {{
  %y = qdq.dequantize %x scale %s : (tensor<{0}xi8>, f32) -> tensor<{0}xf32>
  return %y : tensor<{0}xf32>
}}
func.func @quantize(%x: tensor<{0}xf32>, %s: f32) -> tensor<{0}xi8> {{
  %y = qdq.quantize %x scale %s : (tensor<{0}xf32>, f32) -> tensor<{0}xi8>
  return %y : tensor<{0}xi8>
}}
"""
BLOCKED = """
func.func @dequantize_i4(%x: tensor<{0}x{1}xi4>, %s: tensor<{0}x{2}xf32>) -> tensor<{0}x{1}xf32> {{
  %y = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<{0}x{1}xi4>, tensor<{0}x{2}xf32>) -> tensor<{0}x{1}xf32>
  return %y : tensor<{0}x{1}xf32>
}}
"""


def build_c(directory: Path) -> ctypes.CDLL:
    source, library = directory / "kernels.c", directory / "kernels.so"
    source.write_text(C_SOURCE)
    options = ["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC"]
    command = ["cc", *options, "-pthread", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def median_times(ways: dict) -> dict:
    """Interleaved, so that what else the machine does strikes all alike."""
    times = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, call in ways.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in times.items()}


def cases(rows: int, columns: int):
    random = np.random.default_rng(0)
    count = rows * columns
    q = random.integers(-128, 127, count, np.int8, endpoint=True)
    x = (random.standard_normal(count) * 40).astype(np.float32)
    scale = np.float32(0.7)
    flat = MODEL.format(count)
    if count <= 8:
        dynamic = MODEL.format("?")
        yield (
            "dequantize i8, dynamic",
            "dequantize",
            dynamic,
            (q, scale),
            np.empty(count, np.float32),
        )
    yield "dequantize i8", "dequantize", flat, (q, scale), np.empty(count, np.float32)
    yield "quantize i8", "quantize", flat, (x, scale), np.empty(count, np.int8)
    if columns % 32 == 0:
        packed = random.integers(0, 255, count // 2, np.uint8, endpoint=True)
        scales = random.uniform(0.1, 1, (rows, columns // 32)).astype(np.float32)
        blocked = BLOCKED.format(rows, columns, columns // 32)
        out = np.empty((rows, columns), np.float32)
        yield "dequantize i4, block 32", "dequantize_i4", blocked, (packed, scales), out


def pointer(array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def measure(library, rows: int, columns: int, threads: int) -> None:
    for title, name, text, arguments, out in cases(rows, columns):
        kernel = library["c_" + name]
        kept = [np.ascontiguousarray(argument) for argument in arguments]
        reference = np.empty_like(out)

        def c_way(number, destination=reference):
            kernel(*map(pointer, (*kept, destination)), ctypes.c_long(out.size), number)

        ways = {f"C {n}": lambda n=n: c_way(n) for n in (1, threads)}
        for number in (1, threads):
            function = runtime.compile(text, threads=number)[name]
            ways[f"ours {number}"] = lambda f=function: f(*arguments, out=out)
        c_way(threads)
        for number in (1, threads):
            out.fill(0)
            ways[f"ours {number}"]()
            assert out.tobytes() == reference.tobytes(), (title, number)
        medians = median_times(ways)
        count = sum(array.nbytes for array in kept) + out.nbytes
        if out.size <= 8:
            record(
                "calls that one thread makes",
                "µs",
                title,
                {way: 1e6 * t for way, t in medians.items()},
            )
            continue
        rates = {way: count / t / 1e9 for way, t in medians.items()}
        rates["ratio"] = medians[f"C {threads}"] / medians[f"ours {threads}"]
        record(f"{rows} x {columns}, {threads} threads", "GB/s", title, rates)


def main(threads: int = 2) -> None:
    with tempfile.TemporaryDirectory() as directory:
        library = build_c(Path(directory))
        library.c_start(threads)
        for rows, columns in ((1, 8), (256, 1024), (1024, 1024), (4096, 4096)):
            measure(library, rows, columns, threads)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
