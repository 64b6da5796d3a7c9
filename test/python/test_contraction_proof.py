# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""contraction-proof: the same bits, also behind a compiler that rounds a product and a sum once (Q9.1).

LLVM does so where both carry `contract`, which other compilers (IREE) set on every operation. Here
the flag is set by hand, and the machine code is searched for fused instructions.
"""

import re

import ml_dtypes
import numpy as np
import pytest
from build_tree import run_tool
from kernels import same
from mlir_qdq import reference, runtime

#: Result of a dequantize, and something to add; by the storage type of the codes.
DEQUANTIZE_AND_ADD = """func.func @f(%q: tensor<64x{storage}>, %s: {scale}, %b: tensor<64xf32>) -> tensor<64xf32> {{
  {constant}
  %x = qdq.dequantize %q scale %{name} : (tensor<64x{storage}>, f32) -> tensor<64xf32>
  %y = arith.addf %x, %b : tensor<64xf32>
  return %y : tensor<64xf32>
}}"""
BIAS = """func.func @f(%q: tensor<64xi8>, %s: f32, %b: f32) -> tensor<64xf32> {
  %x = qdq.dequantize %q scale %s zero_point %b in <expressed> : (tensor<64xi8>, f32, f32) -> tensor<64xf32>
  return %x : tensor<64xf32>
}"""
RECIPROCAL = """func.func @f(%x: tensor<64xf32>, %s: f32, %z: i8) -> tensor<64xi8> {
  %q = qdq.quantize %x scale %s zero_point %z semantics <division = reciprocal, order = add-then-round> : (tensor<64xf32>, f32, i8) -> tensor<64xi8>
  return %q : tensor<64xi8>
}"""


def dequantize_and_add(storage, is_constant):
    return DEQUANTIZE_AND_ADD.format(
        storage=storage,
        scale="f32",
        constant="%c = arith.constant 0.1 : f32" if is_constant else "",
        name="c" if is_constant else "s",
    )


PROGRAMS = {
    **{
        f"{storage} {'constant' if is_constant else 'dynamic'}": dequantize_and_add(storage, is_constant)
        for storage in ("i8", "ui8", "f8E4M3FN", "f16")
        for is_constant in (False, True)
    },
    "bias": BIAS,
    "reciprocal": RECIPROCAL,
}  # fmt: skip


def count_fused(text, tmp_path, cpu, *, proof):
    """Fused instructions in what LLVM makes of it with `contract` on every operation."""
    source, module, ir, code = (tmp_path / f"f.{end}" for end in ("mlir", "llvm.mlir", "ll", "s"))
    source.write_text(text)
    flag = "contraction-proof" if proof else ""
    run_tool("quant-opt", source, f"--quant-to-llvm={flag}", "-o", module)
    flagged, count = re.subn(
        r"(llvm\.(?:fmul|fadd|fsub) [^:{\n]*) :",
        r"\1 {fastmathFlags = #llvm.fastmath<contract>} :",
        module.read_text(),
    )
    assert count
    module.write_text(flagged)
    run_tool("mlir-translate", "--mlir-to-llvmir", module, "-o", ir)
    run_tool("opt", "-O3", "-S", f"-mcpu={cpu}", "-mtriple=x86_64-linux-gnu", ir, "-o", ir)
    run_tool("llc", "-O3", f"-mcpu={cpu}", "-mtriple=x86_64-linux-gnu", ir, "-o", code)
    return len(re.findall(r"\bvfn?m(?:add|sub)", code.read_text()))


@pytest.mark.every_value
@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_survives(program, cpu, tmp_path):
    text = PROGRAMS[program]
    assert count_fused(text, tmp_path, cpu, proof=False), "nothing to prove"
    assert not count_fused(text, tmp_path, cpu, proof=True)


SCALES = np.array(
    [0.1, -0.1, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -3e38, 2.0**-126], np.float32
)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("storage", ["i8", "ui8", "f8E4M3FN"])
def test_same_product(storage, scale):
    dtype = {"i8": np.int8, "ui8": np.uint8, "f8E4M3FN": ml_dtypes.float8_e4m3fn}[storage]
    codes = np.arange(256, dtype=np.uint8).view(dtype)
    text = f"""func.func @f(%q: tensor<256x{storage}>, %s: f32) -> tensor<256xf32> {{
      %x = qdq.dequantize %q scale %s : (tensor<256x{storage}>, f32) -> tensor<256xf32>
      return %x : tensor<256xf32>
    }}"""
    found = runtime.compile(text, contraction_proof=True)["f"](codes, scale)
    expected = reference.dequantize(codes, scale, storage=storage)
    assert same(found, expected).all()


@pytest.mark.parametrize("scale", SCALES)
def test_same_codes(scale):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, 0.05, -12.75], np.float32)
    x = np.concatenate([x, np.random.default_rng(0).normal(0, 10, 54).astype(np.float32)])
    z = np.int8(-7)
    found = runtime.compile(RECIPROCAL, contraction_proof=True)["f"](x, scale, z)
    fields = {"division": "reciprocal", "order": "add-then-round"}
    expected = reference.quantize(x, scale, z, storage="i8", semantics=fields)
    assert same(found, expected).all()
