# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case as a model of one node, for ONNX's reference evaluator and ONNX Runtime."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference

from ..case import Unsupported
from ..choose_params import ChooseParams
from ..conversions import Conversion
from ..requantize import Requantize
from .products import factors

NAMES = {f"{u}i{bits}": f"{u.upper()}INT{bits}" for bits in (2, 4, 8, 16, 32) for u in ("", "u")} | {
    "f8E4M3FN": "FLOAT8E4M3FN", "f8E4M3FNUZ": "FLOAT8E4M3FNUZ", "f8E5M2": "FLOAT8E5M2", "f8E5M2FNUZ": "FLOAT8E5M2FNUZ",
    "f6E2M3FN": "FLOAT6E2M3", "f6E3M2FN": "FLOAT6E3M2", "f4E2M1FN": "FLOAT4E2M1", "f8E8M0FNU": "FLOAT8E8M0",
    "f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT", "f64": "DOUBLE",
}  # fmt: skip
#: Types that cross the boundary of a model as another one that holds their values.
OUTSIDE = {element: "f32" for element in NAMES if element.startswith(("f4", "f6", "f8", "bf"))} | {
    "i2": "i8", "ui2": "ui8", "i4": "i8", "ui4": "ui8",
}  # fmt: skip
#: The operator set that brought a type to these operators.
OPSETS = {"f4E2M1FN": 23, "f8E8M0FNU": 24, "i2": 25, "ui2": 25, "f6E2M3FN": 28, "f6E3M2FN": 28}


def number(element: str) -> int:
    types = dict(TensorProto.DataType.items())
    if NAMES.get(element) not in types:
        raise Unsupported(f"type {element}")
    return types[NAMES[element]]


def _placed(case: Conversion) -> dict:
    if case.axis is not None:
        return {"axis": case.axis}
    if case.block_shape is None:
        return {}
    split = [d for d, block in enumerate(case.block_shape) if block != 1]
    if len(split) > 1 or any(case.block_shape[d] == 0 for d in split):
        raise Unsupported(f"blocks of {list(case.block_shape)}")
    axis = split[0] if split else 0
    return {"axis": axis, "block_size": case.block_shape[axis]}


def model(case: Conversion, outside: dict[str, str] = OUTSIDE):
    """One node. Types of `outside` cross the boundary as others, with Casts from and to those."""
    if case.clamp is not None:
        raise Unsupported("narrowed ranges")
    z = case.zero_point
    if z and (case.domain == "expressed" or z.type != case.storage):
        raise Unsupported("zero points of another type than the codes")
    attributes = _placed(case)
    opset = max([21, *(OPSETS.get(o.type, 0) for o in (*case.operands, case.result))])
    if case.scale.type != case.real:
        opset = max(opset, 23)
    if case.operation == "quantize":
        operator = "QuantizeLinear"
        if not z:
            attributes["output_dtype"] = number(case.storage)
        if case.storage.startswith("f8") and case.fields["float_overflow"] == "ieee":
            attributes["saturate"] = 0
    else:
        operator = "DequantizeLinear"
        if case.scale.type != case.real:
            attributes["output_dtype"] = number(case.real)
    nodes, names, infos = [], [], []
    for name, operand in zip("xsz", case.operands):
        given = outside.get(operand.type, operand.type)
        infos.append(helper.make_tensor_value_info(name, number(given), list(operand.array.shape)))
        if given != operand.type:
            # Infinities stay: saturate = 0.
            eight = {"saturate": 0} if operand.type.startswith("f8") else {}
            cast = helper.make_node(
                "Cast", [name], [f"{name}_cast"], to=number(operand.type), **eight
            )
            nodes.append(cast)
        names.append(name if given == operand.type else f"{name}_cast")
    given = outside.get(case.result.type, case.result.type)
    result = "y" if given == case.result.type else "y_cast"
    nodes.append(helper.make_node(operator, names, [result], **attributes))
    if result != "y":
        nodes.append(helper.make_node("Cast", [result], ["y"], to=number(given)))
    y = helper.make_tensor_value_info("y", number(given), list(case.x.array.shape))
    opsets = [helper.make_opsetid("", opset)]
    one = helper.make_model(
        helper.make_graph(nodes, "one", infos, [y]), opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets, ignore_unknown=True),
    )  # fmt: skip
    try:
        shape_inference.infer_shapes(one, check_type=True, strict_mode=True)
    except shape_inference.InferenceError as error:
        raise Unsupported("types that the operator does not list") from error
    return one


def feeds(case: Conversion) -> dict[str, np.ndarray]:
    """By name; values that the types outside hold."""
    result = {}
    for name, operand in zip("xsz", case.operands):
        outside = OUTSIDE.get(operand.type)
        kinds = {"f32": np.float32, "i8": np.int8, "ui8": np.uint8}
        with np.errstate(all="ignore"):
            result[name] = operand.array.astype(kinds[outside]) if outside else operand.array
    return result


# --- DynamicQuantizeLinear, QLinearConv -------------------------------------------------------


def _value(name: str, element: str, shape):
    return helper.make_tensor_value_info(name, number(element), list(shape))


def _one_node(node, inputs, outputs, constants=()):
    graph = helper.make_graph([node], "one", inputs, outputs, list(constants))
    opsets = [helper.make_opsetid("", 21)]
    version = helper.find_min_ir_version_for(opsets)
    return helper.make_model(graph, opset_imports=opsets, ir_version=version)


def choose_params(case: ChooseParams, run) -> tuple[np.ndarray, ...]:
    """`run` makes arrays of a model and its inputs."""
    case.require(storages=("ui8",))
    size = [case.x.array.shape[1]]
    node = helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"])
    outputs = [_value("q", "ui8", size), _value("s", "f32", []), _value("z", "ui8", [])]
    model = _one_node(node, [_value("x", "f32", size)], outputs)
    return case.by_groups(lambda x: run(model, {"x": x}))


def requantize(case: Requantize, run) -> np.ndarray:
    """QLinearConv of one zero: the bias of a channel is its accumulator."""
    case.require(storages=("i8", "ui8"))
    if case.acc.type != "i32":
        raise Unsupported("accumulators of 64 bits")
    acc = case.acc.array.reshape(-1)
    z = case.zero_point.array
    zero = np.zeros((1, 1, 1, 1), z.dtype)
    constants = {
        "sa": case.sa.array, "za": zero.reshape(()), "w": np.ones((acc.size, 1, 1, 1), np.int8),
        "sb": np.repeat(case.sb.array, case.acc.array.shape[1]), "zb": np.zeros(acc.size, np.int8),
        "sy": case.sy.array, "zy": z, "b": acc,
    }  # fmt: skip
    node = helper.make_node("QLinearConv", ["x", *constants], ["y"])
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    x, y = _value("x", case.storage, zero.shape), _value("y", case.storage, [1, acc.size, 1, 1])
    (codes,) = run(_one_node(node, [x], [y], tensors), {"x": zero})
    return codes.reshape(case.acc.array.shape)


def requantize_products(case: Requantize, run) -> np.ndarray:
    """QLinearMatMul, one for each channel: it has no bias."""
    case.require(storages=("i8", "ui8"), most=2**24)
    result = np.zeros(case.acc.array.shape, case.result.array.dtype)
    for row, acc in enumerate(case.acc.array):
        a, b = factors(acc)
        a = a.astype(result.dtype)
        constants = {
            "sa": case.sa.array.reshape(()), "za": result.dtype.type(0), "b": np.ascontiguousarray(b.T),
            "sb": case.sb.array[row].reshape(()), "zb": np.int8(0),
            "sy": case.sy.array.reshape(()), "zy": case.zero_point.array.reshape(()),
        }  # fmt: skip
        node = helper.make_node("QLinearMatMul", ["a", *constants], ["y"])
        tensors = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
        x, y = _value("a", case.storage, a.shape), _value("y", case.storage, (acc.size, 1))
        (codes,) = run(_one_node(node, [x], [y], tensors), {"a": a})
        result[row] = codes.reshape(-1)
    return result
