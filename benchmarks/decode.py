# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decode step of a Llama-shaped GGUF file as one program, beside llama.cpp, interleaved in one process.

.venv/bin/python benchmarks/decode.py [--shape 135M] [--types Q4_0 ...] [--caches f16 i8] [--threads 1 2] [--past 64]

Random weights: the values change no time. Prints tokens/s, of the CPU time of one thread or the wall time of several;
GB/s of weights, beside a loop that only reads them; MB of memory beside the mapped file; and the largest error of three
tokens' logits against f64 on the same dequantized weights, over the largest logit. llama.cpp is built where it is missing.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from mlir import ir

import llama_peer
import mlir_qdq
from measure import sample, smallest
from mlir_qdq import runtime
from record import record

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "python"))
from llama_model import SHAPES, Reference, write  # noqa: E402
from llama_program import decode_step, new_cache  # noqa: E402

TYPES = ["Q4_0", "Q4_K", "Q8_0", "MXFP4", "NVFP4"]
FOLDER = Path("build/bench")
TOKENS = [3, 1, 4]


def own_memory() -> float:
    """MB of the process that no file backs."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["RssAnon"].split()[0]) / 1e3


#: x in block floating point, and in the codes of 8 bits that llama.cpp multiplies.
WAYS = {"ours": {"block_floating_point": True}, "x in Q8_0": {"activations": "q8-0"}}


class Ours:
    """Decodes a token at a position. Compiled code is not taken from a cache."""

    def __init__(self, path: Path, shape, cache: str, threads: int, options: dict):
        os.environ["MLIR_QDQ_CACHE"] = "off"
        with ir.Context() as context:
            mlir_qdq.register(context)
            module = decode_step(path, shape, cache)
            start = time.process_time()
            self.run = runtime.compile(module, sum_order="any", threads=threads, **options).step
            self.compiling = time.process_time() - start
        self.cache = new_cache(shape, cache)
        self.result = np.empty(shape.vocabulary, np.float32)

    def step(self, token: int, position: int) -> None:
        self.run(token, position, *self.cache, out=self.result)

    def logits(self) -> np.ndarray:
        return self.result.copy()

    def close(self) -> None:
        pass


def reader(path: Path, threads: int):
    """A function that reads the file once."""
    parts = np.array_split(np.memmap(path, np.int64, "r", shape=path.stat().st_size // 8), threads)
    if threads == 1:
        return lambda: np.bitwise_or.reduce(parts[0])
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(np.bitwise_or.reduce, parts))


def peer(path: Path, shape, cache: str, threads: int):
    """llama.cpp, or nothing and why."""
    try:
        library, _ = llama_peer.load(FOLDER / "llama.cpp")
        return llama_peer.Decoder(library, path, shape.vocabulary, shape.context, cache, threads)
    except (ImportError, StopIteration, ValueError) as error:
        print(f"  without llama.cpp: {error}")


def errors(decoders: dict, references: list[np.ndarray]) -> dict[str, float]:
    largest = {name: 0.0 for name in decoders}
    for position, (token, exact) in enumerate(zip(TOKENS, references)):
        for name, decoder in decoders.items():
            decoder.step(token, position)
            error = np.abs(decoder.logits() - exact).max() / np.abs(exact).max()
            largest[name] = max(largest[name], error)
    return largest


def measure(path: Path, shape, type: str, cache: str, threads: int, past: int, exact) -> dict:
    """A row of each table."""
    decoders, memory, before = {}, {}, own_memory()
    makers = {way: partial(Ours, options=options) for way, options in WAYS.items()}
    for way, make in (makers | {"llama.cpp": peer}).items():
        decoder = make(path, shape, cache, threads)
        if decoder is not None:
            decoders[way] = decoder
            decoder.step(0, 0)
            memory[way], before = own_memory() - before, own_memory()
    error = errors(decoders, exact)
    for position in range(past):
        for decoder in decoders.values():
            decoder.step(position, position)
    ways = {way: lambda d=d: d.step(1, past) for way, d in decoders.items()}
    clock = time.process_time if threads == 1 else time.perf_counter
    times = smallest(sample(ways | {"reading": reader(path, threads)}, clock))
    size = path.stat().st_size
    speed = {way: 1 / times[way] for way in decoders}
    if "llama.cpp" in decoders:
        for way in WAYS:
            speed[f"ratio, {way}"] = times["llama.cpp"] / times[way]
    name = f"{type}, {cache} cache, {threads} thread{'s' * (threads > 1)}"
    compiled = f"{name}, compiled in {decoders['ours'].compiling:.1f} s"
    for decoder in decoders.values():
        decoder.close()
    return {
        ("speed", "tokens/s"): (compiled, speed),
        ("weights read", "GB/s"): (name, {way: size / t / 1e9 for way, t in times.items()}),
        ("memory beside the file", "MB"): (name, memory),
        ("largest error over the largest logit", "1"): (name, error),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="135M", help="1B takes some minutes")
    parser.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    parser.add_argument("--caches", nargs="+", choices=["f16", "i8"], default=["f16", "i8"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--past", type=int, default=64, help="tokens in the cache")
    given = parser.parse_args()
    if not 0 <= given.past < SHAPES[given.shape].context:
        parser.error(f"--past {given.past}: the cache holds {SHAPES[given.shape].context} tokens")
    folder = FOLDER / "decode"
    folder.mkdir(parents=True, exist_ok=True)
    tables = {}
    try:
        llama_peer.install(FOLDER / "llama.cpp")
    except (OSError, subprocess.CalledProcessError) as reason:
        print(f"decode: without llama.cpp: {reason}", file=sys.stderr)
    for kind in given.types:
        file = folder / f"{given.shape}-{kind}.gguf"
        if not file.exists():
            partial = file.with_suffix(".partial")
            write(partial, SHAPES[given.shape], kind)
            partial.rename(file)
        for stored in given.caches:
            reference = Reference(file, SHAPES[given.shape], stored)
            logits = [reference.step(token) for token in TOKENS]
            for count in given.threads:
                shape = SHAPES[given.shape]
                rows = measure(file, shape, kind, stored, count, given.past, logits)
                for table, row in rows.items():
                    tables.setdefault(table, []).append(row)
    for (title, unit), rows in tables.items():
        for row in rows:
            record(f"decode, {given.shape}, {given.past} tokens before: {title}", unit, *row)
