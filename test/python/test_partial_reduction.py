# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""choose_params in parts, by upstream's reduction tiling: the bits of the whole, wherever a NaN, an infinity or a zero lies."""

import re

import numpy as np
import pytest
from kernels import same
from mlir.dialects.transform import interpreter
from mlir.ir import Context, Module

import mlir_qdq
from mlir_qdq import reference, runtime

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, np.float32(1e-45), -300.0]
HOW = {
    "for": "tile_reduction_using_for %op{i} by tile_sizes = {sizes}",
    "threads": "tile_reduction_using_forall %op{i} by num_threads = {sizes}",
    "tiles": "tile_reduction_using_forall %op{i} by tile_sizes = {sizes}",
}
CHOICES = {
    "asymmetric": ("", "ui8", dict(storage="ui8")),
    "asymmetric_f16": ("", "i8", dict(storage="i8", scale_type="f16")),
    "symmetric": ("mode <symmetric> storage i8", None, dict(storage="i8", mode="symmetric")),
    "power_of_two": (
        "mode <symmetric> storage f8E4M3FN power_of_two <even>",
        None,
        dict(storage="f8E4M3FN", mode="symmetric", power_of_two="even"),
    ),
}
# Attributes, the shape of the parameters, what is split, and the reference's granularity.
PLACES = {
    "tensor": ("", (), [[2, 3], [0, 4], [5, 0]], {}),
    "axis": ("axis 0", (5,), [[0, 4], [0, 9]], dict(axis=0)),
    "blocks": ("block_shape [0, 4]", (1, 3), [[2, 0], [20, 0]], dict(block_shape=(0, 4))),
    "rows": ("block_shape [2, 0]", (3, 1), [[0, 5]], dict(block_shape=(2, 0))),
}
SHAPE = (5, 9)


def split(text: str, parts: list[tuple[str, list[int]]]) -> Module:
    """Splits the op with the attribute `part = i` as `parts[i]` says."""
    script = "".join(
        f"""
        %op{i} = transform.structured.match attributes {{part = {i} : i64}} in %root : (!transform.any_op) -> !transform.any_op
        %fills{i}:2, %part{i}, %merge{i}, %loop{i} = transform.structured.{HOW[how].format(i=i, sizes=sizes)}
          : (!transform.any_op) -> ({", ".join(["!transform.any_op"] * 5)})"""
        for i, (how, sizes) in enumerate(parts)
    )
    module = Module.parse(text)
    script = Module.parse(f"""
      module attributes {{transform.with_named_sequence}} {{
        transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{{script}
          transform.yield
        }}
      }}""")
    interpreter.apply_named_sequence(module, script.body.operations[0], script)
    assert len(re.findall("scf.for(?:all)? ", str(module))) == sum(
        sum(map(bool, sizes)) if how == "for" else 1 for how, sizes in parts
    )
    return module


def function(name: str, part: int, choice: str, place: str, dynamic: bool) -> str:
    words, zero, options = CHOICES[choice]
    granularity, shape, _, _ = PLACES[place]
    sizes = "".join(f"{n}x" for n in shape)
    results = [f"tensor<{sizes}{options.get('scale_type', 'f32')}>"]
    results += [f"tensor<{sizes}{zero}>"] if zero else []
    x = f"tensor<{'?x?' if dynamic else 'x'.join(map(str, SHAPE))}xf32>"
    # Sizes of the results come from those of the input.
    if dynamic and place != "tensor":
        results = [re.sub(r"[35]x", "?x", r) for r in results]
    names = ["%s", "%z"][: len(results)]
    return (
        f"func.func @{name}(%x: {x}) -> ({', '.join(results)}) {{\n"
        f"  {', '.join(names)} = qdq.choose_params %x {words} {granularity} {{part = {part} : i64}} : ({x}) -> ({', '.join(results)})\n"
        f"  return {', '.join(names)} : {', '.join(results)}\n}}\n"
    )


def inputs():
    """Every special value in every place, alone and among others like it."""
    random = np.random.default_rng(3)
    yield random.normal(size=SHAPE).astype(np.float32)
    for special in SPECIAL:
        yield np.full(SHAPE, special, np.float32)
        for place in np.ndindex(*SHAPE):
            x = (random.normal(size=SHAPE) * 10).astype(np.float32)
            x[place] = special
            yield x
        yield random.choice(np.array(SPECIAL, np.float32), SHAPE)


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("choice", CHOICES)
def test_parts_give_the_bits_of_the_whole(choice, place, dynamic):
    parts = [(how, sizes) for how in HOW for sizes in PLACES[place][2]]
    names = ["whole", *(f"f{i}" for i in range(len(parts)))]
    with Context() as ctx:
        mlir_qdq.register(ctx)
        text = "".join(
            function(name, i - 1, choice, place, dynamic) for i, name in enumerate(names)
        )
        compiled = runtime.compile(split(text, parts))
    _, zero, options = CHOICES[choice]
    for x in inputs():
        scale, zero_point = reference.choose_params(x, **options, **PLACES[place][3])
        expected = [scale, zero_point][: 2 if zero else 1]
        for name in names:
            got = compiled[name](x)
            got = got if isinstance(got, tuple) else (got,)
            for want, have in zip(expected, got, strict=True):
                assert same(have, np.asarray(want)).all(), (name, x)
