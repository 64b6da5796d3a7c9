# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What crosses the boundary of compiled functions: every element type at rank 0, every layout, and exceptions for the rest."""

import re
import tempfile

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime
from mlir_qdq.runtime import Packed

INTEGERS = [f"{sign}{bits}" for bits in (*range(2, 10), 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64) for sign in ("i", "ui")]  # fmt: skip
FLOATS = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}  # fmt: skip
ELEMENTS = ["i1", "index", *INTEGERS, *FLOATS]
#: One of each way to cross: as it is, as codes in wider words, packed.
SOME = (
    "i1",
    "i4",
    "ui5",
    "i8",
    "i12",
    "ui24",
    "i33",
    "ui63",
    "index",
    "bf16",
    "f8E4M3FN",
    "f6E2M3FN",
    "f32",
    "f64",
)
PACKED = {
    name
    for name in ELEMENTS
    if name != "i1" and int((re.findall(r"^[a-z]+(\d+)", name) or [64])[0]) < 8
}


def dtype_of(name: str) -> np.dtype:
    if name in FLOATS:
        return np.dtype(FLOATS[name])
    if name in ("i1", "index"):
        return np.dtype(np.bool_ if name == "i1" else np.int64)
    kind, bits = "uint" if name[0] == "u" else "int", int(name.lstrip("ui"))
    if bits in (2, 4):
        return np.dtype(getattr(ml_dtypes, f"{kind}{bits}"))
    return np.dtype(f"{kind}{next(width for width in (8, 16, 32, 64) if bits <= width)}")


def values_of(name: str, count: int) -> np.ndarray:
    """From the lowest code to the highest."""
    dtype = dtype_of(name)
    if name == "i1":
        return np.arange(count) % 3 == 1
    if name in FLOATS:
        return np.linspace(0.5, 2, count).astype(dtype)
    bits = 64 if name == "index" else int(name.lstrip("ui"))
    lowest = 0 if name[0] == "u" else -(1 << (bits - 1))
    steps = [lowest + k * ((1 << bits) - 1) // max(count - 1, 1) for k in range(count)]
    return np.array(steps, np.uint64 if lowest == 0 else np.int64).astype(dtype)


def reversing(name: str, form: str, elements) -> str:
    """A function that gives its arguments in the reverse order."""
    types = [f"tensor<{form}{element}>" for element in elements]
    arguments = ", ".join(f"%{k}: {type}" for k, type in enumerate(types))
    values = ", ".join(f"%{k}" for k in reversed(range(len(types))))
    results = ", ".join(reversed(types))
    return f"func.func @{name}({arguments}) -> ({results}) {{ return {values} : {results} }}\n"


MODULE = (
    reversing("rank0", "", ELEMENTS)
    + reversing("dynamic", "?x?x", SOME)
    + reversing("fixed", "3x4x", SOME)
    + reversing("unranked", "*x", [name for name in SOME if name not in PACKED])
    + """
func.func @element(%x: tensor<?xi8>, %n: index) -> (i8, index) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xi8>
  %element = tensor.extract %x[%n] : tensor<?xi8>
  return %element, %size : i8, index
}
func.func @size_packed(%x: tensor<?xi4>) -> index {
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xi4>
  return %size : index
}
func.func @empty(%n: index) -> tensor<?xf32> {
  %x = tensor.empty(%n) : tensor<?xf32>
  return %x : tensor<?xf32>
}
func.func @empty_packed(%n: index, %m: index) -> tensor<?x?xi4> {
  %x = tensor.empty(%n, %m) : tensor<?x?xi4>
  return %x : tensor<?x?xi4>
}
func.func @no_elements_packed(%sizes: tensor<1xi64>) -> tensor<?x0xi4> {
  %zero = arith.constant 0 : index
  %size = tensor.extract %sizes[%zero] : tensor<1xi64>
  %n = arith.index_cast %size : i64 to index
  %x = tensor.empty(%n) : tensor<?x0xi4>
  return %x : tensor<?x0xi4>
}
func.func @empty_words(%n: index) -> tensor<?xi12> {
  %x = tensor.empty(%n) : tensor<?xi12>
  return %x : tensor<?xi12>
}
func.func @huge(%x: tensor<3000000000xi8>) -> tensor<3000000000xi8> { return %x : tensor<3000000000xi8> }
func.func @huge_packed(%x: tensor<3000000000xi4>) { return }
func.func @past_words(%x: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  return %x : tensor<4294967296x4294967296xf32>
}
func.func @past_words_result() -> tensor<4294967296x1073741824x8xf32> {
  %x = tensor.empty() : tensor<4294967296x1073741824x8xf32>
  return %x : tensor<4294967296x1073741824x8xf32>
}
func.func @past_words_packed() -> tensor<4294967296x268435456xi4> {
  %x = tensor.empty() : tensor<4294967296x268435456xi4>
  return %x : tensor<4294967296x268435456xi4>
}
"""
)


@pytest.fixture(scope="module")
def compiled():
    return runtime.compile(MODULE)


@pytest.fixture(params=["C++", "Python"])
def call(request, compiled):
    """Of a function by its name: as it is called, and by Python's path."""

    def made(name):
        return compiled[name] if request.param == "C++" else compiled[name].call_any

    return made


def same(found, expected) -> bool:
    expected = np.asarray(expected)
    return (
        isinstance(found, np.ndarray)
        and (found.dtype, found.shape) == (expected.dtype, expected.shape)
        and found.tobytes() == expected.tobytes()
    )


def reversed_pairs(found, given, elements):
    return zip(elements, reversed(found), given, strict=True)


# --- rank 0 --------------------------------------------------------------------------

FORMS = {
    "array": lambda x: x,
    "read-only": lambda x: np.broadcast_to(x, ()),
    "scalar": lambda x: x[()],
    "number": lambda x: x.item() if x.dtype.kind in "iufb" else float(x),
    "part": lambda x: np.stack([x, x])[1:].reshape(()),
    "derived": lambda x: x.view(np.ndarray),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("which", [0, -1, 1])
def test_rank_0(call, form, which):
    given = [values_of(name, 3)[which].reshape(()) for name in ELEMENTS]
    given = [np.asarray(x) for x in given]
    if form == "number":
        numbers = [
            int(x) if name[0] in "iu" and name != "i1" else FORMS[form](x)
            for name, x in zip(ELEMENTS, given)
        ]
        found = call("rank0")(*numbers)
    else:
        found = call("rank0")(*map(FORMS[form], given))
    for name, ours, expected in reversed_pairs(found, given, ELEMENTS):
        assert same(ours, expected), (name, ours, expected)


def test_rank_0_out(call):
    given = [np.asarray(values_of(name, 3)[0]) for name in ELEMENTS]
    out = [np.zeros((), x.dtype) for x in reversed(given)]
    found = call("rank0")(*given, out=tuple(out))
    for name, ours, expected in reversed_pairs(found, given, ELEMENTS):
        assert same(ours, expected), (name, ours, expected)
    assert all(ours is theirs for ours, theirs in zip(found, out))


# --- layouts -------------------------------------------------------------------------


def unaligned(x):
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:]
    memory[:] = np.frombuffer(x.tobytes(), np.uint8)
    return memory.view(x.dtype).reshape(x.shape)


def mapped(x):
    file = tempfile.TemporaryFile()
    file.write(x.tobytes())
    file.flush()
    bytes_ = np.memmap(file, np.uint8, "r")
    return bytes_.view(x.dtype).reshape(x.shape)


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


#: The same values in another place or order of memory.
LAYOUTS = {
    "as it is": lambda x: x,
    "read-only": read_only,
    "read-only memory": mapped,
    "columns first": np.asfortranarray,
    "every other": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": unaligned,
    "inside": lambda x: np.pad(x.astype(x.dtype), 2)[2:-2, 2:-2] if x.dtype.kind in "iufb" else x,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", ["dynamic", "fixed", "unranked"])
def test_layouts(call, function, layout):
    elements = [name for name in SOME if function != "unranked" or name not in PACKED]
    given = [values_of(name, 12).reshape(3, 4) for name in elements]
    passed = [LAYOUTS[layout](x) for x in given]
    for name, ours, expected in reversed_pairs(call(function)(*passed), given, elements):
        assert same(ours, expected), (name, ours, expected)


def test_equal_elements(call):
    """No bytes from one element to the next."""
    given = [np.broadcast_to(values_of(name, 3)[1], (3, 4)) for name in SOME]
    for name, ours, expected in reversed_pairs(call("dynamic")(*given), given, SOME):
        assert same(ours, np.ascontiguousarray(expected)), name


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0), (0, 1 << 40)])
def test_no_elements(call, shape):
    given = [np.zeros(shape, dtype_of(name)) for name in SOME]
    for name, ours, expected in reversed_pairs(call("dynamic")(*given), given, SOME):
        assert same(ours, expected), name


def test_one_memory_for_all(call):
    """Arguments share it, results do not."""
    memory = np.zeros(96, np.uint8)
    dtypes = [dtype_of(name) for name in SOME]
    given = [memory[: 12 * dtype.itemsize].view(dtype).reshape(3, 4) for dtype in dtypes]
    found = call("dynamic")(*given)
    for i, one in enumerate(found):
        assert not any(np.may_share_memory(one, other) for other in (memory, *found[:i]))


# --- refusals ------------------------------------------------------------------------


def other_dtypes(dtype: np.dtype):
    others = [np.float64, np.float32, np.float16, np.int8, np.uint8, np.int64, np.bool_, np.complex64, object, "S4",
              "M8[s]", [("a", np.int32)], ml_dtypes.int4, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]  # fmt: skip
    if dtype.itemsize > 1 and dtype.kind in "iuf":
        others.append(dtype.newbyteorder())
    return [np.dtype(other) for other in others if np.dtype(other) != dtype]


@pytest.mark.parametrize(
    "function, name",
    [(f, name) for f in ("dynamic", "fixed") for name in SOME]
    + [("rank0", n) for n in ("i12", "f32", "ui5")],
)
def test_other_dtypes(call, function, name):
    elements = ELEMENTS if function == "rank0" else SOME
    shape = () if function == "rank0" else (3, 4)
    given = [np.zeros(shape, dtype_of(element)) for element in elements]
    at, dtype = elements.index(name), dtype_of(name)
    for other in other_dtypes(dtype):
        if name in PACKED and other == np.uint8 and (function != "fixed" or dtype == np.uint8):
            continue  # bytes
        wrong = [*given[:at], np.zeros(shape, other), *given[at + 1 :]]
        with pytest.raises((TypeError, ValueError), match=f"{function}: argument {at}: "):
            call(function)(*wrong)
        out = [np.zeros(shape, dtype_of(element)) for element in reversed(elements)]
        out[len(elements) - 1 - at] = np.zeros(shape, other)
        with pytest.raises(
            (TypeError, ValueError), match=f"{function}: out {len(elements) - 1 - at}: "
        ):
            call(function)(*given, out=tuple(out))


SHAPES = {"fixed": [(), (4,), (4, 3), (3, 4, 1), (1, 3, 4), (3, 5), (0, 4), (12,)], "dynamic": [(), (4,), (1, 3, 4), (12,)],
          "rank0": [(1,), (1, 1), (0,)]}  # fmt: skip


@pytest.mark.parametrize("name", ["i1", "i4", "ui5", "i8", "i12", "bf16", "f32"])
@pytest.mark.parametrize("function", SHAPES)
def test_other_shapes(call, function, name):
    elements = ELEMENTS if function == "rank0" else SOME
    own = () if function == "rank0" else (3, 4)
    given = [np.zeros(own, dtype_of(element)) for element in elements]
    at = elements.index(name)
    for shape in SHAPES[function]:
        wrong = [*given[:at], np.zeros(shape, dtype_of(name)), *given[at + 1 :]]
        if name in PACKED and dtype_of(name) == np.uint8:
            continue  # bytes
        with pytest.raises(ValueError, match=f"{function}: argument {at}: expected"):
            call(function)(*wrong)


def test_other_values(call):
    given = [np.zeros((3, 4), dtype_of(element)) for element in SOME]
    for wrong in (
        None,
        "text",
        b"bytes",
        object(),
        {},
        [1, [2]],
        lambda: 0,
        [[None] * 4] * 3,
        10**400,
        1j,
    ):
        for at in range(len(SOME)):
            with pytest.raises((TypeError, ValueError, OverflowError), match=f"argument {at}: "):
                call("dynamic")(*given[:at], wrong, *given[at + 1 :])


@pytest.mark.parametrize(
    "name", [name for name in INTEGERS if dtype_of(name).itemsize * 8 != int(name.lstrip("ui"))]
)
def test_codes_that_do_not_fit(call, name):
    """Of integers in wider ones: at rank 0, and in an array."""
    dtype, bits = dtype_of(name), int(name.lstrip("ui"))
    if dtype.kind not in "iu":
        return  # ml_dtypes has this width
    highest = (1 << bits) - 1 if name[0] == "u" else (1 << (bits - 1)) - 1
    given = [np.zeros((), dtype_of(element)) for element in ELEMENTS]
    at = ELEMENTS.index(name)
    for wrong in (np.array(highest + 1, dtype), dtype.type(highest + 1), highest + 1, -highest - 2):
        with pytest.raises(ValueError, match=f"rank0: argument {at}: .* not fit {name}"):
            call("rank0")(*given[:at], wrong, *given[at + 1 :])


@pytest.mark.parametrize(
    "shape",
    [
        (-1, -8),
        (-2, -4),
        (2.0, 4),
        (1 << 64, 0),
        (0, 1 << 70),
        ("2", 4),
        (None, 8),
        (8,),
        (),
        8,
        None,
    ],
)
def test_packed_of_no_shape(call, shape):
    given = [np.zeros((2, 4), dtype_of(element)) for element in SOME]
    data = np.zeros(0 if shape in ((1 << 64, 0), (0, 1 << 70)) else 4, np.uint8)
    given[SOME.index("i4")] = Packed(data, shape)
    with pytest.raises(ValueError, match="dynamic: argument 1: .*Packed of shape"):
        call("dynamic")(*given)

    if shape not in ((8,), ()):
        with pytest.raises(ValueError, match="expected a tuple of sizes, got shape"):
            runtime.unpack(data, shape, "i4")


# --- out -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("function", ["dynamic", "fixed"])
def test_out(call, function, name):
    given = [values_of(element, 12).reshape(3, 4) for element in SOME]
    at = len(SOME) - 1 - SOME.index(name)
    x = given[SOME.index(name)]

    def into(array):
        out = [None] * len(SOME)
        out[at] = array
        return call(function)(*given, out=tuple(out))[at]

    good = np.zeros((3, 4), x.dtype)
    assert into(good) is good and same(good, x)
    memory = np.concatenate([x, x])  # overlaps an argument, in part
    given[SOME.index(name)], expected = memory[:3], x.copy()
    shared = memory[2:5]
    assert into(shared) is shared and same(shared, expected)
    given[SOME.index(name)] = x
    for wrong, reason in [
        (read_only(x), "is not writable"),
        (np.zeros((3, 8), x.dtype)[:, ::2], "is not C-contiguous"),
        (np.zeros((4, 3), x.dtype).T, "is not C-contiguous"),
        (np.zeros((3, 5), x.dtype), "expected"),
        (np.zeros((), x.dtype), "expected"),
        (3, "expected an array"),
    ]:
        with pytest.raises((TypeError, ValueError), match=f"{function}: out {at}: {reason}"):
            into(wrong)
    if x.dtype.itemsize > 1:
        with pytest.raises(ValueError, match=f"{function}: out {at}: is not aligned"):
            into(unaligned(x))


# --- sizes ---------------------------------------------------------------------------


def test_more_elements_than_32_bits_count(call):
    """Of memory that nobody wrote, but the last page, and so hardly any."""
    count = (1 << 32) + 3
    x = np.zeros(count, np.int8)
    x[-1] = -7
    assert call("element")(x, count - 1) == (-7, count)
    packed = Packed(x[: (count + 1) // 2].view(np.uint8), (count,))
    assert call("size_packed")(packed) == count


@pytest.mark.parametrize("function", ["huge", "past_words"])
def test_declared_sizes(call, function):
    """More than 2^31 elements, and more than words count."""
    for wrong in (
        np.zeros(4, np.int8),
        np.zeros((4, 4), np.float32),
        np.broadcast_to(np.float32(0), (1 << 32, 1)),
    ):
        with pytest.raises((TypeError, ValueError), match=f"{function}: argument 0: expected"):
            call(function)(wrong)


def test_declared_sizes_of_packed(call):
    for wrong in (
        np.zeros(4, np.uint8),
        np.zeros(4, ml_dtypes.int4),
        Packed(np.zeros(4, np.uint8), (8,)),
    ):
        with pytest.raises(ValueError, match="huge_packed: argument 0: expected"):
            call("huge_packed")(wrong)


@pytest.mark.parametrize("function", ["past_words_result", "past_words_packed"])
def test_results_past_all_memory(call, function):
    with pytest.raises((MemoryError, ValueError)):
        call(function)()


@pytest.mark.parametrize("size", [-1, -(1 << 63), 1 << 46, 1 << 61, 1 << 62, (1 << 63) - 1])
def test_results_of_any_size(call, size):
    for function, *sizes in (
        ("empty", size),
        ("empty_words", size),
        ("empty_packed", size, 2),
        ("empty_packed", size, size),
    ):
        with pytest.raises((MemoryError, ValueError)):
            call(function)(*sizes)
    assert call("empty")(0).shape == (0,)
    assert call("empty_packed")(0, 5).shape == (0, 5)


def test_size_beside_no_elements(call):
    """The function tells a size, and needs no memory for the result."""
    function, sizes = call("no_elements_packed"), np.array([5], np.int64)
    assert function(sizes).shape == (5, 0)
    out = np.empty((5, 0), ml_dtypes.int4)
    assert function(sizes, out=out) is out
    with pytest.raises(ValueError, match=r"out 0: expected int4 array of shape \(5, 0\)"):
        function(sizes, out=np.empty((4, 0), ml_dtypes.int4))
