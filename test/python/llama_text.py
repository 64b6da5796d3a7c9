# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of a decoder as MLIR text: products, norms, rotations."""

from __future__ import annotations

from llama_model import EPSILON, Shape


class Text:
    """Lines of a function, with what several of its steps share."""

    def __init__(self):
        self.lines: list[str] = []

    def emit(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def generic(self, loops: str, iterators: str, maps: list[str], ins, out, body: str) -> str:
        """ins: values with their types; out: an initial value, or None, with its type. body: of %0, %1, ... and %o."""
        start, kind = out
        start = start or self.emit(f"tensor.empty() : {kind}")
        words = {"p": '"parallel"', "r": '"reduction"'}
        arguments = [f"%{i}: {element(t)}" for i, (_, t) in enumerate(ins)] + [
            f"%o: {element(kind)}"
        ]
        maps = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in maps)
        names, types = (", ".join(each) for each in zip(*ins))
        return self.emit(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{', '.join(words[i] for i in iterators)}]}} "
            f"ins({names} : {types}) outs({start} : {kind}) {{\n  ^bb0({', '.join(arguments)}):\n    {body}\n  }} -> {kind}"
        )

    def fill(self, number: str, kind: str) -> str:
        value = self.emit(f"arith.constant {number} : {element(kind)}")
        empty = self.emit(f"tensor.empty() : {kind}")
        return self.emit(
            f"linalg.fill ins({value} : {element(kind)}) outs({empty} : {kind}) -> {kind}"
        )

    def constant(self, number: str) -> str:
        return self.emit(f"arith.constant {number} : f32")

    def reshape(self, value: str, kind: str, groups, other: str, expand: bool) -> str:
        op = "expand" if expand else "collapse"
        shape = f" output_shape [{', '.join(other[7:-1].split('x')[:-1])}]" if expand else ""
        return self.emit(f"tensor.{op}_shape {value} {groups}{shape} : {kind} into {other}")


def element(kind: str) -> str:
    return kind[:-1].split("x")[-1].removeprefix("tensor<")


def tensor(*parts) -> str:
    return f"tensor<{'x'.join(map(str, parts))}>"


def product(f: Text, shape: tuple[int, int], x: str, weight: str) -> str:
    """x of [1, columns] by rows of a dequantized weight."""
    (rows, columns), kind = shape, tensor(1, shape[0], "f32")
    maps = ["m, k", "n, k", "m, n"]
    zero = f.fill("0.0", kind)
    body = (
        "%p = arith.mulf %0, %1 : f32\n    %s = arith.addf %o, %p : f32\n    linalg.yield %s : f32"
    )
    ins = [(x, tensor(1, columns, "f32")), (weight, tensor(rows, columns, "f32"))]
    return f.generic("m, n, k", "ppr", maps, ins, (zero, kind), body)


def norm(f: Text, width: int, x: str, weight: str) -> str:
    """x / sqrt(mean of squares + epsilon) * weight"""
    kind = tensor(1, width, "f32")
    body = (
        "%p = arith.mulf %0, %0 : f32\n    %s = arith.addf %o, %p : f32\n    linalg.yield %s : f32"
    )
    zero = f.fill("0.0", "tensor<1xf32>")
    total = f.generic("m, k", "pr", ["m, k", "m"], [(x, kind)], (zero, "tensor<1xf32>"), body)
    count, epsilon = f.constant(f"{float(width)}"), f.constant(f"{float(EPSILON):.9e}")
    body = f"%q = arith.divf %0, {count} : f32\n    %e = arith.addf %q, {epsilon} : f32\n    %r = math.sqrt %e : f32\n    linalg.yield %r : f32"
    root = f.generic(
        "m", "p", ["m", "m"], [(total, "tensor<1xf32>")], (None, "tensor<1xf32>"), body
    )
    body = (
        "%q = arith.divf %0, %1 : f32\n    %r = arith.mulf %q, %2 : f32\n    linalg.yield %r : f32"
    )
    ins = [(x, kind), (root, "tensor<1xf32>"), (weight, tensor(width, "f32"))]
    return f.generic("m, k", "pp", ["m, k", "m", "k", "m, k"], ins, (None, kind), body)


def add(f: Text, width: int, x: str, y: str) -> str:
    kind = tensor(1, width, "f32")
    return f.emit(f"arith.addf {x}, {y} : {kind}")


def rope(f: Text, shape: Shape, heads: int, x: str, cosine: str, sine: str) -> str:
    """Turns the pairs of each head."""
    flat, half = tensor(1, heads * shape.head, "f32"), shape.head // 2
    pairs, kind = tensor(heads, half, 2, "f32"), tensor(heads, half, "f32")
    x = f.reshape(x, flat, "[[0, 1]]", tensor(heads * shape.head, "f32"), False)
    x = f.reshape(x, tensor(heads * shape.head, "f32"), "[[0, 1, 2]]", pairs, True)
    sides = [
        f.emit(
            f"tensor.extract_slice {x}[0, 0, {side}] [{heads}, {half}, 1] [1, 1, 1] : {pairs} to {kind}"
        )
        for side in (0, 1)
    ]
    ins = [
        (sides[0], kind),
        (sides[1], kind),
        (cosine, tensor(half, "f32")),
        (sine, tensor(half, "f32")),
    ]
    result = f.emit(f"tensor.empty() : {pairs}")
    for side, (first, second, op) in enumerate((("%2", "%3", "subf"), ("%3", "%2", "addf"))):
        body = f"%a = arith.mulf %0, {first} : f32\n    %b = arith.mulf %1, {second} : f32\n    %r = arith.{op} %a, %b : f32\n    linalg.yield %r : f32"
        turned = f.generic(
            "h, i", "pp", ["h, i", "h, i", "i", "i", "h, i"], ins, (None, kind), body
        )
        result = f.emit(
            f"tensor.insert_slice {turned} into {result}[0, 0, {side}] [{heads}, {half}, 1] [1, 1, 1] : {kind} into {pairs}"
        )
    return f.reshape(result, pairs, "[[0], [1, 2]]", tensor(heads, shape.head, "f32"), False)
