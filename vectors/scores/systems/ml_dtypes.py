# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ml_dtypes: astype between NumPy's types and its own."""

import ml_dtypes
import numpy as np
from scoring import cast, through_dtypes, versions

PACKAGES = ("ml_dtypes", "numpy")
SOURCES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
STORAGES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "ui2": ml_dtypes.uint2,
    "ui4": ml_dtypes.uint4,
}


def version():
    return versions("ml_dtypes")


def bits(array):
    return array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "V" else array


def convert(x, source, to):
    return x.view(source).astype(to).view(f"u{np.dtype(to).itemsize}")


def operations():
    yield from through_dtypes(convert, STORAGES, SOURCES)
    for source in ("f32", "f64"):
        yield cast(source, "bf16", lambda x: x.astype(ml_dtypes.bfloat16).view(np.uint16))
    for to, dtype in STORAGES.items():
        if to.startswith("f"):
            yield cast("f64", to, lambda x, dtype=dtype: x.astype(dtype).view(np.uint8))
