# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of arrays: blocks and packed weights by NumPy, beside the exact rationals that made them; what a mistake gets."""

from __future__ import annotations

import filecmp
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import qdq_vectors as vectors
from qdq_vectors import arrays, clauses
from qdq_vectors.formats import FLOATS
from qdq_vectors.runs import DATA

STATEMENTS = Path(__file__).resolve().parents[1] / "statements"
F32 = np.float32


def ids(cases):
    return [pytest.param(case, id=case.where) for case in cases]


def code_of(values: np.ndarray, to: str) -> np.ndarray:
    """By the runs of the casts, which are tested by themselves."""
    case = vectors.case(f"cast_f32_{FLOATS[to].short}")
    return case.of(np.asarray(values, F32).view(np.uint32))


def value_of(codes: np.ndarray, of: str) -> np.ndarray:
    case = vectors.case(f"cast_{FLOATS[of].short}_f32")
    return case.of(codes).view(F32)


def reals(operand) -> np.ndarray:
    """As float32, which holds f16 and bf16."""
    if operand.type == "bf16":
        return (operand.array.astype(np.uint32) << 16).view(F32)
    return operand.array.astype(F32)


def e4m3_scale(real: np.ndarray) -> np.ndarray:
    codes = code_of(np.minimum(real, F32(448)), "f8E4M3FN")
    return np.where(codes == 0, np.uint8(0x38), codes)


def nvfp4(case) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(all="ignore"):
        x, t = reals(case.x), case.tensor_scale.array
        amax = np.nanmax(np.abs(np.column_stack([x, np.zeros(len(x), F32)])), axis=1)
        if case.choices["division"] == "reciprocal":
            g = F32(1) / t
            scale = e4m3_scale(amax * (F32(1) / F32(6)) * g)
            k = F32(1) / (value_of(scale, "f8E4M3FN") * (F32(1) / g))
            return code_of(x * k[:, None], "f4E2M1FN"), scale
        found = []
        for end in (6, 4) if "adaptive" in case.choices else (6,):
            scale = e4m3_scale(amax / F32(end) / t)
            d = value_of(scale, "f8E4M3FN") * t
            codes = code_of(x / d[:, None], "f4E2M1FN")
            # float64 holds the product of two scales, and tells all errors of the vectors apart.
            back = value_of(codes, "f4E2M1FN") * np.float64(t)
            back *= value_of(scale, "f8E4M3FN").astype(np.float64)[:, None]
            found.append((codes, scale, ((x - back) ** 2).sum(axis=1)))
        (codes, scale, error), (codes4, scale4, error4) = found[0], found[-1]
        four = error4 < error
        return np.where(four[:, None], codes4, codes), np.where(four, scale4, scale)


@pytest.mark.parametrize("case", ids(vectors.cases("block_quantize", format="nvfp4")))
def test_nvfp4_quantize(case):
    case.check(nvfp4)


@pytest.mark.parametrize("case", ids(vectors.cases("block_dequantize", result="f32")))
def test_nvfp4_dequantize(case):
    def convert(case):
        q, t = value_of(case.x.array, "f4E2M1FN"), case.tensor_scale.array
        s = value_of(case.scale.array, "f8E4M3FN")[:, None]
        return q * (s * t) if case.choices["product"] == "scales-first" else (q * s) * t

    case.check(convert)


def test_the_rules_of_nvfp4_differ():
    """Each has vectors that another one does not pass."""
    for index in range(3):
        cases = {c.name: c for c in vectors.cases("block_quantize", topic="nvfp4")}
        exact, other, adaptive = (
            cases[f"quantize-{index}-{rule}"] for rule in ("exact", "reciprocal", "four-over-six")
        )
        assert exact.difference(lambda c: (other.codes.array, other.scale.array))
        count = len(adaptive.scale.array)
        assert (adaptive.scale.array != exact.scale.array[:count]).any()
    first, second = vectors.cases("block_dequantize", x="f4E2M1FN", result="f32"), {}
    for case in first:
        second.setdefault(case.name.split("-")[1], []).append(case.result.array)
    assert any((a != b).any() for a, b in second.values())


@pytest.mark.parametrize("case", ids(vectors.cases("block_quantize", format="mx")))
def test_mx(case):
    reference = pytest.importorskip("mlir_qdq.reference")

    def convert(case):
        storage, x = case.codes.type, reals(case.x)
        scale = reference.choose_params(
            x, storage=storage, scale_type="f8E8M0FNU", mode="symmetric", axis=0,
            power_of_two=case.choices["power_of_two"],
        )  # fmt: skip
        scale = scale[0] if isinstance(scale, tuple) else scale
        fields = {"float_overflow": case.choices["float_overflow"], "compute": "f32"}
        return reference.quantize(x, scale, storage=storage, axis=0, semantics=fields), scale

    case.check(convert)


# --- packed weights -----------------------------------------------------------------------


def fields(words: np.ndarray, bits: int) -> np.ndarray:
    """(..., fields of one word, lowest first)."""
    width = 8 * words.dtype.itemsize
    shifts = np.arange(0, width, bits, dtype=words.dtype)
    return words[..., None] >> shifts & words.dtype.type((1 << bits) - 1)


def along_rows(words: np.ndarray, bits: int) -> np.ndarray:
    return fields(words, bits).reshape(len(words), -1)


def unpack(case) -> np.ndarray:
    kind, words = case.choices["format"], case.words.array
    if kind.startswith("ggml"):
        return ggml(kind, words)
    bits, group, scale = case.choices["bits"], case.choices["group"], case.scale.array.astype(F32)
    zeros = case.zero_point and case.zero_point.array
    if kind == "compressed-tensors":
        return (along_rows(words, 4).astype(F32) - 8) * scale.repeat(group, axis=1)
    if kind in ("matmulnbits", "awq-gemv", "compressed-tensors-zeros"):
        if zeros is None:
            z = np.full_like(scale, 1 << (bits - 1))
        elif kind == "compressed-tensors-zeros":
            z = along_rows(np.ascontiguousarray(zeros.T), bits).T
        else:
            z = along_rows(zeros, bits)[:, : scale.shape[1]]
        z, scale = (array.repeat(group, axis=1) for array in (z, scale))
        return (along_rows(words, bits).astype(F32) - z.astype(F32)) * scale
    if kind == "gptq":
        codes = along_rows(np.ascontiguousarray(words.T), bits).T
        z = along_rows(zeros, bits) + (case.choices["version"] == 1) & ((1 << bits) - 1)
    else:
        order = np.argsort([0, 2, 4, 6, 1, 3, 5, 7])
        codes, z = (fields(w, 4)[..., order].reshape(len(w), -1) for w in (words, zeros))
    z, scale = (array.repeat(group, axis=0) for array in (z, scale))
    return (codes.astype(F32) - z.astype(F32)) * scale


def ggml(kind: str, words: np.ndarray) -> np.ndarray:
    if kind == "ggml-q8_k":
        d = np.ascontiguousarray(words[:, :4]).view(F32)
        with np.errstate(over="ignore"):
            return words[:, 4:260].view(np.int8) * d
    header = {"ggml-q4_1": 4, "ggml-mxfp4": 1}.get(kind, 2)
    q = words[:, header:]
    q = q.view(np.int8) if kind == "ggml-q8_0" else np.concatenate([q & 15, q >> 4], axis=1)
    if kind == "ggml-mxfp4":
        table = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], F32)
        with np.errstate(over="ignore"):
            return np.ldexp(table[q], words[:, :1].astype(np.int32) - 128)
    halves = np.ascontiguousarray(words[:, :header]).view(np.float16).astype(F32)
    if kind == "ggml-q4_1":
        return q.astype(F32) * halves[:, :1] + halves[:, 1:]
    return (q.astype(F32) - (8 if kind == "ggml-q4_0" else 0)) * halves


def is_statement_of_gguf(case) -> bool:
    """The second statement of these is the package of llama.cpp, in the next test."""
    return case.where.startswith("ggml-fields") and case.choices["format"] != "ggml-q8_k"


@pytest.mark.parametrize(
    "case", ids(c for c in vectors.cases("unpack") if not is_statement_of_gguf(c))
)
def test_unpack(case):
    case.check(unpack)


KINDS = [
    case.choices["format"][5:].upper() for case in vectors.cases("unpack") if "ggml" in case.name
]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Q8_K"])
def test_gguf(kind):
    """ggml's own reader, which has no Q8_K."""
    gguf = pytest.importorskip("gguf")
    (case,) = vectors.cases("unpack", format=f"ggml-{kind.lower()}")
    words, wanted = case.words.array, case.result.array
    with np.errstate(all="ignore"):
        found = gguf.quants.dequantize(words.reshape(-1), gguf.GGMLQuantizationType[kind])
    # Its MXFP4 has an exponent of 255 as infinity.
    same = words[:, 0] != 255 if kind == "MXFP4" else np.ones(len(words), bool)
    found = np.ascontiguousarray(found.reshape(wanted.shape)[same])
    np.testing.assert_array_equal(found.view(np.uint32), wanted[same].view(np.uint32))


# --- all ----------------------------------------------------------------------------------


def test_every_case_cites_known_clauses():
    counts = {}
    for operation in arrays.RESULTS:
        for case in vectors.cases(operation):
            assert case.clauses and set(case.clauses) <= set(clauses.TEXT), case.where
            given = {name: o.array for name, o in case.results.items()}
            assert case.difference(lambda case: given) is None
            counts[operation] = counts.get(operation, 0) + 1
    assert set(counts) == set(arrays.RESULTS) and counts["quantize"] > 200


def test_clauses_stand_in_the_texts():
    """Each id has its rule in docs/Semantics.md or README.md."""
    root = STATEMENTS.parents[1]
    semantics = root / "docs" / "Semantics.md"
    if not semantics.exists():
        pytest.skip("not in the tree of mlir-qdq")
    text = semantics.read_text() + (root / "vectors" / "README.md").read_text()
    for identifier in clauses.TEXT:
        assert f"**{identifier}**" in text, identifier


def test_generated(tmp_path):
    """The files of blocks are those that the exact statement writes."""
    pytest.importorskip("gguf")  # the codebooks of IQ1, IQ2 and IQ3
    command = [sys.executable, STATEMENTS / "make_blocks.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    ours = sorted(p.relative_to(DATA / "blocks") for p in (DATA / "blocks").rglob("*.*"))
    assert ours == sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*.*"))
    _, different, failed = filecmp.cmpfiles(DATA / "blocks", tmp_path, ours, shallow=False)
    assert not different and not failed


def test_a_mistake_is_shown():
    (case,) = vectors.cases("quantize", x="f32", storage="i8", rounding="nearest-even", topic="roundings",
                            order="round-then-add", name="i8-nearest-even-round-then-add")  # fmt: skip

    def halves_away(case):
        q, s, z = case.x.array, case.scale.array[:, None], case.zero_point.array[:, None]
        rounded = np.copysign(np.floor(np.abs(q / s) + 0.5), q) + z
        return np.clip(rounded, -128, 127).astype(np.int8)

    difference = case.difference(halves_away)
    assert "x = 0.5\n  scale = 1\n  zero_point = 0\n" in difference.shortest
    assert "is 1, expected 0" in difference.shortest and "Q1.1: " in difference.shortest
    with pytest.raises(ValueError, match="unknown operation 'round'"):
        list(vectors.cases("round"))
