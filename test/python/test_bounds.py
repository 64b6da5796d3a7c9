# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of rounding errors that other proofs rest on, proven by Gappa."""

import subprocess

import pytest
from build_tree import SOURCE

BOUNDS = SOURCE / "tools" / "verification" / "bounds"


def prove(text):
    return subprocess.run(["gappa"], input=text, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("path", sorted(BOUNDS.glob("*.g")), ids=lambda path: path.stem)
def test_bound_is_proven(path):
    done = prove(path.read_text())
    assert done.returncode == 0, done.stderr


def test_a_smaller_bound_is_not():
    text = (BOUNDS / "blocks.g").read_text()
    assert prove(text.replace("0x1.12p-23", "0x1p-23")).returncode == 1
