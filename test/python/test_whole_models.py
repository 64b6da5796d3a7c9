# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/models without its compilers: what it knows of models, and the tables that it writes."""

import sys

import numpy as np
import onnx
import pytest
from build_tree import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
from whole_models import catalog, nodes, report  # noqa: E402
from whole_models.run import ROUTES, Result, Route  # noqa: E402

PAGE = SOURCE / "tools" / "whole_models" / "Results.md"


def test_catalog():
    names = [entry.name for entry in catalog.CATALOG]
    assert len(set(names)) == len(names)
    assert sum(entry.is_default for entry in catalog.CATALOG) >= 6
    for entry in catalog.CATALOG:
        assert len(entry.ways) >= 3 and set(entry.ways) <= set(catalog.WAYS)


def test_page():
    text = PAGE.read_text()
    table = text.split("<!-- table: begin -->\n")[1].split("<!-- table: end -->")[0]
    assert table.startswith(report.HEADER)
    known = {(entry.name, way) for entry in catalog.CATALOG for way in entry.ways}
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert tuple(cells[:2]) in known
        equal, of = cells[2].split(" of ")
        assert equal == of, "a node differs from ONNX Runtime"


def test_row():
    result = Result("m", "tensor", nodes=3, equal=3, magnitude=2.0)
    for name in (*ROUTES, "optimizer", "torch-mlir, runtime"):
        result.routes[name] = Route(0.5, 1.25)
    assert report.row(result).startswith("| m | tensor | 3 of 3 | 0.25 | 0.25 |")
    empty = report.row(Result("m", "tensor"))
    assert empty.count("–") == 9 and len(report.HEADER.splitlines()[0].split("|")) == len(
        empty.split("|")
    )


def test_write(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n")
    report.write(page, "t", "new\n")
    assert page.read_text() == "a\n<!-- t: begin -->\nnew\n<!-- t: end -->\nb\n"


@pytest.mark.parametrize("is_wrong", [False, True])
def test_nodes(is_wrong, monkeypatch):
    """Each Q/DQ node by itself; a wrong one is found."""
    text = """<ir_version: 8, opset_import: ["" : 19]>
    m (float[2, 3] x) => (float[2, 3] y)
    <float s = {0.5}, uint8 z = {7}> {
      q = QuantizeLinear (x, s, z)
      d = DequantizeLinear (q, s, z)
      r = Relu (d)
      p = QuantizeLinear (r, s, z)
      y = DequantizeLinear (p, s, z)
    }"""
    if is_wrong:
        compile_ = nodes.runtime.compile
        monkeypatch.setattr(
            nodes.runtime, "compile", lambda m, **o: compile_(m, rounding="floor", **o)
        )
    x = np.array([[0.3, -0.3, 1.25], [2.75, -9, 100]], np.float32)
    found = nodes.compare(onnx.parser.parse_model(text), {"x": x})
    assert found.equal == (3 if is_wrong else 4)
    assert len(found.differ) == (1 if is_wrong else 0)
