# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX graphs of nodes side by side: what we compile of them, and what ONNX's reference evaluator and ONNX Runtime give."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
import pytest
from kernels import same
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from target_features import has

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

LATEST = 28
#: Operators whose products ONNX Runtime adds by vpmaddubsw on x86 without VNNI.
PRODUCTS = {
    "ConvInteger", "DynamicQuantizeMatMul", "MatMulInteger", "MatMulIntegerToFloat", "QGemm",
    "QLinearConv", "QLinearMatMul",
}  # fmt: skip
SATURATES = has("avx2") and not (has("avx512vnni") or has("avxvnni"))


def code_of(dtype) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def without_trailing(operands) -> list:
    """Operands without those left out at the end, which a node need not name."""
    operands = list(operands)
    while operands[-1] is None:
        operands.pop()
    return operands


@dataclass
class Graph:
    """Nodes side by side, each with inputs and an output of its own, and the arrays that go in."""

    opset: int = LATEST
    domain: str = ""  # of every node
    producer: str = ""
    nodes: list = field(default_factory=list)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    infos: list = field(default_factory=list)
    constants: list = field(default_factory=list)
    outputs: list = field(default_factory=list)

    def add(self, operation, *operands, dynamic=False, constant=False, **attributes) -> None:
        """`constant`: all operands but the first are initializers; "all": that too; or those at these positions. None is an operand left out by an empty name.

        `dynamic` leaves all sizes open, or those of the operands at these positions."""
        index, names = len(self.nodes), []
        for position, array in enumerate(operands):
            if array is None:
                names.append("")
                continue
            names.append(f"v{index}_{position}")
            is_constant = constant == "all" or (constant is True and position)
            if is_constant or (isinstance(constant, tuple) and position in constant):
                self.constants.append(numpy_helper.from_array(np.asarray(array), names[-1]))
                continue
            is_open = dynamic if isinstance(dynamic, bool) else position in dynamic
            shape = [f"d{index}_{position}_{d}" for d in range(array.ndim)] if is_open else None
            self.infos.append(
                helper.make_tensor_value_info(
                    names[-1], code_of(array.dtype), shape or list(array.shape)
                )
            )
            self.arrays[names[-1]] = np.asarray(array)
        self.outputs.append(f"y{index}")
        self.nodes.append(
            helper.make_node(operation, names, [self.outputs[-1]], domain=self.domain, **attributes)
        )

    def model(self, output_types=None) -> onnx.ModelProto:
        outputs = [
            helper.make_tensor_value_info(name, output_types[i], None)
            if output_types
            else helper.make_empty_tensor_value_info(name)
            for i, name in enumerate(self.outputs)
        ]
        graph = helper.make_graph(self.nodes, "graph", self.infos, outputs, self.constants)
        opsets = [helper.make_opsetid("", self.opset)]
        if self.domain:
            opsets.append(helper.make_opsetid(self.domain, 1))
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=10, producer_name=self.producer
        )

    def evaluated(self) -> list[np.ndarray]:
        """What ONNX's reference evaluator gives."""
        with np.errstate(all="ignore"):
            return ReferenceEvaluator(self.model()).run(None, self.arrays)

    def run_by_onnxruntime(self) -> list[np.ndarray]:
        if SATURATES and any(node.op_type in PRODUCTS for node in self.model().graph.node):
            pytest.skip("ONNX Runtime adds products of bytes in 16 bits here, which saturate")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(
            self.model().SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, self.arrays)

    def compiled(self, **options) -> tuple[np.ndarray, ...]:
        got = runtime.compile(import_model(self.model()), **options)["graph"](*self.arrays.values())
        got = got if isinstance(got, tuple) else (got,)
        return tuple(np.asarray(array) for array in got)

    def check(self, expected=None, **options) -> None:
        """Compiled, all outputs are those of the evaluator, or `expected`."""
        expected = self.evaluated() if expected is None else expected
        got = self.compiled(**options)
        for node, ours, theirs in zip(self.nodes, got, expected, strict=True):
            agree = same(ours, np.asarray(theirs))
            assert agree.all(), (
                f"{(~agree).sum()} of {agree.size} differ at {np.argwhere(~agree)[0]}: "
                f"got {ours[~agree][0]!r}, expected {theirs[~agree][0]!r}\n{node}"
            )
