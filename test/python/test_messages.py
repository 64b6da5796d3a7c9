# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, warnings and remarks of our C++ have tests."""

import sys

import tree_sitter
import tree_sitter_cpp
from build_tree import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
from covering.errors import UNTESTED, messages, untested  # noqa: E402

TEXT = b"""
LogicalResult f(Operation *op) {
  if (op->getNumResults() != 1)
    return op->emitOpError() << "has " << op->getNumResults()
                             << " results: expected "
                                "one, \\"r\\"";
  return rewriter.notifyMatchFailure(op, "is not ours");
}
"""


def test_reads_messages():
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
    found = list(messages(parser.parse(TEXT).root_node))
    assert found == [(5, ['results: expected one, "r'])]


def test_each_message_has_a_test_or_a_reason():
    found, count = untested()
    assert count > 500
    unexplained = [line for line in found if not any(text in line for text in UNTESTED)]
    assert not unexplained
    assert not [text for text in UNTESTED if not any(text in line for line in found)]
