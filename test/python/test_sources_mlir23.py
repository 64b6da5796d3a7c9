# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types and ops that MLIR 23 adds, compiled: float and quantile storage of the quant dialect, and TOSA's operators on blocks.

The text of quant.qcast and quant.dcast is stated in NumPy, with ml_dtypes for the rounding to a small float, to even and with
saturation. TOSA's results are those of its reference model, by tools/record-vectors/tosa_blocks.py and tosa_block_ops.py.
"""

import ml_dtypes
import numpy as np
import pytest
from build_tree import LLVM_MAJOR
from kernels import same, specials
from test_sources_tosa import BLOCKS, DATA, RECORDED, module, same_reals

from mlir_qdq import runtime

pytestmark = pytest.mark.skipif(LLVM_MAJOR < 23, reason="types and ops of MLIR 23")

STATEMENT = "NumPy statement of the dialect's text, with ml_dtypes"
MODEL = "TOSA's reference model"
FLOATS = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f4E2M1FN": ml_dtypes.float4_e2m1fn}  # fmt: skip
EXPRESSED = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}
#: How the type says which elements share a scale, and the shape of the scales. A block type crashes MLIR's parser:
#: docs/upstream/sub-channel-float-storage.
PLACES = {"tensor": ("", (1, 1)), "axis": (":1", (1, 6))}
SHAPE = (300, 6)


def quant_type(storage, expressed, place, scale):
    scales = ", ".join(str(float(value)) for value in scale.ravel())
    return (
        f"!quant.uniform<{storage}:{expressed}{place}, {scales if not place else f'{{{scales}}}'}>"
    )


def proves(system, operation, against, storages, granularity):
    """Parameters of `storage`, of which each proves a row of docs/Sources.md."""
    marks = {"against": against, "granularity": granularity}
    return pytest.mark.parametrize("storage", [
        pytest.param(s, marks=pytest.mark.proves(system, operation, storage=s, **marks)) for s in storages
    ])  # fmt: skip


@proves("MLIR quant", "dcast; qcast of floats", STATEMENT, FLOATS, "axis, tensor")
@pytest.mark.parametrize("expressed", list(EXPRESSED))
@pytest.mark.parametrize("place", list(PLACES))
def test_float_storage(storage, expressed, place):
    random = np.random.default_rng(41)
    real, code = EXPRESSED[expressed], FLOATS[storage]
    spelled, shape = PLACES[place]
    scale = (random.integers(1, 256, shape) / 128).astype(real)
    codes = f"tensor<?x6x{quant_type(storage, expressed, spelled, scale)}>"
    compiled = runtime.compile(f"""
        func.func @q(%x: tensor<?x6x{expressed}>) -> {codes} {{
          %q = quant.qcast %x : tensor<?x6x{expressed}> to {codes}
          return %q : {codes}
        }}
        func.func @d(%q: {codes}) -> tensor<?x6x{expressed}> {{
          %x = quant.dcast %q : {codes} to tensor<?x6x{expressed}>
          return %x : tensor<?x6x{expressed}>
        }}""")
    bits = ml_dtypes.finfo(code).bits
    every = np.resize(np.arange(2**bits, dtype=np.uint8), SHAPE).view(code)
    with np.errstate(all="ignore"):
        assert same(compiled.d(every), every.astype(real) * scale).all()
        # Codes, ties between two of them, and all magnitudes.
        x = (every.astype(np.float32) * random.choice([1, 1.0625, 1.125, 1.25], SHAPE)).astype(
            real
        ) * scale
        x = np.where(
            random.random(SHAPE) < 0.7, x, random.normal(size=SHAPE).astype(real) * real(30)
        )
        x.ravel()[: specials(real).size] = specials(real)
        if bits == 4:  # no code is NaN, and no text says what it becomes
            x[np.isnan(x)] = real(5)
        ratio, most = (x / scale).astype(np.float32), float(ml_dtypes.finfo(code).max)
        expected = np.clip(ratio, -most, most).astype(code)
    assert same(compiled.q(x), expected).all()


@pytest.mark.proves(
    "MLIR quant", "dcast of quantiles", against=STATEMENT, storage="ui4", granularity="axis, tensor"
)
@pytest.mark.parametrize("entry", ["f16", "bf16", "f8E4M3FN"])
@pytest.mark.parametrize("place", list(PLACES))
def test_quantiles(entry, place):
    random = np.random.default_rng(42)
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn}[
        entry
    ]
    table = np.sort(random.normal(size=16))
    spelled, shape = PLACES[place]
    scale = (random.integers(1, 256, shape) / 128).astype(np.float32)
    storage = f"!quant.quantile<ui4:{entry}, {{{', '.join(map(repr, table.tolist()))}}}>"
    codes = f"tensor<?x6x{quant_type(storage, 'f32', spelled, scale)}>"
    scalar = quant_type(storage, "f32", "", np.float32([0.5]))
    compiled = runtime.compile(f"""
        func.func @d(%q: {codes}) -> tensor<?x6xf32> {{
          %x = quant.dcast %q : {codes} to tensor<?x6xf32>
          return %x : tensor<?x6xf32>
        }}
        func.func @rank0(%q: tensor<{scalar}>) -> tensor<f32> {{
          %x = quant.dcast %q : tensor<{scalar}> to tensor<f32>
          return %x : tensor<f32>
        }}""")
    places = random.integers(0, 16, SHAPE)
    entries = table.astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(
        compiled.d(places.astype(ml_dtypes.uint4)), entries[places] * scale
    )
    assert compiled.rank0(np.array(13, ml_dtypes.uint4)) == entries[13] / 2


MOVED = np.load(DATA / "tosa" / "block_ops.npz")
BLOCK = "{block_size = #tosa.block_size<BLOCK_SIZE_32>}"


def blocks(storage, name, source, shape):
    """Casts to blocks, and the types of codes and scales."""
    codes = f"tensor<{shape}x{storage}>"
    scales = f"tensor<{'x'.join([*shape.split('x')[:-1], str(int(shape.split('x')[-1]) // 32)])}xf8E8M0FNU>"
    text = f"%{name}, %{name}s = tosa.cast_to_block_scaled %{source} {BLOCK} : (tensor<{shape}xf32>) -> ({codes}, {scales})"
    return text, codes, scales


@proves("TOSA", "conv2d_block_scaled", MODEL, BLOCKS, "block")
@pytest.mark.parametrize("batch", ["2", "?"])
def test_conv2d(storage, batch):
    """Sums that are exact."""
    x, w = blocks(storage, "p", "x", f"{batch}x5x4x64"), blocks(storage, "q", "w", "3x3x2x64")
    result = f"tensor<{batch}x2x5x3xf32>"
    text = f"""
func.func @f(%x: tensor<{batch}x5x4x64xf32>, %w: tensor<3x3x2x64xf32>, %bias: tensor<3xf32>) -> {result} {{
  {x[0]}
  {w[0]}
  %pad = tosa.const_shape {{values = dense<[1, 0, 2, 1]> : tensor<4xindex>}} : () -> !tosa.shape<4>
  %stride = tosa.const_shape {{values = dense<[3, 1]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %dilation = tosa.const_shape {{values = dense<[1, 2]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %y = tosa.conv2d_block_scaled %p, %ps, %q, %qs, %bias, %pad, %stride, %dilation {{block_size = BLOCK_SIZE_32}}
    : ({x[1]}, {x[2]}, {w[1]}, {w[2]}, tensor<3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> {result}
  return %y : {result}
}}"""
    ours = runtime.compile(module(text)).f(MOVED["x"], MOVED["w"], MOVED["bias"])
    same_reals(ours, MOVED[f"{storage}.conv"])


@proves("TOSA", "reshape_block_scaled; row_gather_block_scaled", MODEL, BLOCKS, "block")
def test_movement(storage):
    x, rows = blocks(storage, "p", "x", "2x5x4x64"), blocks(storage, "r", "rows", "2x7x64")
    data, scale = f"tensor<4x5x128x{storage}>", "tensor<4x5x4xf8E8M0FNU>"
    moved, moved_scale = f"tensor<2x8x64x{storage}>", "tensor<2x8x2xf8E8M0FNU>"
    text = f"""
func.func @reshape(%x: tensor<2x5x4x64xf32>) -> tensor<4x5x128xf32> {{
  {x[0]}
  %n = tosa.const_shape {{values = dense<[4, 5, 128]> : tensor<3xindex>}} : () -> !tosa.shape<3>
  %d, %s = tosa.reshape_block_scaled %p, %ps, %n {{block_size = #tosa.block_size<BLOCK_SIZE_32>, operandSegmentSizes = array<i32: 2, 1>}}
    : ({x[1]}, {x[2]}, !tosa.shape<3>) -> ({data}, {scale})
  %y = tosa.cast_from_block_scaled %d, %s {BLOCK} : ({data}, {scale}) -> tensor<4x5x128xf32>
  return %y : tensor<4x5x128xf32>
}}
func.func @gather(%rows: tensor<2x7x64xf32>, %i: tensor<2x4xi32>) -> tensor<2x8x64xf32> {{
  {rows[0]}
  %n = "tosa.const"() <{{values = dense<2> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %d, %s = tosa.row_gather_block_scaled %r, %rs, %i, %n {BLOCK}
    : ({rows[1]}, {rows[2]}, tensor<2x4xi32>, tensor<1xi32>) -> ({moved}, {moved_scale})
  %y = tosa.cast_from_block_scaled %d, %s {BLOCK} : ({moved}, {moved_scale}) -> tensor<2x8x64xf32>
  return %y : tensor<2x8x64xf32>
}}"""
    compiled = runtime.compile(module(text))
    same_reals(compiled.reshape(MOVED["x"]), MOVED[f"{storage}.reshape"])
    same_reals(compiled.gather(MOVED["rows"], MOVED["indices"]), MOVED[f"{storage}.gather"])
    # TOSA leaves rows outside of the values undefined; nothing outside of the buffer is read.
    far = np.full_like(MOVED["indices"], 2**31 - 1)
    np.testing.assert_array_equal(
        compiled.gather(MOVED["rows"], far)[:, :2],
        compiled.gather(MOVED["rows"], far * 0 + 5)[:, :2],
    )


@proves("TOSA", "cast to and from block_scaled", MODEL, BLOCKS, "block")
@pytest.mark.parametrize("expressed", ["f32", "bf16"])
@pytest.mark.parametrize("shape", ["32x64", "?x?"])
def test_block_scaled_type(storage, expressed, shape):
    blocked = f"tensor<{shape}x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:{storage}>>"
    text = f"""
func.func @f(%x: tensor<{shape}x{expressed}>) -> tensor<{shape}xf32> {{
  %b = tosa.cast %x : (tensor<{shape}x{expressed}>) -> {blocked}
  %y = tosa.cast %b : ({blocked}) -> tensor<{shape}xf32>
  return %y : tensor<{shape}xf32>
}}"""
    x = RECORDED["x"].astype(EXPRESSED[expressed])
    same_reals(runtime.compile(module(text)).f(x), RECORDED[f"{storage}.{expressed}.value"])
