# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU seconds of quant-opt, smallest, beside upstream's lower-quant-ops, which neither rounds nor clamps.

.venv/bin/python benchmarks/lower_quant.py [OPS]
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mlir import ir
from record import record

QUANT_OPT = Path(__file__).parent.parent / "build/bin/quant-opt"
ROUNDS = 3
REALS = "tensor<16x16xf32>"
WAYS = {
    "lower-quant": "lower-quant",
    "lower-quant-ops": "func.func(lower-quant-ops)",
    # As far as lower-quant goes: generics, and no quantized type left.
    "to linalg": "func.func(lower-quant-ops,strip-func-quant-types,convert-elementwise-to-linalg,linalg-fuse-elementwise-ops)",
}


def codes(k: int) -> str:
    """The type of the codes of op k."""
    return f"tensor<16x16x!quant.uniform<i8:f32, {0.01 + k * 1e-6:.7f}:3>>"


def function(
    name: str, arguments: list[str], body: list[str], results: list[tuple[str, str]]
) -> str:
    values, types = zip(*results, strict=True)
    lines = "".join(
        f"\n  {line}" for line in [*body, f"return {', '.join(values)} : {', '.join(types)}"]
    )
    return f"func.func @{name}({', '.join(arguments)}) -> ({', '.join(types)}) {{{lines}\n}}\n"


def cast(k: int, source: str, to: str) -> str:
    return f"%q{k} = quant.qcast {source} : {REALS} to {to}"


def functions(count: int) -> str:
    """A cast in each function."""
    return "".join(
        function(f"f{k}", [f"%x: {REALS}"], [cast(k, "%x", codes(k))], [(f"%q{k}", codes(k))])
        for k in range(count)
    )


def one_tensor(count: int) -> str:
    """Casts of one tensor."""
    body = [cast(k, "%x", codes(k)) for k in range(count)]
    return function("f", [f"%x: {REALS}"], body, [(f"%q{k}", codes(k)) for k in range(count)])


def tensors(count: int) -> str:
    """Casts of a tensor each, of one scale."""
    body = [cast(k, f"%x{k}", codes(0)) for k in range(count)]
    arguments = [f"%x{k}: {REALS}" for k in range(count)]
    return function("f", arguments, body, [(f"%q{k}", codes(0)) for k in range(count)])


def chain(count: int) -> str:
    """Pairs of casts, each of the result of the one before."""
    body = []
    for k in range(count // 2):
        body.append(cast(k, f"%x{k}", codes(k)))
        body.append(f"%x{k + 1} = quant.dcast %q{k} : {codes(k)} to {REALS}")
    return function("f", [f"%x0: {REALS}"], body, [(f"%x{count // 2}", REALS)])


def dynamic_chain(count: int) -> str:
    """Pairs of casts of dynamic tensors, each of the result of the one before."""
    return chain(count).replace("<16x16x", "<?x16x")


def channels(count: int) -> str:
    """Casts with 256 scales, in a function each."""
    texts, reals = [], "tensor<256x16xf32>"
    for k in range(count // 50):
        scales = ", ".join(f"{0.01 + (k * 256 + c) * 1e-7:.8f}:{c % 5}" for c in range(256))
        to = f"tensor<256x16x!quant.uniform<i8:f32:0, {{{scales}}}>>"
        body = [f"%q = quant.qcast %x : {reals} to {to}"]
        texts.append(function(f"f{k}", [f"%x: {reals}"], body, [("%q", to)]))
    return "".join(texts)


def command(passes: str, path: Path) -> list[str]:
    return [str(QUANT_OPT), str(path), f"--pass-pipeline=builtin.module({passes})", "-mlir-disable-threading"]  # fmt: skip


def seconds(passes: str, path: Path) -> float:
    """CPU seconds of a process, with reading, printing and verifying."""
    process = subprocess.Popen([*command(passes, path), "-o", os.devnull])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{passes} fails on {path}")
    return usage.ru_utime + usage.ru_stime


def seconds_of_passes(passes: str, path: Path) -> float:
    """Seconds between reading and printing."""
    timing = [*command(passes, path), "-o", os.devnull, "-mlir-timing"]
    report = subprocess.run(timing, check=True, capture_output=True, text=True).stderr
    row = r"(?m)^ *([0-9.]+) .*  (Parser|Output|Total)$"
    of = {name: float(figure) for figure, name in re.findall(row, report)}
    return of["Total"] - of["Parser"] - of["Output"]


def least_seconds(lowered: str) -> float:
    """Seconds to make the ops of `lowered` and verify them, once each, as all lowerings to them must."""
    with ir.Context():
        module = ir.Module.parse(lowered)
        start = time.process_time()
        copy = module.operation.clone()
        copy.verify()
        return time.process_time() - start


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    title = f"quant-opt on {count} casts (channels: a fiftieth)"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "casts.mlir"
        for shape in (functions, one_tensor, tensors, chain, dynamic_chain, channels):
            path.write_text(shape(count))
            lowered = subprocess.run(command("lower-quant", path), check=True, capture_output=True, text=True).stdout  # fmt: skip
            processes, passes = [], []
            for _ in range(ROUNDS):
                processes.append({way: seconds(p, path) for way, p in {"read and print": "", **WAYS}.items()})  # fmt: skip
                passes.append({way: seconds_of_passes(p, path) for way, p in WAYS.items()})
                passes[-1]["least"] = least_seconds(lowered)
            for name, rounds in (("", processes), (": passes", passes)):
                best = {way: min(times[way] for times in rounds) for way in rounds[0]}
                record(title, "s", shape.__doc__.rstrip(".") + name, best)


if __name__ == "__main__":
    main()
