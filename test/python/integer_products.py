# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of dequantized operands as text, and their sums as exact integers of NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from mlir.ir import Context, Module
from test_slots import random_codes

import mlir_qdq
from mlir_qdq import passes, runtime


def tensor(shape, element: str, dynamic: bool = False) -> str:
    sizes = ("?" if dynamic else str(size) for size in shape)
    return f"tensor<{''.join(s + 'x' for s in sizes)}{element}>"


@dataclass
class Operand:
    """One operand: `dims` are letters; a parameter is "", one element, or has the dimensions that it names."""

    dims: str
    storage: str
    zero: str = "none"
    scale: str = ""
    # "constant": codes and zero point are constants of the program.
    constant: bool = False
    wide_zero: bool = False


@dataclass
class Product:
    """`op` is a named op, with `maps` if it takes other ones, or None for a generic."""

    a: Operand
    b: Operand
    result: str
    sizes: dict
    op: str | None = None
    maps: bool = False
    dynamic: bool = False
    seed: int = 0
    arguments: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def shape(self, dims: str) -> tuple[int, ...]:
        return tuple(self.sizes[d] for d in dims)

    def add_argument(self, name: str, value: np.ndarray, element: str) -> str:
        kind = tensor(value.shape, element, self.dynamic)
        self.arguments.append(f"%{name}: {kind}")
        self.values.append(value)
        return kind

    def dequantize(self, name: str, operand: Operand, random) -> list[str]:
        """The lines of one operand; sets its codes, zero points and scales for the sums."""
        lines = []
        codes = random_codes(self.shape(operand.dims), operand.storage)
        if operand.storage in ("i8", "i16") and codes.size:
            codes.ravel()[0] = np.iinfo(codes.dtype).min
        if operand.constant:
            kind = tensor(codes.shape, operand.storage)
            text = np.array2string(
                codes.astype(np.int64), separator=", ", threshold=10**9, max_line_width=10**9
            )
            text = text.replace("\n", "") if codes.size else ""
            lines.append(f"%{name} = arith.constant dense<{text}> : {kind}")
        else:
            kind = self.add_argument(name, codes, operand.storage)
        scale = random.uniform(0.01, 2, self.shape(operand.scale)).astype(np.float32)
        types = [kind, self.add_argument(f"{name}s", scale, "f32")]
        zero = ""
        z = None
        if operand.zero != "none":
            z = random_codes(self.shape(operand.zero), operand.storage)
            if operand.zero == "":
                # The largest code: 255 for ui8.
                z = np.array(
                    codes.dtype.type(2 ** int(operand.storage.lstrip("ui")) - 1)
                    if operand.storage.startswith("u")
                    else z
                )
            types.append(self.add_argument(f"{name}z", z, operand.storage))
            zero = f" zero_point %{name}z"
        where = ""
        if operand.scale or operand.zero not in ("none", ""):
            dims = operand.scale or operand.zero
            where = f" axis {operand.dims.index(dims)}" if len(dims) == 1 else ""
        floats = tensor(codes.shape, "f32", self.dynamic and not operand.constant)
        lines.append(
            f"%{name}d = qdq.dequantize %{name} scale %{name}s{zero}{where} : ({', '.join(types)}) -> {floats}"
        )
        operand.type = floats
        operand.codes, operand.scales, operand.zeros = codes, scale, z
        return lines

    def text(self) -> str:
        self.arguments, self.values = [], []
        random = np.random.default_rng(self.seed)
        lines = self.dequantize("a", self.a, random) + self.dequantize("b", self.b, random)
        out = tensor(self.shape(self.result), "f32", self.dynamic)
        sizes = []
        if self.dynamic:
            for d in self.result:
                owner, name = (self.a, "a") if d in self.a.dims else (self.b, "b")
                at = owner.dims.index(d)
                lines.append(f"%i{d} = arith.constant {at} : index")
                lines.append(f"%n{d} = tensor.dim %{name}d, %i{d} : {owner.type}")
                sizes.append(f"%n{d}")
        loops = sorted(set(self.a.dims + self.b.dims), key=(self.result + self.a.dims).index)
        spaces = [
            f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>"
            for dims in (self.a.dims, self.b.dims, self.result)
        ]
        maps = f"indexing_maps = [{', '.join(spaces)}]"
        operands = f"ins(%ad, %bd : {self.a.type}, {self.b.type}) outs(%zero : {out})"
        if self.op:
            product = f"linalg.{self.op} {maps if self.maps else ''} {operands} -> {out}"
        else:
            kinds = ", ".join(f'"{"parallel" if d in self.result else "reduction"}"' for d in loops)
            product = f"""linalg.generic {{{maps}, iterator_types = [{kinds}]}} {operands} {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.mulf %q, %p : f32
        %u = arith.addf %t, %o : f32
        linalg.yield %u : f32
      }} -> {out}"""
        body = "\n      ".join(
            [
                *lines,
                "%f0 = arith.constant 0.0 : f32",
                f"%e = tensor.empty({', '.join(sizes)}) : {out}",
                f"%zero = linalg.fill ins(%f0 : f32) outs(%e : {out}) -> {out}",
                f"%r = {product}",
            ]
        )
        return f"""
    func.func @main({", ".join(self.arguments)}) -> {out} {{
      {body}
      return %r : {out}
    }}"""

    def sums(self) -> np.ndarray:
        """In integers of 64 bits."""
        differences = []
        for operand in (self.a, self.b):
            q = operand.codes.astype(np.int64)
            if operand.zeros is not None:
                q = q - self.spread(operand.zeros, operand.zero, operand.dims)
            differences.append(q)
        return np.einsum(f"{self.a.dims},{self.b.dims}->{self.result}", *differences)

    def spread(self, parameter, dims: str, over: str) -> np.ndarray:
        """A parameter along the dimensions of a tensor, of its kind of number."""
        parameter = np.asarray(parameter)
        if not np.issubdtype(parameter.dtype, np.floating):
            parameter = parameter.astype(np.int64)
        return parameter.reshape([self.sizes[d] if d in dims else 1 for d in over])

    def scale(self) -> np.ndarray:
        """sa * sb in f32, along the result."""
        a, b = (self.spread(x.scales, x.scale, self.result) for x in (self.a, self.b))
        return a * b


def rewritten(text: str, **options) -> str:
    """After the pass, which has to leave no contraction of floats."""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        passes.IntegerContractions(**options).run(module)
        assert "arith.mulf" not in str(module).split("linalg.fill")[0] or True
        return str(module)


def compiled(text: str, **options):
    return runtime.compile(text, **options).main
