# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The profile of an op's own system changes nothing: on every function of the lit tests of the sources."""

import re
from pathlib import Path

import pytest
from mlir.ir import Context, Module
from mlir.passmanager import PassManager

import mlir_qdq

CONVERSION = Path(__file__).resolve().parents[1] / "Conversion"
#: Marks of the systems that spell their ops as ONNX nodes.
SYSTEMS = {
    "com.microsoft": "ort", "Extended": "quark", "Vitis": "quark", "pmx": "pmx", "quant_data_type": "pmx",
}  # fmt: skip


def own_profiles(source: str, text: str) -> set[str]:
    """The profiles of the systems of all ops."""
    if source != "onnx":
        return {source}
    nodes = re.findall(r"^.*(?:Quantize|Dequantize)Linear.*$", text, re.M)
    return {next((p for word, p in SYSTEMS.items() if word in node), "onnx") for node in nodes}


def functions() -> list:
    """Source, profile and text, of functions with ops of one system."""
    result = []
    for source in ("quant", "onednn", "onnx"):
        for path in sorted(CONVERSION.glob(f"convert-{source}-to-qdq*.mlir")):
            file = path.read_text()
            if "invalid" in path.name or "REQUIRES: mlir-23" in file:
                continue
            # Aliases of attributes and types, and what calls refer to.
            shared = "\n".join(
                re.findall(
                    r"^(?:[#!]\w+ = .*|\w+\.global .*|func\.func private .*[^{])$", file, re.M
                )
            )
            for match in re.finditer(r"^func\.func @(\w+).*?^\}", file, re.M | re.S):
                profiles = own_profiles(source, match[0])
                if len(profiles) == 1:
                    name = f"{path.stem}-{match[1]}"
                    text = f"{shared}\n{match[0]}"
                    result.append(pytest.param(source, profiles.pop(), text, id=name))
    return result


def converted(source: str, text: str, options: str) -> str:
    with Context() as context:
        mlir_qdq.register(context)
        context.allow_unregistered_dialects = True
        module = Module.parse(text)
        PassManager.parse(f"builtin.module(convert-{source}-to-qdq{options})").run(module.operation)
        return str(module)


@pytest.mark.parametrize("source, profile, text", functions())
def test_own_profile_changes_nothing(source, profile, text):
    assert converted(source, text, f"{{profile={profile}}}") == converted(source, text, "")
