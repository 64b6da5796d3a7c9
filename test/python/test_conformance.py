# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our three statements on the corpus of test/conformance, whose results are exact rationals."""

import filecmp
import subprocess
import sys

import pytest
from conformance import VECTORS, assert_same, load

from mlir_qdq import runtime

TOPICS = sorted(path.stem for path in (VECTORS / "corpus").glob("*.json"))


@pytest.mark.parametrize("topic", TOPICS)
def test_reference(topic):
    for case in load(f"corpus/{topic}.json"):
        assert_same(case.by_reference(), case, "the NumPy reference")


@pytest.mark.parametrize("topic", TOPICS)
def test_evaluator(topic):
    for case in load(f"corpus/{topic}.json"):
        assert_same(case.by_evaluator(), case, "the evaluator")


@pytest.mark.parametrize("topic", TOPICS)
def test_compiled(topic):
    cases = load(f"corpus/{topic}.json")
    compiled = runtime.compile("".join(c.text(f"f{i}") for i, c in enumerate(cases)))
    for index, case in enumerate(cases):
        assert_same(compiled[f"f{index}"](*case.arguments), case, "compiled code")


def test_generated(tmp_path):
    """The files are what the generator writes."""
    subprocess.run(
        [sys.executable, VECTORS / "generate.py", tmp_path], check=True, capture_output=True
    )
    ours = sorted(
        path.relative_to(VECTORS / "corpus") for path in (VECTORS / "corpus").rglob("*.*")
    )
    assert ours == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    _, different, failed = filecmp.cmpfiles(VECTORS / "corpus", tmp_path, ours, shallow=False)
    assert not different and not failed
