# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU seconds of runtime.compile, smallest: one function of 74 or 296 ops, and 16 functions, afresh and from the cache.

.venv/bin/python benchmarks/compile_time.py
"""

import os
import tempfile
import time

from mlir_qdq import runtime
from record import record

OPS, ROUNDS = 74, 5
ROUNDINGS = ("nearest-even", "floor", "ceil", "toward-zero", "nearest-away")


def quantize(k: int, x: str, size: str) -> str:
    """An op with a scale of its own."""
    rounding = ROUNDINGS[k % len(ROUNDINGS)]
    return f"""
      %s{k} = arith.constant {0.01 + 0.001 * k} : f32
      %q{k} = qdq.quantize {x} scale %s{k} zero_point %z semantics <rounding = {rounding}>
          : (tensor<{size}xf32>, f32, i8) -> tensor<{size}xi8>"""


def chain(count: int, size: str, name: str = "f") -> str:
    """Q/DQ pairs, each on the result of the one before."""
    lines, x = [], "%x"
    for k in range(count // 2):
        lines.append(quantize(k, x, size))
        x = f"%x{k}"
        lines.append(f"""
      {x} = qdq.dequantize %q{k} scale %s{k} zero_point %z
          : (tensor<{size}xi8>, f32, i8) -> tensor<{size}xf32>""")
    return f"""
    func.func @{name}(%x: tensor<{size}xf32>, %z: i8) -> tensor<{size}xf32> {{{"".join(lines)}
      return {x} : tensor<{size}xf32>
    }}"""


def fan(count: int, size: str, name: str = "f") -> str:
    """Ops that do not depend on each other."""
    lines = "".join(quantize(k, "%x", size) for k in range(count))
    values = ", ".join(f"%q{k}" for k in range(count))
    types = ", ".join([f"tensor<{size}xi8>"] * count)
    return f"""
    func.func @{name}(%x: tensor<{size}xf32>, %z: i8) -> ({types}) {{{lines}
      return {values} : {types}
    }}"""


def cases():
    for size, form in (("1024", "static"), ("?", "dynamic")):
        yield f"{OPS} ops, a chain, {form}", chain(OPS, size)
        yield f"{OPS} ops, independent, {form}", fan(OPS, size)
        yield f"{4 * OPS} ops, independent, {form}", fan(4 * OPS, size)
        several = "".join(fan(8, size, f"f{k}") for k in range(16))
        yield f"16 functions of 8 ops, {form}", several


def seconds(text: str) -> float:
    start = time.process_time()
    compiled = runtime.compile(text)
    end = time.process_time()
    del compiled
    return end - start


def main():
    for name, text in cases():
        times = {"afresh": [], "cached": []}
        for _ in range(ROUNDS):
            os.environ["MLIR_QDQ_CACHE"] = "off"
            times["afresh"].append(seconds(text))
            with tempfile.TemporaryDirectory() as folder:
                os.environ["MLIR_QDQ_CACHE"] = folder
                seconds(text)
                times["cached"].append(seconds(text))
        best = {way: min(t) for way, t in times.items()}
        record("runtime.compile", "s", name, best)


if __name__ == "__main__":
    main()
