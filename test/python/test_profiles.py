# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each profile against what its runtime computed: test/conformance/profiles, recorded by tools/record-vectors."""

import pytest
from conformance import VECTORS, assert_same, load, promised

from mlir_qdq import runtime

RECORDED = sorted(path.stem for path in (VECTORS / "profiles").glob("*.json"))


@pytest.mark.parametrize("profile", RECORDED)
def test_reference(profile):
    for case in load(f"profiles/{profile}.json"):
        assert_same(case.by_reference(), case, "the NumPy reference", promised(case))


@pytest.mark.parametrize("profile", RECORDED)
def test_compiled(profile):
    cases = load(f"profiles/{profile}.json")
    compiled = runtime.compile(
        "".join(c.text(f"f{i}") for i, c in enumerate(cases)), profile=profile
    )
    for index, case in enumerate(cases):
        assert_same(compiled[f"f{index}"](*case.arguments), case, "compiled code", promised(case))
