# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, imported and compiled, against ONNX's reference evaluator on the very same model.

Where the evaluator leaves ONNX's text (docs/Sources.md) the data stays on common ground; test_reference_onnx.py has
the statements beyond.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from kernels import dtype_of, same
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx_graph import Graph, code_of

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

INTEGERS = ("i8", "ui8", "i16", "ui16", "i4", "ui4", "i2", "ui2")
FLOAT8 = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")
SMALL_FLOATS = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
STORAGES = (*INTEGERS, *FLOAT8, *SMALL_FLOATS)
SHAPE = (3, 7, 5)
#: Attributes and shape of the parameters for an input of SHAPE.
PLACEMENTS = {
    "tensor": [({}, ()), ({"axis": -3}, (1,))],
    "axis": [({}, (7,)), ({"axis": -1}, (5,)), ({"axis": 0}, (3,))],
    "block": [
        ({"block_size": 3}, (3, 3, 5)),
        ({"axis": -1, "block_size": 5}, (3, 7, 1)),
        ({"axis": 0, "block_size": 2}, (2, 7, 5)),
    ],
}


def reals(random, shape, dtype) -> np.ndarray:
    """Ties of the scales that are powers of two, noise, and values beyond most storage; quotients stay below 2^15."""
    x = random.integers(-600, 600, shape) / 4 + random.normal(size=shape) * random.integers(
        0, 2, shape
    )
    x = np.asarray(x * random.choice([1, 1, 1, 20], shape))
    return np.clip(x, -2000, 2000).astype(dtype)


def scales(random, shape, dtype) -> np.ndarray:
    return np.asarray(random.choice([0.5, 0.3, 1.0, 2.0, 0.07], shape)).astype(dtype)


def codes(random, shape, storage) -> np.ndarray:
    dtype = dtype_of(storage)
    if storage.startswith("f"):
        width = int(storage[1])
        return np.asarray(random.integers(0, 1 << width, shape, np.uint8)).view(dtype)
    info = ml_dtypes.iinfo(dtype)
    return np.asarray(random.integers(int(info.min), int(info.max), shape, endpoint=True)).astype(
        dtype
    )


def zero_points(random, shape, storage) -> np.ndarray:
    """Of float8 the evaluator allows zeros only."""
    if storage in FLOAT8:
        return np.zeros(shape, dtype_of(storage))
    if storage in SMALL_FLOATS:
        return np.asarray(random.choice([0.0, 1.0, -2.0, 0.5], shape)).astype(dtype_of(storage))
    return codes(random, shape, storage)


#: Type of the reals, dynamic sizes, constant parameters, a zero point.
VARIANTS = [
    (np.float32, False, False, True),
    (np.float16, False, True, True),
    (ml_dtypes.bfloat16, False, False, False),
    (np.float32, True, True, False),
    (np.float32, True, False, True),
]


def variants(storage, granularity):
    for index, (real, dynamic, constant, has_zero) in enumerate(VARIANTS):
        random = np.random.default_rng([index, STORAGES.index(storage), len(granularity)])
        placements = PLACEMENTS[granularity]
        attributes, shape = placements[index % len(placements)]
        if shape == (1,) and dynamic and not constant:
            attributes, shape = placements[0]  # an open size would make it one of an axis
        yield random, real, attributes, shape, has_zero, dict(dynamic=dynamic, constant=constant)


@pytest.mark.proves("ONNX", "QuantizeLinear", against="ONNX reference evaluator")
@pytest.mark.every_value
@pytest.mark.parametrize("granularity", PLACEMENTS)
@pytest.mark.parametrize("storage", STORAGES)
def test_quantize(storage, granularity):
    graph = Graph()
    for random, real, attributes, shape, has_zero, how in variants(storage, granularity):
        x, scale = reals(random, SHAPE, real), scales(random, shape, real)
        zero = zero_points(random, shape, storage)
        if has_zero and storage in FLOAT8:
            x = abs(
                x
            )  # the sum with a zero point of zero makes +0 of -0, and the evaluator does not add it
        rest = {} if has_zero else {"output_dtype": code_of(dtype_of(storage))}
        operands = (x, scale, zero) if has_zero else (x, scale)
        graph.add("QuantizeLinear", *operands, **how, **attributes, **rest)
    graph.check()


@pytest.mark.proves("ONNX", "DequantizeLinear", against="ONNX reference evaluator")
@pytest.mark.every_value
@pytest.mark.parametrize("granularity", PLACEMENTS)
@pytest.mark.parametrize("storage", STORAGES)
def test_dequantize(storage, granularity):
    graph = Graph()
    for random, real, attributes, shape, has_zero, how in variants(storage, granularity):
        q, scale = codes(random, SHAPE, storage), scales(random, shape, real)
        # The evaluator leaves zero points of float4 out.
        has_zero = has_zero and storage != "f4E2M1FN"
        operands = (q, scale, zero_points(random, shape, storage)) if has_zero else (q, scale)
        graph.add("DequantizeLinear", *operands, **how, **attributes)
    graph.check()


@pytest.mark.proves("ONNX", "DequantizeLinear", against="ONNX reference evaluator", storage="i32")
@pytest.mark.parametrize("granularity", PLACEMENTS)
def test_dequantize_i32(granularity):
    """Zero points of int32 are supposed to be 0."""
    graph, random = Graph(), np.random.default_rng(0)
    for attributes, shape in PLACEMENTS[granularity]:
        q = random.integers(-(2**31), 2**31 - 1, SHAPE, np.int32, endpoint=True)
        for zero in (None, np.zeros(shape, np.int32)):
            scale = scales(random, shape, np.float32)
            graph.add("DequantizeLinear", q, scale, zero, **attributes)
    graph.check()


@pytest.mark.parametrize("storage", ["i8", "ui4", "i2", "i32", "f8E5M2", "f4E2M1FN", "f6E3M2FN"])
def test_weights(storage):
    """Codes that are initializers: few, which are elements in the module, and many, which are a resource."""
    graph, random = Graph(), np.random.default_rng(8)
    for columns in (5, 81):
        q = codes(random, (30, columns), storage)
        scale = scales(random, (columns,), np.float32)
        graph.add("DequantizeLinear", q, scale, constant="all")
        graph.add("DequantizeLinear", q, scales(random, (4, columns), np.float16), constant="all", axis=0, block_size=9)  # fmt: skip
    graph.check()


def test_integer_input():
    """Of i32; the evaluator divides it in f64, so that quotients are exact here."""
    graph, random = Graph(), np.random.default_rng(9)
    x = random.integers(-(2**24), 2**24, SHAPE, np.int32)
    for storage in ("i8", "ui16", "ui4"):
        scale = (2.0 ** random.integers(8, 20, 7)).astype(np.float32)
        graph.add("QuantizeLinear", x, scale, zero_points(random, 7, storage))
    graph.check()


@pytest.mark.parametrize("rank", range(7))
def test_ranks(rank):
    """Rank 0 to 6, parameters of one element as [] and [1], every axis from both ends, both spellings of no zero point."""
    graph, random = Graph(), np.random.default_rng(rank)
    shape = (2, 3, 1, 4, 2, 3)[:rank]
    x, q = reals(random, shape, np.float32), codes(random, shape, "i8")
    for parameter_shape in ((), (1,)):
        scale = scales(random, parameter_shape, np.float32)
        zero = zero_points(random, parameter_shape, "i8")
        graph.add("QuantizeLinear", x, scale, zero)
        graph.add("QuantizeLinear", x, scale, None)
        graph.add("DequantizeLinear", q, scale, zero)
        graph.add("DequantizeLinear", q, scale)
    for axis in range(-rank, rank):
        # A scale of one element stands for the whole tensor.
        if shape[axis] > 1:
            scale = scales(random, shape[axis], np.float32)
            graph.add("QuantizeLinear", x, scale, zero_points(random, shape[axis], "i8"), axis=axis)
        blocks = list(shape)
        blocks[axis] = -(-shape[axis] // 2)
        if rank > 1:
            scale = scales(random, blocks, np.float32)
            graph.add("DequantizeLinear", q, scale, axis=axis, block_size=2)
    graph.check()


def opset_10(random):
    yield "QuantizeLinear", "ui8", np.float32, (), {}
    yield "DequantizeLinear", "i8", np.float32, (), {}


def opset_13(random):
    for axis, size in ((0, 3), (1, 7), (-1, 5)):
        yield "QuantizeLinear", "i8", np.float32, (size,), {"axis": axis}
        yield "DequantizeLinear", "ui8", np.float32, (size,), {"axis": axis}


def opset_19(random):
    for storage in FLOAT8:
        yield "QuantizeLinear", storage, np.float32, (), {"saturate": 1}
        yield "DequantizeLinear", storage, np.float16, (), {}
    yield "QuantizeLinear", "i8", np.float16, (7,), {}
    yield "QuantizeLinear", "ui8", ml_dtypes.bfloat16, (), {}


def opset_21(random):
    for storage in ("i4", "ui4", "i16", "ui16"):
        yield "QuantizeLinear", storage, np.float32, (3, 4, 5), {"block_size": 2}
        yield "DequantizeLinear", storage, np.float16, (3, 4, 5), {"block_size": 2}


def opset_23(random):
    yield "QuantizeLinear", "f4E2M1FN", np.float32, (), {"precision": TensorProto.FLOAT16}
    yield "QuantizeLinear", "i8", np.float16, (7,), {"precision": TensorProto.FLOAT}
    yield "DequantizeLinear", "f4E2M1FN", np.float32, (), {"output_dtype": TensorProto.FLOAT16}
    yield "DequantizeLinear", "i8", np.float16, (), {"output_dtype": TensorProto.FLOAT}


def opset_24(random):
    yield "DequantizeLinear", "f8E4M3FN", np.float32, (3, 1, 5), {"block_size": 7}


def opset_25(random):
    for storage in ("i2", "ui2"):
        yield "QuantizeLinear", storage, np.float32, (7,), {}
        yield "DequantizeLinear", storage, ml_dtypes.bfloat16, (7,), {}


def opset_28(random):
    for storage in ("f6E2M3FN", "f6E3M2FN"):
        yield "QuantizeLinear", storage, np.float32, (3, 4, 5), {"block_size": 2}
        yield "DequantizeLinear", storage, np.float32, (3, 4, 5), {"block_size": 2}


@pytest.mark.parametrize(
    "cases", [opset_10, opset_13, opset_19, opset_21, opset_23, opset_24, opset_25, opset_28]
)
def test_opset(cases):
    """What each operator set added, in a model that imports it."""
    graph = Graph(int(cases.__name__.removeprefix("opset_")))
    random = np.random.default_rng(graph.opset)
    for operation, storage, real, shape, attributes in cases(random):
        scale = scales(random, shape, real)
        first = codes(random, SHAPE, storage)
        zero = zero_points(random, shape, storage)
        if operation == "QuantizeLinear":
            first = reals(random, SHAPE, real)
            first = abs(first) if storage in FLOAT8 else first
        elif storage == "f4E2M1FN":
            zero = None
        graph.add(operation, first, scale, zero, **attributes)
    # The evaluator begins with DequantizeLinear-19, which says the same of what came before.
    model = graph.model()
    model.opset_import[0].version = max(19, graph.opset)
    graph.check(ReferenceEvaluator(model).run(None, graph.arrays))


def test_saturate_0():
    """As the evaluator, which casts with ml_dtypes; beyond the largest value that is NaN, or the format's infinity."""
    random, graph = np.random.default_rng(3), Graph()
    for storage in FLOAT8:
        x = np.concatenate(
            [reals(random, 90, np.float32) * 300, [np.inf, -np.inf, np.nan, 464, 465]]
        )
        graph.add(
            "QuantizeLinear", x.astype(np.float32), np.float32(0.75).reshape(()), saturate=0,
            output_dtype=code_of(dtype_of(storage)),
        )  # fmt: skip
    graph.check()


@pytest.mark.parametrize("storage", ["f8E4M3FN", "f8E5M2", "f4E2M1FN", "f6E3M2FN", "i8"])
def test_power_of_two_scales(storage):
    """f8E8M0 scales: the evaluator's results for the same scales in f32, which holds them exactly."""
    random, graph, expected = np.random.default_rng(4), Graph(), Graph()
    powers = 2.0 ** random.integers(-6, 6, (3, 3, 5))
    attributes = {"block_size": 3, "output_dtype": code_of(dtype_of(storage))}
    x, q = reals(random, SHAPE, np.float32), codes(random, SHAPE, storage)
    small = powers.astype(ml_dtypes.float8_e8m0fnu)
    graph.add("QuantizeLinear", x, small, **attributes)
    expected.add("QuantizeLinear", x, powers.astype(np.float32), **attributes)
    attributes["output_dtype"] = TensorProto.FLOAT
    graph.add("DequantizeLinear", q, small, **attributes)
    expected.add("DequantizeLinear", q, powers.astype(np.float32), **attributes)
    graph.check(ReferenceEvaluator(expected.model()).run(None, expected.arrays))


def test_block_size_is_inferred():
    """Where the shapes leave one size only: the same as with that size."""
    random, graph, expected = np.random.default_rng(5), Graph(), Graph()
    x, q = reals(random, SHAPE, np.float32), codes(random, SHAPE, "i8")
    for size, shape in ((1, (3, 7, 5)), (2, (3, 4, 5)), (7, (3, 1, 5))):
        scale = scales(random, shape, np.float32)
        for operation, first in (("QuantizeLinear", x), ("DequantizeLinear", q)):
            graph.add(operation, first, scale)
            expected.add(operation, first, scale, block_size=size)
    graph.check(ReferenceEvaluator(expected.model()).run(None, expected.arrays))


def test_block_size_of_quark_models():
    """D / S, where other models could mean more sizes."""
    random, graph, expected = np.random.default_rng(10), Graph(producer="quark.onnx"), Graph()
    q, scale = codes(random, (4, 64), "ui4"), scales(random, (4, 2), np.float32)
    graph.add("DequantizeLinear", q, scale)
    expected.add("DequantizeLinear", q, scale, block_size=32)
    graph.check(ReferenceEvaluator(expected.model()).run(None, expected.arrays))


@pytest.mark.proves("ONNX", "DynamicQuantizeLinear", against="ONNX reference evaluator", storage="ui8", granularity="tensor")  # fmt: skip
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("rank", [0, 1, 4])
def test_dynamic_quantize(rank, dynamic):
    x = reals(np.random.default_rng(rank), (3, 4, 1, 5)[:rank], np.float32)
    shape = [f"d{d}" for d in range(rank)] if dynamic else list(x.shape)
    graph = helper.make_graph(
        [helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])], "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info(name) for name in "ysz"],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    expected = ReferenceEvaluator(model).run(None, {"x": x})
    for ours, theirs in zip(runtime.compile(import_model(model))["graph"](x), expected):
        assert same(np.asarray(ours), np.asarray(theirs)).all()


MICROSOFT = ("i8", "ui8", "i16", "ui16", "i4", "ui4")


@pytest.mark.proves("ONNX Runtime com.microsoft", "QuantizeLinear", against="ONNX Runtime")
@pytest.mark.proves("ONNX Runtime com.microsoft", "DequantizeLinear", against="ONNX Runtime")
@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize("storage", MICROSOFT)
def test_microsoft(storage, granularity):
    """The operators of ONNX Runtime's own domain, run by it."""
    random, graph, types = np.random.default_rng(6), Graph(21, "com.microsoft"), []
    for attributes, shape in PLACEMENTS[granularity]:
        scale, zero = scales(random, shape, np.float32), zero_points(random, shape, storage)
        x = reals(random, SHAPE, np.float32)
        if "4" not in storage:  # which pass through an int32 where the axis is the last
            x.flat[:4] = [3e38, -3e38, 1e10, -0.0]
        graph.add("QuantizeLinear", x, scale, zero, **attributes)
        graph.add("DequantizeLinear", codes(random, SHAPE, storage), scale, zero, **attributes)
        types += [code_of(dtype_of(storage)), TensorProto.FLOAT]
    model = graph.model(types)
    # ONNX Runtime exchanges no 4-bit codes with NumPy: it has them as initializers, and widens results itself.
    fed = {name: array for name, array in graph.arrays.items() if array.dtype != dtype_of("i4")}
    fed = {name: array for name, array in fed.items() if array.dtype != dtype_of("ui4")}
    inputs = [info for info in model.graph.input if info.name in fed]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.graph.initializer.extend(
        numpy_helper.from_array(array, name)
        for name, array in graph.arrays.items()
        if name not in fed
    )
    wide = TensorProto.INT8 if storage.startswith("i") else TensorProto.UINT8
    for index in range(0, len(types), 2) if "4" in storage else ():
        name = graph.outputs[index]
        model.graph.node.append(helper.make_node("Cast", [name], [f"{name}_wide"], to=wide))
        model.graph.output[index].CopyFrom(
            helper.make_tensor_value_info(f"{name}_wide", wide, None)
        )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected = session.run_with_ort_values(
        None,
        {
            name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                array, code_of(array.dtype)
            )
            for name, array in fed.items()
        },
    )
    expected = [value.numpy() for value in expected]
    expected[::2] = [codes.astype(dtype_of(storage)) for codes in expected[::2]]
    graph.check(expected)
