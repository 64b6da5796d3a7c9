# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Large resources: compiled code reads them where they are."""

import ctypes
import gc
import mmap

import mlir_qdq
import numpy as np
import pytest
from mlir import ir

from mlir_qdq import runtime
from mlir_qdq._mlir_libs import _qdq
from mlir_qdq.runtime import _cache, _compile

SIZE = 4 * _compile.LARGE_RESOURCE


def with_resource(text: str, array: np.ndarray) -> ir.Module:
    """The array is the constant that a function begins with."""
    module = ir.Module.parse(text)
    (constant, *_) = module.body.operations[0].regions[0].blocks[0].operations
    constant.operation.attributes["value"] = ir.DenseResourceElementsAttr.get_from_buffer(
        array, "weight", constant.results[0].type, alignment=array.itemsize
    )
    return module


def add(array: np.ndarray):
    """The sum of the array and x."""
    kind = f"tensor<{array.size}xf32>"
    text = f"""
    func.func @add(%x: {kind}) -> {kind} {{
      %w = arith.constant dense_resource<later> : {kind}
      %y = arith.addf %x, %w : {kind}
      return %y : {kind}
    }}"""
    with ir.Context(), ir.Location.unknown():
        return runtime.compile(with_resource(text, array)).add


@pytest.fixture
def objects(monkeypatch):
    """The object files of each compilation."""
    made, compile = [], _compile._objects

    def noted(*arguments):
        made.append(compile(*arguments))
        return made[-1]

    monkeypatch.setattr(_compile, "_objects", noted)
    return made


@pytest.mark.parametrize("cache", ["off", "files"])
def test_is_not_copied(cache, objects, monkeypatch, tmp_path):
    monkeypatch.setenv(_cache.VARIABLE, "off" if cache == "off" else str(tmp_path))
    array = np.random.default_rng(0).standard_normal(SIZE // 4, np.float32)
    for _ in range(2):
        function = add(array)
        np.testing.assert_array_equal(function(np.ones_like(array)), 1 + array)
        del function
        gc.collect()
    assert len(objects) == (2 if cache == "off" else 1)
    assert all(sum(map(len, made)) < SIZE / 4 for made in objects)
    # Other bytes are another module.
    np.testing.assert_array_equal(add(-array)(np.zeros_like(array)), -array)


def test_outlives_its_module():
    expected = np.arange(SIZE // 4, dtype=np.float32)
    function = add(expected.copy())
    gc.collect()
    held = [np.full(SIZE // 4, 7, np.float32) for _ in range(8)]  # memory that was freed
    np.testing.assert_array_equal(function(np.zeros_like(expected)), expected)
    assert len(held) == 8


def test_aligned_to_its_elements_only():
    memory = np.zeros(SIZE + 64, np.uint8)
    start = -memory.ctypes.data % 64 + 4
    array = memory[start : start + SIZE].view(np.float32)
    array[:] = np.arange(array.size)
    np.testing.assert_array_equal(add(array)(np.zeros_like(array)), array)


def test_small_ones_are_part_of_the_code(objects, monkeypatch):
    monkeypatch.setenv(_cache.VARIABLE, "off")
    array = np.arange(_compile.LARGE_RESOURCE // 8, dtype=np.float32)
    np.testing.assert_array_equal(add(array)(np.zeros_like(array)), array)
    assert sum(map(len, objects[0])) > array.nbytes


def test_made_by_a_pass(monkeypatch, tmp_path):
    """Codes of 4 bits are packed when the module is compiled, and are part of the code."""
    monkeypatch.setenv(_cache.VARIABLE, str(tmp_path))
    codes = np.random.default_rng(0).integers(-8, 8, SIZE, np.int8)
    kind = f"tensor<{SIZE}x"
    text = f"""
    func.func @read(%s: f32) -> {kind}f32> {{
      %w = arith.constant dense_resource<later> : {kind}i4>
      %y = qdq.dequantize %w scale %s : ({kind}i4>, f32) -> {kind}f32>
      return %y : {kind}f32>
    }}"""
    for _ in range(2):
        with ir.Context() as context, ir.Location.unknown():
            mlir_qdq.register(context)
            module = with_resource(text, codes)
            function = runtime.compile(module).read
        np.testing.assert_array_equal(function(0.5), codes * np.float32(0.5))
        del function
        gc.collect()


def test_in_a_full_address_space():
    """Code alone would fit into a gap, 3 GiB away from a constant of another object that it reads."""
    table = "constant @table({}) {{addr_space = 0 : i32}} : !llvm.array<67108864 x i8>"
    written = f"llvm.mlir.global external hidden {table.format('dense<7> : tensor<67108864xi8>')}"
    read = f"""
    llvm.mlir.global external hidden {table.format("")}
    llvm.func @read(%i: i64) -> i8 {{
      %table = llvm.mlir.addressof @table : !llvm.ptr
      %place = llvm.getelementptr %table[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %byte = llvm.load %place : !llvm.ptr -> i8
      llvm.return %byte : i8
    }}"""
    with ir.Context(), ir.Location.unknown():
        objects = [_qdq.code.compile(ir.Module.parse(text), 1, 3)[0] for text in (written, read)]
    gap = mmap.mmap(-1, 1 << 20)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    full = mmap.mmap(-1, 3 << 30, flags=flags, prot=mmap.PROT_READ)
    gap.close()
    loaded = _qdq.code.LoadedCode(objects, [], [])
    function = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_int64)(loaded.lookup("read"))
    assert function(67108863) == 7
    full.close()
