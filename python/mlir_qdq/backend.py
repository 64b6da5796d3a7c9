# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX backend: runs quantized models.

Their nodes quantize, dequantize or compute with codes, or are the operators of floats beside them:
docs/Sources.md lists both.

    import mlir_qdq.backend
    rep = mlir_qdq.backend.prepare(model, rounding="floor")
    (y,) = rep.run([x, scale, zero_point])

The model goes through `importers.onnx.import_model` and `runtime.compile`, which takes the keyword
arguments of `prepare`. ONNX's own tests run on it:

    onnx.backend.test.BackendTest(mlir_qdq.backend, __name__).include("quantizelinear")

A model with other nodes raises `UnsupportedModelError`, which names them. This fails a test of
ONNX's, and does not skip it: what is not to be tried is for the caller to exclude.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from mlir import ir
from onnx.backend.base import Backend, BackendRep, namedtupledict

from . import runtime
from .importers.onnx import OnnxImportError, import_model
from .passes import QuantToLLVM

__all__ = [
    "QDQBackend",
    "QDQBackendRep",
    "UnsupportedModelError",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]


class UnsupportedModelError(NotImplementedError):
    """A model that cannot be lowered as a whole. The text says which operations, and why."""


class QDQBackendRep(BackendRep):
    """A compiled model."""

    def __init__(self, function, inputs: Sequence[str], outputs: Sequence[str]):
        self._function = function
        #: Names of the inputs and outputs in the model; initializers are no inputs.
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self._result = namedtupledict("Outputs", self.outputs)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[np.ndarray, ...]:
        """The outputs, as a tuple that also knows them by name.

        `inputs`: one array for each input, in their order or as a mapping from their names; where
        there is one input, an array alone will do. Arrays of `ml_dtypes` types included.
        """
        if kwargs:
            raise TypeError(f"run takes no option '{next(iter(kwargs))}': give options to prepare")
        results = self._function(*self._arrays(inputs))
        return self._result(*(results if isinstance(results, tuple) else (results,)))

    def _arrays(self, inputs: Any) -> list[np.ndarray]:
        if isinstance(inputs, np.ndarray | np.generic):
            inputs = [inputs]
        if isinstance(inputs, Mapping):
            if inputs.keys() != set(self.inputs):
                raise ValueError(
                    f"the model's inputs are {_names(self.inputs)}, given were {_names(inputs)}"
                )
            inputs = [inputs[name] for name in self.inputs]
        if len(inputs) != len(self.inputs):
            raise ValueError(
                f"the model has {len(self.inputs)} inputs ({_names(self.inputs)}), "
                f"given were {len(inputs)}"
            )
        return [np.asarray(array) for array in inputs]


class QDQBackend(Backend):
    """The backend as ONNX defines one; its functions are also those of this module."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> bool:
        """Whether `prepare` would succeed, which it finds out by trying."""
        try:
            cls.prepare(model, device, **options)
        except (UnsupportedModelError, OnnxImportError):
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> QDQBackendRep:
        """Import and compile a model. `options` are those of `runtime.compile`, such as `profile`."""
        if not cls.supports_device(device):
            raise UnsupportedModelError(f"device '{device}': there is only 'CPU'")
        QuantToLLVM(**options)  # raises for wrong options; what fails then is the model
        module = import_model(model)
        (function,) = module.body.operations
        try:
            compiled = runtime.compile(module, **options)
        except (ir.MLIRError, ValueError) as error:
            words = [str(error), *getattr(error, "__notes__", ())]
            raise UnsupportedModelError("\n".join(words)) from error
        with module.context:
            ports = (
                [ir.DictAttr(port)["onnx.name"].value for port in function.attributes[which]]
                for which in ("arg_attrs", "res_attrs")
            )
            return QDQBackendRep(compiled[function.name.value], *ports)

    @classmethod
    def run_model(
        cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **options: Any
    ) -> tuple[np.ndarray, ...]:
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        *,
        opset_version: int | None = None,
        **options: Any,
    ) -> tuple[np.ndarray, ...]:
        """Run one node on an array for each input that it names; the types are those of the arrays.

        `outputs_info` is not needed: ONNX's inference and the importer say the same.
        """
        given = list(dict.fromkeys(name for name in node.input if name))
        arrays = QDQBackendRep(None, given, node.output)._arrays(inputs)
        graph = onnx.helper.make_graph(
            [node],
            node.op_type,
            [_value_info(name, array) for name, array in zip(given, arrays)],
            [onnx.helper.make_value_info(name, onnx.TypeProto()) for name in node.output if name],
        )
        opset = opset_version or onnx.defs.onnx_opset_version()
        domains = {"": opset} | ({node.domain: 1} if node.domain else {})
        model = onnx.helper.make_model(
            graph, opset_imports=[onnx.helper.make_opsetid(*domain) for domain in domains.items()]
        )
        return cls.run_model(model, arrays, device, **options)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"


is_compatible = QDQBackend.is_compatible
prepare = QDQBackend.prepare
run_model = QDQBackend.run_model
run_node = QDQBackend.run_node
supports_device = QDQBackend.supports_device


def _names(names) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


def _value_info(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
    kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnx.helper.make_tensor_value_info(name, kind, array.shape)
