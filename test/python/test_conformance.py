# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our three statements on the corpus of test/conformance, whose results are exact rationals."""

import filecmp
import subprocess
import sys

import numpy as np
import pytest
from build_tree import SOURCE
from same_bits import assert_same

from mlir_qdq import reference, runtime
from mlir_qdq.conformance import load, ours, topics
from mlir_qdq.conformance.cases import read, tensor_type

VECTORS = SOURCE / "test" / "conformance"
TOPICS = topics()


@pytest.mark.parametrize("topic", TOPICS)
def test_reference(topic):
    for case in load(f"corpus/{topic}.json"):
        assert_same(ours.by_reference(case), case, "the NumPy reference")


@pytest.mark.parametrize("topic", TOPICS)
def test_evaluator(topic):
    for case in load(f"corpus/{topic}.json"):
        assert_same(ours.by_evaluator(case), case, "the evaluator")


@pytest.mark.parametrize("topic", TOPICS)
def test_compiled(topic):
    cases = load(f"corpus/{topic}.json")
    compiled = ours.Compiled()
    compiled.prepare(cases)
    for case in cases:
        assert_same(compiled(case), case, "compiled code")


def test_parameters():
    """choose_params, which the evaluator does not compute."""
    entries = read("corpus/parameters.json")
    text = ""
    for index, entry in enumerate(entries):
        types = [tensor_type(entry[role]) for role in ("x", "scale", "zero_point")]
        text += (
            f"func.func @f{index}(%x: {types[0]}) -> ({types[1]}, {types[2]}) {{\n"
            f"  %s, %z = qdq.choose_params %x mode <{entry['mode']}> axis {entry['axis']} : ({types[0]}) -> ({types[1]}, {types[2]})\n"
            f"  return %s, %z : {types[1]}, {types[2]}\n}}\n"
        )
    compiled = runtime.compile(text)
    for index, entry in enumerate(entries):
        expected = entry["scale"].array, entry["zero_point"].array
        x, dtype = entry["x"].array, expected[0].dtype
        stated = reference.choose_params(
            x, storage=entry["storage"], mode=entry["mode"], axis=entry["axis"], scale_type=dtype
        )
        for results in (stated, compiled[f"f{index}"](x)):
            for actual, exact in zip(results, expected, strict=True):
                np.testing.assert_array_equal(actual, exact, entry["name"])


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
