# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records TOSA's block formats by its reference model: test/python/data/tosa/blocks.npz.

pip install tosa-tools==2026.8.0
python tools/record-vectors/tosa_blocks.py

Arrays by name, for each format and input type: `FORMAT.TYPE.scale`, of each block, and
`FORMAT.TYPE.value`, what the codes stand for, both as f32 of a cast back (the model's Python API
hands out no codes of less than 8 bits); `x` is the input. Products: `a`, `a.scale`, `b`, `b.scale` as
f32, of which the model made codes, and `FORMAT.product`.
"""

import warnings
from pathlib import Path

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore", DeprecationWarning)
import tosa_reference_model  # noqa: E402
from serializer.tosa_serializer import TosaSerializer, TosaSerializerAttribute  # noqa: E402
from tosa.BlockSize import BlockSize  # noqa: E402
from tosa.DType import DType  # noqa: E402
from tosa.Op import Op  # noqa: E402

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "tosa" / "blocks.npz"
FORMATS = {
    "f8E4M3FN": DType.FP8E4M3, "f8E5M2": DType.FP8E5M2, "f6E2M3FN": DType.FP6E2M3,
    "f6E3M2FN": DType.FP6E3M2, "f4E2M1FN": DType.FP4E2M1,
}  # fmt: skip
BLOCK = 32
#: 1.0 of FP8E4M3.
ONE = 0x38


def rows() -> np.ndarray:
    """One difficulty a row of two blocks."""
    random = np.random.default_rng(0)
    x = random.normal(size=(32, 2 * BLOCK)).astype(np.float32)
    x[0] *= np.float32(2.0**100)
    x[1] *= np.float32(2.0**-100)
    x[2] *= np.exp2(random.integers(-30, 30, 2 * BLOCK))
    x[3] = (random.integers(-130, 130, 2 * BLOCK) + 0.5) / 64  # ties
    x[4] = (random.integers(-9, 9, 2 * BLOCK) + 0.5) / 4
    x[5], x[6] = 0, -0.0
    x[7] = random.integers(-(2**23), 2**23, 2 * BLOCK) * 1.4e-45  # subnormal
    x[8] = random.integers(-64, 64, 2 * BLOCK) * 1.4e-45
    x[9] = random.choice([3.4028235e38, -3.4028235e38, 3.3895314e38, 1.7e38, 2.0**127], 2 * BLOCK)
    x[10, 3] = np.nan
    x[11, 4] = np.inf
    x[12, 40] = -np.inf
    x[13, ::5] = np.nan
    # The largest value of a block beside each threshold of a scale.
    row = 14
    for threshold in (1.5, 1.75, 1.8125, 1.875, 1.9375, 2):
        for direction in (0, threshold, 4):
            x[row] *= 0.1
            x[row, 7] = -np.nextafter(np.float32(threshold), np.float32(direction))
            x[row, 50] = np.float32(2.0**-126) * x[row, 7]
            row += 1
    assert row == len(x)
    return x


def as_operand(serializer, operand):
    """A tensor; a constant for a list, which is a shape, and for an array of i32."""
    if isinstance(operand, list):
        return serializer.addConst([len(operand)], DType.SHAPE, operand)
    if isinstance(operand, np.ndarray):
        return serializer.addConst(operand.shape, DType.INT32, operand)
    return operand


def run(inputs, build) -> list[np.ndarray]:
    """The f32 outputs of a graph: `build(add, placeholders)` adds its operators."""
    serializer = TosaSerializer("")
    placeholders = [serializer.addPlaceholder(shape, dtype, None) for shape, dtype, _ in inputs]
    block = serializer.currRegion.currBasicBlock

    def add(op, operands, results, attribute):
        attributes = TosaSerializerAttribute()
        getattr(attributes, attribute)(BlockSize.BLOCK_SIZE_32)
        made = [
            (serializer.addOutput if dtype == DType.FP32 else serializer.addIntermediate)(
                shape, dtype
            )
            for shape, dtype in results
        ]
        operands = [as_operand(serializer, operand) for operand in operands]
        block.addOperator(op, [o.name for o in operands], [m.name for m in made], attributes)
        return made

    shapes = [result.shape for result in build(add, placeholders)]
    bits, status = tosa_reference_model.run(bytes(serializer.serialize()), [i[2] for i in inputs])
    assert status.name == "TOSA_VALID", status
    return [np.frombuffer(b.tobytes(), np.float32).reshape(s) for b, s in zip(bits, shapes)]


def to_blocks(add, x, storage):
    scales = (*x.shape[:-1], x.shape[-1] // BLOCK)
    return add(
        Op.CAST_TO_BLOCK_SCALED,
        [x],
        [(x.shape, storage), (scales, DType.FP8UE8M0)],
        "CastToBlockScaledAttribute",
    )


def from_blocks(add, data, scale):
    operation = Op.CAST_FROM_BLOCK_SCALED, [data, scale], [(data.shape, DType.FP32)]
    return add(*operation, "CastFromBlockScaledAttribute")[0]


def main() -> None:
    x = rows()
    random = np.random.default_rng(1)
    # Codes that all formats have, and scales of which sums stay exact.
    a = random.choice([0, 0.5, -1, 1.5, 2, -3], (3, 5, 2 * BLOCK)).astype(np.float32)
    b = random.choice([0, 0.5, -1, 1.5, 2, -3], (3, 4, 2 * BLOCK)).astype(np.float32)
    recorded = {"x": x, "a": a, "b": b}
    ones = np.full(x.shape, ONE, np.uint8).view("V1")
    types = {"f32": (DType.FP32, x), "bf16": (DType.BF16, x.astype(ml_dtypes.bfloat16).view("V2"))}
    for name, storage in FORMATS.items():
        for spelled, (dtype, values) in types.items():

            def cast(add, inputs, storage=storage):
                data, scale = to_blocks(add, inputs[0], storage)
                return [from_blocks(add, inputs[1], scale), from_blocks(add, data, scale)]

            inputs = [(x.shape, dtype, values), (x.shape, DType.FP8E4M3, ones)]
            scale, value = run(inputs, cast)
            recorded[f"{name}.{spelled}.scale"] = scale[:, ::BLOCK]
            recorded[f"{name}.{spelled}.value"] = value

        for count in (3, 1):

            def multiply(add, inputs, storage=storage):
                operands = [
                    *to_blocks(add, inputs[0], storage),
                    *to_blocks(add, inputs[1], storage),
                ]
                shape = (*inputs[0].shape[:2], inputs[1].shape[1])
                return add(
                    Op.MATMUL_T_BLOCK_SCALED,
                    operands,
                    [(shape, DType.FP32)],
                    "MatMulTBlockScaledAttribute",
                )

            inputs = [(v.shape, DType.FP32, v) for v in (a, b[:count])]
            recorded[f"{name}.product{count}"] = run(inputs, multiply)[0]
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUTPUT, **recorded)
    print(OUTPUT, OUTPUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
