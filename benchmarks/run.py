# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs benchmarks and makes one page of their results: see tools/bench."""

import argparse
import base64
import html
import io
import json
import logging
import os
import platform
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path

import onednn

HERE = Path(__file__).parent
#: The benchmarks, and how they are run: arguments for a matrix in L2, one in memory, and one in L3.
RUNS = {
    "calls": [[]],
    "kernels": [
        ["256", "1024"],
        ["4096", "4096"],
        ["2048", "2048"],
        ["2048", "2048", "--threads=2"],
    ],
    "gemv": [["32", "1", "4", "16"], ["128", "1", "4", "16", "gptq"]],
    "weight_files": [["1"], ["4", "MatMulNBits", "Q4_0"]],
    "integer_products": [[], ["--threads=2"]],
    "dynamic_products": [[]],
    "decoder_nodes": [[]],
    "networks": [[]],
    "wheel_models": [[]],
    "float_nodes": [[]],
    "float_sums": [[]],
    "sum_order": [[]],
    "threads": [[]],
    "compile_time": [[]],
    "lower_quant": [[]],
    "decode": [[]],
    "large_files": [[]],
}
STYLE = "body{font:15px system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem} td,th{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd} td:first-child,th:first-child{text-align:left} img{max-width:100%}"


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return (
        f"{next(names, platform.machine())}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}"
    )


def find_onednn(folder: Path) -> dict[str, str]:
    """The environment in which kernels.py finds oneDNN, which is installed where it is missing; else empty."""
    try:
        onednn.install(folder)
    except subprocess.CalledProcessError as error:
        print(f"bench: without oneDNN: {error}", file=sys.stderr)
        return {}
    return onednn.environment(folder) | {"QDQ_BENCH_ONEDNN": "1"}


def run(name: str, arguments: list[str], file: Path, given: dict[str, str]) -> list[dict]:
    """Rows of one run. Ends the program where it fails: codes differ, or a package is missing."""
    print(f"== {name} {' '.join(arguments)}", flush=True)
    environment = os.environ | given | {"QDQ_BENCH_RECORD": str(file)}
    file.write_text("")
    command = [sys.executable, str(HERE / f"{name}.py"), *arguments]
    if subprocess.run(command, env=environment).returncode:
        raise SystemExit(f"bench: error: {' '.join(command)} failed")
    return [json.loads(line) for line in file.read_text().splitlines()]


def draw(title: str, unit: str, rows: list[dict]) -> bytes:
    """Bars of each row, one for each way; ratios, which have another unit, are in the table only."""
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ways = list(dict.fromkeys(w for row in rows for w in row["values"] if w != "ratio"))
    height = 0.8 / max(len(ways), 1)
    figure, axes = pyplot.subplots(figsize=(10, 1 + 0.22 * len(rows) * max(len(ways), 2)))
    for index, way in enumerate(ways):
        places = [row - index * height for row in range(len(rows), 0, -1)]
        axes.barh(places, [row["values"].get(way, 0) for row in rows], height, label=way)
    axes.set_yticks(
        [row - height * (len(ways) - 1) / 2 for row in range(len(rows), 0, -1)],
        [row["name"] for row in rows],
    )
    largest = max(v for row in rows for w, v in row["values"].items() if w != "ratio")
    smallest = min(v for row in rows for w, v in row["values"].items() if w != "ratio")
    if largest > 100 * smallest > 0:
        axes.set_xscale("log")
    axes.set_xlabel(unit)
    axes.set_title(title)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.tight_layout()
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110, format="png")
    pyplot.close(figure)
    return buffer.getvalue()


def page(rows: list[dict], folder: Path) -> str:
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>mlir-qdq: benchmarks</title><style>{STYLE}</style>'
        f"<h1>Benchmarks</h1><p>{html.escape(processor())}. Every way is interleaved with the others in one process, and its bits were compared first; "
        "benchmarks/README.md says how to read the figures.</p>"
    ]
    for number, ((title, unit), group) in enumerate(
        groupby(rows, lambda r: (r["title"], r["unit"]))
    ):
        group = list(group)
        picture = draw(title, unit, group)
        (folder / f"bench-{number}.png").write_bytes(picture)
        ways = list(dict.fromkeys(w for row in group for w in row["values"]))
        head = "".join(f"<th>{html.escape(w)}</th>" for w in ["", *ways])
        lines = "".join(
            f"<tr><td>{html.escape(row['name'])}</td>"
            + "".join(
                f"<td>{row['values'][w]:.4g}</td>" if w in row["values"] else "<td></td>"
                for w in ways
            )
            + "</tr>"
            for row in group
        )
        data = base64.b64encode(picture).decode()
        parts.append(f"<h2>{html.escape(title)}, {unit}</h2><table><tr>{head}</tr>{lines}</table>")
        parts.append(f'<img alt="{html.escape(title)}" src="data:image/png;base64,{data}">')
    return "".join([*parts, "</html>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__.partition(":")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RUNS)}; all by default")  # fmt: skip
    parser.add_argument("--output", type=Path, default=Path("build/bench"), metavar="DIR")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in RUNS]
    if unknown:
        parser.error(f"'{unknown[0]}' is no benchmark: expected one of {', '.join(RUNS)}")
    options.output.mkdir(parents=True, exist_ok=True)
    rows, names = [], options.names or RUNS
    given = find_onednn(options.output.absolute() / "onednn") if "kernels" in names else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for arguments in RUNS[name]:
                rows += run(name, arguments, Path(folder, "rows.json"), given)
    (options.output / "rows.json").write_text(json.dumps(rows, indent=1))
    file = options.output / "bench.html"
    file.write_text(page(rows, options.output), encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main()
