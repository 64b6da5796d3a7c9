# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of floats in .tflite files, compiled, beside LiteRT's reference kernels. One compile for each group."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from ai_edge_litert.interpreter import OpResolverType
from build_tree import SOURCE
from tflite_models import (
    NONE,
    RELU,
    RELU6,
    RELU_N1_TO_1,
    RESOLVERS,
    SAME,
    TYPES,
    VALID,
    Model,
    Quantized,
    litert,
)

from mlir_qdq import runtime
from mlir_qdq.command._missing import missing_operators
from mlir_qdq.importers import tflite

RANDOM = np.random.default_rng(0)
TANH = 4
#: Functions of floats are approximations, here and in C's library.
CLOSE = {"rtol": 4e-6, "atol": 2e-6}


def floats(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(np.float32)


def ints(*values) -> np.ndarray:
    return np.array(values, np.int32)


@dataclass
class Row:
    """An operator; operands at `constant` are constants of the file."""

    operator: str
    operands: list
    options: str
    fields: dict
    constant: tuple
    is_exact: bool
    results: int
    version: int
    #: Where it is quantized.
    result: Quantized | None = None

    def __str__(self) -> str:
        words = [self.operator, *("x".join(map(str, np.shape(x))) for x in self.operands)]
        return "-".join([*words, *map(str, self.fields.values())])


def row(
    operator,
    *operands,
    options="",
    constant=(),
    exact=False,
    results=1,
    version=1,
    result=None,
    **fields,
):
    return Row(operator, list(operands), options, fields, constant, exact, results, version, result)


X, Y = floats(2, 3, 4), floats(2, 3, 4)
EDGES = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 6, 7, -8.9, -9.1, 16.5, 17, -20, 20], np.float32)  # fmt: skip
POSITIVE = np.abs(X) + np.float32(0.1)
BROADCASTS = [((2, 3, 4), (4,)), ((3, 1), (2, 1, 4)), ((2, 3), ())]
IMAGE = floats(2, 9, 8, 4)

ELEMENTWISE = [
    *(row(name, EDGES, exact=True) for name in [
        "ABS", "FLOOR", "NEG", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1",
        "SQUARE", "HARD_SWISH", "SIGN",
    ]),
    *(row(name, POSITIVE, exact=True) for name in ["SQRT"]),
    *(row(name, EDGES) for name in ["COS", "EXP", "LOGISTIC", "SIN", "TANH"]),
    *(row(name, POSITIVE) for name in ["LOG", "RSQRT"]),
    row("GELU", EDGES, options="GeluOptions", approximate=False),
    row("GELU", EDGES, options="GeluOptions", approximate=True),
    row("LEAKY_RELU", EDGES, options="LeakyReluOptions", alpha=0.3, exact=True),
    row("PRELU", X, floats(1, 1, 4), exact=True),
    row("CAST", EDGES, options="CastOptions", inDataType=TYPES["float32"], outDataType=TYPES["int32"], exact=True),  # fmt: skip
    row("CAST", ints(1, -7), options="CastOptions", inDataType=TYPES["int32"], outDataType=TYPES["float32"], exact=True),  # fmt: skip
    *(
        row(name, floats(*a), floats(*b), options=f"{name.title()}Options", fusedActivationFunction=f, exact=True)
        for name in ["ADD", "SUB", "MUL", "DIV"]
        for (a, b), f in zip(BROADCASTS, [NONE, RELU, RELU6])
    ),
    row("ADD", X, Y, options="AddOptions", fusedActivationFunction=RELU_N1_TO_1, exact=True),
    row("ADD", ints(1, 2), ints(3, -4), options="AddOptions", exact=True),
    *(row(name, X, Y, exact=True) for name in ["MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"]),
    *(row(name, X, Y, exact=True) for name in ["FLOOR_DIV", "FLOOR_MOD"]),
    row("POW", POSITIVE, Y),
    *(row(name, ints(1, 2, 3), ints(3, 2, 1), exact=True) for name in [
        "EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL",
    ]),
    row("NOT_EQUAL", EDGES, EDGES[::-1].copy(), exact=True),
    *(row(name, X > 0, Y > 0, exact=True) for name in ["LOGICAL_AND", "LOGICAL_OR"]),
    row("LOGICAL_NOT", X > 0, exact=True),
    row("SELECT_V2", X > 0, X, floats(4), exact=True),
]  # fmt: skip


def conv(padding, activation, *shapes, stride=1, dilation=1, operator="CONV_2D", **fields):
    options = {"CONV_2D": "Conv2DOptions", "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions"}[operator]
    fields |= {"padding": padding, "fusedActivationFunction": activation}
    fields |= {"strideH": stride, "strideW": stride, "dilationHFactor": dilation, "dilationWFactor": dilation}  # fmt: skip
    operands = [floats(*shape) for shape in shapes]
    return row(operator, *operands, options=options, constant=(1, 2), exact=True, **fields)


PRODUCTS = [
    conv(SAME, NONE, (2, 9, 8, 4), (5, 3, 2, 4), (5,)),
    conv(VALID, RELU, (2, 9, 8, 4), (5, 3, 3, 4), (5,), stride=2),
    conv(SAME, RELU6, (1, 9, 8, 4), (6, 3, 3, 2), (6,), stride=2),
    conv(VALID, NONE, (1, 9, 8, 4), (3, 2, 2, 4), (3,), dilation=2),
    conv(SAME, RELU, (1, 9, 8, 4), (1, 3, 3, 4), (4,), operator="DEPTHWISE_CONV_2D", stride=2, depthMultiplier=1),  # fmt: skip
    conv(VALID, NONE, (1, 9, 8, 4), (1, 3, 2, 8), (8,), operator="DEPTHWISE_CONV_2D", depthMultiplier=2),  # fmt: skip
    row("FULLY_CONNECTED", floats(3, 7), floats(5, 7), floats(5), options="FullyConnectedOptions", fusedActivationFunction=RELU, constant=(1, 2), exact=True),  # fmt: skip
    row("FULLY_CONNECTED", floats(2, 3, 7), floats(5, 7), options="FullyConnectedOptions", keepNumDims=True, constant=(1,), exact=True, version=5),  # fmt: skip
    row("FULLY_CONNECTED", floats(2, 2, 7), floats(5, 14), options="FullyConnectedOptions", constant=(1,), exact=True),  # fmt: skip
    *(
        row("BATCH_MATMUL", floats(*a), floats(*b), options="BatchMatMulOptions", adjX=x, adjY=y, exact=True)
        for a, b, x, y in [
            ((2, 3, 4), (2, 4, 5), False, False),
            ((2, 4, 3), (2, 5, 4), True, True),
            ((1, 2, 3, 4), (3, 1, 4, 2), False, False),
        ]
    ),
    row("TRANSPOSE_CONV", ints(1, 9, 8, 3), floats(3, 3, 2, 4), floats(1, 5, 4, 4), floats(3), options="TransposeConvOptions", padding=SAME, strideH=2, strideW=2, constant=(0, 1, 3), exact=True, version=3),  # fmt: skip
    row("TRANSPOSE_CONV", ints(1, 11, 8, 3), floats(3, 3, 2, 4), floats(1, 5, 4, 4), options="TransposeConvOptions", padding=VALID, strideH=2, strideW=2, constant=(0, 1), exact=True),  # fmt: skip
]  # fmt: skip


def pool(operator, padding, size, stride, activation=NONE):
    return row(
        operator, IMAGE, options="Pool2DOptions", padding=padding, filterHeight=size, filterWidth=size,
        strideH=stride, strideW=stride, fusedActivationFunction=activation, exact=True,
    )  # fmt: skip


REDUCTIONS = [
    pool("MAX_POOL_2D", SAME, 3, 2),
    pool("MAX_POOL_2D", VALID, 2, 1, RELU),
    pool("AVERAGE_POOL_2D", SAME, 3, 2),
    pool("AVERAGE_POOL_2D", VALID, 3, 2, RELU6),
    *(
        row(
            name,
            X,
            ints(*axes),
            options="ReducerOptions",
            keepDims=keeps,
            constant=(1,),
            exact=True,
        )
        for name in ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"]
        for axes, keeps in [((1,), False), ((0, -1), True)]
    ),
    row(
        "ARG_MAX",
        X,
        ints(1),
        options="ArgMaxOptions",
        outputType=TYPES["int32"],
        constant=(1,),
        exact=True,
    ),  # fmt: skip
    row(
        "ARG_MIN",
        X,
        ints(-1),
        options="ArgMinOptions",
        outputType=TYPES["int64"],
        constant=(1,),
        exact=True,
    ),  # fmt: skip
    row("SOFTMAX", X, options="SoftmaxOptions", beta=1.0),
    row("SOFTMAX", X, options="SoftmaxOptions", beta=0.3),
    row("LOG_SOFTMAX", X),
    row("L2_NORMALIZATION", X, options="L2NormOptions"),
]

SHAPES = [
    row("RESHAPE", X, ints(4, 6), constant=(1,), exact=True),
    row("SQUEEZE", floats(2, 1, 3), exact=True),
    row("EXPAND_DIMS", X, ints(1), constant=(1,), exact=True),
    row("TRANSPOSE", X, ints(2, 0, 1), constant=(1,), exact=True),
    row("PAD", X, ints((1, 0), (0, 2), (1, 1)), constant=(1,), exact=True),
    row("PADV2", X, ints((1, 0), (0, 2), (1, 1)), np.array([7], np.float32), constant=(1, 2), exact=True),
    row("MIRROR_PAD", X, ints((1, 0), (0, 2), (1, 1)), options="MirrorPadOptions", mode=0, constant=(1,), exact=True),  # fmt: skip
    row("MIRROR_PAD", X, ints((1, 0), (0, 2), (1, 1)), options="MirrorPadOptions", mode=1, constant=(1,), exact=True),  # fmt: skip
    row("CONCATENATION", X, Y, options="ConcatenationOptions", axis=-1, exact=True),
    row("SPLIT", ints(2), X, options="SplitOptions", numSplits=2, constant=(0,), results=2, exact=True),
    row("SPLIT_V", X, ints(1, 3), ints(2), options="SplitVOptions", numSplits=2, constant=(1, 2), results=2, exact=True),  # fmt: skip
    row("SLICE", X, ints(0, 1, 1), ints(2, -1, 2), constant=(1, 2), exact=True),
    row("STRIDED_SLICE", X, ints(0, 1, 0), ints(2, 3, 4), ints(1, 1, 2), options="StridedSliceOptions", shrinkAxisMask=1, constant=(1, 2, 3), exact=True),  # fmt: skip
    row("PACK", X, Y, options="PackOptions", valuesCount=2, axis=1, exact=True),
    row("UNPACK", X, options="UnpackOptions", num=3, axis=1, results=3, exact=True),
    row("GATHER", X, ints(2, 0), options="GatherOptions", axis=1, exact=True),
    row("EMBEDDING_LOOKUP", ints(1, 0, 1), floats(2, 5), constant=(1,), exact=True),
    row("TILE", X, ints(1, 2, 3), constant=(1,), exact=True),
    row("BROADCAST_TO", floats(3, 1), ints(2, 3, 4), constant=(1,), exact=True, version=2),
    row("SHAPE", X, options="ShapeOptions", outType=TYPES["int32"], exact=True),
    row("DEPTH_TO_SPACE", floats(2, 3, 2, 8), options="DepthToSpaceOptions", blockSize=2, exact=True),
    row("SPACE_TO_DEPTH", floats(2, 4, 6, 3), options="SpaceToDepthOptions", blockSize=2, exact=True),
    *(
        row(f"RESIZE_{name}", IMAGE, ints(*size), options=f"Resize{option}Options", constant=(1,), exact=True, **flags)
        for name, option in [("NEAREST_NEIGHBOR", "NearestNeighbor"), ("BILINEAR", "Bilinear")]
        for size in [(18, 5), (4, 8)]
        for flags in [{}, {"alignCorners": True}, {"halfPixelCenters": True}]
    ),
]  # fmt: skip

#: LiteRT has no reference kernels of these.
OPTIMIZED = [row("CEIL", EDGES, exact=True), row("ROUND", EDGES, exact=True), row("ELU", EDGES)]


@dataclass
class Codes:
    """A quantized constant."""

    array: np.ndarray
    parameters: Quantized

    @property
    def shape(self):
        return self.array.shape


def weights(*shape: int, axis: int | None = None, dtype="int8") -> Codes:
    bound = 7 if dtype == "int4" else 127
    array = RANDOM.integers(-bound, bound + 1, shape).astype(np.int8)
    count = 1 if axis is None else shape[axis]
    scales = np.float32(RANDOM.uniform(0.001, 0.02, count)).tolist()
    return Codes(array, Quantized(dtype, tuple(scales) if axis is not None else scales[0], 0 if axis is None else (0,) * count, axis or 0))  # fmt: skip


def dynamic(filter, *shape, outputs, operator="FULLY_CONNECTED", bias=True, **fields):
    """Inputs of floats whose rows differ in range; one is all zeros."""
    x = floats(*shape) * np.float32(10.0) ** np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)).astype(np.float32)  # fmt: skip
    x[-1] = 0 if shape[0] > 1 else x[-1]
    options = {"CONV_2D": "Conv2D", "DEPTHWISE_CONV_2D": "DepthwiseConv2D"}
    if operator != "FULLY_CONNECTED":
        fields |= {"strideH": 2, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
    operands = [x, filter, *([floats(outputs)] if bias else [])]
    return row(operator, *operands, options=options.get(operator, "FullyConnected") + "Options", constant=(1, 2), exact=True, version=9 if operator == "FULLY_CONNECTED" else 1, **fields)  # fmt: skip


DYNAMIC = [
    dynamic(weights(5, 12), 4, 12, outputs=5),
    dynamic(weights(5, 12, axis=0), 4, 12, outputs=5, fusedActivationFunction=RELU),
    dynamic(weights(5, 12, axis=0), 4, 12, outputs=5, asymmetricQuantizeInputs=True),
    dynamic(weights(5, 12), 4, 12, outputs=5, bias=False, asymmetricQuantizeInputs=True),
    dynamic(weights(5, 12, axis=0, dtype="int4"), 4, 12, outputs=5, fusedActivationFunction=RELU6),
    dynamic(weights(70, 200, axis=0), 4, 2, 200, outputs=70, keepNumDims=True),
    dynamic(weights(6, 3, 2, 4, axis=0), 3, 9, 8, 4, outputs=6, operator="CONV_2D", padding=SAME),
    dynamic(weights(6, 3, 2, 2, axis=0), 2, 9, 8, 4, outputs=6, operator="CONV_2D", padding=SAME),
    dynamic(
        weights(6, 3, 2, 4),
        3,
        9,
        8,
        4,
        outputs=6,
        operator="CONV_2D",
        padding=VALID,
        fusedActivationFunction=RELU,
    ),  # fmt: skip
    dynamic(
        weights(1, 3, 2, 4, axis=3),
        3,
        9,
        8,
        4,
        outputs=4,
        operator="DEPTHWISE_CONV_2D",
        padding=SAME,
        depthMultiplier=1,
    ),  # fmt: skip
    dynamic(
        weights(1, 3, 2, 8, axis=3),
        3,
        9,
        8,
        4,
        outputs=8,
        operator="DEPTHWISE_CONV_2D",
        padding=VALID,
        depthMultiplier=2,
    ),  # fmt: skip
]

SAME_CODES = Quantized("int8", 0.05, 3)
ALL_CODES = Codes(np.arange(-128, 128, dtype=np.int8).reshape(2, 8, 16), SAME_CODES)
IMAGE_CODES = Codes(RANDOM.integers(-128, 128, (2, 4, 6, 4)).astype(np.int8), SAME_CODES)


def move(operator, *operands, **fields):
    return row(operator, *operands, result=SAME_CODES, exact=True, **fields)


#: LiteRT's tables of 256 entries, and operators that move codes.
CODES = [
    row("GELU", ALL_CODES, options="GeluOptions", approximate=False, exact=True, version=2, result=Quantized("int8", 0.03, -117)),
    row("GELU", ALL_CODES, options="GeluOptions", approximate=True, exact=True, version=2, result=Quantized("int8", 0.03, -117)),
    move("SELECT_V2", floats(2, 8, 16) > 0, ALL_CODES, Codes(ALL_CODES.array[::-1].copy(), SAME_CODES)),
    move("GATHER", ALL_CODES, ints(2, 0), options="GatherOptions", axis=1),
    move("PACK", ALL_CODES, ALL_CODES, options="PackOptions", valuesCount=2, axis=1),
    move("UNPACK", ALL_CODES, options="UnpackOptions", num=2, axis=0, results=2),
    move("TILE", ALL_CODES, ints(1, 2, 1), constant=(1,)),
    move("BROADCAST_TO", Codes(ALL_CODES.array[:, :1], SAME_CODES), ints(2, 3, 16), constant=(1,), version=2),
    move("MIRROR_PAD", ALL_CODES, ints((1, 0), (0, 2), (1, 1)), options="MirrorPadOptions", mode=0, constant=(1,), version=2),
    move("DEPTH_TO_SPACE", IMAGE_CODES, options="DepthToSpaceOptions", blockSize=2),
    move("SPACE_TO_DEPTH", IMAGE_CODES, options="SpaceToDepthOptions", blockSize=2),
    *(
        move("RESIZE_BILINEAR", IMAGE_CODES, ints(*size), options="ResizeBilinearOptions", constant=(1,), version=3, **flags)
        for size in [(7, 3), (2, 12)]
        for flags in [{}, {"alignCorners": True}, {"halfPixelCenters": True}]
    ),
    *(
        row(
            "TRANSPOSE_CONV", ints(2, *size, 3), weights(3, 3, 2, 4, axis=0), IMAGE_CODES,
            Codes(RANDOM.integers(-3000, 3000, 3).astype(np.int32), None), options="TransposeConvOptions",
            padding=padding, strideH=2, strideW=2, constant=(0, 1, 3), version=3, exact=True, result=Quantized("int8", 0.2, -5),
        )
        for padding, size in [(SAME, (8, 12)), (SAME, (7, 11)), (VALID, (9, 12))]
    ),
    move("RESIZE_NEAREST_NEIGHBOR", IMAGE_CODES, ints(7, 3), options="ResizeNearestNeighborOptions", constant=(1,), version=2),
]  # fmt: skip

GROUPS = {
    "codes": CODES,
    "dynamic": DYNAMIC,
    "optimized": OPTIMIZED,
    "elementwise": ELEMENTWISE,
    "products": PRODUCTS,
    "reductions": REDUCTIONS,
    "shapes": SHAPES,
}


def bias_parameters(x: Codes, filter: Codes) -> Quantized:
    scales = np.float32(x.parameters.scale) * np.float32(filter.parameters.scale)
    return Quantized("int32", tuple(float(s) for s in scales), (0,) * len(scales))


def build(rows: list[Row], results=None) -> tuple[bytes, list[np.ndarray]]:
    """A model of all rows; LiteRT knows the shapes and types of results before we write them into it."""
    model, inputs, outputs = Model(), [], []
    known = iter(results or [])
    for each in rows:
        operands = []
        for i, array in enumerate(each.operands):
            if isinstance(array, Codes) and i in each.constant:
                parameters = array.parameters or bias_parameters(*each.operands[2:0:-1])
                operands.append(model.constant(array.array, parameters))
            elif isinstance(array, Codes):
                operands.append(model.input(array.shape, array.parameters))
                inputs.append(array.array)
            elif i in each.constant:
                operands.append(model.constant(array))
            else:
                operands.append(model.input(array.shape, str(array.dtype)))
                inputs.append(array)
        made = [next(known, None) for _ in range(each.results)]
        unknown = each.result or ("bool" if each.operator.startswith("LOGICAL") else "float32")
        made = [
            model.tensor((), unknown)
            if of is None
            else model.tensor(of.shape, each.result or str(of.dtype))
            for of in made
        ]
        model.op(
            each.operator,
            operands,
            *made,
            options=each.options,
            version=each.version,
            **each.fields,
        )
        outputs += made
    return model.content(*outputs), inputs


def expect(rows: list[Row]) -> tuple[bytes, list[np.ndarray], list[np.ndarray]]:
    content, inputs = build(rows)
    resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    results = litert(content, inputs, resolver if rows is OPTIMIZED else RESOLVERS["tflite"])
    return build(rows, results)[0], inputs, results


@pytest.mark.parametrize("group", GROUPS)
def test_operators(group, tmp_path):
    rows = GROUPS[group]
    content, inputs, expected = expect(rows)
    path = tmp_path / "model.tflite"
    path.write_bytes(content)
    results = iter(runtime.compile(tflite.import_model(path)).main(*inputs))
    theirs = iter(expected)
    wrong = []
    for each in rows:
        for _ in range(each.results):
            ours, other = next(results), next(theirs)
            assert ours.dtype == other.dtype and ours.shape == other.shape, str(each)
            bounds = {"rtol": 0, "atol": 0} if each.is_exact else CLOSE
            if not np.allclose(ours, other, equal_nan=True, **bounds):
                wrong.append(f"{each}: {ours.ravel()[:8]} is not {other.ravel()[:8]}")
    assert not wrong, "\n".join(wrong)


def test_missing_operators(tmp_path):
    """All that stays is named before anybody compiles, with counts and reasons."""
    model = Model()
    x = model.input((2, 4), SAME_CODES)
    for _ in range(2):
        y = model.tensor((2, 4), SAME_CODES)
        model.op("SIN", [x], y)
        x = y
    indices = model.constant(ints(0, 1).reshape(2, 1))
    y = model.tensor((2, 1), SAME_CODES)
    model.op("GATHER", [x, indices], y, options="GatherOptions", axis=1, batchDims=1)
    path = tmp_path / "model.tflite"
    path.write_bytes(model.content(y))
    assert missing_operators(tflite.import_model(path)) == [
        "2 SIN",
        "1 GATHER (batch_dims is 1: expected 0)",
    ]


def names_in_source() -> set[str]:
    """The tables of C++."""
    files = (SOURCE / "lib" / "Conversion" / "TFLToLinalg").glob("*.cpp")
    return set(re.findall(r'\{?"tfl\.(\w+)"[,;]', "".join(path.read_text() for path in files)))


def test_every_operator_has_a_row():
    tested = {each.operator.lower() for rows in GROUPS.values() for each in rows}
    assert tested | {"dequantize", "pseudo_const"} == names_in_source()


def test_the_documented_table():
    text = (SOURCE / "docs" / "Sources.md").read_text()
    table = text.split("<!-- tflite: begin -->")[1].split("<!-- tflite: end -->")[0]
    cells = [line.split("|")[2] for line in table.strip().splitlines()[2:]]
    names = [name.strip().lower() for cell in cells for name in cell.split(",")]
    assert len(names) == len(set(names)) and set(names) == names_in_source() - {"pseudo_const"}
