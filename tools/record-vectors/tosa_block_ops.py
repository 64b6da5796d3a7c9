# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records TOSA's operators on blocks that MLIR 23 adds: test/python/data/tosa/block_ops.npz.

pip install tosa-tools==2026.8.0
python tools/record-vectors/tosa_block_ops.py

The reals `x`, `w` and `bias` become blocks of each format. By name, as f32: `FORMAT.conv`,
`FORMAT.reshape` and `FORMAT.gather` of the rows `indices`, two for each.
"""

import numpy as np
from tosa_blocks import BLOCK, FORMATS, OUTPUT, DType, Op, from_blocks, run, to_blocks

PAD, STRIDE, DILATION = [1, 0, 2, 1], [3, 1], [1, 2]


def main() -> None:
    random = np.random.default_rng(2)
    choose = np.array([0, 0.5, -1, 1.5, 2, -3], np.float32)  # codes of all formats; exact sums
    recorded = {
        "x": random.choice(choose, (2, 5, 4, 2 * BLOCK)),
        "w": random.choice(choose, (3, 3, 2, 2 * BLOCK)),
        "bias": random.choice(choose, 3),
        "rows": random.choice(choose, (2, 7, 2 * BLOCK)),
        "indices": random.integers(0, 6, (2, 4)).astype(np.int32),
    }
    x, w, bias, rows, indices = recorded.values()
    for name, storage in FORMATS.items():

        def convolve(add, inputs, storage=storage):
            operands = [*to_blocks(add, inputs[0], storage), *to_blocks(add, inputs[1], storage)]
            operands += [inputs[2], PAD, STRIDE, DILATION]
            result = [((2, 2, 5, 3), DType.FP32)]
            return add(Op.CONV2D_BLOCK_SCALED, operands, result, "Conv2dBlockScaledAttribute")

        def move(add, inputs, op, operands, shape, attribute, storage=storage):
            blocks = to_blocks(add, inputs[0], storage)
            scales = (*shape[:-1], shape[-1] // BLOCK)
            results = [(shape, storage), (scales, DType.FP8UE8M0)]
            return [from_blocks(add, *add(op, [*blocks, *operands], results, attribute))]

        def reshape(add, inputs, move=move):
            shape = (4, 5, BLOCK * 4)
            operation = Op.RESHAPE_BLOCK_SCALED, [list(shape)]
            return move(add, inputs, *operation, shape, "ReshapeBlockScaledAttribute")

        def gather(add, inputs, move=move):
            operation = Op.ROW_GATHER_BLOCK_SCALED, [inputs[1], np.array([2], np.int32)]
            shape = (2, 8, 2 * BLOCK)
            return move(add, inputs, *operation, shape, "RowGatherBlockScaledAttribute")

        reals = [(value.shape, DType.FP32, value) for value in (x, w, bias, rows)]
        places = (indices.shape, DType.INT32, indices)
        (recorded[f"{name}.conv"],) = run(reals[:3], convolve)
        (recorded[f"{name}.reshape"],) = run(reals[:1], reshape)
        (recorded[f"{name}.gather"],) = run([reals[3], places], gather)
    output = OUTPUT.with_name("block_ops.npz")
    np.savez_compressed(output, **recorded)
    print(output, output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
