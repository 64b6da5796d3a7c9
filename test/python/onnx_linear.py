# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QuantizeLinear and DequantizeLinear in the spellings of onnx-mlir and torch-mlir, with what ONNX's reference evaluator gives."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
from kernels import dtype_of, same
from mlir_qdq import runtime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

#: Element types by their names in MLIR and in ONNX.
INTEGERS = {f"{u}i{bits}": f"{u.upper()}INT{bits}" for bits in (2, 4, 8, 16) for u in ("", "u")}
FLOATS = {
    "f8E4M3FN": "FLOAT8E4M3FN",
    "f8E4M3FNUZ": "FLOAT8E4M3FNUZ",
    "f8E5M2": "FLOAT8E5M2",
    "f8E5M2FNUZ": "FLOAT8E5M2FNUZ",
    "f6E2M3FN": "FLOAT6E2M3",
    "f6E3M2FN": "FLOAT6E3M2",
    "f4E2M1FN": "FLOAT4E2M1",
}
REALS = {"f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT"}
TYPES = INTEGERS | FLOATS | REALS | {"i32": "INT32", "f8E8M0FNU": "FLOAT8E8M0"}
#: Shape of x, of the parameters, and the attributes that say where they apply.
PLACEMENTS = {
    "tensor": ((3, 7), (), {}),
    "axis": ((2, 3, 5), (3,), {"axis": -2}),
    "block": ((2, 7), (2, 3), {"axis": 1, "block_size": 3}),
}


def literal(array: np.ndarray, element: str) -> str:
    """The elements of a `dense<…>`; floats by their bits."""
    if re.fullmatch(r"u?i\d+", element):
        return json.dumps(array.astype(np.int64).tolist())
    size = array.dtype.itemsize
    bits = array.view(f"u{size}").tolist()
    spelled = re.sub(r"\d+", lambda m: f'"0x{int(m[0]):0{2 * size}X}"', json.dumps(bits))
    return spelled.replace('"', "")


def builtin_type(shape, element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def torch_type(shape, element: str) -> str:
    signed = re.sub(r"^i(?=\d)", "si", element)
    return f"!torch.vtensor<[{','.join(map(str, shape))}],{signed}>"


@dataclass(frozen=True)
class Linear:
    """One node. `operands` are arrays with their MLIR element types: x, scale and perhaps a zero point."""

    operation: str
    operands: tuple[tuple[np.ndarray, str], ...]
    result: str
    attributes: dict = field(default_factory=dict)
    dynamic: bool = False
    is_constant: bool = False

    def text(self, name: str, spelling: str) -> str:
        type_of = torch_type if spelling == "torch" else builtin_type
        arguments, constants, types = [], [], []
        for index, (array, element) in enumerate(self.operands):
            is_constant = self.is_constant and index > 0
            is_open = self.dynamic and not is_constant
            types.append(type_of(["?" if is_open else size for size in array.shape], element))
            if not is_constant:
                arguments.append(f"%{index}: {types[-1]}")
                continue
            kind = builtin_type(array.shape, element)
            if spelling == "torch":
                kind = re.sub(r"(?<=[<x])i(?=\d+>)", "si", kind)
            value = f"dense<{literal(array, element)}> : {kind}"
            op = '"torch.vtensor.literal"() <{' if spelling == "torch" else '"onnx.Constant"() <{'
            constants.append(f"  %{index} = {op}value = {value}}}> : () -> {types[-1]}\n")
        shape = self.operands[0][0].shape
        result = type_of(["?" if self.dynamic else size for size in shape], self.result)
        prefix = "torch.onnx." if spelling == "torch" else ""
        attributes = ", ".join(f"{prefix}{k} = {v} : si64" for k, v in self.attributes.items())
        op = f'"onnx.{self.operation}"'
        inherent = ""
        if spelling == "torch":
            op, inherent = '"torch.operator"', f"<{{name = {op}}}>"
        operands = ", ".join(f"%{index}" for index in range(len(types)))
        return (
            f"func.func @{name}({', '.join(arguments)}) -> {result} {{\n{''.join(constants)}"
            f"  %y = {op}({operands}) {inherent} {{{attributes}}} : ({', '.join(types)}) -> {result}\n"
            f"  return %y : {result}\n}}\n"
        )

    def expected(self) -> np.ndarray:
        """What the reference evaluator of the installed ONNX gives."""
        codes = dict(TensorProto.DataType.items())
        names = "xsz"[: len(self.operands)]
        inputs = [
            helper.make_tensor_value_info(name, codes[TYPES[element]], array.shape)
            for name, (array, element) in zip(names, self.operands)
        ]
        y = helper.make_tensor_value_info("y", codes[TYPES[self.result]], None)
        node = helper.make_node(self.operation, list(names), ["y"], **self.attributes)
        graph = helper.make_graph([node], "g", inputs, [y])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)])
        with np.errstate(all="ignore"):
            feeds = {name: array for name, (array, _) in zip(names, self.operands)}
            return ReferenceEvaluator(model).run(None, feeds)[0]


def check(nodes: list[Linear], spelling: str) -> None:
    """Compiles all in one module, and holds each bit against the reference evaluator; a NaN stands for any."""
    compiled = runtime.compile("".join(n.text(f"f{i}", spelling) for i, n in enumerate(nodes)))
    for index, node in enumerate(nodes):
        count = 1 if node.is_constant else len(node.operands)
        got = compiled[f"f{index}"](*(array for array, _ in node.operands[:count]))
        expected = node.expected()
        agree = same(got, expected)
        where = tuple(np.argwhere(~agree)[0]) if not agree.all() else ()
        assert agree.all(), (
            f"{(~agree).sum()} of {agree.size} differ, the first at {where}: got {got[where]!r}, "
            f"expected {expected[where]!r}\n{node.text('f', spelling)}\n{node.operands}"
        )


def number(storage: str) -> int:
    """`TensorProto.DataType`"""
    return dict(TensorProto.DataType.items())[TYPES[storage]]


def largest(storage: str) -> float:
    if storage in INTEGERS:
        return float(2 ** int(re.search(r"\d+", storage)[0]))
    return float(ml_dtypes.finfo(dtype_of(storage)).max)


def bounds(storage: str) -> tuple[int, int]:
    bits = int(re.search(r"\d+", storage)[0])
    return (0, 2**bits - 1) if storage[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def zero_points(random, storage: str, shape) -> np.ndarray:
    """Over the whole range of integers; 0 for floats, of which ONNX's evaluator takes no other."""
    if storage not in INTEGERS:
        return np.zeros(shape, dtype_of(storage))
    low, high = bounds(storage)
    return np.asarray(random.integers(low, high, shape, endpoint=True)).astype(dtype_of(storage))


def reals(random, storage: str, scale: float, shape, element: str = "f32") -> np.ndarray:
    """Ties, and values over the range and beyond; no further than the evaluator's int32 goes."""
    size = int(np.prod(shape))
    ties = random.integers(-40, 40, size) / 2
    wide = random.uniform(-1.5, 1.5, size) * largest(storage)
    x = np.where(random.integers(0, 2, size) > 0, ties, wide) * scale
    x[:2] = 0.0, -0.0
    limit = 3750.0 if element == "f16" else 1e38  # the quotient by the least scale is finite
    return np.clip(x, -limit, limit).reshape(shape).astype(dtype_of(element))


def codes(random, storage: str, shape) -> np.ndarray:
    if storage == "i32":
        return random.integers(-(2**31), 2**31, shape, np.int64).astype(np.int32)
    if storage in INTEGERS:
        return zero_points(random, storage, shape)
    bits = int(re.search(r"\d+", storage)[0])
    return random.integers(0, 1 << bits, shape, np.uint8).view(dtype_of(storage))


def variants(operation: str, storage: str, granularity: str) -> list[Linear]:
    """Static and dynamic shapes, constant and run-time parameters, f32 and f16, with and without a zero point."""
    random = np.random.default_rng([len(operation), *storage.encode(), len(granularity)])
    shape, parameters, placed = PLACEMENTS[granularity]
    is_quantize = operation == "QuantizeLinear"
    nodes = []
    for dynamic, is_constant, real, has_zero_point in [
        (False, False, "f32", True),
        (True, False, "f32", True),
        (False, True, "f32", True),
        (True, True, "f32", False),
        (True, False, "f16", False),
    ]:
        # Times a power of two as well, so that the quotients of ties are ties.
        scale = np.asarray(random.choice([0.25, 0.5, 0.0625, 0.3, 0.7], parameters)).astype(
            dtype_of(real)
        )
        operands = [(scale, real)]
        if has_zero_point and not (is_quantize and storage in FLOATS) and storage != "i32":
            operands.append((zero_points(random, storage, parameters), storage))
        if is_quantize:
            near = float(scale.reshape(-1)[0])
            x, result = (reals(random, storage, near, shape, real), real), storage
        else:
            x, result = (codes(random, storage, shape), storage), real
        attributes = dict(placed)
        if is_quantize and len(operands) == 1:
            attributes["output_dtype"] = number(storage)
        nodes.append(Linear(operation, (x, *operands), result, attributes, dynamic, is_constant))
    return nodes
