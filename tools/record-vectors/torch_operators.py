# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records PyTorch's quantized_decomposed and torchao's affine operators on CPU: test/python/data/torch.

pip install torch==2.13.0 torchao==0.18.0 numpy
python tools/record-vectors/torch_operators.py
"""

import json
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import torch

warnings.filterwarnings("ignore")
import torch.ao.quantization.fx._decomposed  # noqa: E402, F401 (registers the operators)
import torchao.quantization.quant_primitives  # noqa: E402, F401

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "torch"
DECOMPOSED, AO = torch.ops.quantized_decomposed, torch.ops.torchao
#: c10::ScalarType, as torch-mlir writes dtypes.
NUMBERS = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.float16: 5, torch.float32: 6, torch.float64: 7,
    torch.bfloat16: 15, torch.uint16: 27, torch.uint4: 33, torch.int64: 4,
}  # fmt: skip
ELEMENTS = {
    torch.uint8: "ui8", torch.int8: "si8", torch.int16: "si16", torch.int32: "si32", torch.int64: "si64",
    torch.float16: "f16", torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.uint16: "ui16",
}  # fmt: skip
RANGES = {torch.uint8: (0, 255), torch.int8: (-128, 127), torch.int16: (-32768, 32767)}


def reals(shape, dtype=torch.float32, scale=0.1, seed=0, special=True):
    """Ties, values of the whole range and beyond, NaN, infinities, zeros of both signs."""
    random = np.random.default_rng(seed)
    k = random.integers(-140, 140, shape)
    x = random.choice(
        [k + 0.5, k, k + random.uniform(-0.5, 0.5, shape), (k + 0.5) * (1 + 2e-7)], axis=0
    )
    x = np.where(random.random(shape) < 0.4, x, (k + 0.5) * (1 - 1e-7)) * scale
    if special:
        flat = x.reshape(-1)
        flat[:7] = [np.nan, np.inf, -np.inf, -0.0, 0.0, 3e38, -3e38]
    return torch.tensor(x).to(dtype)


def codes(shape, dtype, seed=0):
    low, high = RANGES[dtype]
    return torch.tensor(np.random.default_rng(seed).integers(low, high, shape, endpoint=True)).to(
        dtype
    )


def scales(shape, dtype=torch.float32, seed=0):
    values = np.random.default_rng(seed).choice(
        [0.1, 0.3, 1 / 3, 0.007874016, 0.5, 3.0, 0.021], shape
    )
    return torch.tensor(values).to(dtype)


def zeros(shape, codes_type, dtype=torch.int64, seed=0):
    low, high = RANGES[codes_type]
    return torch.tensor(np.random.default_rng(seed).integers(low, high, shape, endpoint=True)).to(
        dtype
    )


def per_tensor():
    for index, (dtype, (low, high)) in enumerate(RANGES.items()):
        for scale in (
            0.1,
            float(np.float32(0.1)),
            1 / 3,
            0.5,
            float(np.float32(0.007874016)),
            0.0219,
        ):
            zero = (low + high) // 2 + 3
            for real in (torch.float32, torch.float16, torch.bfloat16):
                x = reals((64,), real, scale, index)
                yield "quantize_per_tensor", [x, scale, zero, low, high, dtype], {}
            yield (
                "quantize_per_tensor",
                [reals((64,), scale=scale), scale, 1, low + (low < 0), high - 2, dtype],
                {},
            )
            q = codes((64,), dtype)
            for out in (None, torch.float32, torch.float16, torch.bfloat16, torch.float64):
                named = {} if out is None else {"out_dtype": out}
                yield "dequantize_per_tensor", [q, scale, zero, low, high, dtype], named
    for real in (torch.float32, torch.float64):
        scale, zero = torch.tensor([0.3], dtype=real), torch.tensor([-5])
        x, q = reals((5, 8), scale=0.3), codes((5, 8), torch.int8)
        yield "quantize_per_tensor.tensor", [x, scale, zero, -128, 127, torch.int8], {}
        yield (
            "dequantize_per_tensor.tensor",
            [q, scale, zero, -128, 127, torch.int8],
            {"out_dtype": torch.float16},
        )
    scale, zero = torch.tensor(0.3), torch.tensor(-5, dtype=torch.int32)
    low, high = torch.tensor(-128), torch.tensor(127)
    yield "quantize_per_tensor.tensor2", [x, scale, zero, low, high, torch.int8], {}
    yield "dequantize_per_tensor.tensor2", [q, scale, zero, low, high, torch.int8], {}


def per_channel():
    for dtype, (low, high) in RANGES.items():
        for axis in (0, 1, 2, -1):
            shape = (3, 4, 5)
            for real in (torch.float32, torch.float64):
                s, z = scales(shape[axis], real), zeros(shape[axis], dtype)
                yield (
                    "quantize_per_channel",
                    [reals(shape, scale=0.2), s, z, axis, low, high, dtype],
                    {},
                )
                yield (
                    "dequantize_per_channel",
                    [codes(shape, dtype), s, z, axis, low, high, dtype],
                    {},
                )
    s, z = scales(4), zeros(4, torch.int8, torch.int32)
    q = codes((3, 4), torch.int8)
    for out in (torch.float16, torch.bfloat16, torch.float64):
        yield "dequantize_per_channel", [q, s, z, 1, -128, 127, torch.int8], {"out_dtype": out}
    yield "dequantize_per_channel", [q, s, None, 1, -128, 127, torch.int8], {}
    yield (
        "dequantize_per_channel",
        [q, s, torch.tensor([0.5, -3, 7.25, 0]), 1, -128, 127, torch.int8],
        {},
    )
    yield "quantize_per_channel", [reals((3, 4), torch.float16), s, z, 1, -127, 127, torch.int8], {}


def per_token():
    for real, scale, zero in (
        (torch.float32, torch.float32, torch.int64), (torch.float32, torch.float64, torch.int64),
        (torch.float32, torch.float32, torch.float32), (torch.float16, torch.float32, torch.int32),
        (torch.bfloat16, torch.bfloat16, torch.int64),
    ):  # fmt: skip
        for shape in ((6, 16), (2, 3, 16)):
            s, z = scales((*shape[:-1], 1), scale), zeros((*shape[:-1], 1), torch.int8, zero)
            yield "quantize_per_token", [reals(shape, real, 0.2), s, z, -128, 127, torch.int8], {}
            out = torch.bfloat16 if scale == torch.bfloat16 else torch.float32
            yield (
                "dequantize_per_token",
                [codes(shape, torch.int8), s, z, -128, 127, torch.int8, out],
                {},
            )
    for real in (torch.float32, torch.float16):
        s, z = scales((6, 4)), zeros((6, 4), torch.int8, torch.int32)
        x = reals((6, 32), real, 0.2, special=False)
        yield "quantize_per_channel_group", [x, s, z, -8, 7, torch.int8, 8], {}
        q = codes((6, 32), torch.int8)
        yield "dequantize_per_channel_group", [q, s, z, -8, 7, torch.int8, 8, real], {}
        yield "dequantize_per_channel_group", [q, s, None, -8, 7, torch.int8, 8, real], {}
    s, z = scales((6, 1)), zeros((6, 1), torch.int8, torch.int32)
    yield "quantize_per_channel_group", [x.float(), s, z, -8, 7, torch.int8, 128], {}
    for source in (torch.float32, torch.float16, torch.bfloat16):
        for target in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
            yield "convert_element_type.no_fuse", [reals((24,), source), target], {}


def affine():
    placements = [
        ((4, 6), (4, 6), ()), ((4, 6), (1, 6), (4,)), ((4, 6), (1, 6), (4, 1)), ((4, 6), (4, 1), (6,)),
        ((4, 6), (1, 3), (4, 2)), ((4, 6), (2, 3), (2, 2)), ((2, 3, 8), (1, 1, 8), (2, 3)), ((2, 3, 8), (1, 3, 4), (2, 2)),
        ((6,), (6,), ()), ((6,), (1,), (6,)), ((1, 8), (1, 8), (1,)), ((1, 8), (1, 4), (1, 2)),
    ]  # fmt: skip
    for shape, block, parameters in placements:
        for dtype in (torch.int8, torch.uint8):
            s, z = scales(parameters), zeros(parameters, dtype, torch.int32)
            low, high = RANGES[dtype]
            special = np.prod(shape) > 7
            yield (
                AO.quantize_affine,
                [reals(shape, scale=0.2, special=special), list(block), s, z, dtype, low, high],
                {},
            )
            yield (
                AO.dequantize_affine,
                [codes(shape, dtype), list(block), s, z, dtype, low, high],
                {},
            )
    shape, block = (4, 6), [1, 3]
    for real in (torch.float32, torch.float16, torch.bfloat16):
        for scale in (real, torch.float32):
            s, z = scales((4, 2), scale), zeros((4, 2), torch.int8, torch.int8)
            yield AO.quantize_affine, [reals(shape, real, 0.2), block, s, z, torch.int8], {}
            yield (
                AO.dequantize_affine,
                [codes(shape, torch.int8), block, s, z, torch.int8, None, None, real],
                {},
            )
            yield (
                AO.dequantize_affine,
                [codes(shape, torch.int8), block, s, None, torch.int8, None, None, real],
                {},
            )
    s, z = scales((4, 2)), zeros((4, 2), torch.uint8, torch.int64) % 16
    yield AO.quantize_affine, [reals(shape, scale=0.2), block, s, z, torch.uint4, 0, 15], {}
    yield AO.quantize_affine, [reals(shape, scale=0.2), block, s, z, torch.uint8, 0.0, 15.0], {}


def ranges(shape, seed):
    """Rows of one sign, of both, of zeros, of small and of large numbers."""
    random = np.random.default_rng(seed)
    x = random.normal(size=shape) * np.exp2(random.integers(-20, 20, (*shape[:-1], 1)))
    flat = x.reshape(-1, shape[-1])
    flat[0] = abs(flat[0])
    if len(flat) > 3:
        flat[1], flat[2], flat[3] = -abs(flat[1]), 0, flat[3] * 1e-30
    return torch.tensor(x).float()


def parameters():
    for seed in range(8):
        for dtype, (low, high) in RANGES.items():
            x = ranges((5, 7), seed) if seed % 2 else ranges((9,), seed)
            for name in ("choose_qparams.tensor", "choose_qparams_symmetric.tensor"):
                yield name, [x, low, high, 1e-5 if seed == 3 else 1.1920929e-07, dtype], {}
    yield "choose_qparams.tensor", [ranges((5, 7), 9), -127, 127, 1e-9, torch.int8], {}
    for shape in ((8, 16), (2, 5, 16), (16,)):
        yield "choose_qparams_per_token", [ranges(shape, 3), torch.int8], {}
        yield "choose_qparams_per_token_asymmetric", [ranges(shape, 4), torch.int8], {}
    x = ranges((6, 8), 5)
    for mapping in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
        for block in ([1, 8], [6, 8], [1, 4], [2, 8], [6, 1]):
            for keep in (False, True):
                yield (
                    AO.choose_qparams_affine,
                    [x, mapping, block, torch.int8, -8, 7, 1e-6, torch.float32, torch.int32, keep],
                    {},
                )
        yield (
            AO.choose_qparams_affine,
            [x, mapping, [1, 8], torch.int8, None, None, None, None, None, False],
            {},
        )
        yield (
            AO.choose_qparams_affine,
            [x, mapping, [1, 8], torch.int8, None, None, None, torch.bfloat16, torch.int64, False],
            {},
        )
    yield (
        AO.choose_qparams_affine,
        [x, "ASYMMETRIC", [1, 8], torch.uint8, 0, 255, 1e-6, torch.float64, torch.uint8, False],
        {},
    )


def find(name):
    if not isinstance(name, str):
        return name.default, f"torchao.{name._qualified_op_name.split('::')[1]}"
    base, _, overload = name.partition(".")
    return getattr(getattr(DECOMPOSED, base), overload or "default"), f"quantized_decomposed.{name}"


def main():
    arrays, cases = {}, []

    def store(tensor) -> dict:
        key = f"a{len(arrays)}"
        array = (
            tensor.view(torch.int16).numpy().view(np.uint16)
            if tensor.dtype == torch.bfloat16
            else tensor.numpy()
        )
        arrays[key] = array
        return {"tensor": key, "element": ELEMENTS[tensor.dtype]}

    def spell(value) -> dict:
        if isinstance(value, torch.Tensor):
            return store(value)
        if isinstance(value, torch.dtype):
            return {"int": NUMBERS[value]}
        if isinstance(value, bool):
            return {"bool": value}
        if isinstance(value, str):
            return {"str": value}
        if isinstance(value, list):
            return {"ints": value}
        if value is None:
            return {"none": True}
        return {"float" if isinstance(value, float) else "int": value}

    for operands, named, operator in (
        (operands, named, name) for make in (per_tensor, per_channel, per_token, affine, parameters) for name, operands, named in make()
    ):  # fmt: skip
        function, name = find(operator)
        result = function(*operands, **named)
        spelled = [spell(value) for value in (*operands, *named.values())]
        if (
            name.startswith("quantized_decomposed.dequantize_per_")
            and name.split(".")[1] in ("dequantize_per_tensor", "dequantize_per_channel")
            and not named
        ):
            spelled.append({"none": True})
        cases.append(
            {
                "operator": name,
                "operands": spelled,
                "results": [store(r) for r in (result if isinstance(result, tuple) else [result])],
            }
        )
    OUTPUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUTPUT / "operators.npz", **arrays)
    versions = {name: metadata.version(name) for name in ("torch", "torchao")}
    record = {
        "script": "tools/record-vectors/torch_operators.py",
        "versions": versions,
        "cases": cases,
    }
    (OUTPUT / "operators.json").write_text(json.dumps(record) + "\n")
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
