# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Explorer.html in chromium: choices made by keyboard and mouse, and the codes that the table then shows.

tools/ecosystem/explorer (which sets up what this needs)
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from mlir_qdq import reference
from mlir_qdq.reference.semantics import FIELD_VALUES
from mlir_qdq.reference.types import EXPRESSED, FLOAT_STORAGE

ROUNDINGS = [r for r in FIELD_VALUES["rounding"] if r != "stochastic"]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("+inf", "inf"))


def code_of(cell: str, storage: str) -> float:
    """The number that a cell names; of float storage that before the bits."""
    return number(cell.split(" (")[0] if storage in FLOAT_STORAGE else cell)


def rows(page: Page) -> list[tuple[float, str, str]]:
    """x, the code of yours and the one beside, as the table shows them."""
    found = page.eval_on_selector_all(
        "#table tbody tr",
        "rows => rows.map(r => [r.dataset.x, r.cells[3].textContent, r.cells[5].textContent, String(Object.is(Number(r.dataset.x), 0) && r.cells[1].textContent.startsWith('−'))])",
    )
    return [(-0.0 if negative == "true" else number(x), a, b) for x, a, b, negative in found]


def check(page: Page, profile, semantics, beside, scale, zero, storage, element="f32") -> int:
    """Every row of the table beside the reference; how many there are."""
    table = rows(page)
    dtype = EXPRESSED[element].dtype
    with np.errstate(all="ignore"):
        x = np.array([row[0] for row in table]).astype(dtype)
    s = np.asarray(scale, np.float32)
    is_float = storage in FLOAT_STORAGE
    z = None if zero is None else np.asarray(zero, np.float32 if is_float else np.int64)
    for column, (name, fields) in enumerate(((profile, semantics), (beside, {})), 1):
        if name is None:
            continue
        codes, defined = reference.quantize(
            x, s, z, storage=storage, profile=name, semantics=fields, return_defined=True
        )
        for row, code, known in zip(table, codes.astype(np.float64), defined, strict=True):
            if not known:
                assert row[column] == "anything", (row, name)
                continue
            shown = code_of(row[column], storage)
            assert shown == code or (np.isnan(shown) and np.isnan(code)), (row, name, code)
    return len(table)


def choose(page: Page, **choices) -> None:
    for name, value in choices.items():
        page.select_option(f"#{name.replace('field_', 'field-')}", value)


def accepted(command: str, attribute: str) -> None:
    words = [
        word if word != "quant-opt" else "build/bin/quant-opt" for word in shlex.split(command)
    ]
    semantics = attribute.removeprefix("#qdq.semantics")
    text = (
        "func.func @f(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {\n"
        f"  %q = qdq.quantize %x scale %s semantics {semantics} : (tensor<4xf32>, f32) -> tensor<4xi8>\n"
        "  return %q : tensor<4xi8>\n}\n"
    )
    result = subprocess.run(words, input=text, capture_output=True, text=True)
    assert result.returncode == 0 and "math.floor" in result.stdout, result.stderr
    assert "profile=torch" in command and "rounding=floor nan=zero" in command, command


def main(path: Path, pictures: Path, picture: Path | None = None) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1500})
        requests, errors = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: line.type == "error" and errors.append(line.text))
        page.goto(path.resolve().as_uri())
        seen = check(page, "onnx", {}, "mlir22", 0.5, 3, "i8")

        for rounding in ROUNDINGS:
            choose(page, field_rounding=rounding)
            seen += check(page, "onnx", {"rounding": rounding}, "mlir22", 0.5, 3, "i8")
        page.click("#reset")
        page.fill("#scale", "0.1")
        page.fill("#inputs", "7.5499997, -0.15, 1e9 nan")
        for profile in reference.PROFILES:
            for beside in ("ort", "torch"):
                choose(page, profile=profile, beside=beside)
                seen += check(page, profile, {}, beside, 0.1, 3, "i8")
        page.screenshot(path=pictures / "profiles.png")

        # The slider of the zero point, by its keys.
        page.focus("#zeroSlider")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        assert page.input_value("#zero") == "7"
        seen += check(page, profile, {}, beside, 0.1, 7, "i8")

        # Another storage: a zero point that it cannot hold is marked, and counts as none.
        choose(page, storage="ui4", profile="pmx")
        page.fill("#zero", "99")
        assert page.get_attribute("#zero", "aria-invalid") == "true"
        seen += check(page, "pmx", {}, beside, 0.1, None, "ui4")
        page.fill("#zero", "8")
        seen += check(page, "pmx", {}, beside, 0.1, 8, "ui4")

        page.fill("#zero", "")
        page.fill("#scale", "1")
        for storage in ("f8E4M3FN", "f8E5M2FNUZ", "f6E3M2FN", "f4E2M1FN"):
            for overflow in ("saturate", "ieee"):
                choose(page, storage=storage, profile="onnx", field_float_overflow=overflow)
                fields = {"float_overflow": overflow}
                seen += check(page, "onnx", fields, beside, 1, None, storage)
        page.screenshot(path=pictures / "floats.png")

        # A row that the mouse is on has its steps shown; the address brings the state back.
        page.hover("#table tbody tr:nth-child(8)")
        assert page.locator("#table tr.chosen").count() == 1
        assert page.locator("#steps tbody tr").count() > 4
        address, shown = page.url, str(rows(page))  # NaN is not itself
        page.goto("about:blank")
        page.goto(address)
        assert str(rows(page)) == shown

        if picture:
            page.set_viewport_size({"width": 1240, "height": 660})
            page.emulate_media(reduced_motion="reduce")
            page.goto("about:blank")
            page.goto(path.resolve().as_uri() + "#profile=onnx&beside=mlir22")
            page.screenshot(path=picture)

        # The page's text about `quant-opt` and the attribute is true.
        page.goto("about:blank")
        page.goto(path.resolve().as_uri() + "#profile=torch&rounding=floor&nan=zero")
        command, attribute = page.inner_text("#spelling").split("\n\n")
        accepted(command, attribute)

        page.set_viewport_size({"width": 420, "height": 900})
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 420, f"the page is {width} wide on a telephone"
        browser.close()
    assert errors == [], errors
    assert {url.partition("#")[0] for url in requests} <= {path.resolve().as_uri(), "about:blank"}
    print(f"[explorer] {seen} rows of the page are those of the reference")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
