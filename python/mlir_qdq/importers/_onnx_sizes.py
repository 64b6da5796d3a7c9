# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that exporters compute by nodes (Shape, Gather, Mul, Concat, ...), as constants."""

from __future__ import annotations

import contextlib

import numpy as np
import onnx
from onnx import numpy_helper

from ._onnx_model import DEFAULT_DOMAINS, Model
from ._onnx_order import used_names
from ._onnx_types import ValueTypes

#: Arithmetic of integers, and of the floats that casts make of them: exact, or rounded once.
_FOLDED = frozenset(
    "Abs Add And Cast Ceil Concat ConstantOfShape Div Equal Expand Floor Gather Greater "
    "GreaterOrEqual Identity Less LessOrEqual Max Min Mod Mul Neg Not Or Pow Range ReduceProd Reshape "
    "ScatterND Slice Squeeze Sub Tile Transpose Unsqueeze Where".split()
)
_INTEGERS = (onnx.TensorProto.INT64, onnx.TensorProto.INT32, onnx.TensorProto.BOOL)
#: What is larger is no shape.
_MAX_ELEMENTS = 64


def with_folded_sizes(model: Model, types: ValueTypes) -> onnx.ModelProto:
    """A copy without the nodes whose results follow from known shapes and integers, which ONNX's
    evaluator computes; the model itself if it has none."""
    graph = model.proto.graph
    known, folded = _constants(graph), {}
    for index, node in enumerate(graph.node):
        results = _results(model, node, known, types)
        if results:
            known.update(results)
            folded[index] = results
    if not folded:
        return model.proto
    copy = onnx.ModelProto()
    copy.CopyFrom(model.proto)
    kept = [node for index, node in enumerate(graph.node) if index not in folded]
    read = {name for node in kept for name in used_names(node)}
    read.update(info.name for info in graph.output)
    made = {name: value for results in folded.values() for name, value in results.items()}
    del copy.graph.node[:]
    copy.graph.node.extend(kept)
    copy.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in made.items() if name in read
    )
    return copy


def _constants(graph: onnx.GraphProto) -> dict[str, np.ndarray]:
    """The small integers among initializers and Constant nodes."""
    tensors = [(tensor.name, tensor) for tensor in graph.initializer]
    known = {}
    for node in graph.node:
        if node.op_type != "Constant" or len(node.attribute) != 1:
            continue
        attribute = node.attribute[0]
        if attribute.name == "value":
            tensors.append((node.output[0], attribute.t))
        elif attribute.name == "value_int":
            known[node.output[0]] = np.array(attribute.i, np.int64)
        elif attribute.name == "value_ints" and len(attribute.ints) <= _MAX_ELEMENTS:
            known[node.output[0]] = np.array(attribute.ints, np.int64)
    for name, tensor in tensors:
        is_small = np.prod(tensor.dims, dtype=object) <= _MAX_ELEMENTS
        if tensor.data_type in _INTEGERS and tensor.data_location != tensor.EXTERNAL and is_small:
            with contextlib.suppress(ValueError):  # a tensor that is damaged is reported elsewhere
                known[name] = numpy_helper.to_array(tensor)
    return known


def _results(model: Model, node, known, types: ValueTypes) -> dict[str, np.ndarray]:
    """The results of a node whose operands are known; else nothing."""
    if node.domain not in DEFAULT_DOMAINS or len(node.output) != 1:
        return {}
    if node.op_type == "Shape" and node.input:
        return _shape(node, types.shape(node.input[0]))
    operands = {name: known.get(name) for name in node.input if name}
    if node.op_type not in _FOLDED or any(value is None for value in operands.values()):
        return {}
    size = types.shape(node.output[0])
    if size is None or np.prod(size, dtype=object) > _MAX_ELEMENTS:
        return {}
    try:
        return dict(zip(node.output, _evaluate(model, node, operands)))
    except Exception:  # a node that is wrong is reported by who lowers it
        return {}


def _shape(node, sizes: list[int] | None) -> dict[str, np.ndarray]:
    if sizes is None:
        return {}
    bounds = {attribute.name: attribute.i for attribute in node.attribute}
    return {node.output[0]: np.array(sizes[bounds.get("start", 0) : bounds.get("end")], np.int64)}


def _evaluate(model: Model, node, operands) -> list[np.ndarray]:
    from onnx.reference import ReferenceEvaluator

    inputs = [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for name, value in operands.items()
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = onnx.helper.make_graph([node], "sizes", inputs, outputs)
    single = onnx.helper.make_model(graph, opset_imports=model.proto.opset_import)
    return [np.asarray(value) for value in ReferenceEvaluator(single).run(None, operands)]
