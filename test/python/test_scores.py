# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores.md, Systems.md: their tables are those of vectors/scores/results, whose expected codes are those of the vectors."""

import importlib
import json
import re
import sys

import numpy as np
import pytest
from build_tree import SOURCE

SCORES = SOURCE / "vectors" / "scores"
RECORDS = [json.loads(file.read_text()) for file in sorted((SCORES / "results").glob("*.json"))]


@pytest.fixture
def scores(monkeypatch):
    monkeypatch.syspath_prepend(str(SCORES))
    yield importlib.import_module
    for name in [
        name for name in sys.modules if name.split(".")[0] in ("scoring", "page", "run", "systems")
    ]:
        del sys.modules[name]


def test_pages_are_up_to_date(scores):
    for page, text in scores("page").pages().items():
        assert page.read_text() == text, "run: python vectors/scores/page.py --write"


def test_each_system_has_results(scores):
    run = scores("run")
    systems = [file.stem for file in sorted(run.SYSTEMS.glob("*.py")) if run.packages_of(file)]
    assert len(systems) >= 12
    assert [record["system"] for record in RECORDS] == systems


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["system"])
def test_expected_codes_are_those_of_the_vectors(record, scores):
    vectors = scores("scoring").vectors
    for row in record["rows"]:
        assert row["differing"] == sum(each["differing"] for each in row["differences"])
        types = re.match(r"(\w+) to (\w+)", row["operation"])
        if not types:
            continue
        (case,) = vectors.cases("cast", source=types[1], to=types[2], **row["rules"])
        for each in row["differences"]:
            pattern = int(each["input"].split()[0], 16)
            expected = int(each["expected"].split()[0], 16)
            assert case.of(np.array([pattern])) == expected, (row["operation"], each)
            assert int(each["gives"].split()[0], 16) != expected


def test_a_mistake_is_found(scores):
    """A cast through f16 rounds twice."""
    scoring = scores("scoring")
    dtypes = pytest.importorskip("ml_dtypes")

    def convert(x):
        with np.errstate(over="ignore", invalid="ignore"):
            return x.astype(np.float16).astype(dtypes.float8_e4m3fn).view(np.uint8)

    row = scoring.score(scoring.cast("f32", "f8E4M3FN", convert))
    assert row["rules"] == {"rounding": "nearest-even", "float_overflow": "ieee"}
    gives = {each["kind"]: each["gives"] for each in row["differences"]}
    assert gives["value"] == "0x48 (4)"
