# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test/Drivers/qdq-drivers.cpp runs each populate function of the headers, or one that calls it."""

import re

from build_tree import SOURCE

#: Parts, by the name of the whole.
PARTS = {
    "populateMotionPatterns": ("Elementwise", "MaxPool", "Pad", "Reshape", "Slice", "Transpose"),
    "populateDequantizeConstantsPatterns": ("QuantizeConstants",),
    "populateStripSignednessPatterns": ("TypeAgnosticOp",),
}


def test_each_populate_function_is_driven():
    driven = set(re.findall(r"populate\w+", (SOURCE / "test/Drivers/qdq-drivers.cpp").read_text()))
    for whole, parts in PARTS.items():
        assert whole in driven
        motion = "Motion" if "Motion" in whole else ""
        driven |= {f"populate{part}{motion}Patterns" for part in parts}
    declared = {
        name
        for header in (SOURCE / "include").rglob("*.h")
        for name in re.findall(r"void (populate\w+Patterns)\(", header.read_text())
    }
    assert len(declared) > 30 and not declared - driven
