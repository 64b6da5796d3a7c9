# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model as IREE's importer and torch-mlir can read it."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node, make_value_info

from mlir_qdq.importers import _onnx_model, _onnx_types

#: Of a message of protobuf.
_MOST_BYTES = (1 << 31) - 1


def readable_copy(path: Path, folder: Path) -> Path:
    """A copy in `folder`; the file itself where nothing is to change. See `_add_types` and what follows it."""
    model = _onnx_model.load(path)
    _check_size(model)
    proto = onnx.ModelProto()
    proto.CopyFrom(model.proto)
    types = _onnx_types.infer(model)
    # Of all three, none is left out.
    if not any([_widen_max_pools(proto.graph, types), _add_types(proto.graph, types), _pack_u16(proto.graph)]):  # fmt: skip
        return path
    external = onnx.external_data_helper
    is_external = any(map(external.uses_external_data, proto.graph.initializer))
    if is_external:
        external.load_external_data_for_model(proto, str(path.parent))
    copy = folder / "readable.onnx"
    onnx.save(proto, copy, save_as_external_data=is_external, location="readable.data")
    return copy


def _check_size(model: _onnx_model.Model) -> None:
    """IREE's importer serializes a model with its external data."""
    tensors = model.proto.graph.initializer
    entries = (entry for tensor in tensors for entry in tensor.external_data)
    lengths = (int(e.value) for e in entries if e.key == "length" and e.value.isdecimal())
    size = model.proto.ByteSize() + sum(lengths)
    if size > _MOST_BYTES:
        raise model.error(
            f"it has {size} bytes with its external data, and IREE's importer takes up to "
            f"{_MOST_BYTES}: quant-run compiles it without --whole"
        )


def _add_types(graph: onnx.GraphProto, types: _onnx_types.ValueTypes) -> bool:
    """The types behind com.microsoft's operators, which ONNX's inference does not know."""
    known = {info.name for info in (*graph.value_info, *graph.output)}
    missing = {
        name: types.of(name)
        for node in graph.node
        for name in node.output
        if name and name not in known and types.element(name)
    }
    graph.value_info.extend(make_value_info(name, type_) for name, type_ in missing.items())
    return bool(missing)


def _pack_u16(graph: onnx.GraphProto) -> bool:
    """IREE's importer reads numbers of 16 bits from `raw_data` alone."""
    is_changed = False
    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.UINT16 and tensor.int32_data:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
            is_changed = True
    return is_changed


def _widen_max_pools(graph: onnx.GraphProto, types: _onnx_types.ValueTypes) -> bool:
    """torch-mlir compares unsigned codes of a MaxPool as signed ones: f32 holds them all."""
    nodes, is_changed = [], False
    for node in graph.node:
        if node.op_type != "MaxPool" or types.element(node.input[0]) != TensorProto.UINT8:
            nodes.append(node)
            continue
        codes, result = node.input[0], node.output[0]
        wide = onnx.NodeProto()
        wide.CopyFrom(node)
        wide.input[0], wide.output[0] = f"{result}/wide_input", f"{result}/wide"
        nodes.append(make_node("Cast", [codes], [wide.input[0]], to=TensorProto.FLOAT))
        nodes.append(wide)
        nodes.append(make_node("Cast", [wide.output[0]], [result], to=TensorProto.UINT8))
        for name, shaped in ((wide.input[0], codes), (wide.output[0], result)):
            if types.of(shaped) is not None:
                info = make_value_info(name, types.of(shaped))
                info.type.tensor_type.elem_type = TensorProto.FLOAT
                graph.value_info.append(info)
        is_changed = True
    del graph.node[:]
    graph.node.extend(nodes)
    return is_changed
