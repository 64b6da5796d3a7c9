# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that compiled functions change: memrefs."""

import numpy as np
import pytest

from mlir_qdq import runtime
from mlir_qdq.runtime import Function

MODULE = """
func.func @append(%row: tensor<4xf32>, %at: index, %rows: memref<?x4xf16>) -> tensor<f32> {
  %x = arith.truncf %row : tensor<4xf32> to tensor<4xf16>
  %old = bufferization.to_tensor %rows restrict writable : memref<?x4xf16> to tensor<?x4xf16>
  %new = tensor.insert_slice %x into %old[%at, 0] [1, 4] [1, 1] : tensor<4xf16> into tensor<?x4xf16>
  bufferization.materialize_in_destination %new in restrict writable %rows : (tensor<?x4xf16>, memref<?x4xf16>) -> ()
  %c0 = arith.constant 0 : index
  %first = tensor.extract %new[%c0, %c0] : tensor<?x4xf16>
  %wide = arith.extf %first : f16 to f32
  %result = tensor.from_elements %wide : tensor<f32>
  return %result : tensor<f32>
}
func.func @strided(%x: memref<4xf32, strided<[2]>>) { return }
func.func @nibbles(%x: memref<4xi4>) { return }
"""
ROW = np.array([1, 2.0002, -3, 65504], np.float32)


@pytest.fixture(scope="module")
def compiled():
    return runtime.compile(MODULE)


@pytest.fixture(params=["usual", "any"])
def append(compiled, request):
    return compiled.append if request.param == "usual" else compiled.append.call_any


def test_changes_the_array(append):
    rows = np.full((3, 4), 7, np.float16)
    assert append(ROW, 1, rows) == 7
    np.testing.assert_array_equal(rows, [[7] * 4, ROW.astype(np.float16), [7] * 4])
    assert append(2 * ROW, 0, rows) == 2
    assert rows[0, 0] == 2 and rows[2, 3] == 7


def test_usual_calls_are_made_by_cpp(compiled, monkeypatch):
    monkeypatch.setattr(Function, "call_any", lambda *_, **__: pytest.fail("made by Python"))
    compiled.append(ROW, 1, np.zeros((2, 4), np.float16))


def test_part_of_an_array(append):
    rows = np.zeros((2, 3, 4), np.float16)
    append(ROW, 2, rows[1])
    assert not rows[0].any() and rows[1, 2, 0] == 1


def read_only(rows):
    rows.flags.writeable = False
    return rows


@pytest.mark.parametrize(
    ["change", "error", "message"],
    [
        (read_only, ValueError, "argument 2: is not writable; the function writes to it"),
        (lambda rows: rows[:, ::-1], ValueError, "argument 2: is not C-contiguous"),
        (lambda rows: rows.T.copy(), ValueError, "argument 2: expected float16 array of shape"),
        (lambda rows: rows.astype(np.float32), TypeError, "argument 2: expected float16 array"),
        (lambda rows: rows.tolist(), TypeError, "argument 2: expected float16 array"),
    ],
)
def test_other_arrays(append, change, error, message):
    with pytest.raises(error, match=f"^append: {message}"):
        append(ROW, 1, change(np.zeros((3, 4), np.float16)))


def test_no_other_argument_is_in_its_memory(append):
    memory = np.zeros(12, np.float32)
    rows = memory.view(np.float16).reshape(6, 4)
    with pytest.raises(
        ValueError, match="^append: argument 2 is written to and shares memory with argument 0$"
    ):
        append(memory[4:8], 1, rows)


def test_result_in_its_memory(append):
    rows = np.zeros((4, 4), np.float16)
    rows[0, 0] = 5
    out = rows.view(np.float32)[3, :1].reshape(())
    assert append(ROW, 1, rows, out=out) == 5 and rows[1, 0] == 1


@pytest.mark.parametrize("name", ["strided", "nibbles"])
def test_other_memrefs(compiled, name):
    with pytest.raises(
        TypeError, match=f"^{name}: argument 0 has type memref<.*memrefs of whole bytes"
    ):
        compiled[name](np.zeros(4, np.float32))
