# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenVINO on the CPU: Convert."""

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino.passes import ConstantFolding, Manager
from scoring import cast, codes_of, versions

PACKAGES = ("openvino", "numpy")
SOURCES = {"f32": ov.Type.f32, "f16": ov.Type.f16}
STORAGES = {
    "f8E4M3FN": ov.Type.f8e4m3,
    "f8E5M2": ov.Type.f8e5m2,
    "f8E8M0FNU": ov.Type.f8e8m0,
    "f4E2M1FN": ov.Type.f4e2m1,
    "i8": ov.Type.i8,
    "ui8": ov.Type.u8,
    "i4": ov.Type.i4,
    "ui4": ov.Type.u4,
}


def version():
    return versions("openvino")


def convert_constant(x, source, to):
    """Convert of a constant, by its evaluator: the plugin has no arrays of these types."""
    node = ops.convert(ops.constant(x, SOURCES[source]), STORAGES[to])
    back = ops.convert(node, ov.Type.f32)
    model = ov.Model([back], [])
    manager = Manager()
    manager.register_pass(ConstantFolding())
    manager.run_passes(model)
    (constant,) = [op for op in model.get_ops() if op.get_type_name() == "Constant"]
    return codes_of(to, np.asarray(constant.data).reshape(-1))


def operations():
    for source in SOURCES:
        for to in STORAGES:
            yield cast(
                source,
                to,
                lambda x, a=source, b=to: convert_constant(x, a, b),
                "folded",
            )
