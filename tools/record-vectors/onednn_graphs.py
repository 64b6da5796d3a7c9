# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records graphs as oneDNN dumps them, and what oneDNN computes for their quantization ops on CPU.

pip install onednn==2026.1.0 onednn-devel==2026.1.0 intel-opencl-rt ml_dtypes numpy   (in a virtual environment)
LD_LIBRARY_PATH=$VIRTUAL_ENV/lib OCL_ICD_FILENAMES=$VIRTUAL_ENV/lib/libintelocl.so python tools/record-vectors/onednn_graphs.py

Writes test/python/data/onednn/<name>.json, and beside it <name>.npz with arrays named by tensor id: arguments and results. A bfloat16 or f8 array is held as
its bits, a 4-bit one with an element in each byte. Combinations that oneDNN refuses on CPU, or gets wrong (docs/Sources.md), are left out.
"""

import ctypes as c
import itertools
import os
import re
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

PREFIX = Path(sys.prefix)
OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "onednn"
DTYPES = {
    "f16": (1, np.float16), "bf16": (2, ml_dtypes.bfloat16), "f32": (3, np.float32), "s32": (4, np.int32),
    "s8": (5, np.int8), "u8": (6, np.uint8), "f8_e5m2": (9, ml_dtypes.float8_e5m2),
    "f8_e4m3": (10, ml_dtypes.float8_e4m3fn), "s4": (11, ml_dtypes.int4), "u4": (12, ml_dtypes.uint4),
}  # fmt: skip
F8 = (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
BOUNDS = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16), "s32": (-99999, 99999)}
CPU, STRIDED, FUSION, DUMP_GRAPH = 1, 2, 1, 2
SHAPE = (8, 32)


class LogicalTensor(c.Structure):
    _fields_ = [
        ("id", c.c_size_t), ("ndims", c.c_int), ("dims", c.c_int64 * 12), ("data_type", c.c_int),
        ("property", c.c_int), ("layout_type", c.c_int), ("strides", c.c_int64 * 12),
    ]  # fmt: skip


library = c.CDLL(str(PREFIX / "lib" / "libdnnl.so.3"))


def call(name: str, *arguments):
    """Integers are passed as size_t, ctypes objects as they are."""
    passed = [c.c_size_t(a) if isinstance(a, int) else a for a in arguments]
    status = getattr(library, f"dnnl_{name}")(*passed)
    if status:
        raise RuntimeError(f"dnnl_{name}: status {status}")


def enumerators() -> dict[str, int]:
    """The C header's kinds and attribute names, by name."""
    text = (PREFIX / "include" / "oneapi" / "dnnl" / "dnnl_graph_types.h").read_text()
    values = {}
    for body in re.findall(r"typedef enum \{(.*?)\}", re.sub(r"//.*", "", text), re.S):
        value = -1
        for item in filter(None, map(str.strip, body.split(","))):
            name, _, given = item.partition("=")
            value = int(given.strip().rstrip("U"), 0) if given else value + 1
            values[name.strip()] = value
    return values


NAMES = enumerators()


def tensor(number: int, dtype: str, shape=None, strides=None, constant=False) -> LogicalTensor:
    result = LogicalTensor()
    head = (c.byref(result), number, c.c_int(DTYPES[dtype][0]))
    kind = c.c_int(2 if constant else 0)
    if shape is None:
        call("graph_logical_tensor_init", *head, c.c_int(-1), c.c_int(STRIDED), kind)
    elif strides is None:
        call(
            "graph_logical_tensor_init_with_dims", *head, c.c_int(len(shape)), (c.c_int64 * 12)(*shape),
            c.c_int(STRIDED), kind,
        )  # fmt: skip
    else:
        call(
            "graph_logical_tensor_init_with_strides", *head, c.c_int(len(shape)), (c.c_int64 * 12)(*shape),
            (c.c_int64 * 12)(*strides), kind,
        )  # fmt: skip
    return result


def make_op(number: int, kind: str, name: str, inputs, outputs, attributes) -> c.c_void_p:
    op = c.c_void_p()
    call(
        "graph_op_create",
        c.byref(op),
        number,
        c.c_int(NAMES[f"dnnl_graph_op_{kind}"]),
        name.encode(),
    )
    for one in inputs:
        call("graph_op_add_input", op, c.byref(one))
    for one in outputs:
        call("graph_op_add_output", op, c.byref(one))
    for key, value in attributes.items():
        attribute = c.c_int(NAMES[f"dnnl_graph_op_attr_{key}"])
        if isinstance(value, str):
            call("graph_op_set_attr_str", op, attribute, value.encode(), len(value))
            continue
        values = value if isinstance(value, list) else [value]
        suffix, element = ("f32", c.c_float) if isinstance(values[0], float) else ("s64", c.c_int64)
        if isinstance(value, bool):
            suffix, element = "bool", c.c_uint8
        call(
            f"graph_op_set_attr_{suffix}",
            op,
            attribute,
            (element * len(values))(*values),
            len(values),
        )
    return op


def make_graph(ops) -> c.c_void_p:
    graph = c.c_void_p()
    call("graph_graph_create", c.byref(graph), c.c_int(CPU))
    for op in ops:
        call("graph_add_op", graph, make_op(*op))
    call("graph_graph_finalize", graph)
    call("graph_graph_filter", graph, c.c_int(FUSION))
    return graph


def dump(name: str, ops) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        call("graph_set_dump_mode", c.c_int(DUMP_GRAPH))
        make_graph(ops)
        call("graph_set_dump_mode", c.c_int(0))
        (written,) = [f for f in Path(folder).iterdir() if re.fullmatch(r"graph-\d+\.json", f.name)]
        OUTPUT.mkdir(parents=True, exist_ok=True)
        (OUTPUT / f"{name}.json").write_bytes(written.read_bytes())
        os.chdir(OUTPUT)


def packed(array: np.ndarray) -> np.ndarray:
    """Two 4-bit elements in a byte, the first in the low bits."""
    if array.dtype not in (ml_dtypes.int4, ml_dtypes.uint4):
        return np.ascontiguousarray(array)
    codes = array.astype(np.int8).ravel().view(np.uint8) & 15
    return codes[0::2] | codes[1::2] << 4


def execute(op, arrays) -> np.ndarray:
    """The result of one op in a graph of its own."""
    _, _, _, inputs, (output,), _ = op
    graph, partition, compiled = make_graph([op]), c.c_void_p(), c.c_void_p()
    call("graph_graph_get_partitions", graph, 1, c.byref(partition))
    call("graph_compiled_partition_create", c.byref(compiled), partition)
    pointers = (c.POINTER(LogicalTensor) * len(inputs))(*map(c.pointer, inputs))
    result = (c.POINTER(LogicalTensor) * 1)(c.pointer(output))
    call("graph_partition_compile", partition, compiled, len(inputs), pointers, 1, result, ENGINE)
    dtype = next(numpy for code, numpy in DTYPES.values() if code == output.data_type)
    memory = [packed(array) for array in arrays] + [
        np.empty(tuple(output.dims[: output.ndims]), dtype)
    ]
    handles = []
    for one, array in zip((*inputs, output), memory):
        handles.append(c.c_void_p())
        call(
            "graph_tensor_create",
            c.byref(handles[-1]),
            c.byref(one),
            ENGINE,
            c.c_void_p(array.ctypes.data),
        )
    passed = (c.c_void_p * len(inputs))(*(h.value for h in handles[:-1]))
    made = (c.c_void_p * 1)(handles[-1].value)
    call("graph_compiled_partition_execute", compiled, STREAM, len(inputs), passed, 1, made)
    call("stream_wait", STREAM)
    return memory[-1]


ENGINE, STREAM = c.c_void_p(), c.c_void_p()


def stored(array: np.ndarray) -> np.ndarray:
    if array.dtype == ml_dtypes.bfloat16:
        return array.view(np.uint16)
    if array.dtype in F8:
        return array.view(np.uint8)
    if array.dtype in (ml_dtypes.int4, ml_dtypes.uint4):
        return array.astype(np.int8)
    return array


def reals(random) -> np.ndarray:
    """Ties, all magnitudes, and the values where conversions differ."""
    x = random.integers(0, 2**32, SHAPE, np.uint32).view(np.float32)
    x = np.where(random.random(SHAPE) < 0.8, random.integers(-600, 600, SHAPE) / np.float32(4), x)
    named = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1e-45,
        0.49999997,
        -0.49999997,
        2.0**31,
        -(2.0**31),
        8388607.5,
        3e38,
    ]
    x = x.astype(np.float32)
    x.ravel()[: len(named)] = named
    return x


def around_ties(random, dtype: str, scale) -> np.ndarray:
    """Quotients in the middle of two numbers of an f8 type, and a few f32 beside it: f16 does not tell them apart."""
    codes = np.arange(0x7F, dtype=np.uint8).view(DTYPES[dtype][1]).astype(np.float32)
    codes = codes[np.isfinite(codes)]
    middles = np.concatenate([(codes[1:] + codes[:-1]) / 2, codes[-1:] * np.float32(1 + 2**-4)])
    x = random.choice(middles, SHAPE) * np.broadcast_to(np.float32(scale), SHAPE)
    bits = x.view(np.int32) + random.integers(-3, 4, SHAPE, np.int32)
    return bits.view(np.float32) * random.choice([np.float32(-1), np.float32(1)], SHAPE)


def drawn(random, dtype: str, shape) -> np.ndarray:
    if dtype in BOUNDS:
        return random.integers(*BOUNDS[dtype], shape).astype(DTYPES[dtype][1])
    if DTYPES[dtype][1] in F8:
        return random.permutation(256).astype(np.uint8).view(DTYPES[dtype][1]).reshape(shape)
    return random.uniform(0.01, 3, shape).astype(DTYPES[dtype][1])


def record(kind: str, cases) -> None:
    """`cases`: source type, result type, types and shapes of further operands, attributes."""
    random = np.random.default_rng(5)
    ops, arrays, numbers = [], {}, itertools.count()
    for index, (source, target, operands, attributes) in enumerate(cases):
        x = reals(random) if source == "f32" else drawn(random, source, SHAPE)
        if target.startswith("f8"):
            scale = np.float32(attributes["scales"])
            scale = scale[:, None] if attributes.get("axis") == 0 else scale
            x[1:] = around_ties(random, target, scale)[1:]
        values = [x] + [drawn(random, dtype, shape) for dtype, shape in operands]
        types = [(source, SHAPE), *operands]
        inputs = [tensor(next(numbers), dtype, shape) for dtype, shape in types]
        output = tensor(next(numbers), target, SHAPE)
        ops.append((index, kind, f"{kind}_{index}", inputs, [output], attributes))
        result = execute(ops[-1], values)
        arrays |= {str(one.id): stored(v) for one, v in zip((*inputs, output), (*values, result))}
    dump(kind, ops)
    np.savez_compressed(OUTPUT / f"{kind}.npz", **arrays)
    print(f"{kind}: {len(ops)} ops")


# Scales of six digits: oneDNN writes no more into the JSON.
CHANNELS = [round(0.07 + 0.031 * i, 3) for i in range(32)]
COLUMNS = {"qtype": "per_channel"}  # the axis is 1 by default
ROWS = {"qtype": "per_channel", "axis": 0}


def static_attributes():
    """Per channel, oneDNN on CPU takes no zero points."""
    for scale, zero in ((0.1, 3), (0.3, 100), (7.0, 0), (0.021, None)):
        yield {"qtype": "per_tensor", "scales": [scale]} | ({} if zero is None else {"zps": [zero]})
    yield COLUMNS | {"scales": CHANNELS}
    yield ROWS | {"scales": CHANNELS[:8], "zps": [0] * 8}


def f8_attributes(is_quantize: bool):
    """Zero points are zeros in Quantize and absent in Dequantize; oneDNN takes no others."""
    for scale in (0.1, 0.3, 7.0, 1.0):
        yield {"qtype": "per_tensor", "scales": [scale]} | ({"zps": [0]} if is_quantize else {})
    yield COLUMNS | {"scales": CHANNELS}
    yield ROWS | {"scales": CHANNELS[:8]}


def dynamic_dequantize_cases():
    groups = [((8, 4), [1, 8]), ((2, 32), [4, 1]), ((4, 8), [2, 4])]
    for source in ("s8", "u8"):  # with f16 and bf16 scales oneDNN reads the bits as f32
        for zero in (None, "s8", "u8", "s32"):
            yield source, "f32", [("f32", (1,))] + ([(zero, (1,))] if zero else []), {}
    for source, target in itertools.product(("s8", "u8", "s4", "u4"), ("f32", "f16", "bf16")):
        if (source, target) == ("u8", "f16"):
            continue  # oneDNN aborts
        yield source, target, [(target, (32,))], COLUMNS
        yield source, target, [(target, (8,))], ROWS
        zeros = (None, "s32", *(("s4", "u4") if "4" in source else ("s8", "u8")))
        for index, zero in enumerate(zeros):
            shape, group = groups[index % 3]
            yield source, target, [(target, shape)] + ([(zero, shape)] if zero else []), {
                "qtype": "per_group", "group_shape": group
            }  # fmt: skip


def main():
    call("engine_create", c.byref(ENGINE), c.c_int(CPU), 0)
    call("stream_create", c.byref(STREAM), ENGINE, c.c_int(1))
    integers = ("s8", "u8")
    floats = ("f8_e4m3", "f8_e5m2")
    record("quantize", [("f32", t, [], a) for t in integers for a in static_attributes()] + [
        ("f32", t, [], a) for t in floats for a in f8_attributes(True)
    ])  # fmt: skip
    record("dequantize", [(t, "f32", [], a) for t in integers for a in static_attributes()] + [
        (t, "f32", [], a) for t in floats for a in f8_attributes(False)
    ])  # fmt: skip
    record("dynamic_quantize", [
        ("f32", t, [("f32", shape)] + ([(zero, shape)] if zero else []), attributes)
        for t in integers
        for zero, shape, attributes in (
            *((zero, (1,), {}) for zero in (None, "s8", "u8", "s32")), (None, (32,), COLUMNS), (None, (8,), ROWS),
        )
    ])  # fmt: skip
    record("dynamic_dequantize", list(dynamic_dequantize_cases()))

    # A layer: a strided argument, constant weights, shapes left to oneDNN, ops that are no quantization.
    x, w = tensor(0, "u8", (2, 3, 4), strides=(12, 1, 3)), tensor(1, "s8", (2, 4, 5), constant=True)
    real_x, real_w = tensor(2, "f32", (2, 3, 4)), tensor(3, "f32", (2, 4, 5))
    scales, bias = tensor(4, "f32", (5,), constant=True), tensor(5, "f32", (5,))
    product, positive, q = (tensor(n, t) for n, t in ((6, "f32"), (7, "f32"), (8, "s8")))
    dump("matmul", [
        (1, "dequantize", "real_x", [x], [real_x], {"scales": [0.1], "zps": [128]}),
        (2, "dynamic_dequantize", "real_w", [w, scales], [real_w], {"qtype": "per_channel", "axis": 2}),
        (3, "matmul", "aten::matmul", [real_x, real_w, bias], [product], {"transpose_b": False}),
        (4, "relu", "", [product], [positive], {}),
        (5, "quantize", "q", [positive], [q], {"scales": [0.3]}),
    ])  # fmt: skip


if __name__ == "__main__":
    main()
