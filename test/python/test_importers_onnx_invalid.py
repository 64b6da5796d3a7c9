# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ONNX importer refuses: each message names the file, the node and the reason."""

import random

import onnx
import pytest
from mlir_qdq.importers.onnx import OnnxImportError, import_model
from onnx import TensorProto, TypeProto, helper
from onnx_models import (
    NODE,
    corpus,
    identity_of,
    import_text,
    make_model,
    raw_tensor,
    relu,
    save_with_external_data,
    value,
)


def test_external_data_missing_short_or_elsewhere(tmp_path):
    save_with_external_data(tmp_path)
    data = (tmp_path / "weights.bin").read_bytes()
    (tmp_path / "weights.bin").write_bytes(data[:100])
    with pytest.raises(OnnxImportError, match="initializer 'w'"):
        import_model(tmp_path / "m.onnx")
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(
        OnnxImportError, match="m.onnx: initializer 'w': cannot read its data from 'weights.bin'"
    ):
        import_model(tmp_path / "m.onnx")
    proto = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    for entry in proto.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = "../weights.bin"
    (tmp_path / "inner").mkdir()
    (tmp_path / "weights.bin").write_bytes(data)
    onnx.save(proto, tmp_path / "inner" / "m.onnx")
    with pytest.raises(OnnxImportError, match=r"cannot read its data from '../weights.bin'"):
        import_model(tmp_path / "inner" / "m.onnx")


def edited(edit):
    model = make_model(
        [NODE("Relu", ["x"], ["h"], name="first"), NODE("Add", ["h", "w"], ["y"], name="second")],
        [value("x", "FLOAT", 2)],
        [value("y", "FLOAT", 2)],
        [helper.make_tensor("w", TensorProto.FLOAT, [2], [1.0, 2.0])],
    )
    edit(model)
    return model


def close_circle(model):
    model.graph.node[0].input[0] = model.graph.node[1].output[0]


CORRUPT = {
    "circle": (
        close_circle,
        r"node 'first' .*: its input .* is made by a later node \(these nodes need each other\)",
    ),
    "dangling": (
        lambda m: m.graph.node[1].input.__setitem__(1, "nope"),
        r"node 'second' \(Add\): its input 'nope' does not exist",
    ),
    "defined twice": (
        lambda m: m.graph.node[1].output.__setitem__(0, "h"),
        r"node 'second' \(Add\): 'h' is defined twice",
    ),
    "initializer twice": (
        lambda m: m.graph.initializer.append(m.graph.initializer[0]),
        "initializer 'w' is defined twice",
    ),
    "input twice": (lambda m: m.graph.input.append(m.graph.input[0]), "input 'x' is defined twice"),
    "no such output": (
        lambda m: m.graph.output.append(value("z", "FLOAT")),
        "output 'z' is not made by any node",
    ),
    "no graph": (lambda m: m.ClearField("graph"), "it has no graph"),
    "no operator set": (lambda m: m.ClearField("opset_import"), "names no operator set"),
    "two operator sets": (
        lambda m: m.opset_import.append(helper.make_opsetid("ai.onnx", 13)),
        "imported in two versions",
    ),
    "too many elements": (
        lambda m: m.graph.initializer[0].dims.__setitem__(0, 3),
        r"initializer 'w': its data does not fit shape \[3\]",
    ),
    "enormous": (
        lambda m: m.graph.initializer[0].dims.extend([1 << 40, 1 << 40]),
        "initializer 'w': its data does not fit shape",
    ),
    "negative": (
        lambda m: m.graph.initializer[0].dims.__setitem__(0, -2),
        r"initializer 'w' has a negative dimension",
    ),
    "no such type": (
        lambda m: setattr(m.graph.initializer[0], "data_type", 99),
        "initializer 'w': unknown element type 99",
    ),
    "undefined type": (
        lambda m: setattr(m.graph.initializer[0], "data_type", 0),
        "initializer 'w': its data does not fit",
    ),
    "input of no such type": (
        lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 99),
        "input 'x': unknown element type 99",
    ),
    "attribute twice": (
        lambda m: m.graph.node[0].attribute.extend(
            [helper.make_attribute("a", 1), helper.make_attribute("a", 2)]
        ),
        r"node 'first' \(Relu\): its attributes do not have a name each",
    ),
    "attribute without a type": (
        lambda m: m.graph.node[0].attribute.append(onnx.AttributeProto(name="a")),
        r"node 'first' \(Relu\): attribute 'a': UNDEFINED is not supported",
    ),
    "required attribute missing": (
        lambda m: m.graph.node[0].CopyFrom(NODE("Cast", ["x"], ["h"], name="first")),
        r"node 'first' \(Cast\): its attribute 'to' is missing",
    ),
    "attribute of the wrong type": (
        lambda m: m.graph.node[0].CopyFrom(NODE("Cast", ["x"], ["h"], name="first", to="f32")),
        r"node 'first' \(Cast\): its attribute 'to' is not of type INT",
    ),
    "too few inputs": (
        lambda m: m.graph.node[1].input.pop(),
        r"node 'second' \(Add\): it has 1 inputs, and needs at least 2",
    ),
    "too many outputs": (
        lambda m: m.graph.node[1].output.append("z"),
        r"node 'second' \(Add\): it has 2 outputs, and needs at most 1",
    ),
    "attribute like ours": (
        lambda m: m.graph.node[0].attribute.append(helper.make_attribute("onnx_node_name", 1)),
        r"node 'first' \(Relu\): its attribute 'onnx_node_name' would be mistaken",
    ),
    "sparse initializer": (
        lambda m: m.graph.sparse_initializer.append(
            helper.make_sparse_tensor(
                helper.make_tensor("sp", TensorProto.FLOAT, [1], [1.0]),
                helper.make_tensor("", TensorProto.INT64, [1], [0]),
                [2],
            )
        ),
        "initializer 'sp' is sparse",
    ),
    "constant without a value": (
        lambda m: m.graph.node[0].CopyFrom(NODE("Constant", [], ["h"], name="first")),
        r"node 'first' \(Constant\): a Constant needs exactly one attribute",
    ),
    "sparse value": (
        lambda m: m.graph.input[0].type.sparse_tensor_type.CopyFrom(
            TypeProto.SparseTensor(elem_type=1)
        ),
        "input 'x': values of type sparse_tensor_type are not supported",
    ),
}


@pytest.mark.parametrize("case", CORRUPT)
def test_corrupt_model_is_refused_by_name(case, tmp_path):
    edit, message = CORRUPT[case]
    model = edited(edit)
    with pytest.raises(OnnxImportError, match="^<g?(model)?>: .*" + message):
        import_model(model)
    file = tmp_path / "model.onnx"
    file.write_bytes(model.SerializePartialToString())
    with pytest.raises(OnnxImportError, match=message) as caught:
        import_model(file)
    assert isinstance(caught.value, ValueError)
    assert caught.value.file == str(file)


def test_int4_data_of_the_wrong_length_is_refused():
    tensor = raw_tensor("t", "INT4", [1, 2, 3, 4], [4])
    tensor.raw_data += b"\0"
    with pytest.raises(
        OnnxImportError, match=r"initializer 't': 3 bytes of data for shape \[4\], expected 2"
    ):
        import_model(identity_of(tensor))


@pytest.mark.parametrize("content", [b"", b"\0", b"not a model", b"\xff" * 100])
def test_file_that_is_not_a_model(content, tmp_path):
    file = tmp_path / "bad.onnx"
    file.write_bytes(content)
    with pytest.raises(OnnxImportError, match="bad.onnx: not a"):
        import_model(file)


def test_text_formats_are_read_and_refused_alike(tmp_path):
    onnx.save(relu(), tmp_path / "m.textproto")
    assert "onnx.Relu" in import_text(tmp_path / "m.textproto")
    (tmp_path / "bad.textproto").write_text("graph { node }")
    (tmp_path / "bad.json").write_text("{")
    for name in ("bad.textproto", "bad.json"):
        with pytest.raises(OnnxImportError, match=f"{name}: not a readable ONNX model"):
            import_model(tmp_path / name)


def test_truncated_file_is_refused_at_every_length(tmp_path):
    whole = relu().SerializeToString()
    file = tmp_path / "cut.onnx"
    outcomes = set()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        try:
            import_model(file)
            outcomes.add("imported")  # cut behind the graph: only the operator sets may follow
        except OnnxImportError:
            outcomes.add("refused")
    assert outcomes == {"refused"}


def test_missing_file_and_wrong_argument(tmp_path):
    with pytest.raises(FileNotFoundError):
        import_model(tmp_path / "absent.onnx")
    with pytest.raises(TypeError, match="expected a path or an onnx.ModelProto, not int"):
        import_model(3)


def test_newer_operator_set_is_refused():
    model = make_model([NODE("Relu", ["x"], ["y"])], [value("x", "FLOAT")], ["y"], opset=99)
    with pytest.raises(OnnxImportError, match="operator set 99 is newer than the installed onnx"):
        import_model(model)


def test_recursive_functions_are_refused():
    sets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    functions = [
        helper.make_function(
            "local", name, ["a"], ["b"], [NODE(callee, ["a"], ["b"], domain="local")], sets
        )
        for name, callee in (("Ping", "Pong"), ("Pong", "Ping"))
    ]
    model = make_model(
        [NODE("Ping", ["x"], ["y"], domain="local")],
        [value("x", "FLOAT", 2)],
        ["y"],
        domains=["local"],
        functions=functions,
    )
    with pytest.raises(OnnxImportError, match="call each other in a circle: Ping, Pong"):
        import_model(model)


@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_damaged_files_are_imported_or_refused(count, tmp_path):
    """Random damage never gives another exception, let alone a crash."""
    sources = [data for case in corpus() if len(data := case.model.SerializeToString()) < 4000]
    rng = random.Random(0)
    file = tmp_path / "damaged.onnx"
    outcomes = {"imported": 0, "refused": 0}
    for _ in range(count):
        data = bytearray(rng.choice(sources))
        for _ in range(rng.choice((1, 1, 3))):
            position = rng.randrange(len(data))
            data[position] = rng.choice(
                (rng.randrange(256), data[position] ^ 1 << rng.randrange(8))
            )
        file.write_bytes(data)
        try:
            import_text(file)
            outcomes["imported"] += 1
        except OnnxImportError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > count / 10
