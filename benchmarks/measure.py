# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interleaved timing, and arrays as measurements want them."""

import random
import time

from pathlib import Path

import numpy as np

#: A sample is as many calls as take so long; a way is sampled until it has taken so long.
SAMPLE_SECONDS, WAY_SECONDS, MOST_SAMPLES, LEAST_SAMPLES = 0.0005, 0.2, 200, 2


def aligned(shape, dtype=np.uint8) -> np.ndarray:
    """Zeros that begin with a cache line, in pages of their own."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    memory[:] = 0  # touches every page
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def aligned_copy(array: np.ndarray) -> np.ndarray:
    array = np.asarray(array)
    result = aligned(array.shape, array.dtype)
    result[...] = array
    return result


def sample(ways: dict, clock=time.process_time) -> dict[str, list[float]]:
    """Seconds a call, of samples that take turns, so that what else the machine does strikes all alike.

    Their order changes: what one has left in the caches, or has driven out of them, is not always the same one's to bear.

    clock: `time.process_time` is the CPU time of all threads, `time.perf_counter` that of the wall.
    """
    counts, times = {}, {way: [] for way in ways}
    for way, call in ways.items():
        start = time.perf_counter()
        call()
        counts[way] = max(1, int(SAMPLE_SECONDS / (time.perf_counter() - start)))
    turns, order = list(ways.items()), random.Random(0)
    for _ in range(MOST_SAMPLES):
        order.shuffle(turns)
        for way, call in turns:
            taken = times[way]
            if len(taken) >= LEAST_SAMPLES and sum(taken) * counts[way] > WAY_SECONDS:
                continue
            repeat = range(counts[way])
            if counts[way] > 1:
                call()  # what the one before has left in the caches is no matter
            start = clock()
            for _ in repeat:
                call()
            taken.append((clock() - start) / counts[way])
    return times


def smallest(times: dict[str, list[float]]) -> dict[str, float]:
    return {way: min(values) for way, values in times.items()}


def compare_codes(ours: np.ndarray, theirs: np.ndarray, exact: np.ndarray | None = None) -> str:
    """Fails if two results differ, or ours are not `exact`. Without dot products of bytes, ONNX Runtime's kernels saturate: then says how many differ."""
    if exact is not None:
        np.testing.assert_array_equal(ours, exact)
    cpu = Path("/proc/cpuinfo")
    if not cpu.exists() or not {"avx512_vnni", "avx_vnni"} & set(cpu.read_text().split()):
        share = np.mean(ours != theirs)
        return f", {share:.1%} saturated by ONNX Runtime" if share else ""
    np.testing.assert_array_equal(ours, theirs)
    return ""
