# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX importer: every type bit for bit, every operator set, and onnx-mlir's spelling."""

import gc
import importlib.util
import random
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlir import ir
from mlir_qdq.importers import onnx as importer
from mlir_qdq.importers.onnx import MAX_DENSE_ELEMENTS, OnnxImportError, import_model
from onnx import TensorProto, helper
from onnx_models import (
    CODES,
    NODE,
    PRESENT,
    TYPES,
    corpus,
    identity_of,
    import_text,
    make_model,
    raw_tensor,
    relu,
    save_with_external_data,
    value,
)


def constants(module):
    return [
        op.attributes["value"]
        for op in module.body.operations[0].body.blocks[0]
        if op.name == "onnx.Constant"
    ]


def mlir_bytes(type_name, codes):
    """Element codes as MLIR lays them out: an element takes whole bytes."""
    width = (TYPES[type_name][0] + 7) // 8
    return b"".join(int(code).to_bytes(width, "little") for code in codes)


def resource_bytes(module):
    """The one resource of a module, out of its text: a 4-byte alignment, then the elements."""
    data = bytes.fromhex(
        re.search(r': "0x([0-9A-F]+)"', str(module).split("dialect_resources")[1])[1]
    )
    return int.from_bytes(data[:4], "little"), data[4:]


# Types.


@pytest.mark.parametrize("type_name", PRESENT)
def test_dense_constant_keeps_every_bit(type_name):
    bits, spelling = TYPES[type_name]
    rng = random.Random(type_name)
    codes = list(range(1 << bits)) if bits <= 8 else [rng.getrandbits(bits) for _ in range(256)]
    module = import_model(identity_of(raw_tensor("t", type_name, codes, [len(codes)])))
    expected = f'dense<"0x{mlir_bytes(type_name, codes).hex()}"> : tensor<{len(codes)}x{spelling}>'
    with module.context:
        assert constants(module) == [ir.Attribute.parse(expected)]
        again = ir.Module.parse(module.operation.get_asm(print_generic_op_form=True))
        assert constants(again) == constants(module)


@pytest.mark.parametrize("type_name", PRESENT)
def test_resource_constant_keeps_every_bit(type_name):
    bits, spelling = TYPES[type_name]
    count = MAX_DENSE_ELEMENTS + 1  # odd: the last byte of packed storage is half empty
    rng = random.Random(type_name)
    codes = [rng.getrandbits(bits) for _ in range(count)]
    module = import_model(identity_of(raw_tensor("weights", type_name, codes, [count])))
    assert f"dense_resource<weights> : tensor<{count}x{spelling}>" in str(module)
    alignment, data = resource_bytes(module)
    assert alignment == (bits + 7) // 8
    assert data == mlir_bytes(type_name, codes)
    with module.context:
        again = ir.Module.parse(module.operation.get_asm(print_generic_op_form=True))
    assert resource_bytes(again) == (alignment, data)


@pytest.mark.parametrize("type_name", PRESENT)
def test_typed_data_field_equals_raw_data(type_name):
    """ONNX may keep elements in `int32_data` and the like instead of `raw_data`."""
    codes = [i & ((1 << TYPES[type_name][0]) - 1) for i in (0, 1, 2, 3, 5)]
    raw = raw_tensor("t", type_name, codes, [5])
    typed = helper.make_tensor(
        "t", CODES[type_name], [5], onnx.numpy_helper.to_array(raw).astype(np.float64)
    )
    assert not typed.HasField("raw_data")
    if not TYPES[type_name][1].startswith(
        ("f", "bf")
    ):  # a small integer has one code; tiny floats may not survive f64
        assert import_text(identity_of(typed)) == import_text(identity_of(raw))
    else:
        import_text(identity_of(typed))


@settings(deadline=None, max_examples=60)
@given(
    data=st.data(),
    type_name=st.sampled_from(
        [t for t in ("INT2", "UINT2", "INT4", "UINT4", "FLOAT4E2M1", "FLOAT6E3M2") if t in CODES]
    ),
)
def test_sub_byte_constant_of_any_shape(data, type_name):
    dims = data.draw(st.lists(st.integers(0, 5), max_size=3))
    count = int(np.prod(dims, dtype=int))
    codes = data.draw(
        st.lists(st.integers(0, (1 << TYPES[type_name][0]) - 1), min_size=count, max_size=count)
    )
    module = import_model(identity_of(raw_tensor("t", type_name, codes, dims)))
    shape = "".join(f"{dim}x" for dim in dims)
    literal = f'"0x{mlir_bytes(type_name, codes).hex()}"' if codes else ""
    with module.context:
        assert constants(module) == [
            ir.Attribute.parse(f"dense<{literal}> : tensor<{shape}{TYPES[type_name][1]}>")
        ]


def test_bool_constants():
    values = [True, False, True, True, False, False, False, True, True]
    tensor = TensorProto(
        name="t", data_type=TensorProto.BOOL, dims=[9], raw_data=bytes(2 * v for v in values)
    )
    literal = ", ".join(str(v).lower() for v in values)
    assert f"dense<[{literal}]> : tensor<9xi1>" in import_text(identity_of(tensor))
    for truth in (True, False):
        scalar = helper.make_tensor("t", TensorProto.BOOL, [], [truth])
        assert f"dense<{str(truth).lower()}> : tensor<i1>" in import_text(identity_of(scalar))
        for count in (1, 7, 9, MAX_DENSE_ELEMENTS + 1):
            splat = onnx.numpy_helper.from_array(np.full(count, truth), "t")
            with (module := import_model(identity_of(splat))).context:
                expected = f"dense<{str(truth).lower()}> : tensor<{count}xi1>"
                assert constants(module) == [ir.Attribute.parse(expected)]
    many = np.arange(MAX_DENSE_ELEMENTS + 1) % 3 == 0
    module = import_model(identity_of(onnx.numpy_helper.from_array(many, "t")))
    assert resource_bytes(module) == (1, bytes(many.tolist()))


def test_string_constants():
    strings = ["0x41", 'quote"', "", "é\n", "back\\slash", "x"]
    tensor = helper.make_tensor("t", TensorProto.STRING, [3, 2], [s.encode() for s in strings])
    text = import_text(identity_of(tensor))
    assert (
        r'dense<[["0x41", "quote\22"], ["", "\C3\A9\0A"], ["back\\slash", "x"]]>'
        " : tensor<3x2x!onnx.String>" in text
    )
    for dims, values in (([], [b"s"]), ([0], []), ([1], [b"s"])):
        import_text(identity_of(helper.make_tensor("t", TensorProto.STRING, dims, values)))


def test_complex_constant():
    tensor = onnx.numpy_helper.from_array(np.array([1 + 2j, -3j], np.complex64), "t")
    assert "tensor<2xcomplex<f32>>" in import_text(identity_of(tensor))


def test_large_splat_stays_dense():
    zeros = onnx.numpy_helper.from_array(np.zeros(4 * MAX_DENSE_ELEMENTS, np.int8), "z")
    text = import_text(identity_of(zeros))
    assert f"dense<0> : tensor<{4 * MAX_DENSE_ELEMENTS}xi8>" in text
    assert "dense_resource" not in text


def test_negative_zero_is_not_zero():
    halves = np.array([0.0, -0.0], np.float32)
    assert "dense<[0.000000e+00, -0.000000e+00]>" in import_text(
        identity_of(onnx.numpy_helper.from_array(halves, "t"))
    )


def test_resources_outlive_the_model():
    weights = np.arange(4096, dtype=np.int32)
    model = identity_of(onnx.numpy_helper.from_array(weights, "w"))
    module = import_model(model)
    del model
    gc.collect()
    assert resource_bytes(module)[1] == weights.tobytes()


# Types of values.


def test_dynamic_and_unknown_shapes():
    model = make_model(
        [
            NODE("Identity", ["a"], ["x"]),
            NODE("Identity", ["b"], ["y"]),
            NODE("Identity", ["c"], ["z"]),
        ],
        [value("a", "FLOAT", "batch", 3, None), value("b", "UINT4", None), value("c", "INT8")],
        ["x", "y", "z"],
    )
    text = import_text(model)
    assert '%arg0: tensor<?x3x?xf32> {onnx.dim_params = "0:batch", onnx.name = "a"}' in text
    assert "%arg1: tensor<*xui4>" in text
    assert (
        '-> (tensor<?x3x?xf32> {onnx.name = "x"}, '
        'tensor<*xui4> {onnx.name = "y"}, tensor<i8> {onnx.name = "z"})' in text
    )


def test_negative_dimension_is_dynamic_and_zero_is_zero():
    model = make_model([NODE("Identity", ["a"], ["y"])], [value("a", "FLOAT", -1, 0)], ["y"])
    assert "%arg0: tensor<?x0xf32>" in import_text(model)


def test_shape_inference_uses_constant_shapes():
    shape = helper.make_tensor("shape", TensorProto.INT64, [2], [6, -1])
    model = make_model(
        [NODE("Reshape", ["x", "shape"], ["y"])], [value("x", "FLOAT", 2, 3, 4)], ["y"], [shape]
    )
    assert "-> tensor<6x4xf32>" in import_text(model)


def test_element_type_behind_a_custom_operator_follows_from_signatures():
    model = make_model(
        [
            NODE("Mystery", ["x"], ["m"], domain="com.example"),
            NODE("Relu", ["m"], ["r"]),
            NODE("QuantizeLinear", ["r", "s", "z"], ["q"]),
            NODE("Mystery", ["q"], ["n"], domain="com.example"),
        ],
        [value("x", "FLOAT", 2), value("s", "FLOAT16"), value("z", "UINT8")],
        ["q", "n"],
        domains=["com.example"],
    )
    text = import_text(model)
    assert re.search(r'"onnx.Custom"\(%arg0\) .*-> tensor<\*xf16>', text)
    assert re.search(r'"onnx.Relu".*\(tensor<\*xf16>\) -> tensor<\*xf16>', text)
    assert re.search(r'"onnx.QuantizeLinear".*-> tensor<\*xui8>', text)
    assert "tensor<*x!onnx.Unknown>" in text  # nothing says what the last one makes


@pytest.mark.parametrize(
    "domain, quantize, dequantize",
    [
        ("com.amd.quark", "ExtendedQuantizeLinear", "ExtendedDequantizeLinear"),
        ("com.vai.quantize", "VitisQuantizeLinear", "VitisDequantizeLinear"),
        ("com.microsoft", "QuantizeLinear", "DequantizeLinear"),
    ],
)
@pytest.mark.parametrize("stored", ["INT32", "UINT16", "BFLOAT16"])
def test_custom_quantization_has_types(domain, quantize, dequantize, stored):
    model = make_model(
        [
            NODE(quantize, ["x", "s", "z"], ["q"], domain=domain, axis=0),
            NODE(dequantize, ["q", "s", "z"], ["d"], domain=domain, axis=0),
            NODE("MatMul", ["d", "w"], ["y"]),
        ],
        [
            value("x", "FLOAT", "n", 4),
            value("s", "FLOAT"),
            value("z", stored),
            value("w", "FLOAT", 4, 3),
        ],
        ["y"],
        domains=[domain],
    )
    text = import_text(model)
    spelling = {"INT32": "i32", "UINT16": "ui16", "BFLOAT16": "bf16"}[stored]
    assert f'{{axis = 0 : si64, domain_name = "{domain}", function_name = "{quantize}"}}' in text
    assert f"(tensor<?x4xf32>, tensor<f32>, tensor<{spelling}>) -> tensor<?x4x{spelling}>" in text
    assert f"(tensor<?x4x{spelling}>, tensor<f32>, tensor<{spelling}>) -> tensor<?x4xf32>" in text
    assert "-> tensor<?x3xf32>" in text


def test_pmx_dequantize_is_four_times_as_long():
    packed = onnx.numpy_helper.from_array(np.zeros((2, 6), np.int16), "w")
    scale = onnx.numpy_helper.from_array(np.ones((8, 2), np.float16), "s")
    model = make_model(
        [
            NODE(
                "DequantizeLinear",
                ["w", "s"],
                ["y"],
                domain="pmx",
                quant_data_type="int4",
                quant_axis=1,
                group_size=3,
            )
        ],
        [],
        ["y"],
        [packed, scale],
        domains=["pmx"],
    )
    text = import_text(model)
    assert 'domain_name = "pmx", function_name = "DequantizeLinear", group_size = 3 : si64' in text
    assert "(tensor<2x6xi16>, tensor<8x2xf16>) -> tensor<8x6xf16>" in text


# Operators.

# The attributes that each operator set gives Q and DQ, from the operators' definitions.
Q_ATTRIBUTES = {
    10: "",
    13: "a",
    19: "as",
    21: "abos",
    23: "abops",
    24: "abops",
    25: "abops",
    28: "abops",
}
DQ_ATTRIBUTES = {10: "", 13: "a", 19: "a", 21: "ab", 23: "abo", 24: "abo", 25: "abo", 28: "abo"}
ATTRIBUTE_TEXT = {
    "a": "axis = 1",
    "b": "block_size = 0",
    "o": "output_dtype = 0",
    "p": "precision = 0",
    "s": "saturate = 1",
}


@pytest.mark.parametrize("opset", sorted(Q_ATTRIBUTES))
def test_operator_sets(opset):
    if opset > onnx.defs.onnx_opset_version():
        pytest.skip("this onnx does not know the operator set")
    model = make_model(
        [
            NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
            NODE("DequantizeLinear", ["q", "s", "z"], ["y"]),
        ],
        [value("x", "FLOAT", 2, 3), value("s", "FLOAT"), value("z", "INT8")],
        [value("y", "FLOAT", 2, 3)],
        opset=opset,
    )
    text = import_text(model)
    assert f"onnx.opset_import = {{ai.onnx = {opset} : i64}}" in text

    def attributes(letters):
        return (
            " {" + ", ".join(f"{ATTRIBUTE_TEXT[a]} : si64" for a in letters) + "}"
            if letters
            else ""
        )

    operands = "tensor<f32>, tensor<i8>"
    assert (
        f'"onnx.QuantizeLinear"(%arg0, %arg1, %arg2){attributes(Q_ATTRIBUTES[opset])}'
        f" : (tensor<2x3xf32>, {operands}) -> tensor<2x3xi8>" in text
    )
    assert (
        f'"onnx.DequantizeLinear"(%0, %arg1, %arg2){attributes(DQ_ATTRIBUTES[opset])}'
        f" : (tensor<2x3xi8>, {operands}) -> tensor<2x3xf32>" in text
    )


def test_every_kind_of_attribute():
    tensor = helper.make_tensor("", TensorProto.INT8, [2], [1, -1])
    node = NODE(
        "Thing", ["x"], ["y"], domain="com.example", name="the thing",
        i=-3, f=0.5, s="text", ints=[1, 2], floats=[1.5], strings=["a", "b"], t=tensor, ts=[tensor],
        tp=helper.make_tensor_type_proto(TensorProto.FLOAT, [2]),
    )  # fmt: skip
    text = import_text(make_model([node], [value("x", "FLOAT")], ["y"], domains=["com.example"]))
    for expected in (
        "i = -3 : si64",
        "f = 5.000000e-01 : f32",
        's = "text"',
        "ints = [1, 2]",
        "floats = [1.500000e+00 : f32]",
        'strings = ["a", "b"]',
        "t = dense<[1, -1]> : tensor<2xi8>",
        "ts = [dense<[1, -1]> : tensor<2xi8>]",
        "tp = tensor<2xf32>",
        'onnx_node_name = "the thing"',
        'domain_name = "com.example"',
        'function_name = "Thing"',
    ):
        assert expected in text


def test_cast_target_is_a_type():
    model = make_model(
        [NODE("Cast", ["x"], ["y"], to=TensorProto.FLOAT8E4M3FN)], [value("x", "FLOAT", 2)], ["y"]
    )
    assert "to = f8E4M3FN" in import_text(model)


@pytest.mark.parametrize(
    "attribute, expected",
    [
        ({"value_int": -5}, "dense<-5> : tensor<i64>"),
        ({"value_ints": [1, 2]}, "dense<[1, 2]> : tensor<2xi64>"),
        ({"value_float": 0.5}, "dense<5.000000e-01> : tensor<f32>"),
        ({"value_floats": [0.5, 1.0]}, "dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>"),
        ({"value_string": "a"}, 'dense<"a"> : tensor<!onnx.String>'),
        ({"value_strings": ["a", "b"]}, 'dense<["a", "b"]> : tensor<2x!onnx.String>'),
        (
            {"value": helper.make_tensor("", TensorProto.UINT8, [2], [1, 255])},
            "dense<[1, 255]> : tensor<2xui8>",
        ),
    ],
)
def test_constant_nodes(attribute, expected):
    text = import_text(make_model([NODE("Constant", [], ["y"], name="c", **attribute)], [], ["y"]))
    assert f'"onnx.Constant"() {{onnx_node_name = "c", value = {expected}}}' in text


def test_optional_operands_and_results():
    model = make_model(
        [
            NODE("Clip", ["x", "", "hi"], ["c"]),
            NODE("QuantizeLinear", ["c", "s"], ["q"]),
            NODE("Dropout", ["c"], ["d", ""]),
            NODE("LSTM", ["l", "w", "r"], ["", "h", ""], hidden_size=2),
        ],
        [value("x", "FLOAT", 4), value("hi", "FLOAT"), value("s", "FLOAT")]
        + [
            value("l", "FLOAT", 3, 1, 2),
            value("w", "FLOAT", 1, 8, 2),
            value("r", "FLOAT", 1, 8, 2),
        ],
        ["q", "d", "h"],
    )
    text = import_text(model)
    assert '%0 = "onnx.NoValue"() {value} : () -> none' in text
    assert '"onnx.Clip"(%arg0, %0, %arg1) : (tensor<4xf32>, none, tensor<f32>)' in text
    assert re.search(r'"onnx.QuantizeLinear"\(%1, %arg2\) .* -> tensor<4xui8>', text)
    assert re.search(r'%3:2 = "onnx.Dropout".*-> \(tensor<4xf32>, none\)', text)
    assert re.search(r'"onnx.LSTM".*-> \(none, tensor<1x1x2xf32>, none\)', text)


def test_operator_that_onnx_does_not_define():
    model = make_model(
        [NODE("SimplifiedLayerNormalization", ["x"], ["y"])],
        [value("x", "FLOAT", 2)],
        [value("y", "FLOAT", 2)],
    )
    assert (
        '"onnx.Custom"(%arg0) {domain_name = "", function_name = "SimplifiedLayerNormalization"}'
        in import_text(model)
    )


def test_subgraphs_are_regions():
    def branch(name, op):
        return helper.make_graph([NODE(op, ["x"], [name])], name, [], [value(name, "FLOAT", 2)])

    model = make_model(
        [NODE("If", ["c"], ["y"], else_branch=branch("e", "Neg"), then_branch=branch("t", "Abs"))],
        [value("c", "BOOL"), value("x", "FLOAT", 2)],
        ["y"],
    )
    text = " ".join(import_text(model).split())
    assert (
        '"onnx.If"(%arg0) ({ %1 = "onnx.Abs"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> '
        '"onnx.Yield"(%1) : (tensor<2xf32>) -> () }, '
        '{ %1 = "onnx.Neg"(%arg1)' in text
    )


def test_loop_body_has_arguments_and_its_own_names():
    one = onnx.numpy_helper.from_array(np.array(1.0, np.float32), "one")
    body = helper.make_graph(
        [
            NODE("Add", ["v", "one"], ["w"]),
            NODE("Mul", ["w", "outer"], ["u"]),
            NODE("Identity", ["cond"], ["keep"]),
        ],
        "body",
        [value("i", "INT64"), value("cond", "BOOL"), value("v", "FLOAT")],
        [value("keep", "BOOL"), value("u", "FLOAT")],
        [one],
    )
    outer = onnx.numpy_helper.from_array(np.array(2.0, np.float32), "outer")
    model = make_model(
        [NODE("Loop", ["n", "", "x"], ["y"], body=body)],
        [value("n", "INT64"), value("x", "FLOAT")],
        ["y"],
        [outer],
    )
    text = import_text(model)
    assert "^bb0(%arg2: tensor<i64>, %arg3: tensor<i1>, %arg4: tensor<f32>):" in text
    assert re.search(r'"onnx.Mul"\(%\d+, %0\)', text)  # %0: the outer graph's initializer
    assert re.search(r'"onnx.Yield"\(%\d+, %\d+\) : \(tensor<i1>, tensor<f32>\)', text)


def test_functions_are_inlined():
    function = helper.make_function(
        "local",
        "Twice",
        ["a"],
        ["b"],
        [NODE("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 21)],
    )
    model = make_model(
        [NODE("Twice", ["x"], ["y"], domain="local")],
        [value("x", "FLOAT", 2)],
        ["y"],
        domains=["local"],
        functions=[function],
    )
    text = import_text(model)
    assert '"onnx.Add"(%arg0, %arg0)' in text
    assert "Custom" not in text


# Names, contexts and locations.


@pytest.mark.parametrize(
    "name, symbol",
    [
        ("", "main_graph"),
        ("torch-jit-export", "torch_jit_export"),
        ("2x2 conv", "graph_2x2_conv"),
        ("a.b/c", "a_b_c"),
        ("é", "main_graph"),
        ("_x", "x"),
    ],
)
def test_function_name_is_an_identifier(name, symbol):
    model = make_model(
        [NODE("Relu", ["a b"], ["c/d:0"], name='odd "name"\n')],
        [value("a b", "FLOAT")],
        ["c/d:0"],
    )
    model.graph.name = name
    text = import_text(model)
    assert f'func.func @{symbol}(%arg0: tensor<f32> {{onnx.name = "a b"}})' in text
    assert 'onnx.name = "c/d:0"' in text
    assert r'onnx_node_name = "odd \22name\22\0A"' in text


def test_initializer_that_is_also_an_input_is_a_constant():
    scale = helper.make_tensor("s", TensorProto.FLOAT, [], [0.5])
    model = make_model(
        [NODE("QuantizeLinear", ["x", "s"], ["q"])],
        [value("x", "FLOAT", 2), value("s", "FLOAT")],
        ["q"],
        [scale],
    )
    text = import_text(model)
    assert "(%arg0: tensor<2xf32>" in text and "%arg1" not in text
    assert "dense<5.000000e-01> : tensor<f32>" in text


def test_unused_initializers_are_left_out_and_outputs_may_be_initializers():
    tensors = [
        helper.make_tensor(name, TensorProto.FLOAT, [], [value])
        for name, value in (("used", 1.0), ("unused", 2.0))
    ]
    module = import_model(make_model([], [], [value("used", "FLOAT")], tensors))
    assert len(constants(module)) == 1


def test_context_is_the_given_one_then_the_current_one_then_a_new_one():
    given_one = ir.Context()
    assert import_model(relu(), given_one).context is given_one
    assert given_one.allow_unregistered_dialects
    with ir.Context() as current:
        assert import_model(relu()).context is current
        assert import_model(relu(), given_one).context is given_one
    module = import_model(relu())
    gc.collect()
    assert module.operation.verify()


def test_diagnostics_name_file_and_node(tmp_path):
    onnx.save(relu(), tmp_path / "net.onnx")
    module = import_model(tmp_path / "net.onnx")
    operation = module.body.operations[0].body.blocks[0].operations[0]
    assert operation.name == "onnx.Relu"
    said = []
    with (
        module.context,
        module.context.attach_diagnostic_handler(lambda d: said.append(str(d.location)) or True),
    ):
        operation.location.emit_error("here")
    assert said == [f'loc("act"("{tmp_path}/net.onnx:\'act\' (Relu)":1:1))']


def test_importers_are_found_lazily():
    import mlir_qdq.importers

    assert mlir_qdq.importers.onnx is importer
    with pytest.raises(AttributeError):
        mlir_qdq.importers.tensorflow


# External data.


def test_external_data(tmp_path):
    weights = save_with_external_data(tmp_path)
    module = import_model(str(tmp_path / "m.onnx"))
    assert resource_bytes(module) == (1, weights.tobytes())
    proto = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    assert resource_bytes(import_model(proto, directory=tmp_path)) == (1, weights.tobytes())
    assert proto == onnx.load(tmp_path / "m.onnx", load_external_data=False)  # left as it was
    with pytest.raises(OnnxImportError, match="initializer 'w': its data is in another file"):
        import_model(proto)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_onnx_node_tests_import(step):
    cases = corpus()
    assert len(cases) > 300
    for case in cases[::step]:
        try:
            import_text(case.model)
        except (AssertionError, OnnxImportError) as error:
            raise AssertionError(case.name) from error


# The models of the example.


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    pytest.importorskip("skl2onnx")
    script = Path(__file__).parents[2] / "examples" / "digits" / "make_models.py"
    spec = importlib.util.spec_from_file_location("make_models", script)
    make_models = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_models)
    return make_models.make_models(tmp_path_factory.mktemp("digits"))


def test_digits_int8(digits):
    text = import_text(digits["int8"])
    assert "func.func @digits(%arg0: tensor<?x64xf32>" in text
    for operation, operands, result in (
        ("Dequantize", "tensor<64x80xi8>, tensor<80xf32>, tensor<80xi8>", "tensor<64x80xf32>"),
        ("Dequantize", "tensor<80xi32>, tensor<80xf32>, tensor<80xi32>", "tensor<80xf32>"),
        ("Quantize", "tensor<?x80xf32>, tensor<f32>, tensor<ui8>", "tensor<?x80xui8>"),
    ):
        signature = re.escape(f"({operands}) -> {result}")
        assert re.search(f'"onnx.{operation}Linear".* : {signature}', text)
    assert "!onnx.Unknown" not in text and "tensor<*" not in text


def test_digits_int4_has_a_short_last_block(digits):
    signature = re.escape("(tensor<80x10xi4>, tensor<3x10xf32>) -> tensor<80x10xf32>")
    pattern = f'"onnx.DequantizeLinear".*block_size = 32 : si64.* : {signature}'
    assert re.search(pattern, import_text(digits["int4"]))
