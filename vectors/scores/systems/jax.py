# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX on the CPU: astype, compiled by XLA."""

import jax
import jax.numpy as jnp
import numpy as np
from scoring import through_dtypes, versions

from .ml_dtypes import SOURCES, STORAGES

PACKAGES = ("jax", "ml_dtypes", "numpy")


def version():
    return versions("jax", "jaxlib")


def convert(x, source, to):
    compiled = jax.jit(lambda values: values.astype(to))
    return np.asarray(compiled(jnp.asarray(x.view(source)))).view(f"u{np.dtype(to).itemsize}")


def operations():
    integers = {"i8": np.int8, "ui8": np.uint8}
    yield from through_dtypes(convert, STORAGES | integers, SOURCES)
