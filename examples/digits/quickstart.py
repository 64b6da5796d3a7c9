# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a trained network to lowered, compiled and verified quantization, in half a minute.

Makes two quantized digit classifiers, imports them, lowers them with `quant-opt`, compiles every
quantize and dequantize node, holds the results against ONNX Runtime bit by bit, and then changes
the rounding.
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

MODELS = ("int8", "int4")
SHOWN = (("int8", QUANTIZE), ("int4", DEQUANTIZE))  # the first node of each is printed
POLICIES = ("nearest-even", "toward-zero")
STEPS = 5
ELIDE_ABOVE = 16  # elements of a constant in printed IR


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("build/quickstart"), metavar="DIR")
    output = parser.parse_args().output

    step(1, "train a digit classifier and quantize it with ONNX Runtime")
    paths = make_models(output)
    test = np.load(paths["test"])
    inputs, labels = {INPUT_NAME: test["images"]}, test["labels"]
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
    runner = Runner(protos["int8"])
    quantizers = [node for node in nodes["int8"] if node.operation == QUANTIZE]
    rows, accuracies = [], {}
    for rounding in POLICIES:
        policy = runtime.compile(modules["int8"], rounding=rounding)
        functions = {node.name: getattr(policy, node.function) for node in nodes["int8"]}
        codes = changed = 0
        for node in quantizers:
            mine = functions[node.name](expected["int8"][node.data])
            codes += mine.size
            changed += np.count_nonzero(mine != expected["int8"][node.result])
        values = runner(inputs, functions)
        accuracies[rounding] = np.mean(values["label"] == labels)
        moved = np.count_nonzero(values["label"] != expected["int8"]["label"])
        share = f"{changed} of {codes} ({changed / codes:.1%})"
        rows.append((rounding, share, f"{moved} of {labels.size}", f"{accuracies[rounding]:.2%}"))
        if rounding == POLICIES[0] and not same_bits(
            values["probabilities"], expected["int8"]["probabilities"]
        ):
            say("the network's probabilities DIFFER from ONNX Runtime's")
            wrong += 1
    table(("rounding", "codes changed", "digits read differently", "accuracy"), rows)

    step(5, "draw")
    shown = next(node for node in quantizers if node.data == "next_activations")
    picture = draw(
        output / "rounding.png", protos["int8"], shown, expected["int8"], accuracies, modules
    )
    say(str(picture))
    say("" if wrong else "All nodes agree with ONNX Runtime, bit for bit.")
    return 1 if wrong else 0


def step(number: int, what: str) -> None:
    print(f"\n[{number}/{STEPS}] {what}", flush=True)


def say(what: str) -> None:
    print(f"      {what}", flush=True)


def lower(source: Path) -> Path:
    """Run `quant-opt` of this environment on a file."""
    beside = Path(sys.executable).parent / "quant-opt"
    tool = str(beside) if beside.exists() else shutil.which("quant-opt")
    if tool is None:
        raise SystemExit("quant-opt is not here: run tools/setup")
    target = source.with_suffix(".lowered.mlir")
    subprocess.run([tool, "--lower-quant", str(source), "-o", str(target)], check=True)
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


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    for row in (head, tuple("-" * width for width in widths), *rows):
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths)))


def draw(file: Path, model, node, values: dict, accuracies: dict, modules: dict) -> Path:
    """How far each rounding moves the hidden activations, in codes, and what that costs."""
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    proto = next(n for n in model.graph.node if n.name == node.name)
    scale, zero_point = (values[name].astype(np.float64) for name in proto.input[1:3])
    figure, (errors, bars) = pyplot.subplots(1, 2, figsize=(9, 3.5), width_ratios=(2, 1))
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
    bars.bar(
        list(accuracies), [100 * a for a in accuracies.values()], color=["C0", "C1"], alpha=0.6
    )
    bars.set_ylim(80, 100)
    bars.set_title("Accuracy, %")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    return file


if __name__ == "__main__":
    sys.exit(main())
