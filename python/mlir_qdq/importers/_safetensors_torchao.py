# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchao: the header describes each tensor."""

from __future__ import annotations

import numpy as np

from ._safetensors_readers import block_scales, plain_codes, powers, small_floats
from ._safetensors_schemes import UnknownField, torchao_tensor
from ._safetensors_weight import Weight
from ._weights import Value

#: MXTensor's elem_dtype: the element, its bits, and whether bytes are full of them.
_MX_ELEMENTS = {
    "float8_e4m3fn": ("f8E4M3FN", 8, True), "float8_e5m2": ("f8E5M2", 8, True),
    "fp6_e2m3": ("f6E2M3FN", 6, False), "fp6_e3m2": ("f6E3M2FN", 6, False),
    "float4_e2m1fn_x2": ("f4E2M1FN", 4, True),
}  # fmt: skip
#: The tensors of a weight with a code in each byte.
CODES = ("_weight_qdata", "_weight_scale", "_weight_zero_point")


def _nvfp4_of_torchao(f: Weight) -> Value:
    codes = small_floats(f, "_weight_qdata", "f4E2M1FN", 4)
    shape = (codes.shape[0], -(-codes.shape[1] // 16))
    scale = block_scales(f, "_weight_scale", shape, "f8E4M3FN")
    if scale.shape != shape:
        raise f.error("_weight_scale", f"has the shape {list(scale.shape)}, expected {list(shape)}")
    f.convention = "torchao's NVFP4Tensor: blocks of 16"
    if f.has("_weight_per_tensor_scale"):
        f.convention += ", _weight_per_tensor_scale multiplies the scales"
        scale = f.dequantize(scale, f.read_one("_weight_per_tensor_scale"))
    return f.dequantize(codes, scale, block=(1, 16))


def torchao(f: Weight) -> Value:
    """As the header describes the tensor; without that, codes of which each has a byte."""
    kind, name = None, f"{f.module}.weight"
    if (described := f.checkpoint.metadata.get(name)) is not None:
        try:
            kind, f.arguments = torchao_tensor(f"__metadata__.{name}", str(described))
        except UnknownField as problem:
            raise f.error("weight", str(problem)) from None
    elif f.array("_weight_qdata").dtype == np.uint8:
        raise f.error("_weight_qdata", "has packed bytes, and no header says of which type of torchao")  # fmt: skip
    if kind == "NVFP4Tensor":
        return _nvfp4_of_torchao(f)
    if kind != "MXTensor":
        return plain_codes(f, "i8", "f8E4M3FN", "f8E5M2", names=CODES)
    element = f.arguments["elem_dtype"]
    if element not in (*_MX_ELEMENTS,):
        raise f.error("weight", f"has the elem_dtype {element!r}, known are {', '.join(_MX_ELEMENTS)}")  # fmt: skip
    element, bits, is_packed = _MX_ELEMENTS[element]
    return powers(f, "_weight_qdata", element, bits, "_weight_scale", is_packed)
