# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/mutate --sources: the mistakes that it makes, and that each recorded one has a killer or a reason."""

import sys

from build_tree import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
from mutation.source_mistakes import mistakes  # noqa: E402
from mutation.sources import read_record  # noqa: E402

TEXT = b"""
static constexpr int kRows = 4 + 1;
static LogicalResult f(Operation *op, int n) {
  if (n < 3 && !op->use_empty())
    return op->emitOpError() << "has " << n + 1;
  auto map = llvm::SmallVector<int, 4>(n - 1);
  set(op, /*inBounds=*/true);
  Value low = arith::MaxSIOp::create(b, x, y);
  Value rest = arith::SubIOp::create(b, loc, x, y);
  assert(n > 7);
  return n ? g(op) : failure();
}
"""


def test_mistakes():
    found = [(m.line, m.kind, m.mutated) for m in mistakes("f.cpp", TEXT)]
    assert found == [
        (4, "operator", "n < 3 || !op->use_empty()"),
        (4, "guard", "false"),
        (4, "operator", "n <= 3"),
        (4, "number", "4"),
        (4, "negation", "!!(op->use_empty())"),
        (6, "operator", "n + 1"),
        (6, "number", "2"),
        (7, "statement", ";"),
        (7, "flag", "false"),
        (8, "op", "arith::MinSIOp::create(b, x, y)"),
        (9, "operands", "arith::SubIOp::create(b, loc, y, x)"),
        (9, "op", "arith::AddIOp::create(b, loc, x, y)"),
        (11, "choice", "!(n) ? g(op) : failure()"),
    ]


def test_keys_do_not_depend_on_other_lines():
    moved = mistakes("f.cpp", b"\n// A comment.\n" + TEXT)
    assert [m.key for m in moved] == [m.key for m in mistakes("f.cpp", TEXT)]
    assert len({m.key for m in moved}) == len(moved)


#: Mutants without a killer or a reason. Less is better.
OPEN = 4


def test_record():
    record = read_record()
    assert len(record) >= 200
    for entry in record.values():
        if "killer" in entry:
            file = entry["killer"].partition("::")[0]
            assert (SOURCE / "test" / file).exists() or (SOURCE / file).exists(), entry
        elif "equivalent" in entry:
            assert len(entry["equivalent"].split()) > 4, entry
    explained = [e for e in record.values() if "killer" in e or "equivalent" in e]
    assert len(record) - len(explained) <= OPEN
