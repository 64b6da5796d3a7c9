# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What type checkers and editors know of the package: mypy, its stubtest, and jedi, as editors use it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import jedi
import mlir_qdq
import pytest

#: A line is right where no comment says otherwise; `# is T` is the type of its expression.
PROGRAM = """
from typing import Any
from mlir import ir
import mlir_qdq
from mlir_qdq import passes, runtime
from mlir_qdq.dialects import qdq
from mlir_qdq.importers import mlir as modules


def lower(module: ir.Module, context: ir.Context) -> None:
    mlir_qdq.register(context)
    mlir_qdq.register("context")  # error: arg-type
    pass_ = passes.LowerQuant(profile="ort", rounding=passes.Rounding.FLOOR, seed=3)
    reveal_type(pass_.run(module))  # is list[ir.DiagnosticInfo]
    reveal_type(pass_.profile)  # is str | None
    passes.LowerQuant(roundin="floor")  # error: call-arg
    passes.LowerQuant(vector_bits="128")  # error: arg-type
    passes.LowerQuant(rounding=passes.Rounding.FLOR)  # error: attr-defined
    passes.LowerQuants()  # error: attr-defined
    pass_.run("module")  # error: arg-type
    pass_.seed = 4  # error: misc


def compile(module: ir.Module) -> None:
    compiled = runtime.compile(module, rounding="floor", threads=2)
    reveal_type(compiled)  # is _function.Compiled
    reveal_type(compiled["f"])  # is _function.Function
    runtime.compile(module, roundin="floor")  # error: call-arg
    runtime.compile(module, threads="two")  # error: arg-type
    reveal_type(modules.import_module(b""))  # is ir.Module


def build(x: ir.Value[Any], scale: ir.Value[Any], i8: ir.Type, place: ir.InsertionPoint) -> None:
    fields = {"rounding": qdq.Rounding.Floor}
    reveal_type(qdq.quantize(i8, x, scale, axis=1, semantics=fields))  # is ir.OpResult[Any]
    reveal_type(qdq.QuantizeOp(i8, x, scale, ip=place).scale)  # is ir.Value[Any]
    reveal_type(qdq.DequantizeOp(i8, x, scale).zero_point)  # is ir.Value[Any] | None
    qdq.quantize(i8, x, scale, axis="1")  # error: arg-type
    qdq.quantize(i8, x, scale, zero_points=x)  # error: call-arg
    qdq.quantize(i8, x)  # error: call-arg
    qdq.dequantize(i8, x, scale, zero_point_domain=qdq.Rounding.Floor)  # error: arg-type
    qdq.pack(i8, x, "gptq-v1")  # error: arg-type
    qdq.unpack(i8, x, [scale, 3], fields)  # error: list-item, arg-type
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def run(cache, *arguments):
    """mypy, or a module of it."""
    environment = os.environ | {"MYPY_CACHE_DIR": str(cache)}
    module, *rest = arguments
    return subprocess.run(
        [sys.executable, "-m", module, *rest],
        capture_output=True,
        text=True,
        cwd=cache,
        env=environment,
    )


def test_users_program(cache):
    program = cache / "program.py"
    program.write_text(PROGRAM)
    output = run(cache, "mypy", "--strict", "--hide-error-context", "program.py").stdout
    found = dict[int, list[str]]()
    for line, kind, text in re.findall(r"^program\.py:(\d+): (error|note): (.*)$", output, re.M):
        if kind == "error":
            found.setdefault(int(line), []).append(text.rpartition("[")[2].rstrip("]"))
        elif text.startswith("Revealed"):
            name = re.sub(r"\b(?:\w+\.)*(\w+\.\w+)\b", r"\1", text.split('"')[1])
            found.setdefault(int(line), []).append("is " + name)
    wanted = {
        number: [part.strip() for part in comment.removeprefix("error: ").split(",")]
        if comment.startswith("error")
        else [comment]
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if (comment := line.partition("  # ")[2])
    }
    assert {k: sorted(v) for k, v in found.items()} == {k: sorted(v) for k, v in wanted.items()}, (
        output
    )


def test_stubs_agree_with_the_modules(cache):
    """Every name, argument and default of the stubs is that of the module at run time."""
    # Their metaclass is nanobind's, and C fixes the layout: neither can be said in a stub for 3.11.
    (cache / "allowed").write_text("mlir_qdq.dialects.qdq.[A-Za-z]+Op\n.*_qdq_runtime.Callable\n")
    modules = ("mlir_qdq.dialects.qdq", "mlir_qdq._mlir_libs._qdq_runtime")
    checked = run(cache, "mypy.stubtest", *modules, "--allowlist", "allowed")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def signature(code):
    (found,) = jedi.Script(code).get_signatures()
    return found


@pytest.mark.parametrize(
    "call, arguments, text",
    [
        (
            "from mlir_qdq import passes\npasses.LowerQuant(",
            {"profile", "rounding", "target", "vector_bits"},
            "rounding: nearest-even, nearest-away",
        ),
        (
            "from mlir_qdq.dialects import qdq\nqdq.quantize(",
            {"result", "input", "scale", "zero_point", "semantics", "loc", "ip"},
            "ip: where the op goes",
        ),
        (
            "from mlir_qdq.dialects import qdq\nqdq.QuantizeOp(",
            {"result", "input", "scale", "loc", "ip"},
            "negative k counts from the back",
        ),
    ],
)
def test_editors_complete(call, arguments, text):
    found = signature(call)
    assert arguments <= {parameter.name for parameter in found.params}
    assert (
        text in found.docstring()
        or text
        in jedi.Script(call[:-1])
        .help(*(len(call.splitlines()), len(call.splitlines()[-1]) - 2))[0]
        .docstring()
    )


def test_editors_complete_names():
    def complete(code):
        return {found.name for found in jedi.Script(code).complete()}

    assert {"FLOOR", "NEAREST_EVEN"} <= complete("from mlir_qdq import passes\npasses.Rounding.")
    assert {"ONNX", "ORT"} <= complete("from mlir_qdq.dialects import qdq\nqdq.Profile.")
    assert {"LowerQuant", "PassError"} <= complete("from mlir_qdq import passes\npasses.")


def test_marker():
    assert (Path(mlir_qdq.__file__).parent / "py.typed").exists()
