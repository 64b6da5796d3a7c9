# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytecode of the dialect carries its version: the same IR comes back, and a newer file is refused."""

import pytest
from build_tree import SOURCE, run_tool

# The section of dialect versions, one byte long, with version 1; and with version 2.
CURRENT, NEWER = b"\x07\x03\x03", b"\x07\x03\x05"


@pytest.fixture
def bytecode(tmp_path):
    path = tmp_path / "ops.mlirbc"
    run_tool("quant-opt", SOURCE / "test/IR/ops.mlir", "--emit-bytecode", "-o", path)
    return path


def test_round_trip(bytecode):
    text = run_tool("quant-opt", SOURCE / "test/IR/ops.mlir").stdout
    assert "qdq.quantize" in text
    assert run_tool("quant-opt", bytecode).stdout == text


def test_newer_version(bytecode):
    data = bytecode.read_bytes()
    assert CURRENT in data[:64]
    bytecode.write_bytes(data.replace(CURRENT, NEWER, 1))
    failed = run_tool("quant-opt", bytecode, check=False)
    assert failed.returncode == 1
    assert "has version 2 of the qdq dialect: expected at most 1" in failed.stderr
