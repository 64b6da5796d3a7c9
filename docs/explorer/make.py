# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/Explorer.html, one file that fetches nothing: page.html with its style, its scripts, and the tables of
mlir_qdq.reference.

    python docs/explorer/make.py [page]
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np

from mlir_qdq.reference.semantics import FIELD_VALUES, PROFILES
from mlir_qdq.reference.types import EXPRESSED, FLOAT_STORAGE, SCALES

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "Explorer.html"


def tables() -> dict:
    """What the scripts need to know, as JSON can hold it."""
    profiles = {
        name: {
            "fields": vars(profile.semantics),
            "quantizeCompute": profile.quantize_compute,
            "dequantizeCompute": profile.dequantize_compute,
        }
        for name, profile in PROFILES.items()
    }
    formats = {
        name: {
            "precision": format.precision,
            "minExponent": format.min_exponent,
            "maxFinite": format.max_finite,
            "hasInfinity": format.has_infinity,
            "hasNaN": format.has_nan,
            "hasNegativeZero": format.has_negative_zero,
        }
        for name, format in {**FLOAT_STORAGE, **SCALES, **EXPRESSED}.items()
    }
    return {
        "fields": dict(FIELD_VALUES),
        "profiles": profiles,
        "formats": formats,
        "codes": {name: codes(name) for name in FLOAT_STORAGE if name not in EXPRESSED},
    }


def codes(storage: str) -> list:
    """The value of each code; as text where JSON has no number for it."""
    count = 2 ** int(storage[1])
    values = np.arange(count, dtype=np.uint8).view(FLOAT_STORAGE[storage].dtype)
    return [_number(float(value)) for value in values]


def _number(value: float):
    if math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0):
        return int(value) if value.is_integer() else value
    return str(value)


def script() -> str:
    """The tables and the semantics, which run without a page."""
    stated = json.dumps(tables(), separators=(",", ":"))
    return f"const TABLES = {stated};\n{(HERE / 'semantics.js').read_text()}"


def page() -> str:
    text = (HERE / "page.html").read_text()
    for mark, part in (
        ("/* page.css */", (HERE / "page.css").read_text()),
        ("/* semantics.js */", script()),
        ("/* page.js */", (HERE / "page.js").read_text()),
    ):
        if text.count(mark) != 1:
            raise ValueError(f"page.html has {text.count(mark)} marks {mark}, expected 1")
        text = text.replace(mark, part)
    return text


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    path.write_text(page())


if __name__ == "__main__":
    main()
