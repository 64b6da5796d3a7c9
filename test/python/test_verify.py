# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/verify: fixed slices, that it sees a difference, and that it resumes."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from build_tree import SOURCE
from distributed import Client, LocalCluster

sys.path.insert(0, str(SOURCE / "tools"))

from verification import intervals, pointwise, run, statements  # noqa: E402
from verification.cases import GROUPS  # noqa: E402


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("every", ["1000", pytest.param("17", marks=pytest.mark.exhaustive)])
def test_slice(every):
    """One case of each group, and several."""
    command = [sys.executable, "-m", "verification", "--slice", every, "--jobs", "1"]
    done = subprocess.run(command, cwd=SOURCE / "tools", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def first(group: str):
    return next(iter(GROUPS[group]()))


def test_values_below_zero_have_no_e8m0_code():
    """Also those that round to zero, in every mode."""
    cases = [c for c in GROUPS["casts"]() if (c.value, c.storage) == ("bf16", "f8E8M0FNU")]
    emitted = statements.Emitted(cases)
    assert [pointwise.verify(case, emitted) for case in cases] == [65536] * 5


class Wrong:
    """Compiled code that is off by one for one input."""

    def __init__(self, case, at: np.generic):
        self.emitted, self.at = statements.Emitted([case]), statements.bits_of(at)

    def __call__(self, case, x, index, out=None):
        bits = self.emitted(case, x, index, out)
        return np.where(statements.bits_of(x) == self.at, bits ^ 1, bits)


def test_pointwise_sees_one_wrong_input():
    case = first("halves to integers")
    with pytest.raises(
        pointwise.Mismatch, match=r"x = 0x1234 \(.*\)\n  emitted 0x.*, evaluator 0x"
    ):
        pointwise.verify(case, Wrong(case, np.uint16(0x1234).view(np.float16)))


def test_intervals_see_one_wrong_input():
    case = first("f32 to integers")
    with pytest.raises(pointwise.Mismatch, match="x = 0x3f9d6f35 "):
        intervals.verify(case, Wrong(case, np.uint32(0x3F9D6F35).view(np.float32)))


def test_order_of_f32():
    """Every position has its own f32, from -NaN over -inf, -0, +0 and +inf to NaN."""
    borders = [0x7FFFFE, 0x7FFFFF, 0x7FFFFFFF, 0x80000000, 0xFF800000, 0xFF800001]
    x = intervals.inputs_at(np.array(borders))
    assert np.isnan(x[[0, 5]]).all() and x[1] == -np.inf and x[4] == np.inf
    assert x[2] == 0 and np.signbit(x[2]) and x[3] == 0 and not np.signbit(x[3])
    positions = np.concatenate([start + np.arange(chunk.size) for start, chunk in some_chunks()])
    values = np.concatenate([chunk for _, chunk in some_chunks()])
    np.testing.assert_array_equal(intervals.inputs_at(positions).view("u4"), values.view("u4"))


def some_chunks():
    chunks = 2**32 // intervals.CHUNK
    wanted = {0, 1, chunks // 2 - 1, chunks // 2, chunks - 1}
    return [(s, x.copy()) for i, (s, x) in enumerate(intervals._chunks()) if i in wanted]


def test_resumes(tmp_path):
    state = tmp_path / "state.jsonl"
    cases = list(GROUPS["halves to integers"]())[:2]
    assert len(run.run(cases[:1], state, 1, False)) == 1
    assert len(run.run(cases, state, 1, False)) == 2
    lines = state.read_text().splitlines()
    assert len(lines) == 2
    # Another version of the code starts again.
    state.write_text(lines[0].replace(run.code_version(), "0" * 16) + "\n")
    assert len(run.run(cases[:1], state, 1, False)) == 1
    assert len(state.read_text().splitlines()) == 2


def test_cluster_loses_a_worker(tmp_path, monkeypatch):
    """Killed after the first result, with work begun: as many results, of as many inputs."""
    monkeypatch.setenv("PYTHONPATH", str(SOURCE / "tools"))
    cases = list({(c.value, c.storage): c for c in GROUPS["halves to floats"]()}.values())[:10]
    state = tmp_path / "state.jsonl"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids = client.run(os.getpid)
        arriving = run._on_cluster

        def killing(*arguments):
            for number, new in enumerate(arriving(*arguments)):
                if number == 0:
                    os.kill(next(iter(pids.values())), signal.SIGKILL)
                yield new

        monkeypatch.setattr(run, "_on_cluster", killing)
        results = run.run(cases, state, 1, False, cluster.scheduler_address)
    assert sorted(r.key for r in results) == sorted(c.key for c in cases)
    assert {r.inputs for r in results} == {2 * 2**16} and not any(r.mismatch for r in results)
    assert len(state.read_text().splitlines()) == len(cases)
