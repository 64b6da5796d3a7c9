# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aten._scaled_mm, compiled, beside what PyTorch gave on CPU: tools/record-vectors/torch_scaled_mm.py."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from mlir_qdq import runtime

STORED = np.load(Path(__file__).parent / "data" / "torch" / "scaled_mm.npz")
CASES = sorted({key.rsplit(" ", 1)[0] for key in STORED}, key=lambda name: int(name.split()[0]))
TYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
}  # fmt: skip
NUMBERS = {"f16": 5, "f32": 6, "bf16": 15}


def parts(name: str) -> dict:
    """The operands and the result, by name, as (element type, array)."""
    _, lhs, rhs, result, bias = name.split()
    elements = {"a": lhs, "b": rhs, "sa": "f32", "sb": "f32", "bias": bias, "out": result}
    return {
        part: (element, STORED[f"{name} {part}"].view(TYPES[element]))
        for part, element in elements.items()
        if f"{name} {part}" in STORED
    }


def function(of: dict, name: str, is_open: bool) -> str:
    def type_of(part: str) -> str:
        element, array = of[part]
        sizes = ["?" if is_open and part in ("a", "bias", "out") else s for s in array.shape]
        return f"!torch.vtensor<[{','.join(map(str, sizes))}],{element}>"

    arguments = ", ".join(f"%{part}: {type_of(part)}" for part in of if part != "out")
    bias, bias_type = ("%bias", type_of("bias")) if "bias" in of else ("%none", "!torch.none")
    types = ", ".join(type_of(part) for part in ("a", "b", "sa", "sb"))
    return f"""
    func.func @{name}({arguments}) -> {type_of("out")} {{
      %none = "torch.constant.none"() : () -> !torch.none
      %dtype = "torch.constant.int"() <{{value = {NUMBERS[of["out"][0]]} : i64}}> : () -> !torch.int
      %false = "torch.constant.bool"() <{{value = false}}> : () -> !torch.bool
      %y = "torch.operator"(%a, %b, %sa, %sb, {bias}, %none, %dtype, %false) <{{name = "torch.aten._scaled_mm"}}>
        : ({types}, {bias_type}, !torch.none, !torch.int, !torch.bool) -> {type_of("out")}
      return %y : {type_of("out")}
    }}"""


@pytest.mark.parametrize("is_open", [False, True])
def test_bits(is_open):
    every = [parts(name) for name in CASES]
    # Scales of rows need as many as there are.
    every = [of for of in every if not (is_open and of["sa"][1].ndim)]
    compiled = runtime.compile(
        "".join(function(of, f"f{i}", is_open) for i, of in enumerate(every))
    )
    for i, of in enumerate(every):
        expected = of.pop("out")[1]
        got = np.asarray(compiled[f"f{i}"](*(array for _, array in of.values())))
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        same = got.view(f"u{got.itemsize}") == expected.view(f"u{got.itemsize}")
        # Sums begin with +0 here.
        same |= (np.isnan(got) & np.isnan(expected)) | ((got == 0) & (expected == 0))
        assert same.all(), (of, got[~same][:3], expected[~same][:3])
