# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy: astype to float16, and between floats and integers of 8 bits; C leaves values beyond them open."""

import numpy as np
from scoring import cast, versions

PACKAGES = ("numpy",)
SOURCES = {"f32": np.float32, "f16": np.float16}
STORAGES = {"i8": np.int8, "ui8": np.uint8}


def version():
    return versions("numpy")


def operations():
    for source, a in SOURCES.items():
        for to, b in STORAGES.items():
            yield cast(source, to, lambda x, b=b: x.astype(b))
            yield cast(to, source, lambda x, a=a, b=b: x.view(b).astype(a))
    for source in ("f32", "f64"):
        yield cast(source, "f16", lambda x: x.astype(np.float16))
