# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles modules in process and calls their functions with NumPy arrays.

    compiled = runtime.compile(module, rounding="floor")
    q = compiled.quantize(x, scale)             # compiled["odd-name"](x) works as well
    compiled.quantize(x, scale, out=q)          # no new memory

`compile` runs the pipeline `quant-to-llvm` on a copy of the module, with any of
its options. Each public function takes and returns what its type says *before*
lowering:

| type                                  | array                                          |
|---------------------------------------|------------------------------------------------|
| `f32`, `f16`, `f64`, `i1`, `index`    | float32, float16, float64, bool, int64         |
| `bf16`, `f8...`, `f6...`, `f4...`     | `ml_dtypes`                                    |
| `i8`, `si8`, `ui8`, ... 16, 32, 64    | int8, int8, uint8, ...                         |
| `i4`, `ui4`, `i2`, `ui2`              | `ml_dtypes` int4, uint4, int2, uint2           |
| integers of other widths              | the next wider NumPy integer; codes must fit   |
| `!quant.uniform<u8:f32, ...>`         | its storage type (uint8)                       |
| `tensor<...>`, ranked or unranked     | an array of that shape; any memory layout      |
| `memref<...>`, arguments only         | an array of that shape, which the call changes |
| a scalar                              | a NumPy scalar; a Python number as argument    |

Nothing is cast: a wrong dtype is a TypeError; a wrong shape, rank or layout, or a
Python number that the type cannot hold, is a ValueError. Sizes that types leave open
but that must agree (a scale with its axis) are checked before the call and raise
ValueError too, unless `runtime_checks=False`; so does a check on what only the data
determine, in the compiled code, which loses the memory that it had allocated. Within
a loop that threads share it aborts the process.

Tensors of less than a byte an element are packed at the boundary: row-major, the
first element in the lowest bits. Arrays with an element in each byte are packed
and unpacked for you. A C-contiguous uint8 array of exactly ceil(elements * bits / 8)
bytes is taken as packed, without a copy, as an argument and in `out`, unless it has the
dtype and shape of the tensor itself, as one of up to 7 unsigned elements can: that is
one with an element in each byte. Where the type leaves sizes open, or bytes have the
shape of the tensor, `Packed(bytes, shape)` says what they are.

Arguments of `memref` type are read and written in place: writable C-contiguous arrays that
share no memory with another argument. Other arguments are never written to. Results are new
arrays, or those of `out`: one array, or a tuple with an array or None for each result. If an `out` shares memory with an
argument, the result is computed aside and copied.

Compiled code is kept in files, in the user's cache directory, and loaded again for the
same module, options, processor and versions. MLIR_QDQ_CACHE names another directory, or is
"off" or "lowered": docs/Runtime.md, which also says what calls and compilation cost.
"""

from ._compile import compile
from ._elements import Packed, pack, unpack
from ._function import Compiled, Function

__all__ = ["Compiled", "Function", "Packed", "compile", "pack", "unpack"]
