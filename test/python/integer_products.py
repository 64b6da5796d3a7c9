# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions and convolutions of dequantized operands as text, and their sums as exact integers of NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from mlir.ir import Context, Module
from test_sub_byte import random_codes

import mlir_qdq
from mlir_qdq import passes, runtime


def tensor(shape, element: str, dynamic: bool = False) -> str:
    sizes = ("?" if dynamic else str(size) for size in shape)
    return f"tensor<{''.join(s + 'x' for s in sizes)}{element}>"


def literal(value: np.ndarray) -> str:
    """As the elements of a `dense`, exactly."""
    if value.dtype == np.float32:
        value = value.view(np.uint32)
        text = str(np.vectorize(lambda bits: f"0x{bits:08X}", otypes=[object])(value).tolist())
    else:
        text = str(value.astype(np.int64).tolist())
    return text.replace("'", "") if value.size else ""


@dataclass
class Operand:
    """One operand. Letters name dimensions: of the codes, and of those that zero points and scales follow.

    In a convolution, `h` of the image is `h` of the result and `H` of the filter. A zero point of "none" is
    absent, one of "" a single element. `constants` says which of "codes", "zero", "scale" the program holds.
    """

    dims: str
    storage: str
    zero: str = "none"
    scale: str = ""
    constants: tuple[str, ...] = ()


@dataclass
class Program:
    """Collects the lines and the arguments of a function."""

    dynamic: bool = False
    lines: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def define(self, name: str, value: np.ndarray, element: str, constant: bool) -> str:
        kind = tensor(value.shape, element, self.dynamic and not constant)
        if constant:
            self.lines.append(f"%{name} = arith.constant dense<{literal(value)}> : {kind}")
        else:
            self.arguments.append(f"%{name}: {kind}")
            self.values.append(value)
        return kind

    def function(self, result: str, kind: str) -> str:
        body = "\n      ".join(self.lines)
        return f"""
    func.func @main({", ".join(self.arguments)}) -> {kind} {{
      {body}
      return %{result} : {kind}
    }}"""


@dataclass
class Quantized:
    """What becomes of the sums: bias, bounds, codes."""

    storage: str = "i8"
    zero: str = ""
    scale: str = ""
    bias: bool = False
    relu: bool = False
    constants: tuple[str, ...] = ("zero", "scale", "bias")
    semantics: str = ""


@dataclass
class Product:
    """`op` is a named op, with `maps` if it takes other ones, or None for a generic.

    `strides`, `dilations` and `pads` make it a convolution.
    """

    a: Operand
    b: Operand
    result: str
    sizes: dict
    op: str | None = None
    maps: bool = False
    dynamic: bool = False
    strides: tuple[int, ...] = ()
    dilations: tuple[int, ...] = ()
    pads: tuple[tuple[int, int], ...] = ()
    output: Quantized | None = None
    seed: int = 0

    @property
    def spatial(self) -> str:
        return "".join(d for d in self.a.dims if d.upper() in self.b.dims)

    def image_size(self, d: str) -> int:
        """The size of a dimension of the image before it is padded, from that of the result."""
        at = self.spatial.index(d)
        window = self.dilations[at] * (self.sizes[d.upper()] - 1) + 1
        return (self.sizes[d] - 1) * self.strides[at] + window - sum(self.pads[at])

    def shape(self, dims: str, image: bool = False) -> tuple[int, ...]:
        spatial = self.spatial if image and self.strides else ""
        return tuple(self.image_size(d) if d in spatial else self.sizes[d] for d in dims)

    def dequantize(self, program: Program, name: str, operand: Operand, random) -> str:
        """Adds one operand, and sets its codes, zero points and scales for the sums. Returns its type."""
        shape = self.shape(operand.dims, image=operand is self.a)
        codes = random_codes(shape, operand.storage)
        random.shuffle(codes.reshape(-1))
        if operand.storage in ("i8", "i16") and codes.size:
            codes.ravel()[0] = np.iinfo(codes.dtype).min
        scale = random.uniform(0.01, 2, self.shape(operand.scale)).astype(np.float32)
        scale = np.asarray(scale)
        kinds = [program.define(name, codes, operand.storage, "codes" in operand.constants)]
        kinds.append(program.define(f"{name}s", scale, "f32", "scale" in operand.constants))
        zero, z = "", None
        if operand.zero != "none":
            z = random_codes(self.shape(operand.zero), operand.storage)
            if operand.zero == "" and operand.storage.startswith("u"):
                # The largest code: 255 for ui8.
                z = np.array(2 ** int(operand.storage[2:]) - 1).astype(codes.dtype)
            z = np.asarray(z)
            kinds.append(
                program.define(f"{name}z", z, operand.storage, "zero" in operand.constants)
            )
            zero = f" zero_point %{name}z"
        dims = operand.scale or operand.zero.replace("none", "")
        where = f" axis {operand.dims.index(dims)}" if dims else ""
        floats = kinds[0].replace(f"{operand.storage}>", "f32>")
        program.lines.append(
            f"%{name}d = qdq.dequantize %{name} scale %{name}s{zero}{where} : ({', '.join(kinds)}) -> {floats}"
        )
        operand.codes, operand.scales, operand.zeros = codes, scale, z
        return floats

    def pad(self, program: Program, kind: str) -> str:
        spatial = [d in self.spatial for d in self.a.dims]
        pads = iter(self.pads)
        low, high = zip(*(next(pads) if s else (0, 0) for s in spatial))
        shape = [n + x + y for n, x, y in zip(self.shape(self.a.dims, True), low, high)]
        padded = tensor(shape, "f32", self.dynamic)
        indices = ", ".join(f"%x{i}: index" for i in range(len(shape)))
        program.lines.append(
            f"""%ap = tensor.pad %ad low{list(low)} high{list(high)} {{
      ^bb0({indices}):
        tensor.yield %f0 : f32
      }} : {kind} to {padded}"""
        )
        return padded

    def product(self, program: Program, a: str, b: str, out: str, kinds) -> None:
        loops = sorted(set(self.a.dims + self.b.dims), key=(self.result + self.a.dims).find)
        spaces = [
            f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>"
            for dims in (self.a.dims, self.b.dims, self.result)
        ]
        maps = f"indexing_maps = [{', '.join(spaces)}]"
        operands = f"ins(%{a}, %{b} : {', '.join(kinds)}) outs(%zero : {out})"
        if self.op:
            extra = maps if self.maps else ""
            if self.strides:
                lists = dict(strides=self.strides, dilations=self.dilations)
                extra = ", ".join(
                    f"{k} = dense<{list(v)}> : tensor<{len(v)}xi64>" for k, v in lists.items()
                )
                extra = f"{{{extra}}}" if self.op != "conv_2d" else ""
            text = f"linalg.{self.op} {extra} {operands} -> {out}"
        else:
            kinds = ", ".join(f'"{"parallel" if d in self.result else "reduction"}"' for d in loops)
            text = f"""linalg.generic {{{maps}, iterator_types = [{kinds}]}} {operands} {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.mulf %q, %p : f32
        %u = arith.addf %t, %o : f32
        linalg.yield %u : f32
      }} -> {out}"""
        program.lines.append(f"%r = {text}")

    def program(self) -> tuple[str, list]:
        """The text of a function, and its arguments."""
        program = Program(self.dynamic)
        random = np.random.default_rng(self.seed)
        program.lines.append("%f0 = arith.constant 0.0 : f32")
        kinds = [
            self.dequantize(program, "a", self.a, random),
            self.dequantize(program, "b", self.b, random),
        ]
        out = tensor(self.shape(self.result), "f32", self.dynamic)
        a = "ad"
        if any(any(p) for p in self.pads):
            kinds[0], a = self.pad(program, kinds[0]), "ap"
        sizes = []
        if self.dynamic:
            for at, d in enumerate(self.result):
                if d in self.spatial and self.strides:
                    # Of an argument that has the size of the result.
                    if "shape" not in program.lines[0]:
                        program.arguments.insert(
                            0, f"%shape: {tensor(self.shape(self.result), 'i8', True)}"
                        )
                        program.values.insert(0, np.zeros(self.shape(self.result), np.int8))
                        program.lines.insert(0, "// shape")
                    source, at, kind = "shape", at, tensor(self.shape(self.result), "i8", True)
                else:
                    x = d in self.a.dims
                    source, at = ("ad", self.a.dims.index(d)) if x else ("bd", self.b.dims.index(d))
                    kind = next(
                        t.split("-> ")[1] for t in program.lines if t.startswith(f"%{source} ")
                    )
                program.lines.append(f"%i{d} = arith.constant {at} : index")
                program.lines.append(f"%n{d} = tensor.dim %{source}, %i{d} : {kind}")
                sizes.append(f"%n{d}")
        program.lines.append(f"%e = tensor.empty({', '.join(sizes)}) : {out}")
        program.lines.append(f"%zero = linalg.fill ins(%f0 : f32) outs(%e : {out}) -> {out}")
        self.product(program, a, "bd", out, kinds)
        if not self.output:
            return program.function("r", out), program.values
        return self.quantize(program, random, out), program.values

    def quantize(self, program: Program, random, out: str) -> str:
        q, last = self.output, self.result[-1]
        spread = max(
            1.0, float(np.abs(self.sums()).max(initial=1)) * float(self.scale().max(initial=1))
        )
        q.scales = np.asarray(
            random.uniform(0.5, 1, self.shape(q.scale)) * spread / 150, np.float32
        )
        value = "r"
        if q.bias:
            q.bias_codes = random.integers(-(2**15), 2**15, self.shape(last)).astype(np.int32)
            s = self.scale().reshape(-1, self.sizes[last])[:1].reshape(-1)
            s = np.broadcast_to(s, self.shape(last)).copy()
            kinds = (
                program.define("c", q.bias_codes, "i32", "bias" in q.constants),
                program.define("cs", s, "f32", True),
            )
            floats = kinds[0].replace("i32>", "f32>")
            program.lines.append(
                f"%cd = qdq.dequantize %c scale %cs axis 0 : ({', '.join(kinds)}) -> {floats}"
            )
            names = ", ".join(f"d{i}" for i in range(len(self.result)))
            same, along = (
                f"affine_map<({names}) -> ({r})>" for r in (names, f"d{len(self.result) - 1}")
            )
            loops = ", ".join(['"parallel"'] * len(self.result))
            program.lines.append(
                f"""%rc = linalg.generic {{indexing_maps = [{same}, {along}, {same}], iterator_types = [{loops}]}}
        ins(%r, %cd : {out}, {floats}) outs(%e : {out}) {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32
      }} -> {out}"""
            )
            value = "rc"
        if q.relu:
            names = ", ".join(f"d{i}" for i in range(len(self.result)))
            loops = ", ".join(['"parallel"'] * len(self.result))
            same = f"affine_map<({names}) -> ({names})>"
            program.lines.append(
                f"""%rr = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{loops}]}}
        ins(%{value} : {out}) outs(%e : {out}) {{
      ^bb0(%p: f32, %o: f32):
        %g = arith.cmpf ugt, %p, %f0 : f32
        %t = arith.select %g, %p, %f0 : f32
        linalg.yield %t : f32
      }} -> {out}"""
            )
            value = "rr"
        kinds = [out, program.define("ys", q.scales, "f32", "scale" in q.constants)]
        zero, q.zeros = "", None
        if q.zero != "none":
            q.zeros = np.asarray(random_codes(self.shape(q.zero), q.storage))
            kinds.append(program.define("yz", q.zeros, q.storage, "zero" in q.constants))
            zero = " zero_point %yz"
        dims = q.scale or q.zero.replace("none", "")
        where = f" axis {self.result.index(dims)}" if dims else ""
        codes = out.replace("f32>", f"{q.storage}>")
        program.lines.append(
            f"%y = qdq.quantize %{value} scale %ys{zero}{where}{q.semantics} : ({', '.join(kinds)}) -> {codes}"
        )
        return program.function("y", codes)

    def windows(self, codes: np.ndarray) -> tuple[np.ndarray, str]:
        """The image with a dimension of the window behind each spatial one."""
        dims = self.a.dims
        for at, d in enumerate(self.spatial):
            axis = dims.index(d)
            places = np.add.outer(
                np.arange(self.sizes[d]) * self.strides[at],
                np.arange(self.sizes[d.upper()]) * self.dilations[at],
            )
            codes = np.take(codes, places, axis)
            dims = dims.replace(d, d + d.upper())
        return codes, dims

    def sums(self) -> np.ndarray:
        """In integers of 64 bits; padding is a difference of 0."""
        differences = []
        for operand in (self.a, self.b):
            q = operand.codes.astype(np.int64)
            if operand.zeros is not None:
                q = q - spread(operand.zeros, operand.zero, operand.dims)
            differences.append(q)
        dims = self.a.dims
        if self.strides:
            pads = iter(self.pads)
            differences[0] = np.pad(
                differences[0], [next(pads) if d in self.spatial else (0, 0) for d in dims]
            )
            differences[0], dims = self.windows(differences[0])
        sums = np.einsum(f"{dims},{self.b.dims}->{self.result}", *differences)
        if self.output and self.output.bias and hasattr(self.output, "bias_codes"):
            sums = sums + self.output.bias_codes
        return sums

    def scale(self) -> np.ndarray:
        """sa * sb in f32, along the result."""
        a, b = (spread(x.scales, x.scale, self.result) for x in (self.a, self.b))
        return np.asarray(a * b, np.float32)


def spread(parameter, dims: str, over: str) -> np.ndarray:
    """A parameter along the dimensions of a tensor; integers as i64."""
    parameter = np.asarray(parameter)
    if parameter.dtype != np.float32:
        parameter = parameter.astype(np.int64)
    sizes = iter(parameter.shape)
    return parameter.reshape([next(sizes) if d in dims and dims != "none" else 1 for d in over])


def rewritten(text: str, **options) -> str:
    """After the pass."""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        passes.IntegerContractions(**options).run(module)
        return str(module)


def compiled(text: str, **options):
    return runtime.compile(text, **options).main


def run_together(texts: list[str], **options) -> tuple[list[str], list]:
    """Functions `main`, in one module: each after the pass as text, and compiled."""
    module = "\n".join(text.replace("@main", f"@main{i}") for i, text in enumerate(texts))
    module = rewritten(module, **options)
    functions = runtime.compile(module)
    return module.split("func.func")[1:], [
        getattr(functions, f"main{i}") for i in range(len(texts))
    ]
