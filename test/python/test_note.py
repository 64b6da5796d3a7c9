# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/note: its figures are those of the recorded data, and every figure that it shows is among them."""

import json
import re
import runpy

from build_tree import SOURCE
from mlir_qdq.reference.semantics import PROFILES

NOTE = SOURCE / "docs" / "note"
FIGURES = json.loads((NOTE / "figures.json").read_text())


def test_figures_are_those_of_the_data():
    made = runpy.run_path(str(NOTE / "figures.py"))["figures"]()
    assert made == FIGURES, "run: python docs/note/figures.py --write"


def test_every_table_has_rows():
    tables = {(s, n) for s in FIGURES for n, value in FIGURES[s].items() if isinstance(value, list)}
    assert len(tables) > 10
    assert [key for key in sorted(tables) if not FIGURES[key[0]][key[1]]] == []


def test_every_profile_has_a_row():
    assert sorted(row[0] for row in FIGURES["semantics"]["rows"]) == sorted(PROFILES)
    assert FIGURES["semantics"]["profiles"] == len(PROFILES)


def test_every_figure_is_recorded():
    used = set(re.findall(r"\bf\.(\w+)\.(\w+)", (NOTE / "note.typ").read_text()))
    assert len(used) > 20
    for section, name in used:
        assert name in FIGURES[section], f"{section}.{name}"


def test_no_count_is_written_by_hand():
    """Large numbers come from figures.json, but those that name an input or a method."""
    text = re.sub(r"(?m)//.*$", "", (NOTE / "note.typ").read_text())
    numbers = set(re.findall(r"(?<![\w.#^(])\d{1,3}(?:,\d{3})+(?![\w.])", text))
    assert numbers == {"2,560", "1,344"}
    page = (SOURCE / "docs" / "Conformance.md").read_text()
    assert "2,560 values of f32" in page and "1,344 accumulators" in page
