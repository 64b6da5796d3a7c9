# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records QONNX's operators, by its own executor: test/python/data/qonnx.

pip install qonnx==1.0.0
python tools/record-vectors/qonnx_operators.py
"""

import json
from importlib import metadata
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "qonnx"
DOMAIN = "qonnx.custom_op.general"
#: The version of the domain that has this form of Trunc.
TRUNC_VERSIONS = {5: 1, 6: 2}
MODES = ("ROUND", "HALF_EVEN", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN")
#: Toward zero, which no rounding of qdq has for signed codes.
UNSIGNED_ONLY = "HALF_DOWN"
SHAPE = (4, 6, 10)


def values() -> np.ndarray:
    """Ties and their neighbors in units of 1/2 and 1/4, infinities, and numbers beyond every code."""
    random = np.random.default_rng(0)
    x = random.normal(size=SHAPE).astype(np.float32)
    x[0] *= 20
    x[1] = (random.integers(-20, 20, SHAPE[1:]) + 0.5) / 2
    x[2, :3] = random.choice([-0.0, 0.0, 1.25, -1.25, 2.5, -2.5, 0.75, -0.75, 1e-40], (3, 10))
    near = np.nextafter(x[1, 3:], random.choice([-np.inf, np.inf], (3, 10)).astype(np.float32))
    x[2, 3:] = near
    x[3] *= np.exp2(random.integers(-20, 60, SHAPE[1:]))
    x[3, 0, :2] = np.inf, -np.inf
    return x


def parameters(random) -> dict[str, np.ndarray]:
    def scale(*shape):
        return np.asarray(random.uniform(0.05, 0.6, shape)).astype(np.float32)

    def zero(low, high, *shape):
        return np.asarray(random.integers(low, high, shape)).astype(np.float32)

    return {
        "half": np.array(0.5, np.float32), "quarter": np.array([0.25], np.float32),
        "negative": np.array(-0.3, np.float32), "ones": np.full((1, 1, 1), 0.7, np.float32),
        "last": scale(10), "middle": scale(1, 6, 1), "matrix": scale(6, 1), "two": scale(4, 1, 10),
        "full": scale(*SHAPE), "zero": np.array(0, np.float32), "three": np.array([3], np.float32),
        "part": np.array(1.25, np.float32), "below": np.array(-9, np.float32),
        "codes": zero(0, 7, 10), "zeros": np.zeros((6, 1), np.float32),
        "some": zero(-4, 4, 4, 1, 10),
    }  # fmt: skip


def quant_cases():
    """(operator, operands, attributes)"""
    for is_signed in (1, 0):
        for narrow in (0, 1):
            ranges = {"signed": is_signed, "narrow": narrow}
            for width in (2, 3, 4, 8, 16):
                yield "Quant", ("x", "half", "zero", width), ranges
            for mode in MODES:
                if mode != UNSIGNED_ONLY or not is_signed:
                    yield "Quant", ("x", "half", "zero", 5), ranges | {"rounding_mode": mode}
                    yield (
                        "IntQuant",
                        ("x", "quarter", "three", 4),
                        ranges | {"rounding_mode": mode.lower()},
                    )
        ranges = {"signed": is_signed, "narrow": 0}
        for width in (1, 7, 12, 24, 25, 31, 32):
            yield "Quant", ("x", "half", "zero", width), ranges
        for name in ("negative", "ones", "last", "middle", "matrix", "two", "full"):
            yield "Quant", ("x", name, "zero", 6), ranges
        for name in ("three", "part", "below", "codes", "zeros", "some"):
            yield "Quant", ("x", "half", name, 4), ranges
        for names in (("last", "codes"), ("last", "three"), ("matrix", "zeros"), ("two", "some")):
            yield "Quant", ("x", *names, 4), ranges
        yield "Quant", ("x", "half", "part", 32), ranges
    for name in ("half", "negative", "last", "middle", "two"):
        yield "BipolarQuant", ("x", name), {}
        yield "Quant", ("x", name, "zero", 1), {"signed": 1, "narrow": 1}


def trunc_cases():
    for mode in MODES:
        if mode != UNSIGNED_ONLY:
            yield "Trunc", ("y", "half", "zero", 8, 5), {"rounding_mode": mode}
        for is_signed in (1, 0):
            if mode == UNSIGNED_ONLY and is_signed:
                continue
            attributes = {"rounding_mode": mode, "signed": is_signed, "narrow": 0}
            yield "Trunc", ("y", "half", "zero", 8, ("half", 3), 4), attributes
    floor = {"rounding_mode": "FLOOR"}
    yield "Trunc", ("y", "quarter", "three", 6, 4), floor
    yield "Trunc", ("y", "quarter", "three", 4, 6), floor  # to the left
    yield "Trunc", ("y", "last", "codes", 6, 4), floor
    for narrow in (0, 1):
        attributes = {"rounding_mode": "ROUND", "signed": 1, "narrow": narrow}
        yield "Trunc", ("y", "half", "three", 8, ("half", 2), 6), attributes
        yield "Trunc", ("y", "half", "zero", 8, ("half", -2), 12), attributes
        yield "Trunc", ("y", "half", "zero", 8, ("half", 0), 4), attributes
        yield "Trunc", ("y", "last", "codes", 8, ("last", 2), 4), attributes
        yield "Trunc", ("y", "middle", "zero", 8, ("middle", 1), 4), attributes


def run(operator: str, operands: list[np.ndarray], attributes: dict) -> np.ndarray:
    names = [f"i{index}" for index in range(len(operands))]
    node = helper.make_node(operator, names, ["y"], domain=DOMAIN, **attributes)
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
        for name, array in zip(names, operands)
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, operands[0].shape)
    graph = helper.make_graph([node], "one", infos, [result])
    version = TRUNC_VERSIONS[len(operands)] if operator == "Trunc" else 1
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(DOMAIN, version)]
    model = ModelWrapper(helper.make_model(graph, opset_imports=opsets))
    with np.errstate(all="ignore"):
        return execute_onnx(model, dict(zip(names, operands)))["y"]


def main():
    x = values()
    named = parameters(np.random.default_rng(1))
    # Trunc reads numbers on the grid of its scale, or near it.
    random = np.random.default_rng(2)
    y = random.integers(-128, 128, SHAPE) * 0.5 + random.normal(size=SHAPE) * 0.03
    arrays = {"x": x, "y": y.astype(np.float32), **named}
    recorded = []
    for index, (operator, operands, attributes) in enumerate([*quant_cases(), *trunc_cases()]):
        names = []
        for position, operand in enumerate(operands):
            if isinstance(operand, tuple):  # a scale times a power of two
                name, power = operand
                operand = f"{name}*2^{power}"
                arrays[operand] = arrays[name] * np.float32(2.0**power)
            elif isinstance(operand, int):
                operand = f"{operand} bits"
                arrays[operand] = np.array(operands[position], np.float32)
            names.append(operand)
        got = run(operator, [arrays[name] for name in names], attributes)
        arrays[f"y{index}"] = np.asarray(got, np.float32)
        recorded.append(
            {
                "operator": operator,
                "operands": names,
                "result": f"y{index}",
                "attributes": attributes,
            }
        )
    OUTPUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUTPUT / "operators.npz", **arrays)
    content = {
        "script": "tools/record-vectors/qonnx_operators.py",
        "versions": {"qonnx": metadata.version("qonnx")},
        "cases": recorded,
    }
    (OUTPUT / "operators.json").write_text(json.dumps(content, indent=1) + "\n")
    print(f"{len(recorded)} cases")


if __name__ == "__main__":
    main()
