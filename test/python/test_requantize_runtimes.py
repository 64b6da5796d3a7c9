# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requantize against what runtimes made of accumulators and scales (tools/record-vectors/requantize_*.py), and
against upstream's tosa.rescale, compiled."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from mlir.ir import Context, Module
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq import reference, runtime
from mlir_qdq._mlir_libs._qdq import evaluator
from requantize_ops import accumulators

FOLDER = Path(__file__).resolve().parents[1] / "conformance" / "requantize"
CASES = [
    pytest.param(case, path.stem, id=f"{path.stem}-{case['name']}")
    for path in sorted(FOLDER.glob("*.json"))
    for case in json.loads(path.read_text())["cases"]
]
PROFILE_FIELDS = {
    "onnx": {"order": "add-then-round"},  # QLinearConv adds its zero point first
    "ort": {},
    "tflite": {},
    "xnnpack": {},
}


def quantize_multiplier(rescale: str, M: float) -> tuple[int, int]:
    """TFLite's QuantizeMultiplier, with the shift to the right that the op has."""
    q, e = math.frexp(M)
    m = math.floor(Fraction(q) * 2**31 + Fraction(1, 2))
    if m == 2**31:
        m, e = m // 2, e + 1
    if e < -31:
        m, e = 0, 0
    if rescale == "fixed15":
        return (m + 2**15 >> 16 if m < 0x7FFF0000 else 0x7FFF), 15 - e
    return m, 31 - e


def codes_of(rescale, acc, sa, sb, sy, z, storage, semantics):
    """By the NumPy statement, one channel a row."""
    f64 = np.float64
    scales = np.float32(sa), sb, np.float32(sy)
    M = np.float32(np.float32(scales[0] * sb) / scales[2])
    shift = None
    if rescale in ("f32", "f64"):
        multiplier = M
    elif rescale == "separate":
        multiplier = scales
    elif rescale == "qdq":
        multiplier = (np.float32(scales[0] * sb), scales[2])
    else:
        pairs = [quantize_multiplier(rescale, f64(sa) * f64(s) / f64(np.float32(sy))) for s in sb]
        multiplier, shift = (np.array(v, np.int64) for v in zip(*pairs))
        shift = shift.astype(np.int32)
    return reference.requantize(
        acc, multiplier, shift, z, rescale=rescale, storage=storage, axis=0, semantics=semantics
    )


@pytest.mark.parametrize("case, name", CASES)
def test_recorded(case, name):
    """The codes of the runtime's kind, all of them; and other kinds give others."""
    arrays = np.load(FOLDER / f"{name}-{case['name']}.npz")
    sa, sy = np.float32(float.fromhex(case["sa"])), np.float32(float.fromhex(case["sy"]))
    acc = arrays["acc"].astype(np.int32 if case["acc"] == "i32" else np.int64)
    sb, expected = arrays["sb"], arrays["codes"]
    z = np.asarray(case["zero_point"], expected.dtype)
    semantics = PROFILE_FIELDS[case["profile"]]

    def differing(rescale):
        codes = codes_of(rescale, acc, sa, sb, sy, z, case["codes"], semantics)
        return np.count_nonzero(codes != expected)

    assert differing(case["rescale"]) == 0
    others = {
        "fixed31-double": "fixed31-single",
        "fixed15": "fixed31-single",
        "f32": "qdq",
        "f64": "f32",
    }
    assert differing(others[case["rescale"]]) > 0


@pytest.mark.parametrize("rescale", ["fixed31-double", "fixed31-single", "fixed15"])
def test_fixed_multipliers(rescale):
    """The C++ function, on scales of every magnitude."""
    random = np.random.default_rng(5)
    for M in [*np.exp2(random.uniform(-40, 14, 3000)), *2.0 ** np.arange(-40, 14), 1 - 2.0**-33]:
        assert evaluator.fixed_multiplier(rescale, M) == quantize_multiplier(rescale, M), M


TOSA = """
func.func @{name}(%acc: tensor<?xi32>) -> tensor<?xi32> {{
  %m = arith.constant {m} : i32
  %t = arith.constant {t} : i8
  %c0 = arith.constant 0 : index
  %n = tensor.dim %acc, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %q = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%acc : tensor<?xi32>) outs(%e : tensor<?xi32>) {{
  ^bb0(%a: i32, %o: i32):
    %r = tosa.apply_scale %a, %m, %t {{rounding_mode = {mode}}} : (i32, i32, i8) -> i32
    linalg.yield %r : i32
  }} -> tensor<?xi32>
  return %q : tensor<?xi32>
}}
"""


@pytest.mark.parametrize(
    "mode, rescale", [("DOUBLE_ROUND", "fixed31-double"), ("SINGLE_ROUND", "fixed31-single")]
)
def test_tosa(mode, rescale):
    """Upstream's own lowering of tosa.apply_scale, compiled."""
    acc = accumulators(np.int32, 3000)
    random = np.random.default_rng(6)
    pairs = [(int(random.integers(2**30, 2**31)), int(t)) for t in range(20, 63)]
    text = "".join(TOSA.format(name=f"f{i}", m=m, t=t, mode=mode) for i, (m, t) in enumerate(pairs))
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        PassManager.parse(
            "builtin.module(func.func(tosa-to-arith{include-apply-rescale=true}))"
        ).run(module.operation)
        compiled = runtime.compile(module)
    for i, (m, t) in enumerate(pairs):
        # A result beyond 32 bits is not defined there.
        kept = np.abs(acc.astype(np.float64) * m / 2.0**t) < 2**31 - 1
        codes = reference.requantize(acc, np.int32(m), np.int8(t), rescale=rescale, storage="i32")
        np.testing.assert_array_equal(compiled[f"f{i}"](acc)[kept], codes[kept], f"{m} {t}")
