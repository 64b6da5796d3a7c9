# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The intrinsics as tools/verify --prove defines them, against the machine where it has the instruction."""

import ctypes
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from build_tree import LLVM_TOOLS, SOURCE, run_tool
from mlir import ir

sys.path.insert(0, str(SOURCE / "tools"))

from proving import dialects, terms  # noqa: E402
from proving.dialects.llvm import INTRINSICS  # noqa: E402
from proving.interpreter import Machine  # noqa: E402
from proving.values import Array, Element  # noqa: E402

import mlir_qdq  # noqa: E402

assert dialects  # fills the interpreter's table
CPUINFO = Path("/proc/cpuinfo")
FLAGS = set(CPUINFO.read_text().split()) if CPUINFO.exists() else set()
BYTES, HALVES, WORDS = "64xi8", "32xi16", "16xi32"
#: (name after llvm.x86., flag of the processor, operands, result)
CASES = [
    *(
        (f"avx512.{name}.{{}}", "avx512bw", (wide, wide), narrow)
        for name, wide, narrow in [
            ("packssdw", WORDS, HALVES),
            ("packusdw", WORDS, HALVES),
            ("packsswb", HALVES, BYTES),
            ("packuswb", HALVES, BYTES),
        ]
    ),
    ("avx512.permvar.si.512", "avx512f", (WORDS, WORDS), WORDS),
    ("avx512.permvar.hi.{}", "avx512bw", (HALVES, HALVES), HALVES),
    ("avx512.permvar.qi.{}", "avx512vbmi", (BYTES, BYTES), BYTES),
    ("avx512.vpermi2var.d.{}", "avx512f", (WORDS, WORDS, WORDS), WORDS),
    ("avx512.vpermi2var.hi.{}", "avx512bw", (HALVES, HALVES, HALVES), HALVES),
    ("avx512.vpermi2var.qi.{}", "avx512vbmi", (BYTES, BYTES, BYTES), BYTES),
    ("avx512.pshuf.b.{}", "avx512bw", (BYTES, BYTES), BYTES),
    ("avx512.vpdpbusd.{}", "avx512_vnni", (WORDS, BYTES, BYTES), WORDS),
    ("avx512.vpdpwssd.{}", "avx512_vnni", (WORDS, HALVES, HALVES), WORDS),
    ("avx512.pmaddw.d.{}", "avx512bw", (HALVES, HALVES), WORDS),
    ("avx512.pmaddubs.w.{}", "avx512bw", (BYTES, BYTES), HALVES),
]


def halved(shape: str) -> str:
    count, element = shape.split("x")
    return f"{int(count) // 2}x{element}"


def name_of(case, bits: int) -> str:
    """As LLVM spells it for registers of these bits."""
    name = case[0]
    if bits == 256 and "pmadd" in name:
        return f"llvm.x86.avx2.{'pmadd.ub.sw' if 'ubs' in name else 'pmadd.wd'}"
    if bits == 256 and ("pack" in name or "pshuf" in name):
        return f"llvm.x86.{name.replace('avx512', 'avx2').removesuffix('.{}')}"
    return f"llvm.x86.{name.format(bits)}"


def shapes_of(case, bits: int) -> tuple[list[str], str]:
    change = halved if bits == 256 else str
    return [change(shape) for shape in case[2]], change(case[3])


def program(case, bits: int) -> str:
    """The intrinsic as @f, in MLIR."""
    operands, result = shapes_of(case, bits)
    parameters = ", ".join(f"%a{i}: vector<{shape}>" for i, shape in enumerate(operands))
    values = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = ", ".join(f"vector<{shape}>" for shape in operands)
    return (
        f"func.func @f({parameters}) -> vector<{result}> {{\n"
        f'  %r = llvm.call_intrinsic "{name_of(case, bits)}"({values}) : ({types}) -> vector<{result}>\n'
        f"  return %r : vector<{result}>\n}}\n"
    )


def function(case, bits: int) -> str:
    """The intrinsic on what pointers say, in LLVM IR."""
    operands, result = (
        [f"<{s.replace('x', ' x ')}>" for s in shapes]
        for shapes in (shapes_of(case, bits)[0], [shapes_of(case, bits)[1]])
    )
    count = range(len(operands))
    name = name_of(case, bits)
    lines = [
        f"declare {result[0]} @{name}({', '.join(operands)})",
        f"define void @{symbol_of(case, bits)}(ptr %r, {', '.join(f'ptr %p{i}' for i in count)}) {{",
        *(f"  %a{i} = load {operands[i]}, ptr %p{i}, align 1" for i in count),
        f"  %v = call {result[0]} @{name}({', '.join(f'{operands[i]} %a{i}' for i in count)})",
        f"  store {result[0]} %v, ptr %r, align 1",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


def symbol_of(case, bits: int) -> str:
    return f"{case[0]}{bits}".replace(".", "_").replace("{}", "")


def has(case, bits: int) -> bool:
    is_narrow = ".avx2." in name_of(case, bits)
    return ({"avx2"} if is_narrow else {case[1], "avx512vl"}) <= FLAGS


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The intrinsics that this machine has, compiled."""
    folder = tmp_path_factory.mktemp("intrinsics")
    source = folder / "all.ll"
    source.write_text(
        "".join(
            function(case, bits)
            for case in CASES
            for bits in (512, 256)
            if has(case, bits) and (bits == 512 or "{}" in case[0])
        )
    )
    library = folder / "all.so"
    run_tool(LLVM_TOOLS / "clang", "-march=native", "-O1", "-shared", "-fPIC", "-Wno-override-module", source, "-o", library)  # fmt: skip
    return ctypes.CDLL(str(library))


def some(rng: random.Random, shape: str) -> np.ndarray:
    """Any bits; often small, or an end of the type or of a narrower one."""
    count, element = shape.split("x")
    width = int(element[1:])
    ends = [-(1 << n) + d for n in (7, 8, 15, 16, width - 1) for d in (-1, 0, 1)]
    ends += [(1 << n) + d for n in (7, 8, 15, 16) for d in (-2, -1, 0)]
    values = [
        rng.choice(ends) if rng.random() < 0.5 else rng.getrandbits(width)
        for _ in range(int(count))
    ]
    return np.array([v & (1 << width) - 1 for v in values], f"u{width // 8}").view(f"i{width // 8}")


def defined(text: str, columns) -> list[int]:
    """What the interpreter gives for these constants."""
    terms.forget()
    with ir.Context() as context, ir.Location.unknown():
        mlir_qdq.register(context)
        arguments = [
            Array((c.size,), tuple(Element.of(terms.constant(int(v), 8 * c.itemsize)) for v in c))
            for c in columns
        ]
        (result,) = Machine(ir.Module.parse(text)).call("f", arguments)
        assert all(e.poison.value == 0 for e in result.elements)
        return [e.bits.value for e in result.elements]


def test_every_intrinsic_of_a_machine_has_a_case():
    names = {name_of(case, bits) for case in CASES for bits in (512, 256)}
    found = {name for name in INTRINSICS if ".x86." in name}
    # That of SSSE3 is one function with those of AVX2 and AVX-512.
    assert found - {"llvm.x86.ssse3.pshuf.b"} <= {
        re.sub(r"\.(256|512)$", "", name) for name in names
    }


@pytest.mark.parametrize("bits", [512, 256])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].removesuffix(".{}"))
def test_definition_is_that_of_the_machine(case, bits, request):
    if not has(case, bits) or bits == 256 and "512" in case[0].split(".")[-1]:
        pytest.skip(f"no {case[1]}")
    call = request.getfixturevalue("machine")[symbol_of(case, bits)]
    text, (operands, result) = program(case, bits), shapes_of(case, bits)
    rng = random.Random(0)
    for _ in range(8):
        columns = [some(rng, shape) for shape in operands]
        got = some(rng, result)
        call(*(ctypes.c_void_p(array.ctypes.data) for array in (got, *columns)))
        assert got.view(f"u{got.itemsize}").tolist() == defined(text, columns)
