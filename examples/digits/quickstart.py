# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a trained network to lowered, compiled and verified quantization, in half a minute.

Makes quantized digit classifiers, imports them, lowers them with `quant-opt`, compiles every
quantize and dequantize node, holds the results against ONNX Runtime bit by bit, and then changes
the rounding. Last it makes one integer program of the whole network, and changes how that rescales
its sums.
``tools/quickstart`` sets everything up and runs this.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from make_models import INPUT_NAME, make_models
from mlir import ir
from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from nodes import DEQUANTIZE, QUANTIZE, Runner, extract, run_in_onnxruntime
from program import describe, whole_program

MODELS = ("int8", "int4")
SHOWN = (("int8", QUANTIZE), ("int4", DEQUANTIZE))  # the first node of each is printed
POLICIES = ("nearest-even", "toward-zero")
RESCALES = (
    "f32", "exact", "qdq", "f64", "separate", "fixed31-double", "fixed31-single", "fixed15"
)  # fmt: skip
OF_ONNXRUNTIME = ("f32", "off")  # its own arithmetic; its own operators, not rewritten
LOGITS = {"int8": "add_result1_QuantizeLinear", "qlinear": "MatMul1/MatMulAddFusion_quant"}
SHOWN_IN_PICTURE = "next_activations"
STEPS = 6
ELIDE_ABOVE = 16  # elements of a constant in printed IR


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("build/quickstart"), metavar="DIR")
    output = parser.parse_args().output

    step(1, "train a digit classifier and quantize it with ONNX Runtime")
    paths = make_models(output)
    test = np.load(paths["test"])
    inputs = {INPUT_NAME: test["images"]}
    protos = {name: onnx.load(paths[name]) for name in MODELS}
    for name in MODELS:
        say(f"{paths[name]}: {len(protos[name].graph.node)} nodes")

    step(2, "import the models and lower them: quant-opt --lower-quant")
    modules, nodes = {}, {}
    for name in MODELS:
        module = import_model(paths[name])
        modules[name], nodes[name] = extract(module, protos[name])
        for label, what in (("", module), ("-nodes", modules[name])):
            source = output / f"digits-{name}{label}.mlir"
            source.write_text(str(what))
            target = lower(source)
            say(f"{source}: {count(source)} Q/DQ nodes; {target.name}: {count(target)}")
    for name, operation in SHOWN:
        show(name, next(node for node in nodes[name] if node.operation == operation), output)

    step(3, "compile every Q and DQ node, and compare with ONNX Runtime on the real data")
    expected = {name: run_in_onnxruntime(protos[name], inputs) for name in MODELS}
    compiled = {name: runtime.compile(modules[name]) for name in MODELS}
    wrong = 0
    for name in MODELS:
        say(f"digits-{name}.onnx")
        for node in nodes[name]:
            data, wanted = expected[name][node.data], expected[name][node.result]
            same = same_bits(getattr(compiled[name], node.function)(data), wanted)
            wrong += not same
            verdict = "same bits" if same else "DIFFERENT"
            say(f"  {node.name:43} {node.signature:11} {wanted.size:6} elements  {verdict}")

    step(4, "run the int8 network with each rounding")
    table = Table("policy", "codes changed", "digits read differently", "accuracy")
    wrong += with_each_rounding(table, protos["int8"], modules["int8"], nodes["int8"], test)

    step(5, "run it as one integer program, with each rescale of its sums")
    wrong += with_each_rescale(table, paths, test, output)
    for line in table.lines():
        say(line)

    step(6, "draw")
    shown = next(node for node in nodes["int8"] if node.result.startswith(SHOWN_IN_PICTURE))
    say(str(draw(output / "rounding.png", protos["int8"], shown, expected["int8"], modules, table)))
    say("" if wrong else "All nodes agree with ONNX Runtime, bit for bit.")
    return 1 if wrong else 0


class Table:
    """Rows of text under a head."""

    def __init__(self, *head: str):
        self.head, self.rows = head, []

    def compare(self, name: str, codes: list, wanted: list, read, read_by_runtime, labels) -> int:
        """A row: how many of `codes` and of the digits `read` are not ONNX Runtime's."""
        changed = sum(np.count_nonzero(a != b) for a, b in zip(codes, wanted, strict=True))
        size = sum(array.size for array in wanted)
        moved = np.count_nonzero(read != read_by_runtime)
        share = f"{changed} of {size} ({changed / size:.1%})"
        accuracy = np.mean(read == labels)
        self.rows.append((name, share, f"{moved} of {labels.size}", f"{accuracy:.2%}"))
        return changed

    def lines(self) -> list[str]:
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows)]
        rows = (self.head, tuple("-" * width for width in widths), *self.rows)
        return [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows
        ]


def with_each_rounding(table: Table, model: onnx.ModelProto, module, nodes, test) -> int:
    """A row for each of POLICIES; how many probabilities of the first are not ONNX Runtime's."""
    inputs = {INPUT_NAME: test["images"]}
    expected, runner = run_in_onnxruntime(model, inputs), Runner(model)
    quantizers = [node for node in nodes if node.operation == QUANTIZE]
    wanted = [expected[node.result] for node in quantizers]
    wrong = 0
    for rounding in POLICIES:
        compiled = runtime.compile(module, rounding=rounding)
        functions = {node.name: getattr(compiled, node.function) for node in nodes}
        codes = [functions[node.name](expected[node.data]) for node in quantizers]
        values = runner(inputs, functions)
        read = values["label"], expected["label"], test["labels"]
        table.compare(f"Q/DQ nodes, {rounding}", codes, wanted, *read)
        if rounding == POLICIES[0]:
            wrong = np.count_nonzero(values["probabilities"] != expected["probabilities"])
    return wrong


def with_each_rescale(table: Table, paths: dict, test, output: Path) -> int:
    """A row for each of RESCALES, and one for the model of QGemm nodes.

    Returns how many codes are not ONNX Runtime's where its own arithmetic was asked for.
    """
    inputs, operators = {INPUT_NAME: test["images"]}, onnx.load(paths["qlinear"])
    expected, tail = run_in_onnxruntime(operators, inputs), Runner(operators)
    program = whole_program(import_model(paths["int8"]), LOGITS["int8"])
    source = output / "digits-program.mlir"
    source.write_text(str(program))
    lowered = lower(source, "profile=ort integer-contractions=profile")
    for line in describe(lowered):
        say(line)

    last = LOGITS["qlinear"]
    variants = {f"integers, {rescale}": (program, rescale) for rescale in RESCALES}
    variants["QGemm nodes"] = whole_program(import_model(paths["qlinear"]), last), "off"
    wrong = 0
    for name, (module, rescale) in variants.items():
        compiled = runtime.compile(module, profile="ort", integer_contractions=rescale)
        codes = compiled.digits(test["images"])
        read = tail(inputs, {last: lambda _: codes})["label"], expected["label"], test["labels"]
        changed = table.compare(name, [codes], [expected["add_result1_quantized"]], *read)
        wrong += changed if rescale in OF_ONNXRUNTIME else 0
    return wrong


def step(number: int, what: str) -> None:
    print(f"\n[{number}/{STEPS}] {what}", flush=True)


def say(what: str) -> None:
    print(f"      {what}", flush=True)


def lower(source: Path, options: str = "") -> Path:
    """Run `quant-opt` of this environment on a file, with options of `lower-quant`."""
    beside = Path(sys.executable).parent / "quant-opt"
    tool = str(beside) if beside.exists() else shutil.which("quant-opt")
    if tool is None:
        raise SystemExit("quant-opt is not here: run tools/setup")
    target = source.with_suffix(".lowered.mlir")
    subprocess.run([tool, f"--lower-quant={options}", str(source), "-o", str(target)], check=True)
    return target


def count(file: Path) -> int:
    text = file.read_text()
    return text.count(f'"{QUANTIZE}"(') + text.count(f'"{DEQUANTIZE}"(')


def show(name: str, node, output: Path) -> None:
    """Print one node's function before and after."""
    for title, suffix in (("before", ".mlir"), ("after", ".lowered.mlir")):
        text = (output / f"digits-{name}-nodes{suffix}").read_text()
        with ir.Context() as context, ir.Location.unknown():
            context.allow_unregistered_dialects = True
            module = ir.Module.parse(text)
            function = next(
                f for f in module.body if f.attributes["sym_name"].value == node.function
            )
            text = function.get_asm(large_elements_limit=ELIDE_ABOVE)
        print(f"\n      // {node.name}, {title}")
        print("\n".join(f"      {line}" for line in text.splitlines()))


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return (
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


def draw(file: Path, model, node, values: dict, modules: dict, table: Table) -> Path:
    """How far each rounding moves the hidden activations, in codes, and what each policy costs."""
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    proto = next(n for n in model.graph.node if n.name == node.name)
    scale, zero_point = (values[name].astype(np.float64) for name in proto.input[1:3])
    figure, (errors, bars) = pyplot.subplots(1, 2, figsize=(11, 3.8), width_ratios=(1, 1))
    for rounding in POLICIES:
        codes = getattr(runtime.compile(modules["int8"], rounding=rounding), node.function)(
            values[node.data]
        )
        error = values[node.data] / scale - (codes - zero_point)
        inside = error[(values[node.data] > 0) & (codes < 255)]
        errors.hist(inside, bins=80, range=(-0.75, 1.25), alpha=0.6, label=rounding)
    errors.set_xlabel("x / scale - (q - zero point)")
    errors.set_ylabel("hidden activations")
    errors.set_title("Rounding error, in codes")
    errors.margins(y=0.25)  # room for the legend
    errors.legend()
    names, changes, _, accuracies = zip(*reversed(table.rows))
    shares = [float(text.split("(")[1].rstrip("%)")) for text in changes]
    bars.barh(names, shares, color="C2", alpha=0.6)
    for row, (share, accuracy) in enumerate(zip(shares, accuracies)):
        bars.text(share + 0.5, row, f"{share}, accuracy {accuracy}", va="center")
    bars.set_xlim(0, 1.8 * max(shares) + 10)  # room for the texts
    bars.set_title("Codes changed, %")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    return file


if __name__ == "__main__":
    sys.exit(main())
