# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""#qdq.packing: in which bits of which containers an element lies, from the table of the attribute's page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

_HALVES = tuple(i // 2 + 16 * (i % 2) for i in range(32))
_AWQ = (0, 2, 4, 6, 1, 3, 5, 7)
_EXCESS, _EXCESS_LESS_ONE = "excess", "excess less one"


def _row(container: int, axis: int | None, stored: str = "", **more) -> dict:
    return {"container": container, "axis": axis, "stored": stored, **more}


#: (preset, part)
_PRESETS = {
    ("onnx", "codes"): _row(8, None),
    ("pmx-int4x4", "codes"): _row(16, 0, _EXCESS),
    ("gptq-v1", "codes"): _row(32, 0, _EXCESS),
    ("gptq-v1", "zero-point"): _row(32, 1, _EXCESS_LESS_ONE),
    ("gptq-v2", "codes"): _row(32, 0, _EXCESS),
    ("gptq-v2", "zero-point"): _row(32, 1, _EXCESS),
    ("awq-gemm", "codes"): _row(32, -1, _EXCESS, block=8, order=_AWQ),
    ("awq-gemm", "zero-point"): _row(32, -1, _EXCESS, block=8, order=_AWQ),
    ("awq-gemv", "codes"): _row(32, -1, _EXCESS),
    ("awq-gemv", "zero-point"): _row(32, -1, _EXCESS),
    ("matmulnbits", "codes"): _row(8, -1, _EXCESS),
    ("matmulnbits", "zero-point"): _row(8, -1, _EXCESS),
    ("ggml-q4_0", "codes"): _row(8, -1, _EXCESS, block=32, order=_HALVES, record=18, at=2),
    ("ggml-q4_0", "scale"): _row(8, -1, block=1, record=18, at=0),
    ("ggml-q4_1", "codes"): _row(8, -1, _EXCESS, block=32, order=_HALVES, record=20, at=4),
    ("ggml-q4_1", "scale"): _row(8, -1, block=1, record=20, at=0),
    ("ggml-q4_1", "minimum"): _row(8, -1, block=1, record=20, at=2),
    ("ggml-q8_0", "codes"): _row(8, -1, block=32, record=34, at=2),
    ("ggml-q8_0", "scale"): _row(8, -1, block=1, record=34, at=0),
    ("ggml-mxfp4", "codes"): _row(
        8, -1, block=32, order=_HALVES, record=17, at=1, positive_zero=True
    ),
    ("ggml-mxfp4", "scale"): _row(8, -1, block=1, record=17, at=0),
}


@dataclass(frozen=True)
class Packing:
    bits: int
    container: int
    axis: int | None
    block: int | None
    order: tuple[int, ...]
    record: int
    at: int
    offset: int
    positive_zero: bool

    @staticmethod
    def parse(text: str, element: str, width: int, container: int) -> Packing:
        """Of an attribute, for elements of this type in containers of this width."""
        body = text[text.index("<") + 1 : text.rindex(">")]
        fields = dict(re.findall(r"(\w+) = (\[[^\]]*\]|[\w-]+)", body))
        first = body.split(",")[0].strip()
        row: dict = {"container": container, "axis": None, "stored": ""}
        if first and "=" not in first and first != "positive_zero":
            row = dict(_PRESETS[first, fields.get("part", "codes")])
        bits = int(fields.get("bits", width))
        order = row.get("order", ())
        if "order" in fields:
            order = tuple(int(i) for i in fields["order"].strip("[]").split(","))
        block = int(fields["block"]) if "block" in fields else row.get("block")
        excess = 0
        if row["stored"] and element.startswith(("i", "si")):
            excess = 1 << (bits - 1)
        if row["stored"] == _EXCESS_LESS_ONE:
            excess -= 1
        record = -(-block * bits // container) if block else 0
        return Packing(
            bits,
            container,
            int(fields["axis"]) if "axis" in fields else row["axis"],
            block,
            order,
            int(fields.get("record", row.get("record", record))),
            int(fields.get("at", row.get("at", 0))),
            int(fields.get("offset", excess)),
            "positive_zero" in body or row.get("positive_zero", False),
        )

    def place(self, index: Sequence[int], shape: Sequence[int]) -> tuple[list[int], int]:
        """For an element: the index of the first container that it lies in, and its lowest bit there."""
        if self.axis is None:
            k, before, after = _flat(index, shape), [], []
        else:
            axis = self.axis % len(shape)
            k, before, after = index[axis], list(index[:axis]), list(index[axis + 1 :])
        if self.block:
            block, slot = divmod(k, self.block)
            if self.order:
                slot = self.order.index(slot)
            first = (block * self.record + self.at) * self.container + slot * self.bits
        else:
            first = k * self.bits
        return [*before, first // self.container, *after], first % self.container


def _flat(index: Sequence[int], shape: Sequence[int]) -> int:
    return sum(i * prod(shape[dim + 1 :]) for dim, i in enumerate(index))
