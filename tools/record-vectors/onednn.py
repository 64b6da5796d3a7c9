# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records oneDNN Graph's Quantize, Dequantize and their dynamic forms on CPU, for the profile `onednn`.

pip install onednn==2026.1.0 onednn-devel==2026.1.0 intel-opencl-rt numpy   (in a virtual environment; needs g++)
python tools/record-vectors/onednn.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from vectors import Recording, dequantize_rows, quantize_rows

PREFIX = Path(sys.prefix)
SOURCE = Path(__file__).with_name("onednn_graph.cpp")
# The wheel's library finds a CPU through OpenCL only.
ENVIRONMENT = os.environ | {
    "LD_LIBRARY_PATH": str(PREFIX / "lib"),
    "OCL_ICD_FILENAMES": str(PREFIX / "lib" / "libintelocl.so"),
}


def build(folder: str) -> Path:
    program = Path(folder) / "onednn_graph"
    command = ["g++", "-std=c++17", f"-I{PREFIX}/include", SOURCE, f"{PREFIX}/lib/libdnnl.so.3"]
    subprocess.run([*command, "-Wl,--allow-shlib-undefined", "-o", program], check=True)
    return program


def run(program, operation, storage, x, scale, zero_point):
    """One call a row."""
    dtype = (
        {"i8": np.int8, "ui8": np.uint8}[storage] if operation.endswith("Quantize") else np.float32
    )
    results = []
    for row, s, z in zip(x, scale, zero_point):
        arguments = [
            operation,
            storage.replace("ui", "u").replace("i", "s"),
            row.size,
            float(s),
            int(z),
        ]
        output = subprocess.run(
            [str(part) for part in (program, *arguments)], input=row.tobytes(), env=ENVIRONMENT, check=True, capture_output=True
        ).stdout  # fmt: skip
        results.append(np.frombuffer(output, dtype))
    return np.stack(results)


def main():
    recording = Recording("onednn", "onednn.py", ("onednn",))
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for storage in ("i8", "ui8"):
            for form in ("", "Dynamic"):
                x, s, z = quantize_rows(storage)
                q = run(program, f"{form}Quantize", storage, x, s, z)
                recording.add(
                    f"{form.lower()}quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
                    agrees="everywhere", how=f"{form}Quantize, per tensor, one call a row",
                )  # fmt: skip
                q, s, z = dequantize_rows(storage)
                y = run(program, f"{form}Dequantize", storage, q, s, z)
                recording.add(
                    f"{form.lower()}dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
                    agrees="everywhere", how=f"{form}Dequantize, per tensor, one call a row",
                )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
