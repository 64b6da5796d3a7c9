# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN's reorder, which quantizes and dequantizes: a function without arguments for each use, through the C interface.

The library is a package of its own (2 GB with what it needs), in a virtual environment beside the build. It finds a CPU through OpenCL only.
"""

import ctypes as c
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

PACKAGES = ("onednn==2026.1.0", "intel-opencl-rt")
TYPES = {
    "f16": 1, "bf16": 2, "f32": 3, "i32": 4, "i8": 5, "ui8": 6,
    "f8E5M2": 9, "f8E4M3FN": 10, "i4": 11, "ui4": 12, "f8E8M0FNU": 13, "f4E2M1FN": 14,
}  # fmt: skip
FROM, TO, SCALES, ZERO_POINTS = 1, 17, 4096, 8192
CPU, IN_ORDER = 1, 1
Dims = c.c_int64 * 12


class Argument(c.Structure):
    _fields_ = [("index", c.c_int), ("memory", c.c_void_p)]


def install(folder: Path) -> None:
    """Where it is missing."""
    if not (folder / "lib" / "libdnnl.so.3").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", *PACKAGES], check=True)


def environment(folder: Path) -> dict[str, str]:
    """What a process needs from its start to load the library."""
    path = os.pathsep.join(filter(None, [str(folder / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    return {"LD_LIBRARY_PATH": path, "OCL_ICD_FILENAMES": str(folder / "lib" / "libintelocl.so")}


class OneDNN:
    def __init__(self):
        self.library = c.CDLL("libdnnl.so.3")
        self.engine = self._make("engine_create", CPU, c.c_size_t(0))
        self.stream = self._make("stream_create", self.engine, IN_ORDER)

    def _call(self, name: str, *arguments) -> None:
        """Integers are passed as int."""
        given = (c.c_int(a) if isinstance(a, int) else a for a in arguments)
        status = getattr(self.library, f"dnnl_{name}")(*given)
        if status:
            raise NotImplementedError(f"dnnl_{name}: status {status}")

    def _make(self, name: str, *arguments) -> c.c_void_p:
        handle = c.c_void_p()
        self._call(name, c.byref(handle), *arguments)
        return handle

    def reorder(self, x, kinds, shape, y, scale, zero_point=None, axis=None, groups=None):
        """`y` from `x`, of `shape`, whose element types are `kinds`.

        scale, zero_point: of the side that has codes, one value, one along `axis`, or one for each of `groups` (rows, columns).
        Raises NotImplementedError where oneDNN has no such reorder.
        """
        attributes, tensors = self._make("primitive_attr_create"), []
        side = TO if kinds[0] in ("f32", "f16") else FROM
        for what, kind, values in (("scales", "f32", scale), ("zero_points", "i32", zero_point)):
            if values is None:
                continue
            mask, group = 0 if axis is None else 1 << axis, (0, None)
            if groups:
                mask, group = 3, (2, Dims(*groups))
            self._call(f"primitive_attr_set_{what}", attributes, side, mask, *group, TYPES[kind])
            index = side | (SCALES if what == "scales" else ZERO_POINTS)
            tensors.append((index, kind, values if groups else values.reshape(-1), None))
        tensors += [(FROM, kinds[0], x, shape), (TO, kinds[1], y, shape)]
        described, memories = {}, []
        for index, kind, values, dims in tensors:
            dims = dims or values.shape
            strides = [math.prod(dims[i + 1 :]) for i in range(len(dims))]
            described[index] = self._make(
                "memory_desc_create_with_strides", len(dims), Dims(*dims), TYPES[kind], Dims(*strides)
            )  # fmt: skip
            memory = self._make("memory_create", described[index], self.engine, c.c_void_p(values.ctypes.data))  # fmt: skip
            memories.append(Argument(index, memory.value))
        descriptor = self._make(
            "reorder_primitive_desc_create", described[FROM], self.engine, described[TO], self.engine, attributes
        )  # fmt: skip
        primitive = self._make("primitive_create", descriptor)
        given = (Argument * len(memories))(*memories)
        keep = [np.asarray(values) for _, _, values, _ in tensors]

        def run(keep=keep):
            self._call("primitive_execute", primitive, self.stream, len(given), given)
            self._call("stream_wait", self.stream)

        return run
