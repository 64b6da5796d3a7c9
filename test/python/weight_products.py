# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of files as operands of products: GGUF blocks of chosen scales, and programs that multiply with a weight."""

import gguf
import numpy as np
from mlir import ir
from mlir.passmanager import PassManager

import mlir_qdq
from llama_program import is_resource

#: Where the f16 of a block begin: its scale, and its minimum or the scale of its minima.
HALVES = {
    "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,), "IQ4_NL": (0,),
    "Q2_K": (80, 82), "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,),
    "IQ4_XS": (0,), "TQ1_0": (52,), "TQ2_0": (64,), "MXFP4": (), "NVFP4": (),
}  # fmt: skip


def random_blocks(random, name: str, n: int, k: int, halves) -> np.ndarray:
    """Bytes of a weight [n, k]; `halves` makes an array of scales of this shape."""
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
    raw = random.integers(0, 256, (n, k // elements, size), dtype=np.uint8)
    for at in HALVES[name]:
        raw[..., at : at + 2] = halves(raw.shape[:2]).astype(np.float16)[..., None].view(np.uint8)
    if name == "MXFP4":
        raw[..., 0] = random.integers(124, 131, raw.shape[:2])
    if name == "NVFP4":  # powers of two
        raw[..., :4] = random.integers(5, 9, (*raw.shape[:2], 4)) << 3
    return raw


def write(path, name: str, raw: np.ndarray):
    writer = gguf.GGUFWriter(path, "test")
    kind = gguf.GGMLQuantizationType[name]
    writer.add_tensor("w", raw.reshape(len(raw), -1), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def dequantized(name: str, raw: np.ndarray) -> np.ndarray:
    return gguf.quants.dequantize(raw.reshape(len(raw), -1), gguf.GGMLQuantizationType[name])


def product(module: ir.Module, m: int, n: int, k: int) -> ir.Module:
    """x [m, k] times the one weight [n, k] of an imported file, transposed; inlined."""
    x, w, y = f"tensor<{m}x{k}xf32>", f"tensor<{n}x{k}xf32>", f"tensor<{m}x{n}xf32>"
    text = f"""
    func.func private @w() -> {w}
    func.func @main(%x: {x}) -> {y} {{
      %w = func.call @w() : () -> {w}
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %w : {x}, {w}) outs(%f : {y}) -> {y}
      return %r : {y}
    }}"""
    with module.context, ir.Location.unknown():
        mlir_qdq.register(module.context)
        weight = module.body.operations[0]
        weight.attributes["sym_name"] = ir.StringAttr.get("w")
        weight.attributes["sym_visibility"] = ir.StringAttr.get("private")
        parsed = ir.Module.parse(text)
        module.body.append(list(parsed.body.operations)[1].operation.clone())
        PassManager.parse("builtin.module(inline,symbol-dce)").run(module.operation)
    return module


def as_argument(module: ir.Module) -> ir.Module:
    """A product with the weight's bytes as its last argument."""
    (function,) = module.body.operations
    (block,) = function.regions[0].blocks
    (constant,) = (op for op in block.operations if is_resource(op))
    kind = constant.results[0].type
    with module.context, constant.location:
        constant.results[0].replace_all_uses_with(block.add_argument(kind, constant.location))
        constant.operation.erase()
        ends = function.attributes["function_type"].value
        whole = ir.FunctionType.get([*ends.inputs, kind], ends.results)
        function.attributes["function_type"] = ir.TypeAttr.get(whole)
    return module


def powers(random):
    """Scales of which sums of small integers are exact."""
    return lambda shape: np.exp2(random.integers(-2, 2, shape)).astype(np.float16)
