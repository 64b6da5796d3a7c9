# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators and domains that do not exist, with the nearest word that does.

An operator of a domain that ONNX defines must be in the model's operator set. Other domains hold
operators of anybody: refused are a domain that the model does not import, and names that are almost
those of a domain or an operator that we convert.
"""

from __future__ import annotations

import difflib
import functools

import onnx
from onnx import NodeProto

from ._onnx_stand_ins import DOMAIN, NAMES

#: Those of QONNX, of Brevitas' exporter, and of the older FINN.
_QONNX_DOMAINS = ("qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general")
_OF_QONNX = ("Quant", "IntQuant", "BipolarQuant", "Trunc")
#: Custom operators whose result has the shape of operand 0 and the element type of this operand.
ELEMENT_FROM_OPERAND = {
    ("com.amd.quark", "ExtendedQuantizeLinear"): 2,
    ("com.amd.quark", "ExtendedDequantizeLinear"): 1,
    ("com.amd.quark", "BFPQuantizeDequantize"): 0,
    ("com.amd.quark", "MXQuantizeDequantize"): 0,
    ("com.vai.quantize", "VitisQuantizeLinear"): 2,
    ("com.vai.quantize", "VitisDequantizeLinear"): 1,
    ("com.vai.quantize", "BFPFixNeuron"): 0,
    ("com.vai.quantize", "MXFixNeuron"): 0,
    ("com.vai.quantize", "BFPQuantizeDequantize"): 0,
    ("com.vai.quantize", "MXQuantizeDequantize"): 0,
    ("com.microsoft", "QuantizeLinear"): 2,
    ("com.microsoft", "DequantizeLinear"): 1,
    **{(domain, name): 0 for domain in _QONNX_DOMAINS for name in _OF_QONNX},
}
#: Operators whose result is ui8 without that operand.
U8_BY_DEFAULT = frozenset({("com.microsoft", "QuantizeLinear")})
PMX_DOMAINS = ("pmx", "opmx")
#: Operators that we convert, of the domains that ONNX does not define.
CONVERTED = frozenset(
    (
        *ELEMENT_FROM_OPERAND,
        *((DOMAIN, name) for name in NAMES),
        *((domain, "DequantizeLinear") for domain in PMX_DOMAINS),
    )
)
#: Those that ONNX Runtime adds to ONNX's own domain.
_OF_ONNX_RUNTIME = frozenset((
    "Affine", "Crop", "DisentangledAttention_TRT", "DynamicSlice", "EfficientNMS_TRT", "GRUUnit",
    "GivenTensorFill", "ImageScaler", "LayerNormalization", "MemcpyFromHost", "MemcpyToHost", "MultilevelCropAndResize_TRT",
    "ParametricSoftplus", "PyramidROIAlign_TRT", "Scale", "ScaledTanh", "SimplifiedLayerNormalization",
))  # fmt: skip
#: Of ONNX Runtime's operators, none is as near as this to one of `CONVERTED`.
_MISSPELT = 0.9
#: A nearer word is worth a question, where the operator is refused anyway.
_NEAR = 0.6


def _near(word: str, words, least: float) -> str | None:
    spelled = {known.lower(): known for known in words}
    return next((spelled[w] for w in difflib.get_close_matches(word.lower(), spelled, 1, least)), None)  # fmt: skip


@functools.cache
def _defined() -> dict[str, list[str]]:
    """The operators of each domain that ONNX defines."""
    names: dict[str, list[str]] = {}
    for schema in onnx.defs.get_all_schemas():
        if not schema.deprecated:
            names.setdefault(schema.domain, []).append(schema.name)
    return names


def _hint(word: str | None) -> str:
    return f"; did you mean '{word}'?" if word else ""


def _shown(domain: str) -> str:
    return f"domain '{domain}'" if domain else "ONNX"


def unknown_operator(node: NodeProto, domain: str, opsets: dict[str, int]) -> str | None:
    """Why `node`, of which the operator set has no schema, is refused; None for a custom operator."""
    if not domain and node.op_type in _OF_ONNX_RUNTIME:
        return None
    if domain in _defined():
        return _missing(node.op_type, domain, opsets.get(domain, 1))
    converted = {known for known, _ in CONVERTED}
    if domain in converted:
        names = [name for known, name in CONVERTED if known == domain]
        near = None if node.op_type in names else _near(node.op_type, names, _MISSPELT)
        return near and f"'{node.op_type}' is no operator of domain '{domain}'{_hint(near)}"
    known = _defined().keys() - {""} | converted | {"ai.onnx"}
    near = _near(domain, known, _MISSPELT)
    if near or domain not in opsets:
        why = "unknown" if near else "not among those that the model imports (opset_import)"
        return f"its domain '{domain}' is {why}{_hint(near or _near(domain, known, _NEAR))}"
    return None


def _missing(name: str, domain: str, version: int) -> str:
    if onnx.defs.has(name, domain):
        since = min(s.since_version for s in onnx.defs.get_all_schemas_with_history() if (s.name, s.domain) == (name, domain))  # fmt: skip
        return f"'{name}' of {_shown(domain)} is new in operator set {since}; the model imports {version}"  # fmt: skip
    if not domain and (DOMAIN, name) in CONVERTED:
        return f"'{name}' is no operator of ONNX, but of domain '{DOMAIN}'"
    near = _near(name, _defined()[domain], _NEAR)
    return f"'{name}' is no operator of {_shown(domain)} (operator set {version}){_hint(near)}"
