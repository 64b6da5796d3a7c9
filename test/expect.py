# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the functions of a file, and compares what they compute with what the file says:

    func.func @ties() {
      %x = arith.constant dense<[0.5, 1.5]> : tensor<2xf32>
      %q = qdq.quantize %x scale ... -> tensor<2xi8>
      "expect.eq"(%q) {value = dense<[0, 2]> : tensor<2xi8>} : (tensor<2xi8>) -> ()
      return
    }

usage: expect.py FILE, in a lit test: RUN: %expect %s

Every function is compiled for each target. Its tensor constants become arguments, so that no
compiler computes the results. Equal are equal bits, and any two NaNs.
"""

import re
import sys
from pathlib import Path

import mlir_qdq
import numpy as np
from mlir import ir
from mlir.dialects import arith, func, tensor
from mlir_qdq import runtime
from mlir_qdq.passes import LoweringTarget


def add_constant(value):
    """A constant. MLIR 23 has signless ones alone."""
    signless = ir.Attribute.parse(re.sub(r"[su]i(\d+>)$", r"i\1", str(value)))
    constant = arith.ConstantOp(signless.type, signless).result
    return constant if signless == value else tensor.BitcastOp(value.type, constant).result


def add_function(module, name, values):
    """A function that returns these constants."""
    with ir.InsertionPoint(module.body):
        types = [value.type for value in values]
        function = func.FuncOp(name, ([], types))
        with ir.InsertionPoint(function.add_entry_block()):
            func.ReturnOp([add_constant(value) for value in values])


def lift(module, function):
    """Constants come in as arguments, and checked values go out as results."""
    name, block = function.name.value, function.entry_block
    ops = [op.operation for op in block.operations]
    constants = [
        op
        for op in ops
        if op.name == "arith.constant" and isinstance(op.result.type, ir.RankedTensorType)
    ]
    checks = [op for op in ops if op.name == "expect.eq"]
    for op in constants:
        argument = block.add_argument(op.result.type, op.location)
        op.result.replace_all_uses_with(argument)
    results = [check.operands[0] for check in checks]
    ops[-1].erase()
    with ir.InsertionPoint(block):
        func.ReturnOp(results)
    expected = [check.attributes["value"] for check in checks]
    for check in checks:
        check.erase()
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(
            [argument.type for argument in block.arguments], [value.type for value in results]
        )
    )
    add_function(module, f"{name}.inputs", [op.attributes["value"] for op in constants])
    add_function(module, f"{name}.expected", expected)
    return name, len(expected)


def as_tuple(values):
    return values if isinstance(values, tuple) else () if values is None else (values,)


def differences(got, expected):
    got, expected = np.atleast_1d(got), np.atleast_1d(expected)
    bits = f"u{got.dtype.itemsize}"
    same = got.view(bits) == expected.view(bits)
    if got.dtype.kind not in "biu":
        same |= np.isnan(got.astype(float)) & np.isnan(expected.astype(float))
    return [
        f"at {list(map(int, i))}: {got[tuple(i)]}, not {expected[tuple(i)]}"
        for i in np.argwhere(~same)
    ]


def main(path):
    failed = False
    with ir.Context() as context, ir.Location.unknown():
        mlir_qdq.register(context)
        context.allow_unregistered_dialects = True
        module = ir.Module.parseFile(path)
        functions = [lift(module, op) for op in list(module.body) if isinstance(op, func.FuncOp)]
        for target in LoweringTarget:
            compiled = runtime.compile(module, target=target)
            for name, count in functions:
                got = as_tuple(compiled[name](*as_tuple(compiled[f"{name}.inputs"]())))
                expected = as_tuple(compiled[f"{name}.expected"]())
                for index in range(count):
                    for text in differences(got[index], expected[index]):
                        print(f"{Path(path).name}: @{name}, target={target}, check {index} {text}")
                        failed = True
    if not any(count for _, count in functions):
        print(f"{path}: nothing is checked")
        failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
