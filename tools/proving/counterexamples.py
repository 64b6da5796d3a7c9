# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a refutation as MLIR that runs: a function @counterexample that calls the refuted one with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from mlir import ir

from .boundary import Draw
from .types import argument_shape, element_of, is_shaped, width_of


def caller(
    function: str,
    types: Sequence[ir.Type],
    results: Sequence[ir.Type],
    draw: Draw,
    values: Mapping[str, int],
) -> str:
    """Of a function on scalars, vectors and tensors; empty for one that takes memory."""
    if any(isinstance(type, (ir.MemRefType, ir.UnrankedMemRefType)) for type in types):
        return ""
    sizes, lines = iter(draw), []
    for i, type in enumerate(types):
        if isinstance(type, ir.IndexType):
            lines.append(f"  %{i} = arith.constant {next(sizes)} : index")
            continue
        element = element_of(type)
        width = width_of(element)
        shape = [next(sizes) if size is None else size for size in argument_shape(type)]
        names = [f"%{i}[{n}]" for n in range(prod(shape))] if is_shaped(type) else [f"%{i}"]
        cells = [values.get(name, 0) for name in names]
        kind = "vector" if isinstance(type, ir.VectorType) else "tensor"
        known = f"{kind}<{'x'.join(map(str, [*shape, element]))}>"
        bits = f"{kind}<{'x'.join(map(str, [*shape, f'i{width}']))}>"
        lines.append(f"  %b{i} = arith.constant dense<{_nested(cells, shape)}> : {bits}")
        lines.append(
            f"  %e{i} = {'arith' if kind == 'vector' else 'tensor'}.bitcast %b{i} : {bits} to {known}"
        )
        if not is_shaped(type):
            lines.append(f"  %{i} = tensor.extract %e{i}[] : {known}")
        elif str(type) == known:
            lines[-1] = lines[-1].replace(f"%e{i} =", f"%{i} =")
        else:
            lines.append(f"  %{i} = tensor.cast %e{i} : {known} to {type}")
    names = ", ".join(f"%{i}" for i in range(len(types)))
    found = ", ".join(map(str, results))
    assigned = f"%r:{len(results)} = " if results else ""
    returned = ", ".join(f"%r#{i}" for i in range(len(results)))
    lines.append(
        f"  {assigned}call @{function}({names}) : ({', '.join(map(str, types))}) -> ({found})"
    )
    lines.append(f"  return {returned}{' : ' if results else ''}{found}")
    return f"func.func @counterexample() -> ({found}) {{\n" + "\n".join(lines) + "\n}\n"


def _nested(cells: Sequence[int], shape: Sequence[int]) -> str:
    if not shape:
        return str(cells[0])
    size = prod(shape[1:])
    parts = (_nested(cells[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0]))
    return f"[{', '.join(parts)}]"


def with_caller(module: str, text: str) -> str:
    """The module with the function at its end."""
    end = module.rindex("}", 0, module.find("{-#") if "{-#" in module else len(module))
    return module[:end] + text + module[end:]
