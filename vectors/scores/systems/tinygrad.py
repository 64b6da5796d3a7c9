# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tinygrad: Tensor.cast on its Python device."""

import os

os.environ["DEV"] = os.environ["PYTHON"] = "1"
os.environ["DEV"] = "PYTHON"

from scoring import through_dtypes, versions  # noqa: E402
from tinygrad import Tensor, dtypes  # noqa: E402

PACKAGES = ("tinygrad", "numpy")
SOURCES = {"f32": dtypes.float32, "f16": dtypes.float16, "bf16": dtypes.bfloat16}
STORAGES = {
    "f8E4M3FN": dtypes.fp8e4m3,
    "f8E5M2": dtypes.fp8e5m2,
    "f8E4M3FNUZ": getattr(dtypes, "fp8e4m3fnuz", None),
    "f8E5M2FNUZ": getattr(dtypes, "fp8e5m2fnuz", None),
    "i8": dtypes.int8,
    "ui8": dtypes.uint8,
}
BITS = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32}


def version():
    return versions("tinygrad")


def convert(x, source, to):
    bits = x.view(f"u{x.dtype.itemsize}")
    tensor = Tensor(bits, device="PYTHON").bitcast(source)
    return tensor.cast(to).bitcast(BITS[to.itemsize]).numpy()


def operations():
    known = {name: dtype for name, dtype in STORAGES.items() if dtype is not None}
    yield from through_dtypes(convert, known, SOURCES)
