# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The effect of policies on the nodes of a model: the numbers of quant-report."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx

from .. import runtime
from ..importers.onnx import import_model
from ..reference.granularity import Granularity
from ._output import Progress
from ._onnx_nodes import QuantizationNodes, result_name

_UNSEEN = {"DynamicQuantizeLinear"}  # its parameters are results, which no page shows


@dataclass(frozen=True)
class Element:
    """One element of a result that a policy changes."""

    index: tuple[int, ...]
    data: object
    wanted: object
    got: object


@dataclass(frozen=True)
class Effect:
    """The effect of one policy on one node. `noise` is that of its own result beside the real
    numbers, in dB below the signal; nothing where the node quantizes no reals."""

    changed: int
    worst: float
    noise: float | None
    elements: tuple[Element, ...]


@dataclass
class Tensor:
    """A quantize or dequantize node on its data."""

    name: str
    kind: str
    data_name: str
    data: np.ndarray
    wanted: np.ndarray
    scale: np.ndarray
    zero_point: np.ndarray
    is_weight: bool
    noise: float | None = None
    effects: dict[str, Effect] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        shape = "x".join(map(str, self.data.shape))
        return f"{shape + 'x' if shape else ''}{self.data.dtype} -> {self.wanted.dtype}"

    def quotients(self) -> np.ndarray:
        """x / s + z, in f64: what a quantize rounds."""
        return _real(self.data) / self.scale + self.zero_point


@dataclass
class Report:
    """`runtime_name` computed `wanted`; `policies` are what is beside it."""

    model: str
    runtime_name: str
    inputs: str
    is_random: bool
    policies: dict[str, dict[str, str]]
    tensors: list[Tensor]

    def changed(self, policy: str) -> tuple[int, int]:
        """Elements that a policy changes, of how many."""
        effects = [tensor.effects[policy] for tensor in self.tensors]
        return sum(e.changed for e in effects), sum(t.wanted.size for t in self.tensors)

    def worst(self, policy: str) -> float:
        """The largest change of an element."""
        return max((t.effects[policy].worst for t in self.tensors), default=0.0)

    def ranked(self) -> list[str]:
        """Policies, those that change the fewest elements first, then the least."""
        return sorted(self.policies, key=lambda p: (self.changed(p)[0], self.worst(p)))

    def nearest(self) -> str:
        """`nearest to ONNX Runtime: profile=ort: all 18 elements are equal`."""
        best = self.ranked()[0]
        changed, size = self.changed(best)
        equal = [p for p in self.ranked() if self.changed(p)[0] == changed and self.worst(p) == self.worst(best)]  # fmt: skip
        said = f"{changed} of {size} elements differ" if changed else f"all {size} elements are equal"  # fmt: skip
        return f"nearest to {self.runtime_name}: {', '.join(equal)}: {said}"

    def first(self, policy: str) -> Tensor | None:
        """The first node, in the order of the model, whose result a policy changes."""
        return next((t for t in self.tensors if t.effects[policy].changed), None)


def _real(array: np.ndarray) -> np.ndarray:
    return np.asarray(array).astype(np.float64)


def _bits(array: np.ndarray) -> np.ndarray:
    """Something that is equal where two elements are: NaNs, whatever their bits, and zeros of
    one sign."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind in "iu" or array.dtype.name.startswith(("int", "uint")):
        return array
    bits = array.view(f"u{array.dtype.itemsize}").copy()
    bits[np.isnan(array.astype(np.float32))] = np.iinfo(bits.dtype).max
    return bits


def _decibels(signal: np.ndarray, restored: np.ndarray) -> float | None:
    finite = np.isfinite(signal) & np.isfinite(restored)
    power = np.sum(signal[finite] ** 2)
    noise = np.sum((signal[finite] - restored[finite]) ** 2)
    if not power:
        return None
    return float("inf") if not noise else float(10 * np.log10(power / noise))


def _tensor(node: onnx.NodeProto, found: QuantizationNodes, constants: set[str]) -> Tensor:
    values = found.values
    data, scale = values[node.input[0]], values[node.input[1]]
    zero = values[node.input[2]] if len(node.input) > 2 and node.input[2] else np.zeros_like(scale)
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
    if scale.size == 1:
        granularity = Granularity.of(data.shape)
    elif block:
        shape = [1] * data.ndim
        shape[axis] = block
        granularity = Granularity.of(data.shape, block_shape=shape)
    else:
        granularity = Granularity.of(data.shape, axis=axis)
    return Tensor(
        node.name or node.output[0],
        node.op_type,
        node.input[0],
        data,
        values[node.output[0]],
        granularity.spread(_real(scale), "scale"),
        granularity.spread(_real(zero), "zero point"),
        node.input[0] in constants,
    )


def _noise(tensor: Tensor, codes: np.ndarray) -> float | None:
    if tensor.kind != "QuantizeLinear":
        return None
    with np.errstate(all="ignore"):
        restored = (_real(codes) - tensor.zero_point) * tensor.scale
        return _decibels(_real(tensor.data), np.broadcast_to(restored, tensor.data.shape))


def _effect(tensor: Tensor, got: np.ndarray, shown: int) -> Effect:
    differ = _bits(got) != _bits(tensor.wanted)
    with np.errstate(all="ignore"):
        distance = np.abs(_real(got) - _real(tensor.wanted))
    distance = np.where(differ, np.nan_to_num(distance, nan=np.inf), 0)
    order = np.argsort(-distance, axis=None, kind="stable")[: min(shown, int(differ.sum()))]
    elements = []
    for flat in order:
        index = tuple(int(i) for i in np.unravel_index(flat, differ.shape))
        elements.append(Element(index, tensor.data[index], tensor.wanted[index], got[index]))
    worst = float(distance.max()) if distance.size else 0.0
    return Effect(int(differ.sum()), worst, _noise(tensor, got), tuple(elements))


def make_report(
    model: onnx.ModelProto,
    name: str,
    feeds: dict[str, np.ndarray],
    inputs: str,
    is_random: bool,
    policies: dict[str, dict[str, str]],
    shown: int,
    progress: Progress,
) -> Report:
    """Runs the nodes of `model` as ONNX Runtime does on `feeds`, and by each policy.

    policies: options of the pipeline, by the name that the page gives them.
    shown: changed elements of a node that are kept, the worst first.
    """
    found = QuantizationNodes.of(model, feeds)
    if found is None:
        raise ValueError(f"{name}: has no QuantizeLinear and no DequantizeLinear node")
    constants = {t.name for t in model.graph.initializer}
    nodes = [node for node in found.nodes if node.op_type not in _UNSEEN]
    tensors = [_tensor(node, found, constants) for node in nodes]
    for tensor in tensors:
        tensor.noise = _noise(tensor, tensor.wanted)
    module = import_model(found.alone)
    names = [result.name for result in found.alone.graph.output]
    for done, (policy, options) in enumerate(policies.items()):
        progress.show("policies", done, len(policies))
        results = runtime.compile(module, dequantize_constants=False, **options)["nodes"](
            *found.arguments()
        )
        results = dict(zip(names, results if isinstance(results, tuple) else (results,)))
        for node, tensor in zip(nodes, tensors):
            tensor.effects[policy] = _effect(tensor, results[result_name(node.output[0])], shown)
    return Report(name, "ONNX Runtime", inputs, is_random, policies, tensors)
