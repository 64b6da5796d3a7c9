# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What outlives what, and several threads at once: builders, passes, compiled functions, diagnostics."""

import concurrent.futures
import gc
import subprocess
import sys
import threading

import mlir_qdq
import numpy as np
import pytest
from build_tree import ENVIRONMENT
from mlir import ir
from mlir.dialects import func
from mlir_qdq import passes, runtime
from mlir_qdq.dialects import qdq


def quantizer(shift: int) -> ir.Module:
    """@f(x) = x, quantized by scale 1 with the zero point `shift`, in a context of its own."""
    with ir.Context() as context, ir.Location.unknown():
        mlir_qdq.register(context)
        module = ir.Module.create()
        f32, i8 = ir.F32Type.get(), ir.IntegerType.get_signless(8)
        source = ir.RankedTensorType.get([ir.ShapedType.get_dynamic_size()], f32)
        result = ir.RankedTensorType.get([ir.ShapedType.get_dynamic_size()], i8)
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("f", ([source], [result]))
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            scale = ir.Operation.parse("%s = arith.constant 1.0 : f32")
            zero = ir.Operation.parse(f"%z = arith.constant {shift} : i8")
            for op in (scale, zero):
                block.append(op)
            code = qdq.quantize(result, block.arguments[0], scale, zero_point=zero)
            func.ReturnOp([code])
        assert module.operation.verify()
    return module


X = np.array([0.5, 1.5, 2.5, -3.5, 200.0], np.float32)


def expected(shift):
    return np.clip(np.rint(X) + shift, -128, 127).astype(np.int8)


def test_functions_outlive_their_module():
    module = quantizer(3)
    function = runtime.compile(module).f
    del module
    gc.collect()
    codes = function(X)
    del function
    gc.collect()
    np.testing.assert_array_equal(codes, expected(3))


def test_module_of_a_pass_outlives_its_context():
    module = quantizer(3)
    context = module.context
    assert passes.LowerQuant().run(module) == []
    del context
    gc.collect()
    assert "linalg.generic" in str(module)


def test_diagnostics_outlive_their_module(tmp_path):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(
            "func.func @f(%x: tensor<4xf32>, %s: tensor<3xf32>) -> tensor<4xi8> {\n"
            '  %q = "onnx.QuantizeLinear"(%x, %s) {axis = 0 : si64} '
            ": (tensor<4xf32>, tensor<3xf32>) -> tensor<4xi8>\n"
            "  return %q : tensor<4xi8>\n}"
        )
        with pytest.raises(passes.PassError) as failure:
            passes.LowerQuant().run(module, reproducer=tmp_path / "r.mlir")
    error = failure.value
    del module, context, failure
    gc.collect()
    (diagnostic,) = error.diagnostics
    assert "scale has 3 elements" in diagnostic.message
    assert str(diagnostic.location) == 'loc("-":2:8)'
    assert any("see current operation" in note.message for note in diagnostic.notes)
    assert str(tmp_path / "r.mlir") in error.command


def test_builders_take_places_and_locations():
    module = quantizer(3)
    block = module.body.operations[0].regions[0].blocks[0]
    *_, quantize, end = block.operations
    with module.context:
        there = ir.Location.name("there")
        real = qdq.dequantize(
            block.arguments[0].type,
            quantize.result,
            block.operations[0].result,
            loc=there,
            ip=ir.InsertionPoint(end),
        )
        other = qdq.DequantizeOp(
            real.type,
            quantize.result,
            block.operations[0].result,
            axis=None,
            loc=there,
            ip=ir.InsertionPoint(real.owner),
        )
    assert [op.operation.name for op in block.operations][-3:] == [
        "qdq.dequantize",
        "qdq.dequantize",
        "func.return",
    ]
    assert block.operations[3] == other and real.owner == block.operations[4].operation
    assert real.owner.location == there == other.location
    assert module.operation.verify()
    # Neither is given, and none is current.
    with pytest.raises((RuntimeError, ValueError)):
        qdq.dequantize(real.type, quantize.result, block.operations[0].result)


def in_threads(work, count=4):
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_build_compile_and_call():
    """Each with contexts of its own; half of the modules are compiled by two threads at once."""

    def work(number):
        for shift in (number, 40, 50):
            compiled = runtime.compile(quantizer(shift))
            np.testing.assert_array_equal(compiled.f(X), expected(shift))
            module = quantizer(shift)
            passes.LowerQuant().run(module)
            assert "qdq." not in str(module)

    in_threads(work)


def test_threads_share_compiled_functions():
    """The thread that compiled is gone when others call."""
    functions = {}

    def compile(number):
        functions[number] = runtime.compile(quantizer(60 + number)).f

    in_threads(compile)
    gc.collect()

    def call(_):
        for number, function in functions.items():
            out = np.empty(X.shape, np.int8)
            for _ in range(50):
                np.testing.assert_array_equal(function(X), expected(60 + number))
                assert function(X, out=out) is out
                np.testing.assert_array_equal(out, expected(60 + number))

    in_threads(call)


PROGRAM = """
import sys, threading
import numpy as np
from mlir import ir
import mlir_qdq
from mlir_qdq import runtime

context = ir.Context()
mlir_qdq.register(context)
module = ir.Module.parse('''
  func.func @f(%x: tensor<?xf32>, %s: f32) -> tensor<?xi8> {
    %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>
    return %q : tensor<?xi8>
  }''', context)
compiled = runtime.compile(module)
x = np.ones(100_000, np.float32)

def forever(started):
    while True:
        compiled.f(x, 1.0)
        started.set()

if "busy" in sys.argv:
    started = threading.Event()
    threading.Thread(target=forever, args=(started,), daemon=True).start()
    started.wait()
print(compiled.f(x, 1.0)[0])
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_the_interpreter_ends(state):
    """Nothing crashes or hangs when the process ends with all objects alive, or amid a call."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, state],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout) == (0, "1\n"), ended.stderr


def test_buffers_of_many_sizes_in_many_threads():
    """Buffers of a call are of the calls before: larger ones, smaller ones, those of ended threads."""
    text = """
    func.func @main(%x: tensor<?x?xi4>, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<?x?xi4>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }"""
    function = runtime.compile(text).main

    def calls(seed):
        random = np.random.default_rng(seed)
        for rows in random.integers(1, 600, 12):
            packed = random.integers(0, 256, rows * 512, np.uint8)
            scale = np.full((rows, 32), 0.5, np.float32)
            codes = np.stack([packed & 15, packed >> 4], -1).reshape(rows, 1024)
            expected = ((codes ^ 8).astype(np.int8) - np.int8(8)) * np.float32(0.5)
            got = function(runtime.Packed(packed, (rows, 1024)), scale)
            np.testing.assert_array_equal(got, expected)
        return True

    for _ in range(2):  # the threads of the first pool have ended then
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert all(pool.map(calls, range(8)))
