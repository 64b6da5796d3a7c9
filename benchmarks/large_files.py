# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU seconds and memory of large files, and how they grow: ten times the ops, functions or bytes.

.venv/bin/python benchmarks/large_files.py [SHARE]

SHARE: of the sizes, by default 1: 10^6 ops in one function, 10,000 functions of 100 ops, and an
initializer of 2 GiB (which needs no room on the disk). All take ten minutes and 5 GB of memory.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from record import record

QUANT_OPT = Path(__file__).parent.parent / "build/bin/quant-opt"
REALS = "tensor<16xf32>"
CODES = "tensor<16x!quant.uniform<i8:f32, 0.5:3>>"

# Steps of a model whose one initializer is large. The anonymous memory is sampled, because pages of
# the mapped file are no copies.
INITIALIZER = r"""
import os, resource, sys, threading, time
import onnx
from mlir_qdq import passes, runtime
from mlir_qdq.importers.onnx import import_model

folder, size = sys.argv[1], int(sys.argv[2])
with open(f"{folder}/weight", "wb") as file:
    file.truncate(size)  # zeros, and no room on the disk
    file.write(b"\1")  # no splat
weight = onnx.TensorProto(name="w", data_type=onnx.TensorProto.INT8, dims=[size],
                          data_location=onnx.TensorProto.EXTERNAL)
weight.external_data.add(key="location", value="weight")
scale = onnx.helper.make_tensor("s", onnx.TensorProto.FLOAT, [], [0.5])
graph = onnx.helper.make_graph(
    [onnx.helper.make_node("DequantizeLinear", ["w", "s"], ["y"])], "g", [],
    [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [size])], [weight, scale])
model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)])
onnx.save(model, f"{folder}/model.onnx")

peak = 0
def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
def sample():
    global peak
    while True:
        peak = max(peak, anonymous())
        time.sleep(0.002)
before, start = anonymous(), time.process_time()
threading.Thread(target=sample, daemon=True).start()
module = import_model(f"{folder}/model.onnx")
compiled = runtime.compile(module)
print(time.process_time() - start, max(peak, anonymous()) - before)
"""


def body(ops: int) -> tuple[str, str]:
    """Pairs of casts in a chain, and the name of the last result."""
    lines, x = [], "%x"
    for k in range(ops // 2):
        lines.append(f"%q{k} = quant.qcast {x} : {REALS} to {CODES}\n")
        x = f"%d{k}"
        lines.append(f"{x} = quant.dcast %q{k} : {CODES} to {REALS}\n")
    return "".join(lines), x


def write(path: Path, functions: int, ops: int) -> None:
    text, result = body(ops)
    with path.open("w") as file:
        for k in range(functions):
            file.write(f"func.func @f{k}(%x: {REALS}) -> {REALS} {{\n{text}")
            file.write(f"return {result} : {REALS}\n}}\n")


def lower(path: Path) -> tuple[float, float]:
    """CPU seconds, and MB at the peak."""
    command = [QUANT_OPT, "--lower-quant", path, "-o", os.devnull]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"large_files: {path.name}: quant-opt ends with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def initializer(folder: str, size: int) -> tuple[float, float]:
    command = [sys.executable, "-c", INITIALIZER, folder, str(size)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, memory = map(float, text.split())
    return seconds, memory


def both(title: str, name: str, small: tuple[float, float], large: tuple[float, float]) -> None:
    values = {"tenth, s": small[0], "s": large[0], "tenth, MB": small[1], "MB": large[1]}
    record(title, "CPU seconds and MB", name, values)


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.mlir"
        for name, functions, ops in (
            ("ops in one function", 1, int(1e6 * share)),
            ("functions of 100 ops", int(1e4 * share), 100),
        ):
            figures = []
            for part in (10, 1):
                small = (functions, ops // part) if functions == 1 else (functions // part, ops)
                write(path, *small)
                figures.append(lower(path))
            both("quant-opt --lower-quant", f"{max(functions, ops)} {name}", *figures)
        size = int(share * 2**31)
        both(
            "import_model and runtime.compile, memory beside the mapped file",
            f"initializer of {size / 2**20:.0f} MiB",
            initializer(folder, size // 10),
            initializer(folder, size),
        )


if __name__ == "__main__":
    main()
