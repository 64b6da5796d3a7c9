# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation: its commands run, its IR parses, its examples show what happens, its files exist.

What a fenced block means:

mlir    Parses. Statements without a function may use values that nothing defines: their types are
        taken from where they are used. A line `// name.mlir` at the top makes it a file for the
        commands of the same page.
        In Passes.md, and in the descriptions of internal passes, a block before a line "becomes" is put through the pass
        of the section, and the block behind it must be in the output; elsewhere a block right behind commands must be in what
        they printed. Names of values and line breaks are free there, and `...` stands for anything.
sh      Runs, in a directory that looks like the tree with its build; the paths in it exist. Commands
        that build, test or set up only say what they would do; see DRY_RUN.
python  Runs; what stands behind `# ` on a line with a print is printed.
(none)  A picture.
"""

import doctest
import importlib
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import mlir_qdq
import pytest
from build_tree import BUILD, ENVIRONMENT, SOURCE, run_tool
from mlir import ir
from mlir_qdq.passes import Stage
from mlir_qdq.reference.semantics import PROFILES

GENERATED = ("Dialect.md", "Passes.md", "TransformOps.md")
#: By their paths in docs/.
PAGES = {
    path.relative_to(SOURCE / "docs").as_posix(): path
    for path in sorted((SOURCE / "docs").rglob("*.md"))
} | {name: SOURCE / name for name in ("README.md", "benchmarks/README.md")}
#: Checked as the build makes them; that the tree has the same is a test of its own.
PAGES |= {name: BUILD / "docs" / name for name in GENERATED}

#: Words that make a command harmless, added after its words here.
DRY_RUN = {
    "cmake --preset": ["-N"],
    "lit": ["--show-tests"],
    "ninja": ["-n"],
    "python -m pytest": ["--help"],
}
#: A model for commands that need one.
MODEL = """
func.func @main() {
  %x = "onnx.Constant"() {value = dense<[0.5, 2.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<2xf32>, tensor<f32>) -> tensor<2xi8>
  return
}
"""


@dataclass
class Block:
    """A fenced block and where it stands."""

    page: str
    line: int
    language: str
    text: str
    heading: str
    #: The text between the block before it under the same heading, and it.
    above: str = ""

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    found, heading, above, block = [], "", [], None
    for number, line in enumerate(text.splitlines(), 1):
        if block is not None:
            if line.strip() == "```":
                found.append(block)
                block, above = None, []
            else:
                block.text += line + "\n"
        elif line.startswith("```"):
            block = Block(page, number, line[3:].strip(), "", heading, "\n".join(above).strip())
        elif line.startswith("#"):
            heading, above = line.lstrip("# "), ["(heading)"]
        else:
            above.append(line)
    assert block is None, f"{block}: not closed"
    return found


BLOCKS = {page: blocks_of(page, path.read_text()) for page, path in PAGES.items()}
#: As mlir-tblgen describes them, the internal ones too.
ALL_PASSES = (BUILD / "docs" / "Passes.all.md").read_text()
INTERNAL = dict(re.findall(r"(?m)^### `-(qdq-codegen-.*)`\n\n_(.*)_$", ALL_PASSES))


# Reading IR.


def split_types(text):
    """Types between commas that are not inside brackets."""
    parts, depth = [""], 0
    for before, char in zip(" " + text, text):
        depth += (char in "<([{") - (char in ">)]}" and not (before == "-" and char == ">"))
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def free_values(statements):
    """The values that nothing defines, with their types."""
    types, defined = {}, set()
    for statement in re.split(r"\n(?=\S)", statements.strip()):
        results, equals, rest = statement.partition(" = ")
        if equals and results.startswith("%"):
            defined.update(re.findall(r"%[\w.$-]+", results))
        else:
            rest = statement
        # `ins(%x : T)`, else all operands before the last colon.
        groups = re.findall(r"\((%[^:()]*) : ([^()]*)\)", rest)
        if not groups:
            operands, colon, signature = rest.rpartition(" : ")
            groups = [(operands, signature)] if colon else []
        for operands, signature in groups:
            names = re.findall(r"%[\w.$-]+", operands)
            signature = signature.partition(" to ")[0].partition(") -> ")[0].strip().lstrip("(")
            kinds = split_types(signature)
            if len(kinds) == 1:
                kinds *= len(names)
            types |= {n: k for n, k in zip(names, kinds) if n not in defined and n not in types}
    return types


def as_module(text):
    """A block as the text of a module."""
    text = re.sub(r"(?m)^//.*\n", "", text)
    if re.match(r"func\.func (?!private)[^{]*\)( -> [^{]*)?\n*$", text):
        # Only a signature, which is a function with any body.
        kinds = text.rpartition(" -> ")[2].strip().strip("()") if " -> " in text else ""
        names = ", ".join(f"%any{i}" for i, _ in enumerate(split_types(kinds)))
        body = f'{names} = "test.any"() : () -> ({kinds})\n' if names else ""
        return f"{text.strip()} {{\n{body}return {names + ' : ' + kinds if names else ''}\n}}"
    if re.search(r"(?m)^(module|func\.func|#\w+ = |!\w+ = )", text):
        return text
    values = free_values(text)
    arguments = ", ".join(f"{name}: {kind}" for name, kind in values.items())
    return f"func.func @example({arguments}) {{\n{text}\nreturn\n}}"


def parse(text):
    """Parse a block; statements are made to return what the last one yields."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    mlir_qdq.register(context)
    with context, ir.Location.unknown():
        if re.match(r"#[\w.]+<", text):
            return ir.Attribute.parse(text)
        if re.match(r"!\w+\.", text):
            return ir.Type.parse(text)
        module = ir.Module.parse(as_module(text))
        function = module.body.operations[0]
        if "func.func" not in text and "module" not in text:
            *_, last, end = function.body.blocks[0].operations
            with ir.InsertionPoint(end):
                ir.Operation.create("func.return", [], list(last.results))
            end.erase()
            arguments = [value.type for value in function.arguments]
            kind = ir.FunctionType.get(arguments, [value.type for value in last.results])
            function.attributes["function_type"] = ir.TypeAttr.get(kind)
        assert module.operation.verify()
        return module


def normal(text):
    """Without the names of values and of aliases, comments, and line breaks."""
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"%[\w.$-]+(:\d+|#\d+)?", "%", text)
    text = re.sub(r"#map\d*|\^bb\d+", lambda match: match[0].rstrip("0123456789"), text)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([(){}\[\]]) ?", r"\1", text).strip()


def shows(expected, actual):
    """Whether a text with `...` in it is in another."""
    pattern = ".*?".join(re.escape(part.strip()) for part in normal(expected).split("..."))
    return re.search(pattern, normal(actual)) is not None


# The pages.


def test_languages():
    for page, blocks in BLOCKS.items():
        for block in blocks:
            assert block.language in ("", "mlir", "sh", "python", "cmake"), (
                f"{block}: no rule for it"
            )


def test_cmake_is_that_of_the_example():
    """test_embed.py builds it."""
    built = (SOURCE / "examples" / "embed" / "CMakeLists.txt").read_text()
    lines = [
        line
        for blocks in BLOCKS.values()
        for b in blocks
        if b.language == "cmake"
        for line in b.text.splitlines()
    ]
    assert lines
    for line in lines:
        assert line in built, line


@pytest.mark.parametrize("name", GENERATED)
def test_generated_page_is_up_to_date(name):
    in_tree, fresh = SOURCE / "docs" / name, BUILD / "docs" / name
    assert in_tree.read_text() == fresh.read_text(), "run: ninja -C build qdq-docs"


@pytest.mark.parametrize("page", PAGES)
def test_files_exist(page):
    text = PAGES[page].read_text()
    prose = re.sub(r"(?ms)^```.*?^```", "", text)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        if "://" not in target:
            base = SOURCE / "docs" if page in GENERATED else PAGES[page].parent
            assert (base / target).exists(), f"{page}: link to {target}"
    folders = "benchmarks|docs|examples|include|lib|python|test|tools"
    for target in re.findall(rf"`((?:{folders})/[\w./*-]+)`", prose):
        assert list(SOURCE.glob(target.rstrip("/"))), f"{page}: {target}"


def test_pages_that_sources_name():
    folders = ("benchmarks", "cmake", "examples", "include", "lib", "python", "test", "tools")
    files = [f for folder in folders for f in (SOURCE / folder).rglob("*") if f.is_file()]
    for file in [SOURCE / "pyproject.toml", *files]:
        for page in re.findall(r"\bdocs/[\w/]+\.md\b", file.read_text(errors="replace")):
            assert (SOURCE / page).exists(), f"{file}: {page}"


EXAMPLES = [
    (before, after)
    for blocks in (BLOCKS["Passes.md"], blocks_of("Passes.all.md", ALL_PASSES))
    for before, after in zip(blocks, blocks[1:])
    if after.above == "becomes"
    and (before.page == "Passes.md" or before.heading.strip("`-") in INTERNAL)
]
OUTPUTS = [
    after
    for blocks in BLOCKS.values()
    for before, after in zip(blocks, blocks[1:])
    if (before.language, after.language, after.above) == ("sh", "mlir", "")
]
IR_BLOCKS = [
    block
    for blocks in BLOCKS.values()
    for block in blocks
    if block.language == "mlir" and "..." not in block.text
]


def test_every_block_is_checked():
    """What has `...` in it cannot be parsed, and so must be what something else gives."""
    shown = [after for _, after in EXAMPLES] + OUTPUTS
    for blocks in BLOCKS.values():
        for block in blocks:
            if block.language == "mlir" and "..." in block.text:
                assert block in shown, f"{block}: nothing says what it is"


@pytest.mark.parametrize("block", IR_BLOCKS, ids=str)
def test_ir_parses(block):
    parse(block.text)


@pytest.mark.parametrize(
    "before, after", EXAMPLES, ids=lambda block: f"{block.heading}-{block.line}"
)
def test_pass_example(before, after, tmp_path):
    module = parse(before.text)
    (tmp_path / "before.mlir").write_text(str(module))
    argument = before.heading.strip("`-")
    output = run_tool("quant-opt", f"--{argument}", tmp_path / "before.mlir").stdout
    assert shows(after.text, output), f"{after}: the output is\n{output}"


def test_examples_are_found():
    headings = {before.heading for before, _ in EXAMPLES}
    assert {"`-lower-quant`", "`-convert-quant-to-qdq`"} <= headings


def test_internal_passes_are_named_so():
    """Passes.md has the promises; the rest say so in their names."""
    passes = re.findall(r"(?m)^### `-(.*)`$", PAGES["Passes.md"].read_text())
    assert not [name for name in passes if name.startswith("qdq-codegen-")]
    assert len(passes) < 33


def test_stages_name_the_internal_passes():
    """CodeGeneration.md: each pass stands in a table, with its summary; each stage has a section."""
    page = PAGES["CodeGeneration.md"].read_text()
    rows = dict(re.findall(r"(?m)^\| `(qdq-codegen-[\w-]+)` \| (.*) \|$", page))
    assert rows == INTERNAL
    assert re.findall(r"(?m)^## ([a-z]+)$", page) == [stage.value for stage in Stage]


def test_profiles_say_how_they_differ():
    """Profiles.md: each profile has a row, with the fields that `onnx` has otherwise."""
    table = PAGES["Profiles.md"].read_text().split("## ")[0]
    rows = re.findall(r"(?m)^\| [^|]+ \| `([\w-]+)` \|([^|]*)\|$", table)
    assert sorted(name for name, _ in rows) == sorted(PROFILES)
    plain = PROFILES["onnx"].semantics
    for name, stated in rows:
        profile = PROFILES[name]
        fields = vars(profile.semantics) | {"compute": profile.quantize_compute}
        others = vars(plain) | {"compute": "auto"}
        different = [f"{key} {value}" for key, value in fields.items() if value != others[key]]
        assert stated.strip() == ", ".join(different), name


def test_picture_of_speed_is_up_to_date():
    images = SOURCE / "docs" / "images"
    made = runpy.run_path(str(images / "performance.py"))["picture"]()
    assert (images / "performance.svg").read_text() == made, (
        "run: python docs/images/performance.py"
    )


# Commands and programs.


@dataclass
class Scratch:
    """A directory in which the commands of a page run, one after the other."""

    directory: Path

    def __post_init__(self):
        for entry in SOURCE.iterdir():
            if entry.name not in ("build", ".venv", ".git"):
                (self.directory / entry.name).symlink_to(entry)
        (self.directory / "build").symlink_to(BUILD)
        (self.directory / "model.mlir").write_text(MODEL)

    def run(self, command):
        environment = ENVIRONMENT | {"PYTHONPATH": str(BUILD / "python_packages")}
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command] if isinstance(command, str) else command,
            cwd=self.directory,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
        return result.stdout


def commands_of(text):
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in (re.sub(r"(^|\s)# .*", "", line).strip() for line in lines) if line]


def run_command(scratch, command):
    words = shlex.split(command)
    while re.match(r"\w+=", words[0]):
        words.pop(0)
    for path in words:
        if re.match(r"(benchmarks|build|docs|examples|include|lib|python|test|tools)/", path):
            assert (scratch.directory / path).exists(), f"{command}: {path}"
    if words[0].startswith("tools/"):
        return ""
    for start, arguments in DRY_RUN.items():
        count = len(start.split())
        if " ".join(words[:count]) == start:
            return scratch.run(shlex.join([*words[:count], *arguments, *words[count:]]))
    return scratch.run(command)


def run_python(scratch, text):
    output = scratch.run([sys.executable, "-c", text])
    position = 0
    for expected in re.findall(r"(?m)^.*print\(.*\)  # (.*)$", text):
        position = output.find(expected, position)
        assert position >= 0, f"'{expected}' is not printed, but\n{output}"


@pytest.mark.parametrize("page", [p for p in PAGES if p not in GENERATED])
def test_page_runs(page, tmp_path):
    scratch, printed = Scratch(tmp_path), ""
    for block in BLOCKS[page]:
        if block.language == "mlir":
            name = re.match(r"// (\S+\.mlir)\n", block.text)
            if name:
                (tmp_path / name[1]).write_text(block.text)
            elif block in OUTPUTS:
                assert shows(block.text, printed), f"{block}: printed was\n{printed}"
        if block.language == "sh":
            printed = "".join(run_command(scratch, command) for command in commands_of(block.text))
        elif block.language == "python":
            run_python(scratch, block.text)


#: But for those that need packages of others, which tools/setup does not install.
MODULES = [
    m.name
    for m in pkgutil.walk_packages(mlir_qdq.__path__, "mlir_qdq.")
    if not m.name.startswith("mlir_qdq.conformance.systems.")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


# The rules above.


def test_free_values():
    assert free_values(
        "%q = qdq.quantize %x scale %s\n  : (tensor<4xf32>, f32) -> tensor<4xi8>"
    ) == {
        "%x": "tensor<4xf32>",
        "%s": "f32",
    }
    assert free_values("%s = arith.constant 1.0 : f32\n%y = arith.mulf %x, %s : f32") == {
        "%x": "f32"
    }
    assert free_values("%q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 2.0>") == {"%x": "f32"}


def test_shows():
    actual = "%0 = arith.constant 1.0 : f32\n%1 = arith.mulf %arg0,\n  %0 : f32\nreturn %1 : f32"
    assert shows("%s = arith.constant 1.0 : f32\n...\nreturn %y : f32", actual)
    assert shows("arith.mulf %x, %s", actual)
    assert not shows("%s = arith.constant 2.0 : f32", actual)
    assert not shows("return %y : f32\n...\narith.mulf %x, %s : f32", actual)


def test_commands():
    text = "a -b \\\n  -c  # why\n# only this\nd='#1' e\n"
    assert commands_of(text) == ["a -b    -c", "d='#1' e"]
