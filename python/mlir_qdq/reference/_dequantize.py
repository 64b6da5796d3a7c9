# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dequantize: storage codes to reals, step by step as in docs/Semantics.md."""

from __future__ import annotations

import numpy as np

from . import arithmetic
from .granularity import Granularity
from .operands import check_domain, exact, is_integer_zero_point, scale_operand, zero_point_operand
from .rounding import cast
from .semantics import dequantize_compute_type, resolve
from .types import IntegerType, expressed_or_none, expressed_type, is_integer, storage_type


def dequantize(
    q,
    scale,
    zero_point=None,
    *,
    storage=None,
    expressed=np.float32,
    axis=None,
    block_shape=None,
    semantics=None,
    zero_point_domain="stored",
    profile=None,
):
    """Reals that the codes `q` stand for, as `expressed` (f16, bf16, f32 or f64).

    storage: by default what the dtype of `q` says; to be given where that says too little (a
        3-bit code in an int8), and then every code must fit it.
    The other arguments are those of `quantize`; a plain Python float as scale takes the
    type `expressed`. With `zero_point_domain="expressed"` the zero point is a bias that is added.
    """
    q = np.asarray(q)
    storage = storage_type(q.dtype if storage is None else storage)
    _check_codes(q, storage)
    check_domain(zero_point_domain)
    result = expressed_type(expressed)

    granularity = Granularity.of(q.shape, axis, block_shape)
    scale = scale_operand(scale, result, granularity)
    z = zero_point_operand(zero_point, scale, granularity)
    resolved, _, compute_rule = resolve(semantics, profile)
    compute = dequantize_compute_type(compute_rule, expressed_or_none(scale.dtype), result)

    with np.errstate(all="ignore"):
        bias = None
        if z is not None and zero_point_domain == "expressed":
            z, bias = None, cast(exact(z), compute)

        # Step 1, in the type `real` where it is one of floats.
        real = result if resolved.subtract == "output" else compute
        if z is None:
            d = cast(exact(q), real)
        elif (
            isinstance(storage, IntegerType)
            and is_integer_zero_point(z)
            and resolved.subtract in ("wide", "wrap32")
        ):
            difference = q.astype(np.int64) - z
            if resolved.subtract == "wrap32":
                difference = difference.astype(np.int32)  # modulo 2^32
            d = cast(exact(difference), compute)
        else:
            d = arithmetic.subtract(cast(exact(q), real), cast(exact(z), real), real)

        # Steps 2 and 3.
        d = cast(d, compute)
        sc = cast(exact(scale), compute)
        if bias is None:
            p = arithmetic.multiply(d, sc, compute)
        elif resolved.fusion == "fma":
            p = arithmetic.fused_multiply_add(d, sc, bias, compute)
        else:
            p = arithmetic.add(arithmetic.multiply(d, sc, compute), bias, compute)

        # Step 4.
        return np.asarray(cast(p, result)).reshape(q.shape).astype(result.dtype)


def _check_codes(q: np.ndarray, storage) -> None:
    if q.dtype == storage.dtype and storage == storage_type(q.dtype):
        return
    if not (isinstance(storage, IntegerType) and is_integer(q.dtype)):
        raise ValueError(f"q has dtype {q.dtype}, expected {storage.dtype} for storage {storage}")
    codes = q.astype(np.int64)
    if q.size and not (storage.lowest <= codes.min() and codes.max() <= storage.highest):
        raise ValueError(f"codes {codes.min()} to {codes.max()} do not fit storage {storage}")
