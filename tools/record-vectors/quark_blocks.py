# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records AMD Quark's block formats, its custom operators in ONNX Runtime: test/python/data/quark.

pip install torch==2.13.0 amd-quark==0.13 onnxruntime ninja numpy   (compiles the operators on first use)
python tools/record-vectors/quark_blocks.py
"""

import json
from importlib import metadata
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from quark.onnx.operators.custom_ops import get_library_path

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "quark"
TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


def rows(columns: int) -> np.ndarray:
    """One difficulty a row."""
    random = np.random.default_rng(0)
    normal = random.normal(size=(24, columns))
    x = normal.astype(np.float32)
    x[0] *= np.float32(2.0**100)
    x[1] *= np.float32(2.0**-100)
    x[2] *= np.exp2(random.integers(-30, 30, columns))  # one large number hides many
    x[3] = (random.integers(-130, 130, columns) + 0.5) / 64  # ties of 7 bits
    x[4] = (random.integers(-9, 9, columns) + 0.5) / 4  # and of few bits
    x[5] = (
        random.choice([127.5, -127.5, 127.49999, -127.50001, 127.50001, 63.75, -64], columns) / 64
    )
    x[6] = 0
    x[7] = -0.0
    x[8] = random.choice([0.0, -0.0, 1e-3, -1e-3, 0.3, -0.3, 0.5, -0.5, 1], columns)
    x[9] = random.integers(-(2**23), 2**23, columns) * 1.4e-45  # subnormal
    x[10] = random.integers(-64, 64, columns) * 1.4e-45
    x[11] = normal[11] * 1.2e-38
    x[12] = random.choice([3.4028235e38, -3.4028235e38, 3.3895314e38, 1.7e38, 2.0**127], columns)
    x[13, ::3] = np.nan
    x[14, ::4] = np.inf
    x[15, ::5] = -np.inf
    x[16] = np.where(np.arange(columns) % 7 == 3, np.nan, x[16] * np.float32(1e-39))
    x[17] = np.exp2(random.integers(-6, 6, columns)) * random.choice([1, -1], columns)
    x[18] = np.nextafter(np.exp2(random.integers(-3, 4, columns)), 0).astype(np.float32)
    x[19] = random.choice(
        [-0.24999999, -0.49999997, 0.49999997, 0.99999994, -0.99999994, 1], columns
    )
    x[20] = np.where(np.arange(columns) % 16 < 8, 0, x[20])
    x[21] = np.where(np.arange(columns) % 4 < 2, x[21], x[21] * np.float32(2.0**-9))
    x[22] = np.where(np.arange(columns) == 0, np.float32(1), x[22] * np.float32(1e-40))
    return x


BFP, MX = "BFPQuantizeDequantize", "MXQuantizeDequantize"


def cases():
    """(operator, input, attributes)"""
    for rounding in range(3):
        for width in (10, 13, 16, 24, 32):
            yield BFP, "x", {"bit_width": width, "rounding_mode": rounding}
        for width in (11, 13, 16, 32):
            yield (
                BFP,
                "x",
                {
                    "bfp_method": "to_bfp_prime",
                    "bit_width": width,
                    "block_size": 16,
                    "rounding_mode": rounding,
                },
            )
        yield BFP, "x", {"use_compiler_version_cpu_kernel": 1, "rounding_mode": rounding}
        yield MX, "x", {"element_dtype": "int8", "rounding_mode": rounding}
    yield BFP, "x", {}
    yield MX, "x", {}
    for size, sub, bits in ((16, 4, 2), (8, 8, 1), (8, 1, 3), (16, 2, 0), (12, 3, 9)):
        yield (
            BFP,
            "x",
            {
                "bfp_method": "to_bfp_prime",
                "bit_width": 13,
                "block_size": size,
                "sub_block_size": sub,
                "sub_block_shift_bits": bits,
                "rounding_mode": 2,
            },
        )
    for method in ("to_bfp", "to_bfp_prime"):
        yield (
            BFP,
            "x",
            {"bfp_method": method, "convert_to_bfloat_before_bfp": 1, "rounding_mode": 2},
        )
    for element in ("fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1"):
        for block in (32, 5):
            yield MX, "x", {"element_dtype": element, "block_size": block, "rounding_mode": 2}
    for operator in (BFP, MX):
        for axis in (0, 1, -1, -2):
            yield operator, "x", {"axis": axis, "block_size": 10}
        for axis in (1, -3):
            yield operator, "cube", {"axis": axis, "block_size": 4, "rounding_mode": 1}
        for name in ("half", "row", "one", "ones"):
            yield operator, name, {"block_size": 8}
    yield MX, "half", {"element_dtype": "fp8_e4m3"}
    yield BFP, "half", {"bfp_method": "to_bfp_prime", "bit_width": 11, "block_size": 16}
    yield BFP, "one", {"convert_to_bfloat_before_bfp": 1}


def run(operator, x, attributes):
    node = helper.make_node(operator, ["x"], ["y"], domain="com.amd.quark", **attributes)
    info = helper.make_tensor_value_info
    element = TYPES[x.dtype.name]
    graph = helper.make_graph(
        [node], "one", [info("x", element, x.shape)], [info("y", element, x.shape)]
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.amd.quark", 1)]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.register_custom_ops_library(get_library_path("CPU"))
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    # The operator rounds its input to bf16 in place.
    return session.run(None, {"x": x.copy()})[0]


def main():
    x = rows(37)
    with np.errstate(all="ignore"):
        arrays = {
            "x": x, "cube": x[:18].reshape(3, 6, 37).copy(), "half": x.astype(np.float16), "row": x[3],
            "one": np.array(1.2345678, np.float32), "ones": np.array([[-1.2345678]], np.float32),
        }  # fmt: skip
    recorded = []
    for index, (operator, name, attributes) in enumerate(cases()):
        arrays[f"y{index}"] = run(operator, arrays[name], attributes)
        recorded.append(
            {"operator": operator, "input": name, "result": f"y{index}", "attributes": attributes}
        )
    OUTPUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUTPUT / "blocks.npz", **arrays)
    versions = {name: metadata.version(name) for name in ("amd-quark", "onnxruntime")}
    text = json.dumps(
        {"script": "tools/record-vectors/quark_blocks.py", "versions": versions, "cases": recorded},
        indent=1,
    )
    (OUTPUT / "blocks.json").write_text(text + "\n")
    print(f"{len(recorded)} cases")


if __name__ == "__main__":
    main()
