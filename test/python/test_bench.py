# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/bench: its page of given figures, and its errors. No figure is measured here."""

import json
import sys

import pytest
from build_tree import SOURCE, run_tool

sys.path.insert(0, str(SOURCE / "benchmarks"))
import record  # noqa: E402
import run  # noqa: E402

ROWS = [
    ("matrices", "µs", "small", {"ours": 2.0, "theirs": 4.0, "ratio": 2.0}),
    ("matrices", "µs", "large", {"ours": 3000.0, "theirs": 1500.0, "ratio": 0.5}),
    ("calls", "ns", "one", {"ours": 123456.0}),
]


def test_rows_and_page(tmp_path, monkeypatch, capsys):
    file = tmp_path / "rows"
    monkeypatch.setenv("QDQ_BENCH_RECORD", str(file))
    for row in ROWS:
        record.record(*row)
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if not line.startswith(" ")] == ["matrices, µs", "calls, ns"]
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [tuple(row.values()) for row in rows] == ROWS
    page = run.page(rows, tmp_path)
    assert "<td>large</td><td>3000</td><td>1500</td><td>0.5</td>" in page
    assert "http" not in page and page.count("data:image/png") == 2
    assert all((tmp_path / f"bench-{n}.png").read_bytes()[:4] == b"\x89PNG" for n in (0, 1))


def test_every_benchmark_is_run():
    tools = {"llama_peer", "measure", "onednn", "peers", "record", "rows", "run"}
    files = {path.stem for path in (SOURCE / "benchmarks").glob("*.py")} - tools
    assert files == set(run.RUNS)


@pytest.mark.parametrize("word", ["kernel", "--no"])
def test_errors(word):
    done = run_tool(sys.executable, SOURCE / "benchmarks" / "run.py", word, check=False)
    assert done.returncode == 2 and "bench: error: " in done.stderr and done.stdout == ""
