# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads: the bits of the reference for every number of them, and none for little work."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from kernels import Kernel, check

from mlir_qdq import runtime
from mlir_qdq.runtime import _libraries

#: More than two parts, and nothing that divides: the last part is short, and ends inside of a byte.
ROWS, COLUMNS = 523, 1031
LONG = (ROWS * COLUMNS,)
STOCHASTIC = {"rounding": "stochastic"}


def kernels(dynamic: bool) -> list[Kernel]:
    common = dict(value="f32", scale="f32", dynamic=dynamic)
    return [
        Kernel("dequantize", "i8", shape=LONG, **common),
        Kernel("quantize", "ui8", shape=(ROWS, COLUMNS), axis=1, zero_point="ui8", **common),
        Kernel("quantize", "i4", shape=(ROWS, COLUMNS), axis=0, **common),
        Kernel("quantize", "ui2", shape=LONG, **common),
        Kernel("quantize", "f6E3M2FN", shape=LONG, **common),
        Kernel("quantize", "i4", shape=LONG, semantics=STOCHASTIC, **common),
        Kernel("quantize", "i8", shape=(3, 7, 25999), semantics=STOCHASTIC, **common),
        Kernel("dequantize", "ui4", shape=(ROWS, 1024), block_shape=(1, 32), zero_point="ui4", **common),
        Kernel("dequantize", "i4", shape=(2, 300001), block_shape=(1, 100), **common),
    ]  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("dynamic", [False, True])
def test_bits_do_not_depend_on_threads(threads, dynamic):
    check(kernels(dynamic), threads=threads)


def test_options_beside_threads():
    check(kernels(False)[:3], threads=2, target="linalg")


MODEL = """
func.func @fixed(%x: tensor<8xf32>, %s: f32) -> tensor<8xi8> {
  %q = qdq.quantize %x scale %s : (tensor<8xf32>, f32) -> tensor<8xi8>
  return %q : tensor<8xi8>
}
func.func @any(%x: tensor<?xf32>, %s: f32) -> tensor<?xi8> {
  %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>
  return %q : tensor<?xi8>
}
func.func @loop(%x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %e = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  return %sum : f32
}
func.func @sum(%x: tensor<?xf32>) -> f32 {
  %m = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %sum = func.call @loop(%m) : (memref<?xf32>) -> f32
  return %sum : f32
}
"""

COUNT_THREADS = f"""
import os, sys
import numpy as np
from mlir_qdq import runtime
compiled = runtime.compile({MODEL!r}, threads=2)
def threads_of(call):
    before = len(os.listdir("/proc/self/task"))
    call()
    return len(os.listdir("/proc/self/task")) - before
scale = np.float32(0.5)
print(threads_of(lambda: compiled.fixed(np.zeros(8, np.float32), scale)))
print(threads_of(lambda: compiled.any(np.zeros(0, np.float32), scale)))
print(threads_of(lambda: compiled.any(np.zeros(200_000, np.float32), scale)))
print(threads_of(lambda: compiled.any(np.zeros(1_000_000, np.float32), scale)) > 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts the tasks of /proc")
def test_small_work_starts_no_thread():
    done = subprocess.run([sys.executable, "-c", COUNT_THREADS], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "0", "0", "True"], done.stderr


def test_order_of_reductions_is_kept():
    x = np.random.default_rng(1).standard_normal(300_001).astype(np.float32)
    expected = np.add.accumulate(x)[-1]
    assert runtime.compile(MODEL, threads=8).sum(x) == expected


def test_all_processors():
    check(kernels(False)[:2], threads=0)


def test_no_runtime(monkeypatch):
    monkeypatch.setattr(_libraries, "_openmp_candidates", lambda *_: ["libmissing.so"])
    with pytest.raises(RuntimeError, match="threads=2 needs the OpenMP runtime of LLVM or Intel"):
        runtime.compile(MODEL, threads=2)
    runtime.compile(MODEL, threads=1)


def test_not_a_number_of_threads():
    for value in (-1, "many"):
        with pytest.raises(ValueError, match="options of compile"):
            runtime.compile(MODEL, threads=value)


def test_libraries_are_those_of_this_mlir(tmp_path):
    """Debian installs several versions side by side, under names with the version alone."""
    names = ("libMLIR.so.23.1", "libmlir_float16_utils.so.23.1", "libmlir_float16_utils.so.22.1")
    for name in (*names, "libmlir_runner_utils.so"):
        (tmp_path / name).touch()
    found = _libraries.shared_libraries(1, [tmp_path / names[0]])
    assert [Path(path).name for path in found] == ["libmlir_runner_utils.so", names[1]]
    assert _libraries.shared_libraries(1, []) == []
