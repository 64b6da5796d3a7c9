# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ headers out of a wheel, compiled for this machine into functions of arrays."""

import ctypes
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

DTYPES = {"f32": np.float32, "f16": np.uint16, "bf16": np.uint16}


def include_of(folder: str) -> str:
    return str(Path(sysconfig.get_path("purelib")) / folder)


def build(text: str, includes=(), *options: str, returns_error=False):
    """From a name, and the types of its arrays, to a function of an array."""
    compiler = os.environ.get("CXX") or next(
        filter(None, map(shutil.which, ("clang++-22", "clang++", "g++")))
    )
    folder = Path(tempfile.mkdtemp())
    (folder / "host.cpp").write_text(text)
    paths = [f"-I{path}" for path in includes]
    command = [
        compiler,
        "-std=c++17",
        "-O1",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
        "-w",
        *paths,
    ]
    subprocess.run([*command, "-o", folder / "host.so", folder / "host.cpp", *options], check=True)
    library = ctypes.CDLL(folder / "host.so")

    def function(name: str, source: str, to: str):
        call = getattr(library, name)
        call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]

        def convert(x: np.ndarray) -> np.ndarray:
            x = np.ascontiguousarray(x)
            y = np.empty(len(x), DTYPES.get(to, np.uint8))
            code = call(x.ctypes.data, y.ctypes.data, len(x))
            if returns_error and code:
                raise NotImplementedError(f"{name} fails with {code}")
            return y.view(np.uint32) if to == "f32" else y

        return convert

    return function
