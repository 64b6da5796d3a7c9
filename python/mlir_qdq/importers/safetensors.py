# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the weights of a safetensors checkpoint as MLIR: one function a weight, which returns it dequantized.

    func.func @"model.layers.0.mlp.up_proj.weight"() -> tensor<11008x4096xf32>
        attributes {weights.convention = "GPTQ: 4 bits (from bits of config.json), ..."} {
      %0 = arith.constant dense_resource<...> : tensor<512x11008xi32>
      %3 = qdq.unpack %0 packing <gptq-v1> : (tensor<512x11008xi32>) -> tensor<4096x11008xui4>
      ...

* GPTQ (v1, v2; 2, 3, 4, 8 bits; act-order), AWQ (gemm, gemv), compressed-tensors (pack-, int-, float-, naive-quantized,
  nvfp4- and mxfp4-pack-quantized), ModelOpt (NVFP4, FP8), DeepSeek FP8: told by the tensors' names and by the
  configuration beside the file (`config.json`, `quantize_config.json`, `quant_config.json`, `hf_quant_config.json`).
* A quantized weight is `<module>.weight`, [outputs, inputs] as of `torch.nn.Linear`, whatever its parts are called.
  `weights.convention` says what was taken for what.
* All other tensors have a function of their own: floats become `dtype`, integers stay.
* The bytes are `dense_resource`s: the mapped file itself.
"""

from __future__ import annotations

import os

from mlir import ir

from . import _safetensors_formats as formats
from ._context import importer_context
from ._safetensors_file import Checkpoint, SafetensorsImportError, element_of, read
from ._weights import FLOATS, Value, build

__all__ = ["SafetensorsImportError", "import_file"]

#: The tensor that tells a format, one that must be beside it, the parts that are no weights of
#: their own, and the reader. The first that applies.
_FORMATS = (
    ("qweight", "scales", ("qzeros", "g_idx", "bias_only"), formats.packed_words),
    ("weight_packed", "weight_shape", ("weight_scale", "weight_zero_point", "weight_g_idx"),
     formats.packed_integers),
    ("weight_packed", "weight_scale", ("weight_global_scale", "input_global_scale"),
     formats.packed_floats),
    ("weight", "weight_scale_inv", (), formats.blocks_inverse),
    ("weight", "weight_scale_2", ("weight_scale", "input_scale"), formats.modelopt_floats),
    ("weight", "weight_scale", ("weight_zero_point", "input_scale"), formats.plain_codes),
)  # fmt: skip


def import_file(
    path, tensors=None, dtype: str = "f32", context: ir.Context | None = None, *, progress=None
):
    """Import the weights of a safetensors file as an MLIR module.

    `tensors`: names of weights, or of any tensor of the file; by default all weights and all tensors
    that are no part of one. `dtype`: what the functions return: f32, f16, bf16 or f64; values are
    computed in f32. `context`: where the module lives; by default the current context, else a
    new one. `progress`: called with the number of tensors that are imported, and that of all.

    Raises `SafetensorsImportError` (a ValueError) with file, tensor and reason for a checkpoint that
    is damaged or has something unsupported, KeyError for a tensor that it does not have, and
    OSError where the file cannot be opened.
    """
    if dtype not in FLOATS:
        raise ValueError(f"dtype '{dtype}': expected one of {', '.join(FLOATS)}")
    checkpoint = read(path)
    weights, parts = _weights(checkpoint)
    names = [*weights, *(name for name in checkpoint.arrays if name not in parts)]
    if tensors is not None:
        names = list(tensors)
    functions = {}
    for name in names:
        if name in weights:
            functions[name] = _weight(checkpoint, name, weights[name], dtype)
        elif name in checkpoint.arrays:
            functions[name] = _plain(checkpoint, name, dtype)
        else:
            raise KeyError(f"{path}: no tensor '{name}'")
    with importer_context(context):
        return build(functions, os.fspath(path), progress)


def _weights(checkpoint: Checkpoint):
    """The reader of each quantized weight, and the tensors that are parts of them."""
    weights, parts = {}, set()
    for name in checkpoint.arrays:
        module, _, field = name.rpartition(".")
        for first, second, others, reader in _FORMATS:
            if field == first and f"{module}.{second}" in checkpoint.arrays:
                weights[f"{module}.weight"] = reader
                parts |= {f"{module}.{part}" for part in (first, second, *others)}
                break
    return weights, parts


def _weight(checkpoint: Checkpoint, name: str, reader, dtype: str) -> tuple[formats.Weight, Value]:
    f = formats.Weight()
    f.begin(checkpoint, name.removesuffix(".weight"))
    return f, f.converted(reader(f), dtype)


def _plain(checkpoint: Checkpoint, name: str, dtype: str) -> tuple[formats.Weight, Value]:
    array = checkpoint.arrays[name]
    if array.size == 0:
        raise checkpoint.error(name, f"has no elements: {list(array.shape)}")
    f, element = formats.Weight(), element_of(array)
    value = f.data(array, element)
    if element in FLOATS:
        return f, f.converted(value, dtype)
    if element.startswith("f8"):
        return f, f.converted(f.cast("extf", value, "f32"), dtype)
    return f, value
