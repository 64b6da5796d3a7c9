# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model, quantized one way: nodes, whole model through each compiler, times."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from mlir_qdq.command._onnx_nodes import literal_session
from mlir_qdq.command._whole import LOWERING

from . import nodes
from .catalog import Entry, random_inputs
from .compilers import FLOAT_MATH, CommandFailed, Tools


@dataclass
class Route:
    """The result of one way to run the model; or why there is none."""

    difference: float | None = None
    milliseconds: float | None = None
    failure: str = ""


@dataclass
class Result:
    model: str
    way: str
    nodes: int = 0
    equal: int = 0
    differ: list[str] = field(default_factory=list)
    #: Largest value of the outputs, beside which differences are to be seen.
    magnitude: float = 0.0
    #: By name: `optimizer` is ONNX Runtime beside itself; see `ROUTES`.
    routes: dict[str, Route] = field(default_factory=dict)

    def to_json(self) -> dict:
        return asdict(self)


#: Name and flags of each way through IREE, and whether we lower first.
ROUTES = {
    "iree, ours": ((), "profile"),
    "iree, ours, contraction-proof": ((), "contraction-proof"),
    "iree, float": (tuple(FLOAT_MATH), None),
    "iree": ((), None),
}


def _difference(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    """The largest difference of two lists of outputs."""
    return max(
        float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0.0))
        for a, b in zip(ours, theirs, strict=True)
    )


def _function(torch: Path) -> str:
    """The name of the module's function."""
    line = next(line for line in torch.read_text().splitlines() if "func.func @" in line)
    return line.split("@", 1)[1].split("(", 1)[0].strip('"')


def run(entry: Entry, way: str, source: Path, folder: Path, tools: Tools, quick: bool) -> Result:
    folder.mkdir(parents=True, exist_ok=True)
    prepared, quantized = folder.parent / "prepared.onnx", folder / "model.onnx"
    tools.run("python", "-m", "whole_models.quantize", entry.name, way, source, prepared, quantized)
    model = onnx.load(quantized)
    result = Result(entry.name, way)

    session = literal_session(model)
    feeds = random_inputs(session, seed=0)
    expected = session.run(None, feeds)
    result.magnitude = max(float(np.max(np.abs(value))) for value in expected)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    optimized = onnxruntime.InferenceSession(quantized, options).run(None, feeds)
    result.routes["optimizer"] = Route(_difference(optimized, expected))

    compared = nodes.compare(model, feeds)
    result.equal, result.differ = compared.equal, compared.differ
    result.nodes = compared.equal + len(compared.differ)

    torch, generic = folder / "torch.mlir", folder / "generic.mlir"
    tools.import_onnx(quantized, torch, generic)
    function = _function(torch)
    inputs = []
    for i, given in enumerate(session.get_inputs()):
        inputs.append(folder / f"input{i}.npy")
        np.save(inputs[-1], feeds[given.name])
    binaries = {}
    for name, (flags, lowering) in ROUTES.items():
        if quick and name not in ("iree, ours", "iree, float"):
            continue
        route = result.routes[name] = Route()
        stem = name.replace(", ", "-")
        try:
            module = torch
            if lowering:
                module = folder / f"{stem}.mlir"
                extra = " contraction-proof" if lowering == "contraction-proof" else ""
                tools.lower(generic, module, LOWERING + extra)
            binary = folder / f"{stem}.vmfb"
            tools.compile_iree(module, binary, *flags)
            outputs = tools.run_iree(binary, function, inputs, len(expected))
            route.difference = _difference(outputs, expected)
            binaries[name] = binary
        except CommandFailed as error:
            route.failure = str(error)
    # Twice in turn: what else the machine does then disturbs all alike.
    for _ in range(1 if quick else 2):
        for name, binary in binaries.items():
            taken = tools.time_iree(binary, function, inputs)
            route = result.routes[name]
            route.milliseconds = min(taken, route.milliseconds or taken)
    result.routes["torch-mlir, runtime"] = _run_here(
        tools, folder / "iree-ours.mlir", function, inputs, expected
    )
    return result


def _run_here(tools: Tools, lowered: Path, function: str, inputs, expected) -> Route:
    """torch-mlir to linalg, and our own runtime."""
    route = Route()
    linalg = lowered.with_name("linalg.mlir")
    try:
        tools.to_linalg(lowered, linalg)
        route.milliseconds = tools.run_here(linalg, function, inputs)
    except CommandFailed as error:
        route.failure = str(error)
        return route
    outputs = [np.load(linalg.with_suffix(f".{i}.npy")) for i in range(len(expected))]
    route.difference = _difference(outputs, expected)
    return route
