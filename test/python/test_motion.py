# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-motion on random graphs: the same bits before and after, on codes and on reals."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from mlir.ir import Context, Module

import mlir_qdq
from kernels import Kernel, codes, dtype_of, same, specials
from mlir_qdq import passes, runtime
from mlir_qdq.reference.types import storage_type

GRAPHS, POOLED_GRAPHS = 120, 50
FIELDS = {
    "rounding": ("nearest-even", "nearest-away", "toward-zero", "floor", "to-odd"),
    "order": ("round-then-add", "add-then-round"),
    "division": ("exact", "reciprocal"),
    "compute": ("f32", "f32", "auto", "f64"),
    "subtract": ("wide", "wrap32", "float"),
    "overflow": ("saturate", "saturate", "saturate", "wrap"),
    "nan": ("highest", "highest", "highest", "lowest", "zero-point"),
    "fusion": ("none", "fma"),
    "float_overflow": ("saturate", "ieee"),
}
POOLS = {
    3: {"nwc": (1,), "ncw": (2,)},
    4: {"nhwc": (1, 2), "nchw": (2, 3)},
    5: {"ndhwc": (1, 2, 3)},
}


def shaped(shape, element: str, dynamic=()) -> str:
    sizes = ("?" if i in dynamic else str(n) for i, n in enumerate(shape))
    return f"tensor<{''.join(s + 'x' for s in sizes)}{element}>"


def moved(text: str, side: str) -> str:
    with Context() as ctx:
        mlir_qdq.register(ctx)
        module = Module.parse(text)
        passes.Motion(moved=side).run(module)
        return str(module)


@dataclass
class Graph:
    """A function of random movements around a quantize, a dequantize, or both. Sizes in `dynamic` are unknown to it."""

    random: np.random.Generator
    name: str
    # Many poolings, and conversions that rise, as activations have them.
    is_pooled: bool = False
    lines: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def choose(self, *values):
        return values[self.random.integers(len(values))]

    def argument(self, array, element, dynamic=()) -> str:
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {shaped(array.shape, element, dynamic)}")
        self.inputs.append(array)
        return name

    @property
    def type(self) -> str:
        return shaped(self.shape, self.element, self.dynamic)

    def size(self, dim: int) -> str:
        index = self.emit(f"arith.constant {dim} : index")
        return self.emit(f"tensor.dim {self.value}, {index} : {self.type}")

    def empty(self, shape, dynamic, sizes) -> str:
        of = ", ".join(sizes[dim] for dim in sorted(dynamic))
        return self.emit(f"tensor.empty({of}) : {shaped(shape, self.element, dynamic)}")

    # --- movements: each replaces value, shape and dynamic --------------------------

    def expand(self) -> bool:
        if len(self.shape) > 3:
            return False
        groups, shape, dynamic, sizes = [], [], set(), []
        for dim, n in enumerate(self.shape):
            factors, rest = [], n
            while len(factors) < 2 and self.random.random() < 0.5:
                divisors = [d for d in (1, 2, 3, 4, 8, 16) if rest % d == 0]
                factors.append(int(self.choose(*divisors)))
                rest //= factors[-1]
            factors = [rest, *factors]
            start = len(shape)
            groups.append(list(range(start, start + len(factors))))
            for i, factor in enumerate(factors):
                if i == 0 and dim in self.dynamic:
                    by = self.emit(f"arith.constant {math.prod(factors[1:])} : index")
                    sizes.append(self.emit(f"arith.divui {self.size(dim)}, {by} : index"))
                    dynamic.add(start)
                else:
                    sizes.append(str(factor))
                shape.append(factor)
        if len(shape) == len(self.shape) or len(shape) > 5:
            return False
        to = shaped(shape, self.element, dynamic)
        of = ", ".join(sizes)
        self.value = self.emit(
            f"tensor.expand_shape {self.value} {groups} output_shape [{of}] : {self.type} into {to}"
        )
        self.shape, self.dynamic = tuple(shape), dynamic
        return True

    def collapse(self) -> bool:
        if len(self.shape) < 2:
            return False
        groups = [[0]]
        for dim in range(1, len(self.shape)):
            if self.random.random() < 0.5:
                groups[-1].append(dim)
            else:
                groups.append([dim])
        if len(groups) == len(self.shape):
            return False
        shape = tuple(math.prod(self.shape[d] for d in group) for group in groups)
        dynamic = {i for i, group in enumerate(groups) if self.dynamic & set(group)}
        to = shaped(shape, self.element, dynamic)
        self.value = self.emit(
            f"tensor.collapse_shape {self.value} {groups} : {self.type} into {to}"
        )
        self.shape, self.dynamic = shape, dynamic
        return True

    def transpose(self) -> bool:
        # Upstream's verifier crashes on rank 0; linalg has no unsigned integers.
        if not self.shape or self.element.startswith("u"):
            return False
        permutation = [int(i) for i in self.random.permutation(len(self.shape))]
        shape = tuple(self.shape[p] for p in permutation)
        dynamic = {i for i, p in enumerate(permutation) if p in self.dynamic}
        sizes = {i: self.size(permutation[i]) for i in dynamic}
        init, to = self.empty(shape, dynamic, sizes), shaped(shape, self.element, dynamic)
        if self.random.random() < 0.6:
            self.value = self.emit(
                f"linalg.transpose ins({self.value} : {self.type}) outs({init} : {to}) permutation = {permutation}"
            )
        else:
            # Loops in an order of their own.
            order = [int(i) for i in self.random.permutation(len(self.shape))]
            loops = ", ".join(f"d{i}" for i in range(len(order)))
            target = ", ".join(f"d{i}" for i in order)
            loop_of = {p: order[i] for i, p in enumerate(permutation)}
            source = ", ".join(f"d{loop_of[i]}" for i in range(len(order)))
            kinds = ", ".join('"parallel"' for _ in order)
            self.value = self.emit(
                f"linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({source})>, affine_map<({loops}) -> ({target})>],"
                f" iterator_types = [{kinds}]}} ins({self.value} : {self.type}) outs({init} : {to}) {{\n"
                f"  ^bb0(%in: {self.element}, %out: {self.element}):\n    linalg.yield %in : {self.element}\n  }} -> {to}"
            )
        self.shape, self.dynamic = shape, dynamic
        return True

    def slice(self) -> bool:
        offsets, sizes, strides, words = [], [], [], []
        for dim, n in enumerate(self.shape):
            offset, size, stride = 0, n, 1
            if n > 1 and self.random.random() < 0.5:
                offset = int(self.choose(0, 1, n // 2, min(n - 1, 4)))
                size = int(self.random.integers(1, n - offset, endpoint=True))
                if size > 2 and self.random.random() < 0.3:
                    stride, size = 2, (size + 1) // 2
            offsets.append(offset), sizes.append(size), strides.append(stride)
            whole = dim in self.dynamic and (offset, size, stride) == (0, n, 1)
            words.append(self.size(dim) if whole else str(size))
        if tuple(sizes) == self.shape:
            return False
        dynamic = {i for i, word in enumerate(words) if word.startswith("%")}
        kept = [
            i
            for i, n in enumerate(sizes)
            if n != 1 or i in dynamic or self.random.random() < 0.5 or strides[i] != 1
        ]
        shape = tuple(sizes[i] for i in kept)
        dynamic = {kept.index(i) for i in dynamic}
        to = shaped(shape, self.element, dynamic)
        self.value = self.emit(
            f"tensor.extract_slice {self.value}{offsets} [{', '.join(words)}] {strides} : {self.type} to {to}"
        )
        self.shape, self.dynamic = shape, dynamic
        return True

    def pad(self) -> bool:
        if not self.shape or math.prod(self.shape) > 3000 or self.element.startswith("u"):
            return False
        low = [int(self.random.integers(0, 3)) * int(self.random.integers(2)) for _ in self.shape]
        high = [int(self.random.integers(0, 3)) * int(self.random.integers(2)) for _ in self.shape]
        if self.element.startswith("i"):
            value = self.choose("0", "1", "-1", "-3")
        else:
            bits = {"f32": ("0x7FC00000", "0xFF800000"), "f16": ("0x7E00", "0xFC00")}[self.element]
            value = self.choose("0.0", "0.0", "0.0", "-0.0", "1.5", *bits)
        constant = self.emit(f"arith.constant {value} : {self.element}")
        shape = tuple(a + n + b for a, n, b in zip(low, self.shape, high))
        to = shaped(shape, self.element, self.dynamic)
        indices = ", ".join(f"%i{i}: index" for i in range(len(shape)))
        self.value = self.emit(
            f"tensor.pad {self.value} low{low} high{high} {{\n  ^bb0({indices}):\n"
            f"    tensor.yield {constant} : {self.element}\n  }} : {self.type} to {to}"
        )
        self.shape = shape
        return True

    def pool(self) -> bool:
        if len(self.shape) not in POOLS or self.element not in ("f32", "f16") or self.dynamic:
            return False
        layout = self.choose(*POOLS[len(self.shape)])
        spatial = POOLS[len(self.shape)][layout]
        window = [
            int(self.random.integers(1, min(3, self.shape[d]), endpoint=True)) for d in spatial
        ]
        strides = [int(self.random.integers(1, 3)) for _ in spatial]
        shape = list(self.shape)
        for d, w, s in zip(spatial, window, strides):
            shape[d] = (shape[d] - w) // s + 1
        lowest = {"f32": ("0xFF800000", "0xFF7FFFFF"), "f16": ("0xFC00", "0xFBFF")}[self.element]
        value = self.choose(*lowest, lowest[0], "0.0")
        constant = self.emit(f"arith.constant {value} : {self.element}")
        init, to = self.empty(shape, (), {}), shaped(shape, self.element)
        filled = self.emit(
            f"linalg.fill ins({constant} : {self.element}) outs({init} : {to}) -> {to}"
        )
        ones = f"dense<1> : tensor<{len(spatial)}xi64>"
        kernel = self.emit(f"tensor.empty() : {shaped(window, self.element)}")
        self.value = self.emit(
            f"linalg.pooling_{layout}_max {{dilations = {ones}, strides = dense<{strides}> : tensor<{len(spatial)}xi64>}}"
            f" ins({self.value}, {kernel} : {self.type}, {shaped(window, self.element)}) outs({filled} : {to}) -> {to}"
        )
        self.shape = tuple(shape)
        return True

    def movements(self, count: int) -> None:
        kinds = (self.expand, self.collapse, self.transpose, self.slice, self.pad, self.pool)
        if self.is_pooled:
            kinds = (self.pool, self.pool, self.pool, self.transpose, self.pad)
        for _ in range(count):
            self.choose(*kinds)()

    # --- conversions ----------------------------------------------------------------

    def convert(self, operation: str, storage: str, real: str) -> None:
        rank = len(self.shape)
        place = self.choose("tensor", "axis", "block") if rank else "tensor"
        axis = int(self.random.integers(rank)) if place == "axis" else None
        blocks = None
        if place == "block":
            blocks = tuple(
                int(self.choose(0, 0, 1, 2, 4, 8) if n > 1 else self.choose(0, 1))
                for n in self.shape
            )
        zero_point = self.choose(None, storage, storage, "f32")
        domain = "expressed" if zero_point == "f32" and self.random.random() < 0.5 else "stored"
        fields = {name: str(self.choose(*values)) for name, values in FIELDS.items()}
        if self.is_pooled and self.random.random() < 0.7:
            fields |= {"overflow": "saturate", "nan": "highest"}
        if operation == "quantize" and self.random.random() < 0.2:
            fields["rounding"] = "stochastic"
        kernel = Kernel(
            operation, storage, real, "f32", self.shape, zero_point, axis, blocks,
            domain=domain, semantics=fields,
        )  # fmt: skip
        shape = kernel.parameter_shape
        scale = np.float32(self.choose(0.5, 0.1, 0.3)) * np.ones(shape, np.float32)
        if self.random.random() < 0.5:
            scale = np.asarray(self.random.uniform(0.02, 2.0, shape)).astype(np.float32)
        if self.random.random() < 0.1 and not self.is_pooled:
            scale = -scale
        parameters = [(scale, "f32")]
        if zero_point == "f32":
            parameters.append(
                (np.asarray(self.random.integers(-9, 9, shape)).astype(np.float32), "f32")
            )
        elif zero_point:
            lowest, highest = storage_type(storage).lowest, storage_type(storage).highest
            z = self.random.integers(max(lowest, -20), min(highest, 20), (), endpoint=True)
            if self.random.random() < 0.3:
                z = self.random.integers(max(lowest, -20), min(highest, 20), shape, endpoint=True)
            parameters.append((np.broadcast_to(z, shape).astype(dtype_of(storage)), storage))
        names = []
        is_constant = self.random.random() < 0.7 or self.is_pooled
        for array, element in parameters:
            open_sizes = (
                {i for i in range(rank) if i in self.dynamic and len(array.shape) == rank}
                if place == "block"
                else {0} & {0 if axis in self.dynamic else 1}
            )
            if is_constant:
                literal = str(array.tolist())
                names.append(
                    (self.emit(f"arith.constant dense<{literal}> : {shaped(array.shape, element)}"),
                     shaped(array.shape, element))
                )  # fmt: skip
            else:
                if place == "tensor":
                    open_sizes = ()
                names.append(
                    (
                        self.argument(array, element, open_sizes),
                        shaped(array.shape, element, open_sizes),
                    )
                )
        words = f"qdq.{operation} {self.value} scale {names[0][0]}"
        if zero_point:
            words += f" zero_point {names[1][0]}" + " in <expressed>" * (domain == "expressed")
        if axis is not None:
            words += f" axis {axis}"
        if blocks is not None:
            words += f" block_shape {list(blocks)}"
        words += f" semantics <{', '.join(f'{k} = {v}' for k, v in fields.items())}>"
        # A part of a whole: its draws, if it has any, are those of the whole.
        if operation == "quantize" and self.random.random() < 0.3:
            whole = [
                (int(self.random.integers(3)), int(self.random.integers(3)))
                for _ in range(rank + 1)
            ]
            sizes = (1, *self.shape)
            words += (
                f" at {[o for o, _ in whole]} of {[o + n + e for (o, e), n in zip(whole, sizes)]}"
            )
        types = ", ".join([self.type, *(t for _, t in names)])
        self.element = storage if operation == "quantize" else real
        self.value = self.emit(f"{words} : ({types}) -> {self.type}")

    def build(self) -> str:
        real = self.choose("f32", "f32", "f16")
        storage = self.choose("i8", "i8", "ui8", "i4", "i16")
        rank = int(self.random.integers(3 if self.is_pooled else 1, 5))
        sizes = (1, 2, 3, 4, 6, 8, 16)
        self.shape = tuple(int(self.choose(*sizes[: 7 - rank])) for _ in range(rank))
        is_dynamic = self.random.random() < 0.3 and not self.is_pooled
        self.dynamic = {0} if is_dynamic else set()
        form = self.choose("quantize", "dequantize", "both")
        if form == "dequantize":
            self.element = storage
            array = codes(storage, self.shape, self.random)
        else:
            self.element = real
            array = self.reals(real)
        self.value = self.argument(array, self.element, self.dynamic)
        self.movements(int(self.random.integers(1, 4)))
        if form != "dequantize":
            self.convert("quantize", storage, real)
            self.movements(int(self.random.integers(1, 4)))
        if form != "quantize":
            self.convert("dequantize", storage, real)
            self.movements(int(self.random.integers(1, 4)))
        body = "\n".join(self.lines)
        return (
            f"func.func @{self.name}({', '.join(self.arguments)}) -> {self.type} {{\n{body}\n"
            f"  return {self.value} : {self.type}\n}}\n"
        )

    def reals(self, element: str) -> np.ndarray:
        """Ties of scale 0.5 and 0.1, bounds, and all special values."""
        dtype, size = dtype_of(element), math.prod(self.shape)
        x = np.asarray(self.random.integers(-40, 40, size) / 4).astype(dtype)
        wide = self.random.random(size) < 0.3
        x[wide] = self.random.uniform(-500, 500, wide.sum()).astype(dtype)
        special = specials(dtype)
        where = self.random.permutation(size)[: size // 3]
        x[where] = self.random.choice(special, where.size)
        return x.reshape(self.shape)


KINDS = {
    "expand": r"tensor\.expand_shape .* : \S+ into (\S+)",
    "collapse": r"tensor\.collapse_shape .* : \S+ into (\S+)",
    "transpose": r"linalg\.transpose ins\(\S+ : (\S+)\)",
    "slice": r"tensor\.extract_slice .* to (\S+)",
    "pad": r"\} : \S+ to (tensor<\S+)",
    "pool": r"linalg\.pooling_\w+ .* -> (\S+)",
}


def moved_codes(text: str) -> dict[str, int]:
    """How many movements of each kind have codes."""
    return {
        kind: sum("xf" not in t and "<f" not in t for t in re.findall(pattern, text))
        for kind, pattern in KINDS.items()
    }


@pytest.fixture(scope="module")
def graphs():
    random = np.random.default_rng(8)
    built = []
    for index in range(GRAPHS + POOLED_GRAPHS):
        graph = Graph(random, f"f{index}", is_pooled=index >= GRAPHS)
        built.append((graph, graph.build()))
    return built


@pytest.fixture(scope="module", params=[4, pytest.param(1, marks=pytest.mark.exhaustive)])
def compiled_graphs(graphs, request):
    some = graphs[:: request.param]
    text = "".join(text for _, text in some)
    return [graph for graph, _ in some], text, runtime.compile(text)


@pytest.mark.parametrize("side", ["codes", "reals"])
def test_random_graphs_keep_every_bit(compiled_graphs, side):
    built, text, before = compiled_graphs
    after_text = moved(text, side)
    after = runtime.compile(after_text)
    for graph in built:
        expected, got = before[graph.name](*graph.inputs), after[graph.name](*graph.inputs)
        agree = same(got, expected)
        assert agree.all(), f"{side}: {(~agree).sum()} of {agree.size} differ in\n" + "\n".join(
            [*graph.arguments, *graph.lines]
        )


def test_every_kind_of_movement_moves(graphs):
    """Of what may move, a good share does; the other side takes codes back."""
    text = "".join(text for _, text in graphs)
    before, on_codes, on_reals = (
        moved_codes(t) for t in (text, moved(text, "codes"), moved(text, "reals"))
    )
    movable = {k: len(re.findall(p, text)) - before[k] for k, p in KINDS.items()}
    share = {kind: (on_codes[kind] - before[kind]) / movable[kind] for kind in KINDS}
    least = dict(expand=0.6, collapse=0.6, transpose=0.6, slice=0.3, pad=0.15, pool=0.15)
    assert all(n >= 15 for n in movable.values()), movable
    assert all(share[kind] > least[kind] for kind in KINDS), share
    for kind in ("expand", "collapse", "transpose", "slice", "pad"):
        assert on_reals[kind] < 0.7 * before[kind], (kind, on_reals, before)
