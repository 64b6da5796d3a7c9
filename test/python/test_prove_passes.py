# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/verify --prove on passes: a claim of each pass holds every day, and wrong outputs are refuted."""

import dataclasses
import os
import re
import sys
import warnings
from functools import cache

import pytest
from build_tree import ENVIRONMENT, SOURCE

sys.path.insert(0, str(SOURCE / "tools"))

import mlir_qdq  # noqa: E402
from mlir import ir  # noqa: E402
from mlir_qdq import passes as classes  # noqa: E402
from mlir_qdq import runtime  # noqa: E402
from proving import lit_inputs, mutants, passes, reasons, registry, solvers, stages, terms  # noqa: E402
from proving.decide import PROVEN, REFUTED, UNDECIDED, Decider  # noqa: E402
from proving.interpreter import Machine  # noqa: E402
from proving.obligations import UNSUPPORTED, Part, Result, discharge, discharge_part  # noqa: E402
from proving.types import Unsupported  # noqa: E402
from proving.values import Element  # noqa: E402

PASSES = {
    item.argument: item
    for item in vars(classes).values()
    if dataclasses.is_dataclass(item) and isinstance(getattr(item, "argument", None), str)
}
REASONS = registry.SOURCES | registry.COVERED | registry.UNCHANGING
#: Seconds of a question of every day.
SECONDS = 2
#: Where a step is that is proven at once.
QUICK = {"qdq-codegen-lower-to-target": "CodeGen/qdq-codegen-lower-to-target-lookup-tables.mlir"}


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    if solvers.missing():
        pytest.skip(solvers.missing())
    monkeypatch.setitem(os.environ, "PATH", ENVIRONMENT["PATH"])


@cache
def commands() -> tuple[passes.PassRun, ...]:
    return tuple(passes.obligations(False))


def runs(argument: str) -> list[passes.PassRun]:
    """The commands with the pass: of the file of its name first, then without options, then short."""
    words = (f"--{argument}", f"--{argument}=")
    found = [
        run
        for run in commands()
        if any(word == words[0] or word.startswith(words[1]) for word in run.command.passes)
    ]
    return sorted(
        found,
        key=lambda run: (
            not run.path.endswith(f"/{argument}.mlir"),
            words[0] not in run.command.passes,
            len(run.text()),
        ),
    )


def results(argument: str, found: list[passes.PassRun]):
    """Of the steps of the pass, one after the other."""
    decider = Decider(SECONDS)
    for run in found:
        for part in run.parts():
            if part.group == argument:
                yield discharge_part(part, decider)


def test_every_pass_is_proven_or_says_why_not():
    assert set(REASONS) | registry.PIPELINES <= set(PASSES)
    for argument in set(PASSES) - set(REASONS) - registry.PIPELINES:
        assert runs(argument), f"{argument}: no input that quant-opt gives to it, and no reason"


@pytest.mark.parametrize("quick", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("argument", sorted(set(PASSES) - set(REASONS) - registry.PIPELINES))
def test_a_step_of_the_pass_is_proven(argument, quick):
    """quick: the questions of another file wait that nothing decides in seconds."""
    found = runs(argument)[:20]
    if quick and argument in QUICK:
        found.sort(key=lambda run: run.path != QUICK[argument])
    pipelines = [run for run in commands() if "--quant-to-llvm" in run.command.passes]
    for result in results(argument, found + pipelines):
        assert result.status != REFUTED, f"{result.name}\n{result.detail}"
        if result.status == PROVEN:
            return
    pytest.fail(f"{argument}: no step of it is proven")


@pytest.mark.parametrize("argument", sorted(registry.UNCHANGING))
def test_a_pass_that_reports_changes_nothing(argument):
    for result in results(argument, runs(argument)[:6]):
        assert result.status == PROVEN, result.name


@pytest.mark.parametrize(
    "path, kinds",
    [
        ("CodeGen/qdq-codegen-fuse-elementwise.mlir", 3),
        ("CodeGen/qdq-codegen-hoist-loop-invariants.mlir", 3),
    ],
)
def test_mistakes_are_refuted(path, kinds):
    """One line of what a pass made is changed."""
    decider, killed = Decider(SECONDS), 0
    for run in commands():
        if run.path == path and killed < kinds:
            found = discharge(mutants.Mutants(run), decider)
            killed += sum(result.status == REFUTED for result in found)
    assert killed >= kinds


def test_a_counterexample_runs():
    """On the machine, both functions give what the refutation says."""
    for run in commands():
        if run.path != "Conversion/convert-qdq-to-arith.mlir":
            continue
        for result in discharge(mutants.Mutants(run), Decider(SECONDS)):
            if result.status != REFUTED or "counterexample" not in result.detail:
                continue
            assert "some function" not in result.detail
            _, before, after = re.split(r"^// (?:before|after) .*$", result.detail, flags=re.M)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outputs = [runtime.compile(text).counterexample() for text in (before, after)]
            old, new = (out if isinstance(out, tuple) else (out,) for out in outputs)
            assert any(a.tobytes() != b.tobytes() for a, b in zip(old, new)), result.detail
            return
    pytest.fail("no mistake that is refuted with values")


def test_a_refutation_by_an_unknown_function_does_not_run():
    """Nothing gives the values of the function that it needs."""
    for run in commands():
        if run.path == "CodeGen/qdq-codegen-fuse-elementwise.mlir":
            found = discharge(mutants.Mutants(run), Decider(SECONDS))
            details = [result.detail for result in found if "some function" in result.detail]
            if details:
                assert not any("@counterexample" in detail for detail in details)
                return
    pytest.fail("no mistake that is refuted by an unknown function")


#: What is read after the deallocation, and whether that is an element.
FREED = {
    "freed": ("dealloc (%m : memref<2xf32>) if (%true)", False),
    "freed before": ("memref.dealloc %m : memref<2xf32>", False),
    "not owned": ("dealloc (%m : memref<2xf32>) if (%false)", True),
    "retained": ("dealloc (%m : memref<2xf32>) if (%true) retain (%m : memref<2xf32>)", True),
}


@pytest.mark.parametrize("name", FREED)
def test_freed_memory_is_poison(name):
    line, is_element = FREED[name]
    line = f"bufferization.{line}" if line.startswith("dealloc") else line
    line = f"%o = {line}" if "retain" in line else line
    text = f"""
      func.func @f(%x: f32) -> f32 {{
        %true = arith.constant true
        %false = arith.constant false
        %c0 = arith.constant 0 : index
        %m = memref.alloc() : memref<2xf32>
        memref.store %x, %m[%c0] : memref<2xf32>
        {line}
        %y = memref.load %m[%c0] : memref<2xf32>
        return %y : f32
      }}"""
    with ir.Context() as context, ir.Location.unknown():
        mlir_qdq.register(context)
        element = Element.of(terms.symbol("x", 32))
        (result,) = Machine(ir.Module.parse(text)).call("f", [element])
    assert (result == element) is is_element and result.poison.value == (not is_element)


def status_of(before: str, after: str, options: str = "") -> str:
    """What becomes of a step of @f between two modules."""
    command = lit_inputs.Command("", (f"--pass={options}",))
    with ir.Context() as context, ir.Location.unknown():
        mlir_qdq.register(context)
        old, new = (passes.Stage(str(n), text) for n, text in enumerate((before, after)))
        runs = passes.Runs(command, "f")
        ran = runs.can_run(old) and runs.can_run(new)
        step = passes.Step("f", "", runs, old, new, reason="" if ran else runs.reason)
        return discharge_part(Part("", "f", step.claim), Decider(SECONDS)).status


RESOURCE = """
  func.func @f() -> tensor<2xi8> {{
    %0 = arith.constant dense_resource<{name}> : tensor<2xi8>
    return %0 : tensor<2xi8>
  }}
  {{-# dialect_resources: {{ builtin: {{ {others} {name}: "0x01000000{data}" }} }} #-}}"""


def test_resources_are_those_of_their_stage():
    """A pass adds w_1; the parser of the second module names its w so, too."""
    before = RESOURCE.format(name="w", data="0102", others="")
    others = 'w: "0x010000000102",'
    for data, expected in (("0102", PROVEN), ("0103", REFUTED)):
        assert status_of(before, RESOURCE.format(name="w_1", data=data, others=others)) == expected
        assert status_of(before, RESOURCE.format(name="w", data=data, others="")) == expected


UNRANKED = """
  func.func @f(%x: tensor<*xf32>) -> tensor<*xf32> {{
    %y = {op} %x : tensor<*xf32>
    return %y : tensor<*xf32>
  }}"""


def test_an_argument_of_unknown_rank_has_elements():
    texts = [UNRANKED.format(op=op) for op in ("arith.negf", "math.absf")]
    assert status_of(texts[0], texts[0]) == PROVEN and status_of(*texts) == REFUTED


SPLAT = """
  func.func @f(%x: f32, %n: index) -> tensor<?x2xf32> {{
    %y = tensor.splat %x[%n] : tensor<?x2xf32>
    {more}
  }}"""


def test_a_splat_has_open_sizes():
    negated = "%z = arith.negf %y : tensor<?x2xf32> return %z : tensor<?x2xf32>"
    before, after = (SPLAT.format(more=m) for m in ("return %y : tensor<?x2xf32>", negated))
    assert status_of(before, before) == PROVEN and status_of(before, after) == REFUTED


PACKED = """
  func.func @f(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {{
    %p = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x3x4x2xf32>
    %k = linalg.pack %x padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
      inner_tiles = [4, 2] into %e : tensor<5x7xf32> -> tensor<2x3x4x2xf32>
    %o = tensor.empty() : tensor<5x7xf32>
    %r = linalg.unpack %k outer_dims_perm = [1, 0] inner_dims_pos = {dims}
      inner_tiles = {tiles} into %o : tensor<2x3x4x2xf32> -> tensor<5x7xf32>
    return %r : tensor<5x7xf32>
  }}"""


def test_tiles_are_as_upstream_unpacks_them():
    same = "func.func @f(%x: tensor<5x7xf32>) -> tensor<5x7xf32> { return %x : tensor<5x7xf32> }"
    assert status_of(PACKED.format(dims="[1, 0]", tiles="[4, 2]"), same) == PROVEN
    square = PACKED.replace("[4, 2]", "[2, 2]").replace("2x3x4x2", "4x3x2x2")
    assert status_of(square.format(dims="[1, 0]", tiles="[2, 2]"), same) == PROVEN
    assert status_of(square.format(dims="[0, 1]", tiles="[2, 2]"), same) == REFUTED


def test_codes_are_packed_into_the_bytes_of_a_destination():
    """The shapes of results change on the way, and all of several results are compared."""
    command = lit_inputs.Command("", ("--quant-to-llvm=caller-allocates",))
    run = passes.PassRun("passes", "Pipelines/quant-to-llvm.mlir", command, 0)
    last = [part for part in run.parts() if "convert-scf-to-cf" in part.name]
    assert [discharge_part(part, Decider(SECONDS)).status for part in last] == [PROVEN]


def test_a_pipeline_joins_steps_of_upstream():
    command = lit_inputs.Command("", ("--quant-to-llvm",))
    run = passes.PassRun("pipelines", "Pipelines/quant-to-llvm.mlir", command, 0)
    groups = [registry.is_ours(step.passed) for step in run.steps()]
    assert groups.count(True) > 3
    assert (False, False) not in zip(groups, groups[1:])


QUANTIZE = """
  func.func @f(%x: tensor<?xf32>, %s: f32) -> index {{
    %0 = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<4xi8>
    {size}
    return %n : index
  }}"""


def test_no_drawn_size_contradicts_the_type_of_a_result():
    of_result = "%c0 = arith.constant 0 : index %n = tensor.dim %0, %c0 : tensor<4xi8>"
    before, after = (QUANTIZE.format(size=s) for s in (of_result, "%n = arith.constant 4 : index"))
    assert status_of(before, after) == PROVEN


DEQUANTIZE = """
  func.func @f(%q: i8, %s: f32) -> f16 {{
    %0 = qdq.dequantize %q scale %s semantics <compute = {compute}> : (i8, f32) -> f16
    return %0 : f16
  }}"""


@pytest.mark.parametrize(
    "profile, compute", [("mlir22", "f16"), ("torch-decomposed", "f32"), ("pmx", "f32")]
)
def test_a_profile_has_rules_of_compute(profile, compute):
    before = DEQUANTIZE.format(compute="f32").replace(" semantics <compute = f32>", "")
    for name in ("f16", "f32"):
        found = status_of(before, DEQUANTIZE.format(compute=name), f"profile={profile}")
        assert (found == PROVEN) is (name == compute)


def test_a_crash_is_no_refusal(monkeypatch, tmp_path):
    tool = tmp_path / "quant-opt"
    tool.write_text("#!/bin/sh\nkill -SEGV $$\n")
    tool.chmod(0o755)
    monkeypatch.setitem(os.environ, "PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(Unsupported, match="ends by signal 11"):
        stages.stages("a module", ("--crash",))


def test_reasons_have_classes():
    def result(detail):
        return Result("group", "name", UNSUPPORTED, detail=detail)

    for reason in registry.reasons() | {"unranked type", "before it: tfl.add"}:
        assert not reasons.is_unexplained(result(reason)), reason
    assert reasons.is_unexplained(result("KeyError in the interpreter"))
    for name, expected in (("f --pass=rewrites=bf16,fma @f > pass#1", False), ("another", True)):
        assert reasons.is_unexplained(Result("group", name, UNDECIDED)) is expected
    assert "| unexplained | 1 | 0 |" in reasons.table([result("KeyError in the interpreter")])


SUM = """
  func.func @f(%a: f32, %b: f32, %c: f32) -> f32 {{
    %x = arith.addf {first} {flags} : f32
    %y = arith.addf %x, {last} {flags} : f32
    return %y : f32
  }}"""


@pytest.mark.parametrize(
    "before, after, swapped, status",
    [
        ("", "", False, PROVEN),
        ("", "", True, REFUTED),
        ("fastmath<reassoc>", "fastmath<reassoc>", False, PROVEN),
        ("fastmath<reassoc>", "fastmath<reassoc>", True, UNSUPPORTED),
        ("fastmath<reassoc>", "", True, UNSUPPORTED),
        ("", "fastmath<reassoc>", False, UNSUPPORTED),
        ("fastmath<nnan>", "fastmath<nnan>", False, UNSUPPORTED),
    ],
)
def test_fastmath_flags_allow_another_order(before, after, swapped, status):
    texts = [SUM.format(first="%a, %b", last="%c", flags=before)]
    first, last = ("%b, %c", "%a") if swapped else ("%a, %b", "%c")
    texts.append(SUM.format(first=first, last=last, flags=after))
    assert status_of(*texts) == status
