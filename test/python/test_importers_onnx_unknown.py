# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX nodes whose operator or domain does not exist: refused by name, with the nearest word."""

import re

import onnx
import pytest
from build_tree import SOURCE, run_tool
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state

from mlir_qdq.importers._onnx_operators import CONVERTED, unknown_operator
from mlir_qdq.importers.onnx import OnnxImportError, import_model


def one_node(operation: str, domain="", opset=21, imports=True) -> onnx.ModelProto:
    opsets = [helper.make_opsetid("", opset)]
    opsets += [helper.make_opsetid(domain, 1)] if "." in domain and imports else []
    graph = helper.make_graph(
        [helper.make_node(operation, ["x", "s", "z"], ["y"], domain=domain, name="n")],
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, []) for name in "xsz"],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])],
    )
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


UNKNOWN = [
    (("QuantizeLinaer",), "'QuantizeLinaer' is no operator of ONNX (operator set 21); did you mean 'QuantizeLinear'?"),
    (("QuantizeLinaer", "ai.onnx", 21, False), "(operator set 21); did you mean 'QuantizeLinear'?"),
    (("Zzz",), "'Zzz' is no operator of ONNX (operator set 21)"),
    (("Gelu", "", 13), "'Gelu' of ONNX is new in operator set 20; the model imports 13"),
    (("QLinearAdd",), "'QLinearAdd' is no operator of ONNX, but of domain 'com.microsoft'"),
    (("Scalar", "ai.onnx.ml"), "no operator of domain 'ai.onnx.ml' (operator set 1); did you mean 'Scaler'?"),
    (("QLinearConf", "com.microsoft"), "no operator of domain 'com.microsoft'; did you mean 'QLinearConv'?"),
    (("BFPFixNeurons", "com.vai.quantize"), "did you mean 'BFPFixNeuron'?"),
    (("Gelu", "com.micrsoft"), "its domain 'com.micrsoft' is unknown; did you mean 'com.microsoft'?"),
    (("Thing", "com.example", 21, False), "its domain 'com.example' is not among those that the model imports (opset_import)"),
]  # fmt: skip


@pytest.mark.parametrize("node, message", UNKNOWN, ids=[str(node) for node, _ in UNKNOWN])
def test_unknown_operators_and_domains(node, message):
    with pytest.raises(OnnxImportError) as error:
        import_model(one_node(*node))
    assert str(error.value).startswith(f"<g>: node 'n' ({node[0]}): ")
    assert error.value.reason.endswith(message)


@pytest.mark.parametrize("command", ["quant-import", "quant-run", "quant-report"])
def test_commands_name_an_unknown_operator(command, tmp_path):
    onnx.save(one_node("QuantizeLinaer"), tmp_path / "m.onnx")
    done = run_tool(command, "m.onnx", cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "m.onnx: node 'n' (QuantizeLinaer): 'QuantizeLinaer' is no operator" in done.stderr


def test_operators_of_others_are_no_mistakes():
    """ONNX Runtime's own operators, and a domain that nobody knows and the model imports."""
    schemas = onnxruntime_pybind11_state.get_all_operator_schema()
    defined = {(s.domain, s.name) for s in onnx.defs.get_all_schemas()}
    names = {(s.domain, s.name) for s in schemas} - defined
    assert len(names) > 100
    for domain, name in sorted(names | {("com.example", "Thing")}):
        assert unknown_operator(onnx.NodeProto(op_type=name), domain, {domain: 21}) is None, name


def test_converted_operators_are_those_of_the_passes():
    """The names with a translation in lib/Conversion/ONNXToQDQ and ONNXToLinalg, of the domains of others."""
    source = (SOURCE / "lib/Conversion/ONNXToQDQ/ONNXToQDQ.cpp").read_text()
    rows = re.findall(r'\{kCustomOp, \{[^}]+\}, \w+, Profile::\w+, "([^"]+)", "(\w+)"\}', source)
    floats = (SOURCE / "lib/Conversion/ONNXToLinalg/ONNXToLinalg.cpp").read_text()
    rows += re.findall(r'\{"(com\.\w+)\.(\w+)"', floats)
    assert CONVERTED == set(rows)
