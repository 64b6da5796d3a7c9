# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-integer-contractions with `profile=onednn`, compiled, against products by oneDNN (tools/record-vectors/onednn_matmul.py)."""

import json
from pathlib import Path

import numpy as np
import pytest
from integer_products import compiled, rewritten, tensor

from mlir_qdq import reference

FOLDER = Path(__file__).resolve().parents[1] / "conformance" / "contractions"
ARRAYS = np.load(FOLDER / "onednn.npz")
CASES = [
    pytest.param(case, id=case["name"])
    for case in json.loads((FOLDER / "onednn.json").read_text())["cases"]
]


def arrays_of(case) -> dict[str, np.ndarray]:
    prefix = case["name"] + "/"
    return {name.removeprefix(prefix): ARRAYS[name] for name in ARRAYS if name.startswith(prefix)}


def program(case, arrays) -> str:
    """A matmul of dequantized operands, with or without a bias of reals, quantized; scales are constants."""
    x, w, y = (arrays[name] for name in "xwy")
    length_a, length_b = case["blocks"]
    kinds = {
        "x": tensor(x.shape, case["a"]), "w": tensor(w.shape, "i8"), "y": tensor(y.shape, case["result"]),
        "sa": tensor(arrays["sa"].shape, "f32") if length_a else "f32",
        "sb": tensor(arrays["sb"].shape, "f32") if length_b else tensor(arrays["sb"].shape[1:], "f32"),
    }  # fmt: skip
    real_x, real_w, real = (tensor(array.shape, "f32") for array in (x, w, y))
    heads = [f"%{name}: {kinds[name]}" for name in ("x", "w", "sa", "sb")]
    zero_a = "" if case["za"] is None else " zero_point %za"
    kind_a = "" if case["za"] is None else f", {case['a']}"
    where_a = f" block_shape [1, {length_a}]" if length_a else ""
    where_b = f" block_shape [{length_b}, 1]" if length_b else " axis 1"
    lines = [
        f"%sy = arith.constant {float.fromhex(case['sy']):.17e} : f32",
        f"%zy = arith.constant dense<{case['zy']}> : tensor<{case['result']}>",
        f"%zero = arith.constant dense<0.0> : {real}",
        f"%xd = qdq.dequantize %x scale %sa{zero_a}{where_a} : ({kinds['x']}, {kinds['sa']}{kind_a.replace('ui8', 'tensor<ui8>')}) -> {real_x}",
        f"%wd = qdq.dequantize %w scale %sb{where_b} : ({kinds['w']}, {kinds['sb']}) -> {real_w}",
        f"%r = linalg.matmul ins(%xd, %wd : {real_x}, {real_w}) outs(%zero : {real}) -> {real}",
    ]  # fmt: skip
    if case["za"] is not None:
        lines.insert(0, f"%za = arith.constant dense<{case['za']}> : tensor<{case['a']}>")
    last = "r"
    if case["bias"]:
        heads.append(f"%bias: {tensor(arrays['bias'].shape, 'f32')}")
        lines += [
            f"%e = tensor.empty() : {real}",
            f"%rows = linalg.broadcast ins(%bias : {tensor(arrays['bias'].shape, 'f32')}) outs(%e : {real}) dimensions = [0]",
            f"%s = arith.addf %r, %rows : {real}",
        ]
        last = "s"
    lines.append(
        f"%y = qdq.quantize %{last} scale %sy zero_point %zy semantics <order = add-then-round> : "
        f"({real}, f32, tensor<{case['result']}>) -> {kinds['y']}"
    )
    body = "\n      ".join(lines)
    return f"func.func @main({', '.join(heads)}) -> {kinds['y']} {{\n      {body}\n      return %y : {kinds['y']}\n    }}"


def stated(case, arrays, rescale="separate", swap=False) -> np.ndarray:
    """By the NumPy statement. `swap`: the factors of each product the other way around."""
    x, w, sa, sb = (arrays[name] for name in ("x", "w", "sa", "sb"))
    lengths = [length for length in case["blocks"] if length] or [case["terms"]]
    step = min(lengths)
    x = x.astype(np.int64) - (case["za"] or 0)
    acc = np.array(
        [x[:, k : k + step] @ w[k : k + step].astype(np.int64) for k in range(0, case["terms"], step)]
    )  # fmt: skip
    blocks_a = np.array([sa[:, [k // case["blocks"][0] if case["blocks"][0] else 0]] for k in range(0, case["terms"], step)])  # fmt: skip
    blocks_b = np.array([sb[[k // case["blocks"][1] if case["blocks"][1] else 0]] for k in range(0, case["terms"], step)])  # fmt: skip
    blocks_a = blocks_a if case["blocks"][0] else blocks_a[:1]
    blocks_b = blocks_b if case["blocks"][1] else blocks_b[:1]
    factors = (blocks_b, blocks_a) if swap else (blocks_a, blocks_b)
    return reference.requantize_blocks(
        acc,
        (*factors, np.float32(float.fromhex(case["sy"]))),
        np.array(case["zy"], arrays["y"].dtype),
        rescale=rescale,
        storage=case["result"],
        bias=arrays.get("bias") if rescale == "separate" else None,
        semantics={"order": "add-then-round"},
    )


@pytest.mark.parametrize("case", CASES)
def test_onednn(case):
    arrays = arrays_of(case)
    np.testing.assert_array_equal(stated(case, arrays), arrays["y"])
    text = rewritten(program(case, arrays), profile="onednn")
    assert "qdq.dequantize" not in text
    sa = arrays["sa"] if case["blocks"][0] else arrays["sa"].reshape(())[()]
    sb = arrays["sb"] if case["blocks"][1] else arrays["sb"][0]
    passed = [arrays["x"], arrays["w"], sa, sb, *([arrays["bias"]] if case["bias"] else [])]
    np.testing.assert_array_equal(np.asarray(compiled(text)(*passed)), arrays["y"])


def test_vectors_tell_kinds_apart():
    """No other kind, and no other order of the factors, gives what oneDNN gave."""
    differing = {"f32": 0, "f64": 0, "swap, whole": 0, "swap, blocks": 0}
    for case in (parameter.values[0] for parameter in CASES):
        arrays = arrays_of(case)
        if not case["bias"]:
            for rescale in ("f32", "f64"):
                differing[rescale] += np.count_nonzero(stated(case, arrays, rescale) != arrays["y"])
        if len(set(map(bool, case["blocks"]))) == 1:
            kind = "swap, blocks" if any(case["blocks"]) else "swap, whole"
            differing[kind] += np.count_nonzero(stated(case, arrays, swap=True) != arrays["y"])
    assert all(differing.values()), differing
