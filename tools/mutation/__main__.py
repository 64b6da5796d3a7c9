# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/mutate: which mutants the conformance corpus kills, and which ONNX's node tests kill. See docs/Verification.md."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from .mutants import MUTANTS
from .report import RECORD, write_record
from .run import Trial
from .subjects import corpus, onnx_node_tests


def main() -> int:
    if "--sources" in sys.argv[1:]:
        from .sources import main as sources

        return sources([argument for argument in sys.argv[1:] if argument != "--sources"])
    parser = argparse.ArgumentParser(prog="tools/mutate", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="mutants to try (all); their results replace the recorded ones"
    )
    parser.add_argument(
        "--sources",
        action="store_true",
        help="mistakes in lib/ instead; --sources --help says which",
    )
    arguments = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if not arguments.names or mutant.name in arguments.names]
    if unknown := set(arguments.names) - {mutant.name for mutant in chosen}:
        parser.error(f"no such mutant: {', '.join(sorted(unknown))}")

    suites = {"corpus": Trial(corpus()), "onnx": Trial(onnx_node_tests())}
    for suite in suites.values():
        suite.check_original()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for mutant in chosen:
        verdicts = {name: suite.run(mutant) for name, suite in suites.items()}
        record[mutant.name] = {name: asdict(verdict) for name, verdict in verdicts.items()}
        print(
            f"{mutant.name}: "
            + ", ".join(f"{n} {v.killer or 'SURVIVES'}" for n, v in verdicts.items()),
            flush=True,
        )
    record = {mutant.name: record[mutant.name] for mutant in MUTANTS if mutant.name in record}
    write_record(record)
    return int(any(result["corpus"]["killer"] is None for result in record.values()))


if __name__ == "__main__":
    raise SystemExit(main())
