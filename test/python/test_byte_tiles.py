# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products of bytes in tiles of AMX, whose instructions C code does here, as Intel's manual defines them."""

import ctypes
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from build_tree import LLVM_TOOLS, run_tool
from test_byte_products import codes, expect, iterators, product

TARGET = ("-mtriple=x86_64-linux-gnu", "-mcpu=sapphirerapids")
TILES = "-mattr=+amx-tile,+amx-int8"

MATMUL = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]

#: A tile is a pointer to 16 rows of 64 bytes, which nothing writes again.
INSTRUCTIONS = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { unsigned char byte[16][64]; } tile;
static tile *new_tile(uint16_t rows, uint16_t bytes) {
  if (rows > 16 || bytes > 64 || bytes % 4 != 0) abort();
  return calloc(1, sizeof(tile));
}
tile *tileloadd64(uint16_t rows, uint16_t bytes, const char *from, int64_t step) {
  tile *t = new_tile(rows, bytes);
  for (int row = 0; row < rows; ++row) memcpy(t->byte[row], from + row * step, bytes);
  return t;
}
void tilestored64(uint16_t rows, uint16_t bytes, char *to, int64_t step, tile *t) {
  for (int row = 0; row < rows; ++row) memcpy(to + row * step, t->byte[row], bytes);
}
#define DEFINE(name, A, B)                                                                    \\
  tile *name(uint16_t rows, uint16_t bytes, uint16_t inner, tile *c, tile *a, tile *b) {      \\
    tile *t = new_tile(rows, bytes);                                                          \\
    for (int m = 0; m < rows; ++m)                                                            \\
      for (int n = 0; n < bytes / 4; ++n) {                                                   \\
        uint32_t sum;                                                                         \\
        memcpy(&sum, &c->byte[m][4 * n], 4);                                                  \\
        for (int k = 0; k < inner; ++k)                                                       \\
          sum += (uint32_t)((A)a->byte[m][k] * (B)b->byte[k / 4][4 * n + k % 4]);             \\
        memcpy(&t->byte[m][4 * n], &sum, 4);                                                  \\
      }                                                                                       \\
    return t;                                                                                 \\
  }
DEFINE(tdpbssd, int8_t, int8_t)
DEFINE(tdpbsud, int8_t, uint8_t)
DEFINE(tdpbusd, uint8_t, int8_t)
DEFINE(tdpbuud, uint8_t, uint8_t)
"""


def compiled(folder, text: str, *options: str, target=TARGET, emit: str = "llvm") -> str:
    source, result = folder / "model.mlir", folder / f"model.{emit}"
    source.write_text(text.replace("@main", "@f"))
    run_tool("quant-compile", source, "-o", result, "--header", folder / "model.h", f"--emit={emit}", *target, *options)  # fmt: skip
    return result.read_text()


@pytest.fixture(scope="module")
def instructions(tmp_path_factory) -> Path:
    """An object file."""
    folder = tmp_path_factory.mktemp("instructions")
    source, made = folder / "instructions.c", folder / "instructions.o"
    source.write_text(INSTRUCTIONS)
    run_tool(LLVM_TOOLS / "clang", "-O1", "-fPIC", "-c", source, "-o", made)
    return made


def call(folder, instructions, text: str, arguments, result: np.ndarray) -> np.ndarray:
    code = compiled(folder, text, TILES)
    assert re.search(r"tdpb[us]{2}d", code) and "vpdpbusd" not in code
    code = re.sub(r"llvm\.x86\.(\w+)\.internal", r"\1", code.replace("x86_amx", "ptr"))
    (folder / "model.ll").write_text(code)
    run_tool(
        LLVM_TOOLS / "clang", "-O1", "-shared", "-fPIC", "-Wno-override-module",
        folder / "model.ll", instructions, "-o", folder / "model.so",
    )  # fmt: skip
    function = ctypes.CDLL(str(folder / "model.so")).f
    assert function(*(ctypes.c_void_p(a.ctypes.data) for a in (*arguments, result))) == 0
    return result


#: Rows: a tile, rows that share a tile with others, two tiles, a last tile of other rows, and ones that would be
#: fewer than 16.
ROWS = [16, 17, 32, 40, 97, 103]


@pytest.mark.every_pair
@pytest.mark.parametrize(("signs", "rows"), [*itertools.product(["ss", "su", "us", "uu"], [40]), *(("us", m) for m in ROWS)])  # fmt: skip
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("is_constant", [False, True])
def test_matmul(tmp_path, instructions, signs, rows, is_transposed, is_constant):
    m, n, k = rows, 48, 128
    x, w = codes((m, k), signs[0], 1), codes((k, n), signs[1], 2)
    start = np.random.default_rng(3).integers(-(2**31), 2**31, (m, n)).astype(np.int32)
    weight = np.ascontiguousarray(w.T) if is_transposed else w
    maps = [
        "(m, n, k) -> (m, k)",
        f"(m, n, k) -> ({'n, k' if is_transposed else 'k, n'})",
        "(m, n, k) -> (m, n)",
    ]
    types = [
        f"tensor<{m}x{k}xi8>",
        f"tensor<{'x'.join(map(str, weight.shape))}xi8>",
        f"tensor<{m}x{n}xi32>",
    ]
    text = product(maps, iterators(2, 1), signs, types, weight if is_constant else None)
    arguments = [x, start] if is_constant else [x, weight, start]
    got = call(tmp_path, instructions, text, arguments, np.zeros((m, n), np.int32))
    np.testing.assert_array_equal(got, expect(x.astype(np.int64) @ w.astype(np.int64), start))


@pytest.mark.parametrize("step", [1, 2])
def test_convolution(tmp_path, instructions, step):
    """Rows of pixels, `step` apart."""
    side, channels, filters = 18, 64, 32
    width = 2 * side * step
    x, w = codes((1, 3, width, channels), "u", 4), codes((2, 3, channels, filters), "s", 5)
    out = (1, 2, (width - 3) // step + 1, filters)
    maps = [
        f"(b, h, w, o, i, j, c) -> (b, h + i, {step} * w + j, c)",
        "(b, h, w, o, i, j, c) -> (i, j, c, o)",
        "(b, h, w, o, i, j, c) -> (b, h, w, o)",
    ]
    types = [
        f"tensor<{'x'.join(map(str, shape))}x{kind}>"
        for shape, kind in ((x.shape, "i8"), (w.shape, "i8"), (out, "i32"))
    ]
    start = np.zeros(out, np.int32)
    expected = np.zeros(out, np.int64)
    for i, j in itertools.product(range(2), range(3)):
        part = x[:, i : i + out[1], j : j + step * (out[2] - 1) + 1 : step].astype(np.int64)
        expected += part @ w[i, j].astype(np.int64)
    text = product(maps, iterators(4, 3), "us", types)
    got = call(tmp_path, instructions, text, [x, w, start], np.zeros(out, np.int32))
    np.testing.assert_array_equal(got, expect(expected, start))


@pytest.mark.parametrize(("m", "n", "k"), [(15, 48, 128), (16, 47, 128), (16, 48, 126)])
def test_others(tmp_path, m, n, k):
    """What has no whole tiles is multiplied in vectors, and so is all without the features by name."""
    types = [f"tensor<{m}x{k}xi8>", f"tensor<{k}x{n}xi8>", f"tensor<{m}x{n}xi32>"]
    code = compiled(tmp_path, product(MATMUL, iterators(2, 1), "us", types), TILES)
    assert "vpdpbusd" in code and "tdpb" not in code


@pytest.mark.parametrize(
    "attributes", ["+amx-int8,-amx-int8", "+amx-int8,-amx-tile", "+amx-int8,-avx512vnni"]
)
def test_features_taken_back(tmp_path, attributes):
    types = ["tensor<32x64xi8>", "tensor<64x32xi8>", "tensor<32x32xi32>"]
    text = product(MATMUL, iterators(2, 1), "us", types)
    assert "tdpb" not in compiled(tmp_path, text, f"-mattr={attributes}", emit="asm")


def test_few_rows_beside_many(tmp_path):
    """Of two products with one weight, one has no tiles: both read one panel."""
    text = """
    func.func @main(%x: tensor<48x128xi8>, %y: tensor<8x128xi8>, %w: tensor<128x32xi8>) -> tensor<56x32xi32> {
      %z = arith.constant dense<0> : tensor<48x32xi32>
      %u = arith.constant dense<0> : tensor<8x32xi32>
      %a = linalg.matmul ins(%x, %w : tensor<48x128xi8>, tensor<128x32xi8>) outs(%z : tensor<48x32xi32>) -> tensor<48x32xi32>
      %b = linalg.matmul ins(%y, %w : tensor<8x128xi8>, tensor<128x32xi8>) outs(%u : tensor<8x32xi32>) -> tensor<8x32xi32>
      %r = tensor.concat dim(0) %a, %b : (tensor<48x32xi32>, tensor<8x32xi32>) -> tensor<56x32xi32>
      return %r : tensor<56x32xi32>
    }"""
    code = compiled(tmp_path, text, TILES)
    assert "tdpbssd" in code and "vpdpbusd" in code


def test_without_features(tmp_path):
    """A program has to ask Linux for tiles: the processor's name is not enough."""
    types = ["tensor<32x64xi8>", "tensor<64x32xi8>", "tensor<32x32xi32>"]
    text = product(MATMUL, iterators(2, 1), "us", types)
    assert "tdpb" not in compiled(tmp_path, text)
    assert "tdpbusd" in compiled(tmp_path, text, TILES, emit="asm")


@pytest.mark.parametrize(
    ("target", "unsigned", "signed"),
    [
        (("x86_64-linux-gnu", "haswell"), "vpmaddwd", "vpmaddwd"),
        (("x86_64-linux-gnu", "skylake-avx512"), "vpmaddwd", "vpmaddwd"),
        (("x86_64-linux-gnu", "alderlake"), "vpdpbusd", "vpdpbusd"),
        (("x86_64-linux-gnu", "znver4"), "vpdpbusd", "vpdpbusd"),
        (("aarch64-linux-gnu", "cortex-a76"), "sdot", "sdot"),
        (("aarch64-linux-gnu", "neoverse-n2"), "usdot", "sdot"),
        (("riscv64-linux-gnu", "spacemit-x60"), "vwmacc.vx", "vwmacc.vx"),
    ],
)
def test_instructions(tmp_path, target, unsigned, signed):
    """The innermost loop of each processor multiplies bytes, or on RISC-V i16, and nothing wider."""
    types = ["tensor<8x256xi8>", "tensor<256x64xi8>", "tensor<8x64xi32>"]
    for signs, instruction in (("us", unsigned), ("ss", signed)):
        text = product(MATMUL, iterators(2, 1), signs, types)
        triple, cpu = target
        names = (f"-mtriple={triple}", f"-mcpu={cpu}")
        code = compiled(tmp_path, text, target=names, emit="asm")
        assert re.search(rf"\t{re.escape(instruction)}\t", code), signs
        assert not re.search(r"\t(vpmulld|mul\tv|mla\tv|smlal|vmul\.v|vmacc\.v)", code), signs
