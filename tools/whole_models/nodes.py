# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each quantize and dequantize node of a model on the values that it meets there, bit for bit beside ONNX Runtime."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from mlir_qdq import runtime
from mlir_qdq.command._onnx_nodes import QuantizationNodes, result_name
from mlir_qdq.importers import onnx as importer


@dataclass
class NodeResults:
    equal: int = 0
    differ: list[str] = field(default_factory=list)


def _same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    return ours.tobytes() == theirs.tobytes() or bool(
        np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
        and np.array_equal(np.signbit(ours), np.signbit(theirs))
    )


def compare(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> NodeResults:
    results = NodeResults()
    found = QuantizationNodes.of(model, feeds)
    if found is None:
        return results
    compiled = runtime.compile(
        importer.import_model(found.alone), profile="ort", dequantize_constants=False
    )
    outcome = compiled["nodes"](*found.arguments())
    outcome = [outcome] if len(found.alone.graph.output) == 1 else outcome
    ours = {result.name: array for result, array in zip(found.alone.graph.output, outcome)}
    for node in found.nodes:
        if all(
            _same(np.asarray(ours[result_name(name)]), found.values[name])
            for name in node.output
            if name
        ):
            results.equal += 1
        else:
            results.differ.append(f"{node.op_type} {node.name}")
    return results
