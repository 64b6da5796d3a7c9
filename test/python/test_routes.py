# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quant-opt, mlir-opt with the plugin, and Python: identical bytes of every input of the lit tests and the examples."""

import re
from concurrent.futures import ThreadPoolExecutor

import mlir_qdq
import pytest
from build_tree import BUILD, SOURCE, run_tool
from mlir import ir
from mlir.passmanager import PassManager

PLUGIN = BUILD / "lib" / "quant-plugin.so"
SPLIT = re.compile(r"^// -----.*\n", re.MULTILINE)
#: Invalid inputs too: what one route refuses, each has to.
EVERY_FILE = [
    *sorted((SOURCE / "test").glob("*/*.mlir")),
    *sorted((SOURCE / "test").glob("*/Inputs/*.mlir")),
    *sorted((SOURCE / "examples").rglob("*.mlir")),
]
PIPELINES = [
    "lower-quant",
    "lower-quant{profile=ort target=vector expand-floats override-semantics}",
    "quant-to-llvm",
    "qdq-lint,qdq-simplify,qdq-motion,qdq-integer-contractions,convert-qdq-to-linalg,convert-qdq-to-arith",
]


def with_own_numbers(text: str) -> str:
    """Messages of assertions in the order of the module: upstream counts those of the process."""
    names = {}
    return re.sub(
        r"\bassert_msg_\d+", lambda m: names.setdefault(m[0], f"assert_msg_{len(names)}"), text
    )


def by_tool(corpus, pipeline, *command):
    done = run_tool(
        *command,
        corpus,
        "--split-input-file",
        f"--pass-pipeline={pipeline}",
        check=False,
        errors="replace",
    )
    assert done.returncode in (0, 1), done.stderr
    return [with_own_numbers(output.strip()) for output in SPLIT.split(done.stdout)]


def new_context() -> ir.Context:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    mlir_qdq.register(context)
    return context


def by_python(text, pipeline, context):
    """What a tool prints of one input: nothing, where the input or a pass fails."""
    with context:
        try:
            module = ir.Module.parse(text)
            PassManager.parse(pipeline).run(module.operation)
        except ir.MLIRError:
            return ""
        return with_own_numbers(str(module).strip())


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("passes", PIPELINES)
def test_identical_bytes(passes, step, tmp_path):
    """Every day on some of the files."""
    pipeline, corpus = f"builtin.module({passes})", tmp_path / "corpus.mlir"
    corpus.write_text("\n// -----\n".join(file.read_text() for file in EVERY_FILE[::step]))
    inputs = SPLIT.split(corpus.read_text())
    plugin = [
        "mlir-opt",
        "--allow-unregistered-dialect",
        f"--load-dialect-plugin={PLUGIN}",
        f"--load-pass-plugin={PLUGIN}",
    ]
    with ThreadPoolExecutor() as pool:
        routes = [
            pool.submit(by_tool, corpus, pipeline, *route) for route in (["quant-opt"], plugin)
        ]
        shared = new_context()
        python = [by_python(text, pipeline, shared) for text in inputs]
    tool, other = (route.result() for route in routes)
    assert len(inputs) == len(tool) == len(other) > 500 / step
    valid = [output for text, output in zip(inputs, tool) if "expected-error" not in text]
    assert sum(map(bool, valid)) > len(valid) * 4 / 5  # others stop before LLVM
    for text, expected, by_plugin, ours in zip(inputs, tool, other, python):
        assert by_plugin == expected, f"mlir-opt, of\n{text}"
        if ours != expected:
            # A context renames resources whose names it has seen; a tool has one for each input.
            ours = by_python(text, pipeline, new_context())
        assert ours == expected, f"Python, of\n{text}"
