# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that torchao 0.18, AMD Quark 0.13 and GPTQModel 7.7 wrote, against the weights to which they dequantize them.

`data/checkpoints` is written by tools/record-vectors/checkpoints.py.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from mlir_qdq import runtime
from mlir_qdq.importers.safetensors import SafetensorsImportError, import_file
from safetensors import safe_open
from safetensors.numpy import save_file

DATA = Path(__file__).parent / "data" / "checkpoints"
NAMES = sorted(str(path.relative_to(DATA).with_suffix("")) for path in DATA.rglob("*.safetensors"))


#: The types in which the packages multiply.
DTYPES = {"gptqmodel": "f16", "quark": "f32", "torchao": "bf16", "torchao/int8": "f32"}


def placed(folder: Path, name: str, change=lambda configuration: None) -> Path:
    """The file as a checkpoint with its configuration, in which `change` may replace fields."""
    configuration = json.loads((DATA / f"{name}.json").read_text())
    change(configuration)
    shutil.copy(DATA / f"{name}.safetensors", folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"quantization_config": configuration}))
    return folder / "model.safetensors"


def test_all_are_there():
    assert len(NAMES) == 30


@pytest.mark.parametrize("name", NAMES)
def test_bits(name, tmp_path):
    path = placed(tmp_path, name)
    with safe_open(path, "np") as file:
        expected = file.get_tensor("expected")
    module = import_file(
        path, tensors=["m.weight"], dtype=DTYPES.get(name, DTYPES[name.split("/")[0]])
    )
    found = runtime.compile(module)["m.weight"]().astype(np.float32)
    same = (found.view(np.uint32) == expected.view(np.uint32)) | np.isnan(found) & np.isnan(
        expected
    )
    assert same.all()


# --- refusals ------------------------------------------------------------------------


def described(path: Path, change) -> None:
    """Changes the header's own strings."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header["__metadata__"])
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


@pytest.mark.parametrize(
    "name,change,message",
    [
        ("nvfp4", lambda d: d.update(_type="Int4Tensor"), "__metadata__.m.weight._type is 'Int4Tensor', known are Float8Tensor, Int8Tensor, IntxU"),
        ("nvfp4", lambda d: [1], r"__metadata__.m.weight is '\[1\]', expected an object"),
        ("nvfp4", lambda d: d["_data"].update(block_size=32), "m.weight._data.block_size is 32, known are 16"),
        ("nvfp4", lambda d: d["_data"].update(other=1), "m.weight._data.other is 1: the field is unknown"),
        ("nvfp4", lambda d: d["_data"].update(is_swizzled_scales=True), "'m._weight_scale': has the shape .16, 4., expected 1 tiles of 128 by 4 for .16, 4."),
        ("nvfp4_two_scales", lambda d: d["_data"].update(is_swizzled_scales=False), "'m._weight_scale': has the shape .32, 16., expected .16, 4."),
        ("mx_fp6_e2m3", lambda d: d["_data"].update(elem_dtype="fp6_e1m4"), "'m.weight': has the elem_dtype 'fp6_e1m4', known are float8_e4m3fn, float8_e5m2, fp6_"),
        ("float8_blocks", lambda d: d["_data"].update(block_size=[8, 32]), "'m._weight_scale': has the shape .2, 4. for a weight of .16, 64., blocks of .8, 32."),
        ("int8", lambda d: d["_data"].update(block_size=[64]), "m.weight._data.block_size is .64., expected two sizes"),
    ],
)  # fmt: skip
def test_refused_of_torchao(name, change, message, tmp_path):
    def change_weight(metadata):
        description = json.loads(metadata["m.weight"])
        metadata["m.weight"] = json.dumps(change(description) or description)

    path = placed(tmp_path, f"torchao/{name}")
    described(path, change_weight)
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(path, tensors=["m.weight"])


def test_torchao_without_a_header(tmp_path):
    """A code in each byte needs no description; packed bytes do."""
    for name in ("intx3", "nvfp4"):
        path = placed(tmp_path, f"torchao/{name}")
        described(path, dict.clear)
        if name == "intx3":
            assert "codes of i8" in str(import_file(path, tensors=["m.weight"]))
    with pytest.raises(
        SafetensorsImportError, match="'m._weight_qdata': has packed bytes, and no header says"
    ):
        import_file(path, tensors=["m.weight"])


def test_torchao_without_a_configuration(tmp_path):
    """The header may name a module `quant_conv`."""
    path = placed(tmp_path, "torchao/nvfp4")
    (tmp_path / "config.json").unlink()
    described(
        path, lambda metadata: metadata.update({"m.quant_conv.weight": '{"_type": "Tensor"}'})
    )
    assert "torchao's NVFP4Tensor" in str(import_file(path, tensors=["m.weight"]))


def test_torchao_parameter_of_another_name(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"m._gate_up_proj_qdata": np.zeros((4, 4), np.int8)}, path)
    with pytest.raises(
        SafetensorsImportError, match="'m._gate_up_proj_qdata': is of torchao, a parameter with"
    ):
        import_file(path)


def weight_of(configuration):
    return configuration["global_quant_config"]["weight"]


@pytest.mark.parametrize(
    "name,change,message",
    [
        ("int4_group", lambda c: weight_of(c).update(dtype="int3"), 'global_quant_config.weight.dtype is .int3., known are "int4", "uint4", "int8"'),
        ("int4_group", lambda c: weight_of(c).update(group_size=16), "'m.weight_scale': .* blocks of .1, 16."),
        ("int4_group", lambda c: weight_of(c).update(ch_axis=0), "weight.ch_axis is 0, known are .1, -1."),
        ("int4_channel", lambda c: weight_of(c).update(ch_axis=1), "weight.ch_axis is 1, known are .0,."),
        ("int4_group", lambda c: weight_of(c).update(zero_point_type="float32"), 'zero_point_type is .float32., known are "int32"'),
        ("uint4_group", lambda c: c.update(global_quant_config={"weight": [weight_of(c)]}), "weight is .*, expected dict"),
        ("mxfp4", lambda c: weight_of(c).update(scale_format="e4m3"), 'scale_format is .e4m3., known are "e8m0"'),
        ("mxfp4", lambda c: weight_of(c).pop("scale_format"), 'scale_format is .float32., known are "e8m0"'),
        ("mxfp4", lambda c: weight_of(c).update(is_dynamic=True), "is_dynamic is True, known are false"),
        ("fp8_e4m3_channel", lambda c: weight_of(c).update(qscheme="per_group"), 'qscheme is .per_group., known are "per_tensor", "per_ch'),
        ("uint8_channel", lambda c: c["export"].update(weight_format="fake_quantized"), 'weight_format is .fake_quantized., known are "real_quantized"'),
        ("uint8_channel", lambda c: c["export"].update(pack_method="other"), 'pack_method is .other., known are "reorder", "order"'),
        ("uint8_channel", lambda c: c.update(other=1), ".quantization_config.other is 1: the field is unknown"),
    ],
)  # fmt: skip
def test_refused_of_quark(name, change, message, tmp_path):
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(placed(tmp_path, f"quark/{name}", change), tensors=["m.weight"])


def test_layers_of_quark(tmp_path):
    """A module has the type of the layer that its tensors fit."""

    def change(configuration):
        layer = configuration["global_quant_config"]
        other = {
            **layer,
            "weight": {**layer["weight"], "dtype": "fp8_e4m3", "qscheme": "per_tensor"},
        }
        configuration |= {"global_quant_config": other, "layer_quant_config": {"*up_proj": layer}}

    module = import_file(placed(tmp_path, "quark/int4_channel", change), tensors=["m.weight"])
    assert "Quark int4: channel scales" in str(module)
