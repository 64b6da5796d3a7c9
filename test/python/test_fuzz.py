# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/fuzz: a few programs of each day, and that a wrong program shrinks to the step that is wrong."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from build_tree import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
from fuzzing import __main__ as fuzz  # noqa: E402
from fuzzing.generate import generate  # noqa: E402
from fuzzing.program import Program  # noqa: E402
from fuzzing import isolated  # noqa: E402
from fuzzing.shrink import shrink  # noqa: E402
from fuzzing.tally import Tally  # noqa: E402


@pytest.mark.parametrize("count", [7, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_programs_equal_the_reference(count, tmp_path):
    command = [SOURCE / "tools" / "fuzz", "--seconds", str(3 * count), "--count", str(count)]
    done = subprocess.run([*command, "--keep", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_seed_is_a_program():
    first, second = generate(7), generate(7)
    assert first.text() == second.text()
    for one, other in zip(first.inputs(), second.inputs(), strict=True):
        assert one.tobytes() == other.tobytes()


def test_steps_of_some_rooms():
    kinds = {step.kind for seed in range(20) for step in generate(seed, ("generics",)).steps}
    assert kinds <= {"generic", "constant", "size"} and "generic" in kinds


def test_a_run_continues_the_counts_of_another(tmp_path):
    state = tmp_path / "counts.json"
    command = [SOURCE / "tools" / "fuzz", "--state", state, "--routes", "1", "--count", "1"]
    for programs in (1, 2):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert Tally(state, "programs").next_seed() == programs
    assert Tally(state, "gguf").next_seed() == 0
    assert json.loads(state.read_text()) == {
        "programs": {"executions": 2, "findings": 0, "runs": 2}
    }


def test_time_is_that_of_the_processor(tmp_path):
    """A process that waits is not late, and one that computes for long is."""

    def waits() -> None:
        time.sleep(1.5)

    def computes() -> None:
        while True:
            pass

    assert isolated.call(waits, tmp_path / "log", 1) is None
    assert isolated.call(computes, tmp_path / "log", 1).startswith("SIG")


def test_a_program_that_crashes_leaves_the_others(monkeypatch, tmp_path):
    """Each is tried by itself."""

    def crash(programs, route):
        if "crash" in programs:
            os.kill(os.getpid(), signal.SIGKILL)
        return ["result 0: wrong" if program == "wrong" else None for program in programs]

    monkeypatch.setattr(fuzz, "run", crash)
    assert fuzz.trials(["good", "wrong"], None, tmp_path) == [None, "result 0: wrong"]
    said = fuzz.trials(["good", "crash", "wrong"], None, tmp_path)
    assert said[0] is None and said[1].startswith("SIGKILL") and said[2] == "result 0: wrong"


def test_programs_that_crash_together_only_are_wrong(monkeypatch, tmp_path):
    def crash(programs, route):
        if len(programs) > 1:
            raise ValueError("two")
        return [None]

    monkeypatch.setattr(fuzz, "run", crash)
    said = fuzz.trials(["a", "b"], None, tmp_path)
    assert said[0].startswith("together: ValueError") and said[1] is None


def test_batches_share_their_routes():
    """A seed by itself has them, too."""
    assert fuzz.batch(0, None) == range(fuzz.BATCH) and fuzz.batch(70, 3) == range(70, 73)
    assert fuzz.batch(fuzz.BATCH - 1, 9) == range(fuzz.BATCH - 1, fuzz.BATCH)
    assert fuzz.drawn_routes(0, None) == fuzz.drawn_routes(fuzz.BATCH - 1, None)
    assert fuzz.drawn_routes(0, None) != fuzz.drawn_routes(fuzz.BATCH, None)


def test_shrinks_to_one_step():
    """What the step needs becomes arguments."""
    program = next(p for p in map(generate, range(1000)) if _has(p, "product") and len(p.steps) > 9)
    small = shrink(program, lambda part: _has(part, "product"))
    assert [step.kind for step in small.steps] == ["product"]
    assert len(small.arguments) == 3 and len(small.results) == 1
    np.testing.assert_array_equal(small.expected()[0], small.steps[0].results[0].array)


def _has(program: Program, kind: str) -> bool:
    return any(step.kind == kind for step in program.steps)
