# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small digit classifier, quantizes it with ONNX Runtime, and writes the models.

Run as ``python make_models.py OUTPUT_DIR``. The directory then holds

========================  =====================================================================
``digits.onnx``           the float network: 64 pixels, 80 ReLU units, 10 classes
``digits-int8.onnx``      static quantization, QDQ form: uint8 activations, int8 weights per channel
``digits-qlinear.onnx``   the same parameters in operator form: QGemm in the place of Q, DQ and Gemm
``digits-int4.onnx``      weights only: int4 in blocks of 32 along the input axis, kept as
                          DequantizeLinear-21; 80 is not a multiple of 32, so the last block of
                          the second layer is short
``digits-test.npz``       ``images`` (f32, 597 x 64) and ``labels`` (i64, 597), unseen in training
========================  =====================================================================

Everything is seeded, so two runs on one machine write the same bytes.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process
from skl2onnx import to_onnx
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

SEED = 0
OPSET = 21  # the first with int4 and blocked DequantizeLinear
HIDDEN_UNITS = 80
TRAINING_IMAGES = (
    1200  # the set is ordered by writer: the rest are hands that the network never saw
)
CALIBRATION_IMAGES = 256
INT4_BLOCK = 32
PIXEL_LEVELS = 16.0  # the images hold 0 .. 16
INPUT_NAME = "X"


class _Calibration(CalibrationDataReader):
    """Feeds training images to the quantizer, a batch at a time."""

    def __init__(self, images: np.ndarray, batch: int = 32):
        self._batches = iter([images[i : i + batch] for i in range(0, len(images), batch)])

    def get_next(self):
        images = next(self._batches, None)
        return None if images is None else {INPUT_NAME: images}


def train(images: np.ndarray, labels: np.ndarray) -> MLPClassifier:
    """Fit the network; scikit-learn's solver is deterministic for a fixed seed."""
    network = MLPClassifier((HIDDEN_UNITS,), random_state=SEED, max_iter=80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 80 epochs are enough for an example
        return network.fit(images, labels)


def export_float(network: MLPClassifier, images: np.ndarray) -> onnx.ModelProto:
    """The network as ONNX: `label` and `probabilities` from `X`, any batch size.

    skl2onnx writes each bias as 1 x N; the quantizer wants N (it makes a bias int32, per channel).
    """
    model = to_onnx(
        network, images[:1], options={"zipmap": False}, target_opset=OPSET, name="digits"
    )
    biases = {name for node in model.graph.node if node.op_type == "Add" for name in node.input}
    for tensor in model.graph.initializer:
        if tensor.name in biases and len(tensor.dims) == 2:
            del tensor.dims[0]
    return model


def quantize_int8(
    source: Path, target: Path, calibration: np.ndarray, form: QuantFormat = QuantFormat.QDQ
) -> None:
    """Static quantization, as ONNX Runtime recommends: pre-process, then calibrate."""
    with tempfile.TemporaryDirectory() as scratch:
        prepared = os.path.join(scratch, "prepared.onnx")
        quant_pre_process(source, prepared)
        quantize_static(
            prepared,
            target,
            _Calibration(calibration),
            quant_format=form,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )


def quantize_int4(source: Path, target: Path) -> None:
    """Block-wise int4 weights, symmetric, kept as DequantizeLinear in front of each MatMul.

    ONNX Runtime maps each block's largest weight to code -8: many of the scales are negative.
    """
    quantizer = MatMulNBitsQuantizer(
        onnx.load(source),
        bits=4,
        block_size=INT4_BLOCK,
        is_symmetric=True,
        quant_format=QuantFormat.QDQ,
    )
    quantizer.process()
    onnx.save(quantizer.model.model, target)


def make_models(directory: str | os.PathLike) -> dict[str, Path]:
    """Write the files into `directory`, made where absent; their paths by short name."""
    logging.getLogger("onnxruntime.quantization").setLevel(logging.WARNING)
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    paths = {
        "float": directory / "digits.onnx",
        "int8": directory / "digits-int8.onnx",
        "qlinear": directory / "digits-qlinear.onnx",
        "int4": directory / "digits-int4.onnx",
        "test": directory / "digits-test.npz",
    }
    images, labels = load_digits(return_X_y=True)
    images = (images / PIXEL_LEVELS).astype(np.float32)
    labels = labels.astype(np.int64)

    network = train(images[:TRAINING_IMAGES], labels[:TRAINING_IMAGES])
    onnx.save(export_float(network, images), paths["float"])
    calibration = images[:CALIBRATION_IMAGES]
    quantize_int8(paths["float"], paths["int8"], calibration)
    quantize_int8(paths["float"], paths["qlinear"], calibration, QuantFormat.QOperator)
    quantize_int4(paths["float"], paths["int4"])
    np.savez(paths["test"], images=images[TRAINING_IMAGES:], labels=labels[TRAINING_IMAGES:])
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", help="where the models go")
    for name, path in make_models(parser.parse_args().directory).items():
        print(f"{name:6} {path} ({path.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
