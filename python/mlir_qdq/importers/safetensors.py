# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the weights of a safetensors checkpoint as MLIR: one function a weight, which returns it dequantized.

    func.func @"model.layers.0.mlp.up_proj.weight"() -> tensor<11008x4096xf32>
        attributes {weights.convention = "GPTQ: 4 bits (from config.json: ...), ..."} {
      %0 = arith.constant dense_resource<...> : tensor<512x11008xi32>
      %3 = qdq.unpack %0 packing <gptq-v1> : (tensor<512x11008xi32>) -> tensor<4096x11008xui4>
      ...

* What AutoGPTQ, AutoAWQ, compressed-tensors and ModelOpt write, and DeepSeek's FP8: told by the configuration beside the
  file (`config.json`, `quantize_config.json`, `quant_config.json`, `hf_quant_config.json`), or in its header. A format, a
  field or a value that is unknown is refused. Without a configuration the tensors' names tell, where they suffice.
* A quantized weight is `<module>.weight`, [outputs, inputs] as of `torch.nn.Linear`, whatever its parts are called.
  `weights.convention` says what was taken for what.
* All other tensors have a function of their own: floats become `dtype`, integers stay.
* The bytes are `dense_resource`s: the mapped file itself.
"""

from __future__ import annotations

import os
from collections import defaultdict

from mlir import ir

from ._context import importer_context
from ._safetensors_file import Checkpoint, SafetensorsImportError, element_of, read
from ._safetensors_formats import ACTIVATIONS, CODES, FOREIGN, FORMATS, MARKS
from ._safetensors_schemes import UNSTATED, Scheme
from ._safetensors_weight import Weight
from ._weights import FLOATS, Value, build, no_tensor

__all__ = ["SafetensorsImportError", "import_file"]


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
    modules = _modules(checkpoint)
    parts = {f"{module}.{field}" for module, fields in modules.items() for field in fields}
    weights = {f"{module}.weight": module for module in modules}
    names = [*weights, *(name for name in checkpoint.arrays if name not in parts)]
    if tensors is not None:
        names = list(tensors)
    functions = {}
    for name in names:
        if name in weights:
            module = weights[name]
            f, value = _weight(checkpoint, module, modules[module])
        elif name in checkpoint.arrays:
            f, value = _plain(checkpoint, name)
        else:
            raise no_tensor(path, name, [*weights, *checkpoint.arrays])
        functions[name] = f, f.converted(value, dtype) if value.element in FLOATS else value
    with importer_context(context):
        return build(functions, os.fspath(path), progress)


def _modules(checkpoint: Checkpoint) -> dict[str, set[str]]:
    """The quantized modules, and their tensors that are parts of a weight."""
    marks = MARKS | {FORMATS[scheme.format].tensors[0] for scheme in _schemes(checkpoint)}
    parts = CODES | ACTIVATIONS
    modules = defaultdict(set)
    for name in checkpoint.arrays:
        module, dot, field = name.rpartition(".")
        if dot and field in parts:
            modules[module].add(field)
    return {module: fields for module, fields in modules.items() if fields & marks - {"weight"}}


def _schemes(checkpoint: Checkpoint) -> tuple[Scheme, ...]:
    return UNSTATED if checkpoint.schemes is None else checkpoint.schemes


def _weight(checkpoint: Checkpoint, module: str, fields: set[str]) -> tuple[Weight, Value]:
    """The weight as each fitting scheme reads it, which must be in the same way."""
    schemes = _schemes(checkpoint)
    found: list[tuple[Weight, Value]] = []
    refused: list[SafetensorsImportError] = []
    for scheme in schemes:
        line = FORMATS[scheme.format]
        if not set(line.tensors) <= fields or fields - {*line.tensors, *line.parts, *ACTIVATIONS}:
            continue
        f = Weight()
        f.begin(checkpoint, module, scheme)
        try:
            found.append((f, line.read(f)))
        except SafetensorsImportError as error:
            refused.append(error)
    if not found:
        raise (
            refused[0]
            if len(refused) == 1
            else _no_format(checkpoint, module, fields, schemes, refused)
        )
    if any(not f.is_same(found[0][0]) for f, _ in found):
        ways = " or ".join(f.convention for f, _ in found)
        raise checkpoint.error(f"{module}.weight", f"is ambiguous: {ways}")
    for field in ("pre_quant_scale", "_weight_act_pre_scale"):
        if found[0][0].has(field):
            found[0][0].convention += f"; {field} is for the inputs, and not in the weight"
    return found[0]


def _no_format(
    checkpoint: Checkpoint,
    module: str,
    fields: set[str],
    schemes: tuple[Scheme, ...],
    refused: list[SafetensorsImportError],
) -> SafetensorsImportError:
    where = next((scheme.source for scheme in schemes if scheme.source), "no configuration")
    if refused:
        reasons = "; ".join(str(error).partition(": tensor ")[2] for error in refused)
        return checkpoint.error(f"{module}.weight", f"is of no format of {where}: {reasons}")
    known = " or ".join(
        f"{scheme.format} ({', '.join(FORMATS[scheme.format].tensors)})" for scheme in schemes
    )
    return checkpoint.error(
        f"{module}.weight",
        f"has {', '.join(sorted(fields))}; {where} says: {known or 'nothing is quantized'}",
    )


def _plain(checkpoint: Checkpoint, name: str) -> tuple[Weight, Value]:
    array = checkpoint.arrays[name]
    if array.size == 0:
        raise checkpoint.error(name, f"has no elements: {list(array.shape)}")
    f, element = Weight(), element_of(array)
    field = name.rpartition(".")[2]
    if field.startswith("_") and field.endswith("_qdata"):
        raise checkpoint.error(name, "is of torchao, a parameter with another name than weight, which is not read")  # fmt: skip
    if field in FOREIGN:
        raise checkpoint.error(name, f"is of {FOREIGN[field]}, which is not read")
    if field == "weight" and element not in FLOATS and not element.startswith("f8"):
        raise checkpoint.error(
            name, f"has elements of {element}, and no scale or configuration says of what"
        )
    value = f.data(array, element)
    return f, f.cast("extf", value, "f32") if element.startswith("f8") else value
