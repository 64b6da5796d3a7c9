# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our three statements on the corpus of qdq-vectors, whose results are exact rationals."""

import filecmp
import subprocess
import sys

import pytest
from build_tree import SOURCE
from same_bits import assert_same

from mlir_qdq import conformance
from mlir_qdq.conformance import GROUPS, ours, topics
from mlir_qdq.conformance.files import folder_of

VECTORS = SOURCE / "vectors"
CORPUS = VECTORS / "qdq_vectors" / "data" / "corpus"
TOPICS = [(group, topic) for group in GROUPS for topic in topics(group)]


def cases_of(group: str, topic: str) -> list[conformance.Case]:
    return conformance.load(f"{folder_of(group)}/{topic}.json")


@pytest.mark.parametrize("group, topic", TOPICS)
def test_reference(group, topic):
    for case in cases_of(group, topic):
        assert_same(case.stated(), case, "the NumPy reference")


@pytest.mark.parametrize("group, topic", [t for t in TOPICS if t[0] != "choose-params"])
def test_evaluator(group, topic):
    """It computes no parameters."""
    evaluate = conformance.implementation("evaluator", group).convert
    for case in cases_of(group, topic):
        assert_same(evaluate(case), case, "the evaluator")


@pytest.mark.parametrize("group, topic", TOPICS)
def test_compiled(group, topic):
    cases = cases_of(group, topic)
    compiled = ours.Compiled()
    compiled.prepare(cases)
    for case in cases:
        assert_same(compiled(case), case, "compiled code")


def test_generated(tmp_path):
    """The files are what the generator writes."""
    subprocess.run(
        [sys.executable, VECTORS / "statements" / "make_corpus.py", tmp_path],
        check=True,
        capture_output=True,
    )
    ours = sorted(path.relative_to(CORPUS) for path in CORPUS.rglob("*.*"))
    assert ours == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    _, different, failed = filecmp.cmpfiles(CORPUS, tmp_path, ours, shallow=False)
    assert not different and not failed
