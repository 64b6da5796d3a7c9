# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Same input, same bytes: passes over the lit tests, in two processes, with threads and without.

Every day a pass gets its own lit tests and a few others; all, with the mark `exhaustive`.

Addresses differ between processes, so that an order taken from pointers shows. What a pass refuses
must be refused in the same words; but one-shot bufferization stops at the first function that it
cannot do, in the order of addresses.
"""

import pytest
from build_tree import SOURCE, run_tool
from mlir_qdq import passes

#: The lit tests, for one input; each part behind a split is a module of its own. MLIR 22's parser
#: refuses the types of MLIR 23 with a number that it has not set.
CORPUS = [
    f
    for f in sorted((SOURCE / "test").glob("*/*.mlir"))
    if f.parent.name != "Execution" and "REQUIRES: mlir-23" not in f.read_text()
]
CLASSES = sorted(
    (c for c in vars(passes).values() if isinstance(c, type) and issubclass(c, passes.Pass)),
    key=lambda c: c.__name__,
)
PASSES = [c() for c in CLASSES if c is not passes.Pass]
PASSES.append(passes.QuantToLLVM(caller_allocates=True))
PASSES.append(passes.LowerQuant(target="vector", expand_math=True, runtime_checks=True))


def run(pipeline, corpus, *flags):
    done = run_tool(
        "quant-opt",
        corpus,
        "--split-input-file",
        f"--pass-pipeline={pipeline}",
        "--mlir-disable-diagnostic-notes",
        *flags,
        check=False,
        errors="replace",
    )
    assert done.returncode in (0, 1), done.stderr
    said = [] if "quant-to-llvm" in pipeline else sorted(done.stderr.splitlines())
    return done.returncode, done.stdout, said


@pytest.mark.parametrize("part", ["own", pytest.param("all", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("a_pass", PASSES, ids=lambda a_pass: a_pass.pipeline)
def test_same_bytes(a_pass, part, tmp_path):
    own = {f for f in CORPUS if f.name.startswith(a_pass.argument)} | set(CORPUS[::48])
    files = CORPUS if part == "all" else sorted(own)
    corpus = tmp_path / "corpus.mlir"
    corpus.write_text("\n// -----\n".join(file.read_text() for file in files))
    output = run(a_pass.pipeline, corpus)
    assert output[1]
    assert run(a_pass.pipeline, corpus, "--mlir-disable-threading") == output


def test_many_functions(tmp_path):
    """Their constants become globals, and they call each other."""
    functions = "\n".join(
        f"""
func.func @f{i}(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %c = arith.constant dense<[{i}.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32:0, {{1.0, 2.0, 3.0, {i + 1}.0}}>>
  %d = quant.dcast %q : tensor<4x!quant.uniform<i8:f32:0, {{1.0, 2.0, 3.0, {i + 1}.0}}>> to tensor<4xf32>
  %s = arith.addf %d, %c : tensor<4xf32>
  %y = call @f{i * 7 % 40 // 2}(%s) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}}"""
        for i in range(40)
    )
    path = tmp_path / "functions.mlir"
    path.write_text(functions)
    for options in ("", "{caller-allocates}"):
        outputs = {run(f"builtin.module(quant-to-llvm{options})", path)[1] for _ in range(5)}
        assert len(outputs) == 1 and "llvm.func @f39" in outputs.pop()
