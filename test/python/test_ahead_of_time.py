# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-compile: C and C++ programs call its object files by its header, and compute what the reference says.

QDQ_TARGET=riscv64-linux-gnu: the programs are those of another machine, which qemu-user runs (tools/ecosystem/other-machines), and more of them:
with the vectors of that machine too. s390x has the first byte of a number in front.
"""

import itertools
import os
import shutil
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import packing_formats as formats
import pytest
from build_tree import LLVM_TOOLS, run_tool
from kernels import Kernel, codes, same
from test_sum_order import Product

TARGET = os.environ.get("QDQ_TARGET")
#: The system's compilers, or those that LLVM comes with.
COMPILERS = {
    "c": (shutil.which(os.environ.get("CC", "cc")) or LLVM_TOOLS / "clang", "-std=c99"),
    "c++": (shutil.which(os.environ.get("CXX", "c++")) or LLVM_TOOLS / "clang++", "-std=c++11"),
}
#: A prefix of a program, and the options of quant-compile.
RUNNER, EMULATION, OPTIONS = (), {}, {
    "native": ("-mcpu=native", "--pipeline-options=sum-order=lanes"),
    "O0-linalg": ("-O0", "--pipeline-options=target=linalg sum-order=lanes"),
}  # fmt: skip
#: The machines' vectors: options of quant-compile by name, and the machine that qemu has to be.
VECTORS = {
    "aarch64": ({"vectors": "-mattr=+sve2,+dotprod,+i8mm", "dotprod": "-mattr=+dotprod"}, "max"),
    "riscv64": ({"vectors": "-mattr=+v"}, "rv64,v=true,vext_spec=v1.0"),
    "s390x": ({"vectors": "-mcpu=z14"}, "max"),
}
MACHINE = TARGET.split("-")[0] if TARGET else None
IS_BIG_ENDIAN = MACHINE == "s390x"
if TARGET:
    COMPILERS = {"c": (f"{TARGET}-gcc", "-std=c99")}
    RUNNER = (f"qemu-{MACHINE}", "-L", f"/usr/{TARGET}")
    OPTIONS = {name: (f"-mtriple={TARGET}", *options[1:]) for name, options in OPTIONS.items()}
    for name, option in VECTORS[MACHINE][0].items():
        EMULATION[name] = ("-cpu", VECTORS[MACHINE][1])
        OPTIONS[name] = (f"-mtriple={TARGET}", option, OPTIONS["native"][-1])
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
RANDOM = np.random.default_rng(3)


@dataclass
class Call:
    """C code that calls a function with in0, in1, ... and fills out0, ..., and what these are.

    A block `{type name[count]}` stands for reading or writing.
    """

    kernel: "Kernel | Packing"
    #: The C types of the inputs, and that of the result.
    inputs: tuple[str, ...]
    output: str
    #: The call, with the sizes that the header asks for.
    code: str
    arguments: list = field(default_factory=list)


def pack4(array: np.ndarray) -> np.ndarray:
    """The first element in the low bits; the rest of the last byte is zero."""
    nibbles = array.astype(np.int8).view(np.uint8).ravel() & 15
    nibbles = np.append(nibbles, np.zeros(nibbles.size % 2, np.uint8)).reshape(-1, 2)
    return nibbles[:, 0] | nibbles[:, 1] << 4


CALLS = [
    Call(
        Kernel("quantize", "ui8", "f32", "f32", (5, 7), zero_point="ui8"),
        ("float", "float", "uint8_t"),
        "uint8_t",
        "f0(in0, *in1, *in2, out)",
    ),
    Call(
        Kernel("quantize", "i8", "f32", "f32", (5, 7), axis=1, dynamic=True),
        ("float", "float"),
        "int8_t",
        "f1(in0, 5, 7, in1, 7, out)",
    ),
    Call(
        Kernel("dequantize", "i4", "f16", "f16", (3, 64), block_shape=(1, 32)),
        ("uint8_t", "uint16_t"),
        "uint16_t",
        "f2(in0, in1, out)",
    ),
    Call(
        Kernel("quantize", "i4", "f32", "f32", (3, 5), dynamic=True),
        ("float", "float"),
        "uint8_t",
        "f3(in0, 3, 5, *in1, out)",
    ),
    Call(
        Kernel("dequantize", "ui4", "f32", "f32", (3, 5), dynamic=True),
        ("uint8_t", "float"),
        "float",
        "f4(in0, 3, 5, *in1, out)",
    ),
    Call(
        Kernel("quantize", "f8E4M3FN", "bf16", "bf16", (9,)),
        ("uint16_t", "uint16_t"),
        "uint8_t",
        "f5(in0, *in1, out)",
    ),
    Call(
        Kernel("quantize", "i16", "f64", "f64", (2, 3, 4), axis=0, zero_point="i16"),
        ("double", "double", "int16_t"),
        "int16_t",
        "f6(in0, in1, in2, out)",
    ),
]


C_TYPES = {
    "i4": "uint8_t", "ui4": "uint8_t", "i8": "int8_t", "ui8": "uint8_t", "i16": "int16_t", "ui16": "uint16_t",
    "f8E4M3FN": "uint8_t", "f8E5M2": "uint8_t", "f16": "uint16_t", "bf16": "uint16_t", "f32": "float", "f64": "double",
}  # fmt: skip
PLACES = ({}, {"axis": 1}, {"block_shape": (1, 32)})


def sweep():
    """Every pair of types, granularity and some roundings, which other tests compile for this machine."""
    storages = ("i4", "ui4", "i8", "ui8", "i16", "f8E4M3FN", "f8E5M2")
    for operation, storage, value, place in itertools.product(
        ("quantize", "dequantize"), storages, ("f16", "bf16", "f32", "f64"), PLACES
    ):
        for rounding in ("nearest-even", "floor") if operation == "quantize" else ("nearest-even",):
            kernel = Kernel(operation, storage, value, value, (3, 64), semantics={"rounding": rounding}, **place)  # fmt: skip
            types = (C_TYPES[storage], C_TYPES[value])
            source, target = types[::-1] if operation == "quantize" else types
            scale = "in1" if place else "*in1"
            yield Call(kernel, (source, C_TYPES[value]), target, f"f{{}}(in0, {scale}, out)")


@dataclass
class Packing:
    """qdq.unpack of containers to codes, or qdq.pack of codes to containers, in place of a Kernel."""

    operation: str
    packing: str
    containers: np.ndarray
    codes: np.ndarray

    def text(self, name: str) -> str:
        shapes = [
            f"tensor<{'x'.join(map(str, array.shape))}x{element}>"
            for array, element in (
                (self.containers, f"i{8 * self.containers.itemsize}"),
                (self.codes, "ui4"),
            )
        ]
        source, target = shapes if self.operation == "unpack" else shapes[::-1]
        return (
            f"func.func @{name}(%x: {source}) -> {target} {{\n"
            f"  %y = qdq.{self.operation} %x packing <{self.packing}> : ({source}) -> {target}\n"
            f"  return %y : {target}\n}}\n"
        )

    def arguments(self, _):
        return [self.containers if self.operation == "unpack" else self.codes]

    def expected(self, _):
        return self.codes if self.operation == "unpack" else self.containers, True


def packings():
    """Containers of one, two and four bytes, with four bits a code."""
    layouts = {
        "pmx-int4x4": ((5, 6), np.int16, formats.unpack_pmx),
        "gptq-v2": ((8, 5), np.int32, lambda c: formats.unpack_gptq(c, 4)),
        "gptq-v1, part = zero-point": ((3, 8), np.int32, lambda c: formats.unpack_gptq_zeros(c, 4, 1)),
        "awq-gemm": ((6, 3), np.int32, formats.unpack_awq_gemm),
        "awq-gemv": ((6, 3), np.int32, formats.unpack_awq_gemv),
        "matmulnbits": ((3, 4, 16), np.int8, lambda c: formats.unpack_matmulnbits(c, 4)),
    }  # fmt: skip
    for packing, (shape, dtype, unpack) in layouts.items():
        containers = RANDOM.integers(*np.array([np.iinfo(dtype).min, np.iinfo(dtype).max]), shape, dtype)  # fmt: skip
        container = f"int{8 * containers.itemsize}_t"
        codes = unpack(containers).astype(ml_dtypes.uint4)
        for operation in ("unpack", "pack"):
            source, target = (container, "uint8_t")[:: 1 if operation == "unpack" else -1]
            yield Call(Packing(operation, packing, containers, codes), (source,), target, "f{}(in0, out)")  # fmt: skip


@dataclass
class Sums:
    """A product in partial sums, whose bits are the same on all machines."""

    product: Product

    def text(self, name: str) -> str:
        return self.product.text.replace("@main", f"@{name}")

    def arguments(self, _):
        return self.product.given

    def expected(self, *_):
        return self.product.expected(), True


def products():
    """Weights in either layout, shorter and longer than the partial sums."""
    cases = [
        (3, 20, 100, "nk", "f32", None), (1, 24, 96, "kn", "f32", None), (2, 12, 256, "nk", "i4", 32),
        (5, 32, 128, "kn", "i8", 32), (4, 16, 128, "kn", "i4", 32), (2, 9, 64, "nk", "f8E4M3FN", 32),
        (2, 5, 70, "nk", "f64", None), (3, 6, 96, "kn", "bf16", None),
    ]  # fmt: skip
    for m, n, k, weight, storage, block in cases:
        expressed = storage if storage in ("f64", "bf16") else "f32"
        product = Product(m, n, k, weight, storage, block, expressed)
        real = C_TYPES[expressed]
        types = ([C_TYPES[storage]] if block else []) + [real] * 3
        inputs = ", ".join(f"in{i}" for i in range(len(types)))
        yield Call(Sums(product), tuple(types), real, f"f{{}}({inputs}, out)")


@dataclass
class ByteProduct:
    """Rows of codes of 8 bits, signed or not, times signed codes, in i32."""

    x: np.ndarray
    weight: np.ndarray

    def text(self, name: str) -> str:
        x, w = (f"tensor<{'x'.join(map(str, a.shape))}xi8>" for a in (self.x, self.weight))
        y = f"tensor<{len(self.x)}x{len(self.weight)}xi32>"
        extend = "extui" if self.x.dtype == np.uint8 else "extsi"
        return f"""
        func.func @{name}(%x: {x}, %w: {w}) -> {y} {{
          %zero = arith.constant 0 : i32
          %e = tensor.empty() : {y}
          %start = linalg.fill ins(%zero : i32) outs(%e : {y}) -> {y}
          %r = linalg.generic {{
              indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
              iterator_types = ["parallel", "parallel", "reduction"]}} ins(%x, %w : {x}, {w}) outs(%start : {y}) {{
          ^bb0(%p: i8, %q: i8, %sum: i32):
            %a = arith.{extend} %p : i8 to i32
            %b = arith.extsi %q : i8 to i32
            %t = arith.muli %a, %b : i32
            %u = arith.addi %sum, %t : i32
            linalg.yield %u : i32
          }} -> {y}
          return %r : {y}
        }}
        """

    def arguments(self, _):
        return [self.x.view(np.int8), self.weight]

    def expected(self, *_):
        return self.x.astype(np.int32) @ self.weight.astype(np.int32).T, True


def byte_products():
    """Whole vectors, and rows, columns and terms that are left over."""
    for kind, (m, n, k) in itertools.product((np.uint8, np.int8), ((1, 65, 70), (6, 17, 128))):
        x = RANDOM.integers(np.iinfo(kind).min, np.iinfo(kind).max, (m, k), kind, endpoint=True)
        weight = RANDOM.integers(-128, 127, (n, k), np.int8, endpoint=True)
        yield Call(ByteProduct(x, weight), ("int8_t", "int8_t"), "int32_t", "f{}(in0, in1, out)")


CALLS += packings()
CALLS += products()
CALLS += byte_products()
if TARGET:
    CALLS += sweep()
for index, call in enumerate(CALLS):
    call.code = call.code.format(index)


def as_bytes(array: np.ndarray) -> bytes:
    if array.dtype in (ml_dtypes.int4, ml_dtypes.uint4):
        return pack4(array).tobytes()
    return in_order(array).tobytes()


def in_order(array: np.ndarray) -> np.ndarray:
    """With the bytes of each element as the machine has them, or back."""
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return (bits.byteswap() if IS_BIG_ENDIAN else bits).view(array.dtype).reshape(array.shape)


def is_emulated(call: Call, options: str) -> bool:
    """Debian 12's qemu stops on an assertion of its own at RISC-V's vectors of f64 as integers."""
    is_stuck = (
        isinstance(call.kernel, Kernel)
        and (call.kernel.operation, call.kernel.value) == ("quantize", "f64")
        and call.kernel.storage.startswith(("i", "ui"))
    )
    return not (MACHINE == "riscv64" and options == "vectors" and is_stuck)


def program(calls: list[Call], expected_sizes: list[int], given: list[list[bytes]]) -> str:
    """Reads all inputs, makes all calls, writes all results."""
    lines = ['#include "model.h"', "#include <stdio.h>", "int main(void) {"]
    for call, size, arguments in zip(calls, expected_sizes, given):
        lines.append("{")
        for index, (kind, data) in enumerate(zip(call.inputs, arguments)):
            count = f"{len(data)} / sizeof({kind})"
            lines.append(f"static {kind} in{index}[{count}];")
            lines.append(f"if (fread(in{index}, 1, {len(data)}, stdin) != {len(data)}) return 2;")
        lines.append(f"static {call.output} out[{size} / sizeof({call.output})];")
        lines.append(f"if ({call.code} != 0) return 3;")
        lines.append(f"if (fwrite(out, 1, {size}, stdout) != {size}) return 4;")
        lines.append("}")
    lines += ["return 0;", "}"]
    return "\n".join(lines)


def build(directory, language: str, source: str, *objects, libraries=("-lm",)):
    compiler, standard = COMPILERS[language]
    (directory / "main.c").write_text(source)
    run_tool(
        compiler, "-x", language, standard, *STRICT, directory / "main.c", "-x", "none", *objects,
        f"-I{directory}", *libraries, "-o", directory / "main",
    )  # fmt: skip
    return directory / "main"


@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("name", OPTIONS)
def test_bits_of_c_program(tmp_path, language, name):
    text = "".join(call.kernel.text(f"f{index}") for index, call in enumerate(CALLS))
    (tmp_path / "model.mlir").write_text(text)
    run_tool(
        "quant-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.o",
        "--header", tmp_path / "model.h", *OPTIONS[name],
    )  # fmt: skip
    given, expected, defined = [], [], []
    calls = [call for call in CALLS if is_emulated(call, name)]
    for call in calls:
        arguments = [a for a in call.kernel.arguments(RANDOM) if a is not None]
        result, where = call.kernel.expected(*arguments)
        given.append([as_bytes(argument) for argument in arguments])
        expected.append(result)
        defined.append(where)
    sizes = [len(as_bytes(result)) for result in expected]
    main = build(tmp_path, language, program(calls, sizes, given), tmp_path / "model.o")
    runner = (*RUNNER, *EMULATION.get(name, ()))
    output = run_tool(*runner, main, input=b"".join(sum(given, [])), text=False).stdout
    assert len(output) == sum(sizes)
    for call, size, result, where in zip(calls, sizes, expected, defined):
        got, output = output[:size], output[size:]
        if result.dtype in (ml_dtypes.int4, ml_dtypes.uint4):
            assert got == as_bytes(result), call.code
        else:
            got = in_order(np.frombuffer(got, result.dtype).reshape(result.shape))
            assert same(got, result, where).all(), call.code


SIZES = """
#include "model.h"
#include <stdio.h>
int main(void) {
  float x[6] = {1, 2, 3, 4, 5, 6}, scale[3] = {1, 1, 2};
  int64_t sizes[3] = {-1, -1, -1};
  uint8_t bytes[3] = {0xee, 0xee, 0xee};
  if (f_sizes(x, 2, 3, scale, 3, sizes) != 0) return 1;
  if (sizes[0] != 3 || sizes[1] != 2 || sizes[2] != 3) return 1;
  if (f(x, 2, 3, scale, 3, bytes) != 0) return 2;
  /* 1 2 2, 4 5 3 */
  if (bytes[0] != 0x21 || bytes[1] != 0x42 || bytes[2] != 0x35) return 3;
  bytes[0] = 0xee;
  if (f_sizes(x, 3, 2, scale, 3, sizes) == 0) return 4;
  if (f(x, 3, 2, scale, 3, bytes) == 0 || bytes[0] != 0xee) return 5;
  return 0;
}
"""


def test_sizes_and_checks(tmp_path):
    kernel = Kernel("quantize", "i4", "f32", "f32", (2, 3), axis=1, dynamic=True)
    (tmp_path / "model.mlir").write_text(kernel.text("f"))
    run_tool(
        "quant-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.o",
        "--header", tmp_path / "model.h",
    )  # fmt: skip
    run_tool(build(tmp_path, "c", SIZES, tmp_path / "model.o"))


def test_threads(tmp_path):
    """Linked with OpenMP, on more work than one part."""
    kernel = Kernel("dequantize", "i8", "f32", "f32", (700_001,))
    (tmp_path / "model.mlir").write_text(kernel.text("f"))
    run_tool(
        "quant-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.o",
        "--header", tmp_path / "model.h", "--pipeline-options=threads=2",
    )  # fmt: skip
    source = """
#include "model.h"
#include <stdio.h>
static int8_t q[700001];
static float x[700001];
int main(void) {
  float scale;
  if (fread(&scale, 4, 1, stdin) != 1 || fread(q, 1, 700001, stdin) != 700001) return 1;
  if (f(q, scale, x) != 0) return 2;
  return fwrite(x, 4, 700001, stdout) != 700001;
}
"""
    libraries = (
        f"-L{LLVM_TOOLS.parent / 'lib'}",
        f"-Wl,-rpath,{LLVM_TOOLS.parent / 'lib'}",
        "-lomp",
    )
    main = build(tmp_path, "c", source, tmp_path / "model.o", libraries=libraries)
    q, scale = codes("i8", (700_001,), RANDOM), np.float32(0.3)
    output = run_tool(main, input=scale.tobytes() + q.tobytes(), text=False).stdout
    assert output == kernel.expected(q, scale)[0].tobytes()


HALVES = """
func.func @sum(%a: tensor<64xf16>, %b: tensor<64xf16>) -> tensor<64xf16> {
  %c = arith.addf %a, %b : tensor<64xf16>
  return %c : tensor<64xf16>
}
func.func @quantize_in_f16(%x: tensor<64xf16>, %s: tensor<f16>) -> tensor<64xi8> {
  %q = qdq.quantize %x scale %s semantics <compute = f16> : (tensor<64xf16>, tensor<f16>) -> tensor<64xi8>
  return %q : tensor<64xi8>
}
func.func @to_f16(%x: tensor<64xf64>, %s: tensor<f64>) -> tensor<64xf16> {
  %q = qdq.quantize %x scale %s : (tensor<64xf64>, tensor<f64>) -> tensor<64xf16>
  return %q : tensor<64xf16>
}
func.func @to_bf16(%x: tensor<64xf64>, %s: tensor<f64>) -> tensor<64xbf16> {
  %q = qdq.quantize %x scale %s : (tensor<64xf64>, tensor<f64>) -> tensor<64xbf16>
  return %q : tensor<64xbf16>
}
"""


@pytest.mark.parametrize("triple", ["riscv64-linux-gnu", "aarch64-linux-gnu", "x86_64-linux-gnu"])
def test_no_function_of_a_library(tmp_path, triple):
    """On the plainest machine: of the compiler's none, and of libm none with expand-math."""
    text = "".join(call.kernel.text(f"f{index}") for index, call in enumerate(CALLS))
    (tmp_path / "model.mlir").write_text(HALVES + text)
    for options, allowed in (("", {"roundevenf", "roundeven"}), ("expand-math", set())):
        run_tool(
            "quant-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.o", "--header",
            tmp_path / "model.h", f"-mtriple={triple}", f"--pipeline-options={options}",
        )  # fmt: skip
        named = run_tool(LLVM_TOOLS / "llvm-nm", "-u", "-j", tmp_path / "model.o").stdout.split()
        assert set(named) - {"malloc", "free", "memset", "memcpy"} <= allowed
