# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models for the importer's tests, and what MLIR calls their types."""

import warnings
from functools import cache

import numpy as np
import onnx
from mlir import ir
from mlir_qdq.importers.onnx import import_model
from onnx import TensorProto, TypeProto, helper

NODE = helper.make_node

# Bits of one element, and how MLIR spells the type: from the ONNX and MLIR documents.
TYPES = {
    "FLOAT": (32, "f32"),
    "DOUBLE": (64, "f64"),
    "FLOAT16": (16, "f16"),
    "BFLOAT16": (16, "bf16"),
    "FLOAT8E4M3FN": (8, "f8E4M3FN"),
    "FLOAT8E4M3FNUZ": (8, "f8E4M3FNUZ"),
    "FLOAT8E5M2": (8, "f8E5M2"),
    "FLOAT8E5M2FNUZ": (8, "f8E5M2FNUZ"),
    "FLOAT8E8M0": (8, "f8E8M0FNU"),
    "FLOAT6E2M3": (6, "f6E2M3FN"),
    "FLOAT6E3M2": (6, "f6E3M2FN"),
    "FLOAT4E2M1": (4, "f4E2M1FN"),
    "INT2": (2, "i2"),
    "INT4": (4, "i4"),
    "INT8": (8, "i8"),
    "INT16": (16, "i16"),
    "INT32": (32, "i32"),
    "INT64": (64, "i64"),
    "UINT2": (2, "ui2"),
    "UINT4": (4, "ui4"),
    "UINT8": (8, "ui8"),
    "UINT16": (16, "ui16"),
    "UINT32": (32, "ui32"),
    "UINT64": (64, "ui64"),
}
CODES = dict(TensorProto.DataType.items())
#: The types that the installed onnx has; it gains some with each operator set.
PRESENT = [name for name in TYPES if name in CODES]


def make_model(nodes, inputs, outputs, initializers=(), *, opset=21, domains=(), **kwargs):
    """A model; outputs given as names have no declared type."""
    outputs = [
        helper.make_value_info(output, TypeProto()) if isinstance(output, str) else output
        for output in outputs
    ]
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=10, **kwargs)


def value(name, type_name, *dims):
    """An input or output; `None` alone leaves the rank open."""
    return helper.make_tensor_value_info(name, CODES[type_name], None if dims == (None,) else dims)


def raw_tensor(name, type_name, codes, dims):
    """A tensor from element codes, packed by hand: low element first, no gaps, little endian."""
    bits = TYPES[type_name][0]
    stream = sum(int(code) << (bits * i) for i, code in enumerate(codes))
    raw = stream.to_bytes((bits * len(codes) + 7) // 8, "little")
    return TensorProto(name=name, data_type=CODES[type_name], dims=dims, raw_data=raw)


def import_text(model, **kwargs):
    """Import, check the generic text's round trip through another context; the module's text."""
    context = ir.Context()
    module = import_model(model, context, **kwargs)
    generic = module.operation.get_asm(print_generic_op_form=True)
    with ir.Context() as other:
        other.allow_unregistered_dialects = True
        again = ir.Module.parse(generic)
        assert again.operation.verify()
        assert again.operation.get_asm(print_generic_op_form=True) == generic
    return str(module)


def identity_of(tensor):
    return make_model(
        [NODE("Identity", [tensor.name], ["y"])],
        [],
        ["y"],
        [tensor],
        opset=onnx.defs.onnx_opset_version(),
    )


def relu(**kwargs):
    return make_model(
        [NODE("Relu", ["x"], ["y"], name="act")],
        [value("x", "FLOAT", 2)],
        [value("y", "FLOAT", 2)],
        **kwargs,
    )


def save_with_external_data(directory):
    rng = np.random.default_rng(0)
    weights = rng.integers(-128, 127, (64, 64), dtype=np.int8)
    scale = helper.make_tensor("s", TensorProto.FLOAT, [], [0.5])
    model = make_model(
        [NODE("DequantizeLinear", ["w", "s"], ["y"], name="dq")],
        [],
        ["y"],
        [onnx.numpy_helper.from_array(weights, "w"), scale],
    )
    onnx.save(
        model,
        directory / "m.onnx",
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=1024,
    )
    return weights


@cache
def node_tests():
    """ONNX's own, which take five seconds to make."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases compute with infinities
        return collect_testcases(None)


def corpus():
    """Models of ONNX's own node tests that have something particular for the importer."""
    words = ("quantize", "if", "loop", "scan", "constant", "sequence", "optional", "cast", "clip")
    return [case for case in node_tests() if any(w in case.name for w in words)]
