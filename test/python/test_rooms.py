# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rooms of lib/: none depends on itself by way of another, and core on none of code generation."""

import graphlib
import re
from collections import defaultdict

from build_tree import SOURCE

LIB = SOURCE / "lib"
FILES = [path for path in LIB.rglob("*") if path.suffix in (".cpp", ".h")]
#: Of the components cpu, frontends and all; the rest of lib/ is core.
OTHERS = [LIB / name for name in ("CAPI", "CodeGen", "TransformOps", "InitAll.cpp")]
OTHERS += [LIB / "Pipelines" / name for name in ("CheckStage.cpp", "QuantToLLVM.cpp")]
OTHERS += [LIB / "Pipelines" / name for name in ("Stages.cpp", "Stages.h")]
FRONTENDS = ("ONNXToLinalg", "TFLToLinalg", "TFLToQDQ")
OTHERS += [LIB / "Conversion" / name for name in FRONTENDS]


def includes(path):
    return re.findall(r'(?m)^#include "([^"]+)"', path.read_text())


def test_no_circle_between_rooms():
    rooms = defaultdict(set)
    for path in FILES:
        for name in includes(path):
            target = (path.parent / name).resolve()
            if target.exists() and target.parent != path.parent:
                rooms[path.parent.relative_to(LIB)].add(target.parent.relative_to(LIB))
    assert len(rooms) > 10
    graphlib.TopologicalSorter(rooms).prepare()


def test_core_includes_nothing_of_other_components():
    headers = ("qdq/CodeGen/", "qdq/TransformOps/", "qdq/InitAll", "qdq/Conversion/Frontends")
    headers += tuple(f"qdq/Conversion/{name}/" for name in FRONTENDS)
    targets = ("mlir/Dialect/LLVMIR/", "mlir/Dialect/AMDGPU/", "mlir/Dialect/Bufferization/")
    for path in FILES:
        if any(path.is_relative_to(other) for other in OTHERS) or path.name == "Precompiled.h":
            continue
        for name in includes(path):
            assert not name.startswith(headers + targets), f"{path}: {name}"
