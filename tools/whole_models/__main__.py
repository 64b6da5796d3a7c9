# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/models: whole models of PyPI's wheels through IREE and torch-mlir, with us and without. See docs/Models.md."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import report
from .catalog import CATALOG, WAYS
from .compilers import Tools
from .contraction import measure
from .run import run

TREE = Path(__file__).parents[2]


def _selected(names: list[str]):
    known = {entry.name: entry for entry in CATALOG}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no model '{unknown[0]}': expected some of {', '.join(known)}")
    return [known[name] for name in names] or [entry for entry in CATALOG if entry.is_default]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/models", description=__doc__)
    parser.add_argument("models", nargs="*", help="of " + ", ".join(e.name for e in CATALOG))
    parser.add_argument("--way", action="append", choices=WAYS, help="may be repeated")
    parser.add_argument("--quick", action="store_true", help="two binaries a model, timed once")
    parser.add_argument(
        "--write", action="store_true", help="the tables into Results.md and docs/Models.md"
    )
    parser.add_argument("--commands", action="store_true", help="print each command")
    parser.add_argument("--extras", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()

    tools = Tools(options.extras, options.commands)
    packages = next((options.extras / "lib").glob("python*/site-packages"))
    results, failed = [], False
    for entry in _selected(options.models):
        for way in entry.ways:
            if options.way and way not in options.way:
                continue
            print(f"[models] {entry.name}, {way} ...", flush=True)
            folder = TREE / "build" / "models" / entry.name / way
            result = run(entry, way, packages / entry.file, folder, tools, options.quick)
            (folder / "result.json").write_text(json.dumps(result.to_json(), indent=1))
            results.append(result)
            print(report.row(result), flush=True)
            for name, route in result.routes.items():
                if route.failure:
                    print(f"  {name}: {route.failure}")
            for node in result.differ[:5]:
                print(f"  differs: {node}")
            failed |= bool(result.differ) or bool(result.routes["iree, ours"].failure)
    if options.write:
        # With what earlier runs left: models can be run one by one.
        results = [r for entry in CATALOG for r in report.recorded(TREE / "build/models", entry)]
    fused = report.contraction_table(measure(tools, TREE / "build" / "models" / "contraction"))
    print("\n" + report.table(results) + "\n" + fused)
    if options.write:
        page = TREE / "tools" / "whole_models" / "Results.md"
        report.write(page, "versions", report.versions(packages))
        report.write(page, "table", report.table(results))
        report.write(page, "failures", report.failures(results))
        report.write(TREE / "docs" / "Models.md", "contraction", fused)
    return failed


if __name__ == "__main__":
    sys.exit(main())
