# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every mutant of our lowering dies on the case of the corpus that is recorded as its killer (tools/mutate)."""

import json
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from mutation.mutants import MUTANTS  # noqa: E402
from mutation.report import PAGE, RECORD, page_with  # noqa: E402
from mutation.run import Trial  # noqa: E402
from mutation.subjects import corpus  # noqa: E402

KILLERS = json.loads(RECORD.read_text())


@cache
def subjects() -> dict:
    return {subject.name: subject for subject in corpus()}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_dies(mutant):
    name = KILLERS[mutant.name]["corpus"]["killer"]
    trial = Trial([subjects()[name]])
    trial.check_original()
    assert trial.run(mutant).killer == name, (
        f"if the lowering has changed: tools/mutate {mutant.name}"
    )


def test_page_shows_the_record():
    assert set(KILLERS) == {mutant.name for mutant in MUTANTS}
    page = PAGE.read_text()
    assert page == page_with(KILLERS, page)
