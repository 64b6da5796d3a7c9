# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decode step of a GGUF file of Llama's shape, as one module.

    func.func @step(%token: index, %position: index, %keys: memref<...>, %values: memref<...>) -> tensor<...xf32>

A cache of i8 has two more arguments, the scales. Weights are the importer's functions, inlined. All
layers call one function, to which each passes its bytes. Keys lie with the tokens innermost, so that
the scores of several tokens are the lanes of a vector.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from gguf import GGUFReader, GGUFWriter
from llama_model import Shape, rope_tables
from llama_text import Text, add, norm, product, rope, tensor
from mlir import ir
from mlir.passmanager import PassManager

from mlir_qdq.importers import gguf

NORMS = ("attn_norm", "ffn_norm")


def append(
    f: Text, shape: Shape, cache: str, name: str, row: str, along: bool
) -> tuple[str, str | None]:
    """Quantizes a row of each head into the cache; `along`: tokens are the last dimension. The cache, and its scales."""
    heads, head = shape.kv_heads, shape.head
    kind, stored = tensor(heads, head, "f32"), tensor(heads, head, cache)
    whole = cache_types(shape, cache)[name]
    place, sizes = ("0, %position", f"{head}, 1") if along else ("%position, 0", f"1, {head}")
    scales = None
    if cache == "f16":
        codes = f.emit(f"arith.truncf {row} : {kind} to {stored}")
    else:
        scale_kind, scales_kind = (
            tensor(heads, 1, "f32"),
            cache_types(shape, cache)[f"{name}_scales"],
        )
        scale = f.emit(
            f"qdq.choose_params {row} mode <symmetric> storage i8 block_shape [1, {head}] : ({kind}) -> {scale_kind}"
        )
        codes = f.emit(
            f"qdq.quantize {row} scale {scale} block_shape [1, {head}] : ({kind}, {scale_kind}) -> {stored}"
        )
        scales = f.emit(
            f"tensor.insert_slice {scale} into %{name}_scales[%layer, 0, %position] [1, {heads}, 1] [1, 1, 1] : {scale_kind} into {scales_kind}"
        )
    rows = f.emit(
        f"tensor.insert_slice {codes} into %{name}[%layer, 0, {place}] [1, {heads}, {sizes}] [1, 1, 1, 1] : {stored} into {whole}"
    )
    return rows, scales


def cached(
    f: Text, shape: Shape, cache: str, name: str, rows: str, scales: str | None, along: bool
) -> tuple[str, str]:
    """The cache of this layer up to this token, as reals."""
    heads, head = shape.kv_heads, shape.head
    sizes = f"{head}, %length" if along else f"%length, {head}"
    parts = (heads, head, "?") if along else (heads, "?", head)
    kind, stored = tensor(*parts, "f32"), tensor(*parts, cache)
    types = cache_types(shape, cache)
    part = f.emit(
        f"tensor.extract_slice {rows}[%layer, 0, 0, 0] [1, {heads}, {sizes}] [1, 1, 1, 1] : {types[name]} to {stored}"
    )
    if cache == "f16":
        return f.emit(f"arith.extf {part} : {stored} to {kind}"), kind
    scale_kind = tensor(heads, "?", "f32")
    scale = f.emit(
        f"tensor.extract_slice {scales}[%layer, 0, 0] [1, {heads}, %length] [1, 1, 1] : {types[f'{name}_scales']} to {scale_kind}"
    )
    blocks, groups = (
        (f"[1, {head}, 1]", "[[0, 1], [2]]") if along else (f"[1, 1, {head}]", "[[0], [1, 2]]")
    )
    block_kind = tensor(heads, 1, "?", "f32") if along else tensor(heads, "?", 1, "f32")
    wide = ", ".join([str(heads), "1", "%length"] if along else [str(heads), "%length", "1"])
    scale = f.emit(
        f"tensor.expand_shape {scale} {groups} output_shape [{wide}] : {scale_kind} into {block_kind}"
    )
    return f.emit(
        f"qdq.dequantize {part} scale {scale} block_shape {blocks} : ({stored}, {block_kind}) -> {kind}"
    ), kind


def attend(
    f: Text, shape: Shape, cache: str, query: str, key: str, value: str
) -> tuple[str, list[str]]:
    """The values mixed by the scores of a query; and the caches."""
    heads, each, head = shape.kv_heads, shape.heads // shape.kv_heads, shape.head
    keys, key_scales = append(f, shape, cache, "keys", key, True)
    values, value_scales = append(f, shape, cache, "values", value, False)
    past_keys, keys_kind = cached(f, shape, cache, "keys", keys, key_scales, True)
    past_values, values_kind = cached(f, shape, cache, "values", values, value_scales, False)
    root = f.constant(f"{float(np.float32(head**-0.5)):.9e}")
    flat, kind = tensor(shape.heads, head, "f32"), tensor(heads, each, head, "f32")
    scaled = f.generic(
        "h, d",
        "pp",
        ["h, d", "h, d"],
        [(query, flat)],
        (None, flat),
        f"%r = arith.mulf %0, {root} : f32\n    linalg.yield %r : f32",
    )
    query = f.reshape(scaled, flat, "[[0, 1], [2]]", kind, True)

    scores_kind, sums_kind = tensor(heads, each, "?", "f32"), tensor(heads, each, "f32")
    empty = f.emit(f"tensor.empty(%length) : {scores_kind}")
    zero = f.constant("0.0")
    zeros = f.emit(f"linalg.fill ins({zero} : f32) outs({empty} : {scores_kind}) -> {scores_kind}")
    multiply = (
        "%p = arith.mulf %0, %1 : f32\n    %s = arith.addf %o, %p : f32\n    linalg.yield %s : f32"
    )
    scores = f.generic(
        "g, r, t, d",
        "pppr",
        ["g, r, d", "g, d, t", "g, r, t"],
        [(query, kind), (past_keys, keys_kind)],
        (zeros, scores_kind),
        multiply,
    )
    lowest = f.fill("0xFF800000", sums_kind)
    largest = f.generic(
        "g, r, t",
        "ppr",
        ["g, r, t", "g, r"],
        [(scores, scores_kind)],
        (lowest, sums_kind),
        "%m = arith.maximumf %0, %o : f32\n    linalg.yield %m : f32",
    )
    body = "%d = arith.subf %0, %1 : f32\n    %e = math.exp %d : f32\n    linalg.yield %e : f32"
    powers = f.generic(
        "g, r, t",
        "ppp",
        ["g, r, t", "g, r", "g, r, t"],
        [(scores, scores_kind), (largest, sums_kind)],
        (empty, scores_kind),
        body,
    )
    total = f.generic(
        "g, r, t",
        "ppr",
        ["g, r, t", "g, r"],
        [(powers, scores_kind)],
        (f.fill("0.0", sums_kind), sums_kind),
        "%s = arith.addf %o, %0 : f32\n    linalg.yield %s : f32",
    )
    mixed = f.generic(
        "g, r, d, t",
        "pppr",
        ["g, r, t", "g, t, d", "g, r, d"],
        [(powers, scores_kind), (past_values, values_kind)],
        (f.fill("0.0", kind), kind),
        multiply,
    )
    body = "%q = arith.divf %0, %1 : f32\n    linalg.yield %q : f32"
    result = f.generic(
        "g, r, d",
        "ppp",
        ["g, r, d", "g, r", "g, r, d"],
        [(mixed, kind), (total, sums_kind)],
        (None, kind),
        body,
    )
    result = f.reshape(result, kind, "[[0, 1, 2]]", tensor(shape.width, "f32"), False)
    caches = [keys, values] + [s for s in (key_scales, value_scales) if s]
    return f.reshape(
        result, tensor(shape.width, "f32"), "[[0, 1]]", tensor(1, shape.width, "f32"), True
    ), caches


def cache_shapes(shape: Shape, cache: str) -> dict[str, tuple]:
    layers, heads = shape.layers, shape.kv_heads
    shapes = {
        "keys": (layers, heads, shape.head, shape.context, cache),
        "values": (layers, heads, shape.context, shape.head, cache),
    }
    if cache == "i8":
        shapes |= {f"{name}_scales": (layers, heads, shape.context, "f32") for name in list(shapes)}
    return shapes


def cache_types(shape: Shape, cache: str) -> dict[str, str]:
    return {name: tensor(*parts) for name, parts in cache_shapes(shape, cache).items()}


def new_cache(shape: Shape, cache: str) -> list[np.ndarray]:
    dtypes = {"f16": np.float16, "i8": np.int8, "f32": np.float32}
    return [
        np.zeros(parts[:-1], dtypes[parts[-1]]) for parts in cache_shapes(shape, cache).values()
    ]


def layer_text(shape: Shape, cache: str, bytes_of: dict[str, str]) -> str:
    """The function of all layers."""
    f, sizes, types = Text(), shape.weights(), cache_types(shape, cache)
    half = shape.head // 2
    table, row = tensor(shape.context, half, "f32"), tensor(half, "f32")

    def multiply(name: str, x: str) -> str:
        weight = f.emit(
            f"func.call @{name}(%{name}) : ({bytes_of[name]}) -> {tensor(*sizes[name], 'f32')}"
        )
        return product(f, sizes[name], x, weight)

    def heads(x: str, count: int) -> str:
        flat = tensor(count * shape.head, "f32")
        x = f.reshape(x, tensor(1, count * shape.head, "f32"), "[[0, 1]]", flat, False)
        return f.reshape(x, flat, "[[0, 1]]", tensor(count, shape.head, "f32"), True)

    cosine, sine = (
        f.emit(f"tensor.extract_slice %{name}[%position, 0] [1, {half}] [1, 1] : {table} to {row}")
        for name in ("cosines", "sines")
    )
    x = norm(f, shape.width, "%x", "%attn_norm")
    query, key, value = (multiply(f"attn_{part}", x) for part in "qkv")
    query = rope(f, shape, shape.heads, query, cosine, sine)
    key = rope(f, shape, shape.kv_heads, key, cosine, sine)
    mixed, caches = attend(f, shape, cache, query, key, heads(value, shape.kv_heads))
    x = add(f, shape.width, "%x", multiply("attn_output", mixed))
    y = norm(f, shape.width, x, "%ffn_norm")
    inner = tensor(1, shape.inner, "f32")
    one = f.constant("1.0")
    body = f"%n = arith.negf %0 : f32\n    %e = math.exp %n : f32\n    %d = arith.addf {one}, %e : f32\n    %q = arith.divf %0, %d : f32\n    %r = arith.mulf %q, %1 : f32\n    linalg.yield %r : f32"
    ins = [(multiply("ffn_gate", y), inner), (multiply("ffn_up", y), inner)]
    y = f.generic("m, k", "pp", ["m, k"] * 3, ins, (None, inner), body)
    x = add(f, shape.width, x, multiply("ffn_down", y))

    arguments = [f"%{name}: {kind}" for name, kind in types.items()]
    arguments += [f"%{name}: {tensor(shape.width, 'f32')}" for name in NORMS]
    arguments += [f"%{name}: {bytes_of[name]}" for name in sizes]
    results = [tensor(1, shape.width, "f32"), *types.values()]
    lines = "\n".join(f.lines)
    return f"""func.func private @layer(%x: {results[0]}, %layer: index, %position: index, %length: index, %cosines: {table}, %sines: {table}, {", ".join(arguments)}) -> ({", ".join(results)}) attributes {{no_inline}} {{
{lines}
  return {", ".join([x, *caches])} : {", ".join(results)}
}}
"""


def step_text(
    shape: Shape, cache: str, bytes_of: dict[str, str], row: str
) -> tuple[str, list[str]]:
    """Also the names of the resources, in their order."""
    f, types, names = Text(), cache_types(shape, cache), []
    table = tensor(shape.context, shape.head // 2, "f32")

    def resource(name: str, kind: str) -> str:
        names.append(name)
        return f.emit(f"arith.constant dense_resource<later> : {kind}")

    tables = [resource("cosines", table), resource("sines", table)]
    for given, limit in (("token", shape.vocabulary), ("position", shape.context)):
        bound = f.emit(f"arith.constant {limit} : index")
        fits = f.emit(f"arith.cmpi ult, %{given}, {bound} : index")
        f.lines.append(f'  cf.assert {fits}, "the {given} is not below {limit}"')
    one = f.emit("arith.constant 1 : index")
    length = f.emit(f"arith.addi %position, {one} : index")
    caches = [
        f.emit(
            f"bufferization.to_tensor %{name} restrict writable : {kind.replace('tensor', 'memref')} to {kind}"
        )
        for name, kind in types.items()
    ]

    embedding = resource("token_embd.weight", bytes_of["token_embd"])
    blocks, size = (int(n) for n in row[7:-1].split("x")[:2])
    count = f.emit(f"arith.constant {blocks} : index")
    first = f.emit(f"arith.muli %token, {count} : index")
    codes = f.emit(
        f"tensor.extract_slice {embedding}[{first}, 0] [{blocks}, {size}] [1, 1] : {bytes_of['token_embd']} to {row}"
    )
    width = tensor(1, shape.width, "f32")
    x = f.emit(f"func.call @row({codes}) : ({row}) -> {width}")
    flat = tensor(shape.width, "f32")
    for layer in range(shape.layers):
        index = f.emit(f"arith.constant {layer} : index")
        given = [x, index, "%position", length, *tables, *caches]
        kinds = [width, "index", "index", "index", *[table] * 2, *types.values()]
        given += [resource(f"blk.{layer}.{name}.weight", flat) for name in NORMS]
        given += [
            resource(f"blk.{layer}.{name}.weight", bytes_of[name]) for name in shape.weights()
        ]
        kinds += [flat] * 2 + [bytes_of[name] for name in shape.weights()]
        results = [width, *types.values()]
        name = f"%layer{layer}"
        f.lines.append(
            f"  {name}:{len(results)} = func.call @layer({', '.join(given)}) : ({', '.join(kinds)}) -> ({', '.join(results)})"
        )
        x, *caches = (f"{name}#{i}" for i in range(len(results)))
    x = norm(f, shape.width, x, resource("output_norm.weight", flat))
    logits_kind = tensor(shape.vocabulary, shape.width, "f32")
    w = f.emit(f"func.call @token_embd({embedding}) : ({bytes_of['token_embd']}) -> {logits_kind}")
    logits = product(f, (shape.vocabulary, shape.width), x, w)
    logits = f.reshape(
        logits,
        tensor(1, shape.vocabulary, "f32"),
        "[[0, 1]]",
        tensor(shape.vocabulary, "f32"),
        False,
    )
    for value, (name, kind) in zip(caches, types.items()):
        f.lines.append(
            f"  bufferization.materialize_in_destination {value} in restrict writable %{name} : ({kind}, {kind.replace('tensor', 'memref')}) -> ()"
        )
    arguments = ", ".join(
        f"%{name}: {kind.replace('tensor', 'memref')}" for name, kind in types.items()
    )
    lines = "\n".join(f.lines)
    return (
        f"""func.func @step(%token: index, %position: index, {arguments}) -> {tensor(shape.vocabulary, "f32")} {{
{lines}
  return {logits} : {tensor(shape.vocabulary, "f32")}
}}
""",
        names,
    )


def add_weight_function(module: ir.Module, imported: ir.Module, name: str) -> ir.Type:
    """Adds the importer's function of a weight, as a private one of its bytes; their type."""
    function = imported.body.operations[0].operation.clone()
    module.body.append(function)
    (block,) = function.regions[0].blocks
    constant = next(op for op in block.operations if is_resource(op))
    kind = constant.results[0].type
    constant.results[0].replace_all_uses_with(block.add_argument(kind, constant.location))
    constant.operation.erase()
    results = function.attributes["function_type"].value.results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([kind], results))
    function.attributes["sym_name"] = ir.StringAttr.get(name)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    return kind


def is_resource(op) -> bool:
    return op.operation.name == "arith.constant" and str(
        op.operation.attributes["value"]
    ).startswith("dense_resource<")


def decode_step(path: Path, shape: Shape, cache: str) -> ir.Module:
    """In the current context. Weights are the mapped file itself."""
    tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
    with ir.Location.unknown():
        module, bytes_of = ir.Module.create(), {}
        for name in ("token_embd", *shape.weights()):
            stored = f"{name if name == 'token_embd' else f'blk.0.{name}'}.weight"
            imported = gguf.import_file(path, [stored], context=module.context)
            bytes_of[name] = str(add_weight_function(module, imported, name))
        with tempfile.TemporaryDirectory() as folder:
            # The row of a token is a weight of one row.
            embedding = tensors["token_embd.weight"]
            single = GGUFWriter(Path(folder, "row.gguf"), "llama")
            single.add_tensor("row", embedding.data[:1], raw_dtype=embedding.tensor_type)
            single.write_header_to_file()
            single.write_kv_data_to_file()
            single.write_tensors_to_file()
            single.close()
            imported = gguf.import_file(Path(folder, "row.gguf"), context=module.context)
            row = str(add_weight_function(module, imported, "row"))
        step, names = step_text(shape, cache, bytes_of, row)
        declared = "".join(
            f"func.func private @{op.name.value}({op.type.inputs[0]}) -> {op.type.results[0]}\n"
            for op in module.body.operations
        )
        parsed = ir.Module.parse(declared + layer_text(shape, cache, bytes_of) + step)
        arrays = dict(zip(("cosines", "sines"), rope_tables(shape))) | {
            name: tensor.data for name, tensor in tensors.items()
        }
        given = iter(names)
        for op in parsed.body.operations:
            if op.name.value not in ("layer", "step"):
                continue
            for constant in op.regions[0].blocks[0].operations:
                if is_resource(constant):
                    name = next(given)
                    array = arrays[name]
                    constant.operation.attributes["value"] = (
                        ir.DenseResourceElementsAttr.get_from_buffer(
                            array, name, constant.results[0].type, alignment=array.dtype.itemsize
                        )
                    )
            module.body.append(op.operation.clone())
        PassManager.parse("builtin.module(inline)").run(module.operation)
    return module
