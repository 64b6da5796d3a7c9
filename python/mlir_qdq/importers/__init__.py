# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Importers: models of other systems as MLIR that `lower-quant` understands.

``onnx``         `onnx.import_model(path_or_proto, context=None)`; needs the ``onnx`` package
``onednn``       `onednn.import_graph(json)`
``mlir``         `mlir.import_module(module, context=None)`: modules of other MLIR packages
``gguf``         `gguf.import_file(path, tensors=None, dtype="f32", context=None)`
``safetensors``  `safetensors.import_file(...)`, as ``gguf``
``tflite``       `tflite.import_model(path, context=None)`; needs the ``tflite`` package

Each one is loaded when it is first named, so that only what is used has to be installed.
"""

import importlib
from types import ModuleType

_IMPORTERS = ("gguf", "mlir", "onednn", "onnx", "safetensors", "tflite")


def __getattr__(name: str) -> ModuleType:
    if name in _IMPORTERS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_IMPORTERS])
