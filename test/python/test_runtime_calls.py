# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions: the usual ones, which C++ makes, and all others, which Python makes."""

import gc
import sys
import threading
import time
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

from mlir_qdq import runtime
from mlir_qdq.runtime import Function, Packed

MODULE = """
func.func @multiply(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %z = arith.mulf %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
func.func @multiply_dynamic(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = arith.mulf %x, %y : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
func.func @multiply_scalars(%x: f32, %y: f32) -> f32 {
  %z = arith.mulf %x, %y : f32
  return %z : f32
}
func.func @multiply_rank0(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %z = arith.mulf %x, %y : tensor<f32>
  return %z : tensor<f32>
}
func.func @several(%x: tensor<?xf32>, %k: i32) -> (tensor<?xf32>, i32, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y, %k, %n : tensor<?xf32>, i32, index
}
func.func @nothing(%x: tensor<4xf32>) { return }
func.func @constant() -> tensor<3xi8> {
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi8>
  return %c : tensor<3xi8>
}
func.func @scale_per_channel(%q: tensor<?x?xi8>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<?x?xi8>, tensor<?xf32>) -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}
func.func @bf16(%x: tensor<?xbf16>, %y: bf16) -> (tensor<?xbf16>, bf16) {
  %z = arith.addf %x, %x : tensor<?xbf16>
  return %z, %y : tensor<?xbf16>, bf16
}
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> { return %x : tensor<*xf32> }
func.func @wide_i12(%x: tensor<3xi12>) -> tensor<3xi12> { return %x : tensor<3xi12> }
"""
SUB_BYTE = ("i2", "ui2", "i3", "ui3", "i4", "ui4", "i5", "ui6", "i7", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN")  # fmt: skip
SCALARS = ("i1", "i3", "ui3", "i4", "i8", "ui8", "i32", "ui64", "i64", "index", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f4E2M1FN")  # fmt: skip


def dtype_of(name: str) -> np.dtype:
    """The arrays of an element type, as the documentation of `runtime` lists them."""
    special = {"i1": np.bool_, "index": np.int64, "bf16": ml_dtypes.bfloat16,
               "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn,
               "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
               "i2": ml_dtypes.int2, "ui2": ml_dtypes.uint2, "i4": ml_dtypes.int4,
               "ui4": ml_dtypes.uint4}  # fmt: skip
    if name in special:
        return np.dtype(special[name])
    bits = int(name.lstrip("uif"))
    kind = {"i": "int", "u": "uint", "f": "float"}[name[0]]
    return np.dtype(f"{kind}{max(8, bits)}")


def identities() -> str:
    texts = []
    for name in SCALARS:
        texts.append(f"func.func @scalar_{name}(%x: {name}) -> {name} {{ return %x : {name} }}")
        texts.append(
            f"func.func @rank0_{name}(%x: tensor<{name}>) -> tensor<{name}> {{ return %x : tensor<{name}> }}"
        )
    for name in SUB_BYTE:
        for form, type in (("static", f"tensor<3x5x{name}>"), ("dynamic", f"tensor<?x5x{name}>")):
            texts.append(f"func.func @{form}_{name}(%x: {type}) -> {type} {{ return %x : {type} }}")
    return "\n".join(texts)


@pytest.fixture(scope="module")
def compiled():
    return runtime.compile(MODULE)


@pytest.fixture(scope="module")
def identity():
    return runtime.compile(identities())


@pytest.fixture
def usual(monkeypatch):
    """Python's path fails."""

    def refuse(self, *arguments, out=None):
        raise AssertionError(f"{self.__name__}: not a usual call")

    monkeypatch.setattr(Function, "call_any", refuse)


def bits_of(name: str) -> int:
    return int(name.partition("E")[0].lstrip("uif"))


def codes_of(name: str, count: int) -> np.ndarray:
    """Every code of a type, repeated, in its array."""
    dtype, bits = dtype_of(name), bits_of(name)
    codes = np.arange(count) * 5 % (1 << bits)
    if dtype.kind in "iu":
        lowest = 0 if name.startswith("u") else -(1 << (bits - 1))
        return (codes + lowest).astype(dtype)
    return codes.astype(np.uint8).view(dtype)


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """The definition: bit k of element i is bit i * bits + k."""
    each = np.unpackbits(codes.reshape(-1).view(np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(each[:, :bits], bitorder="little")


def same(ours, expected):
    assert type(ours) is type(expected)
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    assert ours.tobytes() == expected.tobytes()


def test_usual_arrays(compiled, usual):
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    y = x - 3
    for function in (compiled.multiply, compiled.multiply_dynamic):
        same(function(x, y), x * y)
        out = np.empty_like(x)
        assert function(x, y, out=out) is out
        same(out, x * y)
        assert function(x, y, out=(out,)) is out
        assert function(x, y, out=[out]) is out
        same(function(x, y, out=None), x * y)
        same(function(x, y, out=(None,)), x * y)
    assert compiled.nothing(x[0]) is None
    same(compiled.constant(), np.array([1, 2, 3], np.int8))


def test_usual_results(compiled, usual):
    x = np.arange(5, dtype=np.float32)
    y, k, n = compiled.several(x, 7)
    same(y, x + x)
    same(k, np.int32(7))
    same(n, np.int64(5))
    outs = np.empty(5, np.float32), np.empty((), np.int32), np.empty((), np.int64)
    for given in (outs, (outs[0], None, outs[2]), (None, outs[1], None)):
        for array in outs:
            array[...] = -1
        results = compiled.several(x, np.int32(7), out=given)
        for out, result, expected in zip(given, results, (x + x, 7, 5)):
            assert out is None or result is out
            np.testing.assert_array_equal(result, expected)


def test_usual_ml_dtypes(compiled, usual):
    x = np.array([1.5, -2, 3], ml_dtypes.bfloat16)
    z, y = compiled.bf16(x, ml_dtypes.bfloat16(0.5))
    same(z, x + x)
    same(y, ml_dtypes.bfloat16(0.5))


@pytest.mark.parametrize("level", [0, 3])
def test_scalar_bf16_keeps_its_bits(level, monkeypatch):
    """Subnormals, too, where the processor's conversion flushes them."""
    monkeypatch.setattr(runtime._compile, "OPT_LEVEL", level)
    module = runtime.compile(
        """
        func.func @f(%y: bf16, %size: index) -> (tensor<?xbf16>, bf16) {
          %z = tensor.splat %y[%size] : tensor<?xbf16>
          return %z, %y : tensor<?xbf16>, bf16
        }"""
    )
    for bits in (0x0001, 0x007F, 0x8001, 0x7F81, 0xFFC1):
        y = np.array(bits, np.uint16).view(ml_dtypes.bfloat16)
        for result in module.f(y, 3):
            np.testing.assert_array_equal(result.view(np.uint16), bits)


@pytest.mark.parametrize("name", SCALARS)
def test_usual_scalars(identity, name, usual):
    dtype = dtype_of(name)
    for number in (1, 0) if name != "i1" else (True, False):
        value = np.array(number).astype(dtype)
        for given in (value, value[()], number if dtype.kind != "f" else float(number)):
            result = identity[f"scalar_{name}"](given)
            same(result, value[()])
            result = identity[f"rank0_{name}"](given)
            same(result, value)
            out = np.empty((), dtype)
            assert identity[f"scalar_{name}"](given, out=out) is out
            same(out, value)


@pytest.mark.parametrize("name", ("i8", "i32", "i64", "index", "i3"))
def test_negative_scalars(identity, name, usual):
    for number in (-1, -2, -4):
        assert identity[f"scalar_{name}"](number) == number
        assert identity[f"scalar_{name}"](dtype_of(name).type(number)) == number


def test_numbers_round_once(identity):
    f32, f16 = identity.scalar_f32, identity.scalar_f16
    for number in (0.1, 1e-50, 1e39, float("inf"), 16777217, 2**63 - 1, 2**64 - 1, np.float64(0.1)):
        with np.errstate(over="ignore"):
            same(f32(number), np.array(number).astype(np.float32)[()])
    for number in (0.1, 65519.99, 65520.0, 1, 2049):
        with np.errstate(over="ignore"):
            same(f16(number), np.array(number).astype(np.float16)[()])
    assert np.isnan(f32(float("nan")))


@pytest.mark.parametrize("name", SUB_BYTE)
def test_sub_byte(identity, name, usual):
    x = codes_of(name, 15).reshape(3, 5)
    bits = bits_of(name)
    bytes_ = packed(x, bits)
    static, dynamic = identity[f"static_{name}"], identity[f"dynamic_{name}"]
    for function, given in (
        (static, x),
        (static, bytes_),
        (dynamic, x),
        (dynamic, Packed(bytes_, (3, 5))),
    ):
        result = function(given)
        same(result, x)
        out = np.empty_like(x)
        assert function(given, out=out) is out
        same(out, x)
        out = np.zeros_like(bytes_)
        assert function(given, out=out) is out
        same(out, bytes_)
    empty = x[:0]
    same(dynamic(empty), empty)


@pytest.mark.parametrize("name", SUB_BYTE)
def test_packing(name):
    bits = bits_of(name)
    for count in (*range(70), 4099):
        x = codes_of(name, count)
        bytes_ = packed(x, bits)
        same(runtime.pack(x, name), bytes_)
        same(runtime.unpack(bytes_, (count,), name), x)
    single = codes_of(name, 1).reshape(())
    same(runtime.pack(single, name), packed(single, bits))
    x = codes_of(name, 24)
    same(runtime.pack(x[::2], name), packed(np.ascontiguousarray(x[::2]), bits))
    # Bits above an element do not matter where the array's type has none.
    if x.dtype.kind == "V":
        dirty = (x.view(np.uint8) | 0x80).view(x.dtype)
        same(runtime.pack(dirty, name), packed(x, bits))


def outcome(call):
    try:
        value = call()
    except Exception as error:
        return type(error), str(error)
    values = value if isinstance(value, tuple) else (value,)
    return [None if v is None else (type(v), v.dtype, v.shape, v.tobytes()) for v in values]


X = np.arange(8, dtype=np.float32).reshape(2, 4)
READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False


class Derived(np.ndarray):
    pass


#: Each makes a new value.
VALUES = {
    "another type": lambda: X.astype(np.float64),
    "another shape": lambda: X[:, :3].copy(),
    "another rank": lambda: X[0].copy(),
    "transposed": lambda: X.T.copy().T,
    "strided": lambda: np.zeros((2, 8), np.float32)[:, ::2],
    "reversed": lambda: X.copy()[:, ::-1],
    "unaligned": lambda: np.zeros(33, np.uint8)[1:].view(np.float32).reshape(2, 4),
    "swapped": lambda: X.astype(X.dtype.newbyteorder()),
    "broadcast": lambda: np.broadcast_to(np.float32(2), (2, 4)),
    "read-only": lambda: READ_ONLY,
    "derived": lambda: X.copy().view(Derived),
    "matrix": lambda: X.copy().view(np.matrix),
    "masked": lambda: np.ma.masked_array(X.copy(), X > 3),
    "empty": lambda: np.zeros((0, 4), np.float32),
    "list": lambda: X.tolist(),
    "number": lambda: 3.0,
    "scalar": lambda: np.float32(3),
    "rank 0": lambda: np.array(3, np.float32),
    "text": lambda: "x",
    "nothing": lambda: None,
    "object": lambda: X.astype(object),
    "ragged": lambda: [[1.0], [1.0, 2.0]],
}


@pytest.mark.parametrize("what", VALUES)
@pytest.mark.parametrize(
    "name", ("multiply", "multiply_dynamic", "multiply_rank0", "multiply_scalars")
)
def test_unusual_arguments(compiled, name, what):
    """The same value, or the same error, as Python's path."""
    function, value = compiled[name], VALUES[what]()
    for arguments in ((value, X), (X, value), (value, value)):
        expected = outcome(lambda: function.call_any(*arguments))
        assert outcome(lambda: function(*arguments)) == expected
    out = np.zeros((2, 4), np.float32)
    expected = outcome(lambda: function.call_any(value, value, out=out))
    assert outcome(lambda: function(value, value, out=out)) == expected


@pytest.mark.parametrize("what", VALUES)
@pytest.mark.parametrize("name", ("multiply", "multiply_dynamic"))
def test_unusual_out(compiled, name, what):
    function = compiled[name]
    for wrap in (lambda v: v, lambda v: (v,), lambda v: (v, v), lambda v: [v]):
        expected = outcome(lambda: function.call_any(X, X, out=wrap(VALUES[what]())))
        given = VALUES[what]()
        assert outcome(lambda: function(X, X, out=wrap(given))) == expected


def test_errors(compiled):
    f, dynamic, scale = compiled.multiply, compiled.multiply_dynamic, compiled.scale_per_channel
    cases = {
        "expected 2 arguments, got 1": (TypeError, lambda: f(X)),
        "argument 0: expected float32 array of shape (2, 4), got float64 array": (
            TypeError, lambda: f(X.astype(np.float64), X)),
        "argument 1: expected float32 array of shape (2, 4), got float32 array of shape (2, 3)": (
            ValueError, lambda: f(X, X[:, :3])),
        "out 0: is not writable": (ValueError, lambda: f(X, X, out=READ_ONLY)),
        "out 0: is not C-contiguous": (ValueError, lambda: f(X, X, out=VALUES["transposed"]())),
        "out has 2 arrays for 1 results": (TypeError, lambda: f(X, X, out=(X, X))),
        "out 0: expected float32 array of shape (2, 4), got float32 array of shape (2, 3)": (
            ValueError, lambda: dynamic(X, X, out=np.zeros((2, 3), np.float32))),
        "unexpected keyword argument 'into'": (TypeError, lambda: f(X, X, into=X)),
    }  # fmt: skip
    for text, (kind, call) in cases.items():
        with pytest.raises(kind) as error:
            call()
        assert text in str(error.value)
    # Sizes that must agree are checked in compiled code.
    codes = np.ones((2, 3), np.int8)
    with pytest.raises(ValueError, match="scale_per_channel: ") as error:
        scale(codes, np.ones(3, np.float32))
    with pytest.raises(ValueError) as expected:
        scale.call_any(codes, np.ones(3, np.float32))
    assert str(error.value) == str(expected.value)
    same(scale(codes, np.ones(2, np.float32)), np.ones((2, 3), np.float32))


def test_codes_that_do_not_fit(identity):
    for name, value in (("i3", 4), ("i3", -5), ("ui3", 8), ("ui6", 64), ("i7", 64), ("i5", -17)):
        x = np.full((3, 5), value, dtype_of(name))
        with pytest.raises(
            ValueError, match=f"argument 0: codes {value} to {value} do not fit {name}"
        ):
            identity[f"static_{name}"](x)
    with pytest.raises(ValueError, match="do not fit i3"):
        identity.scalar_i3(np.int8(4))
    with pytest.raises(ValueError, match="4 does not fit i3"):
        identity.scalar_i3(4)
    with pytest.raises(TypeError, match="expected i8, got bool"):
        identity.scalar_i8(True)
    with pytest.raises(TypeError, match="expected i8, got float"):
        identity.scalar_i8(1.0)
    with pytest.raises(TypeError, match="expected i1, got int"):
        identity.scalar_i1(1)
    assert identity.scalar_ui64(2**64 - 1) == 2**64 - 1


def test_packed_bytes_are_checked(identity):
    f, dynamic = identity.static_i4, identity.dynamic_i4
    with pytest.raises(ValueError, match="8 packed bytes of uint8, got uint8 array of shape"):
        f(np.zeros(7, np.uint8))
    with pytest.raises(TypeError, match="pass Packed"):
        dynamic(np.zeros(8, np.uint8))
    with pytest.raises(ValueError, match="expected 8 bytes of uint8"):
        dynamic(Packed(np.zeros(7, np.uint8), (3, 5)))
    with pytest.raises(ValueError, match="got Packed of shape"):
        dynamic(Packed(np.zeros(8, np.uint8), (5, 3)))
    x = codes_of("i4", 15).reshape(3, 5)
    strided = np.zeros(16, np.uint8)[::2]
    strided[:] = packed(x, 4)
    same(f(strided), x)
    same(dynamic(Packed(strided, [3, 5])), x)
    same(f(np.asfortranarray(x)), x)


@pytest.mark.parametrize("name, count", [("ui3", 1), ("ui5", 2), ("ui6", 3), ("ui7", 7)])
def test_arrays_of_the_shape_are_elements(name, count):
    """So few that they are as many as their packed bytes."""
    x = codes_of(name, count)
    row, bytes_ = x.reshape(1, count), packed(x, bits_of(name))
    assert (bytes_.dtype, bytes_.shape) == (x.dtype, x.shape)
    types = {"line": f"tensor<{count}x{name}>", "row": f"tensor<1x{count}x{name}>"}
    compiled = runtime.compile(
        "".join(f"func.func @{f}(%x: {t}) -> {t} {{ return %x : {t} }}\n" for f, t in types.items())
    )
    for line_call, row_call in (
        (compiled.line, compiled.row),
        (compiled.line.call_any, compiled.row.call_any),
    ):
        same(line_call(x), x)
        same(line_call(Packed(bytes_, x.shape)), x)
        same(line_call(x, out=np.zeros_like(x)), x)
        same(row_call(bytes_), row)
        same(row_call(row, out=np.zeros_like(row)), row)
        same(row_call(row, out=np.zeros_like(bytes_)), bytes_)
    with pytest.raises(ValueError, match="do not fit"):
        compiled.line(np.full(count, 255, np.uint8))


def test_out_that_shares_memory(compiled, identity):
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    expected = x * x
    assert compiled.multiply(x, x, out=x) is x
    same(x, expected)
    memory = np.arange(12, dtype=np.float32)
    out, argument = memory[:8].reshape(2, 4), memory[4:].reshape(2, 4)
    expected = argument * argument
    compiled.multiply_dynamic(argument, argument, out=out)
    same(out, expected)
    with pytest.raises(ValueError, match="out 2: shares memory with another out"):
        shared = np.zeros(2, np.int64)
        compiled.several(
            np.zeros(1, np.float32), 1,
            out=(None, shared[:1].view(np.int32)[:1].reshape(()), shared[0:1].reshape(())),
        )  # fmt: skip
    bytes_ = packed(codes_of("i4", 15), 4)
    same(identity.static_i4(bytes_, out=bytes_), packed(codes_of("i4", 15), 4))


def test_forms_that_python_passes(compiled):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    same(compiled.unranked(x), x)
    same(
        compiled.wide_i12(np.array([-2048, 0, 2047], np.int16)),
        np.array([-2048, 0, 2047], np.int16),
    )


def test_more_dimensions_than_arrays_have():
    type = f"tensor<{'1x' * 65}f32>"
    function = runtime.compile(f"func.func @f(%x: {type}) -> {type} {{ return %x : {type} }}").f
    with pytest.raises(ValueError, match="expected float32 array of shape"):
        function(X)


def test_function_outlives_module():
    function = runtime.compile(MODULE).multiply
    gc.collect()
    same(function(X, X), X * X)
    results = [function(X, X) for _ in range(3)]
    del function
    gc.collect()
    for result in results:
        same(result, X * X)
        assert result.flags.owndata


def test_functions_are_described(compiled):
    assert "multiply_dynamic(float32 array of shape (?, ?)" in repr(compiled.multiply_dynamic)
    assert compiled.multiply.__name__ == "multiply" and isinstance(compiled.multiply, Function)
    assert compiled["multiply"] is compiled.multiply
    assert set(compiled) <= set(dir(compiled))
    with pytest.raises(AttributeError, match="no function 'missing'"):
        compiled.missing
    with pytest.raises(TypeError):
        compiled.multiply.__init__(None)


def test_names_of_other_attributes():
    text = "\n".join(
        f'func.func @"{name}"() -> i32 {{ %c = arith.constant {k} : i32  return %c : i32 }}'
        for k, name in enumerate(("_functions", "_names", "__len__", "plain", "with-dash"))
    )
    compiled = runtime.compile(text)
    assert len(compiled) == 5 and "plain" in repr(compiled)
    assert [compiled[name]() for name in compiled] == [0, 1, 2, 3, 4]
    assert compiled.plain() == 3


def test_references_and_memory(compiled, identity):
    x, scalar = np.ones((2, 4), np.float32), np.float32(2)
    out = np.zeros((2, 4), np.float32)
    codes = codes_of("i3", 15).reshape(3, 5)
    bytes_ = Packed(packed(codes, 3), (3, 5))
    watched = [
        x,
        scalar,
        out,
        codes,
        bytes_,
        bytes_.data,
        x.dtype,
        codes.dtype,
        compiled.multiply,
        Packed,
        None,
    ]

    def calls():
        compiled.multiply(x, x)
        compiled.multiply(x, x, out=out)
        compiled.multiply_dynamic(x, x, out=[out])
        compiled.multiply_scalars(scalar, 3.0)
        compiled.multiply_rank0(scalar, 3.0)
        compiled.several(x[0], 1, out=(out[0], None, None))
        identity.scalar_f16(1.5)
        identity.dynamic_i3(codes)
        identity.dynamic_i3(bytes_)
        identity.dynamic_i3(bytes_, out=codes)
        for wrong in (lambda: compiled.multiply(x, scalar), lambda: compiled.multiply(x),
                      lambda: compiled.multiply(x, x, out=READ_ONLY)):  # fmt: skip
            with pytest.raises((TypeError, ValueError)):
                wrong()

    calls()
    counts = [sys.getrefcount(w) for w in watched[:-1]]
    for _ in range(50):
        calls()
    gc.collect()
    assert [sys.getrefcount(w) for w in watched[:-1]] == counts
    tracemalloc.start()
    try:
        calls()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            compiled.multiply(x, x)
            compiled.several(x[0], 1)
            identity.dynamic_i3(codes)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 4096
    finally:
        tracemalloc.stop()


def test_compiled_modules_are_freed():
    import weakref

    compiled = runtime.compile("func.func @f(%x: f32) -> f32 { return %x : f32 }")
    function = weakref.ref(compiled.f)
    compiled.f(1.0)
    del compiled
    gc.collect()
    assert function() is None


@pytest.mark.parametrize("columns", (4, 1 << 16))
def test_threads(compiled, columns):
    """Small calls hold the interpreter's lock, large ones release it."""
    failed = []

    def work(seed):
        x = np.random.default_rng(seed).random((3, columns), np.float32)
        out = np.empty_like(x)
        for _ in range(200 if columns < 100 else 10):
            compiled.multiply_dynamic(x, x, out=out)
            if not np.array_equal(out, x * x):
                failed.append(seed)
            if not np.array_equal(compiled.multiply_dynamic(x, x), x * x):
                failed.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_large_calls_release_the_lock(compiled):
    """Another thread runs Python while compiled code works."""
    x = np.ones((1024, 4096), np.float32)
    out = np.empty_like(x)
    moments, done = [], threading.Event()

    def tick():
        while not done.is_set():
            moments.append(None)
            time.sleep(0)  # gives the lock back

    switch = sys.getswitchinterval()
    thread = threading.Thread(target=tick)
    try:
        thread.start()
        sys.setswitchinterval(1000)  # only who releases the lock lets others run
        before, calls = len(moments), 0
        while len(moments) == before and calls < 200:
            compiled.multiply_dynamic(x, x, out=out)
            calls += 1
        assert len(moments) > before
    finally:
        sys.setswitchinterval(switch)
        done.set()
        thread.join()


def test_sizes_of_packed_are_counted_exactly():
    """Sizes whose product wraps are refused, and NumPy's integers taken, as Python does both."""
    compiled = runtime.compile("""
        func.func @f(%x: tensor<?x?xi4>) -> tensor<?x?xf32> {
          %s = arith.constant 1.0 : f32
          %e = qdq.dequantize %x scale %s : (tensor<?x?xi4>, f32) -> tensor<?x?xf32>
          return %e : tensor<?x?xf32>
        }""")
    with pytest.raises(ValueError, match="expected 9223372036854775808 bytes"):
        compiled.f(Packed(np.zeros(0, np.uint8), (1 << 32, 1 << 32)))
    with pytest.raises(ValueError, match="argument 0: expected"):
        compiled.f(Packed(np.zeros(6, np.uint8), (3, 1 << 70)))
    assert compiled.f(Packed(np.zeros(6, np.uint8), (np.int64(3), np.int64(4)))).shape == (3, 4)


def test_bits_above_the_codes_of_a_result_are_zero():
    compiled = runtime.compile("""
        func.func @f(%x: tensor<8xi32>) -> tensor<8xui24> {
          %0 = arith.trunci %x : tensor<8xi32> to tensor<8xi24>
          %1 = tensor.bitcast %0 : tensor<8xi24> to tensor<8xui24>
          return %1 : tensor<8xui24>
        }""")
    x = np.arange(-4, 4, dtype=np.int32)
    np.testing.assert_array_equal(compiled.f(x), x.astype(np.int64) & 0xFFFFFF)


GATHER = """
func.func @gather(%x: tensor<4x3xf32>, %i: tensor<?xi64>) -> tensor<?x3xf32> {
  %r = "onnx.Gather"(%x, %i) {axis = 0 : si64} : (tensor<4x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
func.func @check(%holds: i1) {
  cf.assert %holds, "does not hold"
  return
}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_failed_assertions_on_data_are_errors(threads):
    compiled = runtime.compile(GATHER, threads=threads)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    outcomes = []

    def call():
        for index in (3, 4, -4, -5) * 50:
            for array in (x, x[:, ::-1]):  # C++ makes the first call, Python the other
                try:
                    result = compiled.gather(array, np.array([0, index]))
                    outcomes.append(np.array_equal(result, array[[0, index]]))
                except ValueError as error:
                    assert not -4 <= index <= 3
                    assert str(error) == "onnx.Gather: an index is not from -4 to 3"
                    outcomes.append(True)

    callers = [threading.Thread(target=call) for _ in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(outcomes) == 3 * 400 and all(outcomes)
    with pytest.raises(ValueError, match="does not hold"):
        compiled.check(False)
    assert compiled.check(True) is None


def test_results_in_one_buffer():
    """Results whose sizes no companion tells, and which are one tensor, have memory of their own."""
    text = """
    func.func @f(%x: tensor<?xf32>, %count: index) -> (tensor<?xf32>, tensor<?x1xf32>, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = scf.for %i = %c0 to %count step %c1 iter_args(%y = %x) -> (tensor<?xf32>) {
        %z = tensor.concat dim(0) %y, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        scf.yield %z : tensor<?xf32>
      }
      %size = tensor.dim %y, %c0 : tensor<?xf32>
      %column = tensor.expand_shape %y [[0, 1]] output_shape [%size, 1] : tensor<?xf32> into tensor<?x1xf32>
      return %y, %column, %y : tensor<?xf32>, tensor<?x1xf32>, tensor<?xf32>
    }"""
    f = runtime.compile(text).f
    for size, count in ((3, 0), (3, 2), (0, 2)):
        x = np.arange(size, dtype=np.float32)
        y = np.tile(x, count + 1)
        first, column, last = f(x, count)
        same(first, y)
        same(column, y[:, None])
        first[:] = 0
        same(last, y)
        del first, column
        same(last, y)
