# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TVM: casts of a tensor expression, compiled by LLVM for the CPU."""

import ml_dtypes
import numpy as np
import tvm
from scoring import through_dtypes, versions
from tvm import te

PACKAGES = ("apache-tvm", "ml_dtypes", "numpy")
SOURCES = {"f32": "float32", "f16": "float16"}
STORAGES = {
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3": "float8_e4m3",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E3M4": "float8_e3m4",
    "f8E8M0FNU": "float8_e8m0fnu",
    "i8": "int8",
    "ui8": "uint8",
}


def version():
    return versions("apache-tvm")


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def convert(x, source, to):
    count = len(x)
    a = te.placeholder((count,), dtype=source, name="a")
    b = te.compute((count,), lambda i: a[i].astype(to), name="b")
    module = tvm.compile(tvm.IRModule({"main": te.create_prim_func([a, b])}), target="llvm")
    values = tvm.runtime.tensor(x.view(dtype_of(source)))
    out = tvm.runtime.empty((count,), to)
    module["main"](values, out)
    y = out.numpy()
    return y.view(f"u{y.dtype.itemsize}")


def operations():
    yield from through_dtypes(convert, STORAGES, SOURCES)
