# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages small files of each format and imports them: only the importers' own exceptions may come out, which name the file.

    python test/python/damaged_files.py --count 20000 onnx
    python test/python/damaged_files.py --count 20000 --state FILE     counts, and continues its seeds

Each file is written before it is imported, so that it is there after a signal. A file has ten seconds of CPU and the process
a limit of memory; a lie about sizes must not cost either.
"""

import argparse
import json
import random
import resource
import signal
import struct
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import flatbuffers
import gguf
import ml_dtypes
import mlir_qdq
import numpy as np
import onnx
from mlir import ir
from mlir_qdq.importers import gguf as gguf_importer
from mlir_qdq.importers import onednn, safetensors, tflite
from mlir_qdq.importers import onnx as onnx_importer
from safetensors.numpy import save
from build_tree import SOURCE
from tflite_models import Model, Quantized, schema

sys.path.insert(0, str(SOURCE / "tools"))
from fuzzing.tally import Tally  # noqa: E402

SECONDS, BYTES = 10, 6 << 30
HERE = Path(__file__).parent


# --- whole files: a list of (content, contents beside it) ----------------------------


def onnx_files():
    text = """
        <ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1, "local" : 1]>
        main (float[N, 8] x, bool c) => (float[N, 8] y)
        <float s = {0.5}, int8 z = {3}, int64[2] shape = {-1, 8}> {
            q = QuantizeLinear <axis = 1, saturate = 1> (x, s, z)
            d = DequantizeLinear (q, s, z)
            v = DequantizeLinear <axis = 0, block_size = 2> (w, ws)
            m = MatMul (d, v)
            r = Reshape (m, shape)
            t = local.twice (r)
            k = com.microsoft.QLinearAdd (q, s, z, q, s, z, s, z)
            l = DequantizeLinear (k, s, z)
            u = Add (t, l)
            y = If (c) <then_branch = a () => (p) { p = Relu (u) },
                        else_branch = b () => (o) { e = Constant <value = float[1] {2}> () o = Mul (u, e) }>
        }
        <domain: "local", opset_import: ["" : 21]>
        twice (a) => (b) { b = Add (a, a) }
    """
    model = onnx.parser.parse_model(text)
    for name, kind, dims, size in (("w", "INT4", (8, 8), 32), ("ws", "FLOAT", (4, 8), 128)):
        kind = onnx.TensorProto.DataType.Value(kind)
        model.graph.initializer.add(name=name, data_type=kind, dims=dims, raw_data=bytes(size))
    outside = onnx.helper.make_tensor("big", onnx.TensorProto.FLOAT, [8], [0.0] * 8)
    outside.ClearField("float_data")
    outside.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", "data.bin"), ("offset", "32"), ("length", "32")):
        outside.external_data.add(key=key, value=value)
    model.graph.initializer.append(outside)
    model.graph.node.append(onnx.helper.make_node("Add", ["y", "big"], ["yy"], name="far"))
    model.graph.output[0].name = "yy"
    return [(model.SerializeToString(), {"data.bin": bytes(64)})]


def tflite_files():
    model, q = Model(), Quantized()
    x = model.input((1, 8, 8, 3), q, signature=(-1, 8, 8, 3))
    w = model.constant(
        np.ones((8, 3, 3, 3), np.int8), Quantized(scale=(0.5,) * 8, zero_point=(0,) * 8)
    )
    b = model.constant(
        np.ones(8, np.int32), Quantized("int32", scale=(0.5,) * 8, zero_point=(0,) * 8)
    )
    y = model.op(
        "CONV_2D", [x, w, b], model.tensor((1, 8, 8, 8), q), options="Conv2DOptions", strideH=1, strideW=1,
        dilationHFactor=1, dilationWFactor=1,
    )  # fmt: skip
    handle = model.tensor((), "int32")
    model.graph.tensors[handle].type = schema.TensorType.RESOURCE
    model.op("VAR_HANDLE", [], handle, options="VarHandleOptions", sharedName="state", container="")
    state = model.op(
        "READ_VARIABLE", [handle], model.tensor((1, 8, 8, 8), q), options="ReadVariableOptions"
    )
    z = model.op(
        "ADD", [y, state], model.tensor((1, 8, 8, 8), q), options="AddOptions", potScaleInt16=True
    )
    model.op("ASSIGN_VARIABLE", [handle, z], options="AssignVariableOptions")
    half = model.constant(np.ones((4, 2), np.int8), Quantized("int4"))
    out = model.op("CUSTOM", [z, half], model.tensor((1, 8), q))
    model.codes[-1].customCode = "Mine"
    return [(model.content(out), {})]


def gguf_files():
    """A format each: an import costs what its formats cost."""
    kinds = ("Q4_0", "Q5_K", "IQ4_XS", "MXFP4", "NVFP4", "TQ1_0")
    with tempfile.TemporaryDirectory() as folder:
        return [(gguf_file(Path(folder, kind), kind), {}) for kind in kinds]


def gguf_file(path: Path, name: str) -> bytes:
    kind = gguf.GGMLQuantizationType[name]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    writer = gguf.GGUFWriter(path, "test")
    writer.add_array("tokens", ["a", "b"])
    writer.add_uint32("general.alignment", 32)
    writer.add_tensor(name, np.zeros((2, 256 // elements * size), np.uint8), raw_dtype=kind)
    writer.add_tensor("plain", np.ones((2, 4), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def safetensors_files():
    def codes(shape, dtype):
        return np.ones(shape, dtype)

    def words(**fields):
        tensors = {"m.qweight": codes((8, 64), np.int32), "m.qzeros": codes((4, 8), np.int32),
                   "m.scales": codes((4, 64), np.float16)}  # fmt: skip
        return tensors, {"bits": 4, "group_size": 16, **fields}

    def compressed(tensors, layout, **weights):
        group = {"targets": ["Linear"], "weights": weights, "format": layout}
        tensors = {f"m.{name}": array for name, array in tensors.items()}
        return tensors, {"quant_method": "compressed-tensors", "format": layout, "version": "0.20.0",
                         "config_groups": {"group_0": group}}  # fmt: skip

    gptq = words(quant_method="gptq", desc_act=True, checkpoint_format="gptq")
    gptq[0]["m.g_idx"] = np.arange(64, dtype=np.int32)[::-1].copy() // 16
    scales = codes((4, 2), ml_dtypes.float8_e4m3fn)
    cases = [
        gptq,
        ({"m.qweight": codes((64, 8), np.int32), "m.qzeros": codes((4, 8), np.int32),
          "m.scales": codes((4, 64), np.float16)}, {"quant_method": "awq", "bits": 4, "group_size": 16, "version": "gemm"}),
        ({"m.B": codes((4, 128), np.int32), "m.s": codes((1, 64), np.float16)},
         {"quant_method": "gptq", "bits": 4, "group_size": -1, "is_marlin_format": True}),
        compressed(
            {"weight_packed": codes((4, 4), np.int32), "weight_scale": codes((4, 2), np.float32),
             "weight_shape": np.array([4, 32]), "weight_zero_point": codes((1, 2), np.int32)},
            "pack-quantized", num_bits=4, type="int", group_size=16, strategy="group", symmetric=False,
        ),
        compressed({"weight_packed": codes((4, 24), np.uint8), "weight_scale": codes((4, 1), np.uint8)},
                   "mxfp6-pack-quantized", num_bits=6, type="float", group_size=32, strategy="group"),
        compressed({"weight": codes((4, 4), np.int8), "weight_scale": codes((2, 2), np.float32)},
                   "int-quantized", num_bits=8, type="int", strategy="block", block_structure=[2, 2]),
        ({"m.weight": codes((4, 16), np.uint8), "m.weight_scale": scales, "m.weight_scale_2": codes((), np.float32)},
         {"quant_method": "modelopt", "quant_algo": "NVFP4", "group_size": 16}),
        ({"m.weight": codes((4, 4), ml_dtypes.float8_e4m3fn), "m.weight_scale_inv": codes((2, 2), np.float32)},
         {"quant_method": "fp8", "weight_block_size": [2, 2]}),
    ]  # fmt: skip
    plain = {"norm.weight": codes((3,), ml_dtypes.bfloat16), "ids": codes((2,), np.int64)}
    return [
        (save(tensors | plain, {"format": "pt"}), {"config.json": json.dumps({"quantization_config": c}).encode()})
        for tensors, c in cases
    ]  # fmt: skip


def onednn_files():
    files = sorted((HERE / "data/onednn").glob("matmul.json"))
    listed = [json.loads(path.read_text()) for path in files]
    graphs = [
        entry for found in listed for entry in (found if isinstance(found, list) else [found])
    ]
    return [(json.dumps(graph).encode(), {}) for graph in graphs[:4]]


FORMATS = {
    "onnx": ("f.onnx", onnx_files, onnx_importer.import_model, onnx_importer.OnnxImportError),
    "tflite": ("f.tflite", tflite_files, tflite.import_model, tflite.TFLiteImportError),
    "gguf": ("f.gguf", gguf_files, gguf_importer.import_file, gguf_importer.GgufImportError),
    "safetensors": ("f.safetensors", safetensors_files, safetensors.import_file, safetensors.SafetensorsImportError),
    "onednn": ("f.json", onednn_files, onednn.import_graph, onednn.OneDNNImportError),
}  # fmt: skip


# --- damage --------------------------------------------------------------------------

NUMBERS = [
    0,
    1,
    2,
    3,
    7,
    8,
    31,
    64,
    127,
    128,
    255,
    256,
    65535,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
]
NUMBERS += [-1, -2, -128, -(2**31), -(2**63)]
TEXTS = [
    "",
    "a",
    "m",
    "weight",
    "..",
    "../data.bin",
    "/etc/passwd",
    "\0",
    "\n",
    '"',
    "\\",
    "é",
    "\ud800",
    "x" * 300,
    "INT8",
    "f32",
    "float32",
    "gptq",
]


def damaged_bytes(rng: random.Random, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at, kind = rng.randrange(max(len(data), 1)), rng.randrange(8)
        if kind == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[at : at + rng.choice((1, 2, 4, 8, 64))]
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.choice((1, 4, 16)))
        elif kind == 4:
            data[at:at] = data[at : at + rng.choice((4, 16, 64, 256))]
        elif kind == 5 and rng.random() < 0.3:
            del data[at:]
        else:
            width = rng.choice((1, 2, 4, 8))
            number = rng.choice(NUMBERS) % (1 << 8 * width)
            data[at : at + width] = number.to_bytes(width, "little")
    return bytes(data)


def some_value(rng: random.Random):
    nested = []
    for _ in range(rng.choice((1, 5, 400, 950))):
        nested = [nested]
    return rng.choice([
        None, True, False, rng.choice(NUMBERS), rng.choice(NUMBERS), rng.choice(TEXTS), rng.choice(TEXTS), 1.5,
        float("nan"), float("inf"), 1e300, [], {}, [rng.choice(NUMBERS)] * rng.choice((1, 2, 70)), nested,
        {"a": nested}, [rng.choice(TEXTS)], 10**40,
    ])  # fmt: skip


def damaged_object(rng: random.Random, value) -> None:
    """One or two places of what JSON stands for."""
    for _ in range(rng.choice((1, 1, 2))):
        at = value
        while isinstance(at, (dict, list)) and at:
            key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if not isinstance(at[key], (dict, list)) or not at[key] or rng.random() < 0.15:
                break
            at = at[key]
        else:
            continue
        kind = rng.randrange(6)
        if kind == 0:
            del at[key]
        elif kind == 1 and isinstance(at, list):
            at.append(at[key])
        elif kind == 1:
            at[rng.choice(TEXTS)] = at[key]
        elif kind == 2 and isinstance(at, dict):
            at[key] = at[rng.choice(list(at))]
        elif kind == 3 and isinstance(at[key], int):
            at[key] += rng.choice((-1, 1, 2))
        else:
            at[key] = some_value(rng)


def damaged_json(rng: random.Random, content: bytes) -> bytes:
    value = json.loads(content)
    damaged_object(rng, value)
    try:
        return json.dumps(value).encode()
    except ValueError:  # a place that holds itself
        return content


def damaged_proto(rng: random.Random, content: bytes) -> bytes:
    """Fields of messages somewhere in a model: other numbers and texts, less and more of them."""
    model = onnx.ModelProto.FromString(content)
    messages = []

    def walk(message):
        messages.append(message)
        for field, value in message.ListFields():
            if field.type == field.TYPE_MESSAGE:
                for inner in value if hasattr(value, "add") else [value]:
                    walk(inner)

    walk(model)
    for _ in range(rng.choice((1, 1, 2, 4))):
        message = rng.choice(messages)
        field = rng.choice(message.DESCRIPTOR.fields)
        known = [f for f, _ in message.ListFields()]
        if known and rng.random() < 0.8:
            field = rng.choice(known)
        try:
            change(rng, message, field, model)
        except (ValueError, TypeError, AttributeError, IndexError):
            continue  # the package does not let it be written
    try:
        return model.SerializeToString()
    except Exception:
        return content


def change(rng, message, field, model) -> None:
    value = getattr(message, field.name)
    names = [name for node in model.graph.node for name in (*node.input, *node.output)] + TEXTS[:-3]
    is_list = hasattr(value, "extend")
    kind = rng.randrange(4)
    if kind == 0:
        message.ClearField(field.name)
    elif field.type == field.TYPE_MESSAGE:
        if is_list and len(value) and kind == 1:
            value.append(rng.choice(value))
        elif is_list and len(value):
            del value[rng.randrange(len(value))]
        elif is_list:
            value.add()
    else:
        new = {
            field.TYPE_STRING: lambda: rng.choice(names), field.TYPE_BYTES: lambda: rng.randbytes(rng.choice((0, 3, 40))),
            field.TYPE_FLOAT: lambda: rng.choice((0.0, float("nan"), 1e38)), field.TYPE_DOUBLE: lambda: 1e300,
        }.get(field.type, lambda: rng.choice(NUMBERS))()  # fmt: skip
        if not is_list:
            setattr(message, field.name, new)
        elif len(value) and kind != 1:
            value[rng.randrange(len(value))] = new
        else:
            value.append(new)


def damaged_header(rng: random.Random, content: bytes) -> bytes:
    """Of a safetensors file."""
    length = struct.unpack("<Q", content[:8])[0]
    header = damaged_json(rng, content[8 : 8 + length])
    return struct.pack("<Q", len(header)) + header + content[8 + length :]


def damaged_table(rng: random.Random, content: bytes) -> bytes:
    """Fields of tables somewhere in a .tflite file."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    tables = []

    def walk(table):
        tables.extend([table] if vars(table) else [])
        for value in vars(table).values():
            for inner in value if isinstance(value, list) else [value]:
                if hasattr(inner, "Pack"):
                    walk(inner)

    walk(model)
    for _ in range(rng.choice((1, 1, 2, 4))):
        table = rng.choice(tables)
        name = rng.choice(list(vars(table)))
        value = getattr(table, name)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, list) and value and rng.random() < 0.8:
            at = rng.randrange(len(value))
            if isinstance(value[at], int) and rng.random() < 0.6:
                value = value[:at] + [rng.choice((*NUMBERS, *range(12)))] + value[at + 1 :]
            else:
                value = rng.choice((value[:at], value[:at] + value[at + 1 :], value + value[at:]))
        elif isinstance(value, (bytes, str)):
            value = rng.choice(TEXTS[:-3])
        elif isinstance(value, (bool, int, float)):
            value = rng.choice((*NUMBERS, *range(160)))
        else:
            value = None
        setattr(table, name, value)
    builder = flatbuffers.Builder(1024)
    try:
        builder.Finish(model.Pack(builder), b"TFL3")
    except Exception:  # the package does not write it
        return damaged_bytes(rng, content)
    return bytes(builder.Output())


STRUCTURED = {
    "onnx": damaged_proto, "safetensors": damaged_header, "onednn": damaged_json, "tflite": damaged_table,
}  # fmt: skip


def damaged(rng: random.Random, name: str, content: bytes, beside: dict) -> tuple[bytes, dict]:
    if beside and rng.random() < 0.3:
        file = rng.choice(list(beside))
        how = damaged_json if file.endswith(".json") and rng.random() < 0.8 else damaged_bytes
        return content, beside | {file: how(rng, beside[file])}
    how = STRUCTURED.get(name, damaged_bytes)
    return (how if rng.random() < 0.7 else damaged_bytes)(rng, content), beside


# --- the run -------------------------------------------------------------------------


def run(name: str, count: int, seed: int, folder: Path) -> Counter:
    file, make, load, documented = FORMATS[name]
    whole, results, kinds = make(), Counter(), set()
    path = folder / file
    for number in range(count):
        rng = random.Random(f"{name} {seed + number}")
        if number % 200 == 0:
            context = ir.Context()
            mlir_qdq.register(context)
        content, beside = rng.choice(whole)
        if number >= len(whole):
            content, beside = damaged(rng, name, content, beside)
        else:
            content, beside = whole[number]
        path.write_bytes(content)
        for other, text in beside.items():
            (folder / other).write_bytes(text)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            load(path, context=context)
            results["imported"] += 1
        except documented as error:
            results["refused"] += 1
            if number < len(whole):
                raise
            if str(path) not in str(error) or len(str(error)) > 5000:
                report(name, seed + number, error, kinds, results)
        except Exception as error:
            report(name, seed + number, error, kinds, results)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return results


def report(name, seed, error, kinds, results) -> None:
    """Each place once."""
    results["wrong"] += 1
    frames = traceback.extract_tb(error.__traceback__)
    kind = (type(error).__name__, frames[-1].filename, frames[-1].lineno)
    if kind not in kinds:
        kinds.add(kind)
        print(f"{name}, seed {seed}: {type(error).__name__}: {str(error)[:300]!r}")
        print("".join(traceback.format_list(frames[-4:])))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("formats", nargs="*", default=list(FORMATS))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        wrong = 0
        for name in options.formats:
            print(f"{name}: ", end="", flush=True)
            tally = Tally(options.state, name)
            results = run(name, options.count, options.seed + tally.next_seed(), folder)
            tally.add(options.count, results["wrong"])
            print(", ".join(f"{count} {what}" for what, count in results.items()), flush=True)
            wrong += results["wrong"]
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
