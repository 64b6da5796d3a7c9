# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records matmuls of 8-bit codes by oneDNN on CPU, with groups along K or none, for `rescale = separate`.

pip install onednn==2026.1.0 onednn-devel==2026.1.0 intel-opencl-rt numpy   (in a virtual environment)
LD_LIBRARY_PATH=$VIRTUAL_ENV/lib OCL_ICD_FILENAMES=$VIRTUAL_ENV/lib/libintelocl.so python tools/record-vectors/onednn_matmul.py

Writes test/conformance/contractions/onednn.json and onednn.npz. Needs AVX-512 with VNNI: oneDNN's kernels for it are what the kind is;
its fallback (`ref_int8`, also for rows of a without groups) divides by the scale of the result.
"""

import ctypes as c
import json
import platform
import sys
from pathlib import Path

import numpy as np

PREFIX = Path(sys.prefix)
OUTPUT = Path(__file__).resolve().parents[2] / "test" / "conformance" / "contractions"
TYPES = {"f32": (3, np.float32), "i32": (4, np.int32), "i8": (5, np.int8), "ui8": (6, np.uint8)}
SRC, WEIGHTS, DST, BIAS, SCALES, ZERO_POINTS = 1, 33, 17, 41, 4096, 8192
CPU, IN_ORDER, IMPLEMENTATION = 1, 1, 8
Dims = c.c_int64 * 12
library = c.CDLL(str(PREFIX / "lib" / "libdnnl.so.3"))


def call(name: str, *arguments):
    """Integers are passed as int."""
    status = getattr(library, f"dnnl_{name}")(
        *(c.c_int(a) if isinstance(a, int) else a for a in arguments)
    )
    if status:
        raise RuntimeError(f"dnnl_{name}: status {status}")


def make(name: str, *arguments) -> c.c_void_p:
    handle = c.c_void_p()
    call(name, c.byref(handle), *arguments)
    return handle


class Argument(c.Structure):
    _fields_ = [("index", c.c_int), ("memory", c.c_void_p)]


class Version(c.Structure):
    _fields_ = [("numbers", c.c_int * 3)]


ENGINE = make("engine_create", CPU, c.c_size_t(0))
STREAM = make("stream_create", ENGINE, IN_ORDER)


def describe(shape, element: str) -> c.c_void_p:
    strides = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    return make(
        "memory_desc_create_with_strides", len(shape), Dims(*shape), TYPES[element][0], Dims(*strides)
    )  # fmt: skip


def multiply(case, x, w, sa, sb, bias):
    """The codes, and the name of the kernel."""
    attributes, tensors = make("primitive_attr_create"), []

    def set_parameter(kind, argument, values, element, group):
        """One value, one for each column of w, or groups."""
        mask, groups = 0, (0, None)
        if group:
            mask, groups = 3, (2, Dims(*group))
        elif values.size > 1:
            mask = 2
        setter = "scales" if kind == SCALES else "zero_points"
        call(f"primitive_attr_set_{setter}", attributes, argument, mask, *groups, TYPES[element][0])
        tensors.append((kind | argument, element, values if group else values.reshape(-1)))

    length = case["blocks"]
    set_parameter(SCALES, SRC, sa, "f32", (1, length[0]) if length[0] else None)
    set_parameter(SCALES, WEIGHTS, sb, "f32", (length[1], 1) if length[1] else None)
    set_parameter(SCALES, DST, np.array([float.fromhex(case["sy"])], np.float32), "f32", None)
    for argument, name in ((SRC, "za"), (DST, "zy")):
        if case[name] is not None:
            set_parameter(ZERO_POINTS, argument, np.array([case[name]], np.int32), "i32", None)
    y = np.zeros((len(x), w.shape[1]), TYPES[case["result"]][1])
    tensors += [(SRC, case["a"], x), (WEIGHTS, "i8", w), (DST, case["result"], y)]
    if bias is not None:
        tensors.append((BIAS, "f32", bias[None]))
    kinds = {index: describe(values.shape, element) for index, element, values in tensors}
    primitive = make(
        "matmul_primitive_desc_create", ENGINE, kinds[SRC], kinds[WEIGHTS], kinds.get(BIAS), kinds[DST], attributes
    )  # fmt: skip
    kernel = c.c_char_p()
    call("primitive_desc_query", primitive, IMPLEMENTATION, 0, c.byref(kernel))
    held = [np.ascontiguousarray(values) for _, _, values in tensors]
    memories = [
        Argument(index, make("memory_create", kinds[index], ENGINE, c.c_void_p(array.ctypes.data)).value)
        for (index, _, _), array in zip(tensors, held)
    ]  # fmt: skip
    executed = make("primitive_create", primitive)
    call("primitive_execute", executed, STREAM, len(memories), (Argument * len(memories))(*memories))  # fmt: skip
    call("stream_wait", STREAM)
    return next(array for (index, _, _), array in zip(tensors, held) if index == DST), kernel.value.decode()  # fmt: skip


def draw(random, rows, columns, terms, case):
    """Scales are multiples of two numbers, so that many a sum lies on a tie of reals: roundings decide."""
    low, high = (0, 16) if case["a"] == "ui8" else (-8, 9)
    x = random.integers(low, high, (rows, terms)).astype(TYPES[case["a"]][1])
    w = random.integers(-8, 9, (terms, columns)).astype(np.int8)
    blocks_a, blocks_b = (terms // length if length else 1 for length in case["blocks"])
    sa = random.integers(1, 8, (rows if case["blocks"][0] else 1, blocks_a)) * np.float32(1.1)
    sb = random.integers(1, 4, (blocks_b, columns)) * np.float32(0.1)
    bias = None
    if case["bias"]:
        bias = (random.integers(-3000, 3000, columns) * np.float32(0.11)).astype(np.float32)
    return x, w, sa.astype(np.float32), sb.astype(np.float32), bias


def main():
    random, cases, arrays, kernels = np.random.default_rng(11), [], {}, set()
    for terms, blocks in (
        (64, (0, 0)),
        (128, (32, 32)),
        (128, (64, 32)),
        (96, (0, 32)),
        (128, (32, 0)),
    ):
        # Beside groups, a zero point of a leads to the fallback.
        for a, za in (("i8", None), ("ui8", None if any(blocks) else 9)):
            for result, zy, bias in (("i8", 7, False), ("ui8", 120, True)):
                step = np.float32(1.1) * np.float32(0.1) * np.float32(random.integers(20, 30) * 2)
                name = f"{terms}-{blocks[0]}-{blocks[1]}-{a}-{result}"
                case = {
                    "name": name, "terms": terms, "blocks": blocks, "a": a, "za": za, "result": result, "zy": zy,
                    "sy": float(np.float32(step)).hex(), "bias": bias,
                }  # fmt: skip
                x, w, sa, sb, added = draw(random, 48, 64, terms, case)
                y, kernel = multiply(case, x, w, sa, sb, added)
                kernels.add(kernel)
                cases.append(case)
                named = {"x": x, "w": w, "sa": sa, "sb": sb, "y": y}
                named |= {} if added is None else {"bias": added}
                arrays |= {f"{name}/{key}": value for key, value in named.items()}
    if any("avx512_core_vnni" not in kernel for kernel in kernels):
        raise SystemExit(f"other kernels than those of AVX-512 with VNNI: {sorted(kernels)}")
    library.dnnl_version.restype = c.POINTER(Version)
    version = ".".join(map(str, library.dnnl_version().contents.numbers))
    OUTPUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUTPUT / "onednn.npz", **arrays)
    source = {
        "script": "tools/record-vectors/onednn_matmul.py", "versions": {"onednn": version},
        "kernels": sorted(kernels), "machine": platform.machine(),
    }  # fmt: skip
    text = json.dumps({"source": source, "cases": cases}, indent=1)
    (OUTPUT / "onednn.json").write_text(text + "\n")
    print(f"{len(cases)} products, by {', '.join(sorted(kernels))}")


if __name__ == "__main__":
    main()
