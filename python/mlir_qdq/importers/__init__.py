# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Importers: models of other systems as MLIR that `lower-quant` understands.

``onnx``    `onnx.import_model(path_or_proto, context=None)`; needs the ``onnx`` package
``onednn``  `onednn.import_graph(json)`

Each one is loaded when it is first named, so that only what is used has to be installed.
"""

import importlib

_IMPORTERS = ("onnx", "onednn")


def __getattr__(name: str):
    if name in _IMPORTERS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_IMPORTERS])
