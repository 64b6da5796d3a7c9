# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of quant-report: one HTML file with its pictures in it."""

from __future__ import annotations

import base64
import html
import io
import logging
from collections.abc import Iterator

import numpy as np

from ._report_data import Report, Tensor

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; font-size: 1.25rem } h3 { margin-top: 2rem; font-size: 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .8rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top }
td.n, th.n { text-align: right } tr.same td { color: #777 } code { font-size: .9em }
img { max-width: 100% } .note { background: #fff6dd; padding: .5rem 1rem; border-left: 4px solid #e5b800 }
"""


def _cell(value, is_number: bool = False) -> str:
    kind = ' class="n"' if is_number else ""
    return f"<td{kind}>{value}</td>"


def _table(
    head: list[str], rows: list[tuple], numbers: set[int], same: set[int] = frozenset()
) -> str:
    def line(index: int, row: tuple) -> str:
        cells = "".join(_cell(value, column in numbers) for column, value in enumerate(row))
        return f"<tr{' class=same' if index in same else ''}>{cells}</tr>"

    top = "".join(
        f"<th{' class=n' if i in numbers else ''}>{text}</th>" for i, text in enumerate(head)
    )
    return f"<table><tr>{top}</tr>{''.join(line(i, row) for i, row in enumerate(rows))}</table>"


def _share(changed: int, size: int) -> str:
    if not changed:
        return "0"
    share = changed / size
    return f"{share:.2%}" if share >= 1e-4 else f"{changed} of {size}"


def _decibels(value: float | None) -> str:
    return "" if value is None else "exact" if np.isinf(value) else f"{value:.2f} dB"


def _code(text: object) -> str:
    return f"<code>{html.escape(str(text))}</code>"


def _number(value: object) -> str:
    """With all its digits, as it prints."""
    return _code(
        repr(np.asarray(value)[()].item()) if np.asarray(value).dtype.kind in "fiu" else value
    )


def _change(worst: float) -> str:
    return "" if not worst else "NaN or infinite" if np.isinf(worst) else f"{worst:g}"


def _summary(report: Report) -> str:
    rows, same = [], set()
    for index, policy in enumerate(report.ranked()):
        changed, size = report.changed(policy)
        first = report.first(policy)
        noises = [
            effect.noise - tensor.noise
            for tensor in report.tensors
            for effect in [tensor.effects[policy]]
            if effect.noise is not None and np.isfinite(effect.noise) and np.isfinite(tensor.noise)
        ]
        if not changed:
            same.add(index)
        rows.append(
            (
                _code(policy),
                _share(changed, size),
                sum(bool(t.effects[policy].changed) for t in report.tensors),
                _change(report.worst(policy)),
                f"{min(noises):+.2f} to {max(noises):+.2f} dB" if noises else "",
                _code(first.name) if first else "none",
            )
        )
    head = [
        "policy",
        "elements that differ",
        f"nodes that differ, of {len(report.tensors)}",
        "largest difference",
        f"signal-to-noise ratio less that of {report.runtime_name}",
        "first node that differs",
    ]
    return _table(head, rows, {1, 2, 3}, same)


def _blame(report: Report) -> str:
    rows = []
    for policy in report.ranked():
        tensor = report.first(policy)
        if tensor is None:
            continue
        for element in tensor.effects[policy].elements[:1]:
            index = element.index
            rows.append((_code(policy), *_element_cells(tensor, index, element)))
    if not rows:
        return "<p>All policies give the same elements.</p>"
    return _table(
        [
            "policy",
            "node",
            "element",
            "input",
            "input / scale + zero point",
            report.runtime_name,
            "policy gives",
        ],
        rows,
        set(),
    )


def _element_cells(tensor: Tensor, index, element) -> tuple:
    quotient = ""
    if tensor.kind == "QuantizeLinear":
        quotient = _number(np.broadcast_to(tensor.quotients(), tensor.data.shape)[index])
    return (
        f"{_code(tensor.name)} ({tensor.kind})",
        _code(list(index)),
        _number(element.data),
        quotient,
        _number(element.wanted),
        _number(element.got),
    )


def _details(report: Report, tensor: Tensor, picture: str) -> str:
    parts = [
        f"<h3>{_code(tensor.name)}: {tensor.kind} of {_code(tensor.data_name)}{' (weight)' if tensor.is_weight else ''}</h3>",
        f"<p>{html.escape(tensor.signature)}; scale {_range(tensor.scale)}, zero point {_range(tensor.zero_point)}; "
        f"signal-to-noise ratio {_decibels(tensor.noise) or 'not defined'}</p>",
        picture,
    ]
    rows = [
        (
            _code(policy),
            _share(effect.changed, tensor.wanted.size),
            _change(effect.worst),
            _decibels(effect.noise),
        )
        for policy, effect in tensor.effects.items()
        if effect.changed
    ]
    parts.append(
        _table(
            ["policy", "elements that differ", "largest difference", "signal-to-noise ratio"],
            rows,
            {1, 2, 3},
        )
    )
    rows = [
        (_code(policy), *_element_cells(tensor, element.index, element)[1:])
        for policy, effect in tensor.effects.items()
        for element in effect.elements
    ]
    parts.append("<details><summary>Elements with the largest differences</summary>")
    head = [
        "policy",
        "element",
        "input",
        "input / scale + zero point",
        report.runtime_name,
        "policy gives",
    ]
    parts.append(_table(head, rows, set()) + "</details>")
    return "".join(parts)


def _range(values: np.ndarray) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


class Pictures:
    """PNG files, which the page holds, too."""

    def __init__(self):
        logging.getLogger("matplotlib").setLevel(logging.WARNING)
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        self._pyplot = pyplot
        self.files: dict[str, bytes] = {}

    def _keep(self, name: str, figure, text: str) -> str:
        figure.tight_layout()
        buffer = io.BytesIO()
        figure.savefig(buffer, dpi=110, format="png")
        self._pyplot.close(figure)
        self.files[name] = buffer.getvalue()
        data = base64.b64encode(buffer.getvalue()).decode()
        return f'<img alt="{html.escape(text)}" src="data:image/png;base64,{data}">'

    def overview(self, report: Report) -> str:
        """Policies by nodes: which share of the elements changes, on a logarithmic scale."""
        shares = np.array(
            [
                [t.effects[p].changed / max(t.wanted.size, 1) for t in report.tensors]
                for p in report.ranked()
            ]
        )
        width = min(14, 4 + 0.12 * len(report.tensors))
        figure, axes = self._pyplot.subplots(figsize=(width, 1.5 + 0.3 * len(report.policies)))
        shown = np.log10(np.where(shares > 0, shares, np.nan))
        image = axes.imshow(
            shown, aspect="auto", cmap="inferno_r", vmin=-6, vmax=0, interpolation="nearest"
        )
        axes.set_yticks(range(len(report.policies)), report.ranked())
        axes.set_xlabel("nodes, in the order of the model")
        axes.xaxis.get_major_locator().set_params(integer=True)
        bar = figure.colorbar(image, ax=axes)
        bar.set_ticks([-6, -4, -2, 0], labels=["1e-6", "0.01 %", "1 %", "100 %"])
        axes.set_title("Share of elements that differ (white: none)")
        return self._keep(
            "overview.png", figure, "share of elements that differ, by policy and node"
        )

    def tensor(self, number: int, tensor: Tensor) -> str:
        figure, (codes, rest) = self._pyplot.subplots(1, 2, figsize=(10, 3))
        values = tensor.wanted.astype(np.float64).ravel()
        values = values[np.isfinite(values)]
        codes.hist(values, bins=min(256, max(16, len(np.unique(values)))), color="C0")
        codes.set_title("Codes" if tensor.kind == "QuantizeLinear" else "Values")
        codes.set_yscale("log")
        if tensor.kind == "QuantizeLinear":
            with np.errstate(all="ignore"):
                error = _finite(tensor.wanted.astype(np.float64) - tensor.quotients())
            low, high = (max(-1.5, error.min()), min(1.5, error.max())) if error.size else (-1, 1)
            rest.hist(np.clip(error, low, high), bins=120, color="C1")
            rest.set_title("Rounding error: code - (x / s + z), clipped values at the ends")
        else:
            names = [p for p, e in tensor.effects.items() if e.changed]
            rest.barh(
                names,
                [100 * tensor.effects[p].changed / tensor.wanted.size for p in names],
                color="C1",
            )
            rest.set_title("Elements that differ, %")
        return self._keep(f"node-{number}.png", figure, f"histograms of {tensor.name}")


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


def make_page(report: Report, details: int) -> tuple[str, dict[str, bytes]]:
    """The page as HTML, and its pictures as PNG files by name.

    details: nodes that are shown one by one, those with the largest share of changes first.
    """
    pictures = Pictures()
    return "".join(_parts(report, details, pictures)), pictures.files


def _parts(report: Report, details: int, pictures: Pictures) -> Iterator[str]:
    title = f"Quantization of {html.escape(report.model)}"
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    quantizes = sum(t.kind == "QuantizeLinear" for t in report.tensors)
    note = ' class="note"' if report.is_random else ""
    yield (
        f"<h1>{title}</h1><p>{quantizes} QuantizeLinear and {len(report.tensors) - quantizes} DequantizeLinear nodes. "
        f"Each policy computes each node on the inputs that the node has in {report.runtime_name}. The signal-to-noise ratio "
        f"of a quantize compares its input with its dequantized codes, clipped values included.</p>"
        f"<p{note}>{html.escape(report.inputs)}</p>"
    )
    yield (
        f"<h2>Policies, by distance from {report.runtime_name}</h2><p>N{html.escape(report.nearest()[1:])}.</p>"
        f"{_summary(report)}{pictures.overview(report)}"
    )
    yield f"<h2>First node that differs, by policy</h2><p>Its element with the largest difference:</p>{_blame(report)}"
    changed = [t for t in report.tensors if any(e.changed for e in t.effects.values())]
    changed.sort(key=lambda t: -max(e.changed / t.wanted.size for e in t.effects.values()))
    if changed:
        yield f"<h2>Nodes</h2><p>{min(details, len(changed))} of {len(changed)} nodes where a policy differs, the largest share first.</p>"
    for number, tensor in enumerate(changed[:details]):
        yield _details(report, tensor, pictures.tensor(number, tensor))
    yield "</html>\n"
