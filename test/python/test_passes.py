# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of the passes: the same as what is registered, and errors that can be reproduced."""

import dataclasses
import enum
import re
import shlex
import typing

import mlir_qdq
import pytest
from build_tree import SOURCE, run_tool
from mlir import ir
from mlir.passmanager import PassManager
from mlir_qdq import passes, runtime
from mlir_qdq.dialects import qdq
from mlir_qdq.passes import (
    BlockForm,
    ContractionRescale,
    ConvertQDQToLinalg,
    LowerQuant,
    Pass,
    PassError,
    QuantToLLVM,
    Rescale,
    Rounding,
)
from mlir_qdq.reference.semantics import FIELD_VALUES, Semantics

#: The second function has a short last block, which this cannot do.
BLOCKED = ConvertQDQToLinalg(block_form="expand")
RAGGED = (
    "func.func private @g()\n"
    + """
func.func @f(%x: tensor<5xf32>, %s: tensor<2xf32>) -> tensor<5xi8> {
  %q = qdq.quantize %x scale %s block_shape [4] : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xi8>
  return %q : tensor<5xi8>
}
"""
)
CLASSES = [c for c in vars(passes).values() if isinstance(c, type) and issubclass(c, Pass)]
CLASSES.remove(Pass)

QUANTIZE = """
func.func @f(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %q : tensor<4x!quant.uniform<i8:f32, 0.5>>
}
"""
#: A scale of rank 2 for a value of rank 1.
BROKEN = """
func.func @f(%x: tensor<4xf32>, %s: tensor<2x2xf32>) -> tensor<4xi8> {
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
"""


def parse(text):
    context = ir.Context()
    context.allow_unregistered_dialects = True
    mlir_qdq.register(context)
    return ir.Module.parse(text, context)


def registered(tool):
    """Names of passes and pipelines, each with those of its options, out of a tool's help."""
    help_text = run_tool(tool, "--help", errors="replace").stdout
    listing = help_text[help_text.index("Compiler passes to run") :]
    found = {}
    for indent, name in re.findall(r"^( +)-?-([\w-]+)", listing, re.MULTILINE):
        if len(indent) == 6:
            options = found.setdefault(name, set())
        elif len(indent) == 8:
            options.add(name)
        else:
            break
    return found


# Names.


def test_a_class_for_everything_that_is_registered():
    """Passes and pipelines are declared in TableGen; what C++ registers must be the same."""
    ours, upstream = registered("quant-opt"), registered("mlir-opt")
    ours = {name: options for name, options in ours.items() if name not in upstream}
    classes = {
        c.argument: {field.metadata["argument"] for field in dataclasses.fields(c)} for c in CLASSES
    }
    assert classes == ours, "see include/qdq/Pipelines/Pipelines.td and the Passes.td"


def test_classes_are_named_as_their_passes():
    for c in CLASSES:
        words = c.argument.removeprefix("qdq-").removeprefix("codegen-").replace("-", "")
        assert c.__name__.lower() in (words, f"{words}qdq")


def test_a_lit_file_for_every_pass():
    """Of its name, in one of the folders of tests."""
    files = {path.stem for path in (SOURCE / "test").glob("*/*.mlir")}
    assert not [c.argument for c in CLASSES if c.argument not in files]


def test_options_are_spelled_in_snake_case():
    for c in CLASSES:
        for field in dataclasses.fields(c):
            assert field.name == field.metadata["argument"].replace("-", "_")


def test_public_names():
    assert set(passes.__all__) >= {"LowerQuant", "QuantToLLVM", "PassError", "Rounding"}
    assert all(hasattr(passes, name) for name in passes.__all__)


def test_one_list_of_semantics_fields():
    """SemanticsFields.def: the attribute and the C++ of the options. Beside it are the options of PassOptions.td
    and the fields of the reference."""
    with ir.Context() as context:
        mlir_qdq.register(context)
        with pytest.raises(ir.MLIRError, match="is not a field") as error:
            ir.Attribute.parse("#qdq.semantics<none = none>")
    of_attribute = re.search("expected one of ([a-z_, ]+)", str(error.value))[1].split(", ")
    assert of_attribute == list(FIELD_VALUES) == [f.name for f in dataclasses.fields(Semantics)]
    for c in (LowerQuant, QuantToLLVM, ConvertQDQToLinalg):
        options = {field.name: field.metadata["kind"] for field in dataclasses.fields(c)}
        choices = dict.fromkeys(name for name, kind in options.items() if name in FIELD_VALUES)
        assert list(choices) == list(FIELD_VALUES)
        assert all(tuple(options[name]) == FIELD_VALUES[name] for name in choices)
        others = {
            n for n, kind in options.items() if n not in choices and issubclass(kind, enum.Enum)
        }
        assert others <= {
            "profile", "target", "target_casts", "block_form", "unconverted", "integer_contractions",
            "start_at", "stop_after", "sum_order", "activations",
        }  # fmt: skip


def test_integer_contractions_are_kinds_of_rescaling():
    """The option of the pipelines: every kind of the pass, and two more."""
    values = tuple(kind.value for kind in ContractionRescale)
    assert set(values) == {"off", "profile", *(kind.value for kind in Rescale)}


def test_documentation():
    for c in CLASSES:
        assert c.__doc__ and not c.__doc__.startswith(c.__name__)
    assert "toward-zero" in LowerQuant.__doc__


# Options.


@pytest.mark.parametrize("kind", CLASSES)
def test_every_value_of_every_option_is_accepted(kind):
    """The enumerations say what the C++ parser of the option takes, and no less."""
    with ir.Context() as context:
        mlir_qdq.register(context)
        PassManager.parse(kind().pipeline)
        for field in dataclasses.fields(kind):
            values = field.metadata["kind"]
            if issubclass(values, enum.Enum):
                wrong = f"{kind.argument}{{{field.metadata['argument']}=no-such-value}}"
                with pytest.raises(ValueError):
                    PassManager.parse(f"{kind.anchor}({wrong})")
            else:
                values = {bool: (True, False), int: (64,), str: ("text",)}[values]
            for value in values:
                PassManager.parse(kind(**{field.name: value}).pipeline)


@pytest.mark.parametrize("kind", [c for c in CLASSES if c.anchor == "builtin.module"])
def test_anchored_elsewhere(kind):
    """An exception, not the end of the process."""
    with ir.Context() as context:
        mlir_qdq.register(context)
        for pipeline in (f"func.func({kind()})", f"builtin.module(func.func({kind()}))"):
            with pytest.raises(ValueError, match="'?builtin.module'?.*'func.func'"):
                PassManager.parse(pipeline)
        manager = PassManager("func.func")
        with pytest.raises(ValueError, match="'?builtin.module'?.*'func.func'"):
            manager.add(str(kind()))


def test_pipeline_text():
    assert LowerQuant().pipeline == "builtin.module(lower-quant)"
    lower = LowerQuant(profile="onnx", rounding=Rounding.FLOOR, runtime_checks=False)
    assert str(lower) == "lower-quant{profile=onnx rounding=floor runtime-checks=false}"
    assert lower.pipeline == f"builtin.module({lower})"
    to_linalg = ConvertQDQToLinalg(block_form="map", float_overflow="ieee")
    assert to_linalg.pipeline == "any(convert-qdq-to-linalg{float-overflow=ieee block-form=map})"


def test_values():
    """Members, their spelling and the dialect's own enumerations mean the same."""
    lower = LowerQuant(rounding="toward-zero")
    assert lower == LowerQuant(rounding=Rounding.TOWARD_ZERO)
    assert lower == LowerQuant(rounding=qdq.Rounding.TowardZero)
    assert lower.rounding is Rounding.TOWARD_ZERO
    assert {lower: 1}[LowerQuant(rounding="toward-zero")] == 1
    assert eval(repr(lower)) == lower
    assert dataclasses.replace(lower, rounding=None) == LowerQuant()
    assert lower != QuantToLLVM(rounding="toward-zero")


def test_wrong_values_of_compile(capfd):
    with pytest.raises(ValueError, match="options of compile: 'otr' is not a value of 'profile': "):
        runtime.compile("module {}", profile="otr")
    assert capfd.readouterr().err == ""


def test_wrong_values():
    with pytest.raises(ValueError) as error:
        ConvertQDQToLinalg(block_form="maps")
    assert str(error.value) == (
        "'maps' is not a value of 'block_form': expected one of auto, expand, map"
    )
    with pytest.raises(TypeError, match="'runtime_checks' takes bool, not str"):
        LowerQuant(runtime_checks="yes")
    with pytest.raises(TypeError, match="unexpected keyword argument 'round'"):
        LowerQuant(round="floor")
    with pytest.raises(TypeError, match="positional"):
        LowerQuant("onnx")
    with pytest.raises(dataclasses.FrozenInstanceError):
        LowerQuant().rounding = "floor"


def test_type_hints():
    hints = typing.get_type_hints(LowerQuant)
    assert hints["rounding"] == Rounding | str | None
    assert hints["block_form"] == BlockForm | str | None
    assert hints["runtime_checks"] == bool | None


# Running.


def test_python_tool_and_pass_manager_agree(tmp_path):
    lower = LowerQuant(rounding="floor", nan="zero")
    by_class, by_manager = parse(QUANTIZE), parse(QUANTIZE)
    assert lower.run(by_class) == []
    with by_manager.context:
        PassManager.parse(lower.pipeline).run(by_manager.operation)
    source = tmp_path / "f.mlir"
    source.write_text(QUANTIZE)
    by_tool = run_tool("quant-opt", f"--pass-pipeline={lower.pipeline}", source).stdout
    assert "math.floor" in str(by_class)
    assert str(by_class) == str(by_manager)
    assert str(by_class) == by_tool.rstrip("\n") + "\n"


def test_pass_manager_of_several_modules():
    """quant-to-llvm keeps its stages for the next module, unless that names another target."""
    pipeline = "builtin.module(quant-to-llvm{target=vector})"
    module = """
      module attributes {{llvm.target = #llvm.target<triple = "x86_64-linux-gnu", chip = "{}">}} {{
        func.func @f(%x: tensor<64xf32>, %s: f32) -> tensor<64xi8> {{
          %q = qdq.quantize %x scale %s : (tensor<64xf32>, f32) -> tensor<64xi8>
          return %q : tensor<64xi8>
        }}
      }}"""
    with parse(module.format("x86-64")).context:

        def lowered(processor, manager=None):
            parsed = ir.Module.parse(module.format(processor))
            (manager or PassManager.parse(pipeline)).run(parsed.operation)
            return str(parsed)

        manager = PassManager.parse(pipeline)
        processors = ["x86-64", "x86-64", "sapphirerapids", "x86-64"]
        again = [lowered(processor, manager) for processor in processors]
        assert again == [lowered(processor) for processor in processors]
        texts = [text.partition("{\n")[2] for text in again]
        assert texts[0] == texts[1] == texts[3] != texts[2]


def test_run_registers_the_context():
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(
            '%0 = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>\n'
            '%1 = "onnx.QuantizeLinear"(%0, %0) : (tensor<f32>, tensor<f32>) -> tensor<ui8>\n'
        )
    LowerQuant().run(module)
    assert "onnx.QuantizeLinear" not in str(module)


def test_run_on_an_operation():
    """`any` passes run on what they are given, and on nothing else."""
    text = "func.func @{}(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {{\n"
    text += "  %q = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>\n"
    text += "  return %q : tensor<4xi8>\n}}\n"
    module = parse(text.format("f") + text.format("g"))
    f, g = module.body.operations
    ConvertQDQToLinalg().run(f)
    assert "linalg.generic" in str(f) and "qdq." not in str(f)
    assert "linalg.generic" not in str(g)
    with pytest.raises(
        ValueError, match="lower-quant runs on 'builtin.module', not on 'func.func'"
    ):
        LowerQuant().run(g)


def test_run_inserts_nothing_at_the_insertion_point():
    module = parse(QUANTIZE)
    with module.context, ir.Location.unknown():
        elsewhere = ir.Module.create()
        with ir.InsertionPoint(elsewhere.body):
            LowerQuant().run(module)
        assert len(list(elsewhere.body)) == 0


@dataclasses.dataclass(frozen=True)
class TransformInterpreter(Pass):
    """An upstream pass that says what its input tells it to say."""

    argument: typing.ClassVar[str] = "transform-interpreter"
    anchor: typing.ClassVar[str] = "builtin.module"


def remarks(body):
    return parse(
        'module attributes {transform.with_named_sequence} { "test.op"() : () -> ()\n'
        "transform.named_sequence @__transform_main(%m: !transform.any_op) {\n"
        '%o = transform.structured.match ops{["test.op"]} in %m'
        " : (!transform.any_op) -> !transform.any_op\n"
        f"{body}\n transform.yield\n}}}}"
    )


def test_run_returns_remarks():
    module = remarks('transform.debug.emit_remark_at %o, "hello" : !transform.any_op')
    heard = []
    with module.context.attach_diagnostic_handler(lambda d: heard.append(d.message) or True):
        said = TransformInterpreter().run(module)
    assert [(d.severity, d.message) for d in said] == [(ir.DiagnosticSeverity.REMARK, "hello")]
    assert heard == ["hello"], "the context's own handlers get them, too"


# Errors.


def test_error_has_the_diagnostics(tmp_path):
    with pytest.raises(PassError) as caught:
        LowerQuant(rounding="floor").run(parse(BROKEN), reproducer=tmp_path / "r.mlir")
    error = caught.value
    assert error.pipeline == "builtin.module(lower-quant{rounding=floor})"
    (diagnostic,) = error.diagnostics
    assert diagnostic.severity == ir.DiagnosticSeverity.ERROR
    assert "'onnx.QuantizeLinear' op scale has type 'tensor<2x2xf32>'" in diagnostic.message
    assert 'loc("-":3:8)' in str(diagnostic.location)
    assert "see current operation" in diagnostic.notes[0].message
    for text in (error.pipeline, diagnostic.message, "note:", error.command):
        assert text in str(error)
    assert isinstance(error.__cause__, ir.MLIRError)


def test_error_has_remarks_as_well(tmp_path):
    module = remarks(
        'transform.debug.emit_remark_at %o, "hello" : !transform.any_op\n'
        "transform.num_associations %m : (!transform.any_op) -> !transform.param<i64>\n"
        "%e = transform.get_parent_op %m : (!transform.any_op) -> !transform.any_op"
    )
    with pytest.raises(PassError) as caught:
        TransformInterpreter().run(module, reproducer=tmp_path / "r.mlir")
    severities = [d.severity.name for d in caught.value.diagnostics]
    assert severities == ["ERROR", "REMARK"]


@pytest.mark.parametrize(
    "what, text, select",
    [
        (LowerQuant(rounding="floor"), BROKEN, lambda module: module),
        (LowerQuant(), BROKEN, lambda module: module.operation),
        (BLOCKED, RAGGED, lambda module: module),
        (BLOCKED, RAGGED, lambda module: module.body.operations[1]),
    ],
)
def test_command_reproduces(what, text, select, tmp_path):
    module = parse(text)
    with pytest.raises(PassError) as caught:
        what.run(select(module), reproducer=str(tmp_path / "what happened.mlir"))
    error = caught.value
    tool, *arguments = shlex.split(error.command)
    assert tool.endswith("quant-opt")
    assert str(error.reproducer) in arguments
    result = run_tool(tool, *arguments, check=False)
    assert result.returncode != 0
    for diagnostic in error.diagnostics:
        assert f"error: {diagnostic.message}" in result.stderr


def test_command_reproduces_the_locations(tmp_path):
    text = BROKEN.replace("-> tensor<4xi8>\n", '-> tensor<4xi8> loc("model.onnx":7:1)\n')
    with pytest.raises(PassError) as caught:
        LowerQuant().run(parse(text), reproducer=tmp_path / "r.mlir")
    result = run_tool(*shlex.split(caught.value.command), check=False)
    assert "model.onnx:7:1: error: " in result.stderr


def test_reproducer_is_the_module_before_the_run(tmp_path):
    """A pass that fails may have changed the module already."""
    good = QUANTIZE.replace("@f", "@good")
    module = parse(good + BROKEN)
    before = module.operation.get_asm(enable_debug_info=True)
    with pytest.raises(PassError) as caught:
        LowerQuant().run(module, reproducer=tmp_path / "r.mlir")
    assert (tmp_path / "r.mlir").read_text() == before
    assert "quant.qcast" not in str(module)
    assert caught.value.reproducer == tmp_path / "r.mlir"


def test_reproducer_is_written_on_failure_only(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    LowerQuant().run(parse(QUANTIZE))
    assert not list(tmp_path.iterdir())
    for _ in range(2):
        with pytest.raises(PassError):
            LowerQuant().run(parse(BROKEN))
    first, second = tmp_path.iterdir()
    assert first.name.startswith("lower-quant-") and first.read_text() == second.read_text()
