# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's own quantizer, in several ways.

python -m whole_models.quantize MODEL WAY SOURCE PREPARED QUANTIZED: in the environment of the extras.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import onnx
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process

from .catalog import CATALOG, WAYS, Entry, random_inputs

#: Static quantization and shapes need this one.
_MIN_OPSET = 15


def prepare(entry: Entry, source: Path, path: Path) -> None:
    """The model with static shapes, after ONNX Runtime's own preparation."""
    model = onnx.load(source)
    if next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx")) < _MIN_OPSET:
        model = onnx.version_converter.convert_version(model, _MIN_OPSET)
    constants = {initializer.name for initializer in model.graph.initializer}
    inputs = [given for given in model.graph.input if given.name not in constants]
    for given in inputs:
        for dim, size in zip(given.type.tensor_type.shape.dim, entry.shapes.get(given.name, ())):
            dim.Clear()
            dim.dim_value = size
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    for result in model.graph.output:
        result.type.tensor_type.ClearField("shape")
    fixed = path.with_suffix(".fixed.onnx")
    onnx.save(model, fixed)
    quant_pre_process(fixed, path, skip_symbolic_shape=True)


def _store_raw(path: Path) -> None:
    """Initializers of ui16 as raw bytes: torch-mlir's importer reads no other form."""
    model = onnx.load(path)
    for initializer in model.graph.initializer:
        if initializer.data_type == onnx.TensorProto.UINT16:
            array = onnx.numpy_helper.to_array(initializer)
            raw = onnx.numpy_helper.from_array(array, initializer.name)
            initializer.CopyFrom(raw)
    onnx.save(model, path)


class _Samples(CalibrationDataReader):
    def __init__(self, path: Path):
        session = onnxruntime.InferenceSession(path)
        self.values = iter([random_inputs(session, seed) for seed in range(1, 5)])

    def get_next(self):
        return next(self.values, None)


def quantize(way: str, source: Path, path: Path) -> None:
    """`source`, as `prepare` leaves it, quantized."""
    logging.disable(logging.WARNING)
    match way:
        case "tensor" | "channel" | "wide":
            wide = way == "wide"
            quantization.quantize_static(
                source,
                path,
                _Samples(source),
                quant_format=QuantFormat.QDQ,
                per_channel=way == "channel",
                activation_type=QuantType.QUInt16 if wide else QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                # With it ONNX Runtime 1.31 fails on scales of channels (an ambiguous truth value).
                extra_options={"QDQDisableWeightAdjustForInt32Bias": True},
            )
        case "dynamic":
            quantization.quantize_dynamic(source, path, weight_type=QuantType.QUInt8)
        case "blocks":
            # The quantizer writes this number whatever the nodes are.
            model = onnx.version_converter.convert_version(onnx.load(source), 21)
            quantizer = MatMulNBitsQuantizer(
                model,
                block_size=32,
                is_symmetric=True,
                quant_format=QuantFormat.QDQ,
                op_types_to_quantize=("MatMul",),
            )
            quantizer.process()
            quantizer.model.save_model_to_file(str(path))
        case _:
            raise ValueError(f"no way '{way}': expected one of {', '.join(WAYS)}")
    logging.disable(logging.NOTSET)
    _store_raw(path)


def main(name: str, way: str, *paths: str) -> None:
    source, prepared, quantized = map(Path, paths)
    if not prepared.exists():
        prepare(next(entry for entry in CATALOG if entry.name == name), source, prepared)
    quantize(way, prepared, quantized)


if __name__ == "__main__":
    main(*sys.argv[1:])
