# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that lie: each is refused by file and place, in the time and the memory that its size is worth."""

import json
import os
import time

import flatbuffers
import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema
from damaged_files import FORMATS
from mlir_qdq.importers import onednn, safetensors, tflite
from mlir_qdq.importers.onnx import OnnxImportError, import_model
from onnx import TensorProto, helper
from onnx_models import NODE, make_model, value
from tflite_models import Model, Quantized

pytestmark = pytest.mark.timeout(60)


# --- .tflite -------------------------------------------------------------------------


def with_state() -> Model:
    model, q = Model(), Quantized()
    handle = model.tensor((), "int32")
    model.graph.tensors[handle].type = schema.TensorType.RESOURCE
    model.op("VAR_HANDLE", [], handle, options="VarHandleOptions", sharedName="state")
    read = model.op("READ_VARIABLE", [handle], model.tensor((4,), q), options="ReadVariableOptions")
    model.op("ASSIGN_VARIABLE", [handle, read], options="AssignVariableOptions")
    return model


def without_options(model):
    model.graph.operators[0].builtinOptions = None
    model.graph.operators[0].builtinOptionsType = 0


@pytest.mark.parametrize(
    "change, reason",
    [
        (without_options, "operator 0 VAR_HANDLE: has no shared_name, which tells the variable"),
        (lambda m: m.graph.operators[0].outputs.clear(), "operator 0 VAR_HANDLE: has 0 inputs and 0 outputs: expected 0 and 1"),
        (lambda m: m.graph.operators[1].outputs.clear(), "operator 1 READ_VARIABLE: has 1 inputs and 0 outputs"),
        (lambda m: m.graph.operators[1].inputs.clear(), "operator 1 READ_VARIABLE: has 0 inputs and 1 outputs"),
        (lambda m: m.graph.operators[2].inputs.pop(), "operator 2 ASSIGN_VARIABLE: has 1 inputs and 0 outputs"),
        (lambda m: setattr(m.graph.operators[2], "inputs", [0, -1]), "operator 2 ASSIGN_VARIABLE: input -1 is no tensor"),
        (lambda m: setattr(m.graph.tensors[1], "shape", [1] * 65), "tensor 1 'tensor_1': has 65 dimensions: expected at most 64"),
    ],
)  # fmt: skip
def test_tflite_variables(change, reason, tmp_path):
    model, path = with_state(), tmp_path / "f.tflite"
    path.write_bytes(model.content(1))
    tflite.import_model(path)
    change(model)
    path.write_bytes(model.content(1))
    with pytest.raises(tflite.TFLiteImportError, match=f"f.tflite: subgraph 0, {reason}"):
        tflite.import_model(path)


def shared(count: int, entry: bytes) -> bytes:
    """A .tflite file of `count` subgraphs that are one table, of `count` tensors that are one."""
    builder = flatbuffers.Builder(1024)
    name = builder.CreateString("x" * count)
    schema.TensorStart(builder)
    schema.TensorAddName(builder, name)
    tensor = schema.TensorEnd(builder)
    schema.SubGraphStartTensorsVector(builder, count)
    for _ in range(count):
        builder.PrependUOffsetTRelative(tensor)
    tensors = builder.EndVector()
    schema.SubGraphStart(builder)
    if entry == b"tensors":
        schema.SubGraphAddTensors(builder, tensors)
    graph = schema.SubGraphEnd(builder)
    schema.ModelStartSubgraphsVector(builder, count)
    for _ in range(count):
        builder.PrependUOffsetTRelative(graph)
    graphs = builder.EndVector()
    schema.BufferStart(builder)
    buffer = schema.BufferEnd(builder)
    schema.ModelStartBuffersVector(builder, 1)
    builder.PrependUOffsetTRelative(buffer)
    buffers = builder.EndVector()
    schema.ModelStart(builder)
    schema.ModelAddBuffers(builder, buffers)
    schema.ModelAddVersion(builder, 3)
    schema.ModelAddSubgraphs(builder, graphs)
    builder.Finish(schema.ModelEnd(builder), b"TFL3")
    return bytes(builder.Output())


def test_tflite_tables_that_are_shared(tmp_path):
    """20,000 subgraphs of 20,000 tensors with names of 20,000 letters, in 180 kB."""
    path = tmp_path / "f.tflite"
    path.write_bytes(shared(20_000, b"tensors"))
    with pytest.raises(tflite.TFLiteImportError, match="f.tflite: subgraph .* in a file of"):
        tflite.import_model(path)
    path.write_bytes(shared(2_000, b""))  # with nothing inside they are legal
    names = [op.attributes["sym_name"].value for op in tflite.import_model(path).body.operations]
    assert len(set(names)) == 2_000


# --- .onnx: other files --------------------------------------------------------------


def external(folder, location="data.bin", **entries):
    """A model in `folder` whose tensor of four floats lies elsewhere."""
    model = make_model([NODE("Relu", ["w"], ["y"])], [], ["y"])
    tensor = model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[4])
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=text)
    folder.mkdir(exist_ok=True)
    onnx.save(model, folder / "f.onnx")
    return folder / "f.onnx"


@pytest.fixture
def secret(tmp_path):
    (tmp_path / "secret.bin").write_bytes(bytes(16))
    return tmp_path / "secret.bin"


def refused(path) -> str:
    with pytest.raises(OnnxImportError) as error:
        import_model(path)
    message = str(error.value)
    assert message.startswith(f"{path}: initializer 'w': cannot read its data from '"), message
    return message


def test_onnx_data_outside_the_folder(secret, tmp_path):
    folder = tmp_path / "model"
    assert "lies outside the folder" in refused(external(folder, "../secret.bin"))
    assert "lies outside the folder" in refused(external(folder, "a/../../secret.bin"))
    assert "is an absolute path" in refused(external(folder, str(secret)))
    (folder / "link.bin").symlink_to(secret)
    assert "lies outside the folder" in refused(external(folder, "link.bin"))
    (folder / "up").symlink_to(tmp_path)
    assert "lies outside the folder" in refused(external(folder, "up/secret.bin"))
    (folder / "circle").symlink_to(folder / "circle")
    assert "in a circle" in refused(external(folder, "circle"))


def test_onnx_data_in_no_file(tmp_path):
    folder = tmp_path / "model"
    os.mkfifo(external(folder, "pipe").parent / "pipe")
    assert "is no regular file" in refused(folder / "f.onnx")
    assert "is no regular file" in refused(external(folder, ""))
    assert "No such file" in refused(external(folder, "none"))
    assert "null" in refused(external(folder, "a\0b"))


def test_onnx_data_of_other_sizes(tmp_path):
    folder = tmp_path / "model"
    (external(folder).parent / "data.bin").write_bytes(bytes(16))
    import_model(folder / "f.onnx")
    for entries, reason in [
        ({"length": "17"}, "bytes 0 to 17 are not in a file of 16 bytes"),
        ({"length": str(1 << 62)}, "are not in a file of 16 bytes"),
        ({"offset": "17"}, "bytes 17 to 16 are not in a file of 16 bytes"),
        ({"offset": "-1"}, "bytes -1 to 16 are not in a file"),
        ({"offset": "x"}, "invalid literal for int"),
    ]:
        assert reason in refused(external(folder, **entries))
    with pytest.raises(OnnxImportError, match="'w': 12 bytes of data for shape .4., expected 16"):
        import_model(external(folder, offset="4"))


def test_onnx_place_that_is_no_text(tmp_path):
    path = external(tmp_path / "model", "DATA.bin")
    path.write_bytes(path.read_bytes().replace(b"DATA.bin", b"DATA\xff\xfe\xfdn"))
    with pytest.raises(
        OnnxImportError, match="f.onnx: not a readable ONNX model: a name in it is not UTF-8"
    ):
        import_model(path)


def test_onnx_data_of_a_download_cache(tmp_path):
    """`snapshot/f.onnx` and `snapshot/data.bin` are links into one folder of blobs."""
    path = external(tmp_path / "blobs")
    (tmp_path / "blobs/data.bin").write_bytes(bytes(16))
    (tmp_path / "snapshot").mkdir()
    for name in ("f.onnx", "data.bin"):
        (tmp_path / "snapshot" / name).symlink_to(tmp_path / "blobs" / name)
    assert import_model(tmp_path / "snapshot/f.onnx") and import_model(path)


def test_onnx_data_read_again_and_again(tmp_path):
    path = external(tmp_path / "model")
    (tmp_path / "model/data.bin").write_bytes(bytes(16))
    model = onnx.load(path, load_external_data=False)
    for i in range(40):
        model.graph.initializer.append(model.graph.initializer[0])
        model.graph.initializer[-1].name = f"w{i}"
        model.graph.node.append(NODE("Relu", [f"w{i}"], [f"y{i}"]))
    onnx.save(model, path)
    with pytest.raises(
        OnnxImportError, match="initializer 'w15': .* more than 16 times its 16 bytes"
    ):
        import_model(path)


# --- .onnx: graphs -------------------------------------------------------------------


def doubling(depth: int):
    """Functions that each call the next one twice."""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("l", 1)]
    model = make_model(
        [NODE("f0", ["x"], ["y"], domain="l")], [value("x", "FLOAT", 2)], ["y"], domains=("l",)
    )
    for i in range(depth):
        body = [NODE(f"f{i + 1}", [a], [b], domain="l") for a, b in ("ab", "bc")]
        body = body if i < depth - 1 else [NODE("Relu", ["a"], ["c"])]
        model.functions.append(helper.make_function("l", f"f{i}", ["a"], ["c"], body, opsets))
    return model


def test_onnx_functions_that_double():
    assert str(import_model(doubling(8))).count("onnx.Relu") == 128
    with pytest.raises(
        OnnxImportError, match=r"<g>: model-local functions have \d+ bytes where they are called"
    ):
        import_model(doubling(2000))


def test_onnx_types_that_come_from_behind():
    """Each node learns its type from the next one."""
    count = 3000
    nodes = [NODE("Identity", [f"v{i}"], [f"v{i + 1}"]) for i in range(count)]
    model = make_model(nodes, [onnx.ValueInfoProto(name="v0")], [value(f"v{count}", "FLOAT", 2)])
    start = time.process_time()
    assert "%arg0: tensor<*xf32>" in str(import_model(model))
    assert time.process_time() - start < 20  # of which half a minute was spent by 2000 nodes


@pytest.mark.parametrize("kind, data", [("FLOAT", {}), ("STRING", {"string_data": [b"a"]})])
def test_onnx_dimensions(kind, data):
    tensor = TensorProto(
        name="w", data_type=TensorProto.DataType.Value(kind), dims=[1] * 100_000, **data
    )
    model = make_model([NODE("Identity", ["w"], ["y"])], [], ["y"], [tensor])
    with pytest.raises(OnnxImportError, match="'w': it has 100000 dimensions, expected at most 64"):
        import_model(model)
    model = make_model([NODE("Constant", [], ["y"], value=tensor, name="c")], [], ["y"])
    with pytest.raises(
        OnnxImportError, match="'c' .*: it has 100000 dimensions, expected at most 64"
    ):
        import_model(model)


@pytest.mark.parametrize(
    "suffix, text",
    [
        (".onnxtxt", '<ir_version: 10, opset_import: ["" : 21]> g () => () { ' + "If (c) <t = a () => () { " * 100_000),
        (".textproto", "graph { node { attribute { g { " * 100_000),
        (".json", '{"graph": {"node": [{"attribute": [{"g": ' * 100_000),
    ],
)  # fmt: skip
def test_onnx_texts_that_are_deep(suffix, text, tmp_path):
    path = tmp_path / f"f{suffix}"
    path.write_text(text)
    with pytest.raises(OnnxImportError, match=f"f{suffix}: (brackets are|not a readable)"):
        import_model(path)


def test_onnx_operator_set():
    model = make_model([NODE("Relu", ["x"], ["y"])], [value("x", "FLOAT", 2)], ["y"])
    model.opset_import.add(domain="other", version=1 << 40)
    with pytest.raises(OnnxImportError, match="operator set 'other' has the version 1099511627776"):
        import_model(model)


# --- JSON ----------------------------------------------------------------------------

DEPTHS = (100, 500, 900, 960, 980, 995, 1000, 5000, 200_000)


@pytest.mark.parametrize("depth", DEPTHS)
def test_json_that_is_deep(depth, tmp_path):
    nested = "[" * depth + "]" * depth
    path = tmp_path / "f.json"
    for text in (
        nested,
        '{"graph": %s}' % nested,
        '{"graph": [], "version": %s}' % nested,
        '{"graph": [{"id": %s}]}' % nested,
        '{"graph": [{"id": 1, "kind": "Add", "inputs": [], "outputs": [], "attrs": {"a": {"type": "s64[]", "value": %s}}}]}'
        % nested,
    ):
        path.write_text(text)
        with pytest.raises(onednn.OneDNNImportError, match="f.json: "):
            onednn.import_graph(path)
    path = tmp_path / "f.safetensors"
    for text in (
        '{"w": %s}',
        '{"w": {"dtype": %s}}',
        '{"w": {"dtype": "F32", "shape": %s, "data_offsets": [0, 4]}}',
    ):
        text = (text % nested).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(4))
        with pytest.raises(safetensors.SafetensorsImportError, match="f.safetensors: "):
            safetensors.import_file(path)
    header = b'{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    for text in ('{"quantization_config": {"bits": %s}}', '{"quantization_config": {"quant_method": %s}}',
                 '{"quantization_config": {"quant_method": "fp8", "weight_block_size": %s}}'):  # fmt: skip
        (tmp_path / "config.json").write_text(text % nested)
        with pytest.raises(safetensors.SafetensorsImportError, match="f.safetensors: "):
            safetensors.import_file(path)


def chain(count: int) -> dict:
    """Ops in the reverse order of their data."""

    def tensor(number):
        return {"id": number, "dtype": "f32", "shape": [2]}

    ops = [
        {"id": i, "kind": "ReLU", "inputs": [tensor(i)], "outputs": [tensor(i + 1)]}
        for i in range(count)
    ]
    return {"graph": ops[::-1], "input_ports": [0], "output_ports": [count]}


def test_onednn_order():
    start = time.process_time()
    assert "onednn_graph.relu" in str(onednn.import_graph(chain(5000)))
    assert time.process_time() - start < 20


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_onednn_numbers(number):
    graph = chain(2)
    for op in graph["graph"]:
        for tensor in (*op["inputs"], *op["outputs"]):
            tensor["id"] = number if tensor["id"] == 0 else tensor["id"]
    graph["input_ports"] = [number]
    with pytest.raises(onednn.OneDNNImportError, match="'id' is .*: expected an integer"):
        onednn.import_graph(graph)
    graph = chain(2)
    graph["graph"][0]["inputs"][0]["shape"] = [number]
    with pytest.raises(
        onednn.OneDNNImportError, match="'shape' is .*: expected a list of integers"
    ):
        onednn.import_graph(graph)
    graph = chain(2)
    graph["graph"][0]["attrs"] = {"a": {"type": "f32", "value": number}}
    with pytest.raises(
        onednn.OneDNNImportError, match="attribute 'a': value .* is not of type f32"
    ):
        onednn.import_graph(graph)


def test_texts_that_are_none():
    """Half a pair of surrogates, which JSON may spell and UTF-8 not."""
    graph = chain(2)
    for change in ({"name": "\ud800"}, {"attrs": {"\ud800": {"type": "s64", "value": 1}}},
                   {"attrs": {"a": {"type": "string", "value": "\ud800"}}}):  # fmt: skip
        bad = json.loads(json.dumps(graph))
        bad["graph"][0] |= change
        with pytest.raises(onednn.OneDNNImportError, match="op #0: not readable as JSON"):
            onednn.import_graph(bad)
    with pytest.raises(onednn.OneDNNImportError, match="not readable as JSON"):
        onednn.import_graph({**graph, "version": "\ud800"})


# --- .safetensors --------------------------------------------------------------------


def header_of(tmp_path, header: str, data=b""):
    path = tmp_path / "f.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + data)
    return path


@pytest.mark.parametrize(
    "header, reason",
    [
        ('{"w": {"dtype": "F32", "shape": %s, "data_offsets": [0, 4]}}' % ([1 << 62] * 200_000), "'w': has the shape"),
        ('{"w\\ud800": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}', "the name is no Unicode text"),
        ('{"w": {"dtype": "F32", "shape": [%s], "data_offsets": [0, 4]}}' % ("9" * 5000), "is no JSON"),
    ],
)  # fmt: skip
def test_safetensors_headers(header, reason, tmp_path):
    with pytest.raises(safetensors.SafetensorsImportError, match=f"f.safetensors: .*{reason}"):
        safetensors.import_file(header_of(tmp_path, header, bytes(4)))


def test_safetensors_names(tmp_path):
    names = ["a\nb", 'a"b', "a\\b", "\0", "é", "", "😀", "%0"]
    entries = {
        name: {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]}
        for i, name in enumerate(names)
    }
    path = header_of(
        tmp_path, json.dumps(entries), np.arange(len(names), dtype=np.float32).tobytes()
    )
    functions = safetensors.import_file(path).body.operations
    assert [op.attributes["sym_name"].value for op in functions] == names


def test_safetensors_groups_without_end(tmp_path):
    path = header_of(
        tmp_path, '{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}', bytes(4)
    )
    groups = {str(i): {"weights": {"num_bits": 8, "group_size": i + 1}} for i in range(20_000)}
    configuration = {
        "quant_method": "compressed-tensors",
        "format": "int-quantized",
        "config_groups": groups,
    }
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": configuration}))
    with pytest.raises(
        safetensors.SafetensorsImportError, match="has more than 64 ways to store a weight"
    ):
        safetensors.import_file(path)


def test_safetensors_configuration_that_is_a_pipe(tmp_path):
    path = header_of(
        tmp_path, '{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}', bytes(4)
    )
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(
        safetensors.SafetensorsImportError, match="config.json beside it: is no regular file"
    ):
        safetensors.import_file(path)


@pytest.mark.parametrize("name", FORMATS)
def test_path_that_is_no_text(name, tmp_path):
    file, make, load, _ = FORMATS[name]
    content, others = make()[0]
    for other, data in others.items():
        (tmp_path / other).write_bytes(data)
    path = tmp_path / f"\udcff{file}"
    path.write_bytes(content)
    assert load(path).operation.verify()
