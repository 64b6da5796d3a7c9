# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of Results.md, and the one of docs/Models.md."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from importlib.metadata import distributions
from pathlib import Path

import onnxruntime

from .catalog import Entry
from .run import Result, Route

HEADER = (
    "| model | quantized | Q/DQ nodes equal | differs: ours, IREE | ours, our runtime | IREE alone | optimizer "
    "| ms: ours, IREE | contraction-proof | IREE alone | its integer math | ours, our runtime |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def _number(value: float | None) -> str:
    return "–" if value is None else "0" if value == 0 else f"{value:.2g}"


def _time(route: Route) -> str:
    return "–" if route.milliseconds is None else f"{route.milliseconds:.3g}"


def row(result: Result) -> str:
    routes = {name: result.routes.get(name, Route()) for name in
              ("iree, ours", "iree, ours, contraction-proof", "iree, float", "iree",
               "torch-mlir, runtime", "optimizer")}  # fmt: skip

    def relative(name: str) -> str:
        difference = routes[name].difference
        return _number(difference and difference / (result.magnitude or 1.0))

    cells = [
        result.model,
        result.way,
        f"{result.equal} of {result.nodes}",
        relative("iree, ours"),
        relative("torch-mlir, runtime"),
        relative("iree, float"),
        relative("optimizer"),
        _time(routes["iree, ours"]),
        _time(routes["iree, ours, contraction-proof"]),
        _time(routes["iree, float"]),
        _time(routes["iree"]),
        _time(routes["torch-mlir, runtime"]),
    ]
    return "| " + " | ".join(cells) + " |"


def table(results: list[Result]) -> str:
    return HEADER + "".join(row(result) + "\n" for result in results)


def failures(results: list[Result]) -> str:
    """Why a cell is empty: each reason, with the models and the ways that it stopped."""
    stopped: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for name, route in result.routes.items():
            if route.failure:
                # A file's place and its line are of one run alone.
                reason = re.sub(r"\S+\.mlir:\d+:\d+: ", "", route.failure).split(": %", 1)[0]
                stopped[reason][f"{result.model} ({result.way})"].append(name)
    lines = ["| reason | models | ways |\n|---|---|---|\n"]
    for reason, models in stopped.items():
        which: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for model, routes in models.items():
            which[tuple(routes)].append(model)
        for routes, names in which.items():
            lines.append(f"| `{reason[:200]}` | {', '.join(names)} | {' / '.join(routes)} |\n")
    return "".join(lines) if stopped else "None failed.\n"


def versions(packages: Path) -> str:
    """The versions that ran, from the environment's site-packages, and the machine."""
    found = {d.name: d.version for d in distributions(path=[str(packages)])}
    names = ("iree-base-compiler", "torch-mlir", "onnxruntime")
    listed = ", ".join(f"{name} {found.get(name, 'none')}" for name in names)
    listed += f"\n(beside it onnxruntime {onnxruntime.__version__})"
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{listed}; {cpu[1] if cpu else 'an unnamed CPU'}.\n"


def recorded(folder: Path, entry: Entry) -> list[Result]:
    """The results of the last run of each way of a model."""
    results = []
    for way in entry.ways:
        file = folder / entry.name / way / "result.json"
        if file.exists():
            fields = json.loads(file.read_text())
            routes = {name: Route(**route) for name, route in fields.pop("routes").items()}
            results.append(Result(**fields, routes=routes))
    return results


def contraction_table(rows) -> str:
    header = "| | option | elements that differ | ms |\n|---|---|---|---|\n"
    return header + "".join(
        f"| {name} | {option} | {100 * part:.2g} % | {milliseconds:.3g} |\n"
        for name, option, part, milliseconds in rows
    )


def write(page: Path, name: str, content: str) -> None:
    """Replaces what stands between two comments of the page."""
    text = page.read_text()
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, rest = text.split(begin)
    page.write_text(before + begin + content + end + rest.split(end)[1])
