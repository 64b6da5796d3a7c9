# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one `onnx.Custom` node, as text, whose parameters are arguments or constants."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mlir_qdq import runtime


def tensor_type(shape, element: str, dynamic: bool = False) -> str:
    return f"tensor<{''.join(('?' if dynamic else str(size)) + 'x' for size in shape)}{element}>"


@dataclass(frozen=True)
class Operand:
    """`is_constant` makes it an onnx.Constant and no argument."""

    array: np.ndarray
    element: str
    is_constant: bool = False


@dataclass(frozen=True)
class Node:
    """One node, the array that it has to give and that array's element type. `dynamic` leaves all sizes of arguments and result open."""

    domain: str
    function: str
    operands: tuple[Operand, ...]
    expected: np.ndarray
    element: str
    attributes: dict = field(default_factory=dict)
    dynamic: bool = False

    def text(self, name: str) -> str:
        arguments, constants, types = [], [], []
        for index, operand in enumerate(self.operands):
            is_open = self.dynamic and not operand.is_constant
            types.append(tensor_type(operand.array.shape, operand.element, is_open))
            if operand.is_constant:
                value = f'dense<"0x{operand.array.tobytes().hex().upper()}"> : {types[-1]}'
                constants.append(
                    f'  %{index} = "onnx.Constant"() {{value = {value}}} : () -> {types[-1]}\n'
                )
            else:
                arguments.append(f"%{index}: {types[-1]}")
        result = tensor_type(self.expected.shape, self.element, self.dynamic)
        attributes = {"domain_name": self.domain, "function_name": self.function}
        attributes |= self.attributes
        spelled = ", ".join(
            f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value} : si64"
            for key, value in attributes.items()
        )
        operands = ", ".join(f"%{index}" for index in range(len(self.operands)))
        return (
            f"func.func @{name}({', '.join(arguments)}) -> {result} {{\n{''.join(constants)}"
            f'  %y = "onnx.Custom"({operands}) {{{spelled}}} : ({", ".join(types)}) -> {result}\n'
            f"  return %y : {result}\n}}\n"
        )


def check(nodes: list[Node]) -> None:
    """Compiles all in one module; every result has to be the expected one, bit by bit (a NaN stands for any)."""
    compiled = runtime.compile("".join(n.text(f"f{i}") for i, n in enumerate(nodes)))
    for index, node in enumerate(nodes):
        got = compiled[f"f{index}"](*(o.array for o in node.operands if not o.is_constant))
        assert got.dtype == node.expected.dtype and got.shape == node.expected.shape
        bits = f"u{got.dtype.itemsize}"
        same = got.view(bits) == np.ascontiguousarray(node.expected).view(bits)
        if got.dtype.kind not in "iu":
            same |= np.isnan(got) & np.isnan(node.expected)
        where = tuple(np.argwhere(~same)[0]) if not same.all() else ()
        assert same.all(), (
            f"{(~same).sum()} of {same.size} differ, the first at {where}: got {got[where]!r}, "
            f"expected {node.expected[where]!r}\n{node.text('f')}"
        )
